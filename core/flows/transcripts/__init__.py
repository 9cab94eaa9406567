"""Import of transcripts: files, prefetching, rows, duplicates, writes, the report."""
