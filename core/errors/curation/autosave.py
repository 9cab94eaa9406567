"""Half-written fixes, kept every second or two while someone types, so that a crash loses no more than that.

Small files in the state folder, outside the casebook and its history: typing must not wait for a lock, and goes on
where the casebook is read-only. One file a case and writer, written whole or not at all, for its owner's eyes.
"""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from pathlib import Path
from threading import Lock
from typing import Literal, cast

import apsw

from core.base.atomic import write_file
from core.base.fault import Fault
from core.base.lazy import lazy_pattern
from core.base.paths import casebook_state, make_folder
from core.errors.curation.transaction import Written, is_case, moved_to
from core.errors.retrieval.answer import Source
from core.process.lock import is_locked, try_lock
from core.store import Store, faults, now
from core.text import redact

VERSION = 1
MAX_BYTES = 2 << 20
_OLD_PART = 3600
"""Seconds after which an unfinished file is left over: to write one takes milliseconds."""
_PARAGRAPHS = lazy_pattern(r"\n(?:[ \t]*\n)+")
_NAME = lazy_pattern(r"(?P<case>[0-9]{1,18})-(?P<writer>[a-zA-Z0-9_]{1,40})\.json")


@dataclass(frozen=True, slots=True)
class Scratch:
    """What someone was typing about a case: their text and fields, and the resolution they started from (`base`).

    `writer` tells two workbenches apart (letters, digits, `_`); `fingerprint` is the finer case, if it was for one
    alone; `saved` is when it was kept, ISO 8601 in UTC. `key`: the normalized error of the case, as in `SeenVersion`.
    """

    case_id: int
    writer: str
    written: Written
    base: int | None = None
    fingerprint: str | None = None
    saved: str = ""
    key: str | None = None


def scratch_folder(database: Path, environ: Mapping[str, str] | None = None) -> Path:
    """Where the half-written texts of this casebook are kept."""
    return casebook_state("scratch", database, environ)


def keep_scratch(folder: Path, scratch: Scratch) -> None:
    """Keep what was typed so far, in place of what this writer kept of this case before.

    Secrets are masked, as they will be when it is saved. Raises Fault io_error, or invalid_input for a bad writer.
    """
    path = scratch_path(folder, scratch)
    written = scratch.written
    body = {
        "version": VERSION,
        "saved": now(),
        "base": scratch.base,
        "fingerprint": scratch.fingerprint,
        "key": scratch.key,
        "text": redact(written.text),
        "resolved_by": None if written.resolved_by is None else redact(written.resolved_by),
        "tool_sequence": [redact(name) for name in written.tool_sequence],
        "tags": [redact(tag) for tag in written.tags],
        "session": written.source.session,
        "messages": list(written.source.messages),
    }
    try:
        make_folder(folder)
    except OSError as error:
        raise Fault(
            "io_error", f"cannot create {folder}: {error.strerror or error}", "check the permissions of the folder"
        ) from error
    write_file(path, [json.dumps(body)], replace=True)


def read_scratches(folder: Path, case_id: int | None = None) -> tuple[Scratch, ...]:
    """What was typed and never saved nor thrown away, the newest first; of one case, or of all. Never raises.

    A file that cannot be read as one counts as none.
    """
    found: list[Scratch] = []
    with suppress(OSError):
        for path in folder.iterdir():
            named = _NAME.fullmatch(path.name)
            if named is None or (case_id is not None and int(named["case"]) != case_id):
                continue
            with suppress(OSError, ValueError, TypeError, RecursionError):
                found.append(_read(path, int(named["case"]), named["writer"]))
    return tuple(sorted(found, key=lambda one: (one.saved, one.case_id, one.writer), reverse=True))


def discard_scratch(folder: Path, case_id: int, writer: str) -> None:
    """Forget it: it was saved, or is not wanted. Raises Fault io_error."""
    path = scratch_path(folder, Scratch(case_id, writer, Written("")))
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise Fault(
            "io_error", f"cannot remove {path}: {error.strerror or error}", "check the permissions of the folder"
        ) from error


def scratch_path(folder: Path, scratch: Scratch) -> Path:
    """The file of this text. Raises Fault invalid_input for a bad writer."""
    name = f"{scratch.case_id}-{scratch.writer}.json"
    if _NAME.fullmatch(name) is None:
        raise Fault("invalid_input", f"invalid draft name: {name!r}", "use letters, digits and _")
    return folder / name


def _read(path: Path, case_id: int, writer: str) -> Scratch:
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    found: object = json.loads(data) if len(data) <= MAX_BYTES else None
    if not isinstance(found, dict):
        raise TypeError("not a JSON object")
    table = cast("dict[str, object]", found)
    base, text, mark, key = table.get("base"), table.get("text"), table.get("fingerprint"), table.get("key")
    if table.get("version") != VERSION or not isinstance(text, str):
        raise ValueError("the version is different, or the text is missing")
    by, session = table.get("resolved_by"), table.get("session")
    numbers = tuple(one for one in _items(table, "messages") if isinstance(one, int))
    written = Written(
        text,
        by if isinstance(by, str) else None,
        tuple(one for one in _items(table, "tool_sequence") if isinstance(one, str)),
        tuple(one for one in _items(table, "tags") if isinstance(one, str)),
        Source(session if isinstance(session, str) else None, numbers),
    )
    return Scratch(
        case_id,
        writer,
        written,
        base if isinstance(base, int) else None,
        mark if isinstance(mark, str) else None,
        str(table.get("saved") or ""),
        key if isinstance(key, str) else None,
    )


def _items(table: Mapping[str, object], key: str) -> list[object]:
    found = table.get(key)
    return cast("list[object]", found) if isinstance(found, list) else []


@dataclass(frozen=True, slots=True)
class SavedScratches:
    """Half-written texts: `free` to go on with, one's own first, then the newest; and those of `living` windows."""

    free: tuple[Scratch, ...]
    living: tuple[Scratch, ...]


class Writer:
    """A window. It holds a lock next to its texts, which the system releases with the process.

    May be used from several threads. Where locks cannot be had, its texts are free to all.
    """

    def __init__(self, folder: Path) -> None:
        self.name = _new_name()
        self.folder = folder
        self._guard = Lock()
        self._held: int | None = None

    def keep(self, one: Scratch, *, apart: bool = False) -> None:
        """Keep a text as this window's own. Raises Fault io_error.

        `apart`: it does not go on with what the window kept of the case before, which stays.
        """
        mine = replace(one, writer=self.name)
        with self._guard:
            self._hold()
            if apart:
                self._put_aside(mine)
            keep_scratch(self.folder, mine)

    def _put_aside(self, one: Scratch) -> None:
        with suppress(OSError):
            scratch_path(self.folder, one).replace(scratch_path(self.folder, replace(one, writer=_new_name())))

    def saved(self, case_id: int | None = None) -> SavedScratches:
        """What was typed and not saved, of one case or of all. Never raises."""
        found = read_scratches(self.folder, case_id)
        living = {
            name for name in {one.writer for one in found} - {self.name} if is_locked(_lock_of(self.folder, name))
        }
        free = sorted((one for one in found if one.writer not in living), key=lambda one: one.writer != self.name)
        return SavedScratches(tuple(free), tuple(one for one in found if one.writer in living))

    def of_case(self, con: apsw.Connection, case_id: int) -> SavedScratches:
        """The same, of one case. A text of another case with its number is put aside: typing would overwrite it."""
        found, free = self.saved(case_id), list[Scratch]()
        for one in found.free:
            if is_case(con, case_id, one.key):
                free.append(one)
            elif one.writer == self.name:
                with self._guard:
                    self._put_aside(one)
        return SavedScratches(tuple(free), found.living)

    def take(self, one: Scratch) -> Scratch | None:
        """Make the free text this window's own; None where another window was faster."""
        if one.writer == self.name:
            return one
        mine = replace(one, writer=self.name)
        with self._guard:
            self._hold()
            try:
                scratch_path(self.folder, one).replace(scratch_path(self.folder, mine))
            except FileNotFoundError:
                return None
            except OSError:
                return one  # shown all the same; the copy stays where it is
            with suppress(OSError):
                _lock_of(self.folder, one.writer).unlink()
        return mine

    def drop(self, case_id: int) -> None:
        """Forget what this window kept of the case: it was saved, or is not wanted. Raises Fault io_error."""
        with self._guard:
            discard_scratch(self.folder, case_id, self.name)
            if not any(one.writer == self.name for one in read_scratches(self.folder)):
                self._let_go()

    def ended(self) -> None:
        """The window is gone, as if its process had ended: what it kept is free."""
        with self._guard:
            self._let_go()

    def _hold(self) -> None:
        if self._held is not None:
            return
        with suppress(OSError):
            make_folder(self.folder)
            handle = os.open(_lock_of(self.folder, self.name), os.O_RDWR | os.O_CREAT, 0o600)
            if try_lock(handle):
                self._held = handle
            else:
                os.close(handle)
            for part in self.folder.glob(".*.part"):  # of a window that was killed while it wrote
                if part.stat().st_mtime < time.time() - _OLD_PART:
                    part.unlink()

    def _let_go(self) -> None:
        if self._held is not None:
            os.close(self._held)
            self._held = None
            with suppress(OSError):
                _lock_of(self.folder, self.name).unlink()


def _new_name() -> str:
    return f"w{secrets.token_hex(8)}"


def _lock_of(folder: Path, writer: str) -> Path:
    return folder / f"{writer}.lock"


@dataclass(frozen=True, slots=True)
class Unsaved:
    """What was typed, and the case it is for by now: another one after a merge, None where it is gone."""

    scratch: Scratch
    case_id: int | None


_SAVED = "SELECT 1 FROM resolution WHERE (case_id, text) = (?, ?) AND ts >= ?"


def unsaved_texts(store: Store, writer: Writer) -> tuple[Unsaved, ...]:
    """Every half-written text that is free to go on with. Raises Fault where the store cannot be read.

    Not one that is a fix of its case by now: its window was closed before it could forget the text.
    """
    found: list[Unsaved] = []
    with faults(store.path):
        for one in writer.saved().free:
            there = is_case(store.con, one.case_id, one.key)
            if there and store.con.execute(_SAVED, (one.case_id, one.written.text, one.saved)).fetchone():
                continue
            found.append(Unsaved(one, one.case_id if there else moved_to(store.con, one.case_id)))
    return tuple(found)


def take_along(folder: Path, one: Unsaved) -> int:
    """Keep the text under the case that its own was merged into; which one that is. Raises Fault io_error."""
    case_id = one.case_id or one.scratch.case_id
    if case_id != one.scratch.case_id:
        moved = replace(one.scratch, case_id=case_id)
        if scratch_path(folder, moved).exists():  # its window has a text about that case, too
            moved = replace(moved, writer=_new_name())
        keep_scratch(folder, moved)
        discard_scratch(folder, one.scratch.case_id, one.scratch.writer)
    return case_id


Verdict = Literal["same", "mine", "theirs", "agreed", "conflict"]


@dataclass(frozen=True, slots=True)
class ThreeWay:
    """What to do with three texts.

    `same`: nobody changed it; `mine`, `theirs`: one side did; `agreed`: both did the same; `conflict`: both did, and a
    person must choose. `text` is what stands then; at a conflict it is mine, so that saving it loses nothing typed.
    """

    verdict: Verdict
    text: str


def three_way(base: str, mine: str, theirs: str) -> ThreeWay:
    """Compare the original text (`base`), the edited text (`mine`) and the current text (`theirs`).

    Editors add a last line break: a difference in trailing line breaks alone counts as none.
    """
    ours, started, other = (text.rstrip("\r\n") for text in (mine, base, theirs))
    if ours == started:
        return ThreeWay("same" if other == started else "theirs", theirs)
    if other == started:
        return ThreeWay("mine", mine)
    return ThreeWay("agreed", theirs) if ours == other else ThreeWay("conflict", mine)


def both_versions(mine: str, theirs: str) -> str:
    """Return the paragraphs of both texts: equal ones once, and where they differ, mine before theirs."""
    ours, other = (_PARAGRAPHS.split(text.strip()) for text in (mine, theirs))
    kept: list[str] = []
    for step, start, end, from_, to in SequenceMatcher(None, ours, other, autojunk=False).get_opcodes():
        kept += ours[start:end] if step == "equal" else (*ours[start:end], *other[from_:to])
    return "\n\n".join(one for one in kept if one)
