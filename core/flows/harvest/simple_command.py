"""One simple command of a shell line: which program runs, around what, and of which kind it is."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from core.flows.harvest import programs
from core.flows.harvest.shell import Simple, split

Kind = Literal["run", "read", "setup"]

_ASSIGNMENT = re.compile(r"(?:\$env:)?[A-Za-z_]\w*=", re.DOTALL)
_SUFFIX = re.compile(r"\.(?:exe|cmd|bat|ps1|com)$", re.IGNORECASE)
SHELLS = frozenset(("bash", "sh", "zsh", "dash", "ksh", "powershell", "pwsh", "cmd"))
_RUN_FLAG = re.compile(r"(?:-\w*c|-Command|/[cC])$")
_SSH_VALUED = frozenset(("-i", "-p", "-o", "-l", "-F", "-J", "-L", "-R", "-D", "-b", "-c", "-e", "-m", "-S", "-W"))
KEYWORDS = frozenset(("do", "then", "else", "elif", "if", "while", "until", "!", "{", "}"))
LOOPS = frozenset(("for", "case", "select", "foreach", "function"))
_ALIASES = {
    "npm run test": "npm test",
    "npm t": "npm test",
    "npm run-script": "npm run",
    "npm i": "npm install",
    "npm add": "npm install",
    "pnpm run": "pnpm",
    "yarn run": "yarn",
    "pnpm i": "pnpm install",
    "docker-compose": "docker compose",
}
_NAMES = {"python3": "python", "py": "python", "pip3": "pip", "gradlew": "gradle", "mvnw": "mvn", "py.test": "pytest"}
_PYTHON = re.compile(r"python\d(?:\.\d+)?$")


class Part(NamedTuple):
    """One simple command of a line: what runs (`words`, normalized) and around what (settings, wrappers)."""

    words: tuple[str, ...]
    around: tuple[str, ...]
    kind: Kind
    simple: Simple

    @property
    def program(self) -> str:
        """The program's plain name, or an empty string for settings alone."""
        return self.words[0] if self.words else ""

    @property
    def family(self) -> str:
        """What makes two runs the same: the program and its arguments, without messages."""
        if self.words[:2] == ("git", "commit"):
            return "git commit" + (" --no-verify" if {"-n", "--no-verify"} & set(self.words) else "")
        return " ".join((*self.words, self.simple.fed)).rstrip()

    @property
    def shape(self) -> str:
        """What a person would type for it: without what only decorates, one spelling of a package manager's scripts."""
        plain = self.program in ("npm", "pnpm", "yarn")
        around = () if self.around and plain_name(self.around[0]) in programs.DECORATION else self.around
        return " ".join(
            (*around, *(self.words if plain else self.simple.words[len(self.around) :]), self.simple.fed)
        ).strip()

    def width(self, table: frozenset[str]) -> int:
        """How many leading words of the part stand in `table` together (the longest entry), or 0."""
        words = self.words
        if len(words) > 2 and f"{words[0]} {words[1]} {words[2]}" in table:
            return 3
        if len(words) > 1 and f"{words[0]} {words[1]}" in table:
            return 2
        return 1 if words and words[0] in table else 0

    def named(self, table: frozenset[str]) -> bool:
        """Whether the program, alone or with its first one or two arguments, stands in `table`."""
        return self.width(table) > 0


def plain_name(word: str) -> str:
    """A program's name without its folder and suffix, versions of one interpreter as one."""
    name = _SUFFIX.sub("", word.replace("\\", "/").rpartition("/")[2] or word)
    name = _NAMES.get(name, name)
    return "python" if _PYTHON.match(name) else name


def flat(simples: tuple[Simple, ...], depth: int = 0) -> list[Simple]:
    """`bash -lc "…"`, `ssh host "…"` and their like replaced by what they run."""
    out: list[Simple] = []
    for simple in simples:
        within = _within(simple.words) if depth < 3 else ()
        inner = flat(split(" ".join(within)), depth + 1) if within else []
        if inner:
            targets = (*inner[-1].targets, *simple.targets)
            out.extend((*inner[:-1], inner[-1]._replace(after=simple.after, targets=targets)))
        else:
            out.append(simple)
    return out


def _within(words: tuple[str, ...]) -> tuple[str, ...]:
    """The command line that a shell was given, or `ssh` for the host that it goes to; empty where there is none."""
    name = plain_name(words[0]) if words else ""
    if name in SHELLS:
        flag = next((at for at, word in enumerate(words[1:4], 1) if _RUN_FLAG.match(word)), len(words))
        return words[flag + 1 :]
    if name != "ssh":
        return ()
    at = 1
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in _SSH_VALUED else 1
    return words[at + 1 :]


def _unwrap(words: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What stands around a command (settings, `sudo`, `npx`, `uv run`) and the command itself."""
    around: list[str] = []
    rest = list(words)
    while rest:
        head = plain_name(rest[0])
        if rest[0].lower().startswith("$env:") and rest[1:2] == ["="]:
            around.extend(rest[:3])
            del rest[:3]
            continue
        if _ASSIGNMENT.match(rest[0]) or rest[0] in KEYWORDS:
            around.append(rest.pop(0))
            continue
        two, three = f"{head} {rest[1]}" if len(rest) > 1 else "", " ".join((head, *rest[1:3]))
        width = (
            3 if three in programs.RUNNERS else 2 if two in programs.RUNNERS else 1 if head in programs.WRAPPERS else 0
        )
        valued = programs.RUNNERS.get(three) or programs.RUNNERS.get(two) or programs.WRAPPERS.get(head) or frozenset()
        if head in programs.TOOLCHAINS and rest[1:2] and rest[1].startswith("+") and len(rest) > 2:
            around.append(rest.pop(1))
            continue
        if width == 0 or len(rest) <= width:
            break
        around.extend(rest[:width])
        del rest[:width]
        while rest and (rest[0].startswith("-") or (head in ("timeout", "gtimeout") and re.match(r"\d", rest[0]))):
            takes = rest[0] in valued
            around.append(rest.pop(0))
            if takes and rest:
                around.append(rest.pop(0))
    return tuple(around), tuple(rest)


def part_of(simple: Simple) -> Part:
    around, rest = _unwrap(simple.words)
    words = [plain_name(rest[0]), *rest[1:]] if rest else []
    if len(words) > 2 and words[0] == "python" and words[1] == "-m":
        words = [plain_name(words[2]), *words[3:]]
    for width in (3, 2, 1):
        alias = _ALIASES.get(" ".join(words[:width]))
        if alias is not None:
            words[:width] = alias.split()
            break
    part = Part(tuple(words), around, "run", simple)
    if not words or words[0] in LOOPS or part.named(programs.SETUP):
        return part._replace(kind="setup")
    return part._replace(kind="read") if _reads(part) else part


def _reads(part: Part) -> bool:
    """Whether the part only shows what is there."""
    words = part.words
    if {"--help", "--version", "--explain"} & set(words[1:]) or words[1:] in (
        ("-h",),
        ("-V",),
        ("-v",),
        ("help",),
        ("version",),
    ):
        return True
    if part.program == "sed" and any(re.match(r"-[a-zA-Z]*i|--in-place", word) for word in words[1:]):
        return False
    if part.program == "find" and {"-delete", "-exec"} & set(words):
        return False
    if words[:2] == ("git", "config") and any(re.match(r"--(?:get|list)|-l$", word) for word in words[2:]):
        return True
    changing = part.width(programs.CHANGERS)
    if changing == 1 and any(word.split("-")[0] in programs.LOOKING_VERBS for word in words[1:4]):
        return True
    return max(part.width(programs.READERS), part.width(programs.ANSWERS)) > changing
