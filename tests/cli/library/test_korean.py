"""The setting `library.korean` on the command line, where what it asks for is not installed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.base.installation import remedy

Run = Callable[..., Any]
REMEDY = remedy("ko")


@pytest.fixture
def chosen(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CASEBOOK_LIBRARY_KOREAN", "morphemes")
    for module in (
        "core.library.search.korean",
        "core.library.ingest.options",
        "core.library.search.korean",
        "core.flows.system.doctor",
    ):
        monkeypatch.setattr(f"{module}.installed", lambda: "")


@pytest.mark.usefixtures("chosen")
def test_one_line_says_what_is_missing_and_pairs_serve(run: Run, tmp_path: Path) -> None:
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "a.md").write_text("데이터베이스연결에 실패\n", encoding="utf-8")
    for words in (("ingest", str(tmp_path / "r")), ("index", "--rebuild-fts")):
        done = run("library", *words)
        assert done.code == 0
        assert done.said.count(REMEDY) == 1
    found = run("library", "search", "연결", "--mode", "lexical")
    assert (found.code, REMEDY in found.said) == (0, False)
    check = next(one for one in run("doctor", "--json").json()["checks"] if one["name"] == "library_korean")
    assert (check["ok"], REMEDY in check["hint"]) == (False, True)


def test_the_setting_has_its_origin_and_is_checked(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "library_korean" not in run("doctor").text
    monkeypatch.setenv("CASEBOOK_LIBRARY_KOREAN", "morphemes")
    line = next(line for line in run("config", "show").text.splitlines() if line.strip().startswith("korean"))
    assert "morphemes" in line
    assert "CASEBOOK_LIBRARY_KOREAN" in line
    monkeypatch.setenv("CASEBOOK_LIBRARY_KOREAN", "kiwi")
    assert run("config", "show").code == 2
