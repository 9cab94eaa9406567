"""Output for people: values as lines of plain text."""
