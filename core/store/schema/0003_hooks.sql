-- What agents' hooks told of a session while an error of it is open: enough to see it fixed (error-kb, decision 6).
-- Forgotten once nothing is open, and when the session's transcript is read, which tells the same better.

CREATE TABLE hook_event (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL,
  ts         TEXT NOT NULL,
  body       TEXT NOT NULL              -- JSON: the tool call and what it answered, redacted
) STRICT;
CREATE INDEX hook_event_session ON hook_event(session_id, id);
CREATE INDEX hook_event_ts ON hook_event(ts);
