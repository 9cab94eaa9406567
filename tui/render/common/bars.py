"""The first and the last line of the screen: where one is, and what one can do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual.content import Content
from textual.style import Style

from tui.actions.keys import key_name
from tui.actions.registry import Action
from tui.render.common.untrusted import inline

_NAME = " casebook "


@dataclass(frozen=True, slots=True)
class Tab:
    """A pane as the first line names it: its name, its key as people write it, and the action that goes there."""

    name: str
    key: str
    action: str


@dataclass(frozen=True, slots=True)
class Place:
    """What the first line tells: the casebook's name, how many cases, why it cannot be written, and the pane."""

    name: str
    cases: int | None = None
    readonly: str = ""
    pane: str = "Errors"


def draw_top(place: Place, width: int, tabs: Sequence[Tab] = (), *, ascii_only: bool = False) -> Content:
    """The first line: the panes on the left, the file on the right; the file gives way first, then the other panes."""
    left = _left(place, tabs if _tabs_fit(place, tabs, width) else ())
    right: list[tuple[str, str]] = []
    if place.readonly:
        right.append(("read-only  ", "$cb-draft"))
    if place.cases is not None:
        right.append((f"{place.cases:,} {'case' if place.cases == 1 else 'cases'}  ", "$cb-dim"))
    room = width - left.cell_length - _cells(right) - 3
    if room < 0:
        right = right[:1] if place.readonly else []
        room = width - left.cell_length - _cells(right) - 3
    if room >= 6:
        right.append((inline(place.name, min(room, 48), more="~" if ascii_only else "…") + " ", "$cb-soft"))
    gap = width - left.cell_length - _cells(right)
    return Content.assemble(left, " " * gap, *right) if gap >= 0 else left


def tab_places(place: Place, width: int, tabs: Sequence[Tab]) -> tuple[tuple[int, str], ...]:
    """The column where each tab begins in the first line, and its action; none where they have no room."""
    found: list[tuple[int, str]] = []
    at = cell_len(_NAME)
    for tab in tabs if _tabs_fit(place, tabs, width) else ():
        found.append((at, tab.action))
        at += _tab(tab, here=False).cell_length
    return tuple(found)


def _tabs_fit(place: Place, tabs: Sequence[Tab], width: int) -> bool:
    return _left(place, tabs).cell_length <= width - 12


def _left(place: Place, tabs: Sequence[Tab]) -> Content:
    """The name, and each pane with its key; the one that is open stands out."""
    name = (_NAME, "bold $cb-accent")
    if not tabs:
        return Content.assemble(name, (f" {place.pane}", "bold $cb-text"))
    return Content.assemble(name, *(_tab(tab, tab.name == place.pane) for tab in tabs))


def _tab(tab: Tab, here: bool) -> Content:
    tone = "bold $cb-text" if here else "$cb-dim"
    text = Content.assemble((f" {tab.key} ", "bold $cb-accent" if here else "$cb-dim"), (f"{tab.name} ", tone))
    return text.stylize(Style.from_meta({"perform": tab.action}))


def draw_footer(offers: Sequence[tuple[Action, str]], width: int, *, ascii_only: bool = False) -> Content:
    """The keys that matter now, as many as fit; help always does, at the right."""
    last = [offer for offer in offers if offer[0].id == "app.help"]
    room = width - sum(_offer_cells(offer, ascii_only) for offer in last)
    shown: list[tuple[Action, str]] = []
    for offer in offers:
        if offer in last:
            continue
        need = _offer_cells(offer, ascii_only)
        if need > room:
            continue  # a shorter one may fit
        room -= need
        shown.append(offer)
    parts = [_offer(offer, ascii_only) for offer in shown]
    if room >= 0:
        parts += [Content(" " * room), *(_offer(offer, ascii_only) for offer in last)]
    return Content.assemble(*parts)


def _offer(offer: tuple[Action, str], ascii_only: bool) -> Content:
    action, key = offer
    text = Content.assemble(
        (f" {key_name(key, ascii_only=ascii_only)} ", "bold $cb-accent"), (f"{action.hint} ", "$cb-dim")
    )
    return text.stylize(Style.from_meta({"perform": action.id}))


def _offer_cells(offer: tuple[Action, str], ascii_only: bool) -> int:
    return cell_len(f" {key_name(offer[1], ascii_only=ascii_only)} {offer[0].hint} ")


def _cells(parts: Sequence[tuple[str, str]]) -> int:
    return sum(cell_len(text) for text, _ in parts)
