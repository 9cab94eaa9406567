-- The signs of a text's token vectors, by which search reranks the passages that have this text. Derived from the text:
-- a search reads a text itself where there are none.
CREATE TABLE token_bits (
  text_sha TEXT NOT NULL,             -- as in `vector`
  model    TEXT NOT NULL,             -- id@version
  recipe   TEXT NOT NULL,
  bits     BLOB NOT NULL,             -- dim / 8 bytes a token
  UNIQUE (text_sha, model, recipe)
) STRICT;

CREATE TRIGGER vector_token_bits_delete AFTER DELETE ON vector BEGIN
  DELETE FROM token_bits WHERE text_sha = old.text_sha AND model = old.model AND recipe = old.recipe
    AND NOT EXISTS (SELECT 1 FROM vector
      WHERE text_sha = old.text_sha AND model = old.model AND recipe = old.recipe AND kind = old.kind);
END;
