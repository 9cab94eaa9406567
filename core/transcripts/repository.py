"""The repository that a remote URL or a folder names, and the project of each session. Pure: no file, no program."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

_SCHEMES: Final = frozenset(
    {"ftp", "ftps", "git", "git+http", "git+https", "git+ssh", "http", "https", "ssh", "ssh+git"}
)
_LONGEST: Final = 1_000
_URL: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://(?:[^/]*@)?([^/]*)/(.*)", re.DOTALL)
_SCP: Final = re.compile(r"(?:[^/]*@)?(\[[^\]/]*\]|[^/:@]+):(?!//)(.+)", re.DOTALL)
_PORT: Final = re.compile(r":[0-9]*\Z")
_HOST: Final = re.compile(r"[^\W_](?:[\w.-]*\w)?|\[[0-9a-f:.]+\]")
_ODD: Final = re.compile(r"[ \ufffd\\\"<>|]")
_OTHER_PORTS: Final = {
    "ssh.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
}
"""Hosts that serve SSH on port 443, each with the host whose repositories they serve (as their manuals say)."""

_MARKERS: Final = frozenset({".worktrees", ".worktree", "worktrees"})
_OWN_FOLDERS: Final = frozenset({".claude", ".git"})
"""Folders of a repository in which worktrees are kept: `repo/.claude/worktrees/x`."""
_SIBLING: Final = re.compile(r"(.+?)[.-]worktrees")


def repository_of(url: str) -> str:
    """`host/owner/name` of a remote URL; '' for a local path, and for what is no URL of a repository.

    Left out are scheme, user, password or token, port, query, `.git` and trailing slashes. The host is in lower case.
    Takes `https://…`, `ssh://…`, `git://…` and `user@host:path`.
    """
    text = url.strip()
    if not text or len(text) > _LONGEST or not text.isprintable() or _ODD.search(text):
        return ""
    if found := _URL.fullmatch(text):
        scheme, host, path = found.groups()
        if scheme.lower() not in _SCHEMES:
            return ""
        host, path = _PORT.sub("", host), re.split(r"[?#]", path, maxsplit=1)[0]
    elif "://" not in text and (found := _SCP.fullmatch(text)):
        host, path = found.groups()
        if len(host) == 1:  # a Windows drive
            return ""
    else:
        return ""
    host = host.lower().rstrip(".")
    parts = [part for part in path.split("/") if part not in ("", ".")]
    while parts and parts[-1].endswith(".git"):
        parts[-1] = parts[-1].removesuffix(".git")
        parts = parts if parts[-1] else parts[:-1]
    if not _HOST.fullmatch(host) or not {".", ".."}.isdisjoint(parts) or ":" in path:
        return ""
    return "/".join((_OTHER_PORTS.get(host, host), *parts)) if parts else ""


class Origin(NamedTuple):
    """The repository's folder that a folder belongs to by its path alone: its path ('' where unknown), its name."""

    folder: str
    name: str


def origin_of(folder: str) -> Origin:
    """The folder itself, or that of the repository where the path has the shape of a worktree's.

    Shapes: `repo/.worktrees/x`, `repo/.claude/worktrees/x`, `repo/worktrees/x`, `repo.worktrees/x`,
    `repo/.conductor/x`; by name alone `worktrees/repo/x`, `.codex/worktrees/ID/repo`, `conductor/workspaces/repo/x`,
    `.claude-worktrees/repo/x`. Subfolders of a worktree are the worktree.
    """
    plain = unified(folder)
    parts = plain.split("/")
    for at, part in enumerate(parts[:-1]):
        before, after = parts[:at], parts[at + 1 :]
        if part in _MARKERS:
            if found := _of_marker(before, part, after):
                return found
        elif part == ".conductor" and not is_home("/".join(before)):
            return _named(before)
        elif _is_shared(before, part) and len(after) > 1:
            return Origin("", after[0])
        elif (sibling := _SIBLING.fullmatch(part)) and sibling[1] not in ("", "."):
            return _named([*before, sibling[1]])
    return _named(parts)


def _is_shared(before: list[str], part: str) -> bool:
    """Whether a folder holds the worktrees of several repositories, each in a folder of its name."""
    return part == ".claude-worktrees" or (part == "workspaces" and before[-1:] == ["conductor"])


def _of_marker(before: list[str], marker: str, after: list[str]) -> Origin | None:
    holder = before[-1] if before else ""
    if holder == ".codex":
        return Origin("", after[1]) if len(after) > 1 else None
    if holder in _OWN_FOLDERS and not is_home("/".join(before[:-1])):
        return _named(before[:-1])
    own = not is_home("/".join(before)) and not holder.startswith(".")
    if own and (marker != "worktrees" or len(after) == 1):
        return _named(before)
    return Origin("", after[0]) if len(after) > 1 else None


def _named(parts: list[str]) -> Origin:
    return Origin("/".join(parts) or "/", parts[-1] if parts else "")


def unified(folder: str) -> str:
    """A folder's path with one `/` between its parts and none at its end."""
    if "\\" in folder and not folder.startswith("/"):
        folder = folder.replace("\\", "/")
    return re.sub("/{2,}", "/", folder).rstrip("/")


def is_home(folder: str) -> bool:
    """Whether a folder is a person's home or lies above one: it names no repository to what lies in it."""
    parts = [part for part in unified(folder).split("/") if part]
    if parts and parts[0].endswith(":"):
        parts = parts[1:]
    if parts[:1] == ["var"] and parts[1:2] == ["home"]:
        parts = parts[1:]
    if not parts or parts in (["root"], ["var"]):
        return True
    return parts[0] in ("Users", "home") and len(parts) < 3


def short_names(repositories: Iterable[str]) -> dict[str, str]:
    """Each repository with the shortest end of it that no other one has: `name`, else `owner/name`, else more."""
    left, found = sorted({*repositories}), dict[str, str]()
    every, taken = tuple(left), frozenset(left)
    for length in range(1, 1 + max((one.count("/") + 1 for one in left), default=0)):
        ends = {one: "/".join(one.split("/")[-length:]) for one in every}
        many = Counter(ends.values())
        for one in left:
            end = ends[one]
            if end and (end == one or (many[end] == 1 and end not in taken)):
                found[one] = end
        left = [one for one in left if one not in found]
    return found | {one: one for one in left}


def accepted_names(repositories: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """What a person may call repositories by: each whole name and each end of one, with those it means."""
    every = frozenset(repositories)
    names = dict[str, list[str]]()
    for one in sorted(every):
        parts = one.split("/")
        for at in range(len(parts)):
            end = "/".join(parts[at:])
            if end and (end == one or end not in every):
                names.setdefault(end, []).append(one)
    return {name: tuple(meant) for name, meant in names.items()}


class Place(NamedTuple):
    """Where a session worked: its folder, the remote that its transcript names, when it began, its parent."""

    session: str
    folder: str
    remote: str
    started: str
    parent: str | None = None


class GitFolder(NamedTuple):
    """A folder of this machine: the remote of its repository, and the repository's folder (itself where it has none).

    `remote` is normalised; '' where there is none.
    """

    remote: str
    root: str


def projects_of(places: Iterable[Place], on_disk: Mapping[str, GitFolder]) -> dict[str, str]:
    """The repository of each session, by session; '' where no folder is known.

    In this order: the remote its transcript names; what this machine knows of its folder; the remote of other sessions
    of the same repository folder, else of a folder above it, the nearest in time; the one repository of that name. A
    folder that is nowhere to be found is known by its repository's name alone.
    """
    every = tuple(places)
    lent = _Lent(every, on_disk)
    found = {one.session: one.remote or _of_folder(one, on_disk, lent) for one in every}
    for one in every:
        if not found[one.session] and one.parent:
            found[one.session] = found.get(one.parent, "")
    return found


def _of_folder(one: Place, on_disk: Mapping[str, GitFolder], lent: _Lent) -> str:
    if not one.folder:
        return ""
    origin, folder = origin_of(one.folder), unified(one.folder)
    here = on_disk.get(one.folder) or on_disk.get(origin.folder)
    if here and here.remote:
        return here.remote
    for above in _upwards(origin.folder or folder):
        if remote := lent.nearest(above, one.started):
            return remote
        if here and above == unified(here.root):
            break  # what lies above is another repository
    if here:
        return unified(here.root) or "/"
    return lent.only(origin, folder) or origin.name or "/"


def _upwards(folder: str) -> Iterator[str]:
    """The folder and those above it, up to a home folder."""
    yield folder
    while (folder := folder.rpartition("/")[0]) and not is_home(folder):
        yield folder


class _Lent:
    """The remotes that sessions name, by the folder they worked in."""

    def __init__(self, places: Iterable[Place], on_disk: Mapping[str, GitFolder]) -> None:
        self._by_folder = dict[str, list[tuple[str, str]]]()
        self._by_name = dict[str, set[str]]()
        for one in places:
            if one.remote:
                origin = origin_of(one.folder)
                for folder in {unified(one.folder), origin.folder} - {""}:
                    self._by_folder.setdefault(folder, []).append((one.started, one.remote))
        named = {remote for remotes in self._by_folder.values() for _, remote in remotes}
        named |= {one.remote for one in on_disk.values() if one.remote}
        for remote in named:
            self._by_name.setdefault(remote.rpartition("/")[2], set()).add(remote)
        for remotes in self._by_folder.values():
            remotes.sort()

    def nearest(self, folder: str, started: str) -> str:
        """The remote that a session of this folder named last before `started`, else first; '' where none did."""
        remotes = self._by_folder.get(folder)
        if not remotes:
            return ""
        at = bisect_right(remotes, (started or "\uffff", "\uffff"))
        return remotes[max(0, at - 1)][1]

    def only(self, origin: Origin, folder: str) -> str:
        """The one repository that has the folder's name, or its owner's too; '' where there is none, or several."""
        same = self._by_name.get(origin.name, set[str]())
        owner = (origin.folder or folder).split("/")[-2:-1]
        owned = {remote for remote in same if remote.split("/")[-2:-1] == owner}
        found = owned or same
        return next(iter(found)) if len(found) == 1 else ""
