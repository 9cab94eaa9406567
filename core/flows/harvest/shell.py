"""A shell line taken apart: its simple commands, how they are joined, and where their output goes.

Enough of sh, PowerShell and cmd to tell which program ran and whose exit code was seen; nothing is expanded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

LIMIT = 16_384
"""Code points of a command that are looked at."""

_TOKEN = re.compile(
    r"""(?P<single>'[^']*'?)
    |(?P<double>"(?>(?:[^"\\]|\\.)*)"?)
    |(?P<escape>\\\n|\\["'\\ $`;&|<>()])
    |(?P<heredoc><<-?[ \t]*(?P<quote>['"]?)(?P<mark>\w+)(?P=quote))
    |(?P<redirect>(?:\d|&)?>>?&?\d?(?!\()|<(?![(<]))
    |(?P<op>&&|\|\||\|&|[|;\n&])
    |(?P<open>\$\(|[<>]?\()
    |(?P<close>\))
    |(?P<space>[ \t\r]+)
    |(?P<comment>(?<![^\s;|&])\#[^\n]*)
    |(?P<plain>(?:[^\s'"\\<>|;&()\#$\d]|\$(?!\()|\d(?!>)|(?<=\S)\#)+|.)""",
    re.VERBOSE | re.DOTALL,
)


_LOOP = re.compile(r"(?:for|while|until|if|case|do|then|else|done|fi|esac)\b|[{}]")


class Simple(NamedTuple):
    """One simple command: its words without quotes, where it writes, the text fed to it, and what follows it.

    `after` is the operator to its right (`&&`, `||`, `|`, `;`, `&`, or empty at the end); a newline counts as `;`.
    """

    words: tuple[str, ...]
    targets: tuple[str, ...] = ()
    fed: str = ""
    after: str = ""


@dataclass(slots=True)
class _Open:
    """What the scanner has of the command it is reading."""

    words: list[str]
    targets: list[str]
    word: str | None = None
    redirecting: bool = False
    fed: str = ""

    def end_word(self) -> None:
        if self.word is None:
            return
        if self.redirecting:
            self.targets.append(self.word)
            self.redirecting = False
        else:
            self.words.append(self.word)
        self.word = None

    def add(self, text: str) -> None:
        self.word = (self.word or "") + text

    def close(self, after: str) -> Simple | None:
        self.end_word()
        if not self.words and not self.targets:
            return None
        return Simple(tuple(self.words), tuple(self.targets), self.fed, after)


def split(command: str) -> tuple[Simple, ...]:
    """The simple commands of a line or script, in order. Text inside `$(…)` stays a part of its word."""
    text = command[:LIMIT]
    done: list[Simple] = []
    now, depth, at = _Open([], []), 0, 0
    waiting: list[str] = []
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            break
        kind, token, at = found.lastgroup or "plain", found[0], found.end()
        if found["heredoc"] is not None:
            waiting.append(found["mark"])
        elif found["open"] is not None:
            depth += 1
            if token != "(" or now.word is not None or depth > 1:
                now.add(token)
        elif found["close"] is not None:
            if depth > 1 or (depth and now.word is not None and "(" in now.word):
                now.add(token)
            depth = max(0, depth - 1)
        elif depth and now.word is not None and "(" in now.word:
            now.add(token)
        elif found["op"] is not None:
            if token == "\n" and waiting:
                fed, at = _heredocs(text, at, waiting)
                now.fed, waiting = fed, []
            _join(done, now, ";" if token == "\n" else "|" if token == "|&" else token)
            now = _Open([], [])
        else:
            _take(now, kind, token)
    _join(done, now, "")
    return tuple(done)


def chained(command: str) -> tuple[str, ...]:
    """The texts of a line that run one after the other (`a && b; c`), quotes and all; the whole line where it holds a
    here-document or a loop."""
    text = command[:LIMIT]
    found: list[str] = []
    start = at = depth = 0
    while at < len(text) and (token := _TOKEN.match(text, at)) is not None:
        if token["heredoc"] is not None:
            return (command,)
        depth += (token["open"] is not None) - (token["close"] is not None)
        if depth <= 0 and token["op"] is not None and token[0] in ("&&", "||", ";", "\n"):
            found.append(text[start : token.start()].strip())
            start = token.end()
        at = token.end()
    found.append(text[start:].strip())
    if any(_LOOP.match(one) for one in found):
        return (command,)
    return tuple(one for one in found if one)


def _take(now: _Open, kind: str, token: str) -> None:
    """Let one token that neither joins nor nests go where it belongs."""
    if kind in ("space", "comment") or token == "\\\n":
        now.end_word()
    elif kind == "redirect":
        if now.word is not None and now.word.isdigit():
            now.word = None
        now.end_word()
        now.redirecting = token[0] != "<" and not token.rstrip("0123456789").endswith("&")
    elif kind in ("single", "double"):
        inner = token[1:-1] if len(token) > 1 and token[-1] == token[0] else token[1:]
        now.add(inner.replace('\\"', '"') if kind == "double" else inner)
    elif kind == "escape":
        now.add(token[1:])
    else:
        now.add(token)


def _join(done: list[Simple], now: _Open, after: str) -> None:
    """Close the command being read; where there is none, the operator belongs to the one before."""
    simple = now.close(after)
    if simple is not None:
        done.append(simple)
    elif done and after and not done[-1].after:
        done[-1] = Simple(done[-1].words, done[-1].targets, done[-1].fed, after)


def _heredocs(text: str, at: int, marks: list[str]) -> tuple[str, int]:
    """The bodies of here-documents that start at `at`, and where they end (before the newline that ends the last)."""
    bodies: list[str] = []
    for mark in marks:
        end = re.compile(rf"^[ \t]*{re.escape(mark)}[ \t]*$", re.MULTILINE).search(text, at)
        if end is None:
            bodies.append(text[at:])
            return "\n".join(bodies), len(text)
        bodies.append(text[at : end.start()])
        at = min(len(text), end.end() + 1)
    return "\n".join(bodies), at
