"""The Python of the pages runs as it is written, on a casebook with a library."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pages.test_commands import PAGES, code

BLOCKS = [
    pytest.param(text, id=f"{page.stem}-{number}")
    for page in PAGES
    if "python" in page.read_text(encoding="utf-8")
    for number, (kind, text) in enumerate(code(page, "fence"))
    if kind == "python"
]


def test_the_pages_hold_python() -> None:
    assert len(BLOCKS) >= 3


def _environ(home: Path) -> dict[str, str]:
    return {"HOME": str(home), "PATH": "", "CASEBOOK_EMBEDDING_SERVICE": "false"}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with notes, and a casebook with a library of them."""
    folder = tmp_path_factory.mktemp("home")
    (folder / "notes").mkdir()
    (folder / "notes" / "retries.md").write_text("# Retries\nRetries are limited to five.\n", encoding="utf-8")
    ingest = [sys.executable, "-I", "-m", "agent_casebook", "library", "ingest", "notes"]
    subprocess.run(ingest, env=_environ(folder), cwd=folder, check=True, capture_output=True, timeout=300)
    return folder


@pytest.mark.parametrize("text", BLOCKS)
def test_the_python_of_a_page_runs(text: str, home: Path, tmp_path: Path) -> None:
    shutil.copytree(home, tmp_path, dirs_exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-I", "-c", text],
        check=False,
        env=_environ(tmp_path),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    if "print(" in text:
        assert done.stdout.strip()
