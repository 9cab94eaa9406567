"""The Python of the pages runs as it is written, on a casebook with a library."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.pages.test_commands import PAGES, code

BLOCKS = [
    pytest.param(text, id=f"{page.stem}-{number}")
    for page in PAGES
    for number, (kind, text) in enumerate(code(page, "fence"))
    if kind == "python"
]


def test_the_pages_hold_python() -> None:
    assert len(BLOCKS) >= 3


@pytest.mark.parametrize("text", BLOCKS)
def test_the_python_of_a_page_runs(text: str, tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path), "PATH": "", "CASEBOOK_EMBEDDING_SERVICE": "false"}
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "retries.md").write_text("# Retries\nRetries are limited to five.\n", encoding="utf-8")
    ingest = [sys.executable, "-I", "-m", "agent_casebook", "library", "ingest", "notes"]
    subprocess.run(ingest, env=environ, cwd=tmp_path, check=True, capture_output=True, timeout=300)
    done = subprocess.run(
        [sys.executable, "-I", "-c", text],
        check=False,
        env=environ,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    if "print(" in text:
        assert done.stdout.strip()
