INSERT INTO meta (key, value) VALUES ('prunes', 1)
ON CONFLICT (key) DO UPDATE SET value = value + 1
