"""An import that finds nothing says where it looked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

Run = Callable[..., Any]


def test_the_folders_looked_at_are_named_in_short(run: Run, home: Path) -> None:
    nothing = run("import", "auto")
    assert nothing.code == 1
    assert "no transcripts in ~/.claude/projects, ~/.codex/sessions, " in nothing.said
    assert str(home) not in nothing.said
    assert len(nothing.said) < 400
