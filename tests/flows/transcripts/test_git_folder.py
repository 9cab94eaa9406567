"""The repository of a folder, read from git's own files as git writes them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from core.flows.transcripts.git_folders import git_folder
from core.transcripts.repository import GitFolder

SHOP = "github.com/acme/shop"
URL = "https://mina:s3cr3t-token-16C7e42F@github.com/acme/shop.git"


def git(folder: Path, *words: str) -> None:
    named = ["-c", "user.name=mina", "-c", "user.email=mina@example.com", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *named, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository with a commit, as `git init` makes it."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    made = tmp_path / "work" / "shop"
    (made / "src").mkdir(parents=True)
    git(made, "init", "-q")
    git(made, "commit", "-q", "--allow-empty", "-m", "first")
    return made


def test_a_clone_its_subfolders_and_its_worktrees_are_one_repository(repo: Path, tmp_path: Path) -> None:
    git(repo, "remote", "add", "origin", URL)
    git(repo, "worktree", "add", "-q", str(tmp_path / "elsewhere"))
    git(repo, "worktree", "add", "-q", str(repo / ".worktrees" / "two"))
    every = [repo, repo / "src", tmp_path / "elsewhere", repo / ".worktrees" / "two"]
    assert {git_folder(str(one)) for one in every} == {GitFolder(SHOP, str(repo))}


def test_without_a_remote_worktrees_share_gits_common_folder(repo: Path, tmp_path: Path) -> None:
    git(repo, "worktree", "add", "-q", str(tmp_path / "elsewhere"))
    git(repo, "remote", "add", "backup", "/srv/git/shop.git")
    assert git_folder(str(repo)) == git_folder(str(tmp_path / "elsewhere")) == GitFolder("", str(repo))


def test_worktrees_of_a_bare_repository_are_one(repo: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(repo), "bare.git")
    for name in ("one", "two"):
        git(tmp_path / "bare.git", "worktree", "add", "-q", "-b", name, str(tmp_path / name))
    assert git_folder(str(tmp_path / "one")) == git_folder(str(tmp_path / "two"))


def test_a_removed_worktree_is_looked_for_as_its_repository(repo: Path) -> None:
    git(repo, "remote", "add", "origin", URL)
    gone = repo / ".claude" / "worktrees" / "brave-otter" / "src"
    assert git_folder(str(gone)) == git_folder(str(repo / "src" / "gone")) == GitFolder(SHOP, str(repo))
    assert git_folder(str(repo.parent / "other" / "gone")) is None


def test_origin_goes_before_other_remotes_and_several_without_it_are_none(repo: Path) -> None:
    git(repo, "remote", "add", "upstream", "git@github.com:other/shop.git")
    assert git_folder(str(repo)) == GitFolder("github.com/other/shop", str(repo))
    git(repo, "remote", "add", "fork", "git@github.com:mina/shop.git")
    assert git_folder(str(repo)) == GitFolder("", str(repo))
    git(repo, "remote", "add", "origin", URL)
    assert git_folder(str(repo)) == GitFolder(SHOP, str(repo))


def test_a_folder_without_a_repository_is_its_own_root(tmp_path: Path) -> None:
    assert git_folder(str(tmp_path)) == GitFolder("", str(tmp_path))


@pytest.mark.parametrize("folder", ["", "work/shop", "//server/share/shop", "\\\\server\\share", "/no/\0/where", "~/x"])
def test_what_is_no_folder_of_this_machine_is_not_looked_at(folder: str) -> None:
    assert git_folder(folder) is None


@pytest.mark.parametrize(
    "said", ["", "gitdir:", "gitdir: //server/share/x", "gitdir: /no/where", "gitdir: \0", "not git's", "gitdir: ."]
)
def test_a_git_file_that_leads_nowhere_does_no_harm(tmp_path: Path, said: str) -> None:
    (tmp_path / ".git").write_text(said)
    found = git_folder(str(tmp_path))
    assert found is None or (found.remote == "" and found.root in {str(tmp_path), "/no/where"})


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_in_place_of_a_file_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    os.mkfifo(tmp_path / ".git" / "config")
    assert git_folder(str(tmp_path)) == GitFolder("", str(tmp_path))
