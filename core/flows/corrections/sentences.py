"""The sentences of what a person said, as words with their places. Pasted and quoted text is left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

MOST: Final = 2_000
"""Code points of a message that are read as what a person typed; a longer one was pasted."""
LONGEST: Final = 40
"""Words of a sentence that can be a rule."""
_END = re.compile(r"[.!?。!?](?=[\s\"')\]]|\Z)|[;\n]|\s[-–—]\s|[。!?](?=\S)")
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,2}[.)])[ \t]+")
_WORD = re.compile(r"\S+")
_AROUND: Final = "\"'“”‘’()[]{}<>*_,:.!?…~"


class Word(NamedTuple):
    """A word: in lower case without the signs around it, as written without them, and whether a comma follows."""

    text: str
    written: str
    comma: bool


class Sentence(NamedTuple):
    """A sentence at `start` to `end` of the message, in code points. `asks`: it ends with a question mark."""

    start: int
    end: int
    text: str
    words: tuple[Word, ...]
    asks: bool


def sentences_of(text: str) -> Iterator[Sentence]:
    """The sentences that a person typed. Fenced code, quoted lines and long sentences are left out."""
    if len(text) > MOST:
        return
    start, fenced = 0, False
    for line in text.split("\n"):
        bare = line.lstrip()
        if bare.startswith("```"):
            fenced = not fenced
        elif not fenced and not bare.startswith((">", "<", "$ ", "|", "+++", "---")):
            item = _ITEM.match(line)
            yield from _in_line(line, start, item.end() if item else 0)
        start += len(line) + 1


def _in_line(line: str, offset: int, begin: int) -> Iterator[Sentence]:
    for found in (*_END.finditer(line, begin), None):
        stop, after = (len(line), len(line)) if found is None else (found.start(), found.end())
        part = line[begin:stop]
        bare = part.strip()
        if bare:
            at = offset + begin + len(part) - len(part.lstrip())
            words = tuple(_word(one.group()) for one in _WORD.finditer(bare))
            if len(words) <= LONGEST:
                yield Sentence(at, at + len(bare), bare, words, found is not None and found.group() in "??")
        begin = after


def _word(written: str) -> Word:
    bare = written.strip(_AROUND)
    return Word(bare.replace("’", "'").casefold(), bare, written.endswith((",", ":", ",")))
