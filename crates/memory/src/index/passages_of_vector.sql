SELECT chunks.id FROM vectors
JOIN chunks ON chunks.hash = vectors.hash
JOIN files ON files.id = chunks.file
WHERE vectors.id = ?1 AND (?2 IS NULL OR files.kind IN (SELECT value FROM json_each(?2)))
LIMIT 20
