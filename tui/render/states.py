"""What a pane says when it has nothing to show: what, why, and the next key or command."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.content import Content

from tui.render.foreign import inline

if TYPE_CHECKING:
    from core.fault import Fault

_TEXT = 600


@dataclass(frozen=True, slots=True)
class Notice:
    """One state in words: `what` it is, `why`, and `steps`, pairs of a key or command and what it does."""

    what: str
    why: str = ""
    steps: tuple[tuple[str, str], ...] = ()
    tone: str = "$cb-text"


def loading() -> Notice:
    """The first read takes longer than a moment."""
    return Notice("Reading the casebook", "A large file takes a moment the first time.", (("^q", "quits at once"),))


def empty() -> Notice:
    """A casebook without a single case."""
    return Notice(
        "No cases yet",
        "Errors and their fixes are read from your agents' sessions.",
        (
            ("casebook import auto", "reads the sessions found on this computer"),
            ("casebook demo", "shows a casebook filled with samples"),
            ("F5", "looks again"),
        ),
    )


def no_match(query: str, cases: int) -> Notice:
    """The search found nothing at all."""
    many = f"{cases:,} cases were" if cases != 1 else "One case was"
    return Notice(
        "Nothing like it is known",
        f'"{inline(query, 60)}": {many} searched by fingerprint, by key, by how they begin and by their words.',
        (("^l", "goes back to all cases"), ("esc, t", "shows each step of the search")),
    )


def no_case() -> Notice:
    """No row is chosen."""
    return Notice("No case chosen", "Choose one in the list to see its fix here.", (("enter", "opens it"),))


def no_trace() -> Notice:
    """Nothing was searched, so there is nothing to explain."""
    return Notice(
        "Nothing was searched",
        "The list shows the cases as they are. After a search, this says which steps led to the answer.",
        (("/", "starts a search"),),
    )


_NEXT: dict[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "db_damaged": (
        "This casebook is damaged",
        (("casebook db salvage", "saves the readable rows"), ("casebook db restore", "brings a backup back")),
    ),
    "db_newer": (
        "A newer casebook wrote this file",
        (("uv tool upgrade casebook", "updates this program"), ("casebook --db PATH", "opens another file")),
    ),
    "db_locked": ("Another program holds the casebook", (("F5", "tries again"),)),
    "db_readonly": ("The casebook cannot be written", (("casebook --db PATH", "opens another file"),)),
    "io_error": ("The casebook cannot be read", (("F5", "tries again"), ("casebook --db PATH", "opens another file"))),
    "invalid_input": ("This file is no casebook", (("casebook --db PATH", "opens another file"),)),
    "timeout": ("That took too long", (("F5", "tries again"),)),
}


def of_fault(fault: Fault) -> Notice:
    """A fault as a state: the plain name of it, the core's own words, what to do."""
    if fault.code == "not_indexed":
        return empty()
    what, steps = _NEXT.get(fault.code, ("Something went wrong", (("F5", "tries again"),)))
    why = " ".join(part for part in (fault.message, fault.hint) if part)
    return Notice(what, inline(why, _TEXT), (*steps, ("^q", "quits")), "$cb-bad")


def draw_notice(notice: Notice) -> Content:
    """The notice as a short centred column of lines."""
    parts: list[tuple[str, str]] = [(inline(notice.what, 200), f"bold {notice.tone}")]
    if notice.why:
        parts += [("\n", ""), (inline(notice.why, _TEXT), "$cb-dim")]
    if notice.steps:
        parts.append(("\n", ""))
    for key, does in notice.steps:
        parts += [("\n", ""), (key, "bold $cb-accent"), (f"  {does}", "$cb-soft")]
    return Content.assemble(*parts)
