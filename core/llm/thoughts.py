"""What a model thinks aloud before it answers: some servers send it as the beginning of the answer, between tags."""

from __future__ import annotations

from typing import Final

_OPEN: Final = "<think>"
_CLOSE: Final = "</think>"


class Thoughts:
    """Takes the thoughts out of an answer that comes in pieces; only what leads it is thought."""

    def __init__(self) -> None:
        self._held = ""  # what may still become a tag
        self._state = "before"

    def answer(self, piece: str) -> str:
        """What of the answer has come with this piece, often nothing."""
        if self._state == "answer":
            return piece
        self._held += piece
        if self._state == "before":
            led = self._held.lstrip()
            if not led.startswith(_OPEN):
                if _OPEN.startswith(led):
                    return ""
                return self._rest(self._held)
            self._state, self._held = "thinking", led[len(_OPEN) :]
        if self._state == "thinking":
            _, found, after = self._held.partition(_CLOSE)
            if not found:
                self._held = self._held[-len(_CLOSE) :]
                return ""
            self._state, self._held = "after", after
        led = self._held.lstrip()
        return self._rest(led) if led else ""

    def end(self) -> str:
        """What was held back of an answer that has ended: the beginning of a tag that never came."""
        return self._held if self._state == "before" else ""

    def _rest(self, text: str) -> str:
        self._state, self._held = "answer", ""
        return text
