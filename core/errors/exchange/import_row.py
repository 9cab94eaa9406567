"""One imported case and its fixes into the casebook: what is known already is not added again."""

from __future__ import annotations

from dataclasses import dataclass

import apsw

from core.errors.cases.record import RAW_KEPT, Name, ensure_case, find_case
from core.errors.cases.resolutions import add_resolution
from core.errors.curation.fix_input import NO_SOURCE
from core.errors.identity.api import identify
from core.errors.lessons.lesson import Lesson
from core.errors.retrieval.answer import Source, Status
from core.store import now
from core.text import redact, words
from core.text.timestamp import timestamp


@dataclass(frozen=True, slots=True)
class ImportedFix:
    """One fix as an import gives it. `id` and `replaced_by` are numbers of the place it comes from."""

    text: str
    status: Status = "draft"
    resolved_by: str | None = None
    tools: tuple[str, ...] = ()
    author: str = "import"
    fingerprint: str | None = None
    ts: str | None = None
    original: str | None = None
    tags: tuple[str, ...] = ()
    source: Source = NO_SOURCE
    reason: str = ""
    id: int = 0
    replaced_by: int = 0
    lesson: Lesson | None = None


@dataclass(frozen=True, slots=True)
class ImportedName:
    """One finer case as an import gives it."""

    name: Name
    first_seen: str | None


@dataclass(frozen=True, slots=True)
class ImportedCase:
    """One case as an import gives it; its texts hold no secret any more."""

    raw: str | None
    normalized: str | None
    ts: str | None
    uses: int
    last_used: str | None
    fixes: tuple[ImportedFix, ...]
    names: tuple[ImportedName, ...] = ()
    keys: tuple[str, ...] = ()
    noise: bool = False


def import_row(con: apsw.Connection, row: ImportedCase) -> tuple[int, int, int]:
    """One case into the caller's transaction: (its id, cases made, fixes added). What is derived waits."""
    ts = timestamp(row.ts) or now()
    case_id, made = _named(con, row, ts) if row.names and row.normalized else _identified(con, row, ts)
    con.execute(
        "UPDATE error_kb SET use_count = max(coalesce(use_count, 0), ?1),"
        " last_used = nullif(max(coalesce(last_used, ''), coalesce(?2, '')), '') WHERE id = ?3",
        (row.uses, timestamp(row.last_used) or None, case_id),
    )
    if row.noise:
        con.execute("INSERT OR IGNORE INTO noise(case_id, author, ts) VALUES (?, 'import', ?)", (case_id, ts))
    added = 0
    numbers: dict[int, int] = {}
    for fix in row.fixes:
        stored, new = _add_fix(con, case_id, fix, ts)
        added += new
        if stored is not None and fix.id and new:
            numbers[fix.id] = stored
    for fix in row.fixes:
        if fix.id in numbers and fix.replaced_by in numbers:
            con.execute(
                "UPDATE resolution SET replaced_by = ? WHERE id = ?", (numbers[fix.replaced_by], numbers[fix.id])
            )
    return case_id, made, added


def _named(con: apsw.Connection, row: ImportedCase, ts: str) -> tuple[int, int]:
    """The case of a row that brings its names: they say what it is, its raw text may be of another."""
    key = row.normalized or ""
    found = next((at for one in row.names if (at := find_case(con, key, one.name.fingerprint)) is not None), None)
    case_id = found
    if case_id is None:
        con.execute(
            "INSERT INTO error_kb(ts, error_normalized, error_raw, use_count) VALUES (?, ?, ?, 0)",
            (ts, key, row.raw[:RAW_KEPT] if row.raw else None),
        )
        case_id = con.last_insert_rowid()
    for one in row.names:
        con.execute(
            "INSERT OR IGNORE INTO fingerprint(fingerprint, case_id, key_line, tool, first_seen)"
            " VALUES (?, ?, ?, ?, ?)",
            (one.name.fingerprint, case_id, one.name.key_line, one.name.tool, timestamp(one.first_seen) or ts),
        )
    for extra in (key, *row.keys):
        if extra:
            con.execute("INSERT OR IGNORE INTO case_key(error_normalized, case_id) VALUES (?, ?)", (extra, case_id))
    return case_id, int(found is None)


def _identified(con: apsw.Connection, row: ImportedCase, ts: str) -> tuple[int, int]:
    """The case of a row that brings a text alone."""
    text = redact(row.raw if row.raw and row.raw.strip() else row.normalized or "")
    found = identify(text)
    key = redact(row.normalized) if row.normalized else found.normalized
    if not set(words(found.key_line)) & set(words(key)):  # a raw text of another error must not merge two keys
        found = identify(key)
    name = Name(found.key_line or key, key, found.fingerprint, found.tool)
    made = int(find_case(con, name.normalized, name.fingerprint) is None)
    case_id = ensure_case(con, name, ts=ts, raw=text)
    for extra in (found.normalized, *row.keys):
        if extra:
            con.execute("INSERT OR IGNORE INTO case_key(error_normalized, case_id) VALUES (?, ?)", (extra, case_id))
    return case_id, made


def _add_fix(con: apsw.Connection, case_id: int, fix: ImportedFix, ts: str) -> tuple[int | None, int]:
    """The stored fix and 1, or the one that says the same already and 0.

    A verified one is stored beside drafts of the same words, for then it is known to be right; not where a person here
    rejected them.
    """
    text = redact(fix.text)
    if not text.strip():
        return None, 0
    same = con.execute(
        "SELECT id, status FROM resolution WHERE case_id = ? AND fingerprint IS ? AND text = ? ORDER BY id DESC",
        (case_id, fix.fingerprint, text),
    ).fetchall()
    if same and not (fix.status == "verified" and all(status == "draft" for _, status in same)):
        return int(str(same[0][0])), 0
    added = add_resolution(
        con,
        case_id,
        fix.fingerprint,
        text,
        status=fix.status,
        resolved_by=fix.resolved_by,
        tool_sequence=fix.tools,
        # Without the session it is from, a harvested one could not be told from what a person imports.
        author="import" if fix.author == "harvest" and fix.source.session is None else fix.author,
        session_id=fix.source.session,
        message_ids=fix.source.messages,
        ts=timestamp(fix.ts) or ts,
        original=fix.original,
        tags=fix.tags,
        lesson=fix.lesson,
    )
    if added is not None and fix.reason:
        con.execute("UPDATE resolution SET reason = ? WHERE id = ?", (redact(fix.reason), added))
    return added, int(added is not None)
