"""Jobs, child processes, stored state, refresh."""
