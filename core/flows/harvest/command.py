"""Shell commands: a line split into simple commands, the program and family of each, and what hides its exit code.

Enough of sh, PowerShell and cmd to tell which program ran and whose exit code was seen. Nothing is expanded."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from core.flows.harvest import programs
from core.transcripts.commands import shell_command

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
    token_at, end = _TOKEN.match, len(text)
    while at < end:
        found = token_at(text, at)
        if found is None:
            break
        kind, token, at = found.lastgroup or "plain", found[0], found.end()
        if kind == "heredoc":
            waiting.append(found["mark"])
        elif kind == "open":
            depth += 1
            if token != "(" or now.word is not None or depth > 1:
                now.add(token)
        elif kind == "close":
            if depth > 1 or (depth and now.word is not None and "(" in now.word):
                now.add(token)
            depth = max(0, depth - 1)
        elif depth and now.word is not None and "(" in now.word:
            now.add(token)
        elif kind == "op":
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
    if kind == "plain":
        now.add(token)
    elif kind in ("space", "comment") or token == "\\\n":
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
            settings = [f"-c {after} " for word, after in pairwise(self.words) if word == "-c"]
            return f"git {''.join(settings)}commit" + " --no-verify" * bool({"-n", "--no-verify"} & set(self.words))
        return " ".join((*self.words, self.simple.fed)).rstrip()

    @property
    def shape(self) -> str:
        """What a person would type for it: without what only decorates, one spelling of a package manager's scripts."""
        around = () if self.around and plain_name(self.around[0]) in programs.DECORATION else self.around
        typed = self.simple.words[len(self.around) :]
        plain = self.program in ("npm", "pnpm", "yarn") and not "".join(typed[1:2]).startswith("-")
        return " ".join((*around, *(self.words if plain else typed), self.simple.fed)).strip()

    def width(self, table: frozenset[str]) -> int:
        """Return how many leading words of the part are in `table` together (the longest entry), or 0."""
        words = self.words
        if not words:
            return 0
        program = words[0]
        if program not in _first_words(table) and " " not in program:
            return 0
        if len(words) > 2 and f"{words[0]} {words[1]} {words[2]}" in table:
            return 3
        if len(words) > 1 and f"{words[0]} {words[1]}" in table:
            return 2
        return int(program in table)

    def named(self, table: frozenset[str]) -> bool:
        """Return whether the program, alone or with its first one or two arguments, is in `table`."""
        return self.width(table) > 0


@lru_cache(maxsize=64)
def _first_words(table: frozenset[str]) -> frozenset[str]:
    """The programs of a table, of which most commands are none."""
    return frozenset(entry.partition(" ")[0] for entry in table)


@lru_cache(maxsize=512)
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
    """Return the wrapper of a command (settings, `sudo`, `npx`, `uv run`) and the command itself."""
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
    words = _subcommand_first(words)
    part = Part(tuple(words), around, "run", simple)
    if not words or words[0] in LOOPS or part.named(programs.SETUP):
        return part._replace(kind="setup")
    return part._replace(kind="read") if _reads(part) else part


def _subcommand_first(words: list[str]) -> list[str]:
    """`git -C web log -3` as `git log -3 -C web`: the tables of programs compare the first words."""
    for width in (1, 2):
        valued = programs.GLOBAL_OPTIONS.get(" ".join(words[:width]))
        at = width
        while valued is not None and at < len(words) and words[at].startswith("-"):
            at += 2 if words[at] in valued else 1
        if width < at < len(words):
            end = words.index("--", at) if "--" in words[at:] else len(words)
            words = [*words[:width], *words[at:end], *words[width:at], *words[end:]]
    return words


_DRY: Final = frozenset(("-n", "--dry-run", "--just-print", "--recon"))


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
    if part.program in ("npm", "pnpm", "yarn", "bun") and len(words) < 3 and part.simple.words[-1:] == ("run",):
        return True  # it lists the scripts
    if part.program in ("make", "gmake", "just") and _DRY & set(words[1:]):
        return True  # it prints what it would run
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


View = Literal["whole", "tail", "part", "hidden"]
_VIEWS: Final[tuple[View, ...]] = ("whole", "tail", "part", "hidden")
"""Each shows no more than the one before."""
FILTERS = programs.FILTERS_WHOLE | programs.FILTERS_TAIL | programs.FILTERS_PART | programs.FILTERS_COUNT

_VARIABLE = re.compile(r"\$\?|\$\{PIPESTATUS[^}]*\}|\$PIPESTATUS\b|\$\{?LASTEXITCODE\}?|%ERRORLEVEL%", re.IGNORECASE)
NOWHERE = frozenset(("/dev/null", "nul", "NUL", "$null", "/dev/stderr", "/dev/stdout", "/dev/tty"))


def exit_and_view(parts: tuple[Part, ...], members: tuple[Part, ...], text: str) -> tuple[bool, View]:
    """Whether a member's failure can be missing from the exit code, and how much of its output was shown."""
    passed_on = any(part.program == "exit" and part.words[-1].startswith("$") for part in parts)
    pipefail = passed_on or "pipefail" in text
    masked = any(KEYWORDS & set(part.around) or part.program in LOOPS for part in parts)
    view: View = "whole"
    read_later = {word for part in parts for word in part.words[1:] if part.kind == "read" or part.named(FILTERS)}
    known = frozenset(members)
    for at, (part, left) in enumerate(zip(parts, _visible_output(parts), strict=True)):
        if part not in known:
            continue
        after, more = part.simple.after, at + 1 < len(parts)
        alone = after == "&" and not more
        masked = masked or alone or (after == "|" and not pipefail)
        masked = masked or (after in ("||", ";", "&") and more and not passed_on)
        gone = [target for target in part.simple.targets if target not in NOWHERE and target not in read_later]
        view = _least(view, left, "hidden" if gone or (after == "&" and more) else "part" if alone else "whole")
    return masked, view


def _visible_output(parts: tuple[Part, ...]) -> list[View]:
    """What is to be seen of each part's output behind its pipe and the looks at the file it wrote.

    From the last to the first: a command of thousands of parts is read once."""
    found: list[View] = []
    looked: dict[str, View] = {}
    piped = behind = _VIEWS[0]
    for part in reversed(parts):
        piped = _least(piped, behind) if part.simple.after == "|" else _VIEWS[0]
        later: list[View] = [looked[target] for target in part.simple.targets if target in looked]
        found.append(_least(piped, *later))
        behind = _view_through(part)
        for word in part.words[1:]:
            looked[word] = _least(behind, looked.get(word, behind))
    return found[::-1]


def _least(*views: View) -> View:
    return _VIEWS[max(map(_VIEWS.index, views))]


def _view_through(part: Part) -> View:
    """What a filter lets through."""
    counts = part.named(programs.ANSWERS) and {"-c", "--count", "-q", "-l"} & set(part.words)
    if counts or part.named(programs.FILTERS_COUNT):
        return "hidden"
    if part.named(programs.FILTERS_TAIL) or "-Last" in part.words:
        return "tail"
    return "part" if part.named(programs.FILTERS_PART) else "whole"


def printed_status(parts: tuple[Part, ...]) -> re.Pattern[str] | None:
    """A pattern for the exit code that the command itself prints (`; echo "exit: $?"`), where that is a member's."""
    for at, part in enumerate(parts):
        template = " ".join(word for word in part.words[1:] if not word.startswith("-"))
        found = _VARIABLE.search(template) if part.program in ("echo", "printf", "Write-Host", "Write-Output") else None
        if found is None or at == 0:
            continue
        before = parts[at - 1]
        filtered = at > 1 and parts[at - 2].simple.after == "|" and before.named(FILTERS)
        if (filtered and "PIPESTATUS" not in found[0]) or before.simple.after == "||" or before.kind == "setup":
            continue
        start, end = (
            re.escape(side.strip().replace("\\n", "")) for side in (template[: found.start()], template[found.end() :])
        )
        # Blanks beside nothing are those of one line: the blank lines of a long output would be read again and again.
        lead, tail = f"{start}\\s*" if start else "", f"\\s*{end}" if end else ""
        return re.compile(rf"^[ \t]*{lead}(\d{{1,3}}){tail}[ \t]*$", re.MULTILINE)
    return None


class Command(NamedTuple):
    """A shell command as typed (`text`) and what follows from it.

    `members` are the parts that do something, or the reading ones where nothing else is there; `family` names them.
    `shape` is what a person would call the same command (settings, wrappers and arguments; without what only shows or
    decorates); `directory` where it was sent, or empty. `masked`: the exit code seen is not that of every member.
    """

    text: str
    parts: tuple[Part, ...]
    members: tuple[Part, ...]
    family: str
    shape: str
    directory: str
    masked: bool
    view: View
    reads_only: bool
    status: re.Pattern[str] | None

    @property
    def last(self) -> Part | None:
        """The part whose exit code the shell gave back."""
        return self.parts[-1] if self.parts else None


@lru_cache(maxsize=512)
def parse_command(text: str, directory: str = "") -> Command:
    """Parse a shell command; `directory` is the tool's working directory, if given."""
    parts = tuple(part_of(simple) for simple in flat(split(text)))
    running = tuple(part for part in _executing(parts) if part.kind == "run")
    members = running or tuple(part for part in _executing(parts) if part.kind == "read")
    moved = [
        part.words[-1] for part in parts if part.program in ("cd", "pushd", "Set-Location", "chdir") and part.words[1:]
    ]
    masked, view = exit_and_view(parts, members, text)
    shape = " && ".join(part.shape for part in _shaping(parts, members))
    return Command(
        text=text,
        parts=parts,
        members=members,
        family=" && ".join(part.family for part in members),
        shape=shape,
        directory=(moved[-1] if moved else directory).rstrip("/\\").removeprefix("./").removesuffix("."),
        masked=masked,
        view=view,
        reads_only=not running,
        status=printed_status(parts),
    )


def command_of(tool: str, tool_input: Mapping[str, object]) -> Command | None:
    """The command that a shell tool ran; None where `tool` is no shell tool or its input holds none."""
    text = shell_command(tool, tool_input)
    if text is None:
        return None
    where = next((tool_input[key] for key in ("workdir", "working_directory", "cwd") if key in tool_input), "")
    return parse_command(text[:LIMIT], where if isinstance(where, str) else "")


def _executing(parts: tuple[Part, ...]) -> list[Part]:
    """The parts that are no filter of another and no look at the file that one just wrote."""
    kept: list[Part] = []
    written: set[str] = set()
    piped = False
    for part in parts:
        looks = written & set(part.words[1:]) and (part.kind == "read" or part.named(FILTERS))
        if not (piped and part.named(FILTERS)) and not looks:
            kept.append(part)
        written |= set(part.simple.targets) - NOWHERE
        if part.program in ("tee", "Tee-Object"):
            written |= {word for word in part.words[1:] if not word.startswith("-")}
        piped = part.simple.after == "|"
    return kept


_SHELL_STATE: Final = programs.SHELL_STATE - {"cd", "pushd", "Set-Location", "chdir"}


def _shaping(parts: tuple[Part, ...], members: tuple[Part, ...]) -> list[Part]:
    """The parts that make a command the same one to a person."""
    known = frozenset(members)
    return [
        part
        for part in parts
        if part in known or (part.kind == "setup" and (not part.words or part.named(_SHELL_STATE)))
    ]
