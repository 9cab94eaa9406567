"""The history of the casebook, of cases and of quotes: which quote, and its place before and after."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, cast

import apsw

from core.base.fault import Fault
from core.errors.cases.resolutions import MIRRORED as OF_ERRORS
from core.errors.cases.resolutions import refresh_touched
from core.errors.curation.history import Changed, ChangedQuote, History, case_history, whole_history
from core.evidence.rows import MIRRORED as OF_EVIDENCE
from core.evidence.rows import decision_from, spans_from
from core.store import JournalEntry, RowChange, Store, Undone, row_changes, undo
from core.store.journal import Touched

MOST_QUOTES = 12
"""Maximum number of quotes of one change."""
_START = 120
"""Code points of a quote, and of an entry's title."""

_Spot = tuple[int | None, str]
"""The message of a quote, or None and a text instead."""


@dataclass(slots=True)
class _Touched:
    """What one change did to the evidence: the decisions about quotes, their words, the stages of entries."""

    decided: dict[int, RowChange] = field(default_factory=dict[int, RowChange])
    words: dict[int, str] = field(default_factory=dict[int, str])
    stages: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class _Now:
    """A quote as it is, and where the machine finds it."""

    about: ChangedQuote
    found: _Spot


def read_history(store: Store, limit: int = 50, before: int | None = None, case_id: int | None = None) -> History:
    """A page of changes, newest first; of one case, or of all. `before`: the `next` of the page before."""
    with store.moment():
        page = whole_history(store, limit, before) if case_id is None else case_history(store, case_id, limit, before)
        return replace(page, changes=_with_quotes(store, page.changes))


def decided_quotes(store: Store, change: int) -> tuple[int, ...]:
    """The quotes that this change decided about; none for a promotion."""
    return tuple(sorted(_touched(row_changes(store, change)).decided))


def _with_quotes(store: Store, changes: Sequence[Changed]) -> tuple[Changed, ...]:
    entries = _entries_of(store.con, [one.change for one in changes])
    touched = {change: _touched(row_changes(store, change)) for change in entries}
    by_change = {change: _quotes_of(store.con, one) for change, one in touched.items()}
    now = _now(store.con, {quote for ids in by_change.values() for quote in ids[:MOST_QUOTES]})
    found: list[Changed] = []
    for one in changes:
        if not one.cases and one.change not in entries:
            rules = tuple(line for row in row_changes(store, one.change) for line in _rule_lines(row))
            one = replace(one, what=(*one.what, *rules))  # noqa: PLW2901
        if (did := touched.get(one.change)) is not None:
            ids = by_change[one.change]
            only = entries[one.change][0] if len(entries[one.change]) == 1 else ""
            quotes = tuple(_changed_quote(quote, did, now.get(quote), only) for quote in ids[:MOST_QUOTES])
            what = (*one.what, *(f"entry {name}: {stage}" for name, stage in did.stages.items()))
            one = replace(one, what=what, quotes=quotes, more_quotes=len(ids) - len(quotes))  # noqa: PLW2901
        found.append(one)
    return tuple(found)


def _rule_lines(row: RowChange) -> list[str]:
    """What a change did to one draft rule: its status with the reason, and the rule file."""
    if row.table != "rule_draft" or (status := _column(row, "status")) is None:
        return []
    reason, path, rule = (_column(row, name) or ("", "") for name in ("reason", "path", "rule_id"))
    lines = [f"rule draft {row.key}: {status[0]} → {status[1]}" + (f": {_start(reason[1])}" if reason[1] else "")]
    if path[1]:
        lines.append(f"{rule[1]} written to {path[1]}")
    elif path[0]:
        lines.append(f"{rule[0]} removed from {path[0]}")
    return lines


def _entries_of(con: apsw.Connection, changes: list[int]) -> dict[int, list[str]]:
    """Those of the changes that are about entries, each with which."""
    rows = con.execute(
        "SELECT journal_id, item FROM journal_subject"
        " WHERE kind = 'entry' AND journal_id IN (SELECT value FROM json_each(?)) ORDER BY journal_id, item",
        (json.dumps(changes),),
    ).fetchall()
    found: dict[int, list[str]] = {}
    for change, item in rows:
        found.setdefault(cast("int", change), []).append(str(item))
    return found


def _touched(rows: Iterable[RowChange]) -> _Touched:
    found = _Touched()
    for row in rows:
        if row.table == "alignment" and isinstance(row.key, int):
            found.decided[row.key] = row
        elif row.table == "evidence" and isinstance(row.key, int):
            if (words := _column(row, "quote")) is not None:
                found.words[row.key] = str(words[1])
        elif row.table == "entry" and row.op == "UPDATE" and (stage := _column(row, "stage")) is not None:
            found.stages[str(row.key)] = f"{stage[0]} → {stage[1]}"
    return found


def _column(row: RowChange, column: str) -> tuple[object, object] | None:
    return next(((before, after) for name, before, after in row.columns if name == column), None)


def _quotes_of(con: apsw.Connection, did: _Touched) -> list[int]:
    """The quotes that were decided about; of an entry that was promoted all that it has."""
    if did.decided:
        return sorted(did.decided)
    rows = con.execute(
        "SELECT id FROM evidence WHERE entry_id IN (SELECT value FROM json_each(?)) ORDER BY entry_id, position",
        (json.dumps(list(did.stages)),),
    )
    return [cast("int", row[0]) for row in rows.fetchall()]


def _now(con: apsw.Connection, ids: Iterable[int]) -> dict[int, _Now]:
    rows = con.execute(
        f"SELECT v.id, substr(v.quote, 1, {_START * 2}), v.entry_id, substr(e.title, 1, {_START * 2}),"
        " coalesce(e.session_id, ''), coalesce(s.started, ''), coalesce(s.project, ''), coalesce(p.shown, ''),"
        " a.status, iif(json_valid(a.body), json_extract(a.body, '$.spans[0].message_index'), NULL)"
        " FROM evidence v JOIN entry e ON e.id = v.entry_id LEFT JOIN session s ON s.id = e.session_id"
        " LEFT JOIN session_project p ON p.session_id = s.id"
        " LEFT JOIN alignment a ON a.evidence_id = v.id WHERE v.id IN (SELECT value FROM json_each(?))",
        (json.dumps(sorted(ids)),),
    ).fetchall()
    found: dict[int, _Now] = {}
    for quote, text, entry_id, title, session, started, project, name, status, message in rows:
        about = ChangedQuote(
            cast("int", quote), _start(text), str(entry_id), _start(title), str(session), str(started), str(project),
            None, None, "", project_name=str(name),
        )  # fmt: skip
        found[about.id] = _Now(about, _to_spot(status, message))
    return found


def _to_spot(status: object, message: object) -> _Spot:
    if status in ("aligned", "flagged") and isinstance(message, int):
        return message, ""
    if status is None:
        return None, "not aligned yet"
    return None, "several locations" if status == "ambiguous" else "not found"


def _changed_quote(quote: int, did: _Touched, now: _Now | None, entry_id: str) -> ChangedQuote:
    """Return the effect of a change on one quote; for a deleted one only what the change itself records."""
    found: _Spot = (None, "unknown") if now is None else now.found
    if quote not in did.decided and now is not None:
        return replace(now.about, before=found[0], after=found[0], place=_describe_spot(found))
    columns = did.decided[quote].columns
    old = {name: str(value) for name, value, _ in columns if value is not None}
    new = {name: str(value) for name, _, value in columns if value is not None}
    before = _spot(old.get("decision"), old.get("anchor"), found)
    after = _spot(new.get("decision"), new.get("anchor"), found, reason=True)
    if now is None:
        about = ChangedQuote(quote, _start(did.words.get(quote)), entry_id, "", "", "", "", None, None, "", gone=True)
    else:
        about = replace(now.about, quote=_start(did.words.get(quote, now.about.quote)))
    return replace(about, before=before[0], after=after[0], place=_place(before, after))


def _spot(decision: str | None, anchor: str | None, found: _Spot, *, reason: bool = False) -> _Spot:
    """Return the place of a quote after that decision; without one, and if its words are gone, the found place.
    `reason`: name that of a rejection."""
    if decision is None:
        return found
    try:
        made = decision_from(decision)
        spans = made.spans if anchor is None else spans_from(anchor)
    except Fault:
        return None, "an unreadable location"
    if made.act == "reject":
        return None, f"rejected: {_start(made.reason)}" if reason and made.reason else "rejected"
    return (spans[0].message_index, "") if spans else found


def _place(before: _Spot, after: _Spot) -> str:
    if before == after:
        return after[1] or f"stays in message {after[0]}"
    if before[0] is not None and after[0] is not None:
        return f"message {before[0]} → {after[0]}"
    return f"{_describe_spot(before)} → {_describe_spot(after)}"


def _describe_spot(spot: _Spot) -> str:
    return spot[1] or f"message {spot[0]}"


def _start(text: object) -> str:
    line = " ".join(str(text or "").split())
    return line if len(line) <= _START else line[: _START - 1] + "…"


@dataclass(frozen=True, slots=True)
class UndoResult:
    """What an undo did: the changes taken back, newest first; `stopped` says why there were not more, if so."""

    SCHEMA: ClassVar[str] = "undo.v1"

    undone: tuple[JournalEntry, ...]
    changes: tuple[int, ...]
    stopped: str


def take_back(store: Store, actor: str, change: int | None = None, *, by: str | None = None) -> Undone:
    """Undo one change: the newest active one (of the actor `by`), or the one with that number; an undo is a change too.

    Raises Fault invalid_input, and changes nothing, where there is none, a row of it was changed since, or the block of
    a rule file was edited by hand.
    """

    def after(con: apsw.Connection, touched: Touched) -> None:
        refresh_touched(con, touched)
        if any(table == "resolution" for table, _ in touched):
            from core.flows.team.importing import drop_empty_cases

            drop_empty_cases(con, (key for table, key in touched if table == "error_kb" and isinstance(key, int)))
        if any(table in ("entry", "evidence", "alignment") for table, _ in touched):
            from core.evidence.review.decisions import refresh_touched as refresh_evidence

            refresh_evidence(con, touched, actor)
        if drafts := tuple(key for table, key in touched if table == "rule_draft" and isinstance(key, int)):
            from core.flows.corrections.drafts import follow_drafts

            follow_drafts(con, drafts)  # last: a rule file is written, which no rollback undoes

    return undo(store, actor, change, after=after, by=by, mirrored=OF_ERRORS | OF_EVIDENCE)


def bring_back(store: Store, actor: str, *, by: str | None = None) -> Undone:
    """Redo: undo the newest active undo (of the actor `by`), if nothing was changed after it.

    Raises Fault invalid_input where the newest change is no undo.
    """
    return take_back(store, actor, newest_undo(store, by))


def newest_undo(store: Store, by: str | None = None) -> int:
    """The number of the newest change (of the actor `by`) where that is an undo. Raises Fault invalid_input."""
    active = (
        "FROM journal WHERE undone_by IS NULL AND (?1 IS NULL OR actor = ?1)"
        " AND NOT EXISTS (SELECT 1 FROM journal u WHERE u.id = journal.undoes AND u.undoes IS NOT NULL)"
    )
    row = store.con.execute(f"SELECT id, undoes {active} ORDER BY id DESC LIMIT 1", (by,)).fetchone()
    if row is not None and row[1] is not None:
        return cast("int", row[0])
    before = store.con.execute(f"SELECT max(id) {active} AND undoes IS NOT NULL", (by,)).fetchone()
    if row is None or before is None or before[0] is None:
        raise Fault("invalid_input", "nothing to redo")
    raise Fault("invalid_input", f"nothing to redo: change {row[0]} is newer than the last undo")


def take_back_several(
    store: Store, actor: str, steps: int, *, how: Callable[[Store, str], Undone] = take_back
) -> UndoResult:
    """Undo (or redo, with `how`) changes one by one, until `steps` are done or one cannot be.

    Raises Fault if not even the first can.
    """
    done: list[Undone] = []
    stopped = ""
    while len(done) < steps and not stopped:
        try:
            done.append(how(store, actor))
        except Fault as fault:
            if not done:
                raise
            stopped = f"{fault.message} {fault.hint}".strip()
    return UndoResult(tuple(one.undid for one in done), tuple(one.id for one in done), stopped)
