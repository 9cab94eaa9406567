"""Which lines of an output name its error: one small entry a tool, and the choice among what they find."""

from core.errors.keylines.select import find_key_lines, key_text

__all__ = ["find_key_lines", "key_text"]
