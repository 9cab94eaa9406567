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
  attempts     INTEGER NOT NULL DEFAULT 0,  -- the cost of the whole incident, with its first result alone; else 0
  messages     INTEGER NOT NULL DEFAULT 0,
  seconds      REAL NOT NULL DEFAULT 0,
  solved_idx   INTEGER,               -- the message that showed it gone; NULL: it was still there at the end
  solved_session TEXT,                -- the session of that message: this one, or one that continues it
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

-- What was told, and whether the failure then went away. A row hangs on its fix, so a merge or a split of cases keeps
-- it there; rows of a fix that is gone count for nothing.
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
CREATE INDEX answer_outcome_resolution ON answer_outcome(resolution_id, outcome);
CREATE INDEX answer_outcome_session ON answer_outcome(session_id, outcome) WHERE session_id IS NOT NULL;

-- Queue ---------------------------------------------------------------------------------------------------------------

-- Derived, as the rest of the table. Only verdicts count: all is 0 or NULL for a case that was never judged.
ALTER TABLE case_state ADD COLUMN worth TEXT NOT NULL DEFAULT '';        -- the best of its incidents; '': never judged
ALTER TABLE case_state ADD COLUMN sessions INTEGER NOT NULL DEFAULT 0;   -- sessions that met it
ALTER TABLE case_state ADD COLUMN seconds REAL NOT NULL DEFAULT 0;       -- what its incidents cost
ALTER TABLE case_state ADD COLUMN queue_case INTEGER;                    -- the case whose item it is part of; NULL: own
-- 0: a slip, or part of an item that waits itself. Kept by the triggers below, whoever writes.
ALTER TABLE case_state ADD COLUMN queued INTEGER NOT NULL DEFAULT 1;

-- Sessions that met it, then what it cost, then how often it was seen and when. Cases that were never judged come
-- behind, as they did before.
DROP INDEX case_state_triage;
CREATE INDEX case_state_triage ON case_state(sessions, seconds, seen, last_seen, case_id)
  WHERE status IN ('unresolved', 'draft') AND queued = 1;
CREATE INDEX case_state_part ON case_state(queue_case) WHERE queue_case IS NOT NULL;

CREATE TRIGGER case_state_queue_update AFTER UPDATE OF status, worth, queue_case ON case_state
WHEN (old.status, old.worth, old.queue_case) IS NOT (new.status, new.worth, new.queue_case) BEGIN
  UPDATE case_state SET queued = worth <> 'slip' AND NOT EXISTS (
    SELECT 1 FROM case_state l WHERE l.case_id = case_state.queue_case AND l.case_id <> case_state.case_id
      AND l.status IN ('unresolved', 'draft') AND l.worth <> 'slip' AND l.queue_case IS NULL
  ) WHERE case_id = new.case_id;
  UPDATE case_state SET queued = worth <> 'slip'
      AND NOT (new.status IN ('unresolved', 'draft') AND new.worth <> 'slip' AND new.queue_case IS NULL)
    WHERE queue_case = new.case_id AND case_id <> new.case_id;
END;
CREATE TRIGGER case_state_queue_insert AFTER INSERT ON case_state BEGIN
  UPDATE case_state SET queued = worth <> 'slip'
      AND NOT (new.status IN ('unresolved', 'draft') AND new.worth <> 'slip' AND new.queue_case IS NULL)
    WHERE queue_case = new.case_id AND case_id <> new.case_id;
END;
CREATE TRIGGER case_state_queue_delete AFTER DELETE ON case_state BEGIN
  UPDATE case_state SET queued = worth <> 'slip' WHERE queue_case = old.case_id;
END;

-- Insights ------------------------------------------------------------------------------------------------------------

-- What failed and what it cost, kept by the triggers below: derived from result_verdict, session and answer_outcome, and
-- equal to a recount at any time. Never REPLACE a row of those: REPLACE fires no trigger for what it deletes.

-- By week (its Monday, UTC; '' where there is no time), program and project (the repository, or the folder until that is
-- known). An incident's cost counts once, with its first result.
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

-- Incidents by their first finding.
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

-- The same by session, to count them.
CREATE TABLE insight_session (
  fingerprint TEXT NOT NULL,
  session_id  TEXT NOT NULL,
  week        TEXT NOT NULL,
  project     TEXT NOT NULL,
  incidents   INTEGER NOT NULL,
  PRIMARY KEY (fingerprint, session_id, week, project)
) STRICT, WITHOUT ROWID;

-- Answers by the week they were told in, and what came of them.
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

CREATE INDEX result_verdict_finding ON result_verdict(CAST(fingerprints ->> 0 AS TEXT), ts)
  WHERE verdict = 'incident' AND repeats IS NULL;
CREATE INDEX answer_outcome_fingerprint ON answer_outcome(fingerprint, told_at) WHERE fingerprint <> '';

-- What each failed result adds.
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

-- What is inserted here is added to the sums `sign` times.
CREATE VIEW insight_change AS SELECT *, 1 AS sign FROM insight_result;
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

CREATE TRIGGER result_verdict_insert AFTER INSERT ON result_verdict BEGIN
  INSERT INTO insight_change SELECT *, 1 FROM insight_result
    WHERE session_id = new.session_id AND message_idx = new.message_idx AND tool_use_id = new.tool_use_id;
END;
CREATE TRIGGER result_verdict_delete BEFORE DELETE ON result_verdict BEGIN
  INSERT INTO insight_change SELECT *, -1 FROM insight_result
    WHERE session_id = old.session_id AND message_idx = old.message_idx AND tool_use_id = old.tool_use_id;
END;
CREATE TRIGGER result_verdict_before_update BEFORE UPDATE ON result_verdict BEGIN
  INSERT INTO insight_change SELECT *, -1 FROM insight_result
    WHERE session_id = old.session_id AND message_idx = old.message_idx AND tool_use_id = old.tool_use_id;
END;
CREATE TRIGGER result_verdict_update AFTER UPDATE ON result_verdict BEGIN
  INSERT INTO insight_change SELECT *, 1 FROM insight_result
    WHERE session_id = new.session_id AND message_idx = new.message_idx AND tool_use_id = new.tool_use_id;
END;
-- A session's project is often worked out after its results were judged.
CREATE TRIGGER session_project_before_update BEFORE UPDATE OF project, repository ON session
  WHEN (new.project, new.repository) <> (old.project, old.repository) BEGIN
  INSERT INTO insight_change SELECT *, -1 FROM insight_result WHERE session_id = old.id;
END;
CREATE TRIGGER session_project_update AFTER UPDATE OF project, repository ON session
  WHEN (new.project, new.repository) <> (old.project, old.repository) BEGIN
  INSERT INTO insight_change SELECT *, 1 FROM insight_result WHERE session_id = new.id;
END;

-- An answer that was held back is counted as that alone.
CREATE VIEW insight_told AS
  SELECT id, coalesce(date(told_at, 'weekday 0', '-6 days'), '') AS week, repository AS project, via,
         withheld = 0 AS told, withheld <> 0 AS withheld, withheld = 0 AND outcome = 'helped' AS helped,
         withheld = 0 AND outcome = 'failed_again' AS failed_again, withheld = 0 AND outcome = 'ignored' AS ignored
  FROM answer_outcome;
CREATE VIEW insight_told_change AS SELECT *, 1 AS sign FROM insight_told;
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
CREATE TRIGGER answer_outcome_insert AFTER INSERT ON answer_outcome BEGIN
  INSERT INTO insight_told_change SELECT *, 1 FROM insight_told WHERE id = new.id;
END;
CREATE TRIGGER answer_outcome_delete BEFORE DELETE ON answer_outcome BEGIN
  INSERT INTO insight_told_change SELECT *, -1 FROM insight_told WHERE id = old.id;
END;
CREATE TRIGGER answer_outcome_before_update BEFORE UPDATE ON answer_outcome BEGIN
  INSERT INTO insight_told_change SELECT *, -1 FROM insight_told WHERE id = old.id;
END;
CREATE TRIGGER answer_outcome_update AFTER UPDATE ON answer_outcome BEGIN
  INSERT INTO insight_told_change SELECT *, 1 FROM insight_told WHERE id = new.id;
END;

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

-- What of a draft stands in a rule file, as far as casebook wrote it. Follows `rule_draft`, through undo and redo too.
CREATE TABLE rule_written (
  draft_id INTEGER PRIMARY KEY,
  path     TEXT NOT NULL,
  text     TEXT NOT NULL
) STRICT;

-- Practice ------------------------------------------------------------------------------------------------------------

-- How findings with a rule or code were fixed, and what environments lacked. Derived: a harvest of a session replaces
-- what it wrote before. A session that another one continues is harvested with it: one finding may be here twice.
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
CREATE INDEX practice_finding_name ON practice_finding(kind, tool, name);

-- Commands that failed and what passed instead, by what shows in the command itself. Derived, as practice_finding.
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
CREATE INDEX before_run_program ON before_run(program, key);

-- Harvested again -----------------------------------------------------------------------------------------------------

-- When a new harvest first found an error no more that a person has decided on; NULL: harvested, or never was.
ALTER TABLE fingerprint ADD COLUMN missed TEXT;
CREATE INDEX fingerprint_missed ON fingerprint(case_id) WHERE missed IS NOT NULL;
