"""Matching a tool call with rules: intent, keywords, meaning, score, ranking."""
