"""Kill -9 a Python program at a random moment, and read how many times it said that a step was done."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def kill_rounds(code: str, *args: str, rounds: int, seed: int, longest_s: float = 0.12) -> Iterator[int]:
    """Run `code` once a round with `args` and kill it; yields the number of dots it wrote before it died.

    The program writes `+` when it begins its work and `.` after each committed step. The wait before the kill is
    random; it grows while rounds end without a step, so that slow machines are struck in the middle of the work too.
    """
    dice, longest = random.Random(seed), longest_s
    for number in range(rounds):
        program = [sys.executable, "-c", code, *args, str(number)]
        child = subprocess.Popen(program, stdout=subprocess.PIPE, cwd=ROOT, env=dict(os.environ))
        assert child.stdout is not None
        assert child.stdout.read(1) == b"+"
        time.sleep(dice.uniform(0, longest))
        child.send_signal(signal.SIGKILL)
        done = child.stdout.read().count(b".")
        assert child.wait() == -signal.SIGKILL
        child.stdout.close()
        longest *= 1.0 if done else 1.3
        yield done
