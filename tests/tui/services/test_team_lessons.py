"""The open workbench imports the lessons of the repository that it was opened in, and what changes in them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.errors import list_cases, record_resolution
from core.flows.system.demo import fill_demo
from core.flows.team.fresh import take_changed, take_changed_at
from core.store import open_store
from tests.tui.support import app_on, until


def lesson(name: str) -> str:
    line = f"KeyError: '{name}'"
    held = {"id": name, "shared": "2026-11-01T00:00:00.000Z", "error": line, "text": f"export {name}=1"}
    return json.dumps(held) + "\n"


def team_tree(tree: Path) -> Path:
    """A repository with a lessons file; the file."""
    (tree / ".git").mkdir(parents=True)
    (tree / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    file = tree / ".casebook" / "lessons.jsonl"
    file.parent.mkdir()
    file.write_text(lesson("one"))
    return file


@pytest.mark.asyncio
async def test_the_workbench_imports_a_lessons_file_and_its_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, tree = tmp_path / "book.db", tmp_path / "shop"
    record_resolution(path, "TypeError: x", "y")
    file = team_tree(tree)
    monkeypatch.chdir(tree)

    def shared() -> object:
        with open_store(path) as store:
            return store.con.execute("SELECT count(*) FROM resolution WHERE author = 'team'").fetchone()

    async with app_on(path).run_test() as pilot:
        await until(pilot, lambda: shared() == (1,))
        file.write_text(lesson("one") + lesson("two"))
        await until(pilot, lambda: shared() == (2,))
    with open_store(path) as store:
        assert [one.origin for one in list_cases(store).cases].count("team") >= 1


def test_the_demo_is_left_without_them(tmp_path: Path) -> None:
    """What the open workbench does when it is on the demo, in a repository of a team."""
    demo, book, tree = tmp_path / "demo.db", tmp_path / "book.db", tmp_path / "shop"
    team_tree(tree)
    fill_demo(demo)
    record_resolution(book, "TypeError: x", "y")
    assert take_changed_at(book, str(tree))
    assert not take_changed_at(demo, str(tree))
    with open_store(demo, write=True) as store:
        assert not take_changed(store, str(tree))
        assert store.con.execute("SELECT count(*) FROM resolution WHERE author = 'team'").fetchone() == (0,)
