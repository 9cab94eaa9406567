"""The command of a rule's mistake, run without what makes it one (`git push` is not `git push --force`), or another
command of the same program (`git commit`)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from core.rules.format.snippets import Snippet, code_text, share
from core.rules.matching.call import SEPARATED, CallText
from core.rules.matching.tables import ErrorPattern

_WORDS = re.compile(r"[A-Za-z][\w.+-]*|--?[A-Za-z][\w-]*")
_KNOWN = """
adb alembic apt apt-get brew bundle cargo composer dbt docker dotnet flutter gh git go helm kubectl npm pip pip3 pnpm
poetry systemctl terraform uv yarn
"""
_HAVE_COMMANDS = frozenset(_KNOWN.split())
"""Programs of which the word behind says what is done."""
_ALL = frozenset((".", "*", "/", "./", "./*"))
_PARTS, _NEARLY = 50, 0.75
_BEFORE = frozenset(("sudo", "env", "time", "npx", "uvx", "exec"))


def near_miss(mistakes: Iterable[Snippet], call: CallText, patterns: Iterable[ErrorPattern]) -> str:
    """The mistake whose command a call runs with none of its options, or without its sign for all there is (`git add
    .`); empty where it runs none, or has the option of one of them, or a pattern knows both for the same mistake
    (`+main` is a force push too)."""
    found = ""
    for one in mistakes:
        whole = _ALL.intersection(one.text.split())
        if "-" not in one.text and not whole:
            continue
        command, options = _command(one.text)
        if not command or not (options or whole) or command[0].casefold() not in call.code.words:
            continue
        if not _runs(command, call.pattern_text):
            continue
        if any(_has(option, call.code.words) for option in options) or whole.intersection(call.pattern_text.split()):
            return ""
        found = found or one.text
    return "" if found and _known(found, patterns) else found


def another_command(mistakes: Iterable[Snippet], call: CallText, patterns: Iterable[ErrorPattern]) -> str:
    """A mistake of whose program a call runs other commands alone; empty where it runs one that the rule shows too, or
    a pattern that matches the call knows both for the same mistake."""
    found = ""
    for one in mistakes:
        command, _ = _command(one.text)
        if not command or command[0].casefold() not in call.code.words or not _runs(command[:1], call.pattern_text):
            continue
        if len(command) == 1 or _runs(command, call.pattern_text):
            return ""
        if command[0] in _HAVE_COMMANDS:
            found = found or one.text
    return "" if found and _known(found, patterns) else found


def runs_itself(mistakes: Iterable[Snippet], call: CallText) -> bool:
    """Whether a command of the call is a rule's mistake as the rule shows it, with its options and most of its words:
    then it is no matter that it only looks (`docker logs -f` never ends). A bare `git status` is no rule's mistake."""
    parts = [part for one in call.parts if one.name == "command" for part in SEPARATED.split(one.text)[:_PARTS]]
    return any(_is(one, part) for one in mistakes for part in parts)


def _is(snippet: Snippet, part: str) -> bool:
    command, options = _command(snippet.text)
    bare = 2 if command and command[0] in _HAVE_COMMANDS else 1
    if not options and len(snippet.words) <= bare:
        return False
    words = part.split()
    while words and words[0] in _BEFORE:
        words.pop(0)
    if not command or not words or words[0] != command[0] or not _runs(command, part):
        return False
    code = code_text(part)
    return all(_has(option, code.words) for option in options) and share(snippet, code) >= _NEARLY


def _known(text: str, patterns: Iterable[ErrorPattern]) -> bool:
    return any(one.quick and one.match.search(text) for one in patterns)


def _command(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The program of a command line with its sub-command, and the options behind them."""
    words = [found.group() for found in _WORDS.finditer(text)]
    while words and words[0] in _BEFORE:
        words.pop(0)
    if not words or words[0].startswith("-") or not text.startswith((words[0], *_BEFORE)):
        return (), ()
    plain = next((at for at, word in enumerate(words) if word.startswith("-")), len(words))
    return tuple(words[: min(plain, 2)]), tuple(word.casefold() for word in words if word.startswith("-"))


def _runs(command: tuple[str, ...], text: str) -> bool:
    named = r"\s+(?:-\S+\s+)*".join(map(re.escape, command))
    return re.search(rf"(?<![\w./-]){named}(?![\w-])", text) is not None


def _has(option: str, words: Iterable[str]) -> bool:
    """Whether an option is there, long or short: `-am` has `-a`, and `-f` may stand for `--force`."""
    letter = option.lstrip("-")[:1]
    short = re.compile(rf"-[a-z]*{re.escape(letter)}[a-z]*")
    long = option.startswith("--") or len(option) == 2
    return any(
        word == option or (long and short.fullmatch(word)) or (len(option) == 2 and word.startswith(f"--{letter}"))
        for word in words
    )
