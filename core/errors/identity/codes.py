"""What a key line states: codes (HTTP 404, exit code 127, errno 13), a checker's rule (TS2304, `nilerr`,
`gosec G104`), and what a machine or sandbox lacks (a program, a module, the network, a signing key, a lock).

Two errors whose codes differ are not the same."""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

from core.base.lazy import lazy_pattern, text_tables

_TABLES: Final = text_tables(__file__)
ERRNO: Final = dict(re.findall(r"(\w+): (.+)", _TABLES["ERRNO"]))
ERRNO_NUMBERS: Final = {
    1: "EPERM", 2: "ENOENT", 5: "EIO", 8: "ENOEXEC", 9: "EBADF", 11: "EAGAIN", 12: "ENOMEM", 13: "EACCES", 16: "EBUSY",
    17: "EEXIST", 18: "EXDEV", 20: "ENOTDIR", 21: "EISDIR", 22: "EINVAL", 23: "ENFILE", 24: "EMFILE", 27: "EFBIG",
    28: "ENOSPC", 30: "EROFS", 32: "EPIPE", 39: "ENOTEMPTY", 98: "EADDRINUSE", 99: "EADDRNOTAVAIL", 101: "ENETUNREACH",
    104: "ECONNRESET", 110: "ETIMEDOUT", 111: "ECONNREFUSED", 113: "EHOSTUNREACH",
    48: "EADDRINUSE", 49: "EADDRNOTAVAIL", 51: "ENETUNREACH", 54: "ECONNRESET", 60: "ETIMEDOUT", 61: "ECONNREFUSED",
    65: "EHOSTUNREACH",
}  # fmt: skip
"""The numbers of Linux, then those of macOS; none of them means two things that casebook compares."""


_READ = 8192  # code points of a text that are looked at

_NAMED = lazy_pattern(
    r"(?i:\b(?:status(?: ?code)?|http(?:/[\d.]+| error)?|response code|returned error|error code)[ :=]*"
    r"(?P<http>[1-5]\d\d)\b"
    r"|\b(?:exit(?:ed)?(?: with)?(?: (?:code|status|value))?)[ :=]*(?P<exit>\d{1,3})\b"
    r"|\b(?:errno|os error|winerror)[ :=]*(?P<errno>\d{1,5})\b"
    r"|\b(?:signal)[ :=]*(?P<signal>\d{1,2}|SIG[A-Z]{2,6})\b"
    r"|\b(?:sqlstate)[ :=(\[]*(?P<sqlstate>[0-9A-Z]{5})\b)"
    r"|(?<![\w.:/-])(?P<said>[45]\d\d):? (?:Client Error|Server Error|Not Found|Bad (?:Gateway|Request)|Forbidden|"
    r"Unauthorized|Too Many|Request |Service Unav|Gateway|Internal Server|Conflict|Payload|Unprocessable)"
    r"|\bcode E(?P<npm>4\d\d)\b"
    r"|\bERROR (?P<mysql>\d{4})(?= \()|\bcurl: \((?P<curl>\d{1,2})\)|\((?P<system>\d{1,3}): [A-Z]"
    r"|\berror occurred \((?P<aws>\w{1,80})\)|\brpc error: code = (?P<rpc>[A-Z]\w{1,40})"
    r"|(?<![\w.-])ERR_(?P<named>[A-Z][A-Z0-9_]{2,60})\b|\bINSTALL_(?:FAILED|PARSE_FAILED)_(?P<android>[A-Z_]{3,60})\b"
    r"|\b0x(?P<hresult>[8Cc][0-9A-Fa-f]{7})\b|\[-W(?P<warning>[a-z][a-z0-9+=-]{1,40})\]"
    r"|\b(?P<smtp>[45]\d\d[ -][45]\.\d{1,3}\.\d{1,3})\b|\((?P<dbapi>[12]\d{3}), (?:b?['\"])"
    r"|(?:\(error\)|ReplyError:|ResponseError:) (?!ERR\b)(?P<redis>[A-Z]{3,20})\b"
    r"|\bError from server \((?P<kubernetes>[A-Z]\w{2,40})\)"
)
_NAME = lazy_pattern(r"(?<![A-Za-z])E[A-Z]{2,12}(?![A-Za-z])")
_LETTERED = lazy_pattern(r"(?<![\w.-])(?P<kind>[A-Z]{1,8})-?(?P<value>\d{2,7})(?![\w.])")
_SAME_KIND = {"said": "http", "npm": "http", "system": "errno", "dbapi": "mysql"}


def codes(text: str) -> frozenset[tuple[str, str]]:
    """The codes named in `text` as (kind, value) pairs: `("http", "404")`, `("errno", "ENOENT")`, `("TS", "2304")`.

    Numbers of the system are given their names, so `[Errno 111]` and `ECONNREFUSED` are one code.
    """
    found: set[tuple[str, str]] = set()
    head = text[:_READ]
    for match in _NAMED.finditer(head):
        name = match.lastgroup or ""
        kind = _SAME_KIND.get(name, name)
        value = match[name].upper()
        found.add((kind, ERRNO_NUMBERS.get(int(value), value) if kind == "errno" else value))
    found.update(("errno", match[0]) for match in _NAME.finditer(head) if match[0].lower() in ERRNO)
    found.update((match["kind"], match["value"]) for match in _LETTERED.finditer(head))
    return frozenset(found)


def codes_differ(left: str, right: str) -> bool:
    """Whether both texts carry a code of one kind and share none of that kind."""
    return bool(differing_codes(codes(left), codes(right)))


def differing_codes(ours: frozenset[tuple[str, str]], theirs: frozenset[tuple[str, str]]) -> tuple[str, ...]:
    """The kinds of code that both carry with nothing in common, sorted."""
    kinds = {kind for kind, _ in ours} & {kind for kind, _ in theirs}
    return tuple(sorted(kind for kind in kinds if not {one for one in ours & theirs if one[0] == kind}))


class Rule(NamedTuple):
    """A rule of a checker (`golangci-lint`, `eslint`, `tsc`, …)."""

    checker: str
    name: str


_CONTEXT: Final = 1_500
"""Code points behind a key line in which a compiler may name its lint."""
_KEY: Final = 1_000
"""Code points at the end of a key line that are looked at, where it is longer."""
_NO_RULE: Final = frozenset(("golangci-lint typecheck", "ruff invalid-syntax"))
"""Names under which a checker reports that the code does not compile."""
_SUB_RULES: Final = frozenset(("gocritic", "govet", "revive", "testifylint"))
"""Linters of golangci-lint that put the name of their own check before the message."""
_CLIPPY: Final = lazy_pattern(r"clippy::([a-z_-]{2,60})")
_WARNING: Final = lazy_pattern(r"\[-W(?:error[=,] ?-?W?)?(?P<rule>[a-z][a-z0-9+=-]{1,60})\]\Z")
_LINTER: Final = lazy_pattern(r"\((?P<rule>[a-z][a-z0-9]{1,24})\)\Z")
_OWN: Final = lazy_pattern(r"(?:(?P<code>[A-Z]{1,3}\d{3,4})|(?P<sub>[A-Za-z][\w-]{2,40})): ")
_NAMES: Final = {tool: lazy_pattern(pattern) for tool, pattern in re.findall(r"(\w+): (.+)", _TABLES["RULES"])}


def rule_of(line: str, tool: str, context: str = "") -> Rule | None:
    """The rule that a key line found by the entry `tool` names; None where it names none.

    `context`: the output behind the key line, where clippy names its lint.
    """
    name = _golangci(line) if tool == "golangci-lint" else _named(line, tool)
    if name is None and tool == "rustc":
        found = _CLIPPY.search(context[:_CONTEXT].partition("\n\n")[0])
        return None if found is None else Rule("clippy", found[1].replace("-", "_"))
    if name is None and (found := _WARNING.search(line)):
        name = found["rule"]
    return None if name is None or f"{tool} {name}" in _NO_RULE else Rule(tool, name)


def _golangci(line: str) -> str | None:
    found, own = _LINTER.search(line), _OWN.match(line)
    if found is None:
        return None
    sub = own is not None and (own["code"] or (found["rule"] in _SUB_RULES and own["sub"]))
    return f"{found['rule']} {sub}" if sub else found["rule"]


def _named(line: str, tool: str) -> str | None:
    found = _NAMES[tool].search(line[-_KEY:]) if tool in _NAMES else None
    return None if found is None else next(filter(None, found.groups()), None)


LackKind = Literal["program", "module", "network", "service", "signing", "lock", "write", "glob"]


class Lack(NamedTuple):
    """What is lacking. `name`: the program, module, host, `host:port`, lock file or folder; '' where there is none."""

    kind: LackKind
    name: str


_PROGRAM: Final = lazy_pattern(
    r"command not found: (?P<a>[\w.+-]{2,60})\Z|(?:^|: )(?P<b>[\w.+-]{2,60}): (?:command )?not found\Z"
    r"|exec: \"(?P<c>[\w.+-]{2,60})\": executable file not found|\bspawn (?P<d>[\w.+-]{2,60}) ENOENT"
    r"|\benv: [‘']?(?P<e>[\w.+-]{2,60})['’]?: No such file|['\"`](?P<f>[\w.+-]{2,60})['\"`] is not recognized as"
    r"|fish: Unknown command: (?P<g>[\w.+-]{2,60})\Z"
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
_SIGNING: Final = lazy_pattern(
    r"[Cc]ould(?:n't| not) sign\b|gpg failed to sign|failed to sign the data|error: signing failed"
)
_LOCK: Final = lazy_pattern(r"Unable to create '[^'\n]{0,300}?(?P<a>[\w.-]{1,60}\.lock)': File exists")
_WRITE: Final = lazy_pattern(
    r"(?<![^\s'\"(])(?P<a>[~/][^\s'\":]{3,300})['\"]?: (?:[Oo]peration not permitted|[Rr]ead-only file system)"
)
_GLOB: Final = lazy_pattern(r"(?:^|: )no matches found: (?P<pattern>\S.*)")
_LOCAL: Final = frozenset(("localhost", "127.0.0.1", "0.0.0.0", "::1"))
_DEEP: Final = 3
"""Folders below a home folder that name a place of the machine."""


def missing_program(line: str) -> str:
    """The program that a shell did not find by this key line; empty if it says nothing of the kind."""
    found = _sought(_PROGRAM, line, "not found", "No such file", " is not recognized as", "Unknown command")
    return _first(found.groups()) if found else ""


def unmatched_pattern(line: str) -> str:
    """The file pattern for which zsh found no match by this key line; empty if it says nothing of the kind."""
    found = _sought(_GLOB, line, "no matches found: ")
    return found["pattern"] if found else ""


def lack_of(line: str) -> Lack | None:
    """What the environment lacks by this key line; None where it says of nothing that it is not there."""
    if found := _sought(_PROGRAM, line, "not found", "ENOENT", "No such file", " is not recognized as"):
        return Lack("program", _first(found.groups()))
    if found := _sought(_MODULE, line, "No module named", "Cannot find "):
        return Lack("module", _first(found.groups()))
    if found := _sought(_HOST, line, "resolve host", "lookup ", "getaddrinfo ", "error connecting to ", " connect to "):
        host = _first(found.groups())
        return Lack("service", f"{host}:{found['p']}") if host in _LOCAL and found["p"] else Lack("network", host)
    if found := _sought(_REFUSED, line, "ECONNREFUSED", "connection refused"):
        return Lack("service", _first(found.groups()))
    if "Cannot connect to the Docker daemon" in line:
        return Lack("service", "docker")
    if _sought(_SIGNING, line, " sign", ": signing failed"):
        return Lack("signing", "")
    if found := _sought(_LOCK, line, ".lock': File exists"):
        return Lack("lock", found["a"])
    if found := _sought(_WRITE, line, "peration not permitted", "ead-only file system"):
        return Lack("write", _folder(found["a"]))
    return Lack("glob", "zsh") if _sought(_GLOB, line, "no matches found: ") else None


def _sought(pattern: re.Pattern[str], line: str, *words: str) -> re.Match[str] | None:
    """The match of a pattern, which has one of the words: without one it is not even compiled."""
    return pattern.search(line) if any(word in line for word in words) else None


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
