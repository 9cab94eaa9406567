"""Import of transcripts."""
