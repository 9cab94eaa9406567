"""What a pane says when it has nothing to show: what, why, and the next key or command."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import TextWrapper

from textual.content import Content

from core.base.fault import Fault
from core.base.installation import installed
from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import fault_text, inline

_TEXT = 600


@dataclass(frozen=True, slots=True)
class Notice:
    """One state in words: `what` it is, `why`, and `steps`, pairs of a key or command and what it does.

    A key is written as its action, `{find.clear}`: which one it is, `draw_notice` knows. `alone`: nothing is stored, so
    that there is nothing to show next to it.
    """

    what: str
    why: str = ""
    steps: tuple[tuple[str, str], ...] = ()
    tone: str = "$cb-text"
    alone: bool = False


_SHORT_KEY = 6
"""Characters of a key; the longer ones are commands."""
_HANG, _NARROW = 4, 12
"""Cells of the indent below a command, and the least room for words after a key."""


def loading() -> Notice:
    """The first read takes longer than a moment."""
    return Notice("Loading the casebook", "The first load of a large file takes a moment.", (("{app.quit}", "quit"),))


def empty() -> Notice:
    """A casebook without a single case."""
    return Notice(
        "No cases yet",
        "casebook finds errors and their fixes in agent sessions.",
        (
            ("casebook import auto", "import the sessions found on this computer"),
            ("casebook demo", "open a casebook with sample data"),
            ("{view.reload}", "reload"),
        ),
        alone=True,
    )


def no_match(query: str, cases: int) -> Notice:
    """The search found nothing at all."""
    many = f"{cases:,} cases were" if cases != 1 else "One case was"
    return Notice(
        "No matching case",
        f'"{inline(query, 60)}": {many} searched by fingerprint, key, prefix and words.',
        (
            ("{find.clear}", "show all cases"),
            ("{list.back}, {fix.new}", "record this error and write its fix"),
            ("{list.back}, {case.why}", "show the trace"),
        ),
    )


def no_case() -> Notice:
    """No row is chosen: the list is empty."""
    return Notice("No case selected", "Select a case to see its fix.")


def no_trace() -> Notice:
    """No trace yet, so there is nothing to explain."""
    return Notice(
        "No trace yet",
        "After a search, this panel explains how the answer was found.",
        (("{find.focus}", "search"),),
    )


_NEXT: dict[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "db_damaged": (
        "This casebook is damaged",
        (("casebook db salvage", "recover the readable rows"), ("casebook db restore", "restore a backup")),
    ),
    "db_newer": (
        "Created by a newer casebook version",
        (("casebook --db PATH", "open another file"),),
    ),
    "db_locked": ("The casebook is locked by another program", (("{view.reload}", "retry"),)),
    "db_readonly": ("The casebook is not writable", (("casebook --db PATH", "open another file"),)),
    "io_error": (
        "Cannot read the casebook",
        (("{view.reload}", "retry"), ("casebook --db PATH", "open another file")),
    ),
    "invalid_input": ("Not a casebook database", (("casebook --db PATH", "open another file"),)),
    "timeout": ("Timed out", (("{view.reload}", "retry"),)),
}


def of_fault(fault: Fault) -> Notice:
    """A fault as a state: the plain name of it, the core's own words, what to do."""
    if fault.code == "not_indexed":
        return empty()
    what, steps = _NEXT.get(fault.code, ("Something went wrong", (("{view.reload}", "retry"),)))
    if fault.code == "db_newer":
        steps = ((installed().upgrade(), "update casebook"), *steps)
    return Notice(what, inline(fault_text(fault), _TEXT), (*steps, ("{app.quit}", "quit")), "$cb-bad")


def draw_notice(notice: Notice, signs: Signs, width: int = 0) -> Content:
    """The notice as a short centred column of lines, with the keys in force; without the steps that lost theirs.

    Short keys share a column. Steps longer than `width` cells are wrapped below their first word; 0: not known.
    """
    parts: list[tuple[str, str]] = [(inline(notice.what, 200), f"bold {notice.tone}")]
    if notice.why:
        parts += [("\n", ""), (inline(notice.why, _TEXT), "$cb-dim")]
    steps = [(signs.fill_keys(key), signs.fill_keys(does)) for key, does in notice.steps if not signs.lacks(key)]
    column = max((len(key) for key, _ in steps if len(key) <= _SHORT_KEY), default=0)
    if steps:
        parts.append(("\n", ""))
    for key, does in steps:
        text = _two_columns(key, does, max(len(key), column), width)
        parts += [("\n", ""), (key, "bold $cb-accent"), (text, "$cb-soft")]
    return Content.assemble(*parts)


def _two_columns(key: str, does: str, column: int, width: int) -> str:
    """What follows a key: its description, wrapped with a hanging indent, or below the key if there is little room."""
    lead, hang = (column + 2, column + 2) if len(key) <= _SHORT_KEY else (len(key) + 2, _HANG)
    if not width:
        return " " * (lead - len(key)) + does
    under = width - lead < _NARROW
    lines = TextWrapper(max(1, width), break_long_words=False, break_on_hyphens=False)
    lines.initial_indent = " " * (_HANG if under else lead)
    lines.subsequent_indent = " " * (_HANG if under else hang)
    rows = lines.fill(does)
    return f"\n{rows}" if under else rows[len(key) :]
