-- What lacks a vector, what could not be embedded, and the truth about vectors in a shape that fits two to a page.

CREATE TABLE vector_rows (
  kind     TEXT NOT NULL,             -- error, rule, chunk
  item_id  INTEGER NOT NULL,
  model    TEXT NOT NULL,             -- id@version
  recipe   TEXT NOT NULL,             -- how the text was made, and how the model reads it
  text_sha TEXT NOT NULL,             -- sha256 of the embedded text
  dim      INTEGER NOT NULL,
  blob     BLOB NOT NULL,             -- little-endian float32, unit length; one vector of `dim` a window of the text
  PRIMARY KEY (kind, item_id, model, recipe)
) STRICT;
INSERT INTO vector_rows SELECT kind, item_id, model, recipe, text_sha, dim, blob FROM vector;
DROP TABLE vector;
ALTER TABLE vector_rows RENAME TO vector;

-- Derived from `vector`, appended batch by batch: the signs of the components, for the index in memory. A text that is
-- embedded anew is appended again; whoever searches reads the true vector before he answers.
CREATE TABLE vector_bits (
  id     INTEGER PRIMARY KEY AUTOINCREMENT,
  kind   TEXT NOT NULL,
  model  TEXT NOT NULL,
  recipe TEXT NOT NULL,
  count  INTEGER NOT NULL,
  items  BLOB NOT NULL,               -- `count` item ids, little-endian int64
  bits   BLOB NOT NULL                -- `count` times dim / 8 bytes, the first component in the highest bit
) STRICT;
CREATE INDEX vector_bits_of ON vector_bits(kind, model, recipe, id, count);

-- What waits for the batch worker. Triggers put it here, so that rows written by other programs enter too; an item that
-- is gone waits as well where it had a vector, because its row in a vec0 table can be removed by code only.
CREATE TABLE backlog (
  kind    TEXT NOT NULL,
  item_id INTEGER NOT NULL,
  PRIMARY KEY (kind, item_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE backlog_size (kind TEXT PRIMARY KEY, waiting INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO backlog SELECT 'error', id FROM error_kb;
INSERT INTO backlog_size SELECT 'error', count(*) FROM backlog UNION ALL VALUES ('rule', 0), ('chunk', 0);
CREATE TRIGGER backlog_insert AFTER INSERT ON backlog BEGIN
  UPDATE backlog_size SET waiting = waiting + 1 WHERE kind = new.kind;
END;
CREATE TRIGGER backlog_delete AFTER DELETE ON backlog BEGIN
  UPDATE backlog_size SET waiting = waiting - 1 WHERE kind = old.kind;
END;

-- A text that no model could embed is not tried again until it, the model or the recipe changes.
CREATE TABLE embed_failure (
  kind     TEXT NOT NULL,
  item_id  INTEGER NOT NULL,
  model    TEXT NOT NULL,
  recipe   TEXT NOT NULL,
  text_sha TEXT NOT NULL,
  reason   TEXT NOT NULL,
  ts       TEXT NOT NULL,
  PRIMARY KEY (kind, item_id)
) STRICT, WITHOUT ROWID;

-- WHERE NOT EXISTS, never OR IGNORE: the statement that fires a trigger overrides its conflict clauses.
CREATE TRIGGER error_kb_backlog_insert AFTER INSERT ON error_kb BEGIN
  INSERT INTO backlog SELECT 'error', new.id
    WHERE NOT EXISTS (SELECT 1 FROM backlog WHERE kind = 'error' AND item_id = new.id);
END;
CREATE TRIGGER error_kb_backlog_update AFTER UPDATE OF error_normalized ON error_kb
WHEN old.error_normalized <> new.error_normalized BEGIN
  INSERT INTO backlog SELECT 'error', new.id
    WHERE NOT EXISTS (SELECT 1 FROM backlog WHERE kind = 'error' AND item_id = new.id);
END;
CREATE TRIGGER error_kb_backlog_delete AFTER DELETE ON error_kb BEGIN
  DELETE FROM backlog WHERE kind = 'error' AND item_id = old.id;
  INSERT INTO backlog SELECT 'error', old.id
    WHERE EXISTS (SELECT 1 FROM vector WHERE kind = 'error' AND item_id = old.id);
  DELETE FROM vector WHERE kind = 'error' AND item_id = old.id;
  DELETE FROM embed_failure WHERE kind = 'error' AND item_id = old.id;
END;

-- A case's text is its first key line: further ones change nothing, but the first, a merge or a split may.
CREATE TRIGGER fingerprint_backlog_insert AFTER INSERT ON fingerprint
WHEN NOT EXISTS (SELECT 1 FROM fingerprint WHERE case_id = new.case_id AND fingerprint <> new.fingerprint) BEGIN
  INSERT INTO backlog SELECT 'error', new.case_id
    WHERE NOT EXISTS (SELECT 1 FROM backlog WHERE kind = 'error' AND item_id = new.case_id);
END;
CREATE TRIGGER fingerprint_backlog_update AFTER UPDATE OF case_id, key_line ON fingerprint BEGIN
  INSERT INTO backlog SELECT 'error', id FROM error_kb WHERE id IN (old.case_id, new.case_id)
    AND NOT EXISTS (SELECT 1 FROM backlog WHERE kind = 'error' AND item_id = error_kb.id);
END;
CREATE TRIGGER fingerprint_backlog_delete AFTER DELETE ON fingerprint BEGIN
  INSERT INTO backlog SELECT 'error', id FROM error_kb WHERE id = old.case_id
    AND NOT EXISTS (SELECT 1 FROM backlog WHERE kind = 'error' AND item_id = error_kb.id);
END;
