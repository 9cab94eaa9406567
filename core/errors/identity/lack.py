"""What a machine or sandbox lacks, as an error names it: a program, a module, the network, a signing key, a lock."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from core.base.lazy import lazy_pattern

LackKind = Literal["program", "module", "network", "service", "signing", "lock", "write", "glob"]


class Lack(NamedTuple):
    """What is lacking. `name`: the program, module, host, `host:port`, lock file or folder; '' where there is none."""

    kind: LackKind
    name: str


_PROGRAM: Final = lazy_pattern(
    r"command not found: (?P<a>[\w.+-]{2,60})\Z|(?:^|: )(?P<b>[\w.+-]{2,60}): (?:command )?not found\Z"
    r"|exec: \"(?P<c>[\w.+-]{2,60})\": executable file not found|\bspawn (?P<d>[\w.+-]{2,60}) ENOENT"
    r"|\benv: [‘']?(?P<e>[\w.+-]{2,60})['’]?: No such file|['\"`](?P<f>[\w.+-]{2,60})['\"`] is not recognized as"
)
_MODULE: Final = lazy_pattern(
    r"No module named '?(?P<a>[A-Za-z_]\w{0,60})|Cannot find (?:module|package) '(?P<b>@?[A-Za-z][\w@/.-]{1,80})'"
)
_HOST: Final = lazy_pattern(
    r"[Cc]ould not resolve host(?:name)?:? (?P<a>[\w.-]{3,120})"
    r"|\blookup (?P<b>[\w.-]{3,120})(?: on \S{3,60})?: no such host"
    r"|\bgetaddrinfo (?:ENOTFOUND|EAI_AGAIN) (?P<c>[\w.-]{3,120})|\berror connecting to (?P<d>[\w-]+(?:\.[\w-]+)+)"
    r"|[Ff]ailed to connect to (?P<e>[\w.-]{3,120}) port (?P<p>\d{1,5})"
    r"|dial tcp:? lookup (?P<f>[\w.-]{3,120}): (?:operation not permitted|i/o timeout)"
)
_REFUSED: Final = lazy_pattern(
    r"\bECONNREFUSED (?P<a>[\w.:\[\]-]{3,80}:\d{2,5})\b|dial tcp (?P<b>[\w.:\[\]-]{3,80}): connect: connection refused"
)
_DOCKER: Final = lazy_pattern(r"Cannot connect to the Docker daemon")
_SIGNING: Final = lazy_pattern(
    r"[Cc]ould(?:n't| not) sign\b|gpg failed to sign|failed to sign the data|error: signing failed"
)
_LOCK: Final = lazy_pattern(r"Unable to create '[^'\n]{0,300}?(?P<a>[\w.-]{1,60}\.lock)': File exists")
_WRITE: Final = lazy_pattern(
    r"(?<![^\s'\"(])(?P<a>[~/][^\s'\":]{3,300})['\"]?: (?:[Oo]peration not permitted|[Rr]ead-only file system)"
)
_GLOB: Final = lazy_pattern(r"(?:^|: )no matches found: \S")
_LOCAL: Final = frozenset(("localhost", "127.0.0.1", "0.0.0.0", "::1"))
_DEEP: Final = 3
"""Folders below a home folder that name a place of the machine."""


def missing_program(line: str) -> str:
    """The program that a shell did not find by this key line; empty if it says nothing of the kind."""
    found = _PROGRAM.search(line) if "not found" in line or "No such file" in line else None
    return _first(found.groups()) if found else ""


def lack_of(line: str) -> Lack | None:
    """What the environment lacks by this key line; None where it says of nothing that it is not there."""
    if found := _PROGRAM.search(line):
        return Lack("program", _first(found.groups()))
    if found := _MODULE.search(line):
        return Lack("module", _first(found.groups()))
    if found := _HOST.search(line):
        host = _first(found.groups())
        return Lack("service", f"{host}:{found['p']}") if host in _LOCAL and found["p"] else Lack("network", host)
    if found := _REFUSED.search(line):
        return Lack("service", _first(found.groups()))
    if _DOCKER.search(line):
        return Lack("service", "docker")
    if _SIGNING.search(line):
        return Lack("signing", "")
    if found := _LOCK.search(line):
        return Lack("lock", found["a"])
    if found := _WRITE.search(line):
        return Lack("write", _folder(found["a"]))
    return Lack("glob", "zsh") if _GLOB.search(line) else None


def _first(groups: tuple[str | None, ...]) -> str:
    return next(filter(None, groups), "").rstrip(".")


def _folder(path: str) -> str:
    """The folder that cannot be written: a repository's `.git`, else the first folders below a home folder."""
    parts = path.split("/")[:-1]
    if ".git" in parts:
        return ".git"
    for home in ("Users", "home"):
        if parts[1:2] == [home] and len(parts) > _DEEP:
            return "/".join(("~", *parts[3 : 3 + _DEEP]))
    return "/".join(parts[: 1 + _DEEP]) or "/"
