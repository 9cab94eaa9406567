"""Salvage of a damaged casebook: its file read page by page without SQLite, so that a bad page costs only its own rows.

The file format is SQLite's documented one. The shapes of the tables (the order of values) tell which rows fit."""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import cast

import apsw

from core.base.fault import Fault
from core.store.files import check_target, copy_files, look, part_file, place
from core.store.schema.migrations import SHIPPED, migrate
from core.store.sql import Value, faults, now, quoted, value
from core.store.wal import take_wal

_TABLE_LEAF, _TABLE_INNER, _INDEX_LEAF, _INDEX_INNER = 13, 5, 10, 2
_LEAVES = (_TABLE_LEAF, _INDEX_LEAF)
_ENCODINGS = {2: "utf-16-le", 3: "utf-16-be"}
_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}  # serial type -> bytes


class Damage(ValueError):
    """A page or a record that is not what the format says."""


@dataclass(frozen=True, slots=True)
class Row:
    """One record: its rowid (None in the b-tree of an index) and its values in the order they are stored."""

    rowid: int | None
    values: tuple[Value, ...]


@dataclass(slots=True)
class Image:
    """The bytes of a database. `seen`: pages that a walk reached; `damage`: what was wrong, in plain words."""

    data: bytes | mmap.mmap
    page_size: int
    reserved: int = 0
    encoding: str = "utf-8"
    seen: set[int] = field(default_factory=set[int])
    damage: list[str] = field(default_factory=list[str])

    @property
    def pages(self) -> int:
        """How many whole pages there are; they are counted from 1."""
        return len(self.data) // self.page_size

    @property
    def usable(self) -> int:
        """Bytes of a page that hold content."""
        return self.page_size - self.reserved

    def page(self, number: int) -> bytes:
        """The content of a page. Raises Damage for one that is not there."""
        if not 0 < number <= self.pages:
            raise Damage(f"page {number} is missing")
        start = (number - 1) * self.page_size
        return bytes(self.data[start : start + self.usable])


def image_of(data: bytes | mmap.mmap, page_size: int | None = None) -> Image:
    """Return the image of a file from its header; `page_size` (bytes) if the header lacks it, else 4096."""
    head = bytes(data[:100]).ljust(100, b"\0")
    size = struct.unpack(">H", head[16:18])[0]
    size = 65536 if size == 1 else size
    if not head.startswith(b"SQLite format 3\0") or size < 512 or size & (size - 1):
        image = Image(data, page_size or 4096)
        image.damage.append("the header is damaged")
        return image
    encoding = _ENCODINGS.get(struct.unpack(">I", head[56:60])[0], "utf-8")
    reserved = head[20] if size - head[20] >= 480 else 0
    return Image(data, size, reserved, encoding)


def walk(image: Image, root: int) -> Iterator[Row]:
    """Every record of the b-tree under page `root` that can be read; what cannot is noted in `image.damage`.

    The inner pages of an index hold records too, and those are given as well.
    """
    waiting = [root]
    while waiting:
        number = waiting.pop()
        if number in image.seen:
            image.damage.append(f"page {number} is used twice")
            continue
        image.seen.add(number)
        try:
            content = image.page(number)
            kind, cells, rightmost = _cells(content, number)
        except Damage as damage:
            image.damage.append(str(damage))
            continue
        if kind in (_TABLE_INNER, _INDEX_INNER):
            children = [child for at in cells if (child := _number(content, at)) is not None]
            waiting.extend(reversed([*children, rightmost]))
        if kind != _TABLE_INNER:
            yield from _rows(image, number, content, kind, cells)


def mark(image: Image, root: int) -> None:
    """Note which pages the b-tree under page `root` has, without reading its rows."""
    waiting = [root]
    while waiting:
        number = waiting.pop()
        if number in image.seen:
            continue
        try:
            content = image.page(number)
            kind, cells, rightmost = _cells(content, number)
        except Damage:
            continue
        image.seen.add(number)
        if kind not in _LEAVES:
            waiting.extend([rightmost, *(child for at in cells if (child := _number(content, at)) is not None)])


def loose(image: Image) -> Iterator[tuple[int, bool, list[Row]]]:
    """Pages with rows that no walk reached and that are not free: (page, whether of an index, its rows)."""
    free = _free_pages(image)
    for number in range(1, image.pages + 1):
        if number in image.seen or number in free:
            continue
        try:
            content = image.page(number)
            kind, cells, _ = _cells(content, number)
        except Damage:
            continue  # most such pages hold no b-tree at all (overflow)
        if kind == _TABLE_INNER or not cells:
            continue
        image.seen.add(number)
        yield number, kind != _TABLE_LEAF, list(_rows(image, number, content, kind, cells))


def _rows(image: Image, number: int, content: bytes, kind: int, cells: tuple[int, ...]) -> Iterator[Row]:
    for at in cells:
        try:
            yield _row(image, content, kind, at)
        except (Damage, IndexError, struct.error) as damage:
            image.damage.append(f"page {number}: a row cannot be read ({damage})")


def _cells(content: bytes, number: int) -> tuple[int, tuple[int, ...], int]:
    """The kind of a page, where its cells begin, and the rightmost child of an inner page."""
    start = 100 if number == 1 else 0
    kind = content[start]
    if kind not in (_TABLE_LEAF, _TABLE_INNER, _INDEX_LEAF, _INDEX_INNER):
        raise Damage(f"page {number} is of the kind {kind}, which contains no rows")
    body = start + (8 if kind in _LEAVES else 12)
    count = struct.unpack_from(">H", content, start + 3)[0]
    end = body + 2 * count
    if end > len(content):
        raise Damage(f"the header of page {number} states {count} rows, which do not fit")
    cells = struct.unpack_from(f">{count}H", content, body)
    if any(not end <= at < len(content) for at in cells):
        raise Damage(f"page {number} has a cell pointer that points outside the page")
    rightmost = 0 if kind in _LEAVES else struct.unpack_from(">I", content, start + 8)[0]
    return kind, cells, rightmost


def _number(content: bytes, at: int) -> int | None:
    return struct.unpack_from(">I", content, at)[0] if at + 4 <= len(content) else None


def _row(image: Image, content: bytes, kind: int, at: int) -> Row:
    if kind == _INDEX_INNER:
        at += 4
    length, at = _varint(content, at)
    rowid: int | None = None
    if kind == _TABLE_LEAF:
        rowid, at = _varint(content, at)
    if not 0 < length <= len(image.data):
        raise Damage(f"invalid length {length}")
    return Row(rowid, _record(_payload(image, content, at, length, kind == _TABLE_LEAF), image.encoding))


def _payload(image: Image, content: bytes, at: int, length: int, table: bool) -> bytes:
    usable = image.usable
    most = usable - 35 if table else (usable - 12) * 64 // 255 - 23
    if length <= most:
        if at + length > len(content):
            raise Damage("the row exceeds its page")
        return content[at : at + length]
    least = (usable - 12) * 32 // 255 - 23
    local = least + (length - least) % (usable - 4)
    local = local if local <= most else least
    parts, left = [content[at : at + local]], length - local
    following = _number(content, at + local)
    chain: list[int] = []
    while left > 0:
        if not following or following in chain[-1:]:
            raise Damage("the overflow pages of the row are incomplete")
        part = image.page(following)
        chain.append(following)
        parts.append(part[4 : 4 + left])
        left -= len(part) - 4
        following = struct.unpack_from(">I", part, 0)[0]
    image.seen.update(chain)
    return b"".join(parts)


def _record(payload: bytes, encoding: str) -> tuple[Value, ...]:
    size, at = _varint(payload, 0)
    if not 0 < size <= len(payload):
        raise Damage(f"invalid record header: {size} bytes")
    kinds: list[int] = []
    while at < size:
        kind = payload[at]
        kind, at = (kind, at + 1) if kind < 0x80 else _varint(payload, at)  # nearly all have one byte
        kinds.append(kind)
    values: list[Value] = []
    for kind in kinds:
        value, at = _value(payload, at, kind, encoding)
        values.append(value)
    return tuple(values)


def _value(payload: bytes, at: int, kind: int, encoding: str) -> tuple[Value, int]:
    if kind == 0:
        return None, at
    if kind in (8, 9):
        return kind - 8, at
    if kind in (10, 11) or kind < 0:
        raise Damage(f"invalid value kind {kind}")
    length = _INTEGERS.get(kind, 8 if kind == 7 else (kind - 12) // 2)
    end = at + length
    if end > len(payload):
        raise Damage("a value exceeds its record")
    content = payload[at:end]
    if kind in _INTEGERS:
        return int.from_bytes(content, "big", signed=True), end
    if kind == 7:
        return struct.unpack(">d", content)[0], end
    return (content if kind % 2 == 0 else content.decode(encoding, "replace")), end


def _varint(content: bytes, at: int) -> tuple[int, int]:
    """A variable-length integer of 1 to 9 bytes, and where the next thing begins."""
    value = 0
    for step in range(8):
        byte = content[at + step]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + step + 1
    value = value << 8 | content[at + 8]
    return (value - (1 << 64) if value >> 63 else value), at + 9


def _free_pages(image: Image) -> set[int]:
    """Pages that hold nothing any more; rows found there were deleted."""
    free: set[int] = set()
    head = bytes(image.data[:100])
    if not head.startswith(b"SQLite format 3\0"):
        image.damage.append("the list of free pages is lost: the result may contain deleted rows")
        return free
    trunk = struct.unpack(">I", head[32:36])[0]
    while trunk and trunk not in free:
        try:
            content = image.page(trunk)
        except Damage:
            image.damage.append("the list of free pages is damaged: the result may contain deleted rows")
            break
        free.add(trunk)
        trunk, count = struct.unpack_from(">II", content, 0)
        count = min(count, (len(content) - 8) // 4)
        free.update(struct.unpack_from(f">{count}I", content, 8))
    return free


_FITS: dict[str, tuple[type, ...]] = {
    "INTEGER": (int,),
    "REAL": (int, float),  # a whole number is stored as an integer
    "TEXT": (str,),
    "BLOB": (bytes,),
}
_TELLING = 4  # columns; the pages of an index look like a table of so few


@dataclass(frozen=True, slots=True)
class Shape:
    """A table as stored. `columns` in the order of its records; `rowid_at` is the one that mirrors the rowid, if any.

    `kinds` and `required` (NOT NULL) belong to the columns one by one.
    """

    name: str
    columns: tuple[str, ...]
    kinds: tuple[str, ...]
    required: tuple[bool, ...]
    rowid_at: int | None
    without_rowid: bool

    def named(self, row: Row) -> dict[str, Value]:
        """The values of a record by column; those that the record is too short for (added later) are left out."""
        values = dict(zip(self.columns, row.values, strict=False))
        if self.rowid_at is not None:
            values[self.columns[self.rowid_at]] = row.rowid
        return values

    def fits(self, row: Row) -> bool:
        """Whether the record can be one of this table."""
        if len(row.values) != len(self.columns) or (row.rowid is None) is not self.without_rowid:
            return False
        return all(self._fits(at, found) for at, found in enumerate(row.values))

    def _fits(self, at: int, found: Value) -> bool:
        if at == self.rowid_at:
            return found is None
        return not self.required[at] if found is None else isinstance(found, _FITS.get(self.kinds[at], (object,)))


def shapes_of(statements: Sequence[str]) -> dict[str, Shape]:
    """The shapes of the tables that the CREATE TABLE statements declare; what cannot be understood is left out."""
    con = apsw.Connection(":memory:")
    con.execute("PRAGMA trusted_schema = OFF")
    for statement in statements:
        words = statement.split(None, 3)[:3]
        if [word.upper() for word in words[:2]] == ["CREATE", "TABLE"]:
            try:
                con.execute(statement)
            except apsw.Error:
                continue
    return shapes_in(con)


def shapes_in(con: apsw.Connection) -> dict[str, Shape]:
    """The shapes of the ordinary tables of a database."""
    sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0"
    return {name: _shape(con, name) for (name,) in cast("list[tuple[str]]", con.execute(sql).fetchall())}


def place_of(shapes: Sequence[Shape], rows: Sequence[Row]) -> Shape | None:
    """The one table that all of these rows, found on one page, can belong to; None where none or several could."""
    found = [
        shape
        for shape in shapes
        if all(shape.fits(row) for row in rows) and not (shape.without_rowid and len(shape.columns) <= _TELLING)
    ]
    return found[0] if len(found) == 1 else None


def _shape(con: apsw.Connection, name: str) -> Shape:
    info = {int(str(row[0])): row for row in con.execute(f"PRAGMA table_info({quoted(name)})")}
    order = list(info)
    key = [at for at in order if info[at][5]]
    stored = _key_order(con, name)
    without_rowid = stored is not None
    if stored is not None:
        order = stored
    single = len(key) == 1 and str(info[key[0]][2]).upper() == "INTEGER" and not without_rowid
    return Shape(
        name,
        tuple(str(info[at][1]) for at in order),
        tuple(str(info[at][2]).upper() for at in order),
        tuple(bool(info[at][3]) for at in order),
        order.index(key[0]) if single else None,
        without_rowid,
    )


def _key_order(con: apsw.Connection, name: str) -> list[int] | None:
    """The columns of a WITHOUT ROWID table as they are stored: the key first. None for an ordinary table."""
    listed = con.execute("SELECT wr FROM pragma_table_list(?) WHERE schema = 'main'", (name,)).fetchone()
    if not listed or not listed[0]:
        return None
    for row in con.execute(f"PRAGMA index_list({quoted(name)})").fetchall():
        if row[3] == "pk":
            return [int(str(part[1])) for part in con.execute(f"PRAGMA index_xinfo({quoted(str(row[1]))})")]
    return None


_CASE_IDS = """
  SELECT case_id FROM case_key UNION SELECT case_id FROM fingerprint UNION SELECT case_id FROM resolution
  EXCEPT SELECT id FROM error_kb
"""
_SESSION_IDS = """
  SELECT session_id FROM message UNION SELECT session_id FROM tool_call
  UNION SELECT session_id FROM entry WHERE session_id IS NOT NULL
  EXCEPT SELECT id FROM session
"""
_ANSWER = """
  SELECT text FROM resolution WHERE case_id = ? AND status <> 'rejected' AND trim(text) <> '' ORDER BY id DESC LIMIT 1
"""


def mend(con: apsw.Connection) -> list[str]:
    """Make every reference hold again, inside the caller's transaction; returns what was done, in plain words.

    A lost case or session gets a stand-in row; a row that refers to anything else that is lost is left out.
    """
    notes = [f"case {case_id} was lost: its data is in a placeholder" for case_id in _stand_in_cases(con)]
    con.execute(f"INSERT INTO session(id, agent) SELECT session_id, 'unknown' FROM ({_SESSION_IDS})")
    if con.changes():
        notes.append(f"{con.changes()} session rows were lost: placeholders hold their messages")
    con.execute("INSERT OR IGNORE INTO case_key(error_normalized, case_id) SELECT error_normalized, id FROM error_kb")
    con.execute("DELETE FROM case_state WHERE case_id NOT IN (SELECT id FROM error_kb)")
    for column in ("undoes", "undone_by"):
        con.execute(f"UPDATE journal SET {column} = NULL WHERE {column} NOT IN (SELECT id FROM journal)")
    notes.extend(_drop_orphans(con))
    return notes


def _stand_in_cases(con: apsw.Connection) -> list[int]:
    lost = [int(str(row[0])) for row in con.execute(_CASE_IDS).fetchall()]
    for case_id in lost:
        key = value(con, "SELECT error_normalized FROM case_key WHERE case_id = ? LIMIT 1", (case_id,))
        line = value(con, "SELECT key_line FROM fingerprint WHERE case_id = ? LIMIT 1", (case_id,))
        name = str(key or line or f"case {case_id} (error text lost)")
        if value(con, "SELECT 1 FROM error_kb WHERE error_normalized = ?", (name,)):
            name = f"case {case_id} (error text lost)"
        con.execute(
            "INSERT INTO error_kb(id, ts, error_normalized, resolution) VALUES (?, ?, ?, ?)",
            (case_id, now(), name, value(con, _ANSWER, (case_id,))),
        )
    return lost


def _drop_orphans(con: apsw.Connection) -> list[str]:
    notes: list[str] = []
    while broken := con.execute("PRAGMA foreign_key_check").fetchall():
        before = con.total_changes()
        for table, rowid, parent, _ in broken:
            if rowid is not None:
                con.execute(f"DELETE FROM {quoted(str(table))} WHERE rowid = ?", (rowid,))
                notes.append(f"{table} row {rowid} was skipped: its {parent} was lost")
        if con.total_changes() == before:
            break
    return notes


TABLES = (
    "meta", "error_kb", "session", "message", "tool_call", "source_file", "case_key", "fingerprint", "occurrence",
    "resolution", "noise", "merged", "case_state", "project_folder", "project_name", "vector", "entry", "evidence",
    "alignment", "event", "rule", "rule_use", "jobs", "journal", "journal_subject", "sources", "citation",
    "result_verdict", "answer_outcome", "correction", "rule_draft", "rule_written", "practice_finding", "before_run",
    "answers", "chat_sessions", "chat_turns", "provenance_events", "ingest_runs", "eval_runs", "eval_query_results",
    "team_server", "team_project", "team_lesson", "team_mark", "team_outbox",
)  # fmt: skip
"""Copied tables, parents first; the rest is derived (answer_key by triggers; case_fts must be indexed again; documents
by the next ingest)."""
_ERRORS_KEPT = 1000


@dataclass(frozen=True, slots=True)
class SalvageReport:
    """What was saved to `target`: rows a table; `errors` say in plain words what could not be read or was mended.

    The browsing index (case_fts) of the new file is empty: whoever owns the domain fills it.
    """

    target: Path
    tables: tuple[tuple[str, int], ...]
    errors: tuple[str, ...]

    @property
    def rows(self) -> int:
        """Rows saved in all."""
        return sum(count for _, count in self.tables)


def salvage(path: Path, target: Path) -> SalvageReport:
    """Copy every row that can still be read from the casebook at `path` into the new file `target`.

    Works on files that SQLite refuses: truncated, with pages overwritten, with the header lost. Pages that lost their
    parents are recognised by the shape of their rows. Raises Fault: not_indexed (no such file), invalid_input (`target`
    exists, its folder does not, or nothing of a casebook was found), io_error.
    """
    path, target = path.absolute(), target.absolute()
    with faults(path):
        if look(path) is None:
            raise Fault("not_indexed", f"no casebook found at {path}", path=str(path))
    with faults(target):
        check_target(target)
        with part_file(target) as part:
            with faults(path):
                report = _salvage(path, part, target)
            if not report.rows:
                raise Fault("invalid_input", f"no casebook data found in {path}", "restore a backup", path=str(path))
            place(part, target)
    return report


def _salvage(path: Path, part: Path, target: Path) -> SalvageReport:
    import shutil
    import tempfile

    folder = Path(tempfile.mkdtemp(prefix="casebook-"))
    try:
        copy = folder / "copy.db"
        copy_files(path, copy)
        page_size, notes = take_wal(copy)
        if not copy.stat().st_size:
            return SalvageReport(target, (), ())
        with copy.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            image = image_of(data, page_size)
            with faults(target), closing(_Saved(part)) as saved:
                _collect(image, saved)
                mended = saved.end()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    errors = (*notes, *image.damage, *mended)
    if len(errors) > _ERRORS_KEPT:
        errors = (*errors[:_ERRORS_KEPT], f"and {len(errors) - _ERRORS_KEPT} more")
    return SalvageReport(target, tuple((name, saved.counts[name]) for name in TABLES if saved.counts.get(name)), errors)


def _collect(image: Image, saved: _Saved) -> None:
    """Every row of every table, through the trees that the schema names, then from the pages that hang on none."""
    schema = [row.values for row in walk(image, 1) if len(row.values) >= 5]
    declared = shapes_of([str(row[4]) for row in schema if row[0] == "table" and isinstance(row[4], str)])
    roots = {str(row[1]): row[3] for row in schema if isinstance(row[3], int) and row[3] > 0}
    for name in TABLES:
        shape, root = declared.get(name, saved.shapes[name]), roots.pop(name, None)
        if root is not None:
            saved.add(shape, walk(image, root))
        elif schema:
            image.damage.append(f"the schema does not name the table {name}")
    if not image.damage:
        return
    for root in roots.values():
        mark(image, root)  # indexes and derived tables: not lost, and not wanted
    known = [declared.get(name, saved.shapes[name]) for name in TABLES]
    for page, of_index, rows in loose(image):
        shape = place_of(known, rows) if rows else None
        if shape is not None:
            image.damage.append(f"page {page} was unlinked: its {len(rows)} rows look like {shape.name}")
            saved.add(shape, rows)
        elif not of_index and rows:
            image.damage.append(f"page {page} was unlinked: its {len(rows)} rows were not identified")


@cache
def _insertion(verb: str, table: str, columns: tuple[str, ...]) -> str:
    names = ", ".join(map(quoted, columns))
    return f"INSERT OR {verb} INTO {quoted(table)}({names}) VALUES ({', '.join('?' * len(columns))})"


class _Saved:
    """The new casebook while it is filled; `counts` are the rows taken a table."""

    def __init__(self, part: Path) -> None:
        self.con = apsw.Connection(str(part), flags=apsw.SQLITE_OPEN_READWRITE)
        # Nobody else knows the file yet, and a failed attempt is thrown away.
        self.con.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA trusted_schema = OFF")
        migrate(self.con, None)
        self.shapes = shapes_in(self.con)
        self.counts: dict[str, int] = {}
        self.refused: list[str] = []
        self.con.execute("PRAGMA foreign_keys = OFF")
        self.con.execute("BEGIN")

    def add(self, shape: Shape, rows: Iterable[Row]) -> None:
        """Insert what can be inserted; a row that is there already stays as it is."""
        verb = "REPLACE" if shape.name == "case_state" else "IGNORE"  # a trigger made one already
        columns = frozenset(self.shapes[shape.name].columns)
        for row in rows:
            values = {name: found for name, found in shape.named(row).items() if name in columns}
            try:
                self.con.execute(_insertion(verb, shape.name, tuple(values)), tuple(values.values()))
            except (apsw.FullError, apsw.IOError):
                raise
            except apsw.Error as error:
                self.refused.append(f"a row of {shape.name} was refused ({error})")
                continue
            self.counts[shape.name] = self.counts.get(shape.name, 0) + self.con.changes()

    def close(self) -> None:
        self.con.close()

    def end(self) -> list[str]:
        """Repair references to lost rows, and finish the file."""
        notes = [*self.refused, *mend(self.con)]
        self.con.execute("COMMIT")
        self.con.execute("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL")
        self.con.execute(f"PRAGMA user_version = {SHIPPED.version}")  # written with FULL: the file is on the disk
        return notes
