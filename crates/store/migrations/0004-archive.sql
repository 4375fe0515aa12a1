-- Conversations the owner put away. They are there as before, only not listed with the others.
ALTER TABLE sessions ADD COLUMN archived INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1));
