"""What a hook could not write down in time: small files, taken up by the next hook or import, so that nothing is lost.

A machine under load, or a casebook that another program holds, must not keep an agent waiting. Every result that a tool
has is in such a file before anything is done with it (`core.flows.hook.first`), and is removed once the casebook has
it. One file an event, for its owner's eyes; at most `MOST_FILES` of a casebook. The casebook remembers for a day which
events it has, so that one whose file outlived its work is counted once.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from core.base.atomic import write_file
from core.base.fault import Fault
from core.base.paths import casebook_state, file_size, make_folder
from core.flows.hook.first import MOST_FILES, RETRIED, digest_of, event_id, settle
from core.flows.hook.payload import Payload, read_payload, short_input
from core.store.files import has_exited
from core.store.sql import now
from core.text import redact

TEXT_KEPT = 65_536
"""Code points of a result; of a longer one its beginning and its end."""
_MOST_BYTES = 2 << 20
_ABANDONED_S = 60.0
"""Seconds after which an event is free again, if it is unknown whether its taker is alive."""
_VERSION = 1


def spool_folder(database: Path | str, environ: Mapping[str, str] | None = None) -> Path:
    """Where what hooks could not write into this casebook waits."""
    return casebook_state("hooks", database, environ)


@dataclass(slots=True)
class SpooledEvent:
    """A payload that is being written down. `pending`: the next hook or import processes it.

    `id` names the event in the casebook; "" where it is in no file.
    """

    pending: bool = False
    id: str = ""


@contextmanager
def spooled(payload: Payload, data: bytes, database: Path, event: str = "") -> Generator[SpooledEvent]:
    """Within, the event lies in a file that is this process's own: should it be killed, the next one takes it up.

    `event` is that file, if it was written first (its writer settles it). It is dropped at the end unless it is
    `pending`, which a locked casebook or a full disk sets.
    """
    one = SpooledEvent()
    path = None if event else _write(payload, data, spool_folder(database), str(os.getpid()))
    if path is not None:
        one.id = event_id(str(path))
    elif event:
        one.id = event_id(event)
    try:
        yield one
    except Exception as error:
        one.pending = not isinstance(error, Fault) or error.code in RETRIED
        raise
    finally:
        if path is not None:
            settle(str(path), pending=one.pending)


def put(data: bytes, database: Path | str) -> bool:
    """Keep the payload `data` for later, if it is not there already; whether it is.

    It must tell of a tool's result, and there must be room. Never raises: who calls has no time left.
    """
    with suppress(Exception):
        payload = read_payload(data)
        if isinstance(payload, Payload) and payload.event in ("PostToolUseFailure", "PostToolUse"):
            folder = spool_folder(database)
            there = any(folder.glob(f"*-{digest_of(data)}.*"))
            return there or _write(payload, data, folder, "json") is not None
    return False


def _write(payload: Payload, data: bytes, folder: Path, suffix: str) -> Path | None:
    """None where it cannot be, or enough wait."""
    with suppress(OSError, Fault):
        make_folder(folder)
        if sum(1 for _ in folder.iterdir()) >= MOST_FILES:
            return None
        path = folder / f"{time.time_ns():020d}-{digest_of(data)}.{suffix}"
        write_file(path, [json.dumps(_body(payload))], replace=True, sync=False)
        return path
    return None


def withdraw(data: bytes, database: Path | str, *, but: int = 0) -> None:
    """Forget the payload `data`, which is written down by now; `but`: how many of its files stay. Never raises."""
    with suppress(OSError):
        for path in sorted(spool_folder(database).glob(f"*-{digest_of(data)}.json"))[but:]:
            path.unlink(missing_ok=True)


def take_up(database: Path, *, seconds: float = 5.0, most: int = MOST_FILES, most_bytes: int = _MOST_BYTES) -> int:
    """Write down what waits, the oldest first, for so long and so many; how many events were taken. Never raises.

    What cannot be written now waits on, and so does a file of more than `most_bytes`; one that is none of ours is
    dropped.
    """
    end, taken = time.monotonic() + seconds, 0
    for path in _waiting(spool_folder(database)):
        if taken >= most or time.monotonic() > end:
            break
        if most_bytes < _MOST_BYTES and file_size(path) > most_bytes:
            continue
        claimed = path.with_suffix(f".{os.getpid()}")
        try:
            os.utime(path)
            path.rename(claimed)
        except OSError:
            continue  # another process was quicker
        try:
            from core.flows.hook.post_tool_use import follow_late  # seldom needed, and slow to load

            payload, ts = _read(claimed)
            follow_late(payload, database, ts, event_id(claimed.name))
        except (Fault, OSError) as error:
            if isinstance(error, OSError) or error.code in RETRIED | {"db_readonly"}:
                with suppress(OSError):
                    claimed.rename(path)
                if isinstance(error, Fault):
                    break
                continue
        except Exception:  # noqa: BLE001 it is none of ours, or the second try failed as well
            pass
        with suppress(OSError):
            claimed.unlink()
        taken += 1
    return taken


def _waiting(folder: Path) -> Iterator[Path]:
    """The files in the order in which they came; one whose taker is gone among them."""
    try:
        found = sorted(folder.iterdir())
    except OSError:
        return
    for path in found:
        taker = path.suffix[1:]
        if taker.isascii() and taker.isdigit() and _has_ended(path, int(taker)):
            with suppress(OSError):
                yield path.rename(path.with_suffix(".json"))
        elif path.suffix == ".json" and not path.name.startswith("."):
            yield path


def _has_ended(path: Path, taker: int) -> bool:
    """Whether the process that had taken a file up has ended over it."""
    if sys.platform != "win32" and taker != os.getpid() and has_exited(taker):
        return True
    with suppress(OSError):
        return time.time() - path.stat().st_mtime > _ABANDONED_S
    return False


def _body(payload: Payload) -> dict[str, object]:
    text = redact(payload.text)  # before the cut, which could take the name of a secret from its value
    if len(text) > TEXT_KEPT:
        text = f"{text[: TEXT_KEPT // 2]}\n…\n{text[-TEXT_KEPT // 2 :]}"
    return {
        "version": _VERSION,
        "ts": now(),
        "event": payload.event,
        "session_id": payload.session_id,
        "cwd": redact(payload.cwd),
        "chain": payload.chain,
        "tool": redact(payload.tool),
        "tool_input": short_input(payload.tool_input),
        "text": text,
        "failure": payload.failure,
        "exit_code": payload.exit_code,
        "facts": {key: redact(one) if isinstance(one, str) else one for key, one in payload.facts.items()},
    }


def _read(path: Path) -> tuple[Payload, str]:
    with path.open("rb") as file:
        data = file.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise ValueError("too long")
    given = read_payload(data)
    if isinstance(given, Payload):
        return given, now(int(path.name[:20]))
    record = cast("dict[str, Any]", json.loads(data))
    if record["version"] != _VERSION:
        raise ValueError("another version")
    payload = Payload(
        record["event"],
        str(record["session_id"]),
        str(record["cwd"]),
        "",
        str(record["chain"]),
        str(record["tool"]),
        dict(record["tool_input"]),
        str(record["text"]),
        record["failure"],
        record["exit_code"] if isinstance(record["exit_code"], int) else None,
        dict(record["facts"]),
    )
    return payload, str(record["ts"])
