DELETE FROM chunks;
DELETE FROM files;
DELETE FROM pending;
DELETE FROM vectors;
INSERT INTO words (words) VALUES ('delete-all');
