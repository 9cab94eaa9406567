"""A lessons file into the casebook: what a colleague verified answers here too, marked as the team's.

One journaled change, which can be undone. A decision made here stays: a rejected lesson stays rejected, a fix edited
here answers until the file has a later version of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple, cast

import apsw

from core.errors import identify
from core.errors.cases.derived import TEAM, current_resolution, one_form, refresh_case
from core.errors.cases.record import Name
from core.errors.cases.resolutions import TEXT_KEPT, dump_names, insert_resolution, rejected_texts, stored_lesson
from core.errors.curation.transaction import LONGEST_TAG, MOST_TAGS
from core.errors.exchange.case_import import BadLesson, ImportedCase, ImportedName, import_row, lesson_from
from core.errors.lessons import Lesson, parse_lesson
from core.flows.team.collect import Origin, first_ids, lesson_id, note_edit, note_seen, origin_of, stored_digest
from core.flows.team.export import FileFault, file_faults, told_errors
from core.flows.team.place import TeamPlace, mark_known, person_of, read_lessons
from core.store import Store, change, faults
from core.team.lessons_file import Record, join, line_of, parse_line
from core.team.privacy import cleaned
from core.text import clean, redact

_WITHDRAWN: Final = "team_withdrawn:"
_CASE: Final = "team_case:"
LONGEST: Final = 4_000
"""Code points of a fix's text."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A lesson that was not taken over as the file has it, and why."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class TeamImport:
    """What an import of a lessons file did (`team_import.v1`); `change` is its number in the history, null for none.

    `kept`: lessons about which this casebook knows or decided otherwise.
    """

    SCHEMA: ClassVar[str] = "team_import.v1"

    path: Path
    repository: str
    lessons: int
    added: int
    changed: int
    withdrawn: int
    unchanged: int
    kept: tuple[Kept, ...]
    bad: tuple[FileFault, ...]
    change: int | None


class _Fix(NamedTuple):
    """A fix of the team that is in the casebook."""

    id: int
    case_id: int
    text: str
    lesson: str | None
    status: str
    replaced_by: int | None
    origin: Origin
    record: Record


class _Content(NamedTuple):
    """What a lesson says, as it is stored."""

    names: tuple[ImportedName, ...]
    key: str
    mark: str | None
    text: str
    lesson: Lesson | None
    tags: tuple[str, ...]


@dataclass(slots=True)
class _Import:
    """An import while it runs, inside its transaction."""

    con: apsw.Connection
    place: TeamPlace
    fixes: Mapping[str, _Fix]
    gone: Mapping[str, str]
    first: Mapping[int, str]
    added: int = 0
    changed: int = 0
    withdrawn: int = 0
    unchanged: int = 0
    kept: list[Kept] = field(default_factory=list[Kept])
    cases: dict[str, int] = field(default_factory=dict[str, int])
    touched: set[int] = field(default_factory=set[int])

    def merged(self, id_: str, record: Record) -> Record:
        """The lesson of the file with what is known of it here."""
        known = self.fixes[id_].record if id_ in self.fixes else record
        gone = Record("", self.gone[id_], {}) if id_ in self.gone else known
        return join(join(known, gone), record)

    def make_case(self, id_: str, record: Record) -> None:
        """The case of a lesson that is not here yet. Cases are no part of the change: what is seen later needs them."""
        merged = self.merged(id_, record)
        if id_ in self.fixes or merged.is_withdrawn:
            return
        try:
            content = _content(merged)
        except BadLesson:
            return
        case = ImportedCase(None, content.key, merged.shared, 0, None, (), content.names)
        case_id, made, _ = import_row(self.con, case)
        if made:
            self.con.execute("INSERT OR IGNORE INTO meta(key, value) VALUES (?, '')", (f"{_CASE}{case_id}",))
        self.cases[id_] = case_id

    def take(self, id_: str, record: Record) -> None:
        """One lesson of the file."""
        fix, merged = self.fixes.get(id_), self.merged(id_, record)
        if merged.is_withdrawn:
            self._withdraw(id_, merged, fix)
        elif fix is not None and merged == fix.record:
            self.unchanged += 1
        else:
            try:
                content = _content(merged)
            except BadLesson as why:
                self.kept.append(Kept(id_, f"invalid lesson: {why}"))
                return
            self._add(id_, merged, content) if fix is None else self._update(id_, merged, content, fix)

    def _withdraw(self, id_: str, record: Record, fix: _Fix | None) -> None:
        if self.gone.get(id_) != record.withdrawn:
            self.con.execute(
                "INSERT OR REPLACE INTO meta(key, value) VALUES (?, ?)",
                (f"{_WITHDRAWN}{self.place.repository}\0{id_}", record.withdrawn),
            )
        if fix is None:
            self.unchanged += 1
            return
        if fix.replaced_by is not None:
            note_edit(self.con, fix.replaced_by, id_)
        self.con.execute("UPDATE resolution SET replaced_by = NULL WHERE replaced_by = ?", (fix.id,))
        self.con.execute("DELETE FROM resolution WHERE id = ?", (fix.id,))
        self.con.execute(  # a row without any fix is left as the seed's programs wrote it
            "UPDATE error_kb SET resolution = NULL, resolved_by = NULL, tool_sequence = NULL WHERE id = ?1"
            " AND NOT EXISTS (SELECT 1 FROM resolution WHERE case_id = ?1)",
            (fix.case_id,),
        )
        self.touched.add(fix.case_id)
        self.withdrawn += 1

    def _add(self, id_: str, record: Record, content: _Content) -> None:
        if id_ not in self.cases:  # it was here a moment ago
            self.make_case(id_, record)
        case_id = self.cases[id_]
        own = self._own(case_id, id_)
        if own is not None and not self._is_newer(own, record, content):
            self.unchanged += 1
            return
        status = "rejected" if redact(content.text)[:TEXT_KEPT] in rejected_texts(self.con, case_id) else "verified"
        origin = _origin(id_, self.place, record, content)
        if len(origin.to_json()) > TEXT_KEPT:
            self.kept.append(Kept(id_, "it is too large"))
            return
        added = insert_resolution(
            self.con, case_id, content.mark, content.text, status=status, resolved_by=None, tool_sequence=(),
            author=TEAM, session_id=None, message_ids=(), supersedes=current_resolution(self.con, case_id),
            ts=record.latest(), original=origin.to_json(), tags=content.tags, lesson=content.lesson,
        )  # fmt: skip
        if own is not None:
            self.con.execute("UPDATE resolution SET replaced_by = ? WHERE id = ?", (added, own[0]))
            note_seen(self.con, id_, record.latest())
        if status == "rejected":
            self.kept.append(Kept(id_, "you rejected this fix"))
        self.touched.add(case_id)
        self.added += 1

    def _update(self, id_: str, record: Record, content: _Content, fix: _Fix) -> None:
        by = None
        if fix.replaced_by is not None:
            row = self.con.execute("SELECT ts FROM resolution WHERE id = ?", (fix.replaced_by,)).fetchone()
            by = fix.replaced_by if row is not None and str(row[0]) >= record.latest() else None
            if by is None:  # the file has a later version than the edit made here
                note_seen(self.con, id_, record.latest())
                self.con.execute("UPDATE resolution SET replaced_by = ? WHERE id = ?", (fix.id, fix.replaced_by))
        edited = fix.origin.stored != stored_digest(fix.text, fix.lesson)
        origin = _origin(id_, self.place, record, content)
        if by is not None or fix.status == "rejected":
            self.kept.append(Kept(id_, "you rejected it" if by is None else "your edit is newer"))
            held = Origin(id_, origin.repository, origin.line, "" if edited else fix.origin.stored)
            self.con.execute("UPDATE resolution SET original = ? WHERE id = ?", (held.to_json(), fix.id))
            return
        self.con.execute(
            "UPDATE resolution SET text = ?, lesson = ?, fingerprint = ?, tags = ?, ts = ?, original = ?,"
            " replaced_by = NULL WHERE id = ?",
            (
                redact(content.text)[:TEXT_KEPT], stored_lesson(content.lesson), content.mark, _tags_json(content),
                record.latest(), origin.to_json(), fix.id,
            ),
        )  # fmt: skip
        self.touched.add(fix.case_id)
        self.changed += 1

    def _own(self, case_id: int, id_: str) -> tuple[int, str, str, str | None] | None:
        """The fix written here that was shared as this lesson: its number, time, text and lesson."""
        rows = self.con.execute(
            "SELECT r.id, r.fingerprint, r.text, r.lesson, r.ts, e.error_normalized FROM resolution r"
            " JOIN error_kb e ON e.id = r.case_id WHERE r.case_id = ? AND r.status = 'verified'"
            " AND r.replaced_by IS NULL AND r.author <> ?",
            (case_id, TEAM),
        ).fetchall()
        for fix_id, mark, text, stored, ts, key in cast(
            "list[tuple[int, str | None, str, str | None, str, str]]", rows
        ):
            if id_ == (self.first.get(fix_id) or lesson_id(mark, key, parse_lesson(stored), text)):
                return fix_id, ts, text, stored
        return None

    def _is_newer(self, own: tuple[int, str, str, str | None], record: Record, content: _Content) -> bool:
        """Whether the file has another, later version of a fix that was written and shared here."""
        _, ts, text, stored = own
        if record.latest() <= ts:
            return False
        person = person_of(self.place)
        mine, theirs = parse_lesson(stored), content.lesson
        said = "" if mine is None else cleaned(mine.do.text, person)
        return cleaned(text, person) != content.text or said != ("" if theirs is None else theirs.do.text)


def import_lessons(store: Store, place: TeamPlace, actor: str, path: Path | None = None) -> TeamImport:
    """Take a repository's lessons over in one change. `path`: another file than the repository's own.

    Raises Fault where the file cannot be read or the casebook not be written.
    """
    source = path or place.file
    file = read_lessons(source)
    title = f"team lessons of {place.repository.rpartition('/')[2]}"
    taken = take_records(
        store, place, file.records, actor, title, lambda con: mark_known(con, place, file if path is None else None)
    )
    alive = sum(not one.is_withdrawn for one in file.records.values())
    return TeamImport(
        source, place.repository, alive, taken.added, taken.changed, taken.withdrawn, taken.unchanged, taken.kept,
        file_faults(file.bad), taken.change,
    )  # fmt: skip


class Taken(NamedTuple):
    """What taking lessons over did; `change` is its number in the history, None for none."""

    added: int
    changed: int
    withdrawn: int
    unchanged: int
    kept: tuple[Kept, ...]
    change: int | None


def take_records(
    store: Store,
    place: TeamPlace,
    records: Mapping[str, Record],
    actor: str,
    title: str,
    note: Callable[[apsw.Connection], object],
) -> Taken:
    """Take lessons of a repository over in one change. `note` runs in its transaction. Raises Fault."""
    store.require_write()
    with faults(store.path), store.transaction():
        cases = _work(store.con, place)
        for id_, record in records.items():
            cases.make_case(id_, record)
    with faults(store.path), change(store, actor, title) as made:
        work = _work(store.con, place, cases.cases)  # another process may have imported meanwhile
        for id_, record in records.items():
            work.take(id_, record)
        for case_id in work.touched:
            refresh_case(store.con, case_id)
            made.subjects.add(("error_kb", case_id))
        drop_empty_cases(store.con, work.touched)
        note(store.con)
    return Taken(work.added, work.changed, work.withdrawn, work.unchanged, tuple(work.kept), made.id)


def _work(con: apsw.Connection, place: TeamPlace, cases: Mapping[str, int] | None = None) -> _Import:
    """An import with what the casebook has now; inside the transaction that rests on it."""
    return _Import(con, place, _fixes(con, place), _gone(con, place), first_ids(con), cases=dict(cases or {}))


def _fixes(con: apsw.Connection, place: TeamPlace) -> dict[str, _Fix]:
    """The fixes of this repository's team, by lesson."""
    rows = con.execute(
        "SELECT id, case_id, text, lesson, status, replaced_by, original FROM resolution WHERE author = ? ORDER BY id",
        (TEAM,),
    )
    found: dict[str, _Fix] = {}
    for fix_id, case_id, text, lesson, status, by, original in cast(
        "Iterator[tuple[int, int, str, str | None, str, int | None, str | None]]", rows
    ):
        origin = origin_of(TEAM, original)
        if origin is None or origin.repository != place.repository:
            continue
        read = parse_line(origin.line.encode())
        if not isinstance(read, str):
            found[origin.id] = _Fix(fix_id, case_id, text, lesson, status, by, origin, read[1])
    return found


def _gone(con: apsw.Connection, place: TeamPlace) -> dict[str, str]:
    """The lessons of this repository that were withdrawn, and when."""
    prefix = f"{_WITHDRAWN}{place.repository}\0"
    rows = con.execute("SELECT key, value FROM meta WHERE key >= ? AND key < ?", (prefix, f"{prefix}\U0010ffff"))
    return {key[len(prefix) :]: value for key, value in cast("Iterator[tuple[str, str]]", rows)}


def _origin(id_: str, place: TeamPlace, record: Record, content: _Content) -> Origin:
    stored = stored_digest(redact(content.text)[:TEXT_KEPT], stored_lesson(content.lesson))
    return Origin(id_, place.repository, line_of(id_, record), stored)


def _content(record: Record) -> _Content:
    """What a lesson of the file says: checked, redacted, as any import. Raises BadLesson."""
    said = record.values()
    errors = [*told_errors(said)]
    error = _text(said, "error")
    names = tuple(_names(errors, record.shared))
    if not names and not error:
        raise BadLesson("it has no error")
    if not names:
        found = identify(error)
        names = (ImportedName(Name(found.key_line, found.normalized, found.fingerprint, found.tool), record.shared),)
    lesson = _lesson(said, names[0].name.key_line)
    text = _text(said, "text") or ("" if lesson is None else lesson.do.text)
    if not text.strip():
        raise BadLesson("it has no action")
    key = _text(said, "key") or identify(names[0].name.key_line).normalized or names[0].name.fingerprint
    mark = None if said.get("whole") is True else names[0].name.fingerprint
    tags = said.get("tags")
    shown = [one for one in cast("list[object]", tags) if isinstance(one, str)] if isinstance(tags, list) else []
    kept = tuple(one_form(clean(redact(tag)))[:LONGEST_TAG] for tag in shown[:MOST_TAGS])
    return _Content(names, key, mark, text, lesson, kept)


def _names(errors: list[Mapping[str, str]], ts: str) -> Iterator[ImportedName]:
    for one in errors:
        line, mark = _text(one, "line"), _text(one, "fingerprint")
        if not line.strip():
            continue
        found = identify(line)
        mark = mark or found.fingerprint
        if mark:
            yield ImportedName(Name(line, found.normalized, mark, _text(one, "tool") or found.tool), ts)


def _lesson(said: Mapping[str, object], line: str) -> Lesson | None:
    if not isinstance(said.get("do"), dict):
        return None
    when = {name: said.get(name) or "" for name in ("tool", "version", "system", "sandbox")}
    given = {
        "when": {"error": said.get("error") or line, **when}, "do": said["do"], "not": said.get("not"),
        "check": said.get("check"), "because": said.get("because"), "scope": said.get("scope") or "project",
        "workaround": said.get("workaround"),
    }  # fmt: skip
    return lesson_from(given)


def _text(said: Mapping[str, Any], name: str) -> str:
    value = said.get(name)
    if value is None:
        return ""
    if not isinstance(value, str) or len(value) > LONGEST:
        raise BadLesson(f"{name} is not a string of at most {LONGEST:,} characters")
    return clean(redact(value))


def _tags_json(content: _Content) -> str:
    return dump_names(content.tags) or "[]"


def drop_empty_cases(con: apsw.Connection, cases: Iterable[int]) -> None:
    """Remove those of the cases that only a lesson made and that hold nothing any more: the lesson was withdrawn, or
    its import undone, and nothing was seen of the error here. Inside the caller's transaction."""
    rows = con.execute(
        "SELECT one.value FROM json_each(?) one WHERE EXISTS (SELECT 1 FROM meta WHERE key = ? || one.value)"
        " AND NOT EXISTS (SELECT 1 FROM resolution WHERE case_id = one.value)"
        " AND NOT EXISTS (SELECT 1 FROM merged WHERE into_id = one.value)"
        " AND NOT EXISTS (SELECT 1 FROM noise WHERE case_id = one.value)"
        " AND NOT EXISTS (SELECT 1 FROM occurrence JOIN fingerprint USING (fingerprint) WHERE case_id = one.value)",
        (json.dumps(sorted({*cases})), _CASE),
    ).fetchall()
    for (case_id,) in cast("list[tuple[int]]", rows):
        for table in ("fingerprint", "case_key"):
            con.execute(f"DELETE FROM {table} WHERE case_id = ?", (case_id,))
        con.execute("DELETE FROM error_kb WHERE id = ?", (case_id,))
        refresh_case(con, case_id)
