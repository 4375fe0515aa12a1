SELECT 1 FROM files WHERE ?1 IS NULL OR kind IN (SELECT value FROM json_each(?1)) LIMIT 1
