-- A project is its repository. `project` stays the folder of a session; these say which repository that is.

ALTER TABLE session ADD COLUMN remote TEXT NOT NULL DEFAULT '';         -- host/owner/name, as its transcript says
ALTER TABLE session ADD COLUMN repository TEXT NOT NULL DEFAULT '';     -- derived: '' until it was worked out
ALTER TABLE case_state ADD COLUMN repository TEXT NOT NULL DEFAULT '';  -- of the time it was seen last

-- What git's files said of a folder when sessions of it were imported: kept, because folders go away.
CREATE TABLE project_folder (
  folder TEXT PRIMARY KEY,
  remote TEXT NOT NULL,
  root   TEXT NOT NULL                -- the repository's folder; of a folder without one the folder
) STRICT, WITHOUT ROWID;

-- Derived: what repositories are called. One name of each is the one shown.
CREATE TABLE project_name (
  name       TEXT NOT NULL,           -- name, owner/name, host/owner/name, and the folders of sessions
  repository TEXT NOT NULL,
  shown      INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (name, repository)
) STRICT, WITHOUT ROWID;
CREATE INDEX project_name_shown ON project_name(repository) WHERE shown = 1;

-- What a session's project is shown as.
CREATE VIEW session_project AS
  SELECT id AS session_id,
         coalesce((SELECT name FROM project_name AS n WHERE n.repository = session.repository AND n.shown = 1), project)
           AS shown
  FROM session;

-- Sessions that were there before are worked out by the next import.
INSERT OR IGNORE INTO meta(key, value) SELECT 'projects', 'due' FROM session LIMIT 1;
