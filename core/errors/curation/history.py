"""The history in plain words: author, change and time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, cast

from core.base.lazy import lazy_pattern
from core.errors.cases.derived import parse_names
from core.errors.lessons import parse_lesson, scope_name
from core.store import JournalEntry, RowChange, Store, history, history_of, row_changes
from core.store.journal import title_text

MOST_LINES = 12
"""Maximum number of lines about one change."""
_MARKUP = lazy_pattern(r"(?m)^[ \t]*(?:```|~~~)\S*[ \t]*$|\*\*|`")
"""The Markdown that fixes are written with: fences, bold, code spans."""


@dataclass(frozen=True, slots=True)
class ChangedQuote:
    """A changed quote: the start of its text, its entry, its session; the caller fills these in.

    `before` and `after`: the message that it stood in, None where it had no place; `place` says both in words. `gone`:
    it is in the casebook no more, so that little else is known of it. `project` is its session's folder.
    """

    id: int
    quote: str
    entry_id: str
    entry: str
    session: str
    started: str
    project: str
    before: int | None
    after: int | None
    place: str
    gone: bool = False
    project_name: str = ""


@dataclass(frozen=True, slots=True)
class Changed:
    """One change: its number in the history, time, author, name, and `what` it did in plain words.

    `undoes` is the change it took back, `undone_by` the one that took it back; `cases` are those it is about, `quotes`
    the first of the quotes that it is about, `more_quotes` how many there are besides.
    """

    change: int
    ts: str
    actor: str
    title: str
    what: tuple[str, ...]
    cases: tuple[int, ...]
    undoes: int | None
    undone_by: int | None
    quotes: tuple[ChangedQuote, ...] = ()
    more_quotes: int = 0


@dataclass(frozen=True, slots=True)
class History:
    """Changes, newest first; `next` is the `before` of the page that follows, None at the end."""

    SCHEMA: ClassVar[str] = "history.v1"

    changes: tuple[Changed, ...]
    next: int | None


def whole_history(store: Store, limit: int = 50, before: int | None = None) -> History:
    """What was changed in the casebook. Imports are no changes: they only add."""
    return _page(store, history(store, limit + 1, before), limit)


def case_history(store: Store, case_id: int, limit: int = 50, before: int | None = None) -> History:
    """What was changed about one case, and about those that were merged into it."""
    rows = store.con.execute("SELECT case_id FROM merged WHERE into_id = ?", (case_id,)).fetchall()
    items = [case_id, *(cast("int", row[0]) for row in rows)]
    return _page(store, history_of(store, "error_kb", items, limit + 1, before), limit)


@dataclass(frozen=True, slots=True)
class ChangedFix:
    """A fix that a change is about: its text as it was written, and the `line` that `what` has of a new one."""

    id: int
    text: str
    line: str


def fixes_of(store: Store, change: int, most: int = 5) -> tuple[ChangedFix, ...]:
    """The fixes that a change recorded, removed or decided on; the first `most`, without those that are gone."""
    found: dict[int, ChangedFix] = {}
    for row in row_changes(store, change):
        if row.table != "resolution" or not isinstance(row.key, int) or row.key in found or len(found) >= most:
            continue
        columns = _old(row) if row.op == "DELETE" else _new(row)
        text = columns.get("text")
        if not isinstance(text, str):
            one = store.con.execute("SELECT text FROM resolution WHERE id = ?", (row.key,)).fetchone()
            text = None if one is None else str(one[0])
        if text:
            found[row.key] = ChangedFix(row.key, text, _fix({"text": text}))
    return tuple(found.values())


def _page(store: Store, entries: tuple[JournalEntry, ...], limit: int) -> History:
    page = entries[:limit]
    return History(tuple(_changed(store, entry) for entry in page), page[-1].id if len(entries) > limit else None)


def _changed(store: Store, entry: JournalEntry) -> Changed:
    about = store.con.execute(
        "SELECT item FROM journal_subject WHERE kind = 'error_kb' AND journal_id = ? LIMIT 100", (entry.id,)
    ).fetchall()
    changed_lines = [line for change in row_changes(store, entry.id) for line in _lines(change)]
    lines = list(dict.fromkeys(changed_lines))
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES - 1], f"and {len(lines) - MOST_LINES + 1} more"]
    cases = tuple(sorted(cast("int", row[0]) for row in about))
    return Changed(entry.id, entry.ts, entry.actor, entry.title, tuple(lines), cases, entry.undoes, entry.undone_by)


def _lines(change: RowChange) -> list[str]:
    tell = _TELLERS.get(change.table)
    return [] if tell is None else tell(change)


def _resolution(change: RowChange) -> list[str]:
    name, before, after = f"fix {change.key}", _old(change), _new(change)
    if change.op == "INSERT":
        return [f"{name} recorded for case {after.get('case_id')} ({after.get('status')}): {_fix(after)}"]
    if change.op == "DELETE":
        return [f"{name} removed ({before.get('status')}): {_fix(before)}"]
    lines: list[str] = []
    if "status" in after:
        why = f": {_short(after['reason'])}" if after.get("reason") else ""
        lines.append(f"{name}: {before.get('status')} → {after['status']}{why}")
    if "replaced_by" in after:
        by = after["replaced_by"]
        lines.append(f"{name} is the current fix again" if by is None else f"{name} replaced by fix {by}")
    if "lesson" in after and (lesson := parse_lesson(cast("str | None", after["lesson"]))) is not None:
        lines.append(f"{name}: lesson valid in {scope_name(lesson.scope)}")
    if "tags" in after:
        tags = ", ".join(parse_names(str(after["tags"]))) or "none"
        lines.append(f"{name}: tags {_short(tags)}")
    if "case_id" in after:
        lines.append(f"{name} moved from case {before.get('case_id')} to case {after['case_id']}")
    return lines


def _fingerprint(change: RowChange) -> list[str]:
    before, after = _old(change), _new(change)
    if change.op == "INSERT":
        return [f"error added to case {after.get('case_id')}: {_short(after.get('key_line'))}"]
    if change.op == "DELETE":
        return [f"error removed from case {before.get('case_id')}: {_short(before.get('key_line'))}"]
    if "case_id" in after:
        return [f"error moved from case {before.get('case_id')} to case {after['case_id']}: {_short(change.key)}"]
    return []


def _case(change: RowChange) -> list[str]:
    if change.op == "INSERT":
        return [f"case {change.key} created"]
    return [f"case {change.key} removed"] if change.op == "DELETE" else []


def _noise(change: RowChange) -> list[str]:
    if change.op == "INSERT":
        why = _short(_new(change).get("reason"))
        return [f"case {change.key} marked as noise" + (f": {why}" if why else "")]
    return [f"case {change.key} is no longer noise"] if change.op == "DELETE" else []


def _merged(change: RowChange) -> list[str]:
    if change.op == "DELETE":
        return [f"case {change.key} is separate again"]
    return [f"case {change.key} merged into case {_new(change).get('into_id')}"]


_TELLERS: dict[str, Callable[[RowChange], list[str]]] = {
    "resolution": _resolution,
    "fingerprint": _fingerprint,
    "error_kb": _case,
    "noise": _noise,
    "merged": _merged,
}


def _old(change: RowChange) -> dict[str, object]:
    return {name: before for name, before, _ in change.columns}


def _new(change: RowChange) -> dict[str, object]:
    return {name: after for name, _, after in change.columns}


def _fix(columns: dict[str, object]) -> str:
    return _short(_MARKUP.sub("", str(columns.get("text") or "")))


def _short(text: object) -> str:
    return title_text(str(text or ""))
