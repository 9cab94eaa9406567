"""What a change in the history is about, in a line and whole: the quote, its entry and session, its place before and
after; of a case what was done to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content

from tui.render.common.glyphs import Signs
from tui.render.common.session_name import session_name
from tui.render.common.untrusted import inline, title

if TYPE_CHECKING:
    from core.errors.curation import Changed, ChangedQuote

_SESSION = 27
"""Cells of a session's name in a row."""
_PLACE = 40
_LINE = 400
_GONE = "it is gone"


def draw_about(one: Changed, width: int, signs: Signs) -> Content:
    """One line: the place of the quote before and after, its entry, its session; or what was done to the case."""
    if not one.quotes:
        told = _arrows("; ".join(one.what), signs)
        return Content.styled(inline(told, width, more=signs.more), "$cb-dim")
    quote, many = one.quotes[0], len(one.quotes) + one.more_quotes
    place = inline(_arrows(quote.place, signs), min(_PLACE, width), more=signs.more)
    dot = f" {signs.dot} "
    if quote.gone:
        return Content.styled(inline(f"{_GONE}{dot}{place}", width, more=signs.more), "$cb-faint")
    left = width - cell_len(place) - 2 * len(dot)
    if many == 1:
        entry = inline(quote.entry or quote.entry_id, max(0, left), more=signs.more)
        name = _session(quote, min(_SESSION, max(left // 2, left - cell_len(entry))))
        parts = (place, inline(entry, max(0, left - cell_len(name)), more=signs.more), name)
    else:
        name, rest = _session(quote, min(_SESSION, left // 2)), f" and {many - 1:,} more"
        start = inline(quote.quote, max(0, left - cell_len(name) - len(rest) - 2), more=signs.more)
        parts = (f"{_quoted(start, signs)}{rest}", place, name)
    return Content.styled(inline(dot.join(part for part in parts if part), width, more=signs.more), "$cb-dim")


def draw_quotes(one: Changed, signs: Signs) -> Content:
    """Each quote that a change is about: the start of its text, the place before and after, entry and session."""
    parts: list[tuple[str, str]] = []
    for at, quote in enumerate(one.quotes):
        place = _arrows(quote.place, signs)
        parts.append(("\n\n" if at or one.what else "\n", ""))
        if quote.gone:
            parts.append((f"The quote is gone, and its entry {title(quote.entry_id)} with it.\n", "$cb-draft"))
            parts.append((inline(place, _LINE), "$cb-dim"))
            continue
        if not one.title.endswith(quote.quote):
            parts.append((f"{_quoted(inline(quote.quote, _LINE, more=signs.more), signs)}\n", "$cb-soft"))
        parts.append((inline(place, _LINE), "$cb-text"))
        about = f"  {signs.dot}  {title(quote.entry)} ({title(quote.entry_id)})"
        parts += [(about, "$cb-dim"), (f"\nsession {_session(quote, 80)}", "$cb-dim")]
    if one.more_quotes:
        parts.append((f"\n\nand {one.more_quotes:,} more quotes", "$cb-dim"))
    return Content.assemble(*parts)


def draw_way(one: Changed, signs: Signs) -> Content:
    """The key that leads to what the change is about."""
    if signs.lacks("{list.open}") or not (one.quotes or one.cases):
        return Content("")
    there = any(not quote.gone for quote in one.quotes)
    where = "to the first of them" if len(one.quotes) > 1 else "to the quote" if there else "to the case"
    if one.quotes and not there:
        return Content("")
    return Content.styled(signs.told(f"\n\n{{list.open}} leads {where}."), "$cb-faint")


def _session(quote: ChangedQuote, cells: int) -> str:
    return session_name(quote.session, quote.started, quote.project_name or quote.project, cells)


def _arrows(text: str, signs: Signs) -> str:
    """Our own arrow, which plain ASCII lacks."""
    return text.replace("→", "->") if signs.plain else text


def _quoted(text: str, signs: Signs) -> str:
    return f'"{text}"' if signs.plain else f"“{text}”"
