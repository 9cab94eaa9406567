"""Alignment of the quotes of whole sessions: what is still right is kept, the rest is searched."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, cast

import apsw

from core.align.result import Aligned, Span
from core.align.settings import AlignSettings
from core.evidence.events import append, evidence_images, ingested
from core.evidence.promotion import demote_lapsed, demote_unfounded
from core.evidence.rows import (
    StoredMessages,
    StoredQuote,
    anchored,
    as_stored,
    body_of,
    read_quotes,
    spans_of,
    still_right,
)
from core.store import Store, faults
from core.store.sql import number

if TYPE_CHECKING:
    from core.align import Session

_BATCH = 64
_BATCH_S = 0.5
"""Quotes, and seconds of looking for them, before what was found is written: a stop loses no more."""
DEFAULTS = AlignSettings()


@dataclass(frozen=True, slots=True)
class SessionAligned:
    """What aligning a session came to. The first counts are of all its quotes as the machine sees them now.

    `looked` quotes were looked for, the others are where they were; `changed` came out otherwise than before;
    `returned`: accepted by a person, and gone from the session; `demoted` entries rested on what is no longer there.
    """

    SCHEMA: ClassVar[str] = "evidence_alignment.v1"

    session: str
    entries: int
    quotes: int
    aligned: int = 0
    flagged: int = 0
    ambiguous: int = 0
    failed: int = 0
    accepted: int = 0
    rejected: int = 0
    waiting: int = 0
    looked: int = 0
    changed: int = 0
    returned: int = 0
    demoted: tuple[str, ...] = ()
    canceled: bool = False


@dataclass(frozen=True, slots=True)
class _Realigned:
    """What came out for one quote: a new alignment, a new anchor, or both."""

    before: StoredQuote
    aligned: Aligned | None = None
    anchor: tuple[Span, ...] | None = None


@dataclass(slots=True)
class _Run:
    store: Store
    session_id: str
    session: Session
    settings: AlignSettings
    again: bool
    grown: bool
    looked: int = 0
    changed: int = 0
    returned: int = 0
    demoted: list[str] = field(default_factory=list[str])


def align_session(
    store: Store,
    session_id: str,
    settings: AlignSettings = DEFAULTS,
    *,
    again: bool = False,
    on_progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> SessionAligned:
    """Align the quotes of a session's entries that are not where they were found, or were not found.

    Quotes that failed or were flagged are looked for again once the session has grown, or with `again`, which looks
    for every quote that no person has decided about. What a person decided stays; accepted words that moved are
    followed, and where they are gone the quote returns to the review. `on_progress(done, quotes)` and `cancelled` are
    asked between quotes. Raises what `Store.transaction` raises.
    """
    from core.align import Session

    with faults(store.path):
        messages = StoredMessages(store.con, session_id)
        rows = store.con.execute(
            "SELECT v.id FROM evidence v JOIN entry e ON e.id = v.entry_id WHERE e.session_id = ?"
            " ORDER BY v.message_index, v.id",
            (session_id,),
        ).fetchall()
        ids = [cast("int", row[0]) for row in rows]
        before = number(store.con, "SELECT messages FROM evidence_session WHERE session_id = ?", (session_id,))
        run = _Run(store, session_id, Session(messages), settings, again, len(messages) != before)
        stopped = _align_all(run, ids, on_progress, cancelled)
        if not stopped and run.grown:
            with store.transaction() as con:
                con.execute("INSERT OR REPLACE INTO evidence_session VALUES (?, ?)", (session_id, len(messages)))
        return _report(run, stopped)


def _align_all(
    run: _Run, ids: list[int], on_progress: Callable[[int, int], None] | None, cancelled: Callable[[], bool]
) -> bool:
    """Whether it was stopped before the end."""
    done = 0
    for start in range(0, len(ids), _BATCH):
        found: list[_Realigned] = []
        due = time.monotonic() + _BATCH_S
        for one in read_quotes(run.store.con, ids[start : start + _BATCH]):
            if cancelled():
                _write(run, found)
                return True
            if (new := _look(run, one)) is not None:
                found.append(new)
            if time.monotonic() > due:
                _write(run, found)
                found, due = [], time.monotonic() + _BATCH_S
            done += 1
            if on_progress is not None:
                on_progress(done, len(ids))
        _write(run, found)
    return False


def _look(run: _Run, one: StoredQuote) -> _Realigned | None:
    """What is new about a quote; None where nothing is."""
    from core.align import align_quote

    anchor: tuple[Span, ...] | None = None
    if one.verdict == "rejected":
        return None
    if one.verdict == "accepted" and one.decision is not None:
        now = anchored(run.session, one.anchor or one.decision.spans, one.decision.words)
        held = one.decision.spans if one.anchor is None else one.anchor
        anchor = None if now == held else now
        if now:
            return None if anchor is None else _Realigned(one, anchor=anchor)
    if one.aligned is not None and not run.again and not _doubtful(run, one.aligned):
        return None if anchor is None else _Realigned(one, anchor=anchor)
    run.looked += 1
    aligned = as_stored(align_quote(run.session, one.message_index, one.quote, run.settings))
    if aligned == one.aligned and anchor is None:
        return None
    return _Realigned(one, None if aligned == one.aligned else aligned, anchor)


def _doubtful(run: _Run, aligned: Aligned) -> bool:
    if aligned.status == "failed":
        return run.grown
    if not still_right(run.session.messages, aligned):
        return True
    return aligned.status == "flagged" and run.grown


def _write(run: _Run, found: list[_Realigned]) -> None:
    """Store a batch, unless a person was quicker, with its event; entries that lost their ground fall back."""
    if not found:
        return
    with run.store.transaction() as con:
        marks = {one.id: one.mark for one in read_quotes(con, [new.before.id for new in found])}
        fresh = [new for new in found if marks.get(new.before.id) == new.before.mark]
        for new in fresh:
            if new.aligned is not None:
                write_alignment(con, new.before.id, new.aligned)
            if new.anchor is not None:
                con.execute(
                    "UPDATE alignment SET anchor = ? WHERE evidence_id = ?", (spans_of(new.anchor), new.before.id)
                )
        if fresh:
            append_aligned(con, run.session_id, fresh)
            run.demoted += demote_unfounded(con, (new.before.entry_id for new in fresh))
            run.demoted += demote_lapsed(con, (new.before.entry_id for new in fresh if new.anchor == ()))
    run.changed += len(fresh)
    run.returned += sum(new.anchor == () for new in fresh)


def write_alignment(con: apsw.Connection, evidence_id: int, aligned: Aligned) -> None:
    """Store a search result, inside the caller's transaction; an existing decision stays."""
    near = aligned.status == "failed" and bool(aligned.near_misses)
    con.execute(
        "INSERT INTO alignment(evidence_id, status, method, confidence, near, body) VALUES (?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (evidence_id) DO UPDATE SET status = excluded.status, method = excluded.method,"
        " confidence = excluded.confidence, near = excluded.near, body = excluded.body",
        (evidence_id, aligned.status, aligned.method, aligned.confidence, int(near), body_of(aligned)),
    )


def append_aligned(con: apsw.Connection, session_id: str, found: list[_Realigned]) -> None:
    """Append `evidence_aligned` for a batch (evidence-aligner-v2, phase 3)."""
    source = ingested(con, session_id)
    statuses = Counter(new.aligned.status for new in found if new.aligned is not None)
    failed = [new.before.quote for new in found if new.aligned is not None and new.aligned.status == "failed"]
    body = {
        "source_event_id": source,
        "aligned_count": statuses["aligned"],
        "flagged_count": statuses["flagged"],
        "ambiguous_count": statuses["ambiguous"],
        "failed_count": statuses["failed"],
        "evidence": evidence_images(con, [new.before.id for new in found]),
        "failed_quotes": failed,
    }
    append(con, "evidence_aligned", session_id, body, source)


def _report(run: _Run, stopped: bool) -> SessionAligned:
    con = run.store.con
    rows = con.execute(
        "SELECT state, sum(quotes) FROM review_count WHERE session_id = ? GROUP BY state", (run.session_id,)
    ).fetchall()
    count = {str(state): cast("int", total) for state, total in rows}
    count["failed"] = count.get("failed", 0) + count.pop("near", 0)
    entries = number(con, "SELECT count(*) FROM entry WHERE session_id = ?", (run.session_id,))
    return SessionAligned(
        run.session_id,
        entries,
        sum(count.values()),
        **{name: count.get(name, 0) for name in _COUNTED},
        looked=run.looked,
        changed=run.changed,
        returned=run.returned,
        demoted=tuple(run.demoted),
        canceled=stopped,
    )


_COUNTED = ("aligned", "flagged", "ambiguous", "failed", "accepted", "rejected", "waiting")
