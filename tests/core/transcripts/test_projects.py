"""Which sessions are of one project: remotes that transcripts name, what is on disk, what others lend, the name."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from core.transcripts import SessionStart, read_codex, start_of
from core.transcripts.repository import GitFolder, Place, projects_of
from tests.core.transcripts.builders import Codex, as_bytes, numbered

SHOP, FORK = "github.com/acme/shop", "github.com/mina/shop"
HOME = "/home/mina/work"


def of(*places: tuple[str, str] | tuple[str, str, str], **on_disk: GitFolder) -> list[str]:
    """The projects of sessions by folder, remote and day."""
    every = [Place(str(at), *one[:2], one[2] if len(one) > 2 else "2026-04-01") for at, one in enumerate(places)]
    found = projects_of(every, {f"{HOME}/{name}": one for name, one in on_disk.items()})
    return [found[str(at)] for at in range(len(places))]


def test_a_remote_is_the_project_whatever_the_folder() -> None:
    assert of((f"{HOME}/shop", SHOP), ("/srv/clone", SHOP), ("", SHOP)) == [SHOP] * 3


def test_worktrees_and_subfolders_borrow_the_remote_of_their_repository() -> None:
    folders = [f"{HOME}/shop", f"{HOME}/shop/.worktrees/2", f"{HOME}/shop/.claude/worktrees/x", f"{HOME}/shop/src/api"]
    assert of((f"{HOME}/shop", SHOP), *((folder, "") for folder in folders)) == [SHOP] * 5


def test_a_worktree_lends_the_remote_to_its_repository() -> None:
    assert of((f"{HOME}/shop", ""), (f"{HOME}/shop/.worktrees/2", SHOP)) == [SHOP, SHOP]


def test_a_home_folder_lends_nothing() -> None:
    assert of(("/home/mina", "github.com/mina/dotfiles"), ("/home/mina/notes", "")) == [
        "github.com/mina/dotfiles",
        "notes",
    ]


def test_different_remotes_are_never_one_project() -> None:
    assert of((f"{HOME}/shop", SHOP), (f"{HOME}/shop", FORK), (f"{HOME}/other/shop", "")) == [SHOP, FORK, "shop"]


def test_a_folder_whose_remote_changed_lends_the_one_of_that_time() -> None:
    days = ["2026-01-01", "2026-02-01", "2026-03-01", "2026-04-01", "2026-05-01"]
    remotes = ["", SHOP, "", FORK, ""]
    places = [(f"{HOME}/shop", remote, day) for remote, day in zip(remotes, days, strict=True)]
    assert of(*places) == [SHOP, SHOP, SHOP, FORK, FORK]


def test_what_is_on_disk_goes_before_what_others_lend() -> None:
    clone = GitFolder(FORK, f"{HOME}/shop")
    assert of((f"{HOME}/shop", ""), (f"{HOME}/shop", SHOP), shop=clone) == [FORK, SHOP]


def test_a_repository_without_a_remote_is_its_folder_and_joins_nobody_of_its_name() -> None:
    local = GitFolder("", f"{HOME}/shop")
    found = of((f"{HOME}/shop", ""), (f"{HOME}/shop/.worktrees/1", ""), ("/srv/shop", SHOP), shop=local)
    assert found == [f"{HOME}/shop", f"{HOME}/shop", SHOP]


def test_a_folder_that_is_gone_joins_the_only_repository_of_its_name_else_that_of_its_owner() -> None:
    assert of((f"{HOME}/shop", ""), ("/srv/shop", SHOP)) == [SHOP, SHOP]
    assert of((f"{HOME}/acme/shop", ""), ("/srv/shop", SHOP), ("/srv/fork", FORK)) == [SHOP, SHOP, FORK]
    assert of((f"{HOME}/shop", ""), ("/srv/shop", SHOP), ("/srv/fork", FORK)) == ["shop", SHOP, FORK]


def test_a_subagent_without_a_folder_is_of_the_project_of_its_session() -> None:
    found = projects_of([Place("a", "", SHOP, ""), Place("a/1", "", "", "", "a"), Place("b", "", "", "")], {})
    assert found == {"a": SHOP, "a/1": SHOP, "b": ""}


FOLDER = st.lists(st.sampled_from(["home", "mina", "shop", ".worktrees", "src"]), max_size=5).map(
    lambda p: "/" + "/".join(p)
)
REMOTE = st.sampled_from(["", SHOP, FORK])


@given(st.lists(st.tuples(FOLDER, REMOTE, st.sampled_from(["", "2026-01-01", "2026-02-01"])), max_size=8))
def test_each_session_has_one_project_in_any_order_and_its_own_remote_decides(told: list[tuple[str, str, str]]) -> None:
    places = [Place(str(at), *one) for at, one in enumerate(told)]
    found = projects_of(places, {})
    assert found == projects_of(reversed(places), {})
    for one in places:
        assert found[one.session] == one.remote if one.remote else found[one.session]


def test_codex_names_the_remote_in_its_header() -> None:
    made = Codex()
    made.meta()
    made.says("user", "hello")
    records = made.records
    records[0]["payload"]["git"] = {
        "commit_hash": "c3f9cc3a9274c8bc491c690fd7f10a3dbc6d3bef",
        "branch": "main",
        "repository_url": "https://x:ghp_16C7e42F292c6912E7710c838347Ae178B4a@GitHub.com/acme/shop.git",
    }
    start = start_of("codex", as_bytes(records), Path("rollout-2026-04-01.jsonl"))
    assert start.remote == SHOP
    sessions = [one for one in read_codex(numbered(records), start) if isinstance(one, SessionStart)]
    assert [one.remote for one in sessions] == [SHOP]
    for odd in (None, [], {"repository_url": 7}, {"repository_url": "/srv/git/shop"}, {"branch": "main"}):
        records[0]["payload"]["git"] = odd
        assert start_of("codex", as_bytes(records), Path("rollout-2026-04-01.jsonl")).remote == ""


def test_a_header_longer_than_the_head_still_names_its_remote() -> None:
    head = b'{"type":"session_meta","payload":{"id":"a","cwd":"/srv/x","git":{"repository_url":"github.com:acme/shop"}'
    start = start_of("codex", head + b',"instructions":"' + b"x" * 300_000, Path("rollout-2026-04-01.jsonl"))
    assert (start.project, start.remote) == ("/srv/x", SHOP)
