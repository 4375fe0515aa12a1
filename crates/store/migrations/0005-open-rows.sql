-- What is to be done is found without leafing through all that was.
CREATE INDEX inbox_open_by_age ON inbox (position) WHERE state != 'done';
