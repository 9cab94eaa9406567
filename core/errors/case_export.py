"""Cases out: JSONL (what `import` takes), CSV, Markdown for people; verified fixes in forms that come back whole."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Literal, cast

from core.errors.browse import show_case
from core.errors.case import Case
from core.errors.case_markdown import code
from core.errors.fix_csv import csv_fix, csv_head
from core.errors.fix_markdown import HEAD, markdown_fix
from core.errors.fixes import PortableFix, verified_fixes
from core.store import Store
from core.text import visible
from core.wire import dumps

Format = Literal["jsonl", "csv", "markdown"]


def export_cases(store: Store, format: Format = "jsonl") -> Iterator[str]:
    """Every case as text, piece by piece: JSONL (`case.v1`, what `import` takes), CSV, or Markdown for people."""
    if format == "csv":
        yield _csv(("id", *_COLUMNS))
    elif format == "markdown":
        yield "# Errors and their fixes\n"
    last = 0
    while True:
        ids = store.con.execute("SELECT id FROM error_kb WHERE id > ? ORDER BY id LIMIT 200", (last,)).fetchall()
        if not ids:
            return
        for (case_id,) in cast("list[tuple[int]]", ids):
            last = case_id
            case = show_case(store, case_id, most=-1)
            if case is not None:
                yield _EXPORTS[format](case)


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
    fix = visible(case.resolution or "No fix is written down yet.")
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
