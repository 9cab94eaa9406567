"""The end of the process: what was said is said, and the rest is left out where a model or a thread is left."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

CODE = """
import atexit, sys, threading, time, types
atexit.register(print, "taken down")
for name in {"onnxruntime"} & set(sys.argv):
    sys.modules[name] = types.ModuleType(name)
def end_late():
    time.sleep(1)
    print("ended late")
if "daemon" in sys.argv:
    threading.Thread(target=time.sleep, args=(300,), daemon=True).start()
if "worker" in sys.argv:
    threading.Thread(target=end_late).start()
import cli.main, cli.program, core.embedding.runtime.loading
cli.program.run = lambda given: print("said") or 3
sys.argv = ["casebook"]
sys.exit(cli.main.main())
"""


@pytest.mark.parametrize(
    ("left", "said"),
    [
        ((), "said\ntaken down\n"),
        (("onnxruntime",), "said\n"),
        (("daemon",), "said\n"),
        (("worker",), "said\nended late\ntaken down\n"),
        (("worker", "daemon"), "said\nended late\ntaken down\n"),
    ],
)
def test_what_is_left_out_is_only_the_taking_down_and_only_with_a_model_or_a_daemon_thread(
    left: tuple[str, ...], said: str
) -> None:
    done = subprocess.run([sys.executable, "-c", CODE, *left], cwd=ROOT, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (3, said)
