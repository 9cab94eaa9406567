-- Rules of memory files: their vectors wait like those of errors, files are known by what was read, and uses count.

-- `rule_id` is the id as written, with `#1`, `#2`, … where it comes again in the same file.
CREATE TABLE rule_file (
  path     TEXT PRIMARY KEY,
  size     INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  sha256   TEXT NOT NULL,
  looked   REAL NOT NULL              -- Unix time at which its bytes were last read
) STRICT, WITHOUT ROWID;

CREATE TABLE rule_use (
  path      TEXT NOT NULL,
  rule_id   TEXT NOT NULL,
  shown     INTEGER NOT NULL DEFAULT 0,
  helped    INTEGER NOT NULL DEFAULT 0,
  dismissed INTEGER NOT NULL DEFAULT 0,
  last      TEXT NOT NULL,
  PRIMARY KEY (path, rule_id)
) STRICT, WITHOUT ROWID;

INSERT INTO backlog SELECT 'rule', id FROM rule
  WHERE NOT EXISTS (SELECT 1 FROM backlog WHERE kind = 'rule' AND item_id = rule.id);

CREATE TRIGGER rule_backlog_insert AFTER INSERT ON rule BEGIN
  INSERT INTO backlog SELECT 'rule', new.id
    WHERE NOT EXISTS (SELECT 1 FROM backlog WHERE kind = 'rule' AND item_id = new.id);
END;
CREATE TRIGGER rule_backlog_update AFTER UPDATE OF body, title, rule_id ON rule
WHEN old.content_hash <> new.content_hash BEGIN
  INSERT INTO backlog SELECT 'rule', new.id
    WHERE NOT EXISTS (SELECT 1 FROM backlog WHERE kind = 'rule' AND item_id = new.id);
END;
CREATE TRIGGER rule_backlog_delete AFTER DELETE ON rule BEGIN
  DELETE FROM backlog WHERE kind = 'rule' AND item_id = old.id;
  INSERT INTO backlog SELECT 'rule', old.id
    WHERE EXISTS (SELECT 1 FROM vector WHERE kind = 'rule' AND item_id = old.id);
  DELETE FROM vector WHERE kind = 'rule' AND item_id = old.id;
  DELETE FROM embed_failure WHERE kind = 'rule' AND item_id = old.id;
END;
