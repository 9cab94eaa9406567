"""The journal of changes: recording, the changed rows, the inverse changeset, undo."""
