"""Replay: what casebook would have answered, had it been there before each session."""
