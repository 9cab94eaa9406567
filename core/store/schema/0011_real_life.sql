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
-- The same thing to do, in other cases and repositories.
CREATE INDEX resolution_do ON resolution(iif(json_valid(lesson), json_extract(lesson, '$.do.text'), NULL))
  WHERE lesson IS NOT NULL;

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

-- Practice ------------------------------------------------------------------------------------------------------------

