"""The write-ahead log: checkpoints, its length, a private copy of it."""
