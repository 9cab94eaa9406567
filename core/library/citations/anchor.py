"""Where a kept citation stands today: attached, moved with its words, or detached from them.

The words are looked for by the aligner that quotes of transcripts go through: what says something else now (another
number, a lost "not") is not the passage any more, however like it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import apsw

from core.align import Aligned, AlignSettings, Session, align_quote
from core.base.trace import Step, facts
from core.library.citations.citation import Citation, LineCitation, first_line, parse, place
from core.library.citations.store import KeptCitation
from core.library.documents.read import chunks_by_id, chunks_of, document_at
from core.library.documents.rows import Chunk
from core.library.search.lexical import lexical_search
from core.library.search.lexical_query import lexical_query
from core.library.search.rows import citation_of, passages

_ELSEWHERE: Final = 20  # passages of other documents that are looked at where its own is gone
_EXACT: Final = AlignSettings(enable_fuzzy=False)
_SLIPS: Final = AlignSettings()


@dataclass(frozen=True, slots=True)
class Anchored:
    """Where a citation stands. `citation`: its place today; of a detached one the likest place, or null.

    `changed`: what is said otherwise there; `similarity` of the words, 0 to 1.
    """

    status: Literal["attached", "moved", "detached"]
    reason: str
    citation: Citation | None
    similarity: float
    changed: tuple[str, ...] = ()
    trace: tuple[Step, ...] = ()


def anchored(con: apsw.Connection, kept: KeptCitation) -> Anchored:
    """Look for the words in their document; where that is gone, word for word in the others. Raises apsw errors."""
    doc = document_at(con, kept.workspace_path)
    if doc is not None:
        return _within(con, kept, chunks_of(con, doc.doc_id))
    ranked = lexical_search(con, lexical_query(kept.quote), None, _ELSEWHERE)
    rows = chunks_by_id(con, ranked.ids)
    found = _within(con, kept, [rows[item] for item in ranked.ids if item in rows], _EXACT)
    gone = f"{kept.workspace_path} is not in the library any more"
    if found.status == "detached":
        return Anchored("detached", gone, None, 0.0, trace=(Step("document", "miss", gone), *found.trace))
    trace = (Step("document", "miss", gone), *found.trace)
    return Anchored("moved", f"{gone}; the same words stand elsewhere", found.citation, found.similarity, trace=trace)


def _within(
    con: apsw.Connection, kept: KeptCitation, rows: Sequence[Chunk], settings: AlignSettings = _SLIPS
) -> Anchored:
    if not rows:
        return Anchored("detached", "the document has no text any more", None, 0.0)
    expected = _expected(kept, rows)
    found = align_quote(Session([one.text for one in rows]), expected, kept.quote, settings)
    at = _place(kept, rows, expected, found)
    where = None if at is None else citation_of(passages(con, [rows[at].id])[rows[at].id])
    step = Step(
        "align",
        "hit" if found.status in ("aligned", "ambiguous") else "rejected" if found.status == "flagged" else "miss",
        found.status if found.failure is None else found.failure,
        facts(method=found.method, similarity=round(found.similarity, 4), passages=len(rows)),
        found.trace,
    )
    if found.status == "flagged":
        why = tuple(str(one) for one in found.concerns)
        return Anchored("detached", "it says something else now", where, found.similarity, why, (step,))
    if found.status == "failed" or where is None:
        return Anchored("detached", "its words are not there any more", where, found.similarity, trace=(step,))
    same = _same(place(where), parse(kept.uri))
    words = "word for word" if found.method == "exact" else "with slips of spelling" if found.method == "fuzzy" else ""
    said = f"it stands {'where it stood' if same else 'elsewhere now'}" + (f", {words}" if words else "")
    return Anchored("attached" if same else "moved", said, where, found.similarity, trace=(step,))


def _same(now: Citation, before: Citation) -> bool:
    """Whether it begins where it began: how long a passage is changes with what is written below it."""
    if isinstance(now, LineCitation) and isinstance(before, LineCitation):
        return (now.path, now.start) == (before.path, before.start)
    return now == before


def _expected(kept: KeptCitation, rows: Sequence[Chunk]) -> int:
    """The passage to look in first: under the same headings, the nearest to its old line."""
    line = first_line(parse(kept.uri))
    return min(
        range(len(rows)),
        key=lambda at: (rows[at].heading_path != kept.heading_path, abs((rows[at].line_start or 1) - line), at),
    )


def _place(kept: KeptCitation, rows: Sequence[Chunk], expected: int, found: Aligned) -> int | None:
    """The passage it stands in; of several places the one with the same headings and the same words around."""
    if found.status == "failed":
        return found.near_misses[0].span.message_index if found.near_misses else None
    places = [(span.message_index, span.start, span.end) for span in found.spans]
    if found.status != "ambiguous":
        return places[0][0]

    def fits(one: tuple[int, int, int]) -> tuple[bool, bool, int]:
        at, start, end = one
        text = rows[at].text
        around = text[:start].endswith(kept.prefix) and text[end:].startswith(kept.suffix)
        return rows[at].heading_path == kept.heading_path, around, -abs(at - expected)

    return max(places, key=fits)[0]
