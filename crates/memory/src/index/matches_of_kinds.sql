SELECT words.rowid, words.rank FROM words
JOIN chunks ON chunks.id = words.rowid
JOIN files ON files.id = chunks.file
WHERE words MATCH ?1 AND files.kind IN (SELECT value FROM json_each(?3))
ORDER BY words.rank LIMIT ?2
