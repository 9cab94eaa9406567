"""A single file or standard input into the library (frozen design 6.7)."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from core.base.fault import Fault
from core.flows.ingest.api import Tell, ended, jobs_of, running
from core.flows.ingest.batches import read_all
from core.library.documents.rows import Source, content_hash
from core.library.ingest.options import IngestOptions
from core.library.ingest.readers import PICTURES, extension_of, media_of
from core.library.ingest.report import IngestEvent, IngestReport
from core.library.ingest.walk import EXTERNAL, FoundFile, Walked, is_outside, normal_path, refused, roots_of
from core.library.ingest.write import read_known_documents
from core.library.parse.text import LOOKED, is_binary
from core.library.search.fts import refresh_fts
from core.store import Store, now

_NAME: Final = 12
_STDIN = ("md", "txt", "log")


def ingest_file(
    store: Store,
    path: Path,
    options: IngestOptions | None = None,
    *,
    on_event: Tell | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> IngestReport:
    """Add one file. In a root of the library it stays where it is; any other is copied to `_external/` of the first.

    Adding the same content again changes nothing. Raises Fault invalid_input (no file, no text, too large), not_indexed
    (the library has no folder yet), and what `ingest` raises.
    """
    options = options or IngestOptions()
    store.require_write()
    sources = roots_of(store, ())
    try:
        place = path.expanduser().resolve(strict=True)
        if not place.is_file():
            raise OSError(0, "it is not a regular file")
        if place.stat().st_size > options.max_bytes:
            raise Fault("invalid_input", f"{path} is larger than {options.max_file_mb} MB", "split the text")
        for source in sources:
            if place.is_relative_to(source.root):
                inside = normal_path(place.relative_to(source.root).as_posix())
                return _add(store, source, place, inside, options, on_event, cancelled)
        data = place.read_bytes()
    except (OSError, RuntimeError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise Fault("invalid_input", f"{path} cannot be added: {reason}", "check the path") from error
    extension = extension_of(place.name) or "txt"
    if not (options.ocr and extension in PICTURES):
        _refuse_no_text(data, extension, str(path))
    return _external(store, sources[0], data, extension, options, on_event, cancelled)


def ingest_stdin(
    store: Store,
    data: bytes,
    extension: str = "md",
    options: IngestOptions | None = None,
    *,
    on_event: Tell | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> IngestReport:
    """Add what came by standard input: Markdown, or plain text where `extension` is `txt` or `log`.

    Raises Fault invalid_input for another extension or where there is nothing in it, and what `ingest_file` raises.
    """
    options = options or IngestOptions()
    store.require_write()
    if extension not in _STDIN:
        raise Fault(
            "invalid_input",
            f"standard input cannot be of the type {extension[:20]}",
            f"use one of: {', '.join(_STDIN)}",
        )
    if len(data) > options.max_bytes:
        raise Fault("invalid_input", f"standard input is larger than {options.max_file_mb} MB", "split the text")
    _refuse_no_text(data, extension, "standard input")
    return _external(store, roots_of(store, ())[0], data, extension, options, on_event, cancelled)


def _refuse_no_text(data: bytes, extension: str, name: str) -> None:
    if not data.strip():
        raise Fault("invalid_input", f"{name} is empty", "add text")
    if media_of(f"x.{extension}") is None or is_binary(data[:LOOKED]):
        raise Fault("invalid_input", f"{name} is not readable text", "add text")


def _external(
    store: Store,
    source: Source,
    data: bytes,
    extension: str,
    options: IngestOptions,
    on_event: Tell | None,
    cancelled: Callable[[], bool],
) -> IngestReport:
    name = f"{content_hash(data)[:_NAME]}.{extension}"
    place = Path(source.root, EXTERNAL, name)
    if is_outside(source.root, place.parent):
        raise Fault(
            "invalid_input",
            f"{place.parent} is a link that points outside {source.root}",
            "replace the link with a folder",
        )
    _keep(place, data)
    return _add(store, source, place, f"{EXTERNAL}/{name}", options, on_event, cancelled)


def _keep(place: Path, data: bytes) -> None:
    """Put a content where it belongs, whole or not at all; one that is there stays as it is."""
    try:
        if place.exists():
            return
        place.parent.mkdir(exist_ok=True)
        handle, part = tempfile.mkstemp(dir=place.parent, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(part).replace(place)
        finally:
            Path(part).unlink(missing_ok=True)
    except OSError as error:
        raise Fault("io_error", f"{place} cannot be written: {error.strerror or error}", "check the folder") from error


def _add(
    store: Store,
    source: Source,
    place: Path,
    inside: str,
    options: IngestOptions,
    on_event: Tell | None,
    cancelled: Callable[[], bool],
) -> IngestReport:
    policy = options.policy
    media, why = media_of(place.name, pictures=bool(options.ocr)), refused(inside)
    if media is None or why:
        raise Fault("invalid_input", f"{place} cannot be added: {why or 'unsupported file type'}")
    about = place.stat()
    found = Walked([FoundFile(place, inside, media, about.st_size, about.st_mtime_ns)])
    with running(store, [source], on_event, cancelled) as run:
        files = jobs_of(source, found, read_known_documents(store.con, source), policy, options)
        run.total = len(files)
        if run.tell is not None:
            run.tell(IngestEvent("scan_completed", now(), total=run.total))
        refresh_fts(store, options.analyser, cancelled=run.cancelled)
        read_all(run, files)
        return ended(run, [source], options)
