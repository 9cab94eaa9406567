"""Bans of people's rule files on a tool call: an exact match of forbidden code, apart from the ranking of rules.

A command is matched by its parsed program and words, an edit by the code that its added lines have more often than the
removed ones, a path by the edited file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, cast

from core.flows.harvest.command import KEYWORDS, LIMIT, Part, parse_command, plain_name, split
from core.flows.harvest.programs import RUNNERS
from core.rules.bans.reader import Ban
from core.rules.matching.call import PATHS, as_edit
from core.rules.matching.languages import named_in, of_path
from core.text.cleaning import normalized
from core.transcripts.commands import LOOKING_TOOLS, shell_command, with_known_fields

READ = 200_000
"""Code points of an edit that are looked at."""
_NEW: Final = ("new_string", "content", "new_source", "file_text", "new_str")
_OLD: Final = ("old_string", "old_str")


@dataclass(frozen=True, slots=True)
class Act:
    """What a call does, as far as bans are about it: its parsed commands; or the edited files, and the texts that an
    edit removes and adds. `whole`: a file is written as a whole; `head`: its first lines as they are before."""

    parts: tuple[Part, ...] = ()
    files: tuple[str, ...] = ()
    old: str = ""
    new: str = ""
    whole: bool = False
    head: str = ""


def act_of(tool: str, tool_input: Mapping[str, Any]) -> Act:
    """The parsed call."""
    given = as_edit(with_known_fields(tool_input))
    file = _first(given, PATHS)
    written = next((name for name in _NEW if isinstance(given.get(name), str)), "")
    if file and written and tool not in LOOKING_TOOLS:
        more = given.get("other_path")
        others = [one for one in cast("list[object]", more) if isinstance(one, str)] if isinstance(more, list) else []
        files = tuple(path.replace("\\", "/") for path in (file, *others))
        whole = written in ("content", "file_text")
        return Act((), files, _first(given, _OLD)[:READ], _first(given, (written,))[:READ], whole)
    command = shell_command(tool, tool_input)
    return Act(parse_command(command[:LIMIT]).parts) if command is not None else Act()


def _first(given: Mapping[str, Any], names: Sequence[str]) -> str:
    return next((text for name in names if isinstance(text := given.get(name), str)), "")


def broken(ban: Ban, act: Act, advised: frozenset[str], folder: str = "") -> bool:
    """Whether a call does what a ban forbids, and nothing that its file advises. `folder`: that of the file."""
    if ban.kind == "edit":
        kept = ban.existing and act.whole
        return not kept and any(_is_banned_path(ban.code, normalized(file), normalized(folder)) for file in act.files)
    if ban.kind == "generated":
        return any(_is_generated(ban.code, file.removeprefix(folder), act.head) for file in act.files[:1])
    if ban.kind == "push":
        return any(_pushes(ban.code, part) for part in act.parts)
    if act.parts:
        return any(_runs(ban.code, part) and not _is_advised(ban.code, part, advised) for part in act.parts)
    return bool(act.files) and ban.kind != "run" and _adds(ban, act, folder)


# Commands ------------------------------------------------------------------------------------------------------------

_WILD = re.compile(r"\.{3}|…|<[^<>]*>|\[[^\[\]]*\]|\{[^{}]*\}|\*")
_PROGRAM = re.compile(r"[./\w-]*[A-Za-z][\w.+-]*")


def _runs(code: str, part: Part) -> bool:
    words = _words(code)
    if not words:
        return False
    if words[0].startswith("-"):
        return len(words) == 1 and len(words[0]) > 2 and _has_option(words[0], part.simple.words[1:])
    return any(_begins(words, called) for called in _called(part))


@lru_cache(maxsize=1024)
def _words(code: str) -> tuple[str, ...]:
    """The words of a forbidden command; none where the code is no single plain command."""
    if any(sign in code for sign in "();{}|&\"'`=\n<>$#") and not _WILD.search(code):
        return ()
    simples = split(code)
    if len(simples) != 1 or simples[0].targets:
        return ()
    words = simples[0].words
    return words if words and (words[0].startswith("-") or _PROGRAM.fullmatch(words[0])) else ()


def _called(part: Part) -> Iterator[tuple[str, ...]]:
    """The command as it was written, without settings and keywords; and without a wrapper like `sudo`."""
    words = list(part.simple.words)
    while words and (words[0] in KEYWORDS or re.match(r"[A-Za-z_]\w*=", words[0])):
        words.pop(0)
    if words:
        yield tuple(words)
    around = part.around
    heads = {plain_name(around[0])} if around else set[str]()
    runners = {" ".join(around[at : at + size]) for at in range(len(around)) for size in (2, 3)}
    if around and not runners & RUNNERS.keys() and heads.isdisjoint(("npx", "bunx", "uvx", "pnpx")):
        yield part.simple.words[len(around) :]


def _begins(words: Sequence[str], called: Sequence[str]) -> bool:
    """Whether a command begins with these words; its own options may stand between them, those of the ban anywhere."""
    if not called or not _same_program(words[0], called[0]):
        return False
    options = [word for word in words[1:] if word.startswith("-")]
    rest = called[1:]
    if not all(_has_option(option, rest) for option in options):
        return False
    at = 0
    for word in words[1:]:
        if word.startswith("-"):
            continue
        while at < len(rest) and rest[at].startswith("-") and rest[at] != word:
            at += 1
        if _WILD.fullmatch(word):
            at += 1
            continue
        if at >= len(rest) or rest[at] != word:
            return False
        at += 1
    return True


def _pushes(branch: str, part: Part) -> bool:
    """Whether a command pushes to this branch by name (`main`, `HEAD:main`)."""
    words = part.simple.words[len(part.around) :]
    if words[:1] != ("git",) or "push" not in words[1:4] or {"--dry-run", "-n"} & set(words):
        return False
    targets = [word for word in words[words.index("push") + 1 :] if not word.startswith("-")][1:]
    return any(word.removeprefix("+").rpartition(":")[2].removeprefix("refs/heads/") == branch for word in targets)


def _same_program(banned: str, called: str) -> bool:
    if "/" in banned:
        return banned.removeprefix("./") == called.removeprefix("./")
    return banned == called.replace("\\", "/").rpartition("/")[2]


def _has_option(option: str, words: Sequence[str]) -> bool:
    """Whether an option is there, with a value or among other letters (`-rf` has `-f`)."""
    if option.startswith("--"):
        return any(word == option or word.startswith(f"{option}=") for word in words)
    letters = set(option[1:])
    return any(
        word == option or (word[:1] == "-" and word[1:2] != "-" and word[1:].isalpha() and letters <= set(word[1:]))
        for word in words
    )


def _is_advised(code: str, part: Part, advised: frozenset[str]) -> bool:
    """Whether the command is one that the file names itself, and that says more than the ban (`cargo test --doc`)."""
    banned = _words(code)
    for one in advised:
        words = _words(one.strip()) if banned[0] in one else ()
        longer = words != banned and len(words) >= len(banned)
        if longer and any(_begins(words, called) for called in _called(part)):
            return True
    return False


# Edits ---------------------------------------------------------------------------------------------------------------

_QUOTED: Final = re.compile(r"(?<!\\)(?:\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\\n]|\\.)*`)")
_HASH: Final = frozenset(("python", "shell", "ruby", "terraform", "docker", "powershell", "data"))
_DASHES: Final = frozenset(("sql", "vhdl"))
_NONE: Final = frozenset(("html", "prose"))


_TEST: Final = re.compile(
    r"(?:^|/)(?:tests?|specs?|bench(?:es|marks?)?|e2e|__tests__|__mocks__|mocks|fixtures)/|[._-](?:tests?|spec|bench)\.\w+$"
    r"|(?:^|/)(?:test_[^/]*|conftest)\.py$"
)
"""A file of tests: what is forbidden in the product is common there, unless the text speaks of tests."""
_PLAIN: Final = re.compile(r"[A-Z]?[a-z]+")
"""A word that may mean anything in another language (`var`, `any`): it counts where the text names the file's."""


def _adds(ban: Ban, act: Act, folder: str) -> bool:
    file = act.files[0].removeprefix(folder)
    if (_TEST.search(file) and "test" not in ban.about.casefold()) or file.rpartition("/")[2] in ban.about:
        return False
    language = of_path(file)
    if not language or language == "prose":
        return False
    pattern = code_pattern(ban)
    if pattern is None or (ban.kind == "use" and _PLAIN.fullmatch(ban.code) and language not in named_in(ban.about)):
        return False
    return _count(pattern, ban, act.new, language) > _count(pattern, ban, act.old, language)


_LONG_STRINGS: Final[Mapping[str, re.Pattern[str]]] = {
    "python": re.compile(
        r"\"\"\"(?>(?:[^\"\\]|\\.|\"(?!\"\"))*)\"\"\"|\'\'\'(?>(?:[^\'\\]|\\.|\'(?!\'\'))*)\'\'\'", re.DOTALL
    ),
    "javascript": re.compile(r"(?<!\\)`(?>(?:[^`\\]|\\.)*)`", re.DOTALL),
    "typescript": re.compile(r"(?<!\\)`(?>(?:[^`\\]|\\.)*)`", re.DOTALL),
}
"""Strings of several lines."""


def _count(pattern: re.Pattern[str], ban: Ban, text: str, language: str) -> int:
    if not text or not pattern.search(text):
        return 0
    if (spans := _LONG_STRINGS.get(language)) is not None:
        text = spans.sub(lambda found: "\n" * found[0].count("\n"), text)
    strings = ban.kind == "import"  # what is imported may be named in one
    return sum(
        len(pattern.findall(piece))
        for line in text.split("\n")
        for piece in _pieces(line, ban.code, language, strings=strings)
    )


def _pieces(line: str, code: str, language: str, *, strings: bool) -> Iterator[str]:
    """The code of a line without comment and, but for `strings`, strings; and a comment that begins with the code."""
    bare = _QUOTED.sub(lambda found: found[0][0] + " " * (len(found[0]) - 2) + found[0][0], line)
    mark = "#" if language in _HASH else "--" if language in _DASHES else "" if language in _NONE else "//"
    at = bare.find(mark) if mark else -1
    if mark == "//" and bare.lstrip().startswith(("*", "/*")):
        at = len(bare) - len(bare.lstrip())
    if at >= 0:
        comment = line[at:]
        if not code.isalpha() and comment.lstrip("#/-*!; ").startswith(code.lstrip("#/-*!; ")):
            yield comment
        line, bare = line[:at], bare[:at]
    yield line if strings or any(sign in code for sign in "\"'`") else bare


@lru_cache(maxsize=1024)
def code_pattern(ban: Ban) -> re.Pattern[str] | None:
    """The pattern of forbidden code in a file; None for what is none (a path, an option, a command of plain words)."""
    code = ban.code
    if code.startswith(("-", "/", "~", "./", "../")) or not re.search(r"\w", code) or len(code) < 2:
        return None
    call = re.search(r"\((?:\.{3}|…)?\)$", code)
    base = code[: call.start()] if call else code
    wild = r"\.{3}|…" if re.match(r"(?:use|import|from)\s", base) else r"\.{3}|…|(?:(?<=[\w.-])|(?<=[^:]:))\*(?!\*)"
    pieces = [re.escape(piece) for piece in re.split(wild, base)]
    joints = re.findall(wild, base)
    body = pieces[0]
    for joint, piece in zip(joints, pieces[1:], strict=True):
        body += (r"[\w-]*" if joint == "*" else r"[^\n]{0,200}?") + piece
    body = re.sub(r"(?:\\ )+", r"\\s+", body)
    before = r"(?<![\w$.-])" if re.match(r"\w", base) else r"(?<![\w$])" if base[0] in "@#" else ""
    after = r"(?![\w$])" if re.search(r"\w$", base) else ""
    if call or ban.kind == "call":
        after = rf"{after}\s*(?:<[^<>\n]{{0,80}}>)?\("
    lead = r"^[^\n]*\b(?:import|from|require|use|using|include)\b[^\n]{0,200}?" if ban.kind == "import" else ""
    return re.compile(lead + before + body + after, re.MULTILINE)


_LEADING: Final = re.compile(
    r"(?>\s+|---\n.*?\n---\n|(?:#|//|--|;|%|<\?)[^\n]*|/\*.*?\*/|<!--.*?-->|\"{3}.*?\"{3})*", re.DOTALL
)
"""The comments at the start of a file, with the metadata of a page."""
_SAYS_GENERATED: Final = re.compile(
    r"@generated\b|<auto-?generated\b|\b(?:auto-?)?generated\b.{0,200}?\bdo not (?:edit|modify|change)\b"
    r"|\bdo not (?:edit|modify|change)\b.{0,200}?\b(?:auto-?)?generated\b",
    re.IGNORECASE | re.DOTALL,
)
"""How a generator marks its files."""


def _is_generated(words: str, file: str, head: str) -> bool:
    """Whether a file says that it is generated; a word that a ban adds (`proto`) is there or in its path."""
    leading = _LEADING.match(head)
    comments = leading[0] if leading else ""
    if of_path(file) == "prose":  # there, `#` is a heading
        parts = (part.partition("-->") for part in comments.split("<!--")[1:])
        comments = " ".join(inside for inside, end, _ in parts if end)
    found = _SAYS_GENERATED.search(comments)
    return found is not None and all(
        word in f"{file}\n{found[0]}".casefold() for word in words.casefold().split()[1:-1]
    )


# Paths ---------------------------------------------------------------------------------------------------------------


def _is_banned_path(code: str, file: str, folder: str) -> bool:
    """Whether an edited file is of a banned path: a glob from the rule file's folder, or of the last parts of it."""
    folder = folder.replace("\\", "/").rstrip("/")
    if folder and not file.startswith("/"):
        file = f"{folder}/{file}"
    inside = file.removeprefix(f"{folder}/") if folder else file
    if inside == file and folder and file.startswith("/") and not code.startswith(("/", "~")):
        return False
    return _glob(code).fullmatch(file if code.startswith("/") else inside) is not None


@lru_cache(maxsize=1024)
def _glob(code: str) -> re.Pattern[str]:
    glob = re.sub(r"(?<=/)\*$", "**", code.removeprefix("./").removeprefix("~"))
    body = ""
    for piece in re.split(r"(\*\*/|\*\*|\*|\{[^{}/]*\})", glob.rstrip("/")):
        if piece == "**/":
            body += r"(?:[^/]+/)*"
        elif piece == "**":
            body += r".*"
        elif piece == "*":
            body += r"[^/]*"
        elif piece.startswith("{") and piece.endswith("}") and "," in piece:
            body += "(?:" + "|".join(map(re.escape, piece[1:-1].split(","))) + ")"
        else:
            body += re.escape(piece)
    tail = r"(?:/.*)?" if glob.endswith("/") or not re.search(r"\.[\w*]+$|\*$", glob) else ""
    deep = r"(?:(?!\.)[^/]+/)*" if "/" in code else r"(?:.*/)?"  # `rules/` is not `.claude/rules/`
    return re.compile((r".*" if code.startswith("~") else "" if code.startswith("/") else deep) + body + tail)
