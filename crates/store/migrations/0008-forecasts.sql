-- What a program seems about to do after the calls on a screen.
ALTER TABLE approvals ADD COLUMN forecast TEXT;
