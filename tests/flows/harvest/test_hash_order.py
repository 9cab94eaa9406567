"""A harvest says the same in every process, whatever order its sets happen to have."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SESSION = Path(__file__).parents[3] / "core/samples/codex"


def test_reasons_do_not_depend_on_the_hash_seed() -> None:
    (file,) = SESSION.glob("rollout-2026-10-09*.jsonl")
    script = (
        "import sys; from pathlib import Path; from core.flows.transcripts.inspection import inspect_transcript\n"
        "print([result.keys for result in inspect_transcript(Path(sys.argv[1])).results])"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", script, str(file)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=Path(__file__).parents[3],
            capture_output=True,
            check=True,
        ).stdout
        for seed in "0123"
    }
    assert len(said) == 1
