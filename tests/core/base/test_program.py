"""How casebook starts itself: always by one function, isolated from the folder and the environment it runs in."""

from __future__ import annotations

import os
import site
import subprocess
from pathlib import Path

import pytest

from core.base import program

ROOT = Path(__file__).parents[3]


def test_it_runs_from_any_folder_and_loads_nothing_of_it(tmp_path: Path) -> None:
    for name in ("json", "sitecustomize", "core", "agent_casebook"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(9)")
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    lines = ([*program.program(), "schema"], program.python("import json, core.base.wire; sys.exit(0)"))
    for line in lines:
        assert subprocess.run(line, cwd=tmp_path, env=env, check=False, capture_output=True).returncode == 0, line


def test_a_copy_in_the_user_s_own_site_packages_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert program.isolation() == ("-I",)
    monkeypatch.setattr(site, "ENABLE_USER_SITE", True)
    monkeypatch.setattr(site, "getusersitepackages", lambda: str(Path(program.ROOT).parent))
    assert program.isolation() == ("-E", "-P")


def test_nothing_else_starts_the_interpreter() -> None:
    # the second starts this very command line again
    known = {"core/base/program.py", "cli/arguments.py"}
    starts = {
        str(path.relative_to(ROOT))
        for folder in ("core", "cli", "tui")
        for path in (ROOT / folder).rglob("*.py")
        if "[sys.executable" in (text := path.read_text(encoding="utf-8")) or "(sys.executable," in text
    }
    assert starts <= known
