"""Labelled calls: comparison with a baseline, clusters of rules, usage."""
