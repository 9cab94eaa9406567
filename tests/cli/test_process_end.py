"""The end of the process: what was said is said, and the rest is left out where a model was loaded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

CODE = """
import atexit, sys, types
atexit.register(print, "taken down")
for name in sys.argv[1:]:
    sys.modules[name] = types.ModuleType(name)
import cli.main, cli.program, core.embedding.runtime.loading
cli.program.run = lambda given: print("said") or 3
sys.argv = ["casebook"]
sys.exit(cli.main.main())
"""


@pytest.mark.parametrize(("loaded", "said"), [((), "said\ntaken down\n"), (("onnxruntime",), "said\n")])
def test_what_is_left_out_is_only_the_taking_down_and_only_with_a_model(loaded: tuple[str, ...], said: str) -> None:
    done = subprocess.run([sys.executable, "-c", CODE, *loaded], cwd=ROOT, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (3, said)
