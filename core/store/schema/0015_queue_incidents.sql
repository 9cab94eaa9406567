-- One incident is one item of the queue: with the decision on its first case all of its cases leave the queue. Before,
-- the next of them took the place of each that was decided, and the queue hardly became shorter.
--
-- 0: a slip, or not the first of its incident's cases. The case that the incident names first comes first, then the
-- lower id. Kept by the triggers below, whoever writes.
DROP TRIGGER case_state_queue_update;
DROP TRIGGER case_state_queue_insert;
DROP TRIGGER case_state_queue_delete;

CREATE TRIGGER case_state_queue_update AFTER UPDATE OF worth, queue_case ON case_state
WHEN (old.worth, old.queue_case) IS NOT (new.worth, new.queue_case) BEGIN
  UPDATE case_state SET queued = worth <> 'slip' AND NOT EXISTS (
    SELECT 1 FROM case_state m WHERE m.worth <> 'slip' AND (
      (m.case_id = case_state.queue_case AND m.queue_case IS NULL AND m.case_id <> case_state.case_id)
      OR (m.queue_case = case_state.queue_case AND m.case_id < case_state.case_id))
  ) WHERE case_id = new.case_id OR queue_case IN (new.case_id, new.queue_case, old.queue_case);
END;
CREATE TRIGGER case_state_queue_insert AFTER INSERT ON case_state BEGIN
  UPDATE case_state SET queued = worth <> 'slip' AND NOT EXISTS (
    SELECT 1 FROM case_state m WHERE m.worth <> 'slip' AND (
      (m.case_id = case_state.queue_case AND m.queue_case IS NULL AND m.case_id <> case_state.case_id)
      OR (m.queue_case = case_state.queue_case AND m.case_id < case_state.case_id))
  ) WHERE queue_case IN (new.case_id, new.queue_case);
END;
CREATE TRIGGER case_state_queue_delete AFTER DELETE ON case_state BEGIN
  UPDATE case_state SET queued = worth <> 'slip' AND NOT EXISTS (
    SELECT 1 FROM case_state m WHERE m.worth <> 'slip' AND (
      (m.case_id = case_state.queue_case AND m.queue_case IS NULL AND m.case_id <> case_state.case_id)
      OR (m.queue_case = case_state.queue_case AND m.case_id < case_state.case_id))
  ) WHERE queue_case IN (old.case_id, old.queue_case);
END;

UPDATE case_state SET queued = worth <> 'slip' AND NOT EXISTS (
  SELECT 1 FROM case_state m WHERE m.worth <> 'slip' AND (
    (m.case_id = case_state.queue_case AND m.queue_case IS NULL AND m.case_id <> case_state.case_id)
    OR (m.queue_case = case_state.queue_case AND m.case_id < case_state.case_id))
) WHERE queue_case IS NOT NULL;
