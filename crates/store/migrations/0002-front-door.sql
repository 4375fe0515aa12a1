-- The front door: clients that have tools of their own, and the calls they were handed.

-- A call is open until its result is in or its turn was stopped.
CREATE TABLE client_calls (
    call    TEXT PRIMARY KEY,
    turn    TEXT NOT NULL,
    session TEXT NOT NULL,
    state   TEXT NOT NULL CHECK (state IN ('open', 'settled'))
) STRICT;

CREATE INDEX client_calls_open ON client_calls (session) WHERE state = 'open';

-- A client's conversation, the name the client goes by, and the tools it declared there, as JSON.
CREATE TABLE client_sessions (
    session    TEXT PRIMARY KEY,
    client_id  TEXT UNIQUE,
    tools      TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
