-- What the owner was told in a conversation outside of its turns is found without leafing through all of it.
CREATE INDEX events_notices ON events (session, seq) WHERE kind = 'notice';
