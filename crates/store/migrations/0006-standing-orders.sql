-- Standing orders: what comes due, what came of it, and what is to be told to the owner.

-- Everything that comes due is a job: reminders, tasks that come again, the heartbeat. `open` counts its firings
-- that are not over, `due_at` is when to look at it. After a failure it waits until `not_before`.
CREATE TABLE jobs (
    id               TEXT PRIMARY KEY,
    name             TEXT NOT NULL,
    kind             TEXT NOT NULL CHECK (kind IN ('reminder', 'task', 'heartbeat')),
    schedule         TEXT NOT NULL,
    message          TEXT NOT NULL,
    session          TEXT NOT NULL,
    deliver          TEXT,
    missed           TEXT NOT NULL CHECK (missed IN ('skip', 'once', 'all')),
    enabled          INTEGER NOT NULL CHECK (enabled IN (0, 1)),
    delete_after_run INTEGER NOT NULL CHECK (delete_after_run IN (0, 1)),
    next_slot        INTEGER,
    not_before       INTEGER,
    due_at           INTEGER GENERATED ALWAYS AS (max(next_slot, ifnull(not_before, next_slot))) VIRTUAL,
    open             INTEGER NOT NULL DEFAULT 0,
    failures         INTEGER NOT NULL DEFAULT 0,
    failed_at        INTEGER,
    model            TEXT,
    task             TEXT,
    origin           TEXT,
    origin_key       TEXT UNIQUE,
    tainted          INTEGER NOT NULL CHECK (tainted IN (0, 1)),
    created_at       INTEGER NOT NULL,
    updated_at       INTEGER NOT NULL
) STRICT;

-- What is due, and when something is next, is found without looking at any other job.
CREATE INDEX jobs_due ON jobs (due_at) WHERE enabled = 1 AND due_at IS NOT NULL AND open < 20;
CREATE UNIQUE INDEX jobs_by_name ON jobs (name COLLATE NOCASE) WHERE kind = 'reminder';
CREATE INDEX jobs_by_task ON jobs (task) WHERE task IS NOT NULL;
CREATE INDEX jobs_by_update ON jobs (updated_at);

-- A slot fires once, ever. A firing is over when it has an outcome.
CREATE TABLE firings (
    job      TEXT NOT NULL,
    slot     INTEGER NOT NULL,
    turn     TEXT,
    fired_at INTEGER NOT NULL,
    late_ms  INTEGER NOT NULL,
    outcome  TEXT CHECK (outcome IN ('completed', 'failed', 'aborted', 'limit', 'skipped')),
    note     TEXT,
    ended_at INTEGER,
    PRIMARY KEY (job, slot)
) STRICT, WITHOUT ROWID;

CREATE INDEX firings_by_turn ON firings (turn) WHERE turn IS NOT NULL;
CREATE INDEX firings_by_time ON firings (fired_at);

-- Tasks were orders for now; they may come again, or wait for something outside. `turn` is the latest run. Of the
-- token that reaches an event-triggered one only the hash is kept.
CREATE TABLE orders (
    id           TEXT PRIMARY KEY,
    kind         TEXT NOT NULL CHECK (kind IN ('one_shot', 'recurring', 'event')),
    session      TEXT NOT NULL UNIQUE,
    turn         TEXT,
    prompt       TEXT NOT NULL,
    state        TEXT NOT NULL CHECK (state IN ('active', 'completed', 'failed', 'cancelled')),
    reason       TEXT,
    deliver      TEXT,
    origin       TEXT,
    origin_key   TEXT UNIQUE,
    requester_id TEXT,
    channel_id   TEXT,
    model        TEXT,
    hook_hash    TEXT UNIQUE,
    hook_secret  TEXT,
    runs         INTEGER NOT NULL DEFAULT 0,
    created_at   INTEGER NOT NULL,
    ended_at     INTEGER
) STRICT;

INSERT INTO orders (id, kind, session, turn, prompt, state, requester_id, channel_id, runs, created_at, ended_at)
    SELECT id, 'one_shot', session, turn, prompt, coalesce(outcome, 'active'), requester_id, channel_id,
           outcome IS NOT NULL, created_at, ended_at
    FROM tasks;

DROP TABLE tasks;
ALTER TABLE orders RENAME TO tasks;
CREATE INDEX tasks_by_time ON tasks (created_at, id);
CREATE INDEX tasks_by_turn ON tasks (turn) WHERE turn IS NOT NULL;

-- What was handed in for an event-triggered task under a name: the same name is the same delivery.
CREATE TABLE hook_deliveries (
    task        TEXT NOT NULL,
    key         TEXT NOT NULL,
    body_sha256 TEXT NOT NULL,
    turn        TEXT NOT NULL,
    PRIMARY KEY (task, key)
) STRICT, WITHOUT ROWID;

-- What is to be told to the owner, once for each key. An intent that was attempted and never answered for is not
-- sent again by itself.
CREATE TABLE outbox (
    id          TEXT PRIMARY KEY,
    key         TEXT NOT NULL UNIQUE,
    target      TEXT NOT NULL,
    resolved    TEXT,
    job         TEXT,
    notice      TEXT NOT NULL,
    state       TEXT NOT NULL CHECK (state IN ('intent', 'sent', 'unresolved')),
    attempts    INTEGER NOT NULL DEFAULT 0,
    error       TEXT,
    platform_id TEXT,
    created_at  INTEGER NOT NULL,
    sent_at     INTEGER
) STRICT;

CREATE INDEX outbox_open ON outbox (id) WHERE state = 'intent';
CREATE INDEX outbox_unresolved ON outbox (id) WHERE state = 'unresolved';
CREATE INDEX outbox_by_job ON outbox (job, created_at) WHERE job IS NOT NULL;

-- What merely happened waits behind what the owner says.
ALTER TABLE inbox ADD COLUMN background INTEGER NOT NULL DEFAULT 0 CHECK (background IN (0, 1));
UPDATE inbox SET background = 1 WHERE json_extract(trigger, '$.kind') != 'message';
DROP INDEX inbox_open_by_age;
CREATE INDEX inbox_open_by_lane ON inbox (background, position) WHERE state != 'done';
CREATE INDEX inbox_of_owner ON inbox (position) WHERE background = 0;
