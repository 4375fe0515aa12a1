INSERT OR IGNORE INTO pending (hash)
SELECT hash FROM chunks
WHERE NOT EXISTS (SELECT 1 FROM vectors WHERE vectors.hash = chunks.hash AND vectors.model = ?1)
