"""All that runs beside us: child processes, frames, the local socket server, locks between processes."""
