-- What sessions went through, and what casebook's answers were worth.

-- Verdicts ------------------------------------------------------------------------------------------------------------

-- The verdict on each tool result that shows a sign of failure (`harvest.v1`). Derived: a harvest of its session
-- replaces all of them.
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
  attempts     INTEGER NOT NULL DEFAULT 0,
  messages     INTEGER NOT NULL DEFAULT 0,
  seconds      REAL NOT NULL DEFAULT 0,
  solved_idx   INTEGER,               -- the message that showed it gone; NULL: it was still there at the end
  fingerprints TEXT NOT NULL DEFAULT '[]',  -- JSON array: its findings in order; the first is the one of the queue
  slip         TEXT NOT NULL DEFAULT '',    -- what a repeated slip is counted by; '' for everything else
  PRIMARY KEY (session_id, message_idx, tool_use_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX result_verdict_slip ON result_verdict(slip, session_id) WHERE slip <> '';

-- Lessons -------------------------------------------------------------------------------------------------------------

-- The structured statement of a fix (`lesson.v1`) as JSON, without what is counted. NULL: the text is all there is.
ALTER TABLE resolution ADD COLUMN lesson TEXT;

-- Outcomes ------------------------------------------------------------------------------------------------------------

-- What was told, and whether the failure then went away.
CREATE TABLE answer_outcome (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  resolution_id INTEGER NOT NULL,
  fingerprint   TEXT NOT NULL DEFAULT '',
  via           TEXT NOT NULL,        -- hook, before_run, search, mcp, workbench
  session_id    TEXT,                 -- NULL: asked outside a session
  repository    TEXT NOT NULL DEFAULT '',
  told_at       TEXT NOT NULL,
  withheld      INTEGER NOT NULL DEFAULT 0,  -- held back, to compare with
  outcome       TEXT NOT NULL DEFAULT 'open',  -- open, helped, failed_again, ignored
  performed     INTEGER NOT NULL DEFAULT 0,
  settled_at    TEXT
) STRICT;
CREATE INDEX answer_outcome_resolution ON answer_outcome(resolution_id, outcome);
CREATE INDEX answer_outcome_session ON answer_outcome(session_id, outcome) WHERE session_id IS NOT NULL;

-- Queue ---------------------------------------------------------------------------------------------------------------

-- Derived, as the rest of the table.
ALTER TABLE case_state ADD COLUMN worth TEXT NOT NULL DEFAULT '';        -- the best of its incidents; '': never judged
ALTER TABLE case_state ADD COLUMN sessions INTEGER NOT NULL DEFAULT 0;   -- sessions that met it
ALTER TABLE case_state ADD COLUMN seconds REAL NOT NULL DEFAULT 0;       -- what its incidents cost
ALTER TABLE case_state ADD COLUMN queue_case INTEGER;                    -- the case whose queue item this one is part of

-- Insights ------------------------------------------------------------------------------------------------------------

-- Corrections ---------------------------------------------------------------------------------------------------------

-- What a person said against a call. Derived: a harvest of its session replaces all of them. Private: never exported.
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
CREATE INDEX correction_draft ON correction(draft_id) WHERE draft_id IS NOT NULL;

-- A rule that a harvest drafted from corrections, and what a person decided.
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
CREATE INDEX rule_draft_status ON rule_draft(status, id);
CREATE INDEX rule_draft_repository ON rule_draft(repository);

-- What of a draft stands in a rule file, as far as casebook wrote it. Follows `rule_draft`, through undo and redo too.
CREATE TABLE rule_written (
  draft_id INTEGER PRIMARY KEY,
  path     TEXT NOT NULL,
  text     TEXT NOT NULL
) STRICT;

-- Practice ------------------------------------------------------------------------------------------------------------

