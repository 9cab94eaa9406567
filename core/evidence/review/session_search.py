"""Looking elsewhere for a quote: in another message of its session, or for any words in the whole session."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from core.align import AlignSettings, Session, Span, ViewCache, align_quote
from core.align.exact_match import find
from core.align.normalization.normalized_view import View
from core.base.fault import Fault
from core.evidence.messages import StoredMessages
from core.evidence.rows import kept
from core.store import Store

_AROUND = 120
_MOST = 200


@dataclass(frozen=True, slots=True)
class Seen:
    """A place in a session: its span, and a line of what stands around it (`text[start:end]` are the words there)."""

    span: Span
    similarity: float
    text: str
    start: int
    end: int


def find_in_session(
    store: Store,
    session_id: str,
    words: str,
    *,
    near: int = 0,
    limit: int = 50,
    cancelled: Callable[[], bool] = lambda: False,
    cache: ViewCache | None = None,
) -> tuple[Seen, ...]:
    """Where words stand in a session, by the forms in which quotes are compared; nearest to the message `near` first.

    Pass the same `cache` again and the next search takes a fraction of the time. For a job: it reads every message.
    """
    if not words.strip():
        return ()
    messages = StoredMessages(store.con, session_id)
    session, wanted = Session(messages, cache), View(words)
    near = min(max(near, 0), max(len(messages) - 1, 0))
    found: list[Seen] = []
    for index in (near, *session.others(near)) if len(messages) else ():
        if cancelled() or len(found) >= min(limit, _MOST):
            break
        hit = find(session.view(index), wanted)
        for start, end in hit.spans if hit is not None else ():
            found.append(_seen(messages[index], Span(index, start, end), 1.0))
    return tuple(found[:limit])


def look_in(
    store: Store, evidence_id: int, message_index: int, settings: AlignSettings | None = None
) -> tuple[Seen, ...]:
    """The places of a quote in one message of its session, the best first, near misses included; none: it is not there.

    Raises Fault not_indexed where there is no such quote.
    """
    one = kept(store.con, evidence_id)
    if one is None:
        raise Fault("not_indexed", f"there is no quote {evidence_id}", "see casebook evidence list")
    messages = StoredMessages(store.con, one.session_id)
    if not 0 <= message_index < len(messages):
        return ()
    text = messages[message_index]
    found = align_quote(Session([text]), 0, one.quote, settings or AlignSettings())
    places = [(miss.span, miss.similarity) for miss in found.near_misses]
    if found.status == "ambiguous":
        places = [(span, found.similarity) for span in found.spans]
    elif found.spans:
        whole = Span(0, found.spans[0].start, found.spans[-1].end)
        places = [(whole, found.similarity)]
    return tuple(_seen(text, replace(span, message_index=message_index), like) for span, like in places)


def _seen(text: str, span: Span, similarity: float) -> Seen:
    low, high = max(0, span.start - _AROUND), min(len(text), max(span.end, span.start) + _AROUND)
    return Seen(span, similarity, text[low:high], span.start - low, span.end - low)
