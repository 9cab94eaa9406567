"""What the processes of these tests are asked for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from core.base.fault import Fault
from core.process.child import Child
from core.process.worker import Call


def echo(_call: Call, *values: Any) -> Any:
    return values


def count(call: Call, to: int) -> int:
    for number in range(to):
        call.tell(number)
    return to


def die(_call: Call, last_words: str, code: int) -> None:
    os.write(2, last_words.encode())
    os._exit(code)


def garbage(_call: Call, data: bytes) -> None:
    """Write to every pipe that may be the parent's."""
    for handle in range(3, 20):
        try:
            os.write(handle, data)
        except OSError:
            continue
    time.sleep(60)


def kill(_call: Call) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def fail(_call: Call, fault: bool) -> None:
    if fault:
        raise Fault("invalid_input", "half \udc80", "mend it", line=3)
    raise RuntimeError("a fault of its own")


def until(_call: Call, path: Path) -> str:
    """Until a file is there."""
    limit = time.monotonic() + 120
    while not path.exists() and time.monotonic() < limit:
        time.sleep(0.005)
    return path.read_text("utf-8")


def wait(call: Call, begun: Path) -> str:
    """Until it is cancelled."""
    begun.touch()
    while not call.is_cancelled():
        time.sleep(0.005)
    begun.with_name("cancelled").touch()
    return "cancelled"


def deaf(_call: Call, begun: Path) -> None:
    begun.write_text(str(os.getpid()))
    time.sleep(600)


def nice(_call: Call) -> tuple[int, int]:
    return os.nice(0), len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1


def hold_standard_streams(_call: Call) -> int:
    """Start a process that outlives this one and holds its standard streams open."""
    return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]).pid


def parent(begun: str, grace: str) -> None:
    """A process that is killed while its child is at work."""
    child = Child(grace=float(grace))
    child.start()
    child.call(deaf, Path(begun)).result()


def divide(_call: Call, one: int, other: int) -> tuple[int, int]:
    return divmod(one, other)


def zeros(_call: Call, count: int) -> bytes:
    return bytes(count)


def sleep(_call: Call, seconds: float) -> None:
    time.sleep(seconds)
