"""What people decide about fixes and cases: acts that can be undone, the queue, what was typed, the history."""
