-- Questions asked of the library: every answer and every refusal with its trace, and conversations turn by turn.
-- Names and meaning as in the frozen design, 5.7 and 5.7a; times are ISO 8601 here as everywhere, and `answer_json` is
-- the whole answer.v1.
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
CREATE INDEX idx_answers_created_at ON answers(created_at);
CREATE INDEX idx_answers_grounded ON answers(grounded);

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
CREATE INDEX idx_chat_turns_session ON chat_turns(session_id, turn_index);
