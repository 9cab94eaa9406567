"""The model service: a local server that keeps one model loaded, and its client."""
