"""Files of a root: the walk through its folders, the ignore rules, the paths of the library, and facts from git.

`.gitignore` and `.casebookignore` apply in every folder, with git's own grammar. Paths are POSIX, NFC and relative to
their root (frozen design 4.2, 6.6; decision 21). Git's files are read; git is not run, so no hook of a clone is either.
"""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from core.base.fault import Fault
from core.library.documents.read import sources
from core.library.documents.rows import Media, Source, SourceType, TrustLevel
from core.library.ingest.readers import FOLDERS, blacklisted, extension_of, generated, media_of
from core.store import Store, now
from core.text.cleaning import normalized

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

EXTERNAL = "_external"
"""The folder of the first root that holds single files and standard input."""

_SIGNS = re.compile(r"[^\w.-]+")


def normal_path(path: str) -> str:
    """`path` with slashes, composed, without `./` before it and without doubled slashes."""
    parts = [part for part in path.replace(os.sep, "/").split("/") if part not in ("", ".")]
    joined = "/".join(parts)
    return joined if joined.isascii() else unicodedata.normalize("NFC", joined)


def workspace_path(source: Source, relative: str) -> str:
    """How the library calls the file at `relative` in a root."""
    inside = normal_path(relative)
    return f"{source.source_id}/{inside}" if source.position else inside


def is_outside(root: str | Path, file: Path) -> bool:
    """Whether a file lies outside of a root, its links and those of its folders resolved. Raises OSError."""
    return not file.resolve().is_relative_to(Path(root).resolve())


def refused(path: str) -> str:
    """Why a file cannot be in the library under this path, or the empty string."""
    if "#" in path:
        return "the path contains #, which separates path and line in a citation (rename the file)"
    try:
        path.encode()
    except UnicodeEncodeError:
        return "the name is not UTF-8 (rename the file)"
    return ""


def file_of(source: Source, path: str) -> Path:
    """Where the document at a workspace path lies on the disk; it need not be there (any more).

    Raises Fault invalid_input for a path that is not in that root.
    """
    inside = path.removeprefix(f"{source.source_id}/") if source.position else path
    wrong = source.position and inside == path
    if wrong or not inside or inside.startswith("/") or ".." in inside.split("/") or "\0" in inside:
        raise Fault("invalid_input", f"{path!r} is not a document of {source.root}", "check the path")
    found = Path(source.root)
    for name in inside.split("/"):
        found = _entry_of(found, name)
    return found


def _entry_of(folder: Path, name: str) -> Path:
    """The entry of a folder that the library calls so: on the disk its letters may be composed otherwise."""
    entry = folder / name
    if name.isascii() or entry.exists():
        return entry
    try:
        return next((one for one in folder.iterdir() if normal_path(one.name) == name), entry)
    except OSError:
        return entry


def roots_of(
    store: Store, roots: Sequence[Path], source_type: SourceType | None = None, trust_level: TrustLevel | None = None
) -> tuple[Source, ...]:
    """The sources of these folders, registered where they are new; without any, all that are known.

    `source_type` and `trust_level` are what their documents are where they do not say; None leaves them as they are.
    Raises Fault invalid_input for what is no folder, or lies in or around a root that is known; not_indexed where none
    is given and none known.
    """
    known = list(sources(store.con))
    if not roots:
        if not known:
            raise Fault(
                "not_indexed", "the library has no folder yet", "to add one, run: casebook library ingest FOLDER"
            )
        return tuple(known)
    found: list[Source] = []
    for root in roots:
        place = _folder(root)
        source = next((one for one in known if one.root == str(place)), None)
        if source is None:
            source = _new(place, known, source_type or "", trust_level or "primary")
            known.append(source)
        else:
            changed = Source(
                source.source_id, source.position, source.root, source_type or source.source_type,
                trust_level or source.trust_level, source.added_at,
            )  # fmt: skip
            known[known.index(source)] = source = changed
        found.append(source)
    with store.transaction() as con:
        for one in found:
            con.execute(
                "INSERT INTO sources VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT(source_id) DO UPDATE SET"
                " source_type = excluded.source_type, trust_level = excluded.trust_level",
                (one.source_id, one.position, one.root, one.source_type, one.trust_level, one.added_at),
            )
    return tuple(dict.fromkeys(found))


def _folder(root: Path) -> Path:
    try:
        place = root.expanduser().resolve(strict=True)
        if place.is_dir():
            str(place).encode()
            return place
    except (OSError, RuntimeError, ValueError):
        pass
    if root == Path():
        raise Fault("invalid_input", "the current folder no longer exists", "pass a folder, or a single file")
    shown = ascii(str(root))[1:-1] if not str(root).isprintable() else str(root)
    raise Fault("invalid_input", f"folder {shown} not found", "pass a folder, or a single file")


def _new(place: Path, known: Sequence[Source], source_type: SourceType | str, trust_level: TrustLevel) -> Source:
    for one in known:
        root = Path(one.root)
        if root.is_relative_to(place) or place.is_relative_to(root):
            raise Fault(
                "invalid_input",
                f"{place} and {root} of the library overlap",
                "ingest only the outer folder",
            )
    position = max((one.position for one in known), default=-1) + 1
    base = normal_path(_SIGNS.sub("-", place.name)).strip("-.") or "root"
    taken = {one.source_id for one in known} | _names_of_first(known)
    source_id, number = base, 2
    while source_id in taken:
        source_id, number = f"{base}-{number}", number + 1
    return Source(source_id, position, str(place), source_type, trust_level, now())  # type: ignore[arg-type]


def _names_of_first(known: Sequence[Source]) -> set[str]:
    """Return the names in the first root: its paths have no id before them, so ids must differ from these names."""
    first = next((one for one in known if not one.position), None)
    try:
        return {normal_path(path.name) for path in Path(first.root).iterdir()} if first else set()
    except OSError:
        return set()


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
_SYSTEM: Final = tuple(map(Path, ("/proc", "/sys", "/dev")))
_MEMORY: Final = Path("/dev/shm")  # ordinary files, only not on a disk


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
    """Return the patterns of the settings as rules of the root's `.casebookignore`."""
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
            include = one.spec.check_file(one.above + path[len(one.base) :]).include
            if include is not None:
                if include:
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
    `pictures`: take pictures too; `kept`: the relative paths of those that are taken without it.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_bytes: int = 100 * 1024 * 1024
    follow_links: bool = False
    pictures: bool = False
    kept: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file to read: where it lies, its path relative to the root as the library writes it, and its kind."""

    path: Path
    relative: str
    media: Media
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class SkippedPath:
    """What a walk left out: its path (a folder with `/` after it), why, and a line for people where one is needed."""

    relative: str
    reason: SkipReason
    detail: str = ""


@dataclass(slots=True)
class Walked:
    """What a walk found. `unread` are folders (relative, `/` after them) that could not be read, each with the reason:
    whatever the library knows below one of them is left as it is."""

    files: list[FoundFile] = field(default_factory=list[FoundFile])
    left: list[SkippedPath] = field(default_factory=list[SkippedPath])
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
                self.found.unread.append((_valid_name(base), error.strerror or str(error)))
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
            self._leave(relative, "link", "broken link")
            return
        if (about.st_dev, about.st_ino) in self.seen:
            self._leave(relative, "link", "the target of the link is already indexed")
        elif any(map(target.is_relative_to, _SYSTEM)) and not target.is_relative_to(_MEMORY):
            self._leave(relative, "link", "the target of the link is not a document")
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
        media = media_of(name, pictures=self.options.pictures or relative in self.options.kept)
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
            self._leave(relative, "size_exceeded", f"{about.st_size:,} bytes (limit: {self.options.max_bytes:,})")
        else:
            self.seen.add((about.st_dev, about.st_ino))
            self.taken.add(relative)
            self.found.files.append(FoundFile(path, relative, media, about.st_size, about.st_mtime_ns))

    def _leave(self, relative: str, reason: SkipReason, detail: str = "") -> None:
        self.found.left.append(SkippedPath(_valid_name(relative), reason, _valid_name(detail)))


def _valid_name(name: str) -> str:
    """A name that can be written anywhere: the bytes of one that is no UTF-8 become U+FFFD."""
    return name if name.isascii() else name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


COMMIT: Final = 12
"""Digits of a commit that are kept (decision 22)."""
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
        return GitFacts(_composed(top.name))
    shared = folder
    common = _text(folder / "commondir").strip()
    if common:
        shared = _named_folder(folder, common)
    head = _text(folder / "HEAD").strip()
    ref = head.removeprefix("ref:").strip() if head.startswith("ref:") else ""
    if ref and (not _REF.match(ref) or ".." in ref):
        ref = head = ""
    commit = _commit(folder, shared, ref) if ref else head
    return GitFacts(
        _composed(_repo(shared) or top.name),
        ref.removeprefix("refs/heads/") or None,
        commit[:COMMIT] if _SHA.match(commit) else None,
    )


def _composed(name: str) -> str | None:
    """A name in NFC, as filters ask for it; macOS writes the names of folders decomposed."""
    return normalized(name) or None


def _git_folder(top: Path) -> Path | None:
    place = top / ".git"
    if place.is_dir():
        return place
    content = _text(place).strip()  # a worktree or a submodule
    return _named_folder(top, content.removeprefix("gitdir:").strip()) if content.startswith("gitdir:") else None


def _named_folder(base: Path, name: str) -> Path:
    """The folder that one of git's files names. Raises nothing: a NUL or a loop of links leads nowhere."""
    return Path(os.path.realpath(base / name.replace("\0", "\ufffd")))


def _commit(folder: Path, shared: Path, ref: str) -> str:
    for place in (folder, shared):
        content = _text(place / ref).strip()
        if content:
            return content
    for line in _text(shared / "packed-refs").split("\n"):
        commit, _, name = line.partition(" ")
        if name.strip() == ref:
            return commit
    return ""


def _repo(shared: Path) -> str:
    config = _text(shared / "config")
    _, found, remote = config.partition('[remote "origin"]')
    url = _URL.search(remote.partition("\n[")[0]) if found else None
    name = re.split(r"[/:\\]", url[1].rstrip("/"))[-1].removesuffix(".git") if url else ""
    return name[:100]


def _text(path: Path) -> str:
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            return file.read(_LONGEST).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""
