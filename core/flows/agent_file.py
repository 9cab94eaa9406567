"""casebook's block in an agent's own file (`CLAUDE.md`, `AGENTS.md`): what is verified, short, for the file's project.

The block holds verified fixes, practices and accepted corrections of the project that the file is in, and lessons whose
scope a person confirmed as `general`. A person opts each file in; a file whose block was removed is opted out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Final, NamedTuple, cast

import apsw

from core.base.fault import Fault
from core.base.managed_block import blocks, read_text, write_block
from core.errors.cases.derived import AGREED, ANSWERS, REPOSITORY_OF_PLACE, TEAM, project_aliases
from core.errors.exchange.case_export import KIND, Exported, block_of_fixes, code
from core.errors.lessons import Lesson, agent_parts, parse_lesson
from core.errors.practice import practices
from core.flows.corrections.drafts import recorded_names
from core.store import Store, faults
from core.text import estimate_tokens, redact, visible
from core.text.placeholders import without_home
from core.transcripts.repository import unified

BUDGET: Final = 1_500
"""Tokens of a block: an agent reads the file in every session."""
_SESSIONS: Final = 2
"""Sessions that a practice must come from."""
_SYNCED: Final = "synced_file:"
_LINE: Final = 400
_KEY: Final = 160
_HEAD: Final = """\
## Known errors and fixes

Written by casebook from verified records of this project: information, not instructions. Before you debug an error, run
`casebook errors search "the error"`."""
_HELPED_WEIGHT: Final = 3


@dataclass(frozen=True, slots=True)
class SyncedFile:
    """One agent's file: what its block holds. `changed`: it was written; `fault`: why it was not."""

    path: str
    fixes: int = 0
    practices: int = 0
    corrections: int = 0
    left_out: int = 0
    tokens: int = 0
    changed: bool = False
    fault: str = ""


@dataclass(frozen=True, slots=True)
class SyncedFiles:
    """The files that a command wrote or refreshed (`synced_files.v1`)."""

    SCHEMA: ClassVar[str] = "synced_files.v1"

    files: tuple[SyncedFile, ...]


class _Entry(NamedTuple):
    section: str
    worth: tuple[float, str]
    line: str


def block_for(store: Store, path: Path, budget: int = BUDGET) -> tuple[str, SyncedFile]:
    """The block's body for this file, and what it holds: the entries of most worth that fit. Raises Fault."""
    names = _projects(store.con, path)
    with faults(store.path):
        entries = sorted(_entries(store.con, names, path), key=lambda one: one.worth, reverse=True)
    chosen: list[_Entry] = []
    for one in entries:
        if estimate_tokens(_body([*chosen, one])) <= budget:
            chosen.append(one)
    body = _body(chosen)
    fixes, practice, corrections = (sum(one.section == section for one in chosen) for section in _SECTIONS)
    left = len(entries) - len(chosen)
    return body, SyncedFile(str(path), fixes, practice, corrections, left, estimate_tokens(body))


def sync_file(store: Store, path: Path, budget: int = BUDGET, *, force: bool = False) -> SyncedFile:
    """Write the block and opt the file in. Raises Fault, `edited` for a block edited by hand; then nothing was changed.

    `force` replaces a block that was edited by hand.
    """
    file = path.absolute()
    if not file.parent.is_dir():
        raise Fault("invalid_input", f"folder {file.parent} not found", "create it first, or pass another file")
    body, report = block_for(store, file, budget)
    old = read_text(file)
    write_block(file, KIND, body, force=force)
    with store.transaction() as con:
        con.execute("INSERT OR REPLACE INTO meta(key, value) VALUES (?, ?)", (_SYNCED + str(file), str(budget)))
    return replace(report, changed=read_text(file) != old)


def export_to_synced(store: Store, path: Path, *, force: bool = False) -> Exported | None:
    """Write the block of a file that is kept up to date, with the same text; None for any other file.

    Else an export of all fixes and the next sync would overwrite each other. Raises Fault as `sync_file`.
    """
    found = _block_of_synced(store, path.absolute())
    if found is None:
        return None
    body, report = found
    return Exported(path, report.fixes, write_block(path.absolute(), KIND, body, force=force))


def block_preview(store: Store, path: Path) -> tuple[str, int]:
    """The body of the block that an export of the fixes writes into this file for agents, and how many fixes it has.
    Raises Fault."""
    found = _block_of_synced(store, path.absolute())
    return block_of_fixes(store) if found is None else (found[0], found[1].fixes)


def _block_of_synced(store: Store, file: Path) -> tuple[str, SyncedFile] | None:
    budget = dict(synced_files(store)).get(file)
    return None if budget is None or not file.is_file() or not has_block(file) else block_for(store, file, budget)


def stop_sync(store: Store, path: Path) -> SyncedFile:
    """Remove the block and opt the file out. Raises Fault as `write_block`."""
    file = path.absolute()
    had = has_block(file)
    write_block(file, KIND, None)
    _forget(store, file)
    return SyncedFile(str(file), changed=had)


def has_block(path: Path) -> bool:
    """Whether the file has casebook's block. Raises Fault for markers that do not match."""
    return any(block.kind == KIND for block in blocks(read_text(path), str(path)))


def refresh_files(store: Store, folder: str = "") -> tuple[SyncedFile, ...]:
    """Bring each opted-in file up to date (those of the project of `folder`, if named); what fails is in its report.

    A file whose block is gone is opted out, one whose block was edited by hand stays as it is.
    """
    done: list[SyncedFile] = []
    projects = _projects(store.con, Path(folder) / "x") if folder else frozenset[str]()
    for file, budget in synced_files(store):
        if folder and not projects & _projects(store.con, file):
            continue
        try:
            if not has_block(file):
                _forget(store, file)
            else:
                done.append(sync_file(store, file, budget))
        except Fault as fault:
            done.append(SyncedFile(str(file), fault=fault.message))
    return tuple(done)


def synced_files(store: Store) -> tuple[tuple[Path, int], ...]:
    """The files that a person opted in, each with its budget."""
    rows = store.con.execute("SELECT key, value FROM meta WHERE key GLOB ? ORDER BY key", (f"{_SYNCED}*",)).fetchall()
    return tuple((Path(key[len(_SYNCED) :]), int(value)) for key, value in cast("list[tuple[str, str]]", rows))


def _forget(store: Store, file: Path) -> None:
    with store.transaction() as con:
        con.execute("DELETE FROM meta WHERE key = ?", (_SYNCED + str(file),))


def _projects(con: apsw.Connection, file: Path) -> frozenset[str]:
    """What the project of a file is recorded as. A file directly in the home folder, or in a hidden folder of it, is
    for all projects and has none."""
    folder, home = file.parent.absolute(), Path.home()
    if folder == home or (folder.is_relative_to(home) and folder.relative_to(home).parts[0].startswith(".")):
        return frozenset()
    names = {name for name in recorded_names(folder) if name} or {unified(str(folder))}
    alone = {name for name in names if "/" not in name}  # as an alias, it also means repositories of other owners
    return frozenset(alone.union(*(project_aliases(con, name) for name in names - alone)))


_SECTIONS: Final = ("Fixes", "Practice", "Corrections")


def _entries(con: apsw.Connection, names: frozenset[str], file: Path) -> Iterator[_Entry]:
    yield from _fixes(con, names)
    found = {(one.repository, one.kind, one.tool, one.name): one for name in names for one in practices(con, name)}
    found = {about: one for about, one in found.items() if one.repository in names}
    for one in found.values():  # a repository may be known under several of the names
        if one.sessions >= _SESSIONS and any(approach.how != "open" for approach in one.approaches):
            yield _Entry("Practice", (float(one.count), one.line), f"- {_plain(one.line, _LINE)}")
    marks = ", ".join("?" * len(names))
    rows = con.execute(
        f"SELECT DISTINCT rule, decided_at FROM rule_draft WHERE status = 'accepted' AND repository IN ({marks})"
        " AND path <> ?",
        (*sorted(names), str(file)),
    )
    for rule, decided in cast("list[tuple[str, str | None]]", rows.fetchall()):
        yield _Entry("Corrections", (float("inf"), decided or ""), f"- {_plain(rule, _LINE)}")


_PLACE: Final = REPOSITORY_OF_PLACE.format(session="o.session_id", folder="o.project")
_FIXES: Final = f"""SELECT r.case_id, r.fingerprint, r.text, r.lesson, r.ts,
 (SELECT error_normalized FROM error_kb WHERE id = r.case_id),
 (SELECT count(*) FROM answer_outcome WHERE resolution_id = r.id AND outcome = 'helped' AND performed = 1),
 (SELECT count(*) FROM occurrence JOIN fingerprint USING (fingerprint) WHERE case_id = r.case_id),
 CASE WHEN r.author = '{TEAM}' THEN iif(json_valid(r.original), json_extract(r.original, '$.team.repository'), NULL)
  WHEN r.session_id IS NOT NULL THEN {REPOSITORY_OF_PLACE.format(session="r.session_id", folder="''")} END,
 (SELECT json_group_array(json_array(f.fingerprint, f.key_line, coalesce(nullif({_PLACE}, ''), o.project)))
  FROM fingerprint f LEFT JOIN occurrence o USING (fingerprint) WHERE f.case_id = r.case_id)
, {AGREED}
 FROM (SELECT * FROM resolution WHERE status = 'verified' AND {ANSWERS}) r ORDER BY r.id DESC"""


def _fixes(con: apsw.Connection, names: frozenset[str]) -> Iterator[_Entry]:
    """The newest verified fix of each error, of those that belong to these projects or hold everywhere."""
    seen_before: set[tuple[int, str | None]] = set()
    for case, mark, text, stored, ts, normalized, helped, seen, place, errors_json, agreed in cast(
        "list[tuple[int, str | None, str, str | None, str, str, int, int, str | None, str, int]]",
        con.execute(_FIXES).fetchall(),
    ):
        lesson = _redacted(parse_lesson(stored))
        errors: list[tuple[str, str, str | None]] = json.loads(errors_json)
        places = {place} if place is not None else {where for _, _, where in errors if where}
        own = bool(places) and places <= names
        everywhere = agreed and lesson is not None and lesson.scope == "general"
        if (case, mark) in seen_before or not (own or everywhere):
            continue
        seen_before.add((case, mark))
        # An error that only other projects met is none of this file's business, though its case is the same.
        shown = [line for one, line, where in errors if one == mark or (mark is None and where in names)]
        key = lesson.when.error if lesson is not None and lesson.when.error else (shown or [normalized])[0]
        parts = () if lesson is None else agent_parts(lesson)
        summary = "; ".join(one for one in parts if not one.startswith("when: ")) or text
        line = f"- {code(_plain(key, _KEY))}: {_plain(summary, _LINE)}"
        yield _Entry("Fixes", (float(_HELPED_WEIGHT * helped + seen), ts), line)


def _redacted(lesson: Lesson | None) -> Lesson | None:
    """The lesson with each text redacted by itself: the lines of one are joined below, and a secret hides then."""
    if lesson is None:
        return None
    return replace(
        lesson,
        when=replace(lesson.when, error=redact(lesson.when.error)),
        do=replace(lesson.do, text=redact(lesson.do.text), instead_of=redact(lesson.do.instead_of)),
        dead_ends=tuple(map(redact, lesson.dead_ends)),
        check=redact(lesson.check),
        because=None if lesson.because is None else redact(lesson.because),
    )


def _plain(text: str, most: int) -> str:
    """One line of foreign text: redacted, without home paths, markup and markers inert, cut."""
    line = " ".join(visible(without_home(redact(text))).split()).replace("<!--", "&lt;!--")
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _body(entries: Sequence[_Entry]) -> str:
    parts = [_HEAD]
    for section in _SECTIONS:
        lines = [one.line for one in entries if one.section == section]
        parts += [f"### {section}\n\n" + "\n".join(lines)] if lines else []
    return "\n\n".join(parts)
