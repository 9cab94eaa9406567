"""What a casebook could share with a repository's team: the verified fixes of that repository, as lessons.

One query reads them all; nothing is looked up lesson by lesson.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, cast

import apsw

from core.errors.cases.derived import ANSWERS, REPOSITORY_OF_PLACE, TEAM, parse_names
from core.errors.cases.resolutions import resolution
from core.errors.curation.transaction import Conflict
from core.errors.lessons import Lesson, parse_lesson
from core.store import Store
from core.store.sql import digest
from core.team.privacy import Person, cleaned_value

_MESSAGE: Final = re.compile(r" \(message [0-9]+\)")
"""The place of a step in a session, as a harvest writes it: it says nothing on another machine."""
_EDIT_OF: Final = "team_edit:"
_SEEN: Final = "team_seen:"
_REPLACED_HERE: Final = "team_replaced:"
ERRORS: Final = 20
"""Errors of a case that a lesson for the whole case names."""


class Named(NamedTuple):
    """One error of a case, and where it was seen."""

    fingerprint: str
    line: str
    tool: str
    where: str | None


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a fix of the team came from, as kept in its `original` column.

    `line`: the lesson as the file had it; `stored`: a digest of the fix as the import stored it.
    """

    id: str
    repository: str
    line: str
    stored: str

    def to_json(self) -> str:
        held = {"id": self.id, "repository": self.repository, "line": self.line, "stored": self.stored}
        return _ENCODE({"team": held})


_ENCODE: Final = json.JSONEncoder(ensure_ascii=False).encode


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A fix as it may leave. `as_imported`: it came from the team, and nobody changed it here."""

    id: str
    fix_id: int
    case_id: int
    ts: str
    fields: Mapping[str, object]
    as_imported: bool = False


def origin_of(author: str, original: str | None) -> Origin | None:
    """Where a fix of the team came from; None for every other."""
    if author != TEAM or not original:
        return None
    try:
        held = json.loads(original)["team"]
        return Origin(*(str(held[name]) for name in ("id", "repository", "line", "stored")))
    except (ValueError, KeyError, TypeError):
        return None


def stored_digest(text: str, lesson: str | None) -> str:
    """What a fix says, to see whether it was changed since."""
    return digest(f"{text}\0{lesson or ''}").hex()[:16]


def lesson_id(mark: str | None, key: str, lesson: Lesson | None, text: str) -> str:
    """The id of a lesson that was never shared: of the error, and of what is done about it."""
    do = ("text", "", text) if lesson is None else (lesson.do.kind, lesson.do.file, lesson.do.text)
    return digest("\0".join((mark or f"={key}", *do))).hex()[:16]


PLACE: Final = REPOSITORY_OF_PLACE.format(session="o.session_id", folder="o.project")
_RECORDED: Final = "iif(json_valid(r.original), json_extract(r.original, '$.recorded.repository'), NULL)"
"""The repository in which a fix was recorded by hand (`RecordPlace`)."""
_OF_SESSION: Final = REPOSITORY_OF_PLACE.format(session="r.session_id", folder="''")
_OCCURRENCES: Final = (
    "(SELECT json_group_array(json(met)) FROM (SELECT DISTINCT json_array(f.fingerprint, f.key_line, f.tool,"
    f" coalesce(nullif({PLACE}, ''), o.project)) AS met FROM fingerprint f LEFT JOIN occurrence o USING (fingerprint)"
    " WHERE f.case_id = r.case_id ORDER BY f.first_seen, f.fingerprint))"
)
_FIXES: Final = (
    "SELECT r.id, r.case_id, r.fingerprint, r.text, r.lesson, r.ts, r.author, r.original, r.tags, e.error_normalized,"
    f" iif(r.session_id IS NULL, {_RECORDED}, {_OF_SESSION}), {_OCCURRENCES}"
    f" FROM (SELECT * FROM resolution WHERE status = 'verified' AND {ANSWERS}) r"
    " JOIN error_kb e ON e.id = r.case_id ORDER BY r.id DESC"
)
_ONE_FIX: Final = (
    f"SELECT r.author, r.original, iif(r.session_id IS NULL, {_RECORDED}, {_OF_SESSION}), {_OCCURRENCES}"
    " FROM resolution r WHERE r.id = ?"
)
_REPLACED: Final = (
    "SELECT r.replaced_by, r.id, r.fingerprint, r.text, r.lesson, r.author, r.original, e.error_normalized"
    " FROM {} JOIN error_kb e ON e.id = r.case_id WHERE r.replaced_by IS NOT NULL ORDER BY r.id DESC"
)
_EVERY_CASE: Final = "resolution r"
_SOME_CASES: Final = "json_each(?) CROSS JOIN resolution r ON r.case_id = value"
_FixRow = tuple[
    int, int, str | None, str, str | None, str, str, str | None, str | None, str, str | None, str
]  # fmt: skip


def outgoing(
    con: apsw.Connection,
    names: Collection[str],
    person: Person,
    cases: Collection[int] = (),
    ids: Collection[str] = (),
    again: Collection[str] = (),
) -> Iterator[Outgoing]:
    """The verified fixes of a repository (`names`: what it is recorded as), of these `cases`, and those that are
    shared already (`ids`). Of two with one id the newer. One that is as the team has it has no fields, unless it is
    shared `again`. Raises apsw errors of the store."""
    first = first_ids(con)
    done: set[str] = set()
    for row in cast("Iterator[_FixRow]", con.execute(_FIXES)):
        fix_id, case_id, mark, text, stored, ts, author, original, _, key, place, _ = row
        lesson, origin = parse_lesson(stored), origin_of(author, original)
        id_ = origin.id if origin else first.get(fix_id) or lesson_id(mark, key, lesson, text)
        occurrences = [Named(*one) for one in json.loads(row[11])]
        own = _is_own(names, place, occurrences) if origin is None else origin.repository in names
        if id_ in done or not (own or id_ in ids or case_id in cases):
            continue
        done.add(id_)
        same = origin is not None and origin.stored == stored_digest(text, stored)
        whole = not same or id_ in again
        fields: object = cleaned_value(_fields(row, lesson, occurrences, names), person) if whole else {}
        yield Outgoing(id_, fix_id, case_id, ts, cast("dict[str, object]", fields), same)


def belongs(con: apsw.Connection, fix_id: int, names: Collection[str]) -> bool:
    """Whether a fix, draft or verified, is one of this repository's, which `outgoing` takes once it is verified."""
    row = con.execute(_ONE_FIX, (fix_id,)).fetchone()
    if row is None:
        return False
    author, original, place, occurrences = cast("tuple[str, str | None, str | None, str]", row)
    origin = origin_of(author, original)
    if origin is not None:
        return origin.repository in names
    return _is_own(names, place, [Named(*one) for one in json.loads(occurrences)])


def first_ids(con: apsw.Connection, cases: Collection[int] | None = None) -> dict[int, str]:
    """Of each fix that was written in another's place the id of the lesson it is: of the nearest that came from the
    team, else of the first. `cases`: of their fixes alone."""
    made_of: dict[int, int] = {}
    ids: dict[int, str] = {}
    shared = _edits_of_withdrawn(con)
    if cases is None:
        rows = con.execute(_REPLACED.format(_EVERY_CASE))
    else:
        rows = con.execute(_REPLACED.format(_SOME_CASES), (json.dumps([*cases]),))
    for by, fix_id, mark, text, stored, author, original, key in cast(
        "Iterator[tuple[int, int, str | None, str, str | None, str, str | None, str]]", rows
    ):
        made_of[by] = fix_id  # the oldest comes last
        origin = origin_of(author, original)
        if origin is not None:
            shared[fix_id] = origin.id
        ids[fix_id] = lesson_id(mark, key, parse_lesson(stored), text)
    found = dict(shared)
    for newest in made_of:
        at, seen = newest, set[int]()
        while at in made_of and at not in seen and at not in shared:
            seen.add(at)
            at = made_of[at]
        if at in shared or at in ids:
            found[newest] = shared.get(at) or ids[at]
    return found


def note_edit(con: apsw.Connection, fix_id: int, id_: str) -> None:
    """Remember, inside the caller's transaction, which lesson a fix is an edit of: the team's own fix goes."""
    con.execute("INSERT OR REPLACE INTO meta(key, value) VALUES (?, ?)", (f"{_EDIT_OF}{fix_id}", id_))


def note_seen(con: apsw.Connection, id_: str, ts: str, fix_id: int) -> None:
    """Remember, inside the caller's transaction, the time of the file's version that an import put in the place of a
    fix written here, and which fix that is. It outlasts an undo of the import."""
    con.executemany(
        "INSERT OR REPLACE INTO meta(key, value) VALUES (?, ?)",
        ((f"{_SEEN}{id_}", ts), (f"{_REPLACED_HERE}{fix_id}", "")),
    )


def replaced_fixes(con: apsw.Connection) -> tuple[Conflict, ...]:
    """The verified fixes written here (`base`) in whose place the team put another version (`theirs`), the latest
    first. One that a person kept, or agreed with (`agree_replaced`), is none."""
    rows = con.execute(
        "SELECT own.case_id, own.id, team.id FROM meta JOIN resolution own ON own.id = substr(key, ?3)"
        " JOIN resolution team ON team.id = own.replaced_by AND team.author = ?4 AND team.replaced_by IS NULL"
        " WHERE key >= ?1 AND key < ?2 AND own.status = 'verified' AND team.status = 'verified'"
        " AND own.text <> team.text"
        " ORDER BY team.ts DESC, own.id DESC",
        (_REPLACED_HERE, f"{_REPLACED_HERE}:", len(_REPLACED_HERE) + 1, TEAM),
    ).fetchall()
    return tuple(
        Conflict(case_id, "changed", resolution(con, case_id, own), resolution(con, case_id, theirs))
        for case_id, own, theirs in cast("list[tuple[int, int, int]]", rows)
    )


def agree_replaced(store: Store, fix_id: int) -> None:
    """The person keeps the team's version in the place of their fix. Raises Fault."""
    with store.transaction() as con:
        con.execute("DELETE FROM meta WHERE key = ?", (f"{_REPLACED_HERE}{fix_id}",))


def seen_versions(con: apsw.Connection) -> dict[str, str]:
    """The times that `note_seen` noted, by lesson."""
    rows = con.execute("SELECT key, value FROM meta WHERE key >= ? AND key < ?", (_SEEN, f"{_SEEN[:-1]};"))
    return {key[len(_SEEN) :]: value for key, value in cast("Iterator[tuple[str, str]]", rows)}


def _edits_of_withdrawn(con: apsw.Connection) -> dict[int, str]:
    rows = con.execute("SELECT key, value FROM meta WHERE key >= ? AND key < ?", (_EDIT_OF, f"{_EDIT_OF}:"))
    return {int(key[len(_EDIT_OF) :]): value for key, value in cast("Iterator[tuple[str, str]]", rows)}


def _is_own(names: Collection[str], place: str | None, occurrences: list[Named]) -> bool:
    if place is not None:
        return place in names
    places = {one.where for one in occurrences if one.where}
    return bool(places) and all(one in names for one in places)


def _fields(row: _FixRow, lesson: Lesson | None, occurrences: list[Named], names: Collection[str]) -> dict[str, object]:
    """What leaves of a fix, before it is cleaned: an empty field is left out."""
    mark, text, tags, key = row[2], row[3], row[8], row[9]
    errors: dict[str, list[str]] = {}
    for one in occurrences:
        if one.fingerprint == mark or (mark is None and (one.where is None or one.where in names)):
            errors.setdefault(one.fingerprint, [one.fingerprint, one.line, one.tool])
    named = [dict(zip(("fingerprint", "line", "tool"), one, strict=True)) for one in errors.values()][:ERRORS]
    text = _MESSAGE.sub("", text)
    fields: dict[str, object] = {"errors": named, "key": key, "whole": mark is None, "text": text}
    fields["tags"] = [*parse_names(tags)]
    if lesson is not None:
        when, do = lesson.when, lesson.do
        fields |= {name: getattr(when, name) for name in ("error", "tool", "version", "system", "sandbox")}
        fields["do"] = {
            name: part for name in ("kind", "text", "file", "instead_of") if (part := str(getattr(do, name)))
        }
        fields |= {"not": [*lesson.dead_ends], "check": lesson.check, "because": lesson.because or ""}
        fields |= {"scope": lesson.scope, "workaround": lesson.workaround}
    return {name: value for name, value in fields.items() if value not in ("", [], None, False)}
