"""What the Rules pane says where it has no ranking to show."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tui.render.common.empty_states import Notice
from tui.render.common.untrusted import inline, title

if TYPE_CHECKING:
    from core.base.fault import Fault
    from tui.render.rules.ranked import Ranked

_FLAWS = 5


def reading() -> Notice:
    """The first match takes a moment."""
    return Notice("Reading the rules")


def no_files(places: Sequence[Path]) -> Notice:
    """No rule file is where one was looked for."""
    looked = ", ".join(inline(str(path), 80) for path in places[:4])
    where = f"Looked for: {looked}." if looked else "The settings name none (rules.files)."
    return Notice(
        "No rule files",
        f'A rule file is Markdown with rules like "### ERR-001: title". {where}',
        (
            *((("{rules.edit}", "begins one in your editor; it is shown as soon as it is saved"),) if places else ()),
            ("casebook config init", "makes a settings file: rules.files names others"),
            ("casebook demo", "shows rules among the samples"),
        ),
    )


def no_rules(ranked: Ranked) -> Notice:
    """There are files, and not one rule in them."""
    files = ", ".join(title(path) for path in ranked.files[:3])
    flaws = "; ".join(f"line {one.line}: {title(one.message)}" for one in ranked.flaws[:_FLAWS])
    told = f" {flaws}." if flaws else ' A rule begins with "### ERR-001: title".'
    return Notice(
        "No rules in the rule files", f"{files} was read.{told}", (("{rules.edit}", "opens it in your editor"),)
    )


def no_call(ranked: Ranked, searched: str = "", tool: str = "") -> Notice:
    """Rules, and no call to ask them about; `searched`, `tool`: what was searched, and no call is like that."""
    rules = "One rule was" if ranked.rules == 1 else f"{ranked.rules:,} rules were"
    if searched or tool:
        of_tool = f" of {inline(tool, 40)}" if tool else ""
        words = f' has "{inline(searched, 60)}"' if searched else " is there"
        back = (("{find.clear}", "goes back to all calls"),) if searched else ()
        of_all = (("{rules.unfilter}", "shows the calls of all tools"),) if tool else ()
        return Notice(
            "No call matches",
            f"No call{of_tool}{words}, so no rule is ranked. {rules} read.",
            (*back, *of_all, ("{rules.type}", "types a call")),
        )
    return Notice(
        "Which rules does a tool call meet?",
        f"{rules} read. Choose a call on the left, or type one.",
        (("{rules.type}", "types a call"), ("{rules.clusters}", "shows rules that say nearly the same")),
    )


def unreadable(fault: Fault) -> Notice:
    """The rules could not be read, or not matched."""
    why = " ".join(part for part in (fault.message, fault.hint) if part)
    steps = (("{rules.edit}", "opens the rule file"), ("{view.reload}", "tries again"))
    return Notice("The rules cannot be matched", inline(why, 600), steps, "$cb-bad")
