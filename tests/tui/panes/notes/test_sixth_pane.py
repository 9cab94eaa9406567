"""What a sixth pane takes: a folder of its own, and one line."""

from __future__ import annotations

import subprocess
import sys
from difflib import ndiff
from pathlib import Path

from tests.tui.panes.notes.drive import LINE, with_the_line

HERE = Path(__file__).parent
ROOT = HERE.parents[3]


def test_a_sixth_pane_is_a_folder_and_a_line() -> None:
    source = (ROOT / "tui" / "actions" / "registry.py").read_text(encoding="utf-8")
    changed = [one for one in ndiff(source.splitlines(True), with_the_line(source).splitlines(True)) if one[0] in "+-"]
    assert changed == [f"+ {LINE}"]
    own = {path.name for path in HERE.glob("*.py")} - {Path(__file__).name, "drive.py"}
    assert own == {"__init__.py", "actions.py", "screen.py"}


def test_it_lists_searches_filters_explains_and_copies(casebook: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "tests.tui.panes.notes.drive", str(casebook)],
        cwd=ROOT, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert ran.stdout.split() == ["list", "search", "why", "copy", "filter", "help"], ran.stderr
