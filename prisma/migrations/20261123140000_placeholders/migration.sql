-- What a picture looks like from far away, for lists that wait for its preview: a ThumbHash. Null for pictures stored before.
ALTER TABLE image ADD COLUMN placeholder BYTEA;
