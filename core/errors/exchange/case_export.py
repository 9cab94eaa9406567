"""Cases out: JSONL (what `import` takes), CSV, Markdown for people; verified fixes in forms that come back whole.

Cases and fixes as Markdown: one case whole for people, verified fixes that an import reads, a block for agents.

A fix begins with a comment that holds everything but the text, and ends with another; what stands outside of these is
left alone, so a file may hold other things too. The block in a file that agents read has no data for machines.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Generic, Literal, TypeVar, cast

from core.base.atomic import write_file
from core.base.fault import Fault
from core.base.managed_block import read_text, write_block
from core.base.wire import dumps, to_wire
from core.errors.cases.browse import EVERY, conditions, show_case
from core.errors.cases.case import Case, Filters
from core.errors.cases.resolutions import Resolution
from core.errors.exchange.fixes import PortableFix, csv_cell, csv_fix, csv_head, csv_line, verified_fixes
from core.store import Store, faults
from core.text import visible

RAW_SHOWN = 65_536
"""Code points of the raw error."""


def case_markdown(case: Case, raw: str = "") -> str:
    """The case with all its fixes and, if given, the error as it was seen. Every foreign sign is inert."""
    return visible("\n".join(_case_lines(case, raw))) + "\n"


def _case_lines(case: Case, raw: str) -> Iterator[str]:
    yield f"# {code(case.key_lines[0] if case.key_lines else case.error_normalized)}"
    yield ""
    when = f"{case.first_seen} to {case.last_seen}"
    yield f"Case {case.id}, {case.status}. Tool {code(case.tool)}, {_seen(case)}, {when}."
    if case.project:
        yield f"Project {code(case.project)}."
    for one in sorted(case.resolutions, key=lambda one: (one.current, one.ts, one.id), reverse=True):
        yield ""
        yield from _fix_section(one)
    if not any(one.current for one in case.resolutions):
        yield from ("", "No current fix.")
    yield from ("", "## Keys", "")
    yield from (f"- {code(key)}" for key in case.keys)
    yield from (f"- fingerprint {code(finer.fingerprint)}: {code(finer.key_line)}" for finer in case.fingerprints)
    if raw:
        yield from ("", "## Original error", "")
        yield fenced(raw[:RAW_SHOWN])
        if len(raw) > RAW_SHOWN:
            yield f"\n{len(raw) - RAW_SHOWN:,} more characters."


def _fix_section(one: Resolution) -> Iterator[str]:
    yield f"## {'Fix' if one.current else 'Earlier fix'}, {one.status}"
    yield ""
    yield one.text.strip("\n")
    yield ""
    parts = [f"by {code(one.author)}" if one.author else "", one.ts]
    parts.append("with " + ", ".join(code(name) for name in one.tool_sequence) if one.tool_sequence else "")
    if one.source.session:
        numbers = ", ".join(map(str, one.source.messages))
        parts.append(f"session {code(one.source.session)}" + (f", messages {numbers}" if numbers else ""))
    if one.tags:
        parts.append("tags " + ", ".join(code(tag) for tag in one.tags))
    if one.reason:
        parts.append(f"rejected for {code(one.reason)}")
    yield "(" + "; ".join(part for part in parts if part) + ")"


def code(text: str) -> str:
    """Return one line as inline code, with any content."""
    line = text.replace("\n", " ").strip()
    if "`" not in line:
        return f"`{line}`"
    ticks = "`" * (max(len(run) for run in re.findall("`+", line)) + 1)
    return f"{ticks} {line} {ticks}"


def fenced(text: str) -> str:
    """A block of code that no line of `text` can end."""
    runs = re.findall("^[ \t]*(`{3,})", text, re.MULTILINE)
    fence = "`" * max(3, *(len(run) + 1 for run in runs)) if runs else "```"
    end = "" if text.endswith("\n") else "\n"
    return f"{fence}text\n{text}{end}{fence}"


HEAD = "# Errors and verified fixes\n"
_SIGN = "<!-- casebook:"
_BEGIN = re.compile(r"<!-- casebook:fix (.*) -->")
_END = "<!-- casebook:end -->"
LONGEST_BLOCK = 1 << 23
"""Code points."""


def markdown_fix(fix: PortableFix) -> str:
    table = cast("dict[str, object]", to_wire(fix))
    body = visible(fix.resolution).replace(_SIGN, "<!- casebook:").strip("\n")
    if body == fix.resolution:
        del table["resolution"]
    table_json = dumps({**table, "body": _digest(body)}).replace("--", "-\\u002d").replace(">", "\\u003e")
    return f"\n## {code(visible(_key_line(fix)))}\n\n<!-- casebook:fix {table_json} -->\n\n{body}\n\n{_END}\n"


def read_markdown(lines: Iterable[str]) -> Iterator[tuple[int, dict[str, object] | str]]:
    """The blocks of a file with their line, as the fields of `fix.v1`; or the reason why one is none.

    A text that was changed by hand since comes as a draft.
    """
    at, table_json, body, size = 0, "", list[str](), 0
    for number, raw in enumerate(lines, 1):
        line = raw.rstrip("\r\n")
        begins = _BEGIN.fullmatch(line.strip()) if _SIGN in line else None
        if begins is not None:
            if at:
                yield at, "the block is not closed"
            at, table_json, body, size = number, begins[1], [], 0
        elif at and line.strip() == _END:
            yield at, _fields(table_json, "\n".join(body).strip("\n"))
            at = 0
        elif at:
            size += len(line)
            if size > LONGEST_BLOCK:
                yield at, f"longer than {LONGEST_BLOCK} characters"
                at = 0
            body.append(line)
    if at:
        yield at, "the block is not closed"


def is_export(text: str) -> bool:
    """Whether a file holds an export and nothing else: its head, headings and blocks as they were written."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    if lines[0] != HEAD.strip():
        return False
    outside, inside = list[str](), False
    for line in lines[1:]:
        if _BEGIN.fullmatch(line) and not inside:
            inside = True
            if not (outside and outside.pop().startswith("## ")):  # the heading of this block
                return False
        elif inside:
            inside = line != _END
        elif line:
            outside.append(line)
    unedited = (isinstance(one, dict) and "ts" in one and one["ts"] is not None for _, one in read_markdown(lines))
    return not outside and not inside and all(unedited)


def _fields(table_json: str, body: str) -> dict[str, object] | str:
    try:
        found: object = json.loads(table_json)
    except (ValueError, RecursionError):
        return "the comment is not JSON"
    if not isinstance(found, dict):
        return "the comment is not a JSON object"
    table = cast("dict[str, object]", found)
    if table.pop("body", None) != _digest(body):
        changed = {"status": "draft", "author": "import", "ts": None, "original": None, "lesson": None}
        return {**table, "resolution": body, **changed}
    table.setdefault("resolution", body)
    return table


def _key_line(fix: PortableFix) -> str:
    """The key line of the error that a fix is for, else the first one of its case."""
    own = (one.key_line for one in fix.fingerprints if one.fingerprint == fix.fingerprint)
    return next(own, fix.fingerprints[0].key_line if fix.fingerprints else fix.error_normalized)


def _digest(body: str) -> str:
    return hashlib.sha256(body.encode("utf-8", "replace")).hexdigest()[:16]


KIND = "fixes"
AGENT_FILES = frozenset(("AGENTS.md", "AGENTS.override.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md"))
_HEAD = """\
## Known errors and their fixes

Written by casebook. Each fix was verified manually. `casebook errors search "the error"` finds more."""


def is_for_agents(path: Path) -> bool:
    """Whether the fixes go into a block of this Markdown file: agents read it, or it holds text of the user.

    A file that is missing, empty or an export as a whole is written whole, except where agents read it. Raises Fault if
    it cannot be read.
    """
    if path.suffix.lower() not in (".md", ".markdown", ".mdc", ".mdx"):
        return False
    read_by_agents = path.name in AGENT_FILES or path.parent.parts[-2:] == (".claude", "rules")
    text = read_text(path).strip("\ufeff \t\r\n") if path.is_file() else ""
    return not is_export(text) if text else read_by_agents


def block_body(fixes: Iterable[PortableFix]) -> str:
    """The block's lines: for each fix what it is for and, quoted, what it says. The home folder is `~`."""
    home = os.path.join(os.path.expanduser("~"), "")  # noqa: PTH111, PTH118  text, not a path
    parts = [_HEAD, *(_block_fix(fix) for fix in fixes)]
    return "\n\n".join(parts).replace(home, "~" + os.sep)


def _block_fix(fix: PortableFix) -> str:
    # Quoted, an open code fence or comment ends with the fix.
    quoted = (f"> {one}".rstrip() for one in visible(fix.resolution).strip("\n").split("\n"))
    return f"### {code(visible(_key_line(fix)))}\n\n" + "\n".join(quoted)


_T = TypeVar("_T")
Format = Literal["jsonl", "csv", "markdown"]
FORMS: dict[str, Format] = {".jsonl": "jsonl", ".csv": "csv", ".md": "markdown"}
"""Each format by the extension of its files."""
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
    on_count: Callable[[int], object] = lambda _count: None,
) -> Exported:
    """Write cases (`which`), or the verified fixes alone, to a file, whole or not at all.

    Verified fixes as Markdown go into casebook's block of a file that agents read or that holds text of the user.
    Nothing else of such a file changes, with `replace` neither, which replaces a block that was edited by hand.

    `on_count` gets the count after each. Raises Fault: invalid_input if the folder is missing, or if something is there
    and must not be replaced, io_error if the system refuses, and what reading raises. If `on_count` raises, no file is
    left.
    """
    if not path.parent.is_dir():
        raise Fault("invalid_input", f"folder {path.parent} not found", "create it first, or pass another file")
    if fixes and format == "markdown" and is_for_agents(path):
        return _into_block(store, path, force=replace, on_count=on_count)
    if replace and path.is_file() and is_for_agents(path) and not read_text(path).startswith(CASES_HEAD):
        raise Fault("invalid_input", f"{path} contains text that casebook did not write", "pass another file")
    pieces = _Counted(export_fixes(store, format) if fixes else export_cases(store, format, which), on_count)
    if format != "jsonl":
        pieces.count = -1  # the first piece is the head
    size = write_file(path, guarded(pieces, store.path), replace=replace)
    return Exported(path, max(0, pieces.count), size)


def block_of_fixes(store: Store, on_count: Callable[[int], object] = lambda _count: None) -> tuple[str, int]:
    """The body of the block that `export_file` writes into a file for agents, and how many fixes it has. Raises
    Fault."""
    fixes = _Counted(verified_fixes(store), on_count)
    return block_body(guarded(fixes, store.path)), fixes.count


def _into_block(store: Store, path: Path, *, force: bool, on_count: Callable[[int], object]) -> Exported:
    body, count = block_of_fixes(store, on_count)
    return Exported(path, count, write_block(path, KIND, body, force=force))


@dataclass(slots=True)
class _Counted(Generic[_T]):
    pieces: Iterator[_T]
    on_count: Callable[[int], object]
    count: int = 0

    def __iter__(self) -> Iterator[_T]:
        for piece in self.pieces:
            yield piece
            self.count += 1
            self.on_count(max(0, self.count))


def guarded(pieces: Iterable[_T], database: Path) -> Iterator[_T]:
    """Yield the same pieces; a fault of the casebook is reported as one, not as a fault of the written file."""
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
    return csv_line(tuple("" if cell == "" else csv_cell(cell) for cell in cells))


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


def _seen(case: Case) -> str:
    return f"seen {case.occurrences} time{'' if case.occurrences == 1 else 's'}"


def _markdown_case(case: Case) -> str:
    fix = visible(case.resolution or ("No current fix." if case.resolutions else "No fix recorded."))
    by = f" by {visible(case.resolved_by)}" if case.resolved_by else ""
    line = visible(case.key_lines[0]).replace("`", "ˋ").replace("\n", " ")
    summary = f"{case.status}{by}, {_seen(case)}, last {case.last_seen}"
    tags = f", tags {', '.join(code(visible(tag)) for tag in _tags(case))}" if _tags(case) else ""
    return f"\n## `{line}`\n\n{summary}{tags}\n\n{fix}\n"


def _jsonl(one: object) -> str:
    return dumps(one) + "\n"


_EXPORTS = {"jsonl": _jsonl, "csv": _csv_case, "markdown": _markdown_case}


_FIX_EXPORTS = {"jsonl": _jsonl, "csv": csv_fix, "markdown": markdown_fix}
