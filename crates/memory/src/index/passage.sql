SELECT path, kind, line_start, line_end, text, untrusted
FROM chunks JOIN files ON files.id = chunks.file
WHERE chunks.id = ?1
