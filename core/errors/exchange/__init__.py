"""Export and import of cases and fixes: JSONL, CSV, Markdown, the managed block."""
