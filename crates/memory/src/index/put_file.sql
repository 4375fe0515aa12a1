INSERT INTO files (path, kind, hash, bytes, modified, changed, state) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
ON CONFLICT (path) DO UPDATE SET
    kind = excluded.kind, hash = excluded.hash, bytes = excluded.bytes, modified = excluded.modified,
    changed = excluded.changed, state = excluded.state
RETURNING id
