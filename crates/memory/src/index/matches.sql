SELECT rowid, rank FROM words WHERE words MATCH ?1 ORDER BY rank LIMIT ?2
