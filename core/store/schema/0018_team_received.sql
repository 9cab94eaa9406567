-- Lessons of a team that were received, and are not in the cases yet: a search finds them by their errors at once.

-- As before, with lines in the order in which they arrive. In the order of their random ids, each page of events wrote
-- most of the table again.
CREATE TABLE team_lesson_rows (
  repository TEXT NOT NULL,
  lesson TEXT NOT NULL,
  line TEXT NOT NULL,
  waits INTEGER NOT NULL DEFAULT 0,
  decided_by TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (repository, lesson)
);
INSERT INTO team_lesson_rows(repository, lesson, line, waits, decided_by)
  SELECT repository, lesson, line, waits, decided_by FROM team_lesson;
DROP TABLE team_lesson;
ALTER TABLE team_lesson_rows RENAME TO team_lesson;
CREATE INDEX team_lesson_waits ON team_lesson(repository, decided_by, lesson) WHERE waits;

-- The fingerprints of the errors of the lessons that wait. Emptied when none waits: a row may be of one that waits no
-- more.
CREATE TABLE team_mark (
  mark TEXT NOT NULL,
  repository TEXT NOT NULL,
  lesson TEXT NOT NULL,
  PRIMARY KEY (mark, repository, lesson)
) WITHOUT ROWID;
