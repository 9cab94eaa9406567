"""A lessons file into the casebook: what a colleague verified answers here too, marked as the team's.

One journaled change, which can be undone. A decision made here stays: a rejected lesson stays rejected, a fix edited
here answers until the file has a later version of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple, cast

import apsw

from core.errors import identify
from core.errors.cases.derived import TEAM, derive_new_cases, one_form, refresh_case, without_triggers
from core.errors.cases.record import Name
from core.errors.cases.resolutions import INSERT_RESOLUTION, TEXT_KEPT, dump_names, stored_lesson
from core.errors.curation.transaction import LONGEST_TAG, MOST_TAGS
from core.errors.exchange.case_import import BadLesson, Plain, lesson_from
from core.errors.lessons import Lesson, parse_lesson
from core.flows.team.collect import Origin, first_ids, lesson_id, note_edit, note_seen, origin_of, stored_digest
from core.flows.team.export import FileFault, file_faults, named_errors
from core.flows.team.place import TeamPlace, agree, mark_known, person_of, read_lessons
from core.store import Store, change, faults, now
from core.team.lessons_file import Record, join, line_of, parse_line
from core.team.privacy import cleaned, redacted
from core.text import clean, redact
from core.transcripts.fields import timestamp

_WITHDRAWN: Final = "team_withdrawn:"
_CASE: Final = "team_case:"
REJECTED_TEXT: Final = "you rejected a fix with this text"
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
    """A fix of the team that is in the casebook. `replaced_by`: the newest edit that was made here in its place."""

    id: int
    case_id: int
    text: str
    lesson: str | None
    status: str
    reason: str
    replaced_by: int | None
    origin: Origin
    record: Record

    @property
    def is_rejected_here(self) -> bool:
        """Whether a person here rejected it, and no other fix with its text."""
        return self.status == "rejected" and self.reason != REJECTED_TEXT


class _Content(NamedTuple):
    """What a lesson says, and how that is stored: `kept` its text, `lesson` its JSON, `tags` theirs."""

    names: tuple[Name, ...]
    key: str
    mark: str | None
    text: str
    kept: str
    do: str
    lesson: str | None
    tags: str
    rejected: str | None


class _Own(NamedTuple):
    """A verified fix of a case that was written here."""

    id: int
    mark: str | None
    text: str
    lesson: str | None
    ts: str
    key: str


@dataclass(slots=True)
class _Import:
    """An import while it runs, inside its transaction. What it rests on is read in a few queries for all lessons."""

    con: apsw.Connection
    place: TeamPlace
    records: Mapping[str, Record]
    fixes: Mapping[str, _Fix]
    gone: Mapping[str, str]
    contents: dict[str, _Content | str] = field(default_factory=dict[str, "_Content | str"])
    added: int = 0
    changed: int = 0
    withdrawn: int = 0
    unchanged: int = 0
    kept: list[Kept] = field(default_factory=list[Kept])
    cases: dict[str, int] = field(default_factory=dict[str, int])
    made: list[int] = field(default_factory=list[int])
    touched: set[int] = field(default_factory=set[int])
    loud: set[int] = field(default_factory=set[int])
    own: dict[int, list[_Own]] = field(default_factory=dict[int, list[_Own]])
    rejected: set[tuple[int, str]] = field(default_factory=set[tuple[int, str]])
    first: Mapping[int, str] = field(default_factory=dict[int, str])
    rows: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])

    def merged(self, id_: str) -> Record:
        """The lesson of the file with what is known of it here."""
        found = self.records[id_]
        if id_ in self.fixes:
            found = join(self.fixes[id_].record, found)
        return join(Record("", self.gone[id_], {}), found) if id_ in self.gone else found

    def content(self, id_: str, record: Record) -> _Content | str:
        """What a lesson says, or why it is none."""
        if id_ not in self.contents:
            try:
                self.contents[id_] = _content(record if record is self.records[id_] else redacted(record))
            except BadLesson as why:
                self.contents[id_] = f"invalid lesson: {why}"
        return self.contents[id_]

    def make_cases(self) -> None:
        """The cases of lessons that are not here yet. They are no part of the change: what is seen later needs
        them."""
        new: dict[str, tuple[_Content, str]] = {}
        for id_ in self.records:
            merged = self.merged(id_)
            fix = self.fixes.get(id_)
            if merged.is_withdrawn or (fix is not None and not self._names_others(merged, fix)):
                continue
            content = self.content(id_, merged)
            if not isinstance(content, str):
                new[id_] = content, timestamp(merged.shared) or now()
        marks, keys = _known_cases(self.con, [content for content, _ in new.values()])
        made: list[tuple[int, str, str]] = []
        known = {*marks}
        last = _last_case(self.con)
        for id_, (content, ts) in new.items():
            first, *others = (one.fingerprint for one in content.names)
            found = marks.get(first, keys.get(content.key)) or next(
                (marks[one] for one in others if one in marks), None
            )
            if found is None:
                found = last = last + 1
                made.append((found, ts, content.key))
            self.cases[id_] = found
            keys.setdefault(content.key, found)
            for one in content.names:
                marks.setdefault(one.fingerprint, found)
        self.made = [case_id for case_id, _, _ in made]
        fresh = {*self.made}
        rows = [
            (one.fingerprint, self.cases[id_], one.key_line, one.tool, ts)
            for id_, (content, ts) in new.items()
            for one in content.names
            if one.fingerprint not in known
        ]
        self.loud = {row[1] for row in rows}
        keys_of = [(content.key, self.cases[id_]) for id_, (content, _) in new.items()]
        with without_triggers(self.con):
            self.con.executemany("INSERT INTO error_kb(id, ts, error_normalized, use_count) VALUES (?, ?, ?, 0)", made)
            self.con.executemany(_INSERT_NAME, [one for one in rows if one[1] in fresh])
            self.con.executemany(_INSERT_KEY, [one for one in keys_of if one[1] in fresh])
        self.con.executemany(_INSERT_NAME, [one for one in rows if one[1] not in fresh])
        self.con.executemany(_INSERT_KEY, [one for one in keys_of if one[1] not in fresh])
        self.con.executemany(
            "INSERT OR IGNORE INTO meta(key, value) VALUES (?, '')", [(f"{_CASE}{case_id}",) for case_id in self.made]
        )

    def _names_others(self, record: Record, fix: _Fix) -> bool:
        """Whether a lesson now names errors of which none is in the case of its fix."""
        if record.fields.get("errors") == fix.record.fields.get("errors"):
            return False
        row = self.con.execute(
            "SELECT 1 FROM json_each(?) CROSS JOIN fingerprint ON fingerprint = value WHERE case_id = ? LIMIT 1",
            (json.dumps(errors_of(record)), fix.case_id),
        ).fetchone()
        return row is None

    def take_all(self) -> None:
        """Every lesson of the file."""
        merged = {id_: self.merged(id_) for id_ in self.records}
        self.con.executemany(
            "INSERT OR REPLACE INTO meta(key, value) VALUES (?, ?)",
            [
                (f"{_WITHDRAWN}{self.place.repository}\0{id_}", one.withdrawn)
                for id_, one in merged.items()
                if one.withdrawn > self.gone.get(id_, "")
            ],
        )
        for id_, record in merged.items():
            if record.is_withdrawn:
                self._withdraw(id_, self.fixes.get(id_))
        self._read_decided()
        for id_, record in merged.items():
            if not record.is_withdrawn:
                self._take(id_, record, self.fixes.get(id_))
        self.con.executemany(INSERT_RESOLUTION, self.rows)
        derive_new_cases(self.con, self.made)
        old = self.touched.difference(self.made)
        refresh_case(self.con, *old, quiet=old - self.loud)

    def _read_decided(self) -> None:
        """What was written and rejected here for the cases of the lessons."""
        ids = json.dumps(sorted({*self.cases.values(), *(one.case_id for one in self.fixes.values())}))
        rows = self.con.execute(
            "SELECT r.case_id, r.id, r.fingerprint, r.text, r.lesson, r.ts, e.error_normalized, r.status"
            " FROM json_each(?) CROSS JOIN resolution r ON r.case_id = value JOIN error_kb e ON e.id = r.case_id"
            " WHERE r.author <> ? AND (r.status = 'rejected' OR (r.status = 'verified' AND r.replaced_by IS NULL))",
            (ids, TEAM),
        ).fetchall()
        for case_id, *own, status in cast("list[tuple[int, Any]]", rows):
            if status == "rejected":
                self.rejected.add((case_id, str(own[2])))
            else:
                self.own.setdefault(case_id, []).append(_Own(*own))
        if self.own:
            self.first = first_ids(self.con, self.own)

    def _take(self, id_: str, record: Record, fix: _Fix | None) -> None:
        if fix is not None and record == fix.record:
            self.unchanged += 1
        elif isinstance(content := self.content(id_, record), str):
            self.kept.append(Kept(id_, content))
        elif fix is None:
            self._add(id_, record, content)
        elif self.cases.get(id_, fix.case_id) != fix.case_id and fix.replaced_by is None and not fix.is_rejected_here:
            home = self.cases[id_]  # a decision made here stays where it is
            self._take_out(fix, "UPDATE resolution SET case_id = ?2 WHERE id = ?1", home)
            self._update(id_, record, content, fix._replace(case_id=home))
        else:
            self._update(id_, record, content, fix)

    def _withdraw(self, id_: str, fix: _Fix | None) -> None:
        if fix is None:
            self.unchanged += 1
            return
        if fix.replaced_by is not None:
            note_edit(self.con, fix.replaced_by, id_)
        self._take_out(fix, "DELETE FROM resolution WHERE id = ?1")
        self.withdrawn += 1

    def _take_out(self, fix: _Fix, statement: str, *values: int) -> None:
        """Take a fix out of its case by `statement`, with its number and `values`."""
        self.con.execute(  # a fix is replaced by one of its case
            "UPDATE resolution SET replaced_by = NULL WHERE case_id = ? AND replaced_by = ?", (fix.case_id, fix.id)
        )
        self.con.execute(statement, (fix.id, *values))
        self.con.execute(  # a row without any fix is left as the seed's programs wrote it
            "UPDATE error_kb SET resolution = NULL, resolved_by = NULL, tool_sequence = NULL WHERE id = ?1"
            " AND NOT EXISTS (SELECT 1 FROM resolution WHERE case_id = ?1)",
            (fix.case_id,),
        )
        self.touched.add(fix.case_id)
        self.loud.add(fix.case_id)

    def _add(self, id_: str, record: Record, content: _Content) -> None:
        case_id = self.cases[id_]
        own = next((one for one in self.own.get(case_id, ()) if self._is_of(one, id_)), None)
        if own is not None and not self._is_newer(own, record, content):
            self.unchanged += 1
            return
        origin = _origin(id_, self.place, record, content)
        if len(original := origin.to_json()) > TEXT_KEPT:
            self.kept.append(Kept(id_, "the lesson is too large"))
            return
        status, reason = self._status(case_id, content)
        row = (
            case_id, content.mark, content.kept, status, None, None, TEAM, None, "[]", None if own is None else own.id,
            record.latest(), original, content.tags, reason, content.lesson,
        )  # fmt: skip
        if own is None:
            self.rows.append(row)
        else:
            self.con.execute(INSERT_RESOLUTION, row)
            self.con.execute(
                "UPDATE resolution SET replaced_by = ? WHERE id = ?", (self.con.last_insert_rowid(), own.id)
            )
            self.own[case_id].remove(own)
            note_seen(self.con, id_, record.latest(), own.id)
        if reason == REJECTED_TEXT:
            self.kept.append(Kept(id_, reason))
        self.touched.add(case_id)
        if own is not None or content.tags != "[]":
            self.loud.add(case_id)
        self.added += 1

    def _status(self, case_id: int, content: _Content) -> tuple[str, str]:
        """The status of a lesson's fix, and the reason where the team rejected it, or a fix with its text was here."""
        if (case_id, content.kept) in self.rejected:
            return "rejected", REJECTED_TEXT
        return ("verified", "") if content.rejected is None else ("rejected", content.rejected)

    def _update(self, id_: str, record: Record, content: _Content, fix: _Fix) -> None:
        by = None
        if fix.replaced_by is not None:
            row = self.con.execute("SELECT ts FROM resolution WHERE id = ?", (fix.replaced_by,)).fetchone()
            by = fix.replaced_by if row is not None and str(row[0]) >= record.latest() else None
            if by is None:  # the file has a later version than the edit made here
                note_seen(self.con, id_, record.latest(), fix.replaced_by)
                self.con.execute("UPDATE resolution SET replaced_by = ? WHERE id = ?", (fix.id, fix.replaced_by))
        edited = fix.origin.stored != stored_digest(fix.text, fix.lesson)
        origin = _origin(id_, self.place, record, content)
        if by is not None or (fix.is_rejected_here and not fix.record.is_rejected and not record.is_rejected):
            why = "you rejected this lesson" if by is None else "your edit is newer than the lesson"
            self.kept.append(Kept(id_, why))
            held = Origin(id_, origin.repository, origin.line, "" if edited else fix.origin.stored)
            self.con.execute("UPDATE resolution SET original = ? WHERE id = ?", (held.to_json(), fix.id))
            return
        status, reason = self._status(fix.case_id, content)
        before, after = (one.fields.get("rejected") for one in (fix.record, record))
        if fix.is_rejected_here and record.is_rejected:
            status, reason = "rejected", fix.reason
        elif fix.status == "verified" and record.is_rejected and before == after:
            status, reason = "verified", ""  # here it was verified again since
        if reason == REJECTED_TEXT:
            self.kept.append(Kept(id_, reason))
        self.con.execute(
            "UPDATE resolution SET text = ?, lesson = ?, fingerprint = ?, tags = ?, ts = ?, original = ?, status = ?,"
            " reason = ?, replaced_by = NULL WHERE id = ?",
            (
                content.kept, content.lesson, content.mark, content.tags, record.latest(), origin.to_json(), status,
                reason, fix.id,
            ),
        )  # fmt: skip
        self.touched.add(fix.case_id)
        self.loud.add(fix.case_id)
        self.changed += 1

    def _is_of(self, own: _Own, id_: str) -> bool:
        """Whether a fix written here was shared as this lesson."""
        return id_ == (self.first.get(own.id) or lesson_id(own.mark, own.key, parse_lesson(own.lesson), own.text))

    def _is_newer(self, own: _Own, record: Record, content: _Content) -> bool:
        """Whether the file has another, later version of a fix that was written and shared here."""
        if record.latest() <= own.ts:
            return False
        if content.rejected is not None and record.fields["rejected"].time > own.ts:
            return True
        person, mine = person_of(self.place), parse_lesson(own.lesson)
        instructions = "" if mine is None else cleaned(mine.do.text, person)
        return cleaned(own.text, person) != content.text or instructions != content.do


_INSERT_NAME: Final = (
    "INSERT OR IGNORE INTO fingerprint(fingerprint, case_id, key_line, tool, first_seen) VALUES (?, ?, ?, ?, ?)"
)
_INSERT_KEY: Final = "INSERT OR IGNORE INTO case_key(error_normalized, case_id) VALUES (?, ?)"


def _last_case(con: apsw.Connection) -> int:
    """The largest number that a case ever had."""
    row = con.execute(
        "SELECT max((SELECT coalesce(max(id), 0) FROM error_kb),"
        " (SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'error_kb'))"
    ).fetchone()
    return cast("int", row[0]) if row else 0


def _known_cases(con: apsw.Connection, contents: Sequence[_Content]) -> tuple[dict[str, int], dict[str, int]]:
    """The cases of the fingerprints and of the keys of these lessons."""
    marks = json.dumps([one.fingerprint for content in contents for one in content.names])
    keys = json.dumps([content.key for content in contents])
    by_mark = con.execute(
        "SELECT fingerprint, case_id FROM json_each(?) CROSS JOIN fingerprint ON fingerprint = value", (marks,)
    )
    by_key = con.execute(
        "SELECT error_normalized, error_kb.id FROM json_each(?1) CROSS JOIN error_kb ON error_normalized = value UNION"
        " ALL SELECT error_normalized, case_id FROM json_each(?1) CROSS JOIN case_key ON error_normalized = value",
        (keys,),
    )
    return dict(cast("Iterator[tuple[str, int]]", by_mark)), dict(cast("Iterator[tuple[str, int]]", by_key))


def import_lessons(store: Store, place: TeamPlace, actor: str, path: Path | None = None) -> TeamImport:
    """Take a repository's lessons over in one change. `path`: another file than the repository's own.

    Raises Fault where the file cannot be read or the casebook not be written.
    """
    source = path or place.file
    file = read_lessons(source)
    title = f"team lessons of {place.repository.rpartition('/')[2]}"
    taken = take_records(
        store, place, {id_: redacted(one) for id_, one in file.records.items()}, actor, title,
        lambda con: mark_known(con, place, file if path is None else None), agreed=actor != TEAM,
    )  # fmt: skip
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
    *,
    agreed: bool = True,
) -> Taken:
    """Take lessons of a repository, which are `redacted`, over in one change. `note` runs in its transaction. `agreed`:
    a person wants lessons of this repository, so that those which hold everywhere do. Raises Fault."""
    store.require_write()
    with faults(store.path), change(store, actor, title) as made:
        work = _Import(store.con, place, records, _fixes(store.con, place, records), _gone(store.con, place))
        with made.unrecorded():
            work.make_cases()
        work.take_all()
        made.subjects.update(("error_kb", case_id) for case_id in work.touched)
        drop_empty_cases(store.con, work.touched)
        note(store.con)
        if agreed:
            agree(store.con, place)
    return Taken(work.added, work.changed, work.withdrawn, work.unchanged, tuple(work.kept), made.id)


def _fixes(con: apsw.Connection, place: TeamPlace, ids: Iterable[str]) -> dict[str, _Fix]:
    """The fixes of this repository's team that these lessons are."""
    rows = con.execute(
        f"SELECT id, case_id, text, lesson, status, reason, {_NEWEST_EDIT}, original FROM resolution r"
        f" WHERE author = '{TEAM}'"
        " AND iif(json_valid(original), json_extract(original, '$.team.id'), NULL) IN (SELECT value FROM json_each(?))"
        " ORDER BY id",
        (json.dumps(list(ids)),),
    )
    found: dict[str, _Fix] = {}
    for row in cast("Iterator[tuple[Any, ...]]", rows):
        origin = origin_of(TEAM, row[7])
        if origin is None or origin.repository != place.repository:
            continue
        read = parse_line(origin.line.encode())
        if not isinstance(read, str):
            found[origin.id] = _Fix._make((*row[:7], origin, read[1]))
    return found


_NEWEST_EDIT: Final = (
    "(WITH RECURSIVE later(id) AS (SELECT r.replaced_by UNION SELECT replaced_by FROM later JOIN resolution USING (id))"
    " SELECT id FROM later JOIN resolution USING (id) WHERE replaced_by IS NULL)"
)
"""The last edit of a fix `r`; NULL for a fix without edits."""


def _gone(con: apsw.Connection, place: TeamPlace) -> dict[str, str]:
    """The lessons of this repository that were withdrawn, and when."""
    prefix = f"{_WITHDRAWN}{place.repository}\0"
    rows = con.execute("SELECT key, value FROM meta WHERE key >= ? AND key < ?", (prefix, f"{prefix}\U0010ffff"))
    return {key[len(prefix) :]: value for key, value in cast("Iterator[tuple[str, str]]", rows)}


def _origin(id_: str, place: TeamPlace, record: Record, content: _Content) -> Origin:
    return Origin(id_, place.repository, line_of(id_, record), stored_digest(content.kept, content.lesson))


def _content(record: Record) -> _Content:
    """What a lesson that is `redacted` says: checked, as any import. Raises BadLesson."""
    values, plain = record.values(), str if record.is_plain() else clean
    error, key = _text(values, "error", plain), _text(values, "key", plain)
    names = tuple(_names([*named_errors(values)], plain))
    if not names and not error:
        raise BadLesson("the lesson has no error")
    if not names:
        found = identify(error)
        names = (Name(found.key_line, found.normalized, found.fingerprint, found.tool),)
    if not names[0].fingerprint:
        raise BadLesson("the lesson has no error")
    lesson = _lesson(values, names[0].key_line, plain)
    text = _text(values, "text", plain) or ("" if lesson is None else lesson.do.text)
    if not text.strip():
        raise BadLesson("the lesson has no action")
    key = key or identify(names[0].key_line).normalized or names[0].fingerprint
    mark = None if values.get("whole") is True else names[0].fingerprint
    tags = values.get("tags")
    shown = [one for one in cast("list[object]", tags) if isinstance(one, str)] if isinstance(tags, list) else []
    named = [one_form(clean(redact(tag)))[:LONGEST_TAG] for tag in shown[:MOST_TAGS]]
    do = "" if lesson is None else lesson.do.text
    kept = text if plain is str else redact(text)
    return _Content(
        names, key, mark, text, kept[:TEXT_KEPT], do, stored_lesson(lesson), dump_names(named) or "[]",
        _text(values, "rejected", plain) if record.is_rejected else None,
    )  # fmt: skip


def errors_of(record: Record) -> tuple[str, ...]:
    """The fingerprints of the errors that a lesson is about; none of a withdrawn one."""
    values = record.values()
    try:
        names = tuple(_names([*named_errors(values)], str))
        error = "" if names else _text(values, "error", str)
    except BadLesson:
        return ()
    return tuple(one.fingerprint for one in names) or ((identify(error).fingerprint,) if error else ())


def _names(errors: list[Mapping[str, str]], plain: Plain) -> Iterator[Name]:
    for one in errors:
        line, mark, tool = (_text(one, name, plain) for name in ("line", "fingerprint", "tool"))
        if not line.strip():
            continue
        if not (mark and tool):
            found = identify(line)
            mark, tool = mark or found.fingerprint, tool or found.tool
        if mark:
            yield Name(line, "", mark, tool)


def _lesson(values: Mapping[str, object], line: str, plain: Plain) -> Lesson | None:
    if not isinstance(values.get("do"), dict):
        return None
    when = {name: values.get(name) or "" for name in ("tool", "version", "system", "sandbox")}
    given = {
        "when": {"error": values.get("error") or line, **when}, "do": values["do"], "not": values.get("not"),
        "check": values.get("check"), "because": values.get("because"), "scope": values.get("scope") or "project",
        "workaround": values.get("workaround"),
    }  # fmt: skip
    return lesson_from(given, plain)


def _text(values: Mapping[str, Any], name: str, plain: Plain) -> str:
    value = values.get(name)
    if value is None:
        return ""
    if not isinstance(value, str) or len(value) > LONGEST:
        raise BadLesson(f"{name} is not a string of at most {LONGEST:,} characters")
    return plain(value)


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
    for table, column in (("fingerprint", "case_id"), ("case_key", "case_id"), ("error_kb", "id")):
        con.executemany(f"DELETE FROM {table} WHERE {column} = ?", rows)
    if rows:
        refresh_case(con, *(cast("int", row[0]) for row in rows))
