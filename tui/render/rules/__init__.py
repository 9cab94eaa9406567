"""Tool calls, rankings and explanations as content."""
