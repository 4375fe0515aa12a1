SELECT coalesce(sum(doc), 0) FROM (SELECT doc FROM temp.vocabulary WHERE term >= ?1 AND term < ?2 LIMIT ?3)
