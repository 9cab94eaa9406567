"""Whether words still stand where they stood, and where they moved."""

from __future__ import annotations

from collections.abc import Sequence

from core.align import Aligned, Session, Span
from core.align.result import hash_of


def words_at(messages: Sequence[str], spans: Sequence[Span]) -> tuple[str, ...] | None:
    """What stands at the spans; None where one reaches out of its message."""
    found: list[str] = []
    for span in spans:
        text = messages[span.message_index] if span.message_index < len(messages) else ""
        if span.end > len(text):
            return None
        found.append(text[span.start : span.end])
    return tuple(found)


def still_right(messages: Sequence[str], aligned: Aligned) -> bool:
    """Whether the text that an alignment matched stands where it was found."""
    spans = aligned.spans[:1] if aligned.status == "ambiguous" else aligned.spans
    words = words_at(messages, spans) if spans else None
    return words is not None and hash_of("".join(words)) == aligned.matched_hash


def anchored(session: Session, spans: Sequence[Span], words: Sequence[str]) -> tuple[Span, ...]:
    """Where the accepted words stand now: where they stood, else at the one place of the nearest message that has them.

    Nothing where they are nowhere, or where it cannot be told which of several places is theirs.
    """
    if words_at(session.messages, spans) == tuple(words):
        return tuple(spans)
    at = spans[0].message_index
    for index in (at, *session.others(at)) if at < len(session.messages) else range(len(session.messages))[::-1]:
        text = session.messages[index]
        starts: list[int] = []
        reached = 0
        for word in words:
            start = text.find(word, reached)
            if start < 0:
                break
            starts.append(start)
            reached = start + len(word)
        if len(starts) == len(words):
            if text.find(words[0], starts[0] + 1) >= 0:
                return ()
            return tuple(Span(index, start, start + len(word)) for start, word in zip(starts, words, strict=True))
    return ()
