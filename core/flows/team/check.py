"""Which lessons of a repository went stale, and which lines of the file are none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal, cast

import apsw

from core.errors import identify
from core.errors.cases.derived import ANSWERS
from core.errors.lessons import parse_lesson
from core.flows.team.collect import first_ids, lesson_id, origin_of
from core.flows.team.export import FileFault, file_faults, named_errors
from core.flows.team.place import TeamPlace, read_lessons
from core.store import Store, faults
from core.team.lessons_file import LessonsFile, Record, join, parse_line
from core.team.privacy import redacted

Kind = Literal["key_line", "file", "changed", "unknown", "rejected", "withdrawn"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A lesson that needs a look. `kind`: key_line (this version finds another key line in its error), file (the file
    it edits is gone), changed (the lessons file was changed since it was imported), unknown (not in this casebook),
    rejected (rejected here), withdrawn (withdrawn by the team, still answering here)."""

    id: str
    kind: Kind
    error: str
    reason: str


@dataclass(frozen=True, slots=True)
class TeamCheck:
    """What a check of a lessons file found (`team_check.v1`). `sorted`: the file is as casebook writes it."""

    SCHEMA: ClassVar[str] = "team_check.v1"

    path: Path
    repository: str
    lessons: int
    withdrawn: int
    sorted: bool
    findings: tuple[Finding, ...]
    bad: tuple[FileFault, ...]
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Here:
    """What this casebook has of a lesson: its fix's status, and the line it was imported as."""

    status: str
    line: str = ""


def check_lessons(store: Store | None, place: TeamPlace) -> TeamCheck:
    """Check the lessons file of a working tree; without a casebook, against itself and the files alone."""
    file = read_lessons(place.file)
    raw = place.file.read_bytes() if place.file.is_file() else b""
    here: Mapping[str, _Here] | None = None
    if store is not None:
        with faults(store.path):
            here = _here(store.con)
    findings = [one for id_, record in sorted(file.records.items()) for one in _findings(id_, record, place, here)]
    alive = [id_ for id_, one in sorted(file.records.items()) if not one.is_withdrawn]
    return TeamCheck(
        place.file, place.repository, len(alive), len(file.records) - len(alive), _is_written_form(file, raw),
        tuple(findings), file_faults(file.bad), tuple(alive),
    )  # fmt: skip


def _is_written_form(file: LessonsFile, raw: bytes) -> bool:
    return b"".join(file.lines()) == raw.replace(b"\r\n", b"\n")


def _here(con: apsw.Connection) -> dict[str, _Here]:
    """The lessons that this casebook has, by id, in two queries; of several fixes the one that answers."""
    first = first_ids(con)
    found: dict[str, _Here] = {}
    rows = con.execute(
        "SELECT r.id, r.fingerprint, r.text, r.lesson, r.author, r.original, r.status, e.error_normalized"
        f" FROM (SELECT *, {ANSWERS} AS answers FROM resolution) r JOIN error_kb e ON e.id = r.case_id"
        " WHERE r.status <> 'draft' ORDER BY r.answers, r.id"
    )
    for fix_id, mark, text, stored, author, original, status, key in cast(
        "Iterator[tuple[int, str | None, str, str | None, str, str | None, str, str]]", rows
    ):
        origin = origin_of(author, original)
        id_ = origin.id if origin else first.get(fix_id) or lesson_id(mark, key, parse_lesson(stored), text)
        found[id_] = _Here(status, "" if origin is None else origin.line)
    return found


def _findings(id_: str, record: Record, place: TeamPlace, here: Mapping[str, _Here] | None) -> Iterator[Finding]:
    fields = record.values()
    named = [*named_errors(fields)]
    error = str(fields.get("error") or (named[0].get("line") if named else "") or "")
    known = None if here is None else here.get(id_)
    if record.is_withdrawn:
        if known is not None and known.status == "verified":
            why = "the team withdrew this lesson, but your casebook keeps the fix that you verified"
            yield Finding(id_, "withdrawn", error, why)
        return
    for one in named:
        if reason := _key_line_fault(one):
            yield Finding(id_, "key_line", error, reason)
            break
    if reason := _file_fault(fields, place):
        yield Finding(id_, "file", error, reason)
    if here is None:
        return
    if known is None:
        yield Finding(id_, "unknown", error, "this lesson is not in your casebook. Run: casebook import --team")
    elif known.status == "rejected":
        yield Finding(
            id_, "rejected", error, "you rejected this lesson. To withdraw it, run: casebook team export --withdraw ID"
        )
    elif known.line and _is_newer(known.line, redacted(record)):
        yield Finding(
            id_, "changed", error, "the file contains a newer version of this lesson. Run: casebook import --team"
        )


def _key_line_fault(one: Mapping[str, str]) -> str:
    """Why the error of a lesson names another case today; '' where it does not, or a placeholder hides it."""
    line, mark = str(one.get("line") or ""), str(one.get("fingerprint") or "")
    if not line or "<" in line or "▮" in line or line.endswith("…"):
        return ""
    found = identify(line)
    if not found.normalized:
        return "casebook finds no key line in the error of this lesson"
    return "" if found.fingerprint == mark else f"the key line of the error is now: {found.key_line[:120]}"


def _file_fault(fields: Mapping[str, object], place: TeamPlace) -> str:
    do = fields.get("do")
    name = str(cast("dict[str, object]", do).get("file") or "") if isinstance(do, dict) else ""
    parts = name.replace("\\", "/").split("/")
    if not name or "<" in name or ".." in parts or name.startswith(("/", "~")):
        return ""
    return "" if place.root.joinpath(*parts).exists() else f"{name} is not in the repository"


def _is_newer(line: str, record: Record) -> bool:
    stored = parse_line(line.encode())
    return not isinstance(stored, str) and join(stored[1], record) != stored[1]
