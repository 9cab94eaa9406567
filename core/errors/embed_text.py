"""What a model reads of an error: not the key but its words, names kept, paths and wrappers cut (DESIGN 7)."""

from __future__ import annotations

import re
from typing import Final

from core.lazy_pattern import lazy_pattern
from core.text import MASK, clean

RECIPE: Final = "error/1"
"""The version of this text; it is stored with each vector. Any change of what `embed_text` returns changes it."""

LONGEST: Final = 4096
"""Code points of a key line that are read."""

_PLACEHOLDER = lazy_pattern(r"<[A-Z][A-Z0-9_]{0,30}>|…#[0-9a-f]{12}\Z")
_URL = lazy_pattern(r"[A-Za-z][A-Za-z0-9+.-]{0,19}://(?P<rest>[^\s'\"`<>]+)")
_POSITION = lazy_pattern(
    r"(?<=[\w\])'\"])(?::[0-9]+){1,3}(?![\w.])|\([0-9]+(?:[,:] ?[0-9]+)*\)"
    r"|\b(?:line|lines|column|col|char|position|offset|pos)[ :=]+[0-9]+(?:-[0-9]+)?\b(?!\.)",
    re.IGNORECASE,
)
# A token that lies in folders: rooted, dotted, on a drive, two folders deep, or a folder and a file with an extension.
_TOKEN = lazy_pattern(r"[^\s'\"`<>|,;=()\[\]{}“”‘’]*[\\/][^\s'\"`<>|,;=()\[\]{}“”‘’]*")
_FOLDERS = lazy_pattern(
    r"(?:[A-Za-z]:)?[\\/]|\.{1,2}[\\/]|~[\\/]|[^\\/]+[\\/][^\\/]+[\\/]|[^\\/]+[\\/].*\.[A-Za-z]\w{0,9}:?\Z"
)
_HEX = lazy_pattern(
    r"\b(?:0x[0-9A-Fa-f]+|(?=[0-9a-fA-F-]*[0-9])(?=[0-9a-fA-F-]*[a-fA-F])[0-9a-fA-F]{7,}(?:-[0-9a-fA-F]{4,}){0,5})\b"
)
_LONG_NUMBER = lazy_pattern(r"[0-9]{5,}(?:\.[0-9]+)?")
_LEVEL = r"(?:fatal|error|err|failed|failure|critical|exception|panic|oops|오류|에러|치명적 오류)"
_WRAPPER = lazy_pattern(
    r"\s*(?:"
    r"npm (?:ERR!|error)(?: code(?= [A-Z]))?|yarn error|(?:ERR_PNPM_|ERR!)"
    rf"|\[?{_LEVEL}\]?(?: ?(?:[A-Z]{{1,8}}-?[0-9]{{2,6}}|[0-9]{{3,5}}(?: \([0-9A-Z]{{5}}\))?))?"
    r"(?:\[[A-Z]{1,8}[0-9]{2,6}\])?(?::|!|(?<=\]))(?=\s|\Z)"
    r"|Uncaught(?: \(in promise\))?|Unhandled (?:promise )?rejection:?|Caused by:|Traceback:?|\[[!x✖✗]\]"
    r"|(?:ERROR|FATAL|FAIL|CRITICAL)(?=\s)"
    r")\s*",
    re.IGNORECASE,
)
_CAMEL = lazy_pattern(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORDS = lazy_pattern(r"[^\W_]+(?:['’](?:t|s|d|m|re|ll|ve)(?![^\W_]))?|[+#&%]+", re.IGNORECASE)


ERRNO: Final = {
    "eacces": "permission denied",
    "eaddrinuse": "address already in use",
    "eaddrnotavail": "cannot assign requested address",
    "eagain": "resource temporarily unavailable",
    "eai": "temporary failure in name resolution",
    "ebadf": "bad file descriptor",
    "ebusy": "device or resource busy",
    "econnaborted": "connection aborted",
    "econnrefused": "connection refused",
    "econnreset": "connection reset by peer",
    "eexist": "file exists",
    "efbig": "file too large",
    "ehostunreach": "no route to host",
    "einval": "invalid argument",
    "eio": "input output error",
    "eisdir": "is a directory",
    "eloop": "too many levels of symbolic links",
    "emfile": "too many open files",
    "enametoolong": "file name too long",
    "enetunreach": "network is unreachable",
    "enfile": "too many open files in system",
    "enoent": "no such file or directory",
    "enoexec": "exec format error",
    "enomem": "cannot allocate memory",
    "enospc": "no space left on device",
    "enotdir": "not a directory",
    "enotempty": "directory not empty",
    "enotfound": "could not resolve host",
    "eperm": "operation not permitted",
    "epipe": "broken pipe",
    "erofs": "read only file system",
    "etimedout": "connection timed out",
    "exdev": "invalid cross device link",
}
"""What the system says for an errno name (`strerror`), and node's two for names that do not resolve."""


def embed_text(key_line: str) -> str:
    """The words of an error as a model reads them; blank only for a text without letters or digits.

    Wrappers (`npm ERR!`, `error TS2307:`, `fatal:`) are cut, paths become base names, hexadecimal, positions,
    placeholders and numbers of five digits or more go, identifiers are split into words; quoted names stay. Pure,
    linear in the first 4096 code points; the result holds no lone surrogate. Source: DESIGN 7, recipe `RECIPE`.
    """
    line = " ".join(clean(key_line[:LONGEST]).replace(MASK, " ").split())
    text = _URL.sub(_place, _unwrapped(line))
    text = _POSITION.sub(" ", _PLACEHOLDER.sub(" ", text))
    if "/" in text or "\\" in text:
        text = _TOKEN.sub(_base, text)
    text = _split(_LONG_NUMBER.sub(" ", _HEX.sub(" ", text)))
    return _said(text) or _split(line)


def _said(text: str) -> str:
    """With what an errno name says in words, where the text does not say it itself."""
    named = [ERRNO[word] for word in text.split() if word in ERRNO]
    return " ".join([text, *(said for said in dict.fromkeys(named) if said not in text)])


def _unwrapped(text: str) -> str:
    """Without the words a tool puts before every message; the last of them stays if nothing else is said."""
    at = 0
    while (match := _WRAPPER.match(text, at)) and at < match.end() < len(text):
        at = match.end()
    return text[at:]


def _split(text: str) -> str:
    return " ".join(_WORDS.findall(_CAMEL.sub(" ", text))).lower()


def _place(match: re.Match[str]) -> str:
    """The host of a URL and the last part of its path."""
    host, _, path = match["rest"].partition("/")
    last = path.partition("?")[0].partition("#")[0].rstrip("/.:,").rpartition("/")[2]
    return f" {host.rpartition('@')[2].partition(':')[0]} {last} "


def _base(match: re.Match[str]) -> str:
    token = match[0]
    if not _FOLDERS.match(token):
        return token
    return re.split(r"[\\/]", token.rstrip("\\/:."))[-1] or " "
