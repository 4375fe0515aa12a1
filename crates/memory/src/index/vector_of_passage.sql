SELECT vectors.id, scale, vector FROM chunks
JOIN vectors ON vectors.hash = chunks.hash AND vectors.model = ?1
WHERE chunks.id = ?2
