SELECT path, kind, line_start, line_end, text, untrusted
FROM chunks JOIN files ON files.id = chunks.file
ORDER BY kind = 'transcript', chunks.id DESC LIMIT 1
