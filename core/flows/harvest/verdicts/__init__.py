"""Results with a sign of failure: what tells them, the incidents they are part of, and their rows."""
