"""A long command costs a hook no answer: what looks for paths in it does not grow with the square of a word."""

from __future__ import annotations

import subprocess
import sys

import pytest

LOOK = "import sys; from core.rules.matching.call import PATH; print(len(PATH.sub('', sys.argv[1] * int(sys.argv[2]))))"


@pytest.mark.parametrize("part", ["-", "a.b.", "..", "a-"])
def test_a_long_word_without_a_path_is_looked_through_in_bounded_time(part: str) -> None:
    """A square of this length takes minutes."""
    times = 600_000 // len(part)
    done = subprocess.run(
        [sys.executable, "-c", LOOK, part, str(times)], capture_output=True, text=True, timeout=120, check=True
    )
    assert int(done.stdout) == times * len(part)
