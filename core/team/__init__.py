"""What a team shares through a file in its repository: the file, its merge, and what may leave. Pure."""
