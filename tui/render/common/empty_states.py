"""What a pane says when it has nothing to show: what, why, and the next key or command."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.content import Content

from core.base.installation import installed
from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import inline

if TYPE_CHECKING:
    from core.base.fault import Fault

_TEXT = 600


@dataclass(frozen=True, slots=True)
class Notice:
    """One state in words: `what` it is, `why`, and `steps`, pairs of a key or command and what it does.

    A key is written as its action, `{find.clear}`: which one it is, `draw_notice` knows.
    """

    what: str
    why: str = ""
    steps: tuple[tuple[str, str], ...] = ()
    tone: str = "$cb-text"


def loading() -> Notice:
    """The first read takes longer than a moment."""
    return Notice(
        "Reading the casebook", "A large file takes a moment the first time.", (("{app.quit}", "quits at once"),)
    )


def empty() -> Notice:
    """A casebook without a single case."""
    return Notice(
        "No cases yet",
        "Errors and their fixes are read from your agents' sessions.",
        (
            ("casebook import auto", "reads the sessions found on this computer"),
            ("casebook demo", "shows a casebook filled with samples"),
            ("{view.reload}", "looks again"),
        ),
    )


def no_match(query: str, cases: int) -> Notice:
    """The search found nothing at all."""
    many = f"{cases:,} cases were" if cases != 1 else "One case was"
    return Notice(
        "Nothing like it is known",
        f'"{inline(query, 60)}": {many} searched by fingerprint, by key, by how they begin and by their words.',
        (("{find.clear}", "goes back to all cases"), ("{list.back}, {case.why}", "shows each step of the search")),
    )


def no_case() -> Notice:
    """No row is chosen: the list is empty."""
    return Notice("No case chosen", "The fix of the chosen case is shown here.")


def no_trace() -> Notice:
    """Nothing was searched, so there is nothing to explain."""
    return Notice(
        "Nothing was searched",
        "The list shows the cases as they are. After a search, this says which steps led to the answer.",
        (("{find.focus}", "starts a search"),),
    )


_NEXT: dict[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "db_damaged": (
        "This casebook is damaged",
        (("casebook db salvage", "saves the readable rows"), ("casebook db restore", "brings a backup back")),
    ),
    "db_newer": (
        "A newer casebook wrote this file",
        (("casebook --db PATH", "opens another file"),),
    ),
    "db_locked": ("Another program holds the casebook", (("{view.reload}", "tries again"),)),
    "db_readonly": ("The casebook cannot be written", (("casebook --db PATH", "opens another file"),)),
    "io_error": (
        "The casebook cannot be read",
        (("{view.reload}", "tries again"), ("casebook --db PATH", "opens another file")),
    ),
    "invalid_input": ("This file is no casebook", (("casebook --db PATH", "opens another file"),)),
    "timeout": ("That took too long", (("{view.reload}", "tries again"),)),
}


def of_fault(fault: Fault) -> Notice:
    """A fault as a state: the plain name of it, the core's own words, what to do."""
    if fault.code == "not_indexed":
        return empty()
    what, steps = _NEXT.get(fault.code, ("Something went wrong", (("{view.reload}", "tries again"),)))
    if fault.code == "db_newer":
        steps = ((installed().upgrade(), "updates this program"), *steps)
    why = " ".join(part for part in (fault.message, fault.hint) if part)
    return Notice(what, inline(why, _TEXT), (*steps, ("{app.quit}", "quits")), "$cb-bad")


def draw_notice(notice: Notice, signs: Signs) -> Content:
    """The notice as a short centred column of lines, with the keys in force; without the steps that lost theirs."""
    parts: list[tuple[str, str]] = [(inline(notice.what, 200), f"bold {notice.tone}")]
    if notice.why:
        parts += [("\n", ""), (inline(notice.why, _TEXT), "$cb-dim")]
    steps = [step for step in notice.steps if not signs.lacks(step[0])]
    if steps:
        parts.append(("\n", ""))
    for key, does in steps:
        parts += [("\n", ""), (signs.told(key), "bold $cb-accent"), (f"  {signs.told(does)}", "$cb-soft")]
    return Content.assemble(*parts)
