"""What a person can do in the library: the part of the registry for pane 4."""

from __future__ import annotations

from collections.abc import Callable

from tui.actions.action import Action, Situation

LIBRARY_GROUP = "In the library"


def _needs_pane(now: Situation) -> str:
    return "" if now.library else "That is done in the library pane."


def _needs_row(now: Situation) -> str:
    return _needs_pane(now) or ("" if now.cited else "Nothing is chosen yet.")


def _needs_hit(now: Situation) -> str:
    return _needs_pane(now) or ("" if now.hit else "No passage is chosen: search for something first.")


def _needs_document(now: Situation) -> str:
    return _needs_pane(now) or ("" if now.document else "No document is open yet.")


def _needs_words(now: Situation) -> str:
    return _needs_document(now) or ("" if now.query else "Nothing was searched.")


def _needs_markdown(now: Situation) -> str:
    return _needs_document(now) or ("" if now.markdown else "This document has only one form.")


def _needs_filtered(now: Situation) -> str:
    return _needs_pane(now) or ("" if now.filtered else "No filter is on.")


def _act(
    name: str, title: str, *keys: str, hint: str = "", rank: int = 0, needs: Callable[[Situation], str] = _needs_row
) -> Action:
    return Action(f"library.{name}", title, keys, "library", LIBRARY_GROUP, hint, rank, enabled=needs)


LIBRARY: tuple[Action, ...] = (
    _act("mode", "Search by words and meaning, by words only, by meaning only", "m", hint="mode", rank=4,
         needs=_needs_pane),
    _act("filter", "Filter by tag, path, language, kind, trust, date, and more", "f", hint="filter", rank=5,
         needs=_needs_pane),
    _act("unfilter", "Clear the filters of the library", "F", needs=_needs_filtered),
    _act("only", "Only this document, or all", "o", hint="only this", rank=13),
    _act("why", "Show or hide why: both ranks, how they are fused, the steps", "t", hint="why", rank=6,
         needs=_needs_pane),
    _act("raw", "The Markdown drawn, or as it is written", "r", hint="raw", rank=9, needs=_needs_markdown),
    _act("next_match", "Next line with a word that was searched", "n", hint="next match", rank=7, needs=_needs_words),
    _act("previous_match", "Previous line with a word that was searched", "N", needs=_needs_words),
    _act("next", "Next hit, wherever the focus is", "J", "right_square_bracket"),
    _act("previous", "Previous hit, wherever the focus is", "K", "left_square_bracket"),
    _act("copy", "Copy the citation", "y", hint="copy", rank=3),
    _act("copy_as", "Copy as: citation, passage, quote, link, JSON, command", "Y"),
    _act("edit", "Open the file in your editor, at the cited line", "e", hint="edit", rank=8),
    _act("passage", "The passage as it is kept: id, spans, tokens, vector, neighbours", "p", hint="passage", rank=10,
         needs=_needs_hit),
    Action("passage.next", "The passage behind it", ("J", "n", "right_square_bracket"), "passage", LIBRARY_GROUP,
           "next", 2, palette=False),
    Action("passage.previous", "The passage before it", ("K", "N", "left_square_bracket"), "passage", LIBRARY_GROUP,
           "previous", 3, palette=False),
    Action("passage.back", "Back from the passage", ("escape", "q", "p"), "passage", LIBRARY_GROUP, "back", 1,
           palette=False),
)  # fmt: skip
