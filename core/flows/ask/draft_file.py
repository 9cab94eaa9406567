"""The running answer is saved word by word next to the casebook, so a killed process loses nothing.

One small file a question, for its owner's eyes, redacted: no word waits for the casebook, none is lost while another
program holds that. The system holds a lock on the file for as long as its process lives; what nobody holds any more is
taken up by whoever asks, or looks at the sessions, next.
"""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from core.base.fault import Fault
from core.base.paths import casebook_state, make_folder
from core.base.wire import dumps
from core.library.ask.answer import Answer
from core.library.ask.store import keep_wire
from core.process.lock import try_lock
from core.store import faults, open_store
from core.text import redact

MOST_FILES: Final = 64
"""Answers of one casebook that may wait; the words of further ones are not written down."""
_EVERY_WORD: Final = 16_384
"""Characters up to which each word is written as it comes; from there on each further half of a thousandth."""
_AS_IT_IS: Final = os.O_RDWR | getattr(os, "O_BINARY", 0)
_MOST_BYTES: Final = 64 << 20
_WAIT_MS: Final = 250
_ABANDONED_S: Final = 60.0
"""Seconds after which a file without a line was left by a process that has ended."""


@dataclass(frozen=True, slots=True)
class RecoveredAnswer:
    """A question whose process had ended, what had come of its answer, and the conversation it belongs to.

    `whole`: the answer had come to its end, only nobody heard it or it could not be kept.
    """

    question: str
    answer: str
    session: str | None
    whole: bool


class Unfinished:
    """One answer on its way. Nothing here raises: what cannot be written down costs the answer nothing."""

    def __init__(self, file: int | None) -> None:
        self._file = file
        self._text = self._written = ""
        self.stays = False
        """Whether it is to be taken up by another question."""

    @property
    def has_words(self) -> bool:
        """Whether words of the answer have come."""
        return bool(self._text)

    def wait(self) -> bool:
        """It could not be kept: whether it is written down, and stays for the next question."""
        self.stays = self._file is not None
        return self.stays

    def save(self, answer: Answer, packed: Sequence[str], *, whole: bool = False) -> None:
        """Save the current state over the previous one; `packed` as for `keep`. `whole`: the answer is complete."""
        self._text = self._written = ""
        self._put(dumps({"answer": answer, "packed": list(packed), "whole": whole}))

    def word(self, text: str) -> None:
        """Note what has come. It is masked from its beginning: only the rest of a secret shows that it is one."""
        self._text += text
        if len(self._text) > _EVERY_WORD and (len(self._text) - len(self._written)) * 2_000 < len(self._text):
            return
        masked = redact(self._text)
        at = len(self._written) if masked.startswith(self._written) else _alike(masked, self._written)
        self._written = masked
        self._put(json.dumps({"at": at, "text": masked[at:]}))

    def restart(self) -> None:
        """What has come is no part of the answer."""
        self._text = self._written = ""
        self._put(json.dumps({"at": 0, "text": ""}))

    def _put(self, line: str) -> None:
        data = line.encode("utf-8", "replace") + b"\n"
        try:
            if self._file is not None and os.write(self._file, data) != len(data):
                self._file = None  # the disk is full: what follows half a line could not be read
        except OSError:
            self._file = None


@contextmanager
def written_down(database: Path | None) -> Generator[Unfinished]:
    """Within, what is noted of an answer outlives this process; afterwards it is kept elsewhere and dropped here.

    It stays, to be taken up, where it is told to `wait`, and where anything ends it in the middle of its words.
    `database` None: nothing is written.
    """
    path, file = _begun(database)
    one = Unfinished(file)
    stays = True
    try:
        yield one
        stays = one.stays
    except Fault:  # the caller is told what went wrong; without a word there is nothing to keep
        stays = one.has_words
        raise
    finally:
        if path is not None and file is not None:
            with suppress(OSError):
                os.close(file)
            if not stays:
                with suppress(OSError):
                    path.unlink()


def take_up(database: Path) -> tuple[RecoveredAnswer, ...]:
    """Keep the answers whose process has ended, oldest first, as broken off. Those of a living one are left alone.

    Never raises: what cannot be kept now waits on, a file that is none of ours is dropped.
    """
    found: list[RecoveredAnswer] = []
    with suppress(OSError):
        for path in sorted(_folder(database).glob("*.jsonl")):
            try:
                one = _recover_file(path, database)
            except Fault:  # it cannot be written now: the others need not wait for it too
                break
            except OSError:
                continue
            found += () if one is None else (one,)
    return tuple(found)


def _recover_file(path: Path, database: Path) -> RecoveredAnswer | None:
    """None where it is another's, or nothing. Raises OSError, and Fault as `keep` where it has to wait."""
    file = os.open(path, _AS_IT_IS)
    try:
        seen = os.fstat(file)
        if seen.st_size == 0 and time.time() - seen.st_mtime < _ABANDONED_S:
            return None  # just begun, not yet locked
        if not try_lock(file) or os.fstat(file).st_nlink == 0:
            return None
        with os.fdopen(os.dup(file), "rb") as lines:
            read = _read(lines.read(_MOST_BYTES))
        answer = None if read is None else _store_recovered(database, *read)
    except (LookupError, TypeError, ValueError, AttributeError):  # none of ours, or of another version
        answer = None
    finally:
        os.close(file)
    path.unlink()
    if answer is None:
        return None
    whole = answer["refusal_reason"] != "llm_stream_aborted"
    return RecoveredAnswer(answer["query"], answer["answer"], answer["conversation_id"], whole)


def _store_recovered(database: Path, stood: dict[str, Any], text: str) -> dict[str, Any]:
    """Store the saved answer; an incomplete one with its words so far, checked like any other."""
    from core.flows.ask.verify import broken_off

    answer, packed = stood["answer"], list(stood["packed"])
    with open_store(database, write=True, timeout_ms=_WAIT_MS) as store:
        if not stood["whole"]:
            with faults(database):
                answer = broken_off(store.con, answer, packed, text)
        keep_wire(store, answer, packed)
    return answer


def _read(data: bytes) -> tuple[dict[str, Any], str] | None:
    """Return the saved answer and its later words; None if there is none."""
    stood: dict[str, Any] = {}
    text = ""
    with suppress(ValueError, TypeError, KeyError, RecursionError):
        for line in data.split(b"\n")[:-1]:
            record = cast("dict[str, Any]", json.loads(line))
            if "answer" in record:
                stood, text = record, ""
            else:
                text = text[: record["at"]] + record["text"]
    return (stood, text) if stood else None


def _begun(database: Path | None) -> tuple[Path | None, int | None]:
    """A new file, locked; none where it cannot be, or enough wait."""
    if database is None:
        return None, None
    folder = _folder(database)
    path = folder / f"{time.time_ns():020d}-{secrets.token_hex(4)}.jsonl"
    try:
        make_folder(folder)
        if sum(1 for _ in folder.iterdir()) >= MOST_FILES:
            return None, None
        file = os.open(path, _AS_IT_IS | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
    except OSError:
        return None, None
    try_lock(file)
    return path, file


def _folder(database: Path) -> Path:
    return casebook_state("asking", database)


def _alike(one: str, other: str) -> int:
    """How many characters both begin with."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
