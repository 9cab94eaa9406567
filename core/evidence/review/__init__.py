"""Review of quotes: the queue, decisions, candidates, session search, span edits."""
