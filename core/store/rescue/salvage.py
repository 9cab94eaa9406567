"""Salvage: what can still be read of a damaged casebook, in a new file. The damaged one stays as it is."""

from __future__ import annotations

import mmap
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import apsw

from core.base.fault import Fault
from core.store import files
from core.store.copying import check_target, part_file, place
from core.store.fault_mapping import faults
from core.store.reading import copy_files
from core.store.rescue.pages import Image, Row, image_of, loose, mark, walk
from core.store.rescue.repair_references import mend
from core.store.rescue.table_shapes import Shape, place_of, shapes_in, shapes_of
from core.store.schema.migrations import SHIPPED, migrate
from core.store.sql import quoted
from core.store.wal.wal_copy import take_wal

TABLES = (
    *("meta", "error_kb", "session", "message", "tool_call", "source_file", "case_key", "fingerprint", "occurrence"),
    *(
        "resolution",
        "noise",
        "merged",
        "case_state",
        "project_folder",
        "project_name",
        "vector",
        "entry",
        "evidence",
        "alignment",
        "event",
        "rule",
        "rule_use",
        "jobs",
        "journal",
        "journal_subject",
        "sources",
        "citation",
        "result_verdict",
        "answer_outcome",
        "correction",
        "rule_draft",
        "rule_written",
        "practice_finding",
        "before_run",
    ),
)
"""What is copied, parents first; the rest is derived (answer_key by triggers; case_fts must be indexed anew; documents
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
        if files.look(path) is None:
            raise Fault("not_indexed", f"There is no casebook at {path}.", path=str(path))
        check_target(target)
        with part_file(target) as part:
            report = _salvage(path, part, target)
            if not report.rows:
                raise Fault(
                    "invalid_input", f"Nothing of a casebook was found in {path}.", "Restore a backup.", path=str(path)
                )
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
            saved = _Saved(part)
            try:
                _collect(image, saved)
                mended = saved.end()
            finally:
                saved.con.close()
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
    for number, of_index, rows in loose(image):
        shape = place_of(known, rows) if rows else None
        if shape is not None:
            image.damage.append(f"page {number} had lost its place; its {len(rows)} rows look like {shape.name}")
            saved.add(shape, rows)
        elif not of_index and rows:
            image.damage.append(f"page {number} has lost its place, and its {len(rows)} rows could not be told")


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
        wanted = frozenset(self.shapes[shape.name].columns)
        for row in rows:
            values = {name: found for name, found in shape.named(row).items() if name in wanted}
            names = ", ".join(quoted(name) for name in values)
            places = ", ".join("?" * len(values))
            sql = f"INSERT OR {verb} INTO {quoted(shape.name)}({names}) VALUES ({places})"
            try:
                self.con.execute(sql, tuple(values.values()))
            except apsw.Error as error:
                self.refused.append(f"a row of {shape.name} was refused ({error})")
                continue
            self.counts[shape.name] = self.counts.get(shape.name, 0) + self.con.changes()

    def end(self) -> list[str]:
        """Mend what refers to lost rows, and finish the file."""
        notes = [*self.refused, *mend(self.con)]
        self.con.execute("COMMIT")
        self.con.execute("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL")
        self.con.execute(f"PRAGMA user_version = {SHIPPED.version}")  # written with FULL: the file is on the disk
        return notes
