"""Which files an import reads: the agents' own folders, or what a person named."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.base.fault import Fault
from core.flows.transcripts.report import Tally
from core.flows.transcripts.source import stored_name
from core.transcripts import Agent, default_roots, discover


@dataclass(frozen=True, slots=True)
class Found:
    """A file to read; `named`: a person named this very file."""

    path: Path
    size: int
    named: bool


def files_to_read(agent: Agent | None, paths: Sequence[Path | str], tally: Tally) -> list[Found]:
    """The files of `paths` in their order, those of a folder sorted, each once; without paths the agents' own folders.

    What holds nothing to read is noted in `tally`. Raises Fault invalid_input for a path that is not there.
    """
    found: dict[Path, Found] = {}
    for path in [_checked(path) for path in paths] if paths else _defaults(agent, tally):
        inside = _inside(path, agent, tally)
        for one in inside:
            found.setdefault(one.path, one)
    return list(found.values())


def _defaults(agent: Agent | None, tally: Tally) -> list[Path]:
    roots = default_roots(agent)
    if not roots:
        raise Fault("invalid_input", "Plain transcripts have no folder of their own.", "Name the files to import.")
    there = [root for root in roots if root.is_dir()]
    if not there:
        for root in roots:
            tally.skip(stored_name(root), 0, "no such folder")
    return there


def _checked(given: Path | str) -> Path:
    try:
        path = Path(given).expanduser()
        path.stat()
    except PermissionError:
        return Path(given)
    except (OSError, ValueError, RuntimeError):
        shown = stored_name(Path(given)).replace("\0", "\\0")
        raise Fault("invalid_input", f"There is no file or folder at {shown}.", "Check the path.", path=shown) from None
    return path


def _inside(path: Path, agent: Agent | None, tally: Tally) -> list[Found]:
    try:
        mode = path.stat().st_mode
    except OSError as error:
        tally.skip(stored_name(path), 0, f"cannot be read: {error.strerror or error}")
        return []
    if stat.S_ISDIR(mode):
        unread: list[OSError] = []
        inside = [Found(one, _size(one), named=False) for one in discover(agent, [path], unread.append)]
        for error in unread:
            name = stored_name(Path(os.fsdecode(error.filename or path)))
            tally.skip(name, 0, f"the folder cannot be read: {error.strerror or error}")
        if not inside and not unread:
            tally.skip(stored_name(path), 0, "no transcripts in this folder")
        return inside
    if stat.S_ISREG(mode):
        return [Found(path.resolve(), _size(path), named=True)]
    tally.skip(stored_name(path), 0, "not a regular file")
    return []


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
