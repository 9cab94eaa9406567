"""Running a model in this process: loading, windows, batches, the embedding worker."""
