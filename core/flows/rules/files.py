"""Rule files: which exist, and whether each may be read. Agents must not get a file that others can write."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from core.base.config.settings import RuleSettings
from core.base.config.settings_sources import from_home
from core.base.fault import Fault

if TYPE_CHECKING:
    from core.rules.format.rule import Scope
    from core.rules.matching.api import RuleMatch

ScopedFiles: TypeAlias = "tuple[tuple[Path, Scope], ...]"
"""Rule files in the order in which they are read, each with whose it is."""

Unread: TypeAlias = tuple[Path, str]
"""A file that cannot be read, and why, in words."""


def distrusted(path: Path, root: Path, trusted: Sequence[Path] = ()) -> str:
    """Why a rule file is not read, in words; empty if it may be.

    It must belong to the user or to root, and everyone else must not be able to write to it or to a folder between it
    and `root`, the project's folder. `trusted`: files, and folders of files, for which none of this is asked. Nothing
    is asked on Windows, whose rights are others.
    """
    if sys.platform == "win32" or any(path == one or one in path.parents for one in trusted):
        return ""
    try:
        info = path.stat()
        if info.st_uid not in (os.geteuid(), 0):
            return f"the file belongs to another user (uid {info.st_uid})"
        if info.st_mode & stat.S_IWOTH:
            return "everyone can write to the file"
        folders = path.parents[: path.parents.index(root) + 1] if root in path.parents else (path.parent,)
        shared = next((folder for folder in folders if is_shared(folder)), None)
    except OSError:
        return ""  # whoever reads it says what is wrong
    return "" if shared is None else f"everyone can write to its folder {shared}"


def is_shared(folder: Path) -> bool:
    """Return whether everyone can write to a folder; False on Windows and if that is unknown."""
    try:
        return sys.platform != "win32" and bool(folder.stat().st_mode & stat.S_IWOTH)
    except OSError:
        return False


def rule_files(settings: RuleSettings, folder: Path | None = None) -> ScopedFiles:
    """The rule files there are: the user's own first, then those of the project that `folder` lies in.

    Of either, the instruction files (`CLAUDE.md`) that name the id of a rule come last. A project's file counts only
    within that project: a link that leads out of it is not followed. Raises Fault config_invalid where a setting names
    a project's file by anything but a path within it. Files that others can write are left out (`untrusted_files`).
    """
    found: dict[Path, tuple[Path, Scope]] = {}
    for path, scope, why in _candidate_files(settings, folder):
        if not why:
            found.setdefault(path.resolve(), (path, scope))
    return tuple(found.values())


def untrusted_files(settings: RuleSettings, folder: Path | None = None) -> tuple[Unread, ...]:
    """The rule files that are not read since others can write them, each with what to do about it. Raises Fault as
    `rule_files`."""
    end = "add the file to rules.trust, or fix its owner and permissions"
    refused = {path: why for path, _, why in _candidate_files(settings, folder) if why}
    return tuple((path, f"skipped the rules in {path} ({why}): {end}") for path, why in refused.items())


def _candidate_files(settings: RuleSettings, folder: Path | None) -> Iterator[tuple[Path, Scope, str]]:
    """Each rule file there is, whose it is, and why it is not read ("": it is)."""
    trusted = trusted_places(settings)
    own = own_places(settings)
    for (path, _, _), _ in _own_instructions(settings, folder):
        if path.is_file() and (path in own or _has_id(path)):
            yield path, "global", distrusted(path, path.parent, trusted)
    root, places = _project(settings, folder)
    for path in places:
        if path.is_file():
            yield path, "project", distrusted(path, root, trusted)
    for (path, _, _), root in _project_instructions(settings, folder):
        if _is_within(path, root) and _has_id(path):
            yield path, "project", distrusted(path, root, trusted)


_RULE_ID: Final = re.compile(rb"(?i)\berr-\d")
_LARGEST: Final = 1 << 20
"""Bytes of an instruction file in which an id is looked for."""


def _has_id(path: Path) -> bool:
    """Whether a file names the id of a rule: most instruction files do not, and are no rule files."""
    try:
        with path.open("rb") as file:
            return _RULE_ID.search(file.read(_LARGEST)) is not None
    except OSError:
        return False


def trusted_places(settings: RuleSettings) -> tuple[Path, ...]:
    """The files, and folders of files, that are read whoever can write them."""
    return tuple(Path.home() / Path(name).expanduser() for name in _names(settings.trust))


def project_names(settings: RuleSettings) -> list[Path]:
    """The names of a project's rule files, relative to its folder. Raises Fault config_invalid."""
    return [_within(name) for name in _names(settings.project_files)]


def no_files(settings: RuleSettings, folder: Path | None = None) -> tuple[str, ...]:
    """Return a message for missing rule files of the user (a folder, a pipe, a broken link), and the files that are not
    read because others can write them."""
    found = (path for path in own_places(settings) if os.path.lexists(path) and not path.is_file())
    odd = tuple(f"skipped rules of {path}: not a file" for path in found)
    return (*odd, *(reason for _, reason in untrusted_files(settings, folder)))


def readable(files: ScopedFiles) -> tuple[ScopedFiles, tuple[Unread, ...]]:
    """Those of the settings' files that can be read, and why the others cannot: one that is faulty costs what is in it.

    Raises Fault where none can.
    """
    from core.rules.format.parse import bytes_of

    good: list[tuple[Path, Scope]] = []
    unread: list[Unread] = []
    first: Fault | None = None
    for path, scope in files:
        try:
            bytes_of(path)
        except Fault as fault:
            first = first or fault
            unread.append((path, fault.message))
        else:
            good.append((path, scope))
    if first is not None and not good:
        raise first
    return tuple(good), tuple(unread)


def with_unread(found: RuleMatch, unread: Sequence[Unread]) -> RuleMatch:
    """A match that says in its trace which rule files it was made without."""
    if not unread:
        return found
    from core.base.trace import Step

    steps = (Step("files", "failed", f"{reason}; skipped") for _, reason in unread)
    return replace(found, trace=(*found.trace, *steps))


def named_files(paths: Sequence[str]) -> ScopedFiles:
    """Files named on a command line: of several the first is the user's own, the others are the project's. One that is
    named twice is one."""
    found: dict[Path, Path] = {}
    for path in paths:
        place = from_home(path).absolute()
        found.setdefault(_real(place), place)
    places = list(found.values())
    return tuple((path, "global" if at == 0 and len(places) > 1 else "project") for at, path in enumerate(places))


def _real(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):  # a link to itself: who reads it says so
        return path


def own_places(settings: RuleSettings) -> tuple[Path, ...]:
    """Where the user's own rule files are looked for. A path that is not absolute counts from the home folder."""
    try:
        return tuple(Path.home() / Path(name).expanduser() for name in _names(settings.files))
    except RuntimeError as error:  # no home, or nobody of that name
        raise Fault("config_invalid", f"rules.files: {error}", "pass an absolute path") from error


def project_places(settings: RuleSettings, folder: Path | None) -> tuple[Path, ...]:
    """The project's rule files around a folder: of it, or of the nearest folder above that has one.

    The search ends at the folder that holds `.git`, at one that everyone can write to (/tmp), and below the home
    folder: what lies above is no project.
    """
    return _project(settings, folder)[1]


def _project(settings: RuleSettings, folder: Path | None) -> tuple[Path, tuple[Path, ...]]:
    """The folder at which the search ended, and the project's rule files in it."""
    if folder is None:
        return Path(), ()
    names = project_names(settings)
    home = Path.home()
    for place in (folder.absolute(), *folder.absolute().parents):
        if place in (home, place.parent):
            return place, ()
        there = tuple(place / name for name in names if _is_within(place / name, place))
        if there or (place / ".git").exists() or is_shared(place):
            return place, there
    return folder, ()


def _names(setting: str) -> list[str]:
    return [name.strip() for name in setting.split(os.pathsep) if name.strip()]


def _within(name: str) -> Path:
    path = Path(name)
    if path.is_absolute() or ".." in path.parts or name.startswith("~"):
        message = f"rules.project_files: {name} is not a relative path"
        raise Fault("config_invalid", message, 'use a relative path, such as ".claude/memory.md"')
    return path


BAN_NAMES: Final = (
    "CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", "AGENTS.md", "AGENTS.override.md", "GEMINI.md",
)  # fmt: skip
"""Files of instructions that agents read in every folder of a project."""
_BAN_FOLDER: Final = ".claude/rules"
"""The folder whose Markdown files are instructions too."""
_OWN_BANS: Final = (".claude/CLAUDE.md", ".codex/AGENTS.md", ".gemini/GEMINI.md")
"""The same in the home folder, for every project."""
_DEEP: Final = 40
"""Folders above a place that are looked at."""


class BanPlace(NamedTuple):
    """A file that may forbid code, the folder that its paths count from, and its name in an answer."""

    path: Path
    folder: Path
    name: str


def ban_places(settings: RuleSettings, folder: Path | None, file: str = "") -> tuple[BanPlace, ...]:
    """The instruction files for a call in `folder`: the user's own, and those of the folders up to the project's.

    For an edited `file` of the project those above it come first; for one outside of it there are only the user's own.
    The rule files of the settings are among them. Trust is as for `rule_files`. Never raises.
    """
    if not settings.bans:
        return ()
    found: dict[Path, BanPlace] = {}
    try:
        trusted = trusted_places(settings)
        candidates = (*_project_instructions(settings, folder, file), *_own_instructions(settings, folder))
    except (Fault, RuntimeError):  # who reads the rules says so
        return ()
    for one, root in candidates:
        if _is_within(one.path, root) and not distrusted(one.path, root or one.path.parent, trusted):
            found.setdefault(one.path.resolve(), one)
    return tuple(found.values())


def _is_within(path: Path, root: Path | None) -> bool:
    """Whether there is such a file, and no link leads it out of `root` (None: it may)."""
    try:
        return path.is_file() and (root is None or path.resolve().is_relative_to(root.resolve()))
    except (OSError, RuntimeError):
        return False


def _own_instructions(settings: RuleSettings, folder: Path | None) -> Iterator[tuple[BanPlace, None]]:
    home = Path.home()
    for path in (*own_places(settings), *(home / name for name in _OWN_BANS)):
        name = f"~/{path.relative_to(home)}" if path.is_relative_to(home) else path.name
        yield BanPlace(path, folder or path.parent, name), None


def _project_instructions(
    settings: RuleSettings, folder: Path | None, file: str = ""
) -> Iterator[tuple[BanPlace, Path]]:
    if folder is None:
        return
    above = list(_project_folders(folder.absolute()))
    root = above[-1]
    if file:
        edited = folder.absolute() / file
        if not edited.is_relative_to(root):
            return
        nearer = [place for place in edited.parents if place.is_relative_to(root)]
        above = list(dict.fromkeys((*nearer[:_DEEP], *above)))
    names = (*BAN_NAMES, *map(str, project_names(settings)))
    for place in above:
        rules = place / _BAN_FOLDER
        more = sorted(rules.glob("*.md")) if rules.is_dir() else ()
        for path in (*(place / name for name in names), *more):
            yield BanPlace(path, place, path.relative_to(root).as_posix()), root


def _project_folders(folder: Path) -> Iterator[Path]:
    """The folder and those above it, up to the one that holds `.git`, below the home folder."""
    home = Path.home()
    yield folder
    for place in (folder, *folder.parents[:_DEEP]):
        if place in (home, place.parent):
            return
        if place != folder:
            yield place
        if (place / ".git").exists() or is_shared(place):
            return
