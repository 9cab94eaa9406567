-- Evidence: what people decide about quotes, and the review queue.

ALTER TABLE evidence ADD COLUMN original TEXT;            -- as it was extracted, where a person took other words
ALTER TABLE alignment ADD COLUMN near INTEGER NOT NULL DEFAULT 0;  -- 1: failed, with a place that nearly matched
-- What a person decided stands in columns of its own: aligning again changes none of them.
ALTER TABLE alignment ADD COLUMN verdict TEXT CHECK (verdict IN ('accepted', 'rejected'));
ALTER TABLE alignment ADD COLUMN decision TEXT;           -- JSON: act, spans, words, reason
-- Where the accepted words stand now (JSON spans), if not where they were accepted; '': nowhere any more.
ALTER TABLE alignment ADD COLUMN anchor TEXT;

CREATE INDEX entry_session ON entry(session_id, id);
CREATE INDEX entry_stage ON entry(stage, id);
CREATE INDEX event_session ON event(session_id, type, id);

-- Derived: kept by triggers, so that whoever writes, an undo included, leaves them right -----------------------------

-- One row a quote. `state`: aligned, flagged, ambiguous, near (failed, with a near miss), failed, waiting (not aligned
-- yet), accepted, rejected.
CREATE TABLE review (
  evidence_id INTEGER PRIMARY KEY,
  session_id  TEXT NOT NULL,
  type        TEXT NOT NULL,
  state       TEXT NOT NULL
) STRICT;
CREATE INDEX review_state ON review(state, evidence_id);
CREATE INDEX review_session ON review(session_id, state, evidence_id);
CREATE INDEX review_type ON review(type, state, evidence_id);
CREATE INDEX review_both ON review(session_id, type, state, evidence_id);

CREATE TABLE review_count (
  session_id TEXT NOT NULL,
  type       TEXT NOT NULL,
  state      TEXT NOT NULL,
  quotes     INTEGER NOT NULL,
  PRIMARY KEY (session_id, type, state)
) STRICT, WITHOUT ROWID;

-- How many messages a session had when its quotes were last aligned.
CREATE TABLE evidence_session (session_id TEXT PRIMARY KEY, messages INTEGER NOT NULL) STRICT, WITHOUT ROWID;

CREATE TRIGGER review_insert AFTER INSERT ON review BEGIN
  INSERT INTO review_count VALUES (new.session_id, new.type, new.state, 1)
    ON CONFLICT DO UPDATE SET quotes = quotes + 1;
END;
CREATE TRIGGER review_update AFTER UPDATE ON review
WHEN (old.session_id, old.type, old.state) <> (new.session_id, new.type, new.state) BEGIN
  UPDATE review_count SET quotes = quotes - 1
    WHERE session_id = old.session_id AND type = old.type AND state = old.state;
  DELETE FROM review_count WHERE session_id = old.session_id AND type = old.type AND state = old.state AND quotes < 1;
  INSERT INTO review_count VALUES (new.session_id, new.type, new.state, 1)
    ON CONFLICT DO UPDATE SET quotes = quotes + 1;
END;
CREATE TRIGGER review_delete AFTER DELETE ON review BEGIN
  UPDATE review_count SET quotes = quotes - 1
    WHERE session_id = old.session_id AND type = old.type AND state = old.state;
  DELETE FROM review_count WHERE session_id = old.session_id AND type = old.type AND state = old.state AND quotes < 1;
END;

CREATE TRIGGER evidence_review_insert AFTER INSERT ON evidence BEGIN
  INSERT OR IGNORE INTO review SELECT new.id, coalesce(max(e.session_id), ''), coalesce(max(e.type), ''), 'waiting'
    FROM entry e WHERE e.id = new.entry_id;
END;
CREATE TRIGGER evidence_review_delete AFTER DELETE ON evidence BEGIN
  DELETE FROM review WHERE evidence_id = old.id;
END;
CREATE TRIGGER alignment_review_insert AFTER INSERT ON alignment BEGIN
  UPDATE review SET state = CASE
    WHEN new.verdict = 'rejected' THEN 'rejected'
    WHEN new.verdict = 'accepted' AND new.anchor IS NOT '' THEN 'accepted'
    WHEN new.status = 'failed' AND new.near THEN 'near'
    ELSE new.status END
  WHERE evidence_id = new.evidence_id;
END;
CREATE TRIGGER alignment_review_update AFTER UPDATE ON alignment BEGIN
  UPDATE review SET state = CASE
    WHEN new.verdict = 'rejected' THEN 'rejected'
    WHEN new.verdict = 'accepted' AND new.anchor IS NOT '' THEN 'accepted'
    WHEN new.status = 'failed' AND new.near THEN 'near'
    ELSE new.status END
  WHERE evidence_id = new.evidence_id;
END;
CREATE TRIGGER alignment_review_delete AFTER DELETE ON alignment BEGIN
  UPDATE review SET state = 'waiting' WHERE evidence_id = old.evidence_id;
END;

INSERT INTO review SELECT v.id, coalesce(e.session_id, ''), e.type, coalesce(a.status, 'waiting')
  FROM evidence v JOIN entry e ON e.id = v.entry_id LEFT JOIN alignment a ON a.evidence_id = v.id;
