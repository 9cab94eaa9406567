"""Projects of imported sessions: filters, counts and titles go by repository, and old casebooks get theirs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.errors import Filters, count_cases, list_cases, messages_around, show_case
from core.errors.cases.browse import facets
from core.errors.cases.record import Name, observe
from core.flows.transcripts.projects import assign_projects
from core.store import Store, open_store
from tests.casebook_versions import unpack
from tests.core.transcripts.builders import Claude, Codex
from tests.flows.transcripts.support import run

EVERY = Filters()
SHOP = "github.com/acme/shop"


def failing(folder: Path, name: str, session: str, cwd: str, error: str) -> Path:
    """A transcript of Claude Code in which one command failed."""
    made = Claude(session=session, cwd=cwd, prefix=session)
    made.user("Run it.")
    made.call(f"toolu_{session}", "Bash", {"command": "python run.py"})
    made.fails(f"toolu_{session}", f"Exit code 1\n{error.capitalize()}Error: the {error} is wrong")
    path = folder / f"{name}.jsonl"
    path.write_bytes(made.bytes())
    return path


def codex(folder: Path, name: str, cwd: str, url: str | None) -> Path:
    """A rollout of Codex that names its remote, or none."""
    kind = {"1": "KeyError", "2": "IndexError"}[name]
    made = Codex(session=f"0199aaaa-0000-7000-8000-{name:0>12}", cwd=cwd)
    made.meta(**({} if url is None else {"git": {"branch": "main", "repository_url": url}}))
    made.says("user", "Run it.")
    made.call(f"call_{name:0>20}", ["python", "run.py"])
    made.output(f"call_{name:0>20}", f"Process exited with code 1\n{kind}: the {kind} is wrong")
    path = folder / f"rollout-2026-04-01T10-00-00-{made.session}.jsonl"
    path.write_bytes(made.bytes())
    return path


def projects(store: Store, filters: Filters = EVERY) -> dict[str, int]:
    return {one.value: one.cases for one in facets(store, filters).projects}


@pytest.fixture
def imported(tmp_path: Path) -> Path:
    """A casebook of two repositories called shop, in a clone, two worktrees, a rollout and a fork."""
    folder = tmp_path / "transcripts"
    folder.mkdir()
    gone = "/home/sora/nowhere"
    failing(folder, "a", "a-clone", f"{gone}/shop", "alpha")
    failing(folder, "b", "b-tree", f"{gone}/shop/.worktrees/2", "beta")
    failing(folder, "c", "c-tree", f"{gone}/shop/.claude/worktrees/brave-otter", "gamma")
    codex(folder, "1", f"{gone}/shop", "https://x:ghp_16C7e42F292c6912E7710c838347Ae178B4a@github.com/acme/shop.git")
    codex(folder, "2", f"{gone}/forks/mine", "git@github.com:mina/shop.git")
    failing(folder, "d", "d-other", f"{gone}/notes", "delta")
    run(tmp_path / "book.db", folder)
    return tmp_path / "book.db"


def test_cases_are_counted_and_filtered_by_repository(imported: Path) -> None:
    with open_store(imported) as store:
        counted = projects(store)
        assert counted == {"acme/shop": 4, "mina/shop": 1, "notes": 1}
        for name, cases in counted.items():
            assert count_cases(store, Filters(project=name)) == cases
            assert projects(store, Filters(project=name)) == counted
            assert [one.value for one in facets(store, Filters(project=name)).statuses] == ["unresolved"]
        assert {one.project_name for one in list_cases(store).cases} == set(counted)
        case = show_case(store, list_cases(store, Filters(project="mina/shop")).cases[0].id)
        assert case and (case.project_name, case.repository) == ("mina/shop", "github.com/mina/shop")


def test_a_project_is_named_by_any_end_of_its_name_and_by_its_folders_as_before(imported: Path) -> None:
    with open_store(imported) as store:
        folder = "/home/sora/nowhere/shop"
        for name in (SHOP, folder, f"{folder}/.worktrees/2"):
            assert count_cases(store, Filters(project=name)) == 4, name
        assert count_cases(store, Filters(project="shop")) == 5
        assert count_cases(store, Filters(project="hop")) == count_cases(store, Filters(project="")) == 0


def test_the_title_of_a_session_shows_the_short_name(imported: Path) -> None:
    with open_store(imported) as store:
        page = messages_around(store, "b-tree", 0)
        assert page and page.project == "acme/shop"


def test_no_part_of_a_token_is_kept(imported: Path) -> None:
    with open_store(imported) as store:
        store.con.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert b"ghp_16C7" not in imported.read_bytes()


def test_importing_again_changes_nothing_and_a_remote_that_comes_later_moves_the_cases(tmp_path: Path) -> None:
    folder, db = tmp_path / "transcripts", tmp_path / "book.db"
    folder.mkdir()
    failing(folder, "a", "a-clone", "/home/sora/nowhere/shop", "alpha")
    run(db, folder)
    with open_store(db, write=True) as store:
        assert projects(store) == {"shop": 1}
        assert not assign_projects(store)
    codex(folder, "1", "/home/sora/nowhere/shop", "git@github.com:acme/shop.git")
    run(db, folder)
    with open_store(db) as store:
        assert projects(store) == {"shop": 2}
        assert {one[0] for one in store.con.execute("SELECT DISTINCT repository FROM case_state")} == {SHOP}
        before = store.con.execute("SELECT * FROM session ORDER BY id").fetchall()
    run(db, folder)
    with open_store(db) as store:
        assert store.con.execute("SELECT * FROM session ORDER BY id").fetchall() == before
        assert store.con.execute("SELECT 1 FROM meta WHERE key = 'projects'").fetchone() is None


def test_a_repository_on_this_machine_is_kept_when_its_folder_goes(tmp_path: Path) -> None:
    folder, db, clone = tmp_path / "transcripts", tmp_path / "book.db", tmp_path / "clone"
    folder.mkdir()
    (clone / ".git").mkdir(parents=True)
    (clone / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (clone / ".git" / "config").write_text('[remote "origin"]\n\turl = git@github.com:acme/shop.git\n')
    failing(folder, "a", "a-clone", str(clone), "alpha")
    run(db, folder)
    (clone / ".git" / "HEAD").unlink()
    (clone / ".git" / "config").unlink()
    (clone / ".git").rmdir()
    clone.rmdir()
    failing(folder, "b", "b-clone", str(clone), "beta")
    run(db, folder)
    with open_store(db) as store:
        assert projects(store) == {"shop": 2}
        assert {one[0] for one in store.con.execute("SELECT repository FROM session")} == {SHOP}


def test_a_rollout_that_was_imported_before_tells_its_remote_when_it_is_imported_again(tmp_path: Path) -> None:
    folder, db = tmp_path / "transcripts", tmp_path / "book.db"
    folder.mkdir()
    codex(folder, "1", "/home/sora/nowhere/x", "git@github.com:acme/shop.git")
    run(db, folder)
    with open_store(db, write=True) as store, store.transaction() as con:  # as a version before it left them
        con.execute("UPDATE session SET remote = '', repository = ''")
        con.execute("UPDATE case_state SET repository = ''")
        con.execute("DELETE FROM project_name")
    with open_store(db) as store:
        assert projects(store) == {"/home/sora/nowhere/x": 1}
        assert count_cases(store, Filters(project="/home/sora/nowhere/x")) == 1
    run(db, folder)
    with open_store(db) as store:
        assert projects(store) == {"shop": 1}


@pytest.mark.parametrize("version", [1, 5, 9])
def test_a_casebook_of_an_older_version_is_filtered_by_folder_until_the_next_import(
    version: int, tmp_path: Path
) -> None:
    db = unpack(version, tmp_path / "book.db")
    with open_store(db, write=True) as store:
        known = {name: cases for name, cases in projects(store).items() if name}
        assert set(known) == {"/home/mina/shop"}
        assert assign_projects(store)
        assert {name: cases for name, cases in projects(store).items() if name} == {"shop": known["/home/mina/shop"]}
        assert count_cases(store, Filters(project="/home/mina/shop")) == known["/home/mina/shop"]
        assert not assign_projects(store)


def test_an_error_that_a_hook_noted_is_of_the_project_of_its_folder(imported: Path) -> None:
    name = Name("KeyError: 'new'", "KeyError: <STR>", "KeyError: 'new'", "python")
    place: dict[str, Any] = {"message_idx": None, "tool": "Bash", "ts": "2027-01-01T00:00:00.000Z"}
    with open_store(imported, write=True) as store:
        with store.transaction() as con:
            case = observe(con, name, session_id="live", project="/home/sora/nowhere/notes", **place)
        shown = show_case(store, case)
        assert shown and shown.project_name == "notes"
        with store.transaction() as con:
            observe(con, name, session_id="live-2", project="/home/sora/unknown", **place)
        shown = show_case(store, case)
        assert shown and (shown.project, shown.project_name) == ("/home/sora/unknown", "")
