SELECT id, scale, vector FROM vectors WHERE model = ?1 AND id > ?2 ORDER BY id
