PRAGMA application_id = 1129529931;

PRAGMA user_version = 18;

CREATE INDEX answer_key_case ON answer_key(case_id);

CREATE INDEX answer_key_length ON answer_key(prefix, length);

CREATE INDEX answer_outcome_fingerprint ON answer_outcome(fingerprint, told_at) WHERE fingerprint <> '';

CREATE INDEX answer_outcome_resolution ON answer_outcome(resolution_id, outcome);

CREATE INDEX answer_outcome_session ON answer_outcome(session_id, outcome) WHERE session_id IS NOT NULL;

CREATE INDEX before_run_program ON before_run(program, key);

CREATE INDEX case_key_case ON case_key(case_id);

CREATE INDEX case_state_first ON case_state(first_seen, case_id);

CREATE INDEX case_state_last ON case_state(last_seen, case_id);

CREATE INDEX case_state_part ON case_state(queue_case) WHERE queue_case IS NOT NULL;

CREATE INDEX case_state_seen ON case_state(seen, case_id);

CREATE INDEX case_state_status ON case_state(status, last_seen, case_id);

CREATE INDEX case_state_triage ON case_state(sessions, offer, seconds, seen, last_seen, case_id)
  WHERE status IN ('unresolved', 'draft') AND queued = 1;

CREATE INDEX citation_of ON citation(cited_by, item_id);

CREATE INDEX citation_path ON citation(workspace_path);

CREATE INDEX correction_draft ON correction(draft_id) WHERE draft_id IS NOT NULL;

CREATE INDEX derivation_cache_used ON derivation_cache(last_used);

CREATE INDEX entry_session ON entry(session_id, id);

CREATE INDEX entry_stage ON entry(stage, id);

CREATE INDEX event_session ON event(session_id, type, id);

CREATE INDEX fingerprint_case ON fingerprint(case_id);

CREATE INDEX fingerprint_missed ON fingerprint(case_id) WHERE missed IS NOT NULL;

CREATE INDEX hook_event_session ON hook_event(session_id, id);

CREATE INDEX hook_event_ts ON hook_event(ts);

CREATE INDEX idx_answers_created_at ON answers(created_at);

CREATE INDEX idx_answers_grounded ON answers(grounded);

CREATE INDEX idx_asset_paths_asset ON asset_paths(asset_id);

CREATE INDEX idx_asset_paths_source ON asset_paths(source_id, workspace_path);

CREATE INDEX idx_assets_media_type ON assets(media_type);

CREATE INDEX idx_assets_workspace_path ON assets(workspace_path);

CREATE INDEX idx_chat_turns_session ON chat_turns(session_id, turn_index);

CREATE INDEX idx_chunks_chunker_version ON chunks(chunker_version);

CREATE INDEX idx_chunks_doc_id ON chunks(doc_id, position);

CREATE INDEX idx_docs_asset ON documents(asset_id);

CREATE INDEX idx_docs_lang ON documents(lang);

CREATE INDEX idx_docs_source ON documents(source_id, workspace_path);

CREATE INDEX idx_docs_source_type ON documents(source_type);

CREATE UNIQUE INDEX idx_docs_workspace_path ON documents(workspace_path);

CREATE INDEX idx_document_tags_tag ON document_tags(tag, doc_id);

CREATE INDEX jobs_status ON jobs(status, id);

CREATE INDEX journal_subject_of ON journal_subject(journal_id);

CREATE INDEX merged_into ON merged(into_id);

CREATE UNIQUE INDEX message_uuid ON message(uuid, block) WHERE uuid <> '';

CREATE INDEX occurrence_fingerprint ON occurrence(fingerprint, ts);

CREATE INDEX practice_finding_name ON practice_finding(kind, tool, name);

CREATE INDEX project_name_shown ON project_name(repository) WHERE shown = 1;

CREATE INDEX provenance_events_path ON provenance_events(workspace_path, id);

CREATE INDEX resolution_case ON resolution(case_id, (author = 'harvest' AND status = 'draft'), id DESC);

CREATE INDEX resolution_do ON resolution(iif(json_valid(lesson), json_extract(lesson, '$.do.text'), NULL))
  WHERE lesson IS NOT NULL;

CREATE UNIQUE INDEX resolution_harvest ON resolution(session_id, fingerprint, message_ids) WHERE author = 'harvest';

CREATE INDEX resolution_team ON resolution(iif(json_valid(original), json_extract(original, '$.team.id'), NULL))
  WHERE author = 'team';

CREATE INDEX result_verdict_finding ON result_verdict(CAST(fingerprints ->> 0 AS TEXT), ts)
  WHERE verdict = 'incident' AND repeats IS NULL;

CREATE INDEX result_verdict_slip ON result_verdict(slip, session_id) WHERE slip <> '';

CREATE INDEX review_both ON review(session_id, type, state, evidence_id);

CREATE INDEX review_session ON review(session_id, state, evidence_id);

CREATE INDEX review_state ON review(state, evidence_id);

CREATE INDEX review_type ON review(type, state, evidence_id);

CREATE INDEX team_lesson_waits ON team_lesson(repository, decided_by, lesson) WHERE waits;

CREATE INDEX team_outbox_lesson ON team_outbox(repository, lesson, number);

CREATE INDEX team_outbox_waits ON team_outbox(number) WHERE NOT sent;

CREATE INDEX tool_call_result ON tool_call(session_id, result_idx);

CREATE INDEX vector_bits_of ON vector_bits(kind, model, recipe, id, count);

CREATE INDEX vector_text ON vector(text_sha);

CREATE TABLE alignment (
  evidence_id INTEGER PRIMARY KEY REFERENCES evidence(id),
  status      TEXT NOT NULL CHECK (status IN ('aligned', 'flagged', 'ambiguous', 'failed')),
  method      TEXT NOT NULL CHECK (method IN ('exact', 'normalized', 'fuzzy', 'none')),
  confidence  REAL NOT NULL,
  body        TEXT NOT NULL,          -- JSON: spans, reasons, near misses, trace
  decided_by  TEXT,
  decided_at  TEXT
, near INTEGER NOT NULL DEFAULT 0, verdict TEXT CHECK (verdict IN ('accepted', 'rejected')), decision TEXT, anchor TEXT) STRICT;

CREATE TABLE answer_key (
  error_normalized TEXT PRIMARY KEY,
  case_id          INTEGER NOT NULL,
  prefix           TEXT NOT NULL,
  length           INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE answer_outcome (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  resolution_id INTEGER NOT NULL,
  fingerprint   TEXT NOT NULL DEFAULT '',
  via           TEXT NOT NULL,        -- hook, before_run, search, mcp, workbench
  session_id    TEXT,                 -- NULL: asked outside a session
  repository    TEXT NOT NULL DEFAULT '',  -- else the folder; the scope in which a fix falls silent
  version       TEXT NOT NULL DEFAULT '',  -- digest of the fix's text and status when it was told
  told_at       TEXT NOT NULL,
  withheld      INTEGER NOT NULL DEFAULT 0,  -- held back, to compare with
  outcome       TEXT NOT NULL DEFAULT 'open',  -- open, helped, failed_again, ignored
  performed     INTEGER NOT NULL DEFAULT 0,
  settled_at    TEXT
) STRICT;

CREATE TABLE answers (
  trace_id                TEXT PRIMARY KEY NOT NULL,
  query                   TEXT NOT NULL,
  answer                  TEXT NOT NULL,
  grounded                INTEGER NOT NULL,
  refusal_reason          TEXT,
  model_id                TEXT NOT NULL,
  model_provider          TEXT NOT NULL,
  embedding_model_id      TEXT,
  embedding_dimensions    INTEGER,
  prompt_template_version TEXT NOT NULL,
  retrieval_mode          TEXT NOT NULL,
  retrieval_k             INTEGER NOT NULL,
  score_gate              REAL NOT NULL,
  top_score               REAL NOT NULL,
  chunks_returned         INTEGER NOT NULL,
  chunks_used             INTEGER NOT NULL,
  citations_json          TEXT NOT NULL,
  packed_chunks_json      TEXT,
  prompt_tokens           INTEGER,
  completion_tokens       INTEGER,
  latency_ms              INTEGER,
  created_at              TEXT NOT NULL,
  conversation_id         TEXT,
  turn_index              INTEGER,
  answer_json             TEXT NOT NULL
) STRICT;

CREATE TABLE asset_paths (
  workspace_path TEXT PRIMARY KEY,
  asset_id       TEXT NOT NULL REFERENCES assets(asset_id) ON DELETE RESTRICT,
  source_id      TEXT NOT NULL REFERENCES sources(source_id) ON DELETE RESTRICT,
  size           INTEGER NOT NULL,
  mtime_ns       INTEGER NOT NULL,
  looked         REAL NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE assets (
  asset_id       TEXT PRIMARY KEY,
  source_uri     TEXT NOT NULL,
  workspace_path TEXT NOT NULL,
  media_type     TEXT NOT NULL,
  byte_len       INTEGER NOT NULL,
  checksum       TEXT NOT NULL,       -- blake3 of the bytes, whole
  storage_kind   TEXT NOT NULL CHECK (storage_kind IN ('copied', 'reference')),
  storage_path   TEXT NOT NULL,
  discovered_at  TEXT NOT NULL
) STRICT;

CREATE TABLE backlog (
  kind    TEXT NOT NULL,
  item_id INTEGER NOT NULL,
  PRIMARY KEY (kind, item_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE backlog_size (kind TEXT PRIMARY KEY, waiting INTEGER NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE before_run (
  harvest     TEXT NOT NULL,
  program     TEXT NOT NULL,
  key         TEXT NOT NULL,          -- subcommand, option and word that the error named; '': the program is missing
  session_id  TEXT NOT NULL,
  message_idx INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  fix_session TEXT NOT NULL,
  message_ids TEXT NOT NULL,
  worth       TEXT NOT NULL,          -- general, project
  lack_tool   TEXT NOT NULL,          -- only where the environment lacks this, as in practice_finding; '' else
  lack_name   TEXT NOT NULL,
  failed      TEXT NOT NULL,          -- the failing command
  said        TEXT NOT NULL,          -- its key line
  passed      TEXT NOT NULL,          -- the command that passed
  PRIMARY KEY (harvest, program, key, session_id, message_idx, fingerprint)
) STRICT, WITHOUT ROWID;

CREATE TABLE blocks (
  block_id          TEXT NOT NULL,
  doc_id            TEXT NOT NULL REFERENCES documents(doc_id) ON DELETE CASCADE ON UPDATE CASCADE,
  kind              TEXT NOT NULL,
  heading_path_json TEXT NOT NULL,
  ordinal           INTEGER NOT NULL, -- among the blocks of its kind under its heading
  source_span_json  TEXT NOT NULL,
  payload_json      TEXT NOT NULL,    -- what its kind has beside its text, which the chunks hold
  -- added
  position          INTEGER NOT NULL, -- in the document
  PRIMARY KEY (doc_id, position)
) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE case_fts USING fts5(
  key_line, raw, resolution, bigrams,
  content = '', contentless_delete = 1, prefix = '2 3', tokenize = 'unicode61 remove_diacritics 2'
);

CREATE TABLE 'case_fts_config'(k PRIMARY KEY, v) WITHOUT ROWID;

CREATE TABLE 'case_fts_data'(id INTEGER PRIMARY KEY, block BLOB);

CREATE TABLE 'case_fts_docsize'(id INTEGER PRIMARY KEY, sz BLOB, origin INTEGER);

CREATE TABLE 'case_fts_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;

CREATE TABLE case_key (
  error_normalized TEXT PRIMARY KEY,
  case_id          INTEGER NOT NULL REFERENCES error_kb(id)
) STRICT, WITHOUT ROWID;

CREATE TABLE case_state (
  case_id    INTEGER PRIMARY KEY,
  status     TEXT NOT NULL DEFAULT 'unresolved',  -- unresolved, draft, verified
  tool       TEXT NOT NULL DEFAULT 'unknown',
  project    TEXT NOT NULL DEFAULT '',
  seen       INTEGER NOT NULL DEFAULT 0,
  first_seen TEXT NOT NULL,
  last_seen  TEXT NOT NULL
, repository TEXT NOT NULL DEFAULT '', worth TEXT NOT NULL DEFAULT '', sessions INTEGER NOT NULL DEFAULT 0, seconds REAL NOT NULL DEFAULT 0, queue_case INTEGER, queued INTEGER NOT NULL DEFAULT 1, offer INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE VIRTUAL TABLE case_term USING fts5vocab('case_fts', 'row');

CREATE TABLE chat_sessions (
  session_id           TEXT PRIMARY KEY NOT NULL,
  created_at           TEXT NOT NULL,
  updated_at           TEXT NOT NULL,
  title                TEXT,             -- the beginning of its first question
  config_snapshot_json TEXT NOT NULL     -- template and model it was begun with
) STRICT;

CREATE TABLE chat_turns (
  turn_id        TEXT PRIMARY KEY NOT NULL,   -- blake3 of session and turn
  session_id     TEXT NOT NULL REFERENCES chat_sessions(session_id) ON DELETE CASCADE,
  turn_index     INTEGER NOT NULL,            -- from 0
  question       TEXT NOT NULL,
  answer         TEXT NOT NULL,
  citations_json TEXT NOT NULL,
  created_at     TEXT NOT NULL,
  UNIQUE (session_id, turn_index)
) STRICT;

CREATE TABLE chunks (
  id                INTEGER PRIMARY KEY AUTOINCREMENT,   -- added
  chunk_id          TEXT NOT NULL UNIQUE,
  doc_id            TEXT NOT NULL REFERENCES documents(doc_id) ON DELETE CASCADE ON UPDATE CASCADE,
  text              TEXT NOT NULL,
  heading_path_json TEXT NOT NULL,
  section_label     TEXT,
  source_spans_json TEXT NOT NULL,
  token_estimate    INTEGER NOT NULL,
  chunker_version   TEXT NOT NULL,
  policy_hash       TEXT NOT NULL,
  block_ids_json    TEXT NOT NULL,
  created_at        TEXT NOT NULL,
  -- added
  position          INTEGER NOT NULL, -- in the document, from 0
  line_start        INTEGER,          -- 1-based and inclusive, in the file as it was read; NULL where it has no lines
  line_end          INTEGER
) STRICT;

CREATE VIRTUAL TABLE chunks_fts USING fts5(
  heading_path, text, bigrams,
  content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);

CREATE TABLE 'chunks_fts_config'(k PRIMARY KEY, v) WITHOUT ROWID;

CREATE TABLE 'chunks_fts_data'(id INTEGER PRIMARY KEY, block BLOB);

CREATE TABLE 'chunks_fts_docsize'(id INTEGER PRIMARY KEY, sz BLOB, origin INTEGER);

CREATE TABLE 'chunks_fts_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;

CREATE TABLE citation (
  id                INTEGER PRIMARY KEY AUTOINCREMENT,
  cited_by          TEXT NOT NULL,    -- resolution, entry, note
  item_id           TEXT NOT NULL,
  workspace_path    TEXT NOT NULL,
  uri               TEXT NOT NULL,    -- as it was when it was cited
  quote             TEXT NOT NULL,
  prefix            TEXT NOT NULL DEFAULT '',
  suffix            TEXT NOT NULL DEFAULT '',
  heading_path_json TEXT NOT NULL DEFAULT '[]',
  author            TEXT NOT NULL,
  ts                TEXT NOT NULL
) STRICT;

CREATE TABLE correction (
  session_id  TEXT NOT NULL REFERENCES session(id),
  message_idx INTEGER NOT NULL,
  span_start  INTEGER NOT NULL,       -- of the quote in the message, in code points
  span_end    INTEGER NOT NULL,
  quote       TEXT NOT NULL,
  call_json   TEXT NOT NULL,          -- the call: {"id", "tool", "input"}
  norm        TEXT NOT NULL,          -- the form of norm it has; '': an order of the moment
  ts          TEXT NOT NULL,
  draft_id    INTEGER,                -- the draft rule it is evidence of
  PRIMARY KEY (session_id, message_idx, span_start)
) STRICT, WITHOUT ROWID;

CREATE TABLE derivation_cache (
  key       TEXT PRIMARY KEY,
  kind      TEXT NOT NULL,
  payload   BLOB NOT NULL,
  created   TEXT NOT NULL,
  last_used TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE document_tags (
  doc_id TEXT NOT NULL REFERENCES documents(doc_id) ON DELETE CASCADE ON UPDATE CASCADE,
  tag    TEXT NOT NULL,
  PRIMARY KEY (doc_id, tag)
) STRICT, WITHOUT ROWID;

CREATE TABLE documents (
  doc_id          TEXT PRIMARY KEY,
  asset_id        TEXT NOT NULL REFERENCES assets(asset_id) ON DELETE RESTRICT,
  workspace_path  TEXT NOT NULL,
  title           TEXT,
  lang            TEXT,               -- ko, en, und, or what the document says
  source_type     TEXT NOT NULL,
  trust_level     TEXT NOT NULL,
  parser_version  TEXT NOT NULL,
  doc_version     INTEGER NOT NULL,   -- 1, and one more each time the document at this path changes
  schema_version  INTEGER NOT NULL,
  metadata_json   TEXT NOT NULL,
  provenance_json TEXT NOT NULL,      -- {"events": [{at, agent, kind, note}]} of this version
  created_at      TEXT NOT NULL,
  updated_at      TEXT NOT NULL,
  -- added
  source_id       TEXT NOT NULL REFERENCES sources(source_id) ON DELETE RESTRICT,
  media_type      TEXT NOT NULL,
  code_lang       TEXT,
  repo            TEXT,
  byte_len        INTEGER NOT NULL,
  block_count     INTEGER NOT NULL,
  chunk_count     INTEGER NOT NULL,
  chunker_version TEXT NOT NULL,
  policy_hash     TEXT NOT NULL,
  signature       TEXT NOT NULL,      -- hash of every version and setting that shaped the rows of this document
  indexed_at      TEXT NOT NULL
) STRICT;

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

CREATE TABLE entry (
  id         TEXT PRIMARY KEY,
  session_id TEXT REFERENCES session(id),
  type       TEXT NOT NULL,
  title      TEXT NOT NULL,
  stage      TEXT NOT NULL DEFAULT 'candidate' CHECK (stage IN ('candidate', 'verified')),
  created    TEXT NOT NULL,
  updated    TEXT NOT NULL
) STRICT;

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

CREATE TABLE eval_query_results (
  run_id      TEXT NOT NULL REFERENCES eval_runs(run_id) ON DELETE CASCADE,
  query_id    TEXT NOT NULL,
  result_json TEXT NOT NULL,
  PRIMARY KEY (run_id, query_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE eval_runs (
  run_id               TEXT PRIMARY KEY,
  suite                TEXT NOT NULL,
  config_snapshot_json TEXT NOT NULL,
  aggregate_json       TEXT NOT NULL,
  commit_hash          TEXT,
  created_at           TEXT NOT NULL
) STRICT;

CREATE TABLE event (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  ts              TEXT NOT NULL,
  type            TEXT NOT NULL,
  session_id      TEXT,
  source_event_id INTEGER,
  body            TEXT NOT NULL
) STRICT;

CREATE TABLE evidence (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  entry_id      TEXT NOT NULL REFERENCES entry(id),
  position      INTEGER NOT NULL,
  message_index INTEGER NOT NULL,
  quote         TEXT NOT NULL,
  quote_hash    TEXT NOT NULL, original TEXT,
  UNIQUE (entry_id, position)
) STRICT;

CREATE TABLE evidence_session (session_id TEXT PRIMARY KEY, messages INTEGER NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE fingerprint (
  fingerprint TEXT PRIMARY KEY,
  case_id     INTEGER NOT NULL REFERENCES error_kb(id),
  key_line    TEXT NOT NULL,
  tool        TEXT NOT NULL DEFAULT 'unknown',
  first_seen  TEXT NOT NULL
, missed TEXT) STRICT, WITHOUT ROWID;

CREATE TABLE hook_event (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL,
  ts         TEXT NOT NULL,
  body       TEXT NOT NULL              -- JSON: the tool call and what it answered, redacted
) STRICT;

CREATE TABLE ingest_runs (
  run_id        TEXT PRIMARY KEY,
  scope_json    TEXT NOT NULL,
  scanned       INTEGER NOT NULL,
  new_count     INTEGER NOT NULL,
  updated_count INTEGER NOT NULL,
  skipped_count INTEGER NOT NULL,
  error_count   INTEGER NOT NULL,
  duration_ms   INTEGER NOT NULL,
  started_at    TEXT NOT NULL,
  finished_at   TEXT NOT NULL,
  items_json    TEXT,
  -- added
  outcome       TEXT NOT NULL,        -- completed, aborted
  report_json   TEXT NOT NULL         -- ingest_report.v1 without its items
) STRICT;

CREATE TABLE insight_answer (
  week         TEXT NOT NULL,
  project      TEXT NOT NULL,
  via          TEXT NOT NULL,
  told         INTEGER NOT NULL,
  withheld     INTEGER NOT NULL,
  helped       INTEGER NOT NULL,
  failed_again INTEGER NOT NULL,
  ignored      INTEGER NOT NULL,
  PRIMARY KEY (week, project, via)
) STRICT, WITHOUT ROWID;

CREATE TABLE insight_finding (
  fingerprint  TEXT NOT NULL,
  week         TEXT NOT NULL,
  project      TEXT NOT NULL,
  incidents    INTEGER NOT NULL,
  attempts     INTEGER NOT NULL,
  messages     INTEGER NOT NULL,
  milliseconds INTEGER NOT NULL,
  PRIMARY KEY (fingerprint, week, project)
) STRICT, WITHOUT ROWID;

CREATE TABLE insight_session (
  fingerprint TEXT NOT NULL,
  session_id  TEXT NOT NULL,
  week        TEXT NOT NULL,
  project     TEXT NOT NULL,
  incidents   INTEGER NOT NULL,
  PRIMARY KEY (fingerprint, session_id, week, project)
) STRICT, WITHOUT ROWID;

CREATE TABLE insight_week (
  week         TEXT NOT NULL,
  program      TEXT NOT NULL,
  project      TEXT NOT NULL,
  failures     INTEGER NOT NULL,      -- results that show a failure
  incidents    INTEGER NOT NULL,
  attempts     INTEGER NOT NULL,
  messages     INTEGER NOT NULL,
  milliseconds INTEGER NOT NULL,
  PRIMARY KEY (week, program, project)
) STRICT, WITHOUT ROWID;

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

CREATE TABLE journal (
  id        INTEGER PRIMARY KEY AUTOINCREMENT,
  ts        TEXT NOT NULL,
  actor     TEXT NOT NULL,
  title     TEXT NOT NULL,
  changeset BLOB NOT NULL,
  undoes    INTEGER REFERENCES journal(id),
  undone_by INTEGER REFERENCES journal(id)
) STRICT;

CREATE TABLE journal_subject (
  kind       TEXT NOT NULL,
  item       ANY NOT NULL,
  journal_id INTEGER NOT NULL,
  PRIMARY KEY (kind, item, journal_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE kv (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE merged (
  case_id INTEGER PRIMARY KEY,
  into_id INTEGER NOT NULL REFERENCES error_kb(id),
  ts      TEXT NOT NULL
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

CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE noise (
  case_id INTEGER PRIMARY KEY REFERENCES error_kb(id),
  reason  TEXT NOT NULL DEFAULT '',
  author  TEXT NOT NULL,
  ts      TEXT NOT NULL
) STRICT;

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

CREATE TABLE practice_finding (
  harvest     TEXT NOT NULL,          -- the session that was harvested
  session_id  TEXT NOT NULL,          -- the finding: its session, message and fingerprint
  message_idx INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  kind        TEXT NOT NULL,          -- rule, lack
  tool        TEXT NOT NULL,          -- the checker; of a lack: program, module, network, service, signing, lock, …
  name        TEXT NOT NULL,          -- the rule or code; what is lacking
  how         TEXT NOT NULL,          -- suppressed, edited, removed, configured, …; of a lack: worked instead, open
  shown       TEXT NOT NULL,          -- the comment, the command or the line that did it
  names       TEXT NOT NULL,          -- JSON array: identifiers that the edit brought in
  fix_session TEXT,                   -- its harvested fix, as in `resolution`
  message_ids TEXT NOT NULL DEFAULT '[]',
  ts          TEXT NOT NULL,
  PRIMARY KEY (harvest, session_id, message_idx, fingerprint, kind, tool, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE project_folder (
  folder TEXT PRIMARY KEY,
  remote TEXT NOT NULL,
  root   TEXT NOT NULL                -- the repository's folder; of a folder without one the folder
) STRICT, WITHOUT ROWID;

CREATE TABLE project_name (
  name       TEXT NOT NULL,           -- name, owner/name, host/owner/name, and the folders of sessions
  repository TEXT NOT NULL,
  shown      INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (name, repository)
) STRICT, WITHOUT ROWID;

CREATE TABLE provenance_events (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
  at             TEXT NOT NULL,
  workspace_path TEXT NOT NULL,
  doc_id         TEXT,
  agent          TEXT NOT NULL,
  kind           TEXT NOT NULL,
  note           TEXT
) STRICT;

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
, tags TEXT NOT NULL DEFAULT '[]', reason TEXT NOT NULL DEFAULT '', replaced_by INTEGER, lesson TEXT) STRICT;

CREATE TABLE result_verdict (
  session_id   TEXT NOT NULL REFERENCES session(id),
  message_idx  INTEGER NOT NULL,      -- the message with the result
  tool_use_id  TEXT NOT NULL,
  verdict      TEXT NOT NULL,         -- incident, answer, rejected, agent_tool, flaky, noise
  reason       TEXT NOT NULL,
  worth        TEXT NOT NULL,         -- general, project, slip, none
  ts           TEXT NOT NULL,
  program      TEXT NOT NULL DEFAULT '',  -- the program or tool that failed
  repeats      INTEGER,               -- the first result of the same incident; NULL: it is that first one
  attempts     INTEGER NOT NULL DEFAULT 0,  -- the cost of the whole incident, with its first result alone; else 0
  messages     INTEGER NOT NULL DEFAULT 0,
  seconds      REAL NOT NULL DEFAULT 0,
  solved_idx   INTEGER,               -- the message that showed it gone; NULL: it was still there at the end
  solved_session TEXT,                -- the session of that message: this one, or one that continues it
  fingerprints TEXT NOT NULL DEFAULT '[]',  -- JSON array: its findings in order; the first is the one of the queue
  slip         TEXT NOT NULL DEFAULT '',    -- what a repeated slip is counted by; '' for everything else
  PRIMARY KEY (session_id, message_idx, tool_use_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE review (
  evidence_id INTEGER PRIMARY KEY,
  session_id  TEXT NOT NULL,
  type        TEXT NOT NULL,
  state       TEXT NOT NULL
) STRICT;

CREATE TABLE review_count (
  session_id TEXT NOT NULL,
  type       TEXT NOT NULL,
  state      TEXT NOT NULL,
  quotes     INTEGER NOT NULL,
  PRIMARY KEY (session_id, type, state)
) STRICT, WITHOUT ROWID;

CREATE TABLE rule (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  path         TEXT NOT NULL,
  rule_id      TEXT NOT NULL,
  title        TEXT NOT NULL,
  body         TEXT NOT NULL,         -- JSON: problem, root cause, solution, prevention, …
  content_hash TEXT NOT NULL,
  UNIQUE (path, rule_id)
) STRICT;

CREATE TABLE rule_draft (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  status      TEXT NOT NULL DEFAULT 'draft',  -- draft, accepted, rejected
  rule        TEXT NOT NULL,
  quote       TEXT NOT NULL,          -- where it was said first, as in `correction`
  session_id  TEXT NOT NULL REFERENCES session(id),
  message_idx INTEGER NOT NULL,
  span_start  INTEGER NOT NULL,
  span_end    INTEGER NOT NULL,
  call_json   TEXT NOT NULL,
  repository  TEXT NOT NULL,
  why         TEXT NOT NULL,          -- the form of norm, or that it was said in two sessions
  author      TEXT NOT NULL,
  ts          TEXT NOT NULL,
  path        TEXT NOT NULL DEFAULT '',  -- the rule file it was accepted into, and its text there
  rule_id     TEXT NOT NULL DEFAULT '',
  block_text  TEXT NOT NULL DEFAULT '',
  decided_by  TEXT NOT NULL DEFAULT '',
  decided_at  TEXT NOT NULL DEFAULT '',
  reason      TEXT NOT NULL DEFAULT ''
) STRICT;

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

CREATE TABLE rule_written (
  draft_id INTEGER PRIMARY KEY,
  path     TEXT NOT NULL,
  text     TEXT NOT NULL
) STRICT;

CREATE TABLE session (
  id         TEXT PRIMARY KEY,
  agent      TEXT NOT NULL,           -- claude-code, codex, plain
  project    TEXT NOT NULL DEFAULT '',
  started    TEXT NOT NULL DEFAULT '',
  parent     TEXT,                    -- the session a subagent belongs to
  continues  TEXT                     -- the session whose history a resumed one repeats
, remote TEXT NOT NULL DEFAULT '', repository TEXT NOT NULL DEFAULT '') STRICT;

CREATE TABLE source_file (
  path       TEXT PRIMARY KEY,
  size       INTEGER NOT NULL,
  head_hash  TEXT NOT NULL,           -- sha256 of the first bytes: a rewritten file is read anew
  offset     INTEGER NOT NULL,        -- bytes read, up to the last whole line
  line       INTEGER NOT NULL,        -- lines read
  session_id TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE sources (
  source_id   TEXT PRIMARY KEY,
  position    INTEGER NOT NULL UNIQUE,
  root        TEXT NOT NULL UNIQUE,   -- absolute
  source_type TEXT NOT NULL DEFAULT '',
  trust_level TEXT NOT NULL DEFAULT 'primary' CHECK (trust_level IN ('primary', 'secondary', 'generated')),
  added_at    TEXT NOT NULL
) STRICT;

CREATE TABLE sqlite_sequence(name,seq);

CREATE TABLE "team_lesson" (
  repository TEXT NOT NULL,
  lesson TEXT NOT NULL,
  line TEXT NOT NULL,
  waits INTEGER NOT NULL DEFAULT 0,
  decided_by TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (repository, lesson)
);

CREATE TABLE team_mark (
  mark TEXT NOT NULL,
  repository TEXT NOT NULL,
  lesson TEXT NOT NULL,
  PRIMARY KEY (mark, repository, lesson)
) WITHOUT ROWID;

CREATE TABLE team_outbox (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  repository TEXT NOT NULL,
  lesson TEXT NOT NULL,
  time TEXT NOT NULL,
  line TEXT NOT NULL,
  fix_id INTEGER,
  sent INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE team_project (
  repository TEXT PRIMARY KEY,
  root TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE team_server (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  address TEXT NOT NULL,
  team TEXT NOT NULL,
  login TEXT NOT NULL,
  role TEXT NOT NULL,
  machine TEXT NOT NULL,
  seq INTEGER NOT NULL DEFAULT 0,
  hash BLOB NOT NULL DEFAULT x'',
  epoch INTEGER NOT NULL DEFAULT 1,
  journaled INTEGER NOT NULL DEFAULT -1,
  synced TEXT NOT NULL DEFAULT '',
  fault TEXT NOT NULL DEFAULT ''
);

CREATE TABLE token_bits (
  text_sha TEXT NOT NULL,             -- as in `vector`
  model    TEXT NOT NULL,             -- id@version
  recipe   TEXT NOT NULL,
  bits     BLOB NOT NULL,             -- dim / 8 bytes a token
  UNIQUE (text_sha, model, recipe)
) STRICT;

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

CREATE TABLE "vector" (
  kind     TEXT NOT NULL,             -- error, rule, chunk
  item_id  INTEGER NOT NULL,
  model    TEXT NOT NULL,             -- id@version
  recipe   TEXT NOT NULL,             -- how the text was made, and how the model reads it
  text_sha TEXT NOT NULL,             -- sha256 of the embedded text
  dim      INTEGER NOT NULL,
  blob     BLOB NOT NULL,             -- little-endian float32, unit length; one vector of `dim` a window of the text
  PRIMARY KEY (kind, item_id, model, recipe)
) STRICT;

CREATE TABLE vector_bits (
  id     INTEGER PRIMARY KEY AUTOINCREMENT,
  kind   TEXT NOT NULL,
  model  TEXT NOT NULL,
  recipe TEXT NOT NULL,
  count  INTEGER NOT NULL,
  items  BLOB NOT NULL,               -- `count` item ids, little-endian int64
  bits   BLOB NOT NULL                -- `count` times dim / 8 bytes, the first component in the highest bit
) STRICT;

CREATE TRIGGER alignment_review_delete AFTER DELETE ON alignment BEGIN
  UPDATE review SET state = 'waiting' WHERE evidence_id = old.evidence_id;
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

CREATE TRIGGER answer_outcome_before_update BEFORE UPDATE ON answer_outcome BEGIN
  INSERT INTO insight_told_change SELECT *, -1 FROM insight_told WHERE id = old.id;
END;

CREATE TRIGGER answer_outcome_delete BEFORE DELETE ON answer_outcome BEGIN
  INSERT INTO insight_told_change SELECT *, -1 FROM insight_told WHERE id = old.id;
END;

CREATE TRIGGER answer_outcome_insert AFTER INSERT ON answer_outcome BEGIN
  INSERT INTO insight_told_change SELECT *, 1 FROM insight_told WHERE id = new.id;
END;

CREATE TRIGGER answer_outcome_update AFTER UPDATE ON answer_outcome BEGIN
  INSERT INTO insight_told_change SELECT *, 1 FROM insight_told WHERE id = new.id;
END;

CREATE TRIGGER backlog_delete AFTER DELETE ON backlog BEGIN
  UPDATE backlog_size SET waiting = waiting - 1 WHERE kind = old.kind;
END;

CREATE TRIGGER backlog_insert AFTER INSERT ON backlog BEGIN
  UPDATE backlog_size SET waiting = waiting + 1 WHERE kind = new.kind;
END;

CREATE TRIGGER case_key_delete AFTER DELETE ON case_key BEGIN
  DELETE FROM answer_key WHERE error_normalized = old.error_normalized;
  INSERT INTO answer_key
    SELECT error_normalized, id, substr(error_normalized, 1, 30), length(error_normalized)
    FROM error_kb WHERE error_normalized = old.error_normalized AND trim(coalesce(resolution, '')) <> '';
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

CREATE TRIGGER case_state_queue_delete AFTER DELETE ON case_state BEGIN
  UPDATE case_state SET queued = worth <> 'slip' AND NOT EXISTS (
    SELECT 1 FROM case_state m WHERE m.worth <> 'slip' AND (
      (m.case_id = case_state.queue_case AND m.queue_case IS NULL AND m.case_id <> case_state.case_id)
      OR (m.queue_case = case_state.queue_case AND m.case_id < case_state.case_id))
  ) WHERE queue_case IN (old.case_id, old.queue_case);
END;

CREATE TRIGGER case_state_queue_insert AFTER INSERT ON case_state BEGIN
  UPDATE case_state SET queued = worth <> 'slip' AND NOT EXISTS (
    SELECT 1 FROM case_state m WHERE m.worth <> 'slip' AND (
      (m.case_id = case_state.queue_case AND m.queue_case IS NULL AND m.case_id <> case_state.case_id)
      OR (m.queue_case = case_state.queue_case AND m.case_id < case_state.case_id))
  ) WHERE queue_case IN (new.case_id, new.queue_case);
END;

CREATE TRIGGER case_state_queue_update AFTER UPDATE OF worth, queue_case ON case_state
WHEN (old.worth, old.queue_case) IS NOT (new.worth, new.queue_case) BEGIN
  UPDATE case_state SET queued = worth <> 'slip' AND NOT EXISTS (
    SELECT 1 FROM case_state m WHERE m.worth <> 'slip' AND (
      (m.case_id = case_state.queue_case AND m.queue_case IS NULL AND m.case_id <> case_state.case_id)
      OR (m.queue_case = case_state.queue_case AND m.case_id < case_state.case_id))
  ) WHERE case_id = new.case_id OR queue_case IN (new.case_id, new.queue_case, old.queue_case);
END;

CREATE TRIGGER chunk_backlog_delete AFTER DELETE ON chunks BEGIN
  DELETE FROM backlog WHERE kind = 'chunk' AND item_id = old.id;
  INSERT INTO backlog SELECT 'chunk', old.id
    WHERE EXISTS (SELECT 1 FROM vector WHERE kind = 'chunk' AND item_id = old.id);
  DELETE FROM vector WHERE kind = 'chunk' AND item_id = old.id;
  DELETE FROM embed_failure WHERE kind = 'chunk' AND item_id = old.id;
END;

CREATE TRIGGER chunk_backlog_insert AFTER INSERT ON chunks BEGIN
  INSERT INTO backlog SELECT 'chunk', new.id
    WHERE NOT EXISTS (SELECT 1 FROM backlog WHERE kind = 'chunk' AND item_id = new.id);
END;

CREATE TRIGGER chunk_backlog_update AFTER UPDATE OF text, heading_path_json ON chunks
WHEN (old.text, old.heading_path_json) <> (new.text, new.heading_path_json) BEGIN
  INSERT INTO backlog SELECT 'chunk', new.id
    WHERE NOT EXISTS (SELECT 1 FROM backlog WHERE kind = 'chunk' AND item_id = new.id);
END;

CREATE TRIGGER chunks_ad AFTER DELETE ON chunks BEGIN
  DELETE FROM chunks_fts WHERE rowid = old.id;
END;

CREATE TRIGGER error_kb_backlog_delete AFTER DELETE ON error_kb BEGIN
  DELETE FROM backlog WHERE kind = 'error' AND item_id = old.id;
  INSERT INTO backlog SELECT 'error', old.id
    WHERE EXISTS (SELECT 1 FROM vector WHERE kind = 'error' AND item_id = old.id);
  DELETE FROM vector WHERE kind = 'error' AND item_id = old.id;
  DELETE FROM embed_failure WHERE kind = 'error' AND item_id = old.id;
END;

CREATE TRIGGER error_kb_backlog_insert AFTER INSERT ON error_kb BEGIN
  INSERT INTO backlog SELECT 'error', new.id
    WHERE NOT EXISTS (SELECT 1 FROM backlog WHERE kind = 'error' AND item_id = new.id);
END;

CREATE TRIGGER error_kb_backlog_update AFTER UPDATE OF error_normalized ON error_kb
WHEN old.error_normalized <> new.error_normalized BEGIN
  INSERT INTO backlog SELECT 'error', new.id
    WHERE NOT EXISTS (SELECT 1 FROM backlog WHERE kind = 'error' AND item_id = new.id);
END;

CREATE TRIGGER error_kb_delete AFTER DELETE ON error_kb BEGIN
  DELETE FROM answer_key WHERE case_id = old.id;
  DELETE FROM case_state WHERE case_id = old.id;
END;

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

CREATE TRIGGER event_no_delete BEFORE DELETE ON event BEGIN SELECT raise(ABORT, 'events are append-only'); END;

CREATE TRIGGER event_no_update BEFORE UPDATE ON event BEGIN SELECT raise(ABORT, 'events are append-only'); END;

CREATE TRIGGER evidence_review_delete AFTER DELETE ON evidence BEGIN
  DELETE FROM review WHERE evidence_id = old.id;
END;

CREATE TRIGGER evidence_review_insert AFTER INSERT ON evidence BEGIN
  INSERT OR IGNORE INTO review SELECT new.id, coalesce(max(e.session_id), ''), coalesce(max(e.type), ''), 'waiting'
    FROM entry e WHERE e.id = new.entry_id;
END;

CREATE TRIGGER fingerprint_backlog_delete AFTER DELETE ON fingerprint BEGIN
  INSERT INTO backlog SELECT 'error', id FROM error_kb WHERE id = old.case_id
    AND NOT EXISTS (SELECT 1 FROM backlog WHERE kind = 'error' AND item_id = error_kb.id);
END;

CREATE TRIGGER fingerprint_backlog_insert AFTER INSERT ON fingerprint
WHEN NOT EXISTS (SELECT 1 FROM fingerprint WHERE case_id = new.case_id AND fingerprint <> new.fingerprint) BEGIN
  INSERT INTO backlog SELECT 'error', new.case_id
    WHERE NOT EXISTS (SELECT 1 FROM backlog WHERE kind = 'error' AND item_id = new.case_id);
END;

CREATE TRIGGER fingerprint_backlog_update AFTER UPDATE OF case_id, key_line ON fingerprint BEGIN
  INSERT INTO backlog SELECT 'error', id FROM error_kb WHERE id IN (old.case_id, new.case_id)
    AND NOT EXISTS (SELECT 1 FROM backlog WHERE kind = 'error' AND item_id = error_kb.id);
END;

CREATE TRIGGER insight_change_insert INSTEAD OF INSERT ON insight_change BEGIN
  INSERT INTO insight_week(week, program, project, failures, incidents, attempts, messages, milliseconds)
    VALUES (new.week, new.program, new.project, new.sign, new.sign * new.incidents, new.sign * new.attempts,
            new.sign * new.messages, new.sign * new.milliseconds)
    ON CONFLICT DO UPDATE SET failures = failures + excluded.failures, incidents = incidents + excluded.incidents,
      attempts = attempts + excluded.attempts, messages = messages + excluded.messages,
      milliseconds = milliseconds + excluded.milliseconds;
  DELETE FROM insight_week
    WHERE week = new.week AND program = new.program AND project = new.project AND failures = 0;
  INSERT INTO insight_finding(fingerprint, week, project, incidents, attempts, messages, milliseconds)
    SELECT new.fingerprint, new.week, new.project, new.sign, new.sign * new.attempts, new.sign * new.messages,
           new.sign * new.milliseconds
    WHERE new.fingerprint <> ''
    ON CONFLICT DO UPDATE SET incidents = incidents + excluded.incidents, attempts = attempts + excluded.attempts,
      messages = messages + excluded.messages, milliseconds = milliseconds + excluded.milliseconds;
  DELETE FROM insight_finding
    WHERE fingerprint = new.fingerprint AND week = new.week AND project = new.project AND incidents = 0;
  INSERT INTO insight_session(fingerprint, session_id, week, project, incidents)
    SELECT new.fingerprint, new.session_id, new.week, new.project, new.sign WHERE new.fingerprint <> ''
    ON CONFLICT DO UPDATE SET incidents = incidents + excluded.incidents;
  DELETE FROM insight_session
    WHERE fingerprint = new.fingerprint AND session_id = new.session_id AND week = new.week AND project = new.project
      AND incidents = 0;
END;

CREATE TRIGGER insight_told_change_insert INSTEAD OF INSERT ON insight_told_change BEGIN
  INSERT INTO insight_answer(week, project, via, told, withheld, helped, failed_again, ignored)
    VALUES (new.week, new.project, new.via, new.sign * new.told, new.sign * new.withheld, new.sign * new.helped,
            new.sign * new.failed_again, new.sign * new.ignored)
    ON CONFLICT DO UPDATE SET told = told + excluded.told, withheld = withheld + excluded.withheld,
      helped = helped + excluded.helped, failed_again = failed_again + excluded.failed_again,
      ignored = ignored + excluded.ignored;
  DELETE FROM insight_answer
    WHERE week = new.week AND project = new.project AND via = new.via AND told = 0 AND withheld = 0;
END;

CREATE TRIGGER result_verdict_before_update BEFORE UPDATE ON result_verdict BEGIN
  INSERT INTO insight_change SELECT *, -1 FROM insight_result
    WHERE session_id = old.session_id AND message_idx = old.message_idx AND tool_use_id = old.tool_use_id;
END;

CREATE TRIGGER result_verdict_delete BEFORE DELETE ON result_verdict BEGIN
  INSERT INTO insight_change SELECT *, -1 FROM insight_result
    WHERE session_id = old.session_id AND message_idx = old.message_idx AND tool_use_id = old.tool_use_id;
END;

CREATE TRIGGER result_verdict_insert AFTER INSERT ON result_verdict BEGIN
  INSERT INTO insight_change SELECT *, 1 FROM insight_result
    WHERE session_id = new.session_id AND message_idx = new.message_idx AND tool_use_id = new.tool_use_id;
END;

CREATE TRIGGER result_verdict_update AFTER UPDATE ON result_verdict BEGIN
  INSERT INTO insight_change SELECT *, 1 FROM insight_result
    WHERE session_id = new.session_id AND message_idx = new.message_idx AND tool_use_id = new.tool_use_id;
END;

CREATE TRIGGER review_delete AFTER DELETE ON review BEGIN
  UPDATE review_count SET quotes = quotes - 1
    WHERE session_id = old.session_id AND type = old.type AND state = old.state;
  DELETE FROM review_count WHERE session_id = old.session_id AND type = old.type AND state = old.state AND quotes < 1;
END;

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

CREATE TRIGGER rule_backlog_delete AFTER DELETE ON rule BEGIN
  DELETE FROM backlog WHERE kind = 'rule' AND item_id = old.id;
  INSERT INTO backlog SELECT 'rule', old.id
    WHERE EXISTS (SELECT 1 FROM vector WHERE kind = 'rule' AND item_id = old.id);
  DELETE FROM vector WHERE kind = 'rule' AND item_id = old.id;
  DELETE FROM embed_failure WHERE kind = 'rule' AND item_id = old.id;
END;

CREATE TRIGGER rule_backlog_insert AFTER INSERT ON rule BEGIN
  INSERT INTO backlog SELECT 'rule', new.id
    WHERE NOT EXISTS (SELECT 1 FROM backlog WHERE kind = 'rule' AND item_id = new.id);
END;

CREATE TRIGGER rule_backlog_update AFTER UPDATE OF body, title, rule_id ON rule
WHEN old.content_hash <> new.content_hash BEGIN
  INSERT INTO backlog SELECT 'rule', new.id
    WHERE NOT EXISTS (SELECT 1 FROM backlog WHERE kind = 'rule' AND item_id = new.id);
END;

CREATE TRIGGER session_project_before_update BEFORE UPDATE OF project, repository ON session
  WHEN (new.project, new.repository) <> (old.project, old.repository) BEGIN
  INSERT INTO insight_change SELECT *, -1 FROM insight_result WHERE session_id = old.id;
END;

CREATE TRIGGER session_project_update AFTER UPDATE OF project, repository ON session
  WHEN (new.project, new.repository) <> (old.project, old.repository) BEGIN
  INSERT INTO insight_change SELECT *, 1 FROM insight_result WHERE session_id = new.id;
END;

CREATE TRIGGER vector_token_bits_delete AFTER DELETE ON vector BEGIN
  DELETE FROM token_bits WHERE text_sha = old.text_sha AND model = old.model AND recipe = old.recipe
    AND NOT EXISTS (SELECT 1 FROM vector
      WHERE text_sha = old.text_sha AND model = old.model AND recipe = old.recipe AND kind = old.kind);
END;

CREATE VIEW insight_change AS SELECT *, 1 AS sign FROM insight_result;

CREATE VIEW insight_result AS
  SELECT v.session_id, v.message_idx, v.tool_use_id, coalesce(date(v.ts, 'weekday 0', '-6 days'), '') AS week, v.program,
         iif(s.repository = '', s.project, s.repository) AS project,
         iif(v.verdict = 'incident' AND v.repeats IS NULL, coalesce(v.fingerprints ->> 0, ''), '') AS fingerprint,
         (v.verdict = 'incident' AND v.repeats IS NULL) AS incidents,
         (v.verdict = 'incident' AND v.repeats IS NULL) * v.attempts AS attempts,
         (v.verdict = 'incident' AND v.repeats IS NULL) * v.messages AS messages,
         (v.verdict = 'incident' AND v.repeats IS NULL) * CAST(round(v.seconds * 1000) AS INTEGER) AS milliseconds
  FROM result_verdict AS v JOIN session AS s ON s.id = v.session_id
  WHERE v.verdict IN ('incident', 'flaky');

CREATE VIEW insight_told AS
  SELECT id, coalesce(date(told_at, 'weekday 0', '-6 days'), '') AS week, repository AS project, via,
         withheld = 0 AS told, withheld <> 0 AS withheld, withheld = 0 AND outcome = 'helped' AS helped,
         withheld = 0 AND outcome = 'failed_again' AS failed_again, withheld = 0 AND outcome = 'ignored' AS ignored
  FROM answer_outcome;

CREATE VIEW insight_told_change AS SELECT *, 1 AS sign FROM insight_told;

CREATE VIEW session_project AS
  SELECT id AS session_id,
         coalesce((SELECT name FROM project_name AS n WHERE n.repository = session.repository AND n.shown = 1), project)
           AS shown
  FROM session;

