"""Other processes: child processes, frames, the local socket server, locks between processes."""
