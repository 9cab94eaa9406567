"""What the fix of a case cites from the library, and where it stands today."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from core.base.fault import Fault
from core.errors import Case
from core.errors.cases.case import Cited
from core.errors.cases.resolutions import Resolution
from core.library.citations.store import MOST_CITED, KeptCitation, anchored, citations_of, cite, cited_in
from core.store import Store, faults

CITED_BY = "resolution"


def with_citations(store: Store, case: Case, check: Callable[[], object] = lambda: None) -> Case:
    """The case with what its fix cites, each looked up anew; `check` is called between two. Raises Fault."""
    found: list[Cited] = []
    with faults(store.path):
        for fix, kept in _cited(store, case):
            check()
            now = anchored(store.con, kept)
            place = now.citation.uri if now.citation is not None else None
            found.append(
                Cited(fix.id, kept.uri, kept.quote, kept.heading_path, now.status, now.reason, place, kept.id or None)
            )
    return replace(case, citations=tuple(found))


def cite_in_case(store: Store, case: Case, name: str, author: str, quote: str | None = None) -> KeptCitation:
    """Let the fix that answers cite a passage (a chunk id or a URI); can be undone.

    Raises Fault invalid_input where the case has no fix, and what `cite` raises.
    """
    fix = answering(case)
    if fix is None:
        raise Fault("invalid_input", f"case {case.id} has no fix that could cite", "write the fix first")
    return cite(store, CITED_BY, str(fix.id), name, author, quote)


def answering(case: Case) -> Resolution | None:
    """The fix that answers for the case; None where none does."""
    return next((one for one in case.resolutions if one.current), None)


def _cited(store: Store, case: Case) -> Iterator[tuple[Resolution, KeptCitation]]:
    """What stands in the text of the fix, then what was attached to it or to those it was written over."""
    fix = answering(case)
    if fix is None:
        return
    in_text = cited_in(fix.text, str(fix.id))
    yield from ((fix, one) for one in in_text)
    known = {(one.uri, one.quote) for one in in_text}
    by_id = {one.id: one for one in case.resolutions}
    seen: set[int] = set()
    at: Resolution | None = fix
    while at is not None and at.id not in seen and len(known) < MOST_CITED:
        seen.add(at.id)
        for kept in citations_of(store, CITED_BY, str(at.id)):
            if (kept.uri, kept.quote) not in known:
                known.add((kept.uri, kept.quote))
                yield at, kept
        at = by_id.get(at.supersedes) if at.supersedes is not None else None
