-- Curation: what people decide about fixes and cases.

ALTER TABLE resolution ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';    -- JSON array
ALTER TABLE resolution ADD COLUMN reason TEXT NOT NULL DEFAULT '';    -- why it was rejected
-- A person wrote another one in its place: it stays in the history and answers no more.
ALTER TABLE resolution ADD COLUMN replaced_by INTEGER;

-- Cases that are no errors worth a fix: out of the queue, and they answer nothing.
CREATE TABLE noise (
  case_id INTEGER PRIMARY KEY REFERENCES error_kb(id),
  reason  TEXT NOT NULL DEFAULT '',
  author  TEXT NOT NULL,
  ts      TEXT NOT NULL
) STRICT;

-- Where a case went that was merged into another.
CREATE TABLE merged (
  case_id INTEGER PRIMARY KEY,
  into_id INTEGER NOT NULL REFERENCES error_kb(id),
  ts      TEXT NOT NULL
) STRICT;
CREATE INDEX merged_into ON merged(into_id);

-- What a change in the journal is about: a table and the key of its row (`error_kb`: a case).
CREATE TABLE journal_subject (
  kind       TEXT NOT NULL,
  item       ANY NOT NULL,
  journal_id INTEGER NOT NULL,
  PRIMARY KEY (kind, item, journal_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX journal_subject_of ON journal_subject(journal_id);

-- The triage queue, most frequent and then most recent first.
CREATE INDEX case_state_triage ON case_state(seen, last_seen, case_id) WHERE status IN ('unresolved', 'draft');
