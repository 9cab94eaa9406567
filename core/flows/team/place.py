"""Where a team's lessons are: the working tree, its repository, its lessons file, and whose machine this is."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

import apsw

from core.base.atomic import write_file
from core.base.fault import Fault
from core.errors.cases.derived import TEAM_AGREED, TEAM_FOLDER
from core.errors.cases.record import NOWHERE, RecordPlace
from core.flows.transcripts.git_folders import git_folder
from core.flows.transcripts.opening import NotATranscript, open_regular
from core.store.sql import digest
from core.team.lessons_file import EMPTY, NAME, LessonsFile, parse
from core.team.privacy import Person
from core.text import redact

_FILE: Final = "team_file:"
LARGEST: Final = 256 << 20
"""Bytes of a lessons file."""
_USER: Final = re.compile(r"^[ \t]*\[user\][ \t]*$(.*?)(?=^[ \t]*\[|\Z)", re.MULTILINE | re.DOTALL | re.IGNORECASE)
_NAME: Final = re.compile(r"^[ \t]*(?:name|email)[ \t]*=[ \t]*\"?([^\"\n]+)", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TeamPlace:
    """A working tree: its top folder, and its repository as sessions record it (the remote, else the folder)."""

    root: Path
    repository: str
    names: frozenset[str]

    @property
    def file(self) -> Path:
        return self.root / NAME


def place_of(folder: Path) -> TeamPlace:
    """The working tree of a folder. Raises Fault invalid_input outside of one."""
    place = Path(os.path.realpath(folder))
    top = next((one for one in (place, *place.parents) if os.path.lexists(one / ".git")), None)
    found = None if top is None else git_folder(str(top))
    if found is None or top is None:
        raise Fault("invalid_input", f"{folder} is not in a git repository", "change to a repository, or run: git init")
    repository = redact(found.remote or found.root)
    return TeamPlace(top, repository, frozenset((repository, redact(found.root), str(top))))


def record_place(folder: Path) -> RecordPlace:
    """Where a fix is that is recorded in a folder; outside of a repository nowhere."""
    try:
        found = place_of(folder)
    except (Fault, OSError):  # no repository, or a folder that is gone
        return NOWHERE
    return RecordPlace(redact(str(found.root)), found.repository)


def read_lessons(path: Path) -> LessonsFile:
    """The lessons file, empty where there is none. Raises Fault where it cannot be read."""
    try:
        with _opened(path) as file:
            if os.fstat(file.fileno()).st_size > LARGEST:
                raise Fault("invalid_input", f"{path} is larger than {LARGEST >> 20} MiB", "pass another file")
            return parse(file)
    except FileNotFoundError:
        return EMPTY
    except OSError as error:
        why = error.strerror or str(error)
        raise Fault("io_error", f"cannot read {path}: {why}", "check the path and its permissions") from error


def _opened(path: Path) -> BinaryIO:
    """A cloned repository may hold a link to a device: nothing but a regular file is read."""
    try:
        return open_regular(path)
    except NotATranscript as why:
        raise Fault("invalid_input", f"{path}: {why}", "remove the file, or pass another one") from None


def refuse_outside(place: TeamPlace) -> None:
    """Raise Fault invalid_input where the lessons file is a link that leads out of its working tree."""
    if not Path(os.path.realpath(place.file)).is_relative_to(place.root):
        raise Fault("invalid_input", f"{place.file} is a link that points outside the repository", "remove the link")


def write_lessons(place: TeamPlace, before: bytes | None, file: LessonsFile) -> int:
    """Write the lessons file whole or not at all, and return its size. `before`: its bytes when it was read.

    Raises Fault: invalid_input where it lies outside of the working tree, io_error where the system refuses or another
    program changed it meanwhile.
    """
    path = place.file
    refuse_outside(place)
    try:
        path.parent.mkdir(exist_ok=True)
    except OSError as error:
        raise Fault("io_error", f"cannot write {path}: {error.strerror}", "check the folder") from error
    if raw_bytes(path) != before:
        raise Fault("io_error", f"{path} was changed by another program", "run the command again")
    mode = 0o644 if before is None else path.stat().st_mode & 0o777
    return write_file(Path(os.path.realpath(path)), file.lines(), replace=True, mode=mode)


def raw_bytes(path: Path) -> bytes | None:
    """The bytes of a file; None where there is none. Raises Fault io_error."""
    try:
        with _opened(path) as file:
            return file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Fault("io_error", f"cannot read {path}: {error.strerror}", "check its permissions") from error


def mark_known(con: apsw.Connection, place: TeamPlace, file: LessonsFile | None) -> None:
    """Remember, inside the caller's transaction, the repository of a working tree, and that this state of its `file`
    is known here."""
    sql = "INSERT OR REPLACE INTO meta(key, value) VALUES (?, ?)"
    con.execute(sql, (f"{TEAM_FOLDER}{place.root}", place.repository))
    if file is not None:
        con.execute(sql, (f"{_FILE}{place.file}", file_digest(file)))


def agree(con: apsw.Connection, place: TeamPlace) -> None:
    """Let lessons of this repository that hold everywhere answer elsewhere too, inside the caller's transaction."""
    con.execute("INSERT OR IGNORE INTO meta(key, value) VALUES (?, '1')", (f"{TEAM_AGREED}{place.repository}",))


def known_digest(con: apsw.Connection, path: str) -> str:
    """The digest of the state of a lessons file that was imported last; '' for none."""
    row = con.execute("SELECT value FROM meta WHERE key = ?", (f"{_FILE}{path}",)).fetchone()
    return "" if row is None else str(row[0])


def file_digest(file: LessonsFile) -> str:
    """The same for every file that holds the same."""
    return digest(b"".join(file.lines()).decode("utf-8", "replace")).hex()[:32]


def person_of(place: TeamPlace, environ: Mapping[str, str] | None = None) -> Person:
    """Whose machine this is: logins, names of git's settings, the home folder."""
    env = os.environ if environ is None else environ
    home = Path.home()
    names = [env.get(name, "") for name in ("LOGNAME", "USER", "USERNAME")]
    if home.parent.name.lower() in ("home", "users"):
        names.append(home.name)
    names += _git_names(home, place.root, env)
    homes = {str(home), os.path.realpath(home)}
    return Person(tuple(dict.fromkeys(one.strip() for one in names if one.strip())), tuple(homes), str(place.root))


def _git_names(home: Path, root: Path, env: Mapping[str, str]) -> Iterator[str]:
    config = Path(env.get("XDG_CONFIG_HOME") or home / ".config")
    for path in (home / ".gitconfig", config / "git" / "config", root / ".git" / "config"):
        try:
            text = path.read_text("utf-8", "replace")[: 1 << 20]
        except OSError:
            continue
        for section in _USER.finditer(text):
            yield from (one[1].strip().partition("@")[0] for one in _NAME.finditer(section[1]))
