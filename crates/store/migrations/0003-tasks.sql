-- Orders given over the tasks door. Each has a conversation of its own; its turn says how far it has come.
CREATE TABLE tasks (
    id           TEXT PRIMARY KEY,
    session      TEXT NOT NULL,
    turn         TEXT NOT NULL UNIQUE,
    prompt       TEXT NOT NULL,
    requester_id TEXT,
    channel_id   TEXT,
    created_at   INTEGER NOT NULL,
    ended_at     INTEGER,
    outcome      TEXT CHECK (outcome IN ('completed', 'failed', 'cancelled'))
) STRICT;

CREATE INDEX tasks_by_time ON tasks (created_at);
