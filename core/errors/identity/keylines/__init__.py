"""Which lines of an output name its error: one small entry a tool, and the choice among what they find."""
