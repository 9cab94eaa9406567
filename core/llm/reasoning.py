"""Filter for reasoning text that some servers send as the beginning of an answer, between tags.

If the prompt ended with the opening tag, the answer has only the closing one. Then all text before it is retracted.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_NAMES: Final = "think", "thinking", "thought", "thoughts", "reasoning"
_OPENING: Final = (*(f"<{name}>" for name in _NAMES), "[think]")
_CLOSING: Final = (*(f"</{name}>" for name in _NAMES), "[/think]")
_TAG: Final = re.compile(r"(?i)<(?P<close>/?)(?:think|thinking|thoughts?|reasoning)>|\[(?P<end>/?)think\]", re.ASCII)
_LONGEST: Final = max(map(len, _CLOSING))


class Filtered(NamedTuple):
    """Answer text, often empty. `retract`: all text before it was reasoning and is not part of the answer."""

    text: str
    retract: bool = False


class ReasoningFilter:
    """Removes reasoning from a streamed answer. Only text at its beginning is reasoning."""

    def __init__(self) -> None:
        self._held = ""  # what may still become a tag
        self._state = "before"
        self._open = 0  # tags in the middle of the answer that are not closed yet
        self._last = ""  # the last character that was given out

    def answer(self, piece: str) -> Filtered:
        """The answer text that this piece completes."""
        if self._state == "answer":
            return Filtered(piece)
        self._held += piece
        if self._state == "before":
            led = self._held.lstrip()
            found = _TAG.match(led)
            if found and not _is_closing(found):
                self._state, self._held = "thinking", led[found.end() :]
            elif _is_tag_prefix(led, _OPENING):
                return Filtered("")
            else:
                self._state = "unsure"
        if self._state == "unsure":
            return self._unsure()
        if self._state == "thinking":
            found = next((one for one in _TAG.finditer(self._held) if _is_closing(one)), None)
            if found is None:
                self._held = self._held[-_LONGEST:]
                return Filtered("")
            self._state, self._held = "after", self._held[found.end() :]
        return Filtered(self._after())

    def end(self) -> str:
        """The text held back when the answer ended: the beginning of an incomplete tag."""
        return self._held if self._state in ("before", "unsure") else ""

    def _unsure(self) -> Filtered:
        """The answer, unless it has a closing tag without an opening one. A tag in backticks is only a mention."""
        text = self._held
        for found in _TAG.finditer(text):
            before = text[found.start() - 1] if found.start() else self._last
            if before == "`":
                continue
            if not _is_closing(found):
                self._open += 1
            elif self._open:
                self._open -= 1
            else:
                shown = self._last != ""
                self._state, self._held = "after", text[found.end() :]
                return Filtered(self._after(), shown)
        kept = next((at for at in range(_LONGEST, 0, -1) if _is_tag_prefix(text[-at:], (*_OPENING, *_CLOSING))), 0)
        kept = min(kept, len(text))
        self._held = text[len(text) - kept :]
        text = text[: len(text) - kept]
        self._last = text[-1:] or self._last
        return Filtered(text)

    def _after(self) -> str:
        """The answer behind its thoughts, without the blanks between."""
        led = self._held.lstrip()
        if led:
            self._state, self._held = "answer", ""
        return led


def _is_closing(found: re.Match[str]) -> bool:
    return bool(found["close"] or found["end"])


def _is_tag_prefix(begun: str, tags: tuple[str, ...]) -> bool:
    """Whether it is the beginning of a tag, and not all of one."""
    low = begun.lower()
    return any(tag.startswith(low) and tag != low for tag in tags)
