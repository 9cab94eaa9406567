"""The lessons file (`.casebook/lessons.jsonl`): one lesson a line, sorted by id, keys sorted.

A line is a JSON object:

    {"at":{"check":"2026-11-02T09:00:00.000Z"},"check":"pytest -q","do":{…},…,"id":"0f3c…","shared":"2026-11-01T…"}

`shared` is when it was shared; `at` has the time of each field that was changed since. A withdrawn lesson is a line
with its `id` and `withdrawn` alone. A lesson that was shared again has a later `shared`, and may keep the older
`withdrawn`. Further fields of later versions are kept. Lines that are no lesson are kept at the end of the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import reduce
from typing import Final, Literal, NamedTuple, NoReturn, cast

from core.base.wire import canonical

NAME: Final = ".casebook/lessons.jsonl"
"""Where the file is in a repository."""
LONGEST_LINE: Final = 1 << 20
"""Bytes of a lesson; a longer line is kept as it is and not read."""
DEEPEST: Final = 64
"""Objects and lists within each other in a lesson; a deeper line is kept as it is and not read."""
_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_TIME: Final = re.compile(r"[0-9]{4}-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9]\.[0-9]{3}Z")
_FIELD: Final = re.compile(r"[a-z][a-z_]{0,63}")
_CONTROL: Final = re.compile(r"\\[ubfr]")
"""An escape in a canonical line that may be a control."""
_MARKER: Final = re.compile(rb"(?:<{7,}|>{7,}|={7,}|\|{7,})(?: .*)?")


class Stamped(NamedTuple):
    """The value of a field as canonical JSON, and when it was written. The later one is the larger one."""

    time: str
    json: str

    @property
    def value(self) -> object:
        return json.loads(self.json)


class Record(NamedTuple):
    """One lesson of the file. Times are ISO 8601 in UTC with milliseconds; '' for never.

    `shared` '': it is withdrawn, and has no fields.
    """

    shared: str
    withdrawn: str
    fields: Mapping[str, Stamped]

    @property
    def is_withdrawn(self) -> bool:
        return not self.shared

    @property
    def is_rejected(self) -> bool:
        """Whether the team rejected it: its field `rejected` says why, or is empty."""
        return "rejected" in self.fields and self.fields["rejected"].json.startswith('"')

    def values(self) -> dict[str, object]:
        """The decoded fields."""
        if isinstance(self.fields, _Decoded):
            return {**self.fields.decoded}
        return cast("dict[str, object]", json.loads(_object({name: one.json for name, one in self.fields.items()})))

    def is_plain(self) -> bool:
        """Whether its texts are known to be ASCII without controls, save newlines and tabs."""
        if not isinstance(self.fields, _Decoded):
            return False
        line = self.fields.line
        return line.isascii() and _CONTROL.search(line) is None

    def latest(self) -> str:
        """The time of the last decision about it."""
        if isinstance(self.fields, _Decoded):
            return max((self.shared, self.withdrawn, *self.fields.at.values()))
        return max((self.shared, self.withdrawn, *(one.time for one in self.fields.values())))


class _Decoded(Mapping[str, Stamped]):
    """The fields of a line. Each is encoded when it is asked for: of most lessons none ever is.

    `decoded`: the values, sorted by name; `at`: the times that differ from `shared`; `line`: what `line_of` makes
    of a record with this `id`, `shared` and `withdrawn`.
    """

    __slots__ = ("at", "decoded", "id", "line", "shared", "withdrawn")

    def __init__(
        self,
        id_: str,
        shared: str,
        withdrawn: str,
        decoded: Mapping[str, object],
        at: Mapping[str, str],
        line: str = "",
    ) -> None:
        self.id, self.shared, self.withdrawn, self.decoded, self.at = id_, shared, withdrawn, decoded, at
        if line:
            self.line = line
            return
        members: dict[str, object] = {**decoded, "id": id_, "shared": shared}
        if withdrawn:
            members["withdrawn"] = withdrawn
        if at:
            members["at"] = at
        self.line = canonical(members)

    def __getitem__(self, name: str) -> Stamped:
        return Stamped(self.at.get(name, self.shared), canonical(self.decoded[name]))

    def __contains__(self, name: object) -> bool:
        return name in self.decoded

    def __iter__(self) -> Iterator[str]:
        return iter(self.decoded)

    def __len__(self) -> int:
        return len(self.decoded)


class BadLine(NamedTuple):
    """A line that is no lesson: its number from 1, why, and its bytes without the line ending.

    `kind` marker: it is left by a merge, and goes when the file is written; other: it is kept.
    """

    line: int
    kind: Literal["marker", "other"]
    reason: str
    raw: bytes


@dataclass(frozen=True, slots=True)
class LessonsFile:
    """What the file holds: lessons by id, and the lines that are none. `kept`: those that stay, each once, sorted."""

    records: Mapping[str, Record]
    bad: tuple[BadLine, ...] = ()
    kept: tuple[bytes, ...] = field(default=())

    def lines(self) -> Iterator[bytes]:
        """The file as it is written, line by line."""
        for id_ in sorted(self.records):
            yield f"{line_of(id_, self.records[id_])}\n".encode()
        for raw in self.kept:
            yield raw + b"\n"


EMPTY: Final = LessonsFile({})


def parse(lines: Iterable[bytes]) -> LessonsFile:
    """Read a file; a line that is no lesson is named in `bad`. Lines of one id are joined."""
    records: dict[str, Record] = {}
    bad: list[BadLine] = []
    for number, line in enumerate(lines, 1):
        raw = line.rstrip(b"\r\n")
        if number == 1:
            raw = raw.removeprefix(b"\xef\xbb\xbf")
        if not raw.strip():
            continue
        read = ("a conflict marker" if _MARKER.fullmatch(raw) else "") or parse_line(raw)
        if isinstance(read, str):
            bad.append(BadLine(number, "marker" if _MARKER.fullmatch(raw) else "other", read, raw))
            continue
        id_, record = read
        before = records.get(id_)
        records[id_] = record if before is None else join(before, record)
    return LessonsFile(records, tuple(bad), kept_lines(one.raw for one in bad if one.kind == "other"))


def kept_lines(raws: Iterable[bytes]) -> tuple[bytes, ...]:
    """Lines that are no lesson, in the order in which they are written."""
    return tuple(sorted({*raws}))


def line_of(id_: str, record: Record) -> str:
    """The line of a lesson, without its ending."""
    fields = record.fields
    if isinstance(fields, _Decoded) and (id_, *record[:2]) == (fields.id, fields.shared, fields.withdrawn):
        return fields.line
    held = {"id": canonical(id_)}
    if record.withdrawn:
        held["withdrawn"] = canonical(record.withdrawn)
    if record.shared:
        held["shared"] = canonical(record.shared)
        held.update((name, one.json) for name, one in record.fields.items())
        if later := {name: one.time for name, one in record.fields.items() if one.time != record.shared}:
            held["at"] = canonical(later)
    return _object(held)


def _object(members: Mapping[str, str]) -> str:
    """The canonical JSON of an object whose values are canonical JSON, and whose names need no escapes."""
    held = ",".join(f'"{name}":{members[name]}' for name in sorted(members))
    return f"{{{held}}}"


def parse_line(raw: bytes, change: Callable[[object], object] | None = None) -> tuple[str, Record] | str:
    """A line as its id and lesson, or the reason why it is none. `change` is applied to each decoded field."""
    if len(raw) > LONGEST_LINE:
        return f"longer than {LONGEST_LINE:,} bytes"
    try:
        text = raw.decode()
        found: object = _DECODE(text)
    except UnicodeDecodeError:
        return "not UTF-8"
    except (ValueError, RecursionError):
        return "not JSON (truncated?)"
    if not isinstance(found, dict):
        return "not a JSON object"
    if text.count("[") + text.count("{") > DEEPEST and _is_deep(cast("object", found)):
        return "nested too deeply"
    try:
        if "\\u" in text:
            found = _DECODE(canonical(cast("object", found)))  # half of a surrogate pair is replaced
        return _record(cast("dict[str, object]", found), change)
    except RecursionError:
        return "nested too deeply"
    except ValueError:
        return "a number that is too large"


def _is_deep(found: object) -> bool:
    """Whether a JSON value is deeper than whoever reads it can follow."""
    level, depth = [found], 0
    while level and depth <= DEEPEST:
        nested = (
            cast("dict[str, object]", one).values() if isinstance(one, dict) else cast("list[object]", one)
            for one in level
            if isinstance(one, dict | list)
        )
        level, depth = [one for values in nested for one in values], depth + 1
    return depth > DEEPEST


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)


_DECODE: Final = json.JSONDecoder(parse_constant=_no_number).decode


def _record(found: dict[str, object], change: Callable[[object], object] | None) -> tuple[str, Record] | str:
    id_, times = found.pop("id", None), found.pop("at", {})
    shared, withdrawn = found.pop("shared", ""), found.pop("withdrawn", "")
    if not isinstance(id_, str) or not _ID.fullmatch(id_):
        return "`id` is missing or invalid"
    if not (shared or withdrawn) or not all(one == "" or is_time(one) for one in (shared, withdrawn)):
        return "no valid `shared` or `withdrawn` time"
    if not isinstance(times, dict):
        return "an invalid `at`"
    at, began, gone = cast("dict[str, str]", times), cast("str", shared), cast("str", withdrawn)
    if not found.keys() >= at.keys() or not all(map(is_time, at.values())):
        return "an invalid `at`"
    if not all(map(_FIELD.fullmatch, found)):
        return "an invalid field name"
    if any(time < began for time in at.values()):
        return "a field older than its lesson"
    if began <= gone:
        return id_, normal(began, gone, {})
    decoded = {name: found[name] if change is None else change(found[name]) for name in sorted(found)}
    fields = _Decoded(id_, began, gone, decoded, {name: time for name, time in at.items() if time != began})
    return id_, Record(began, gone, fields)


def read_line(line: str) -> tuple[str, Record] | None:
    """A line that `line_of` wrote, as its id and lesson; None where it is another one."""
    try:
        members = cast("dict[str, object]", _DECODE(line))
        id_, shared = cast("str", members.pop("id")), cast("str", members.pop("shared", ""))
        withdrawn, at = cast("str", members.pop("withdrawn", "")), cast("dict[str, str]", members.pop("at", {}))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return id_, Record(shared, withdrawn, _Decoded(id_, shared, withdrawn, members, at, line) if shared else {})


def is_time(value: object) -> bool:
    """Whether a value is a time as a lesson has it. The last year of the calendar has no later time, so it is none."""
    if not isinstance(value, str) or _TIME.fullmatch(value) is None or value >= "9999":
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def normal(shared: str, withdrawn: str, fields: Mapping[str, Stamped]) -> Record:
    """A record in its one form: what was shared before it was withdrawn, or at that time, is gone."""
    if shared <= withdrawn:
        return Record("", withdrawn, {})
    return Record(shared, withdrawn, fields)


def join(left: Record, right: Record) -> Record:
    """Both lessons of one id as one: of each field the later value, of the same time the larger one.

    A later withdrawal beats everything shared before it; sharing again after it beats the withdrawal, and what was
    shared before. Commutative, associative, idempotent.
    """
    withdrawn, shared = max(left.withdrawn, right.withdrawn), max(left.shared, right.shared)
    held = [one.fields for one in (left, right) if one.shared == shared]
    fields = dict(held[0])
    for name, stamped in held[1].items() if len(held) > 1 else ():
        fields[name] = max(stamped, fields.get(name, stamped))
    return normal(shared, withdrawn, fields)


def merge(base: LessonsFile, sides: Sequence[LessonsFile]) -> LessonsFile:
    """What the `sides` made of `base`. `bad` names the lines of the sides that are no lesson, the first side's first.

    A lesson that is on each side is joined, field by field. One whose line a side took out goes, as in any merge,
    unless another side changed it since. A line that is no lesson stays while no side took it out.
    """
    ids = {id_ for one in (base, *sides) for id_ in one.records}
    merged = {id_: _merged(base.records.get(id_), [one.records.get(id_) for one in sides]) for id_ in ids}
    records = {id_: found for id_, found in sorted(merged.items()) if found is not None}
    return LessonsFile(records, tuple(bad for one in sides for bad in one.bad), _kept(base, sides))


def _merged(base: Record | None, sides: Sequence[Record | None]) -> Record | None:
    there = [one if base is None else join(base, one) for one in sides if one is not None]
    changed = [one for one in there if one != base]
    if changed:
        return reduce(join, changed)
    return base if len(there) == len(sides) else None


def _kept(base: LessonsFile, sides: Sequence[LessonsFile]) -> tuple[bytes, ...]:
    every = {line for one in sides for line in one.kept}
    before = {*base.kept}
    return kept_lines(line for line in every if line not in before or all(line in one.kept for one in sides))
