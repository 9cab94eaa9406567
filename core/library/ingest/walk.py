"""Files of a root: the walk through its folders, and the files that ignore rules leave out.

`.gitignore` and `.casebookignore` apply in every folder, with git's own grammar.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from core.library.documents.rows import Media
from core.library.ingest.readers import FOLDERS, blacklisted, extension_of, generated, media_of
from core.library.ingest.sources import EXTERNAL, normal_path, refused

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

IgnoredBy = Literal["gitignore", "casebookignore"]
FILES: tuple[tuple[str, IgnoredBy], ...] = ((".gitignore", "gitignore"), (".casebookignore", "casebookignore"))
_LONGEST = 1 << 20

SkipReason = Literal[
    "gitignore",
    "casebookignore",
    "builtin_blacklist",
    "generated",
    "size_exceeded",
    "not_included",
    "extension",
    "binary",
    "empty",
    "no_reader",
    "bad_path",
    "path_taken",
    "not_regular",
    "link",
    "link_out_of_the_folder",
]
LINK_OUT: Final = "link_out_of_the_folder"
"""The reason for a link whose target lies outside of the root."""
MAX_DEPTH: Final = 100
_ELSEWHERE = ("/proc", "/sys", "/dev")


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one file. `base`: the folder they count from, relative to the root, with `/` after it, or empty.

    `above` is what stands between that folder and the root where the file lies above the root.
    """

    by: IgnoredBy
    base: str
    spec: GitIgnoreSpec
    above: str = ""


def rules_in(folder: Path, base: str, above: str = "") -> tuple[Rules, ...]:
    """The rules that a folder's own files set."""
    found: list[Rules] = []
    for name, by in FILES:
        lines = _lines(folder / name)
        if lines:
            found.append(Rules(by, base, _spec(lines), above))
    return tuple(found)


def rules_above(root: Path) -> tuple[Rules, ...]:
    """The rules of the repository that `root` is a part of: those of the folders above it, and `.git/info/exclude`."""
    top = next((one for one in (root, *root.parents) if (one / ".git").exists()), None)
    if top is None:
        return ()
    found: list[Rules] = []
    lines = _lines(top / ".git" / "info" / "exclude")
    here = root.relative_to(top)
    if lines:
        found.append(Rules("gitignore", "", _spec(lines), "".join(f"{part}/" for part in here.parts)))
    for depth in range(len(here.parts)):
        below = "".join(f"{part}/" for part in here.parts[depth:])
        found += rules_in(top.joinpath(*here.parts[:depth]), "", below)
    return tuple(found)


def excluding(patterns: Sequence[str]) -> tuple[Rules, ...]:
    """Patterns of the settings, as if they stood in the root's `.casebookignore`."""
    return (Rules("casebookignore", "", _spec(patterns)),) if patterns else ()


def ignored(path: str, rules: Sequence[Rules]) -> IgnoredBy | None:
    """By which kind of file `path` (relative to the root; a folder with `/` after it) is ignored, or None.

    The last rule that says anything wins, and a file in a deeper folder is later than one above it. A file that
    `.gitignore` lets through may still be ignored by `.casebookignore`: the two are added up.
    """
    for kind in ("gitignore", "casebookignore"):
        for one in reversed(rules):
            if one.by != kind or not path.startswith(one.base):
                continue
            said = one.spec.check_file(one.above + path[len(one.base) :]).include
            if said is not None:
                if said:
                    return kind
                break
    return None


def _spec(lines: Sequence[str]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:  # one line that is no pattern, which git passes over
        return GitIgnoreSpec.from_lines(line for line in lines if _valid(line))


def _valid(line: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


def _lines(path: Path) -> list[str]:
    try:
        if not path.is_file():
            return []
        with path.open("rb") as file:
            text = file.read(_LONGEST).decode("utf-8", "replace")
    except (OSError, ValueError):
        return []
    return [line.removesuffix("\r") for line in text.split("\n")]


@dataclass(frozen=True, slots=True)
class WalkOptions:
    """What a walk takes. `include` (empty: everything) and `exclude` are patterns in the grammar of .gitignore.

    `follow_links`: also follow links whose target lies outside of the root; those within it are always followed.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_bytes: int = 100 * 1024 * 1024
    follow_links: bool = False


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file to read: where it lies, its path relative to the root as the library writes it, and its kind."""

    path: Path
    relative: str
    media: Media
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Left:
    """What a walk left out: its path (a folder with `/` after it), why, and a line for people where one is needed."""

    relative: str
    reason: SkipReason
    detail: str = ""


@dataclass(slots=True)
class Walked:
    """What a walk found. `unread` are folders (relative, `/` after them) that could not be read, each with the reason:
    whatever the library knows below one of them is left as it is."""

    files: list[FoundFile] = field(default_factory=list[FoundFile])
    left: list[Left] = field(default_factory=list[Left])
    unread: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])


def walk(root: Path, options: WalkOptions, cancelled: Callable[[], bool] = lambda: False) -> Walked:
    """Walk `root`. Links within it are followed after everything else, each folder and file once, so loops end.

    Cancelled, it returns what it found so far. A root that cannot be read stands in `unread` as the empty path.
    """
    walker = _Walker(root, options)
    for _ in walker.run():
        if cancelled():
            break
    walker.found.files.sort(key=lambda one: one.relative)
    walker.found.left.sort(key=lambda one: one.relative)
    return walker.found


class _Walker:
    def __init__(self, root: Path, options: WalkOptions) -> None:
        self.root = root
        self.options = options
        self.found = Walked()
        self.seen: set[tuple[int, int]] = set()
        self.taken: set[str] = set()
        self.links: list[tuple[Path, str, tuple[Rules, ...]]] = []
        self.real = Path(os.path.realpath(root))
        self.included = excluding(options.include)

    def run(self) -> Iterator[None]:
        """One step a folder."""
        rules = (*rules_above(self.root), *excluding(self.options.exclude))
        yield from self._below(self.root, "", rules)
        while self.links:
            links, self.links = sorted(self.links, key=lambda one: one[1]), []
            for path, relative, above in links:
                yield from self._link(path, relative, above)

    def _below(self, folder: Path, base: str, rules: tuple[Rules, ...]) -> Iterator[None]:
        stack = [(folder, base, rules)]
        while stack:
            here, base, rules = stack.pop()
            try:
                about = here.stat()
                with os.scandir(here) as listed:
                    entries = sorted(listed, key=lambda entry: entry.name)
            except OSError as error:
                self.found.unread.append((_shown(base), error.strerror or str(error)))
                continue
            self.seen.add((about.st_dev, about.st_ino))
            rules = (*rules, *rules_in(here, base))
            for entry in entries:
                path, relative = here / entry.name, base + normal_path(entry.name)
                if entry.is_symlink():
                    self.links.append((path, relative, rules))
                elif not entry.is_dir(follow_symlinks=False):
                    self._file(path, relative, rules)
                elif self._enters(relative, rules):
                    stack.append((path, relative + "/", rules))
            yield

    def _link(self, path: Path, relative: str, rules: tuple[Rules, ...]) -> Iterator[None]:
        try:
            target = path.resolve(strict=True)
            if not self.options.follow_links and not target.is_relative_to(self.real):
                by = ignored(relative, rules) or ignored(relative + "/", rules)
                self._leave(relative, by or LINK_OUT)
                return
            about = target.stat()
        except (OSError, RuntimeError):
            self._leave(relative, "link", "the link leads nowhere")
            return
        if (about.st_dev, about.st_ino) in self.seen:
            self._leave(relative, "link", "what the link leads to is there already")
        elif str(target).startswith(_ELSEWHERE):
            self._leave(relative, "link", "the link leads to what is no document")
        elif stat.S_ISDIR(about.st_mode):
            if self._enters(relative, rules):
                yield from self._below(path, relative + "/", rules)
        else:
            self._file(path, relative, rules)
            yield

    def _enters(self, relative: str, rules: tuple[Rules, ...]) -> bool:
        name = relative.rpartition("/")[2]
        if name.lower() in FOLDERS or relative == EXTERNAL:
            self._leave(relative + "/", "builtin_blacklist")
        elif relative.count("/") >= MAX_DEPTH:
            self._leave(relative + "/", "link", "too deep")
        elif by := ignored(relative + "/", rules):
            self._leave(relative + "/", by)
        else:
            return True
        return False

    def _file(self, path: Path, relative: str, rules: tuple[Rules, ...]) -> None:
        name = relative.rpartition("/")[2]
        by = ignored(relative, rules)
        media = media_of(name)
        if by:
            self._leave(relative, by)
        elif blacklisted(name):
            self._leave(relative, "builtin_blacklist")
        elif self.included and not ignored(relative, self.included):
            self._leave(relative, "not_included")
        elif media is None:
            self._leave(relative, "extension", extension_of(name))
        elif why := refused(relative):
            self._leave(relative, "bad_path", why)
        elif relative in self.taken:
            self._leave(relative, "path_taken", "another file has the same name, written with other code points")
        elif generated(name, "text", b""):
            self._leave(relative, "generated")
        else:
            self._take(path, relative, media)

    def _take(self, path: Path, relative: str, media: Media) -> None:
        try:
            about = path.stat()
        except OSError:
            return  # gone since its folder was read
        if not stat.S_ISREG(about.st_mode):
            self._leave(relative, "not_regular")
        elif about.st_size > self.options.max_bytes:
            self._leave(
                relative, "size_exceeded", f"{about.st_size:,} bytes; at most {self.options.max_bytes:,} are read"
            )
        else:
            self.seen.add((about.st_dev, about.st_ino))
            self.taken.add(relative)
            self.found.files.append(FoundFile(path, relative, media, about.st_size, about.st_mtime_ns))

    def _leave(self, relative: str, reason: SkipReason, detail: str = "") -> None:
        self.found.left.append(Left(_shown(relative), reason, _shown(detail)))


def _shown(name: str) -> str:
    """A name that can be written anywhere: the bytes of one that is no UTF-8 become U+FFFD."""
    return name if name.isascii() else name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
