"""Harvest again what was imported before: on a copy, shown first, then applied as one change (DESIGN 12)."""
