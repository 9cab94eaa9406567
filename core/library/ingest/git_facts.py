"""What git knows of a folder, read from its files: no program is run, so no hook and no setting of a clone is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

COMMIT: Final = 12
"""Digits of a commit that are kept (decision 22)."""
_LONGEST = 1 << 20
_REF = re.compile(r"refs/[\w./@+-]{1,250}\Z")
_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?\Z")
_URL = re.compile(r"^[ \t]*url[ \t]*=[ \t]*(\S{1,1000})[ \t\r]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class GitFacts:
    """The repository's name (its remote's, else its folder's), the branch and the commit; None: not known."""

    repo: str | None = None
    branch: str | None = None
    commit: str | None = None


def git_facts(root: Path) -> GitFacts:
    """The facts of the repository that `root` lies in; all None where there is none."""
    top = next((one for one in (root, *root.parents) if (one / ".git").exists()), None)
    if top is None:
        return GitFacts()
    folder = _git_folder(top)
    if folder is None:
        return GitFacts(top.name or None)
    shared = folder
    common = _text(folder / "commondir").strip()
    if common:
        shared = (folder / common).resolve()
    head = _text(folder / "HEAD").strip()
    ref = head.removeprefix("ref:").strip() if head.startswith("ref:") else ""
    if ref and (not _REF.match(ref) or ".." in ref):
        ref = head = ""
    commit = _commit(folder, shared, ref) if ref else head
    return GitFacts(
        _repo(shared) or top.name or None,
        ref.removeprefix("refs/heads/") or None,
        commit[:COMMIT] if _SHA.match(commit) else None,
    )


def _git_folder(top: Path) -> Path | None:
    place = top / ".git"
    if place.is_dir():
        return place
    said = _text(place).strip()  # a worktree or a submodule
    return (top / said.removeprefix("gitdir:").strip()).resolve() if said.startswith("gitdir:") else None


def _commit(folder: Path, shared: Path, ref: str) -> str:
    for place in (folder, shared):
        said = _text(place / ref).strip()
        if said:
            return said
    for line in _text(shared / "packed-refs").split("\n"):
        commit, _, name = line.partition(" ")
        if name.strip() == ref:
            return commit
    return ""


def _repo(shared: Path) -> str | None:
    config = _text(shared / "config")
    _, found, remote = config.partition('[remote "origin"]')
    url = _URL.search(remote.partition("\n[")[0]) if found else None
    name = re.split(r"[/:\\]", url[1].rstrip("/"))[-1].removesuffix(".git") if url else ""
    return name[:100] or None


def _text(path: Path) -> str:
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            return file.read(_LONGEST).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""
