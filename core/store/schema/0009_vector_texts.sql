-- Finds the vector that an equal text has already, so that no model reads it twice. The hash alone: rows of one text
-- that differ in kind, model or recipe are few.
CREATE INDEX vector_text ON vector(text_sha);
