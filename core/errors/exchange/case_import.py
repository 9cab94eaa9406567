"""One imported case and its fixes into the casebook: what is known already is not added again.

A lesson from another casebook: checked, redacted, and without what is counted where it is read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final, cast

import apsw

from core.base.fault import Fault
from core.base.reports import ImportReport, SkippedLine
from core.errors.cases.derived import one_form, parse_names, refresh_case
from core.errors.cases.record import RAW_KEPT, Name, ensure_case, find_case
from core.errors.cases.resolutions import TEXT_KEPT, add_resolution, readable
from core.errors.curation.transaction import LONGEST_TAG, MOST_TAGS, NO_SOURCE
from core.errors.identity.fingerprint import identify
from core.errors.lessons import (
    DO_FIELDS,
    DO_KINDS,
    HUNK_LINES,
    SCOPES,
    WHEN_FIELDS,
    Do,
    Lesson,
    LessonEvidence,
    When,
)  # fmt: skip
from core.errors.retrieval.answer import Source, Status
from core.store import SeedRow, Store, faults, now, read_seed
from core.text import clean, redact, words
from core.transcripts.fields import timestamp

LONGEST: Final = 4_000
"""Code points of one text of a lesson."""
MOST: Final = 50
"""Entries of `not` and of `evidence`."""


class BadLesson(ValueError):
    """Why a value is no lesson; the text is for people."""


Plain = Callable[[str], str]


def _redacted(text: str) -> str:
    return clean(redact(text))


def lesson_from(value: object, plain: Plain = _redacted) -> Lesson | None:
    """The lesson that a decoded `lesson.v1` says; None for null. Raises BadLesson. Unknown fields are left out. `plain`
    is applied to each text: `clean` is enough for what is redacted."""
    if value is None:
        return None
    found = _object(value, "lesson")
    when, do = _object(found.get("when"), "when"), _object(found.get("do"), "do")
    kind, scope = do.get("kind"), found.get("scope", "project")
    if kind not in DO_KINDS:
        raise BadLesson("do.kind must be command, hunk or words")
    if scope not in SCOPES:
        raise BadLesson("scope must be session, project or general")
    lesson = Lesson(
        When(*[_plain_field(when, name, plain, "when.") for name in WHEN_FIELDS]),
        Do(kind, *[_plain_field(do, name, plain, "do.") for name in DO_FIELDS]),
        tuple([_plain(one, "not", plain) for one in _list_field(found, "not")]),
        _plain_field(found, "check", plain),
        _plain_field(found, "because", plain) or None,
        scope,
        tuple([_evidence(one, plain) for one in _list_field(found, "evidence")]),
        found.get("workaround") is True,
    )
    if not lesson.when.error.strip() or not lesson.do.text.strip():
        raise BadLesson("when.error or do.text is missing")
    if lesson.do.kind == "hunk" and lesson.do.text.count("\n") >= HUNK_LINES:
        raise BadLesson(f"do.text has more than {HUNK_LINES} lines")
    return lesson


def _evidence(value: object, plain: Plain) -> LessonEvidence:
    found = _object(value, "evidence")
    message = found.get("message")
    if not isinstance(message, int) or isinstance(message, bool) or not 0 <= message < 1 << 53:
        raise BadLesson("evidence.message is not the number of a message")
    return LessonEvidence(
        _plain_field(found, "session", plain, "evidence."), message, _plain_field(found, "why", plain, "evidence.")
    )


def _object(value: object, name: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise BadLesson(f"{name} is not an object")
    return cast("Mapping[str, object]", value)


def _list_field(found: Mapping[str, object], name: str) -> Sequence[object]:
    value = found.get(name)
    if value is None:
        return ()
    if not isinstance(value, list) or len(cast("list[object]", value)) > MOST:
        raise BadLesson(f"{name} is not a list of at most {MOST}")
    return cast("list[object]", value)


def _plain_field(found: Mapping[str, object], name: str, plain: Plain, of: str = "") -> str:
    value = found.get(name)
    if value is None or value == "":
        return ""
    return plain(value) if isinstance(value, str) and len(value) <= LONGEST else _plain(value, of + name, plain)


def _plain(value: object, name: str, plain: Plain) -> str:
    if not isinstance(value, str):
        raise BadLesson(f"{name} is not a string")
    if len(value) > LONGEST:
        raise BadLesson(f"{name} is longer than {LONGEST:,} characters")
    return plain(value)


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


def import_row(con: apsw.Connection, row: ImportedCase) -> tuple[frozenset[int], int, int]:
    """One case into the caller's transaction: (cases touched, cases made, fixes added). What is derived waits.

    A fix of a finer case that is in another case here goes to that one: it would answer for no error of its own.
    """
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
    cases = {case_id}
    numbers: dict[tuple[int, int], int] = {}
    for fix in row.fixes:
        owner = _owner(con, fix, case_id)
        stored, new = _add_fix(con, owner, fix, ts)
        added += new
        cases.add(owner)
        if stored is not None and fix.id and new:
            numbers[owner, fix.id] = stored
    for fix in row.fixes:
        owner = _owner(con, fix, case_id)
        if (owner, fix.id) in numbers and (owner, fix.replaced_by) in numbers:
            con.execute(
                "UPDATE resolution SET replaced_by = ? WHERE id = ?",
                (numbers[owner, fix.replaced_by], numbers[owner, fix.id]),
            )
    return frozenset(cases), made, added


def _owner(con: apsw.Connection, fix: ImportedFix, case_id: int) -> int:
    """The case that the finer case of a fix is in; `case_id` for a fix of a whole case, or of a finer case not here."""
    row = con.execute("SELECT case_id FROM fingerprint WHERE fingerprint = ?", (fix.fingerprint,)).fetchone()
    return case_id if row is None else cast("int", row[0])


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
    text = redact(fix.text)[:TEXT_KEPT]
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


Fields = Mapping[str, object]


def case_from(data: Fields) -> ImportedCase | str:
    """The case that the fields tell of, or the reason why they tell of none."""
    error, normalized = _text(data, "error") or _text(data, "error_raw"), _text(data, "error_normalized")
    if not (error or normalized or "").strip():
        return "no `error` and no `error_normalized`"
    names = tuple(
        ImportedName(Name(line, normalized or "", mark, _text(item, "tool") or "unknown"), _text(item, "first_seen"))
        for item in _objects(data, "fingerprints")
        if (mark := _text(item, "fingerprint")) and (line := _text(item, "key_line"))
    )
    uses = data.get("use_count")
    alone = data.get("schema_version") == "fix.v1" or "case_ts" in data
    try:
        fixes = _fix_alone(data) if alone else _fixes(data)
    except BadLesson as why:
        return f"invalid lesson.v1: {why}"
    return ImportedCase(
        raw=error,
        normalized=normalized,
        ts=_text(data, "case_ts" if alone else "ts"),
        uses=uses if isinstance(uses, int) and 0 <= uses < 1 << 53 else 0,
        last_used=_text(data, "last_used"),
        fixes=fixes,
        names=names,
        keys=tuple(redact(key) for key in _list(data, "keys") if isinstance(key, str)),
        noise=data.get("status") == "noise",
    )


def _fix_alone(data: Fields) -> tuple[ImportedFix, ...]:
    """The fix of a `fix.v1`."""
    found = _fix(data, "resolution")
    return () if found is None else (found,)


def _fixes(data: Fields) -> tuple[ImportedFix, ...]:
    """The fixes of a case, in the order in which they were written; else the one that a line by hand names."""
    found = [fix for item in reversed(_objects(data, "resolutions")) if (fix := _fix(item, "text")) is not None]
    if found:
        return tuple(sorted(found, key=lambda fix: fix.id)) if all(fix.id for fix in found) else tuple(found)
    text = _text(data, "resolution")
    if not text:
        return ()
    plain, original = readable(text)
    # `error` is the text that this fixed; a seed's `error_raw` may be another of the same key than the fix is of.
    error = _text(data, "error")
    mark = identify(error).fingerprint if error and error.strip() else None
    by, tools, tags = _text(data, "resolved_by"), _names(data, "tool_sequence"), _tags(data)
    return (ImportedFix(plain, resolved_by=by, tools=tools, fingerprint=mark, original=original, tags=tags),)


def _fix(data: Fields, text_of: str) -> ImportedFix | None:
    text, status = _text(data, text_of), _text(data, "status")
    if not text or status not in ("draft", "verified", "rejected"):
        return None
    source = data.get("source")
    place = cast("Fields", source) if isinstance(source, dict) else data
    session = _text(place, "session")
    numbers = tuple(one for one in _list(place, "messages") if isinstance(one, int) and 0 <= one < 1 << 53)
    return ImportedFix(
        text,
        status,
        _text(data, "resolved_by"),
        _names(data, "tool_sequence"),
        _text(data, "author") or "import",
        _text(data, "fingerprint"),
        _text(data, "ts"),
        _text(data, "original"),
        _tags(data),
        Source(session or None, numbers if session else ()),
        _text(data, "reason") or "",
        _number(data, "id"),
        _number(data, "replaced_by"),
        lesson_from(data.get("lesson")),
    )


def _text(data: Fields, key: str) -> str | None:
    """A text of the line, without secrets: what is no text for people becomes a key or a mark of the casebook."""
    value = data.get(key)
    return redact(value) if isinstance(value, str) else None


def _number(data: Fields, key: str) -> int:
    value = data.get(key)
    return value if isinstance(value, int) and value > 0 else 0


def _names(data: Fields, key: str) -> tuple[str, ...]:
    value = data.get(key)
    return parse_names(value) if isinstance(value, str) else tuple(str(item) for item in _list(data, key))


def _tags(data: Fields) -> tuple[str, ...]:
    return tuple(one_form(tag)[:LONGEST_TAG] for tag in _names(data, "tags")[:MOST_TAGS])


def _list(data: Fields, key: str) -> list[object]:
    value = data.get(key)
    return cast("list[object]", value) if isinstance(value, list) else []


def _objects(data: Fields, key: str) -> tuple[Fields, ...]:
    return tuple(cast("Fields", item) for item in _list(data, key) if isinstance(item, dict))


BATCH = 500
LONGEST_LINE = 16 * 1024 * 1024
"""Bytes of one JSONL line; a longer one is skipped."""
_Rows = Iterator[tuple[int, ImportedCase | str]]


def import_cases(store: Store, path: Path) -> ImportReport:
    """Import cases and fixes from a file: a seed database, `.csv`, `.md`, else JSONL.

    What is known is not added again; a bad line is skipped and reported; `files` is 0 where no case is in it. Raises
    Fault if the file cannot be read at all.
    """
    with faults(path):
        head = _head(path)
        if head.startswith(b"SQLite format 3\0"):
            return _import_rows(store, ((at, _from_seed(row)) for at, row in enumerate(read_seed(path), 1)), path)
        kind = path.suffix.lower()
        if kind == ".csv":
            return _import_rows(store, _csv_rows(path), path)
        if kind in (".md", ".markdown"):
            return _import_rows(store, _markdown_rows(path), path)
        return _import_rows(store, _jsonl_rows(path), path)


def check_source(path: Path) -> None:
    """Raise Fault invalid_input where there is no file that could be imported."""
    if not path.is_file():
        there = "is a folder" if path.is_dir() else "is not a regular file" if path.exists() else None
        message = f"{path} {there}" if there else f"file {path} not found"
        raise Fault("invalid_input", message, "pass an export or an older error database")


def _head(path: Path) -> bytes:
    check_source(path)
    with path.open("rb") as file:
        return file.read(16)


def _import_rows(store: Store, rows: _Rows, path: Path) -> ImportReport:
    errors = resolutions = taken = 0
    skipped: list[SkippedLine] = []
    while batch := list(islice(rows, BATCH)):
        touched: set[int] = set()
        with faults(store.path), store.transaction():
            for line, row in batch:
                if isinstance(row, str):
                    skipped.append(SkippedLine(str(path), line, row))
                    continue
                cases, made, added = import_row(store.con, row)
                touched |= cases
                taken += 1
                errors += made
                resolutions += added
            for case_id in touched:
                refresh_case(store.con, case_id)
    if not taken and not skipped:
        skipped.append(SkippedLine(str(path), 0, _why_empty(path)))
    files = 1 if taken else 0
    return ImportReport(files=files, errors=errors, resolutions=resolutions, skipped=tuple(skipped[:10_000]))


def _why_empty(path: Path) -> str:
    """Why a file without cases has none: a block for agents has no data of cases."""
    if path.suffix.lower() == ".md" and b"<!-- casebook:start fixes" in path.read_bytes():
        return "its block of fixes is only for agents (to import fixes, export them to another .md file)"
    return "it contains no cases"


def _from_seed(row: SeedRow) -> ImportedCase:
    tools = parse_names(row.tool_sequence)
    fixes: tuple[ImportedFix, ...] = ()
    if row.resolution and row.resolution.strip():
        text, original = readable(row.resolution)
        fixes = (ImportedFix(text, resolved_by=row.resolved_by, tools=tools, original=original),)
    return ImportedCase(row.error_raw, row.error_normalized, row.ts, row.use_count, row.last_used, fixes)


def _csv_rows(path: Path) -> _Rows:
    from core.errors.exchange.fixes import read_csv

    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        for line, found in read_csv(file):
            yield line, found if isinstance(found, str) else case_from(found)


def _markdown_rows(path: Path) -> _Rows:
    from core.errors.exchange.case_export import read_markdown

    with path.open(encoding="utf-8-sig", errors="replace", newline="\n") as file:
        for line, found in read_markdown(file):
            yield line, found if isinstance(found, str) else case_from(found)


def _jsonl_rows(path: Path) -> _Rows:
    with path.open("rb") as file:
        number = 0
        while raw := file.readline(LONGEST_LINE + 1):
            number += 1
            if len(raw) > LONGEST_LINE:
                while raw and not raw.endswith(b"\n"):
                    raw = file.readline(LONGEST_LINE + 1)
                yield number, f"longer than {LONGEST_LINE} bytes"
                continue
            if raw.strip():
                yield number, _parse_line(raw)


def _parse_line(raw: bytes) -> ImportedCase | str:
    """One JSONL line as a case, or the reason why it is none."""
    try:
        value: object = json.loads(raw.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return "not JSON"
    return case_from(cast("Mapping[str, object]", value)) if isinstance(value, dict) else "not a JSON object"
