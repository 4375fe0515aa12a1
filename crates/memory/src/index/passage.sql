SELECT chunks.id, path, kind, line_start, line_end, heading, text, untrusted, at
FROM chunks JOIN files ON files.id = chunks.file
WHERE chunks.id = ?1
