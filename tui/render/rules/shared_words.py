"""What call and rule share, as content: each word with what it adds, where in the call it is from, and the sum."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import inline
from tui.render.rules.rows import WORDS, bar

if TYPE_CHECKING:
    from core.rules.explanation.explain import Explained
    from core.rules.explanation.shared_words import SharedWord
    from core.rules.matching.answer import MatchedRule

_ROWS = 10
_TITLE = "Shared words (bm25)"
NAMES = {"root_cause": "root cause", "new_string": "added", "old_string": "around it"}
"""Fields as a person calls them."""


def head(text: str) -> Content:
    """The heading of a part."""
    return Content.styled(f"\n\n{text}\n", "bold $cb-dim")


def draw_shared(one: MatchedRule, explained: Explained | None, signs: Signs) -> Content:
    """The words that both have, those that add most first; the rest in a line, and the sum under them."""
    rows = () if explained is None else explained.shared
    if not one.hits:
        return Content.assemble(head(_TITLE), ("none", "$cb-dim"))
    if explained is None:
        return Content.assemble(head(_TITLE), (", ".join(inline(hit.term, 30) for hit in one.hits[:_ROWS]), "$cb-dim"))
    best = max(row.score for row in rows) or 1.0
    parts: list[tuple[str, str]] = []
    for row in rows[:_ROWS]:
        parts += [
            (bar(row.score / best, 6, signs), WORDS),
            (f" {row.score:>5.2f}  ", "$cb-dim"),
            (_words(row, signs), "bold $cb-text"),
            (f"  {told_source(row, signs)}\n", "$cb-dim"),
        ]
    if rest := rows[_ROWS:]:
        words = ", ".join(_words(row, signs) for row in rest)
        parts.append((f"and {sum(row.score for row in rest):.2f} by {len(rest)} more: {words}\n", "$cb-dim"))
    return Content.assemble(head(_TITLE), *parts, (_sum(one, explained), "$cb-soft"))


def _words(row: SharedWord, signs: Signs) -> str:
    return ", ".join(inline(word, 30, more=signs.more) for word in row.words)


def _sum(one: MatchedRule, explained: Explained) -> str:
    from core.rules.explanation.score_text import FULL, bounded  # loaded once a call is matched

    if one.keyword_score > bounded(explained.bm25) + 0.001:
        return f"{explained.bm25:.2f} in all, and a pattern of yours names the rule: {one.keyword_score:.2f}"
    return f"{explained.bm25:.2f} in all, {FULL:g} are full: {one.keyword_score:.2f}"


def told_source(row: SharedWord, signs: Signs) -> str:
    """Where in the call a shared word is from, and as what it stands there where that is another word."""
    said = inline(row.in_call, 40, more=signs.more)
    if row.source.startswith("pattern "):
        return f"by the pattern {inline(row.source.removeprefix('pattern '), 40)}: {said}"
    if row.source in ("tool", "language"):
        return f"by {'the tool ' if row.source == 'tool' else ''}{said}"
    if row.source == "code":
        return "the rule's code"
    place = "in a path" if row.source == "path" else f"in {inline(NAMES.get(row.source, row.source), 40)}"
    return f"{place}: {said}" if _other(row) else place


def _other(row: SharedWord) -> bool:
    """Whether the call says it in another word, not only in another form of it."""
    one, other = row.words[0].casefold(), row.in_call.casefold()
    short = min(len(one), len(other))
    return one[: max(3, short - 2)] != other[: max(3, short - 2)]
