-- What a casebook knows of the team that it shares with through a server. Empty without one.

-- The server, without a password, and how far its log was read. `journaled`: the newest change that was looked at for
-- what to share. `fault`: why the last try failed.
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

-- The repositories whose verified fixes leave, and where they were checked out.
CREATE TABLE team_project (
  repository TEXT PRIMARY KEY,
  root TEXT NOT NULL
) WITHOUT ROWID;

-- The log folded: the newest state of each lesson as a line of a lessons file. `waits`: not in the cases yet.
-- `decided_by`: who made its last change, and on which machine.
CREATE TABLE team_lesson (
  repository TEXT NOT NULL,
  lesson TEXT NOT NULL,
  line TEXT NOT NULL,
  waits INTEGER NOT NULL DEFAULT 0,
  decided_by TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (repository, lesson)
) WITHOUT ROWID;
CREATE INDEX team_lesson_waits ON team_lesson(repository, lesson) WHERE waits;

-- Decisions made here. They are kept once they are sent: a server that was restored may have lost them.
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
CREATE INDEX team_outbox_waits ON team_outbox(number) WHERE NOT sent;
CREATE INDEX team_outbox_lesson ON team_outbox(repository, lesson, number);
