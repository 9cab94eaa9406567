"""Write a file whole or not at all: under a temporary name, synced, then renamed; readable by its owner alone."""

from __future__ import annotations

import contextlib
import os
import re
import stat
import tempfile
from collections.abc import Iterable
from pathlib import Path

from core.base.fault import Fault


def make_parents(path: Path, hint: str) -> None:
    """Create the folders above a file. Raises Fault io_error with `hint`."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Fault("io_error", f"cannot create {path.parent}: {error.strerror}", hint) from error


def write_file(
    path: Path, chunks: Iterable[str | bytes], *, replace: bool, sync: bool = True, mode: int | None = None
) -> int:
    """Write `chunks` as UTF-8 (lone surrogates as U+FFFD) to `path`, and return the number of bytes.

    Bytes are written as they are. What stands there already is kept unless `replace`. `mode`: the file's rights, if not
    its owner's alone. Without `sync` it outlives the process, but perhaps not the
    computer's power, and nobody waits for the disk. Raises Fault `invalid_input` where something stands there that
    may not be replaced, `io_error` where the system refuses. Whatever `chunks` raises leaves `path` as it was.
    """
    check_target(path, replace=replace)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name[:80]}.", suffix=".part", dir=path.parent)  # 0600
    except OSError as error:
        raise _fault(path, error) from error
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            for chunk in chunks:
                file.write(_encode(chunk))
            file.flush()
            if sync:
                os.fsync(file.fileno())
            size = file.tell()
        if mode is not None:
            part.chmod(mode)
        _put(part, path, replace=replace)
        if sync:
            _sync_folder(path.parent)
    except OSError as error:
        raise _fault(path, error) from error
    finally:
        part.unlink(missing_ok=True)
    return size


def check_target(path: Path, *, replace: bool) -> None:
    """Raise a Fault if a file may not be written at `path`: something is there, or it is no place for a file."""
    try:
        there = path.lstat()
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise _fault(path, error) from error
    if not (stat.S_ISREG(there.st_mode) or stat.S_ISLNK(there.st_mode)):
        kind = "a folder" if stat.S_ISDIR(there.st_mode) else "not a regular file"
        raise Fault("invalid_input", f"{path} is {kind}", "pass a file")
    if not replace:
        raise Fault("invalid_input", f"{path} already exists", "pass another file, or replace it with --force")


def _put(part: Path, path: Path, *, replace: bool) -> None:
    if not replace:
        try:
            os.link(part, path)  # fails, other than a rename, if someone was faster
        except FileExistsError:
            check_target(path, replace=False)
        except OSError:
            part.rename(path)  # a file system without links
    else:
        part.replace(path)


def _sync_folder(path: Path) -> None:
    with contextlib.suppress(OSError):  # the rename is done; syncing the folder is a courtesy not every system knows
        folder = os.open(path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _encode(chunk: str | bytes) -> bytes:
    if isinstance(chunk, bytes):
        return chunk
    try:
        return chunk.encode()
    except UnicodeEncodeError:
        return re.sub("[\ud800-\udfff]", "\ufffd", chunk).encode()


def _fault(path: Path, error: Exception) -> Fault:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return Fault("io_error", f"cannot write {path}: {reason}", "check the folder, its permissions and its free space")
