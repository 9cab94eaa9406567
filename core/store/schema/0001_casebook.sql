-- The seed's table, with its own names, columns and meaning (error-kb REQ-RA-004). One row a case.
-- UNIQUE makes the index that the seed declares a second time.
CREATE TABLE error_kb (
  id               INTEGER PRIMARY KEY AUTOINCREMENT,
  ts               TEXT NOT NULL,
  error_normalized TEXT NOT NULL UNIQUE,
  error_raw        TEXT,
  resolution       TEXT,              -- mirrors the current resolution; NULL while nothing answers
  resolved_by      TEXT,
  tool_sequence    TEXT,              -- JSON array of tool names
  use_count        INTEGER DEFAULT 0,
  last_used        TEXT
);

-- Transcripts ---------------------------------------------------------------------------------------------------------

CREATE TABLE session (
  id         TEXT PRIMARY KEY,
  agent      TEXT NOT NULL,           -- claude-code, codex, plain
  project    TEXT NOT NULL DEFAULT '',
  started    TEXT NOT NULL DEFAULT '',
  parent     TEXT,                    -- the session a subagent belongs to
  continues  TEXT                     -- the session whose history a resumed one repeats
) STRICT;

CREATE TABLE message (
  id          INTEGER PRIMARY KEY,
  session_id  TEXT NOT NULL REFERENCES session(id),
  idx         INTEGER NOT NULL,       -- 0-based, append-only: the messageIndex of evidence
  role        TEXT NOT NULL,
  kind        TEXT NOT NULL,
  text        TEXT NOT NULL,          -- redacted, otherwise as recorded
  uuid        TEXT NOT NULL,
  block       INTEGER NOT NULL,
  ts          TEXT NOT NULL,
  sha256      TEXT NOT NULL,
  chain       TEXT NOT NULL DEFAULT 'main',
  meta        INTEGER NOT NULL DEFAULT 0,
  tool_use_id TEXT,
  UNIQUE (session_id, idx)
) STRICT;
CREATE UNIQUE INDEX message_uuid ON message(uuid, block) WHERE uuid <> '';

CREATE TABLE tool_call (
  session_id  TEXT NOT NULL REFERENCES session(id),
  tool_use_id TEXT NOT NULL,
  name        TEXT NOT NULL,
  input_json  TEXT NOT NULL,
  call_idx    INTEGER NOT NULL,
  result_idx  INTEGER,                -- NULL while no result was read
  failed      INTEGER NOT NULL DEFAULT 0,
  failure     TEXT NOT NULL DEFAULT 'none',
  exit_code   INTEGER,
  facts_json  TEXT NOT NULL DEFAULT '{}',
  chain       TEXT NOT NULL DEFAULT 'main',
  PRIMARY KEY (session_id, tool_use_id)
) STRICT;
CREATE INDEX tool_call_result ON tool_call(session_id, result_idx);

CREATE TABLE source_file (
  path       TEXT PRIMARY KEY,
  size       INTEGER NOT NULL,
  head_hash  TEXT NOT NULL,           -- sha256 of the first bytes: a rewritten file is read anew
  offset     INTEGER NOT NULL,        -- bytes read, up to the last whole line
  line       INTEGER NOT NULL,        -- lines read
  session_id TEXT
) STRICT, WITHOUT ROWID;

-- AUTOINCREMENT where the history keeps changes: an id that was undone is never given to another row.

-- Cases ---------------------------------------------------------------------------------------------------------------

CREATE TABLE case_key (
  error_normalized TEXT PRIMARY KEY,
  case_id          INTEGER NOT NULL REFERENCES error_kb(id)
) STRICT, WITHOUT ROWID;
CREATE INDEX case_key_case ON case_key(case_id);

CREATE TABLE fingerprint (
  fingerprint TEXT PRIMARY KEY,
  case_id     INTEGER NOT NULL REFERENCES error_kb(id),
  key_line    TEXT NOT NULL,
  tool        TEXT NOT NULL DEFAULT 'unknown',
  first_seen  TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX fingerprint_case ON fingerprint(case_id);

CREATE TABLE occurrence (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  fingerprint TEXT NOT NULL REFERENCES fingerprint(fingerprint),
  session_id  TEXT,                   -- NULL: recorded by hand or by a hook
  message_idx INTEGER,
  tool        TEXT,
  project     TEXT,
  ts          TEXT NOT NULL,
  raw         TEXT,                   -- only where no message holds it
  start       INTEGER,                -- the key line's span in the message, in code points
  end         INTEGER,
  UNIQUE (session_id, message_idx, fingerprint)
) STRICT;
CREATE INDEX occurrence_fingerprint ON occurrence(fingerprint, ts);

CREATE TABLE resolution (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  case_id       INTEGER NOT NULL REFERENCES error_kb(id),
  fingerprint   TEXT,                 -- NULL: the whole case
  text          TEXT NOT NULL,        -- Markdown, for people
  status        TEXT NOT NULL CHECK (status IN ('draft', 'verified', 'rejected')),
  resolved_by   TEXT,
  tool_sequence TEXT,                 -- JSON array of tool names
  author        TEXT NOT NULL,        -- harvest, import, record, or a person's name
  session_id    TEXT,
  message_ids   TEXT NOT NULL DEFAULT '[]',  -- JSON array of message indexes in that session
  supersedes    INTEGER,
  ts            TEXT NOT NULL,
  original      TEXT                  -- what an import could not keep as it was
) STRICT;
-- In the order in which a case's resolutions answer.
CREATE INDEX resolution_case ON resolution(case_id, (author = 'harvest' AND status = 'draft'), id DESC);
CREATE UNIQUE INDEX resolution_harvest ON resolution(session_id, fingerprint, message_ids) WHERE author = 'harvest';

-- Derived: kept on write, rebuilt from the tables above ------------------------------------------------------------------

CREATE TABLE case_state (
  case_id    INTEGER PRIMARY KEY,
  status     TEXT NOT NULL DEFAULT 'unresolved',  -- unresolved, draft, verified
  tool       TEXT NOT NULL DEFAULT 'unknown',
  project    TEXT NOT NULL DEFAULT '',
  seen       INTEGER NOT NULL DEFAULT 0,
  first_seen TEXT NOT NULL,
  last_seen  TEXT NOT NULL
) STRICT;
CREATE INDEX case_state_last ON case_state(last_seen, case_id);
CREATE INDEX case_state_seen ON case_state(seen, case_id);
CREATE INDEX case_state_first ON case_state(first_seen, case_id);
CREATE INDEX case_state_status ON case_state(status, last_seen, case_id);

-- The keys that can answer, by their first 30 code points: what the prefix tier walks.
CREATE TABLE answer_key (
  error_normalized TEXT PRIMARY KEY,
  case_id          INTEGER NOT NULL,
  prefix           TEXT NOT NULL,
  length           INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX answer_key_length ON answer_key(prefix, length);
CREATE INDEX answer_key_case ON answer_key(case_id);

-- A key belongs to the case that case_key names, else to the case that bears it. An undo applies rows table by table
-- in any order, so each trigger must bring answer_key to the same end.
CREATE TRIGGER error_kb_insert AFTER INSERT ON error_kb BEGIN
  INSERT OR IGNORE INTO case_state(case_id, status, first_seen, last_seen)
    VALUES (new.id, iif(trim(coalesce(new.resolution, '')) = '', 'unresolved', 'draft'), new.ts, new.ts);
  INSERT OR REPLACE INTO answer_key
    SELECT k, new.id, substr(k, 1, 30), length(k)
    FROM (
      SELECT new.error_normalized AS k
        WHERE NOT EXISTS (SELECT 1 FROM case_key WHERE error_normalized = new.error_normalized)
      UNION SELECT error_normalized FROM case_key WHERE case_id = new.id
    )
    WHERE trim(coalesce(new.resolution, '')) <> '';
END;
CREATE TRIGGER error_kb_update AFTER UPDATE OF resolution, error_normalized ON error_kb BEGIN
  DELETE FROM answer_key WHERE case_id = new.id;
  INSERT OR REPLACE INTO answer_key
    SELECT k, new.id, substr(k, 1, 30), length(k)
    FROM (
      SELECT new.error_normalized AS k
        WHERE NOT EXISTS (SELECT 1 FROM case_key WHERE error_normalized = new.error_normalized)
      UNION SELECT error_normalized FROM case_key WHERE case_id = new.id
    )
    WHERE trim(coalesce(new.resolution, '')) <> '';
END;
CREATE TRIGGER error_kb_delete AFTER DELETE ON error_kb BEGIN
  DELETE FROM answer_key WHERE case_id = old.id;
  DELETE FROM case_state WHERE case_id = old.id;
END;
CREATE TRIGGER case_key_insert AFTER INSERT ON case_key BEGIN
  DELETE FROM answer_key WHERE error_normalized = new.error_normalized;
  INSERT INTO answer_key
    SELECT new.error_normalized, new.case_id, substr(new.error_normalized, 1, 30), length(new.error_normalized)
    FROM error_kb WHERE id = new.case_id AND trim(coalesce(resolution, '')) <> '';
END;
CREATE TRIGGER case_key_update AFTER UPDATE ON case_key BEGIN
  DELETE FROM answer_key WHERE error_normalized IN (old.error_normalized, new.error_normalized);
  INSERT INTO answer_key
    SELECT error_normalized, id, substr(error_normalized, 1, 30), length(error_normalized)
    FROM error_kb WHERE error_normalized = old.error_normalized AND old.error_normalized <> new.error_normalized
      AND trim(coalesce(resolution, '')) <> '';
  INSERT INTO answer_key
    SELECT new.error_normalized, new.case_id, substr(new.error_normalized, 1, 30), length(new.error_normalized)
    FROM error_kb WHERE id = new.case_id AND trim(coalesce(resolution, '')) <> '';
END;
CREATE TRIGGER case_key_delete AFTER DELETE ON case_key BEGIN
  DELETE FROM answer_key WHERE error_normalized = old.error_normalized;
  INSERT INTO answer_key
    SELECT error_normalized, id, substr(error_normalized, 1, 30), length(error_normalized)
    FROM error_kb WHERE error_normalized = old.error_normalized AND trim(coalesce(resolution, '')) <> '';
END;

-- Browsing. Contentless: rowid is the case id; kept by code, because bigrams need it.
CREATE VIRTUAL TABLE case_fts USING fts5(
  key_line, raw, resolution, bigrams,
  content = '', contentless_delete = 1, prefix = '2 3', tokenize = 'unicode61 remove_diacritics 2'
);

-- Its words with the number of cases that have them: a view into case_fts that stores nothing.
CREATE VIRTUAL TABLE case_term USING fts5vocab('case_fts', 'row');

-- Vectors: the truth; vec0 tables and in-memory indexes are derived from it -----------------------------------------------

CREATE TABLE vector (
  kind     TEXT NOT NULL,             -- error, rule, chunk
  item_id  INTEGER NOT NULL,
  model    TEXT NOT NULL,
  recipe   TEXT NOT NULL,
  text_sha TEXT NOT NULL,
  dim      INTEGER NOT NULL,
  blob     BLOB NOT NULL,             -- little-endian float32, unit length
  PRIMARY KEY (kind, item_id, model, recipe)
) STRICT, WITHOUT ROWID;

-- Evidence and rules --------------------------------------------------------------------------------------------------

CREATE TABLE entry (
  id         TEXT PRIMARY KEY,
  session_id TEXT REFERENCES session(id),
  type       TEXT NOT NULL,
  title      TEXT NOT NULL,
  stage      TEXT NOT NULL DEFAULT 'candidate' CHECK (stage IN ('candidate', 'verified')),
  created    TEXT NOT NULL,
  updated    TEXT NOT NULL
) STRICT;
CREATE TABLE evidence (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  entry_id      TEXT NOT NULL REFERENCES entry(id),
  position      INTEGER NOT NULL,
  message_index INTEGER NOT NULL,
  quote         TEXT NOT NULL,
  quote_hash    TEXT NOT NULL,
  UNIQUE (entry_id, position)
) STRICT;
CREATE TABLE alignment (
  evidence_id INTEGER PRIMARY KEY REFERENCES evidence(id),
  status      TEXT NOT NULL CHECK (status IN ('aligned', 'flagged', 'ambiguous', 'failed')),
  method      TEXT NOT NULL CHECK (method IN ('exact', 'normalized', 'fuzzy', 'none')),
  confidence  REAL NOT NULL,
  body        TEXT NOT NULL,          -- JSON: spans, reasons, near misses, trace
  decided_by  TEXT,
  decided_at  TEXT
) STRICT;
CREATE TABLE event (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  ts              TEXT NOT NULL,
  type            TEXT NOT NULL,
  session_id      TEXT,
  source_event_id INTEGER,
  body            TEXT NOT NULL
) STRICT;
CREATE TRIGGER event_no_update BEFORE UPDATE ON event BEGIN SELECT raise(ABORT, 'events are append-only'); END;
CREATE TRIGGER event_no_delete BEFORE DELETE ON event BEGIN SELECT raise(ABORT, 'events are append-only'); END;

CREATE TABLE rule (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  path         TEXT NOT NULL,
  rule_id      TEXT NOT NULL,
  title        TEXT NOT NULL,
  body         TEXT NOT NULL,         -- JSON: problem, root cause, solution, prevention, …
  content_hash TEXT NOT NULL,
  UNIQUE (path, rule_id)
) STRICT;

-- Long runs, history, settings of this file ---------------------------------------------------------------------------

CREATE TABLE jobs (
  id       INTEGER PRIMARY KEY,
  kind     TEXT NOT NULL,
  status   TEXT NOT NULL CHECK (status IN ('pending', 'running', 'succeeded', 'failed', 'canceled')),
  done     INTEGER NOT NULL DEFAULT 0,
  total    INTEGER,
  detail   TEXT NOT NULL DEFAULT '',
  error    TEXT,
  pid      INTEGER,
  lease    REAL,                      -- Unix time at which another process may take it over
  started  TEXT NOT NULL,
  updated  TEXT NOT NULL
) STRICT;
CREATE INDEX jobs_status ON jobs(status, id);

CREATE TABLE journal (
  id        INTEGER PRIMARY KEY AUTOINCREMENT,
  ts        TEXT NOT NULL,
  actor     TEXT NOT NULL,
  title     TEXT NOT NULL,
  changeset BLOB NOT NULL,
  undoes    INTEGER REFERENCES journal(id),
  undone_by INTEGER REFERENCES journal(id)
) STRICT;

CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
