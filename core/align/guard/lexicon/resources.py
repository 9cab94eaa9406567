"""The lists of words that the guard knows, as they are shipped: `words/*.txt`, where a line that begins with # is a
heading."""

from __future__ import annotations

from importlib.resources import files


def word_list(name: str) -> frozenset[str]:
    """The words of one list."""
    text = files("core.align.guard").joinpath("words", f"{name}.txt").read_text("utf-8")
    return frozenset(word for line in text.split("\n") if not line.startswith("#") for word in line.split())
