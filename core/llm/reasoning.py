"""What a model thinks aloud before it answers: some servers send it as the beginning of the answer, between tags.

Some leave the first tag out, because the prompt ended with it. Then what was taken for the answer proves, with the
second tag, to have been thought.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_NAMES: Final = "think", "thinking", "thought", "thoughts", "reasoning"
_OPENING: Final = (*(f"<{name}>" for name in _NAMES), "[think]")
_CLOSING: Final = (*(f"</{name}>" for name in _NAMES), "[/think]")
_TAG: Final = re.compile(r"(?i)<(?P<close>/?)(?:think|thinking|thoughts?|reasoning)>|\[(?P<end>/?)think\]", re.ASCII)
_LONGEST: Final = max(map(len, _CLOSING))


class Heard(NamedTuple):
    """What of the answer has come, often nothing. `anew`: all before it was thought, and is no part of the answer."""

    text: str
    anew: bool = False


class Thoughts:
    """Takes the thoughts out of an answer that comes in pieces; only what leads it is thought."""

    def __init__(self) -> None:
        self._held = ""  # what may still become a tag
        self._state = "before"
        self._open = 0  # tags in the middle of the answer that are not closed yet
        self._told = ""  # the last sign of what was told

    def answer(self, piece: str) -> Heard:
        """What has come with this piece."""
        if self._state == "answer":
            return Heard(piece)
        self._held += piece
        if self._state == "before":
            led = self._held.lstrip()
            found = _TAG.match(led)
            if found and not _closes(found):
                self._state, self._held = "thinking", led[found.end() :]
            elif _may_become(led, _OPENING):
                return Heard("")
            else:
                self._state = "unsure"
        if self._state == "unsure":
            return self._unsure()
        if self._state == "thinking":
            found = next((one for one in _TAG.finditer(self._held) if _closes(one)), None)
            if found is None:
                self._held = self._held[-_LONGEST:]
                return Heard("")
            self._state, self._held = "after", self._held[found.end() :]
        return Heard(self._after())

    def end(self) -> str:
        """What was held back of an answer that has ended: the beginning of a tag that never came."""
        return self._held if self._state in ("before", "unsure") else ""

    def _unsure(self) -> Heard:
        """The answer, unless a tag ends in it what none began. One in backticks is spoken of."""
        text = self._held
        for found in _TAG.finditer(text):
            before = text[found.start() - 1] if found.start() else self._told
            if before == "`":
                continue
            if not _closes(found):
                self._open += 1
            elif self._open:
                self._open -= 1
            else:
                told = self._told != ""
                self._state, self._held = "after", text[found.end() :]
                return Heard(self._after(), told)
        kept = next((at for at in range(_LONGEST, 0, -1) if _may_become(text[-at:], (*_OPENING, *_CLOSING))), 0)
        kept = min(kept, len(text))
        self._held = text[len(text) - kept :]
        text = text[: len(text) - kept]
        self._told = text[-1:] or self._told
        return Heard(text)

    def _after(self) -> str:
        """The answer behind its thoughts, without the blanks between."""
        led = self._held.lstrip()
        if led:
            self._state, self._held = "answer", ""
        return led


def _closes(found: re.Match[str]) -> bool:
    return bool(found["close"] or found["end"])


def _may_become(begun: str, tags: tuple[str, ...]) -> bool:
    """Whether it is the beginning of a tag, and not all of one."""
    low = begun.lower()
    return any(tag.startswith(low) and tag != low for tag in tags)
