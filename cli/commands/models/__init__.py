"""Commands about embedding models: which there are, what they embed, the one kept loaded."""
