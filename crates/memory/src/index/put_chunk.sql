INSERT INTO chunks (file, line_start, line_end, heading, text, hash, untrusted)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
