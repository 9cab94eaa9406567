"""A fix in the user's own editor, and back: a private file, no shell, a note on top that is no part of the text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from textual.app import App

from tui.services.external_editor import change_in, editor_of

if TYPE_CHECKING:
    from core.errors import Case

_END = "-->"


def edit_outside(app: App[Any], environ: Mapping[str, str], text: str, case: Case) -> tuple[str | None, str]:
    """The text as the editor gave it back; None and why, where nothing came back."""
    words, why = editor_of(environ, to_read=False)
    if why:
        return None, why
    back, why = change_in(app, words, _note(case) + inert(text), ".md")
    if back is None:
        return None, why
    found = without_note(back)
    return (text if found.rstrip("\n") == inert(text).rstrip("\n") else found), ""


def inert(text: str) -> str:
    """The text as an editor may show it: control signs drawn, line ends plain."""
    from core.text import visible

    return visible(text.replace("\r\n", "\n"))


def _note(case: Case) -> str:
    from core.text import visible

    line = visible(case.key_lines[0] if case.key_lines else case.error_normalized)
    line = " ".join(line.split()).replace("--", "- -")[:300]
    return f"<!-- The fix of case {case.id}, in Markdown. This note is left out.\n     {line} {_END}\n\n"


def without_note(text: str) -> str:
    """The text behind the note, if it is still there."""
    if text.startswith("<!-- The fix of case ") and _END in text:
        text = text.partition(_END)[2]
    return text.strip("\n") + "\n" if text.strip() else ""
