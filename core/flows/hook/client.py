"""Asking the hook host: a process that has everything loaded answers in the time that loading it would take ten times.

Imports next to nothing, because that is its whole point: no pathlib, no dataclass, no json. Where no host listens, or
one of another version, the caller does the work itself.
"""

from __future__ import annotations

import os
import sys
import time

from core.base.paths import folder_name
from core.base.program import VERSION
from core.process.connection import LONGEST_PATH, Connection, connect, not_private, runtime_folder
from core.process.frames import BadFrame, FrameReader, join, plain_header

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

WIRE = "5"
"""What host and caller say to each other, in which order. Another order has another number, and with it another socket:
an old host and a new caller, or the reverse, do not meet."""
TAKEN, REFUSED, GO_ON, REPLY, WRITTEN = (
    b'{"say": "%s"}' % word for word in (b"taken", b"refused", b"go on", b"reply", b"written")
)
"""The headers of all frames but the first. They are compared as they are, so that nothing is loaded to read them."""
TAKE_SHARE, ANSWER_SHARE = 0.17, 0.7
"""Of the time that a hook has: how long the host may need to take a payload, and until when it must have answered."""
HUNG_S = 30.0
"""Seconds without offers to a host that did not accept one, unless it recovers."""
_MOST = 64, 1 << 20
"""Bytes of a header and of a reply."""


class UnansweredError(Exception):
    """A host is there, or was, and gave no answer.

    `taken`: the host has the payload and may have processed it. `sent`: the payload was offered; False if the host was
    already known to hang.
    """

    def __init__(self, *, taken: bool, sent: bool) -> None:
        super().__init__("the hook host did not answer")
        self.taken, self.sent = taken, sent


def stamp() -> str:
    """What host and caller must have in common: the version, and whose packages are loaded."""
    return f"{VERSION}\n{sys.prefix}"


def socket_path() -> str | None:
    """Where the host of this user listens, or would; None where there are no Unix sockets, or the path is too long."""
    if not hasattr(os, "geteuid"):
        return None
    folder = runtime_folder(os.environ) or os.path.join(folder_name("state"), "run")
    path = os.path.join(folder, f"hook-{WIRE}.sock")
    return path if len(os.fsencode(path)) <= LONGEST_PATH else None


def ask(
    payload: bytes,
    database: str,
    settings: tuple[str, bool, float, str],
    seconds: float,
    event: str,
    write: Callable[[bytes], object],
) -> bool:
    """Have the host answer a payload; False where there is no host, or it refused: then nothing was done.

    `write` gives the reply to the agent; only after it returned is the host told that the reply was written.

    `settings`: model, service, hold_back and rules, which the host has not read. `event`: the file that the payload was
    written to first; the host settles it. `seconds`: the time that the caller has for everything. A host does nothing
    before it said that it takes the payload and was told to go on, so that one that comes too late has done nothing.

    Raises UnansweredError where it does not take the payload in its share of that time, or did and gives no answer.
    """
    path = socket_path()
    if path is None or not os.path.exists(path) or not_private(os.path.dirname(path)):
        return False
    if _is_hung(path):
        raise UnansweredError(taken=False, sent=False)
    begun = time.monotonic()
    until = begun + seconds * TAKE_SHARE
    try:
        frames = FrameReader(max_header=_MOST[0], max_body=_MOST[1], loads=lambda header: {"say": header})
        line = Connection(connect(path, until, patient=False), frames)
    except OSError:
        return False
    try:
        try:
            if not _is_accepted(line, _offer(payload, database, settings, event), until):
                return False  # of another version, or too busy
        except TimeoutError:
            _mark_hung(path)
            raise UnansweredError(taken=False, sent=True) from None
        except (OSError, BadFrame):
            return False
        reply = _reply(line, begun + seconds * ANSWER_SHARE)
        if reply is None:
            _mark_hung(path)
        if not reply:  # a host that has nothing to say says two empty lines: this one died
            raise UnansweredError(taken=True, sent=True)
        write(reply)
        _confirm_written(line)
    finally:
        line.close()
    return True


def _offer(payload: bytes, database: str, settings: tuple[str, bool, float, str], event: str) -> bytes:
    model, service, hold_back, rules = settings
    named = {"stamp": stamp(), "database": database, "event": event}
    named |= {"model": model, "service": str(int(service)), "hold_back": str(hold_back), "rules": rules}
    return join(plain_header(named), payload)


def _is_accepted(line: Connection, offer: bytes, until: float) -> bool:
    """Return whether the host accepted the offer. Raises TimeoutError, another OSError, BadFrame."""
    line.send(offer, until)
    answer = line.receive(until)
    if answer is None or answer.header["say"] != TAKEN:
        return False
    line.send(join(GO_ON), until)
    return True


def _confirm_written(line: Connection) -> None:
    try:
        line.send(join(WRITTEN), time.monotonic() + 1)
    except OSError:
        pass  # the host had nothing to count, and has hung up


def _reply(line: Connection, until: float) -> bytes | None:
    """The host's two lines; nothing where it hangs up before; None where they do not come in time."""
    try:
        answer = line.receive(until)
    except TimeoutError:
        return None
    except (OSError, BadFrame):
        return b""
    return answer.body if answer is not None and answer.header["say"] == REPLY else b""


def clear_hang(path: str) -> None:
    """Forget that the host at this socket was found to hang."""
    try:
        os.unlink(_mark(path))
    except OSError:
        pass  # nobody had found so


def _mark_hung(path: str) -> None:
    try:
        os.close(os.open(_mark(path), os.O_WRONLY | os.O_CREAT, 0o600))
        os.utime(_mark(path))
    except OSError:
        pass  # the next one finds out by itself


def _is_hung(path: str) -> bool:
    """Whether this host, not one before it, took nothing just now."""
    try:
        found = os.stat(_mark(path)).st_mtime
        return found >= os.stat(path).st_mtime and 0 <= time.time() - found < HUNG_S
    except OSError:
        return False


def _mark(path: str) -> str:
    return f"{path[: -len('.sock')]}.hung"
