CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- A file stands here with all its chunks, or not at all.
CREATE TABLE files (
    id       INTEGER PRIMARY KEY,
    path     TEXT NOT NULL UNIQUE,
    kind     TEXT NOT NULL,
    hash     BLOB NOT NULL,
    bytes    INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    changed  INTEGER NOT NULL,
    state    TEXT NOT NULL CHECK (state IN ('whole', 'cut', 'binary'))
);

-- `hash` is of what is embedded: the headings and the text.
CREATE TABLE chunks (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    file       INTEGER NOT NULL REFERENCES files (id),
    line_start INTEGER NOT NULL,
    line_end   INTEGER NOT NULL,
    heading    TEXT NOT NULL,
    text       TEXT NOT NULL,
    hash       BLOB NOT NULL,
    untrusted  INTEGER NOT NULL
);
CREATE INDEX chunks_by_file ON chunks (file);
CREATE INDEX chunks_by_hash ON chunks (hash);

-- It keeps no text of its own, so that what is indexed may be spaced out where a script writes words together.
CREATE VIRTUAL TABLE words USING fts5 (
    heading, text,
    content = '', contentless_delete = 1,
    tokenize = "porter unicode61 remove_diacritics 2"
);

-- What has no vector yet.
CREATE TABLE pending (
    hash BLOB PRIMARY KEY
) WITHOUT ROWID;

-- Ids only grow: whoever holds the vectors in memory asks for those above the last one seen.
CREATE TABLE vectors (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    hash   BLOB NOT NULL,
    model  TEXT NOT NULL,
    scale  REAL NOT NULL,
    vector BLOB NOT NULL,
    UNIQUE (hash, model)
);
