-- The ground floor: who talks, what came in, what happened, what it cost.

CREATE TABLE sessions (
    key        TEXT PRIMARY KEY,
    title      TEXT NOT NULL,
    turns      INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

CREATE INDEX sessions_by_update ON sessions (updated_at);

-- A trigger is open until its turn is done. `position` is the order of acceptance.
CREATE TABLE inbox (
    position    INTEGER PRIMARY KEY AUTOINCREMENT,
    turn        TEXT NOT NULL UNIQUE,
    session     TEXT NOT NULL,
    source      TEXT NOT NULL,
    external_id TEXT NOT NULL,
    trigger     TEXT NOT NULL,
    state       TEXT NOT NULL CHECK (state IN ('queued', 'running', 'parked', 'joined', 'done')),
    worker      TEXT,
    lease_until INTEGER,
    joined      TEXT,
    accepted_at INTEGER NOT NULL,
    UNIQUE (source, external_id)
) STRICT;

CREATE INDEX inbox_open ON inbox (session, position) WHERE state != 'done';
CREATE INDEX inbox_by_session ON inbox (session, position);

-- The log. Rows are added, never changed. Each row's hash covers the row before it, so that a change anywhere
-- breaks the chain from there on.
CREATE TABLE events (
    seq     INTEGER PRIMARY KEY AUTOINCREMENT,
    session TEXT NOT NULL,
    turn    TEXT NOT NULL,
    at      INTEGER NOT NULL,
    kind    TEXT NOT NULL,
    version INTEGER NOT NULL,
    body    TEXT NOT NULL,
    hash    BLOB NOT NULL
) STRICT;

CREATE INDEX events_by_session ON events (session, seq);
CREATE INDEX events_by_turn ON events (turn, seq);

-- Long texts and pictures, once each; events refer to them.
CREATE TABLE blobs (
    sha256 TEXT PRIMARY KEY,
    data   TEXT NOT NULL
) STRICT;

-- One row for each answered model call.
CREATE TABLE usage (
    seq                INTEGER PRIMARY KEY,
    at                 INTEGER NOT NULL,
    session            TEXT NOT NULL,
    turn               TEXT NOT NULL,
    model              TEXT NOT NULL,
    input_tokens       INTEGER NOT NULL,
    output_tokens      INTEGER NOT NULL,
    cache_read_tokens  INTEGER NOT NULL,
    cache_write_tokens INTEGER NOT NULL
) STRICT;

CREATE INDEX usage_by_time ON usage (at);

-- How far each projection of the log has come, and how long its file was then.
CREATE TABLE cursors (
    name  TEXT PRIMARY KEY,
    seq   INTEGER NOT NULL,
    bytes INTEGER NOT NULL
) STRICT;

-- Calls put to the owner; open until decided, expired or settled otherwise.
CREATE TABLE approvals (
    call       TEXT PRIMARY KEY,
    approval   TEXT NOT NULL,
    turn       TEXT NOT NULL,
    session    TEXT NOT NULL,
    asked      TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('open', 'approved', 'denied', 'settled'))
) STRICT;

CREATE INDEX approvals_open ON approvals (expires_at) WHERE state = 'open';
CREATE INDEX approvals_by_screen ON approvals (approval);

-- Rules the owner made while deciding.
CREATE TABLE rules (
    rule    TEXT PRIMARY KEY,
    call    TEXT NOT NULL,
    made_at INTEGER NOT NULL
) STRICT;

-- Processes that went on after their call.
CREATE TABLE processes (
    call       TEXT PRIMARY KEY,
    name       TEXT NOT NULL,
    session    TEXT NOT NULL,
    command    TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at   INTEGER
) STRICT;
