"""What is wrong with the rule files, a row each: Enter opens the file at the line, and leads back to the rest."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from textual.content import Content

from tui.panes.rules.tables import Table, TableScreen
from tui.render.common.empty_states import Notice
from tui.render.common.untrusted import inline, pad
from tui.render.rules.rows import place_of

if TYPE_CHECKING:
    from core.rules.format.rule import Flaw
    from tui.panes.rules.screen import RulesScreen
    from tui.runtime.jobs import Job
    from tui.services.rule_sources import Sources

_PLACE = 24


def problem_table(pane: RulesScreen, flaws: Sequence[Flaw]) -> TableScreen[tuple[Flaw, ...]]:
    """These problems, those that cost most first."""
    from core.rules.format.rule import Flaw, counted_flaws, dearest_first, folded

    def paint(row: Hashable, width: int, chosen: bool) -> Content:
        if not isinstance(row, Flaw):
            return Content("")
        place = pad(inline(place_of(row.path, row.line), _PLACE, more=pane.signs.more), _PLACE)
        said = inline(row.message, max(1, width - _PLACE - 4), more=pane.signs.more)
        mark = pane.signs.bar if chosen else " "
        return Content.assemble(
            (f"{mark} ", "$cb-accent"), (f"{place}  ", "$cb-dim"), (said, _tone(row, chosen=chosen))
        )

    def detail(row: Hashable) -> Content:
        if not isinstance(row, Flaw):
            return Content("")
        place = f"{inline(row.path)}:{row.line}" if row.line else inline(row.path)
        return Content.assemble((inline(row.message), "$cb-text"), "\n\n", (place, "$cb-dim"))

    def take(row: Hashable) -> bool:
        """Into the editor, and back to what is left: the table stays."""
        nonlocal left
        if isinstance(row, Flaw):
            pane.acts.edit(Path(row.path), max(1, row.line))
            left = None
            shown.work_out()
        return False

    def work(_job: Job[tuple[Flaw, ...]]) -> tuple[Flaw, ...]:
        return dearest_first(_read(pane.matching.sources) if left is None else left)

    def told(found: tuple[Flaw, ...]) -> str:
        return f"{counted_flaws(found)}; enter opens the file there" if found else ""

    left: Sequence[Flaw] | None = flaws
    nothing = Notice("Nothing is wrong", "", (("{table.back}", "goes back"),))
    table = Table(
        "Problems in the rule files", work, folded, told, lambda _found: nothing,
        paint, detail, take, lambda row: isinstance(row, Flaw), "Nothing is wrong with the rule files.", direct=True,
    )  # fmt: skip
    shown = TableScreen(pane, table)
    return shown


def _read(sources: Sources) -> tuple[Flaw, ...]:
    """What is wrong with the files as they are now. Raises Fault."""
    from core.rules.format.parse import joined, parse

    return joined(parse(path, scope=scope) for path, scope in sources.files()).flaws


def _tone(flaw: Flaw, *, chosen: bool) -> str:
    """What is lost stands out, and what a rule can do without is dim."""
    if flaw.cost == "lost":
        return "$cb-bad"
    return "$cb-dim" if flaw.cost == "missing" and not chosen else "$cb-text"
