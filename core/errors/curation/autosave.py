"""Half-written fixes, kept every second or two while someone types, so that a crash loses no more than that.

Small files in the state folder, outside the casebook and its history: typing must not wait for a lock, and goes on
where the casebook is read-only. One file a case and writer, written whole or not at all, for its owner's eyes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from core.base.atomic import write_file
from core.base.fault import Fault
from core.base.lazy_pattern import lazy_pattern
from core.base.paths import casebook_state
from core.base.xdg import make_folder
from core.errors.curation.fix_input import Written
from core.errors.retrieval.answer import Source
from core.store import now
from core.text import redact

VERSION = 1
MAX_BYTES = 2 << 20
_NAME = lazy_pattern(r"(?P<case>[0-9]{1,18})-(?P<writer>[a-zA-Z0-9_]{1,40})\.json")


@dataclass(frozen=True, slots=True)
class Scratch:
    """What someone was typing about a case: their text and fields, and the resolution they started from (`base`).

    `writer` tells two workbenches apart (letters, digits, `_`); `fingerprint` is the finer case, if it was for one
    alone; `saved` is when it was kept, ISO 8601 in UTC.
    """

    case_id: int
    writer: str
    written: Written
    base: int | None = None
    fingerprint: str | None = None
    saved: str = ""


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
            "io_error", f"cannot make {folder}: {error.strerror or error}", "check the folder's rights"
        ) from error
    write_file(path, [json.dumps(body)], replace=True)


def kept_scratches(folder: Path, case_id: int | None = None) -> tuple[Scratch, ...]:
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
            "io_error", f"cannot remove {path}: {error.strerror or error}", "check the folder's rights"
        ) from error


def scratch_path(folder: Path, scratch: Scratch) -> Path:
    """The file of this text. Raises Fault invalid_input for a bad writer."""
    name = f"{scratch.case_id}-{scratch.writer}.json"
    if _NAME.fullmatch(name) is None:
        raise Fault("invalid_input", f"no name for a half-written text: {name!r}", "use letters, digits and _")
    return folder / name


def _read(path: Path, case_id: int, writer: str) -> Scratch:
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    found: object = json.loads(data) if len(data) <= MAX_BYTES else None
    if not isinstance(found, dict):
        raise TypeError("no table")
    table = cast("dict[str, object]", found)
    base, text, mark = table.get("base"), table.get("text"), table.get("fingerprint")
    if table.get("version") != VERSION or not isinstance(text, str):
        raise ValueError("another version, or no text")
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
    )


def _items(table: Mapping[str, object], key: str) -> list[object]:
    found = table.get(key)
    return cast("list[object]", found) if isinstance(found, list) else []
