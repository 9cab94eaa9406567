-- Among the cases that as many sessions met, the queue shows first what helps beyond the edited lines.
--
-- 2: the fix is a command, words, or was not harvested. 1: the fix is an edit of the project's own code. 0: there is
-- none. Derived, as the rest of the table.
ALTER TABLE case_state ADD COLUMN offer INTEGER NOT NULL DEFAULT 0;

UPDATE case_state SET offer = coalesce((
  SELECT max(iif(r.author = 'harvest' AND json_valid(r.lesson) AND json_extract(r.lesson, '$.do.kind') = 'hunk', 1, 2))
  FROM resolution r JOIN error_kb e ON e.id = r.case_id
  WHERE r.case_id = case_state.case_id AND r.text = e.resolution
    AND r.status <> 'rejected' AND r.replaced_by IS NULL), 0);

DROP INDEX case_state_triage;
CREATE INDEX case_state_triage ON case_state(sessions, offer, seconds, seen, last_seen, case_id)
  WHERE status IN ('unresolved', 'draft') AND queued = 1;
