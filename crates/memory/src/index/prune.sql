DELETE FROM vectors
WHERE model IS NOT (SELECT value FROM meta WHERE key = 'model')
   OR hash NOT IN (SELECT hash FROM chunks)
