"""Harvest: the project errors of a session, and the fixes that its next run of the same command proves."""
