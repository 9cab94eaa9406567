"""Which project each session belongs to, from all that is known of all of them. Pure: no file is read."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from core.transcripts.repository import Origin, is_home, origin_of, unified


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
        named = {remote for told in self._by_folder.values() for _, remote in told}
        named |= {one.remote for one in on_disk.values() if one.remote}
        for remote in named:
            self._by_name.setdefault(remote.rpartition("/")[2], set()).add(remote)
        for told in self._by_folder.values():
            told.sort()

    def nearest(self, folder: str, started: str) -> str:
        """The remote that a session of this folder named last before `started`, else first; '' where none did."""
        told = self._by_folder.get(folder)
        if not told:
            return ""
        at = bisect_right(told, (started or "\uffff", "\uffff"))
        return told[max(0, at - 1)][1]

    def only(self, origin: Origin, folder: str) -> str:
        """The one repository that has the folder's name, or its owner's too; '' where there is none, or several."""
        same = self._by_name.get(origin.name, set[str]())
        owner = (origin.folder or folder).split("/")[-2:-1]
        owned = {remote for remote in same if remote.split("/")[-2:-1] == owner}
        found = owned or same
        return next(iter(found)) if len(found) == 1 else ""
