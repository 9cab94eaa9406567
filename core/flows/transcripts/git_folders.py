"""The repository of a folder, read from git's own files. No program is started.

A search asks for it in each call, so that no reader of transcripts is loaded with it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from core.flows.transcripts.opening import NotATranscript, open_regular
from core.transcripts.repository import GitFolder, is_home, origin_of, repository_of

_LONGEST: Final = 1 << 20
_SECTION: Final = re.compile(r'\[\s*remote\s+"([^"\n]{1,200})"\s*\]', re.IGNORECASE)
_URL: Final = re.compile(r"url\s*=\s*(.*)", re.IGNORECASE)


def git_folder(folder: str) -> GitFolder | None:
    """What git's files say of a folder as a transcript names it; None where nothing of it is on this machine.

    A folder that is gone (a removed worktree) is looked for as its repository's folder, and as what lies above it. A
    folder without a repository is its own root. Folders of other machines (`//server/share`) are not looked at.
    """
    place = _local(folder)
    if place is None:
        return None
    try:
        if place.is_dir():
            return _repository(place) or GitFolder("", os.path.realpath(place))
        origin = _local(origin_of(folder).folder)
        above = next((one for one in _upwards(origin or place) if one.is_dir()), None)
        return None if above is None or is_home(str(above)) else _repository(above)
    except (OSError, ValueError):
        return None


def _local(folder: str) -> Path | None:
    if not folder or "\0" in folder or folder.startswith(("//", "\\\\")):
        return None
    place = Path(folder)
    return place if place.is_absolute() else None


def _upwards(folder: Path) -> Iterator[Path]:
    """The folder and those above it, up to a home folder."""
    yield folder
    yield from (one for one in folder.parents if not is_home(str(one)))


def _repository(folder: Path) -> GitFolder | None:
    for top in _upwards(folder):
        git = top / ".git"
        if git.is_dir() and (git / "HEAD").exists():
            return GitFolder(_remote(git), os.path.realpath(top))
        if git.is_file() and (found := _linked(top, _text(git).strip())):
            return found
    return None


def _linked(top: Path, content: str) -> GitFolder | None:
    """The repository of a worktree or a submodule, whose `.git` is a file that names git's folder."""
    if not content.startswith("gitdir:") or _local(str(top / content[7:].strip())) is None:
        return None
    own = Path(os.path.realpath(top / content[7:].strip()))
    common = _text(own / "commondir").strip()
    shared = Path(os.path.realpath(own / common)) if common and _local(str(own / common)) else own
    if not common and own.parent.name == "worktrees":  # the worktree was removed on git's side
        shared = own.parent.parent
    if shared == own:
        return GitFolder(_remote(own), os.path.realpath(top))
    return GitFolder(_remote(shared), str(shared.parent if shared.name == ".git" else shared))


def _remote(git: Path) -> str:
    """The normalised URL of `origin`, else of the only remote; '' where there is none."""
    urls, name = dict[str, str](), ""
    for line in _text(git / "config").split("\n"):
        text = line.strip()
        if text.startswith("["):
            section = _SECTION.match(text)
            name = section[1] if section else ""
        elif name and name not in urls and (url := _URL.match(text)):
            urls[name] = repository_of(url[1].strip().strip('"'))
    return urls.get("origin", next(iter(urls.values())) if len(urls) == 1 else "")


def _text(path: Path) -> str:
    try:
        with open_regular(path) as file:
            return file.read(_LONGEST).decode("utf-8", "replace")
    except (OSError, ValueError, NotATranscript):
        return ""
