-- The library: the notes, documents and code that everything is cited from. Names of the frozen design, section 5, kept;
-- what is added to them is marked. All of it but `citation` and the evaluations can be made anew from the files.

-- The roots. The first one (position 0) gives paths as they are; those of any other begin with its id (decision 21).
CREATE TABLE sources (
  source_id   TEXT PRIMARY KEY,
  position    INTEGER NOT NULL UNIQUE,
  root        TEXT NOT NULL UNIQUE,   -- absolute
  source_type TEXT NOT NULL DEFAULT '',
  trust_level TEXT NOT NULL DEFAULT 'primary' CHECK (trust_level IN ('primary', 'secondary', 'generated')),
  added_at    TEXT NOT NULL
) STRICT;

-- A content. `workspace_path` is where it was first seen; where it lies now, asset_paths says.
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
CREATE INDEX idx_assets_workspace_path ON assets(workspace_path);
CREATE INDEX idx_assets_media_type ON assets(media_type);

-- Which content lies where: twin files share a content and none evicts the other. `size`, `mtime_ns` and `looked` (Unix
-- time of the reading) tell an unchanged file without reading it.
CREATE TABLE asset_paths (
  workspace_path TEXT PRIMARY KEY,
  asset_id       TEXT NOT NULL REFERENCES assets(asset_id) ON DELETE RESTRICT,
  source_id      TEXT NOT NULL REFERENCES sources(source_id) ON DELETE RESTRICT,
  size           INTEGER NOT NULL,
  mtime_ns       INTEGER NOT NULL,
  looked         REAL NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_asset_paths_asset ON asset_paths(asset_id);
CREATE INDEX idx_asset_paths_source ON asset_paths(source_id, workspace_path);

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
CREATE UNIQUE INDEX idx_docs_workspace_path ON documents(workspace_path);
CREATE INDEX idx_docs_lang ON documents(lang);
CREATE INDEX idx_docs_source_type ON documents(source_type);
CREATE INDEX idx_docs_source ON documents(source_id, workspace_path);
CREATE INDEX idx_docs_asset ON documents(asset_id);

CREATE TABLE document_tags (
  doc_id TEXT NOT NULL REFERENCES documents(doc_id) ON DELETE CASCADE ON UPDATE CASCADE,
  tag    TEXT NOT NULL,
  PRIMARY KEY (doc_id, tag)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_document_tags_tag ON document_tags(tag, doc_id);

-- Kept together by document: a key of hashes would put each block on a page of its own.
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

-- `id` is what vectors and chunks_fts know a chunk by. A chunk whose words stay keeps it when its document is edited or
-- moves, while chunk_id follows the recipe: nothing is embedded or indexed twice.
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
CREATE INDEX idx_chunks_doc_id ON chunks(doc_id, position);
CREATE INDEX idx_chunks_chunker_version ON chunks(chunker_version);

-- Contentless: rowid is chunks.id; written by code, because bigrams need it, and emptied by the trigger below.
-- heading_path is the headings as plain words, bigrams the Hangul pairs of heading and text.
CREATE VIRTUAL TABLE chunks_fts USING fts5(
  heading_path, text, bigrams,
  content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);
CREATE TRIGGER chunks_ad AFTER DELETE ON chunks BEGIN
  DELETE FROM chunks_fts WHERE rowid = old.id;
END;

-- Chunks wait for the batch worker as errors and rules do.
CREATE TRIGGER chunk_backlog_insert AFTER INSERT ON chunks BEGIN
  INSERT INTO backlog SELECT 'chunk', new.id
    WHERE NOT EXISTS (SELECT 1 FROM backlog WHERE kind = 'chunk' AND item_id = new.id);
END;
CREATE TRIGGER chunk_backlog_update AFTER UPDATE OF text, heading_path_json ON chunks
WHEN (old.text, old.heading_path_json) <> (new.text, new.heading_path_json) BEGIN
  INSERT INTO backlog SELECT 'chunk', new.id
    WHERE NOT EXISTS (SELECT 1 FROM backlog WHERE kind = 'chunk' AND item_id = new.id);
END;
CREATE TRIGGER chunk_backlog_delete AFTER DELETE ON chunks BEGIN
  DELETE FROM backlog WHERE kind = 'chunk' AND item_id = old.id;
  INSERT INTO backlog SELECT 'chunk', old.id
    WHERE EXISTS (SELECT 1 FROM vector WHERE kind = 'chunk' AND item_id = old.id);
  DELETE FROM vector WHERE kind = 'chunk' AND item_id = old.id;
  DELETE FROM embed_failure WHERE kind = 'chunk' AND item_id = old.id;
END;

-- What is expensive to derive from a content, kept by its hash: key is blake3(kind, text_blake3, version_key)[:32].
CREATE TABLE derivation_cache (
  key       TEXT PRIMARY KEY,
  kind      TEXT NOT NULL,
  payload   BLOB NOT NULL,
  created   TEXT NOT NULL,
  last_used TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX derivation_cache_used ON derivation_cache(last_used);

-- What became of a path over time, when its document is long gone too: discovered, updated, moved, deleted, warning,
-- error.
CREATE TABLE provenance_events (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
  at             TEXT NOT NULL,
  workspace_path TEXT NOT NULL,
  doc_id         TEXT,
  agent          TEXT NOT NULL,
  kind           TEXT NOT NULL,
  note           TEXT
) STRICT;
CREATE INDEX provenance_events_path ON provenance_events(workspace_path, id);

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

CREATE TABLE eval_runs (
  run_id               TEXT PRIMARY KEY,
  suite                TEXT NOT NULL,
  config_snapshot_json TEXT NOT NULL,
  aggregate_json       TEXT NOT NULL,
  commit_hash          TEXT,
  created_at           TEXT NOT NULL
) STRICT;
CREATE TABLE eval_query_results (
  run_id      TEXT NOT NULL REFERENCES eval_runs(run_id) ON DELETE CASCADE,
  query_id    TEXT NOT NULL,
  result_json TEXT NOT NULL,
  PRIMARY KEY (run_id, query_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE kv (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO kv VALUES ('corpus_revision', '0');

-- A passage that something cites, anchored by its words and its heading, because ids and lines change with each edit.
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
CREATE INDEX citation_of ON citation(cited_by, item_id);
CREATE INDEX citation_path ON citation(workspace_path);
