"""What is wrong with the rule files, a row each: Enter opens the file at the line."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from textual.content import Content

from tui.panes.rules.tables import Table, TableScreen
from tui.render.foreign import inline, pad
from tui.render.progress import counted
from tui.render.rules import place_of
from tui.render.states import Notice

if TYPE_CHECKING:
    from core.rules.rule import Flaw
    from tui.panes.rules.screen import RulesScreen

_PLACE = 24


def problem_table(pane: RulesScreen, flaws: Sequence[Flaw]) -> TableScreen[tuple[Flaw, ...]]:
    """These problems."""
    from core.rules.rule import Flaw

    def paint(row: Hashable, width: int, chosen: bool) -> Content:
        if not isinstance(row, Flaw):
            return Content("")
        place = pad(inline(place_of(row.path, row.line), _PLACE, more=pane.signs.more), _PLACE)
        said = inline(row.message, max(1, width - _PLACE - 4), more=pane.signs.more)
        mark = pane.signs.bar if chosen else " "
        return Content.assemble((f"{mark} ", "$cb-accent"), (f"{place}  ", "$cb-dim"), (said, "$cb-text"))

    def detail(row: Hashable) -> Content:
        if not isinstance(row, Flaw):
            return Content("")
        place = f"{inline(row.path)}:{row.line}" if row.line else inline(row.path)
        return Content.assemble((inline(row.message), "$cb-text"), "\n\n", (place, "$cb-dim"))

    def take(row: Hashable) -> bool:
        if isinstance(row, Flaw):
            pane.call_after_refresh(pane.acts.edit, Path(row.path), max(1, row.line))
        return True

    table = Table(
        f"{counted(len(flaws), 'problem')} in the rule files", lambda _job: tuple(flaws), lambda found: found,
        lambda _found: "enter opens the file there", lambda _found: Notice("Nothing is wrong", "", ()),
        paint, detail, take, lambda row: isinstance(row, Flaw), direct=True,
    )  # fmt: skip
    return TableScreen(pane, table)
