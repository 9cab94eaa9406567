"""Golden queries: metrics, a baseline and the report."""
