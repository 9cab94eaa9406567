"""Fixes of an error: appended to its history, never overwritten (error-kb REQ-RA-003, decision 6).

Taking back what was done to errors, and bringing what is derived from them up to date.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, cast

import apsw

from core.errors.cases.derived import (
    ANSWERS,
    CURRENT_FIRST,
    OWN_FIRST,
    current_resolution,
    index_case,
    message_numbers,
    mirror_current,
    name_tool,
    parse_names,
    refresh_case,
)
from core.errors.fixes import AGENT, AUTHOR, Evidence, strength_of, weakness_of, worth_of
from core.errors.lessons import Deed, Lesson, deed, lesson_json, parse_lesson, read_lesson
from core.errors.retrieval.answer import Source, Status, Strength, Worth
from core.text import redact

_TEXT_KEYS = ("resolution", "fix", "text", "summary")
_KNOWN_KEYS = {*_TEXT_KEYS, "toolSequence", "tool_sequence", "resolvedBy", "resolved_by", "errorRaw", "error_raw"}


def readable(resolution: str) -> tuple[str, str | None]:
    """A resolution as text for people: the seed stored JSON, which becomes a list and is kept as the original.

    An array of texts is one of tools.
    """
    try:
        value: object = json.loads(resolution)
    except (ValueError, RecursionError):
        return resolution, None
    if isinstance(value, list) and value:
        items = cast("list[object]", value)
        if all(isinstance(item, str) for item in items):
            return "Steps: " + " → ".join(map(str, items)), resolution
        return "\n".join(f"- {json.dumps(item, ensure_ascii=False)}" for item in items), resolution
    if not isinstance(value, dict):
        return (value, resolution) if isinstance(value, str) else (resolution, None)
    details = cast("dict[str, object]", value)
    text = next((details[key] for key in _TEXT_KEYS if isinstance(details.get(key), str)), "")
    lines = [str(text)] if text else []
    tools = details.get("toolSequence", details.get("tool_sequence"))
    if isinstance(tools, list) and tools:
        lines.append("Steps: " + " → ".join(str(tool) for tool in cast("list[object]", tools)))
    by = details.get("resolvedBy", details.get("resolved_by"))
    if isinstance(by, str) and by:
        lines.append(f"Resolved by: {by}")
    lines.extend(f"- {key}: {item}" for key, item in details.items() if key not in _KNOWN_KEYS)
    return "\n".join(lines) or resolution, resolution


TEXT_KEPT = 65_536
"""Code points of one resolution."""

_COLUMNS = (
    "id, fingerprint, text, status, resolved_by, tool_sequence, author, session_id, message_ids, supersedes, ts,"
    f" tags, reason, replaced_by, original, lesson, NOT ({ANSWERS}) AS silent"
)


class _ResolutionRow(NamedTuple):
    """The columns of `_COLUMNS`; `silent`: whether the fix may not answer."""

    id: int
    fingerprint: str | None
    text: str
    status: Status
    resolved_by: str | None
    tool_sequence: str | None
    author: str
    session_id: str | None
    message_ids: str
    supersedes: int | None
    ts: str
    tags: str
    reason: str
    replaced_by: int | None
    original: str | None
    lesson: str | None
    silent: int


@dataclass(frozen=True, slots=True)
class Resolution:
    """One resolution of a case. `fingerprint` None: it holds for the whole case. `current`: the one that answers.

    `reason` says why it was rejected; `replaced_by` is the one that a person wrote in its place. `strength`: how good
    it is (decision 3b), `weakness` why it is weak; `worth` is what a harvest says of its own draft; `lesson` is None
    where the text is all there is.
    """

    id: int
    fingerprint: str | None
    text: str
    status: Status
    resolved_by: str | None
    tool_sequence: tuple[str, ...]
    author: str
    source: Source
    supersedes: int | None
    ts: str
    current: bool
    tags: tuple[str, ...] = ()
    reason: str = ""
    replaced_by: int | None = None
    strength: Strength = "strong"
    weakness: str = ""
    worth: Worth | None = None
    lesson: Lesson | None = None

    @property
    def fixed_by(self) -> str | None:
        """Who or what fixed the error: the person who rewrote a harvested fix, else `resolved_by`."""
        is_tool = self.resolved_by in self.tool_sequence
        is_rewritten = self.supersedes is not None and self.author not in MACHINES
        return self.author if is_tool and is_rewritten else self.resolved_by


MACHINES: Final = frozenset({"harvest", "import", "record", "hook", "team", AGENT})
"""Authors that are no persons."""


def dump_names(names: Sequence[str]) -> str | None:
    """A `tool_sequence` column: a JSON array of names, or NULL for none."""
    if not names:
        return None
    kept = {name: redact(name) for name in set(names)}  # a session repeats few names many times
    return json.dumps([kept[name] for name in names], ensure_ascii=False)


def add_resolution(
    con: apsw.Connection,
    case_id: int,
    fingerprint: str | None,
    text: str,
    *,
    status: Status = "draft",
    resolved_by: str | None = None,
    tool_sequence: Sequence[str] = (),
    author: str,
    session_id: str | None = None,
    message_ids: Sequence[int] = (),
    ts: str,
    original: str | None = None,
    tags: Sequence[str] = (),
    lesson: Lesson | None = None,
) -> int | None:
    """Add a resolution inside the caller's transaction and make the case show the one that now answers.

    Returns its id, or None where a harvested one of the same session, error and messages is already there.
    """
    adopt_mirror(con, case_id)
    added = insert_resolution(
        con,
        case_id,
        fingerprint,
        text,
        status=status,
        resolved_by=resolved_by,
        tool_sequence=tool_sequence,
        author=author,
        session_id=session_id,
        message_ids=message_ids,
        supersedes=current_resolution(con, case_id),
        ts=ts,
        original=original,
        tags=tags,
        lesson=lesson,
    )
    if added is not None:
        mirror_current(con, case_id)
        index_case(con, case_id)
    return added


INSERT_RESOLUTION: Final = (
    "INSERT OR IGNORE INTO resolution(case_id, fingerprint, text, status, resolved_by, tool_sequence, author,"
    " session_id, message_ids, supersedes, ts, original, tags, reason, lesson)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


def insert_resolution(
    con: apsw.Connection,
    case_id: int,
    fingerprint: str | None,
    text: str,
    *,
    status: Status,
    resolved_by: str | None,
    tool_sequence: Sequence[str],
    author: str,
    session_id: str | None,
    message_ids: Sequence[int],
    supersedes: int | None,
    ts: str,
    original: str | None = None,
    tags: Sequence[str] = (),
    reason: str = "",
    rejected: Collection[Deed] | None = None,
    lesson: Lesson | None = None,
) -> int | None:
    """The row alone, as `add_resolution` writes it: nothing of the case is brought up to date.

    A harvest stores again as rejected what a person rejected. `rejected`: the `rejected_deeds`, where they are known.
    """
    kept, lesson_kept = redact(text)[:TEXT_KEPT], stored_lesson(lesson)
    if status == "draft" and author == "harvest":
        refused = rejected_deeds(con, case_id) if rejected is None else rejected
        own = {deed(kept, None), deed(kept, parse_lesson(lesson_kept))} if refused else set[Deed]()
        status = "draft" if own.isdisjoint(refused) else "rejected"
    con.execute(
        INSERT_RESOLUTION,
        (
            case_id,
            fingerprint,
            kept,
            status,
            None if resolved_by is None else redact(resolved_by),
            dump_names(tool_sequence),
            author,
            session_id,
            json.dumps(list(message_ids)),
            supersedes,
            ts,
            None if original is None else redact(original)[:TEXT_KEPT],
            dump_names(tags) or "[]",
            redact(reason),
            lesson_kept,
        ),
    )
    return con.last_insert_rowid() if con.changes() else None


def stored_lesson(lesson: Lesson | None) -> str | None:
    """A lesson as the row of its fix keeps it."""
    return None if lesson is None else redact(lesson_json(lesson))[:TEXT_KEPT]


def rejected_deeds(con: apsw.Connection, case_id: int) -> frozenset[Deed]:
    """What a person said is no fix of the case: each text, and what it does."""
    sql = "SELECT text, lesson FROM resolution WHERE case_id = ? AND status = 'rejected'"
    rows = cast("list[tuple[str, str | None]]", con.execute(sql, (case_id,)).fetchall())
    return frozenset(deed(text, known) for text, stored in rows for known in (None, parse_lesson(stored)))


def resolutions_of(con: apsw.Connection, case_id: int, most: int = 200) -> tuple[Resolution, ...]:
    """The resolutions of a case, the one that answers first, rejected ones last; all of them with `most` -1."""
    rows = con.execute(
        f"SELECT {_COLUMNS} FROM resolution WHERE case_id = ? ORDER BY silent, {CURRENT_FIRST} LIMIT ?",
        (case_id, most),
    ).fetchall()
    return tuple(
        _resolution(con, row, current=at == 0 and not row.silent)
        for at, row in enumerate(_ResolutionRow._make(row) for row in rows)
    )


def answering(con: apsw.Connection, case_id: int, fingerprint: str | None = None) -> Resolution | None:
    """The resolution that answers for the case or, with `fingerprint`, for that finer case (its own first)."""
    only, values, order = "", (case_id,), CURRENT_FIRST
    if fingerprint is not None:
        only, values, order = " AND (fingerprint = ? OR fingerprint IS NULL)", (case_id, fingerprint), OWN_FIRST
    row = con.execute(
        f"SELECT {_COLUMNS} FROM resolution WHERE case_id = ? AND {ANSWERS}{only} ORDER BY {order} LIMIT 1", values
    ).fetchone()
    return None if row is None else _resolution(con, _ResolutionRow._make(row), current=True)


def resolution(con: apsw.Connection, case_id: int, resolution_id: int) -> Resolution | None:
    """One resolution of a case, whether it answers or not; `current` only says that it may."""
    row = con.execute(
        f"SELECT {_COLUMNS} FROM resolution WHERE case_id = ? AND id = ?", (case_id, resolution_id)
    ).fetchone()
    if row is None:
        return None
    stored = _ResolutionRow._make(row)
    return _resolution(con, stored, current=not stored.silent)


def _resolution(con: apsw.Connection, row: _ResolutionRow, *, current: bool) -> Resolution:
    return Resolution(
        id=row.id,
        fingerprint=row.fingerprint,
        text=row.text,
        status=row.status,
        resolved_by=row.resolved_by,
        tool_sequence=parse_names(row.tool_sequence),
        author=row.author,
        source=Source(row.session_id, message_numbers(row.message_ids)),
        supersedes=row.supersedes,
        ts=row.ts,
        current=current,
        tags=parse_names(row.tags),
        reason=row.reason,
        replaced_by=row.replaced_by,
        strength=strength_of(row.author, row.status, row.original),
        weakness=weakness_of(row.author, row.status, row.original),
        worth=worth_of(row.author, row.status, row.original),
        lesson=read_lesson(con, row.id, row.lesson),
    )


def mirrored(con: apsw.Connection, case_id: int) -> Resolution | None:
    """Return the fix of a row of the seed's programs, in the form of the history; its id is 0."""
    row = con.execute(
        "SELECT ts, resolution, resolved_by, tool_sequence FROM error_kb WHERE id = ?1 AND resolution IS NOT NULL"
        " AND NOT EXISTS (SELECT 1 FROM resolution WHERE case_id = ?1)",
        (case_id,),
    ).fetchone()
    if row is None or not str(row[1]).strip():
        return None
    ts, text, resolved_by, tools = cast("tuple[str, str, str | None, str | None]", row)
    names = parse_names(tools)
    return Resolution(0, None, text, "draft", resolved_by, names, "import", Source(None), None, ts, current=True)


def adopt_mirror(con: apsw.Connection, case_id: int) -> None:
    """Give the fix of a row that the seed's own programs wrote a place in the history, before another one covers it."""
    one = mirrored(con, case_id)
    if one is None:
        return
    plain, original = readable(one.text)
    insert_resolution(
        con, case_id, None, plain, status=one.status, resolved_by=one.resolved_by, tool_sequence=one.tool_sequence,
        author=one.author, session_id=None, message_ids=(), supersedes=None, ts=one.ts, original=original,
    )  # fmt: skip


UNTOUCHED: Final = (
    "resolution.author = 'harvest' AND resolution.status = 'draft' AND resolution.replaced_by IS NULL"
    " AND NOT EXISTS (SELECT 1 FROM citation WHERE cited_by = 'resolution' AND item_id = CAST(resolution.id AS TEXT))"
)
"""Whether a row of `resolution` is a harvested draft without decision, edit or citation."""
_LESSON: Final = (
    "iif(json_valid(lesson) AND json_extract(lesson, '$.scope') = 'general' AND ?9 IS NOT NULL,"
    " json_set(?9, '$.scope', 'general'), ?9)"
)


@dataclass(frozen=True, slots=True)
class Draft:
    """A harvested fix of a case, as `add_resolution` takes it."""

    case_id: int
    fingerprint: str
    text: str
    resolved_by: str | None
    tool_sequence: tuple[str, ...]
    session_id: str | None
    message_ids: tuple[int, ...]
    ts: str
    evidence: Evidence | None = None
    lesson: Lesson | None = None


def add_drafts(con: apsw.Connection, drafts: Iterable[Draft], stale: set[int]) -> int:
    """Add harvested fixes inside the caller's transaction; how many were not there before.

    A draft of an earlier harvest of the same messages takes what this one says of them. Their cases then show the
    resolution that now answers; they and the `stale` ones are named and indexed again.
    """
    current: dict[int, tuple[int | None, bool]] = {}
    rejected: dict[int, frozenset[Deed]] = {}
    added = 0
    for draft in drafts:
        if draft.case_id not in current:
            current[draft.case_id] = _current_stays(con, draft.case_id)
            rejected[draft.case_id] = rejected_deeds(con, draft.case_id)
        before, stays = current[draft.case_id]
        made = insert_resolution(
            con,
            draft.case_id,
            draft.fingerprint,
            draft.text,
            status="draft",
            resolved_by=draft.resolved_by,
            tool_sequence=draft.tool_sequence,
            author=AUTHOR,
            session_id=draft.session_id,
            message_ids=draft.message_ids,
            supersedes=before,
            ts=draft.ts,
            original=None if draft.evidence is None else draft.evidence.to_json(),
            rejected=rejected[draft.case_id],
            lesson=draft.lesson,
        )
        if made is None:
            if _renew(con, draft):
                stale.add(draft.case_id)
            continue
        added += 1
        stale.add(draft.case_id)
        if not stays and draft.text.strip():
            current[draft.case_id] = (made, False)
    for case_id in stale:
        if case_id in current:
            mirror_current(con, case_id)
        name_tool(con, case_id)
        index_case(con, case_id)
    return added


def _renew(con: apsw.Connection, draft: Draft) -> bool:
    """Write what a harvest now says over its own earlier draft of the same error and messages; whether that differs.

    Where a person confirmed that its lesson holds in every project, it goes on to.
    """
    original = None if draft.evidence is None else redact(draft.evidence.to_json())[:TEXT_KEPT]
    tools = dump_names(draft.tool_sequence)
    con.execute(
        f"UPDATE resolution SET text = ?1, resolved_by = ?2, tool_sequence = ?3, original = ?4, lesson = {_LESSON}"
        f" WHERE author = ?5 AND session_id = ?6 AND fingerprint = ?7 AND message_ids = ?8 AND {UNTOUCHED}"
        f" AND (text, resolved_by, tool_sequence, original, lesson) IS NOT (?1, ?2, ?3, ?4, {_LESSON})",
        (
            redact(draft.text)[:TEXT_KEPT],
            None if draft.resolved_by is None else redact(draft.resolved_by),
            tools,
            original,
            AUTHOR,
            draft.session_id,
            draft.fingerprint,
            json.dumps(list(draft.message_ids)),
            stored_lesson(draft.lesson),
        ),
    )
    return con.changes() > 0


def _current_stays(con: apsw.Connection, case_id: int) -> tuple[int | None, bool]:
    """Return the current resolution of a case, and whether it stays current whatever a harvest drafts."""
    found = current_resolution(con, case_id)
    if found is None:
        return None, False
    row = con.execute("SELECT author = ? AND status = 'draft' FROM resolution WHERE id = ?", (AUTHOR, found)).fetchone()
    return found, row is not None and not row[0]


MIRRORED = frozenset({("error_kb", "resolution"), ("error_kb", "resolved_by"), ("error_kb", "tool_sequence")})
"""Columns that only show which resolution answers."""

_CASE_OF = {
    "error_kb": "SELECT ?",
    "case_key": "SELECT case_id FROM case_key WHERE error_normalized = ?",
    "fingerprint": "SELECT case_id FROM fingerprint WHERE fingerprint = ?",
    "resolution": "SELECT case_id FROM resolution WHERE id = ?",
    "occurrence": "SELECT case_id FROM occurrence JOIN fingerprint USING (fingerprint) WHERE id = ?",
}
_OF_SESSIONS = (
    "SELECT DISTINCT case_id FROM occurrence JOIN fingerprint USING (fingerprint)"
    " WHERE session_id IN (SELECT value FROM json_each(?))"
)


def refresh_touched(con: apsw.Connection, touched: frozenset[tuple[str, object]]) -> None:
    """Refresh every case that one of the touched (table, key) rows belongs to. For `core.store.undo(after=…)`.

    Fixes of a finer case follow it to the case that it is back in, also those written meanwhile.
    """
    judged = {str(cast("tuple[object, ...]", key)[0]) for table, key in touched if table == "result_verdict"}
    cases = {cast("int", row[0]) for row in con.execute(_OF_SESSIONS, (json.dumps(sorted(judged)),))}
    for table, key in touched:
        sql = _CASE_OF.get(table)
        if sql is not None:
            row = con.execute(sql, (cast("str | int", key),)).fetchone()
            if row is not None:
                cases.add(int(cast("int", row[0])))
    for case_id in sorted(cases):
        con.execute(
            "UPDATE resolution SET case_id = f.case_id FROM fingerprint f WHERE resolution.case_id = ?"
            " AND f.fingerprint = resolution.fingerprint AND f.case_id <> resolution.case_id",
            (case_id,),
        )
    for case_id in cases:
        refresh_case(con, case_id)
