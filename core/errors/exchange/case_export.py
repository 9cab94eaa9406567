"""Cases out: JSONL (what `import` takes), CSV, Markdown for people; verified fixes in forms that come back whole."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Generic, Literal, TypeVar, cast

from core.base.atomic import write_file
from core.base.fault import Fault
from core.base.managed_block import read_text, write_block
from core.base.wire import dumps
from core.errors.cases.browse import EVERY, show_case
from core.errors.cases.case import Case, Filters
from core.errors.cases.filters import conditions
from core.errors.exchange.fix_csv import csv_fix, csv_head
from core.errors.exchange.fixes import PortableFix, verified_fixes
from core.errors.exchange.markdown import HEAD, KIND, block_body, code, is_for_agents, markdown_fix
from core.store import Store, faults
from core.text import visible

_T = TypeVar("_T")
Format = Literal["jsonl", "csv", "markdown"]
Which = Filters | Sequence[int]
CASES_HEAD = "# Errors and their fixes\n"


@dataclass(frozen=True, slots=True)
class Exported:
    """A file that was written whole (`export_report.v1`): how many cases or fixes it holds, and its size in bytes."""

    SCHEMA: ClassVar[str] = "export_report.v1"

    path: Path
    count: int
    size: int


def export_file(
    store: Store,
    path: Path,
    format: Format = "jsonl",
    *,
    fixes: bool = False,
    which: Which = EVERY,
    replace: bool = False,
    told: Callable[[int], object] = lambda _count: None,
) -> Exported:
    """Write cases (`which`), or the verified fixes alone, to a file, whole or not at all.

    Verified fixes as Markdown go into casebook's block of a file that agents read or that holds text of the user.
    Nothing else of such a file changes, with `replace` neither, which replaces a block that was edited by hand.

    `told` hears after each how many there are. Raises Fault: invalid_input where the folder is missing, or something is
    there and not to be replaced, io_error where the system refuses, and what reading raises; whatever `told` raises
    leaves no file either.
    """
    if not path.parent.is_dir():
        raise Fault("invalid_input", f"there is no folder {path.parent}", "make it first, or name another file")
    if fixes and format == "markdown" and is_for_agents(path):
        return _into_block(store, path, force=replace, told=told)
    if replace and path.is_file() and is_for_agents(path) and not read_text(path).startswith(CASES_HEAD):
        raise Fault("invalid_input", f"{path} holds text that casebook did not write", "name another file")
    pieces = _Counted(export_fixes(store, format) if fixes else export_cases(store, format, which), told)
    if format != "jsonl":
        pieces.count = -1  # the first piece is the head
    size = write_file(path, guarded(pieces, store.path), replace=replace)
    return Exported(path, max(0, pieces.count), size)


def _into_block(store: Store, path: Path, *, force: bool, told: Callable[[int], object]) -> Exported:
    fixes = _Counted(verified_fixes(store), told)
    body = block_body(guarded(fixes, store.path))
    return Exported(path, fixes.count, write_block(path, KIND, body, force=force))


@dataclass(slots=True)
class _Counted(Generic[_T]):
    pieces: Iterator[_T]
    told: Callable[[int], object]
    count: int = 0

    def __iter__(self) -> Iterator[_T]:
        for piece in self.pieces:
            yield piece
            self.count += 1
            self.told(max(0, self.count))


def guarded(pieces: Iterable[_T], database: Path) -> Iterator[_T]:
    """The same pieces; a fault of the casebook is told as one, and not mistaken for one of the file written."""
    with faults(database):
        yield from pieces


def export_cases(store: Store, format: Format = "jsonl", which: Which = EVERY) -> Iterator[str]:
    """Cases as text, piece by piece: JSONL (`case.v1`, what `import` takes), CSV, or Markdown for people.

    `which`: those that pass these filters, by their number; or these numbers, in their order.
    """
    if format == "csv":
        yield _csv(("id", *_COLUMNS))
    elif format == "markdown":
        yield CASES_HEAD
    for case_id in _ids(store, which) if isinstance(which, Filters) else which:
        case = show_case(store, case_id, most=-1)
        if case is not None:
            yield _EXPORTS[format](case)


def _ids(store: Store, filters: Filters) -> Iterator[int]:
    tests, values = conditions(filters)
    passing = "".join(f" AND {test}" for test in tests)
    sql = f"SELECT case_id FROM case_state s WHERE s.case_id > ?{passing} ORDER BY s.case_id LIMIT 200"
    last = 0
    while rows := store.con.execute(sql, (last, *values)).fetchall():
        for (case_id,) in cast("list[tuple[int]]", rows):
            last = case_id
            yield case_id


def export_fixes(store: Store, format: Format = "jsonl") -> Iterator[str]:
    """The verified fixes alone, piece by piece; `import` takes each form and loses nothing of it.

    JSONL (`fix.v1`), CSV with the same fields, or Markdown for a CLAUDE.md or AGENTS.md.
    """
    if format == "csv":
        yield csv_head()
    elif format == "markdown":
        yield HEAD
    for fix in verified_fixes(store):
        yield _FIX_EXPORTS[format](fix)


_COLUMNS = (
    "status",
    "tool",
    "project",
    "key_line",
    "error_normalized",
    "resolution",
    "resolved_by",
    "tool_sequence",
    "use_count",
    "last_used",
    "first_seen",
    "last_seen",
    "occurrences",
    "tags",
)


def _csv(cells: tuple[object, ...]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow([visible("" if cell is None else str(cell)) for cell in cells])
    return out.getvalue()


def _csv_case(case: Case) -> str:
    return _csv(
        (
            case.id,
            case.status,
            case.tool,
            case.project,
            case.key_lines[0],
            case.error_normalized,
            case.resolution,
            case.resolved_by,
            " ".join(case.tool_sequence),
            case.use_count,
            case.last_used,
            case.first_seen,
            case.last_seen,
            case.occurrences,
            dumps(tags) if (tags := _tags(case)) else "",
        )
    )


def _tags(case: Case) -> tuple[str, ...]:
    """Those of the fix that answers."""
    return next((one.tags for one in case.resolutions if one.current), ())


def _markdown_case(case: Case) -> str:
    fix = visible(case.resolution or ("No fix answers." if case.resolutions else "No fix is written down yet."))
    by = f" by {visible(case.resolved_by)}" if case.resolved_by else ""
    line = visible(case.key_lines[0]).replace("`", "ˋ").replace("\n", " ")
    told = f"{case.status}{by}, seen {case.occurrences} times, last {case.last_seen}"
    tags = f", tags {', '.join(code(visible(tag)) for tag in _tags(case))}" if _tags(case) else ""
    return f"\n## `{line}`\n\n{told}{tags}\n\n{fix}\n"


def _jsonl_case(case: Case) -> str:
    return dumps(case) + "\n"


_EXPORTS = {"jsonl": _jsonl_case, "csv": _csv_case, "markdown": _markdown_case}


def _jsonl_fix(fix: PortableFix) -> str:
    return dumps(fix) + "\n"


_FIX_EXPORTS = {"jsonl": _jsonl_fix, "csv": csv_fix, "markdown": markdown_fix}
