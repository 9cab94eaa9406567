"""Placeholders for what belongs to one person or one moment: paths below home, branches, numbers, ids, messages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from core.base.lazy import lazy_pattern

_BEGIN: Final = r"(?:(?<![A-Za-z0-9_.~/\\-])|(?<=://)|(?<=:///)|(?<=://file)|(?<=\s-[ILF]))"
"""Where a path may begin: also behind a Korean particle, `file://` and the options of compilers."""
_HOME = lazy_pattern(
    _BEGIN + r"(?:/home/[^/\s'\"`]+|(?:(?:/mnt)?/[a-z])?/Users/[^/\s'\"`]+|/root|~"
    r"|[A-Za-z]:[/\\]{1,4}Users[/\\]{1,4}[^/\\\s'\"`]+(?:[ ][A-Z\uac00-\ud7a3][^/\\\s'\"`:]*){0,3})"
    r"(?P<rest>[/\\][^\s'\"`;|&()<>,]*)"
)
_SCRATCH = lazy_pattern(r"(?<![A-Za-z0-9_.~/\\-])(?:/private)?/(?:tmp|var/folders)/[^\s'\"`;|&()<>:,]*")
_PROGRAM = lazy_pattern(
    r"[/\\](?:\.?bin|Scripts)[/\\]([\w.+-]+)$"
    r"|[/\\]([\w.+-]+\.(?:py|js|mjs|cjs|ts|sh|bash|zsh|rb|pl|ps1|exe|cmd|bat))$"
)
"""The name of a program or a script: where it lies is one person's own, what it is called is not."""
_UUID = lazy_pattern(r"(?<!\w)[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}(?!\w)")
_HASH = lazy_pattern(r"(?<![\w#])(?=[0-9]{0,64}[a-f])(?=[a-f]{0,64}[0-9])[0-9a-f]{7,64}(?!\w)")
_LONG = lazy_pattern(r"(?<![\w.])[0-9]{8,}(?![\w.])")
_NUMBERED = lazy_pattern(r"(?<=[/ (#])(pulls?/|issues/|merge_requests/|runs/|jobs?/)[0-9]+|(?<![\w&])(#)[0-9]+(?!\w)")
_MESSAGE = lazy_pattern(r"(?<=\s)(-a?m|--message|--title|--body|-t|-F)([ =])(?:\"[^\"]*\"|'[^']*')")
_WORD = lazy_pattern(r"\S+")
_DIGITS = lazy_pattern(r"#?[0-9]+")
_FILE = lazy_pattern(r"\.[A-Za-z]\w{0,4}$")

_ENDS: Final = frozenset(("&&", "||", ";", "|", "&", ")"))
_REMOTE_FIRST: Final = frozenset(("push", "pull", "fetch"))
_TAKES_BRANCH: Final = _REMOTE_FIRST | {"checkout", "switch", "rebase", "merge", "branch", "cherry-pick", "worktree"}
_EVERYWHERE: Final = frozenset(("main", "master", "origin", "upstream", "HEAD", "FETCH_HEAD", "ORIG_HEAD", "@", "-"))
"""Names of branches and remotes that mean the same in every repository."""
_HOSTS: Final = frozenset(("gh", "glab", "hub"))
_BRANCH_OPTIONS: Final = frozenset(("--head", "--base", "-H", "-B", "--branch", "--onto"))
_SEGMENTS_KEPT: Final = 3


def with_placeholders(text: str, project: str = "", *, programs: bool = False) -> str:
    """Replace personal and temporary parts by `<path>`, `<branch>`, `<number>`, `<id>` and `<message>`.

    Paths below `project` become relative to it. A place below home that begins with a dot (`~/.npmrc`) is the same for
    everybody and stays, as do `main`, `origin` and short plain numbers. `programs`: programs and scripts keep their
    names (`<path>/node`).
    """
    root = project.rstrip("/\\")
    if len(root) > 1 and root in text:
        text = _below(root).sub("", text)
    text = _HOME.sub(lambda found: _below_home(found, programs=programs), text)
    text = _SCRATCH.sub(lambda found: _named(found[0]) if programs else "<path>", text)
    text = _UUID.sub("<id>", _MESSAGE.sub(r"\1\2<message>", text))
    text = _in_words(text)
    text = _NUMBERED.sub(lambda found: f"{found[1] or found[2]}<number>", text)
    return _LONG.sub("<id>", _HASH.sub("<id>", text))


@lru_cache(maxsize=64)
def _below(root: str) -> re.Pattern[str]:
    """Finds a folder as the beginning of a path, not within a longer one (`/app` in `/usr/src/app`)."""
    return re.compile(rf"{_BEGIN}{re.escape(root)}[/\\]")


def without_home(text: str) -> str:
    """`text` with `<path>` for what lies below a home folder; places such as `~/.npmrc` stay."""
    return _HOME.sub(_below_home, text)


def _named(path: str) -> str:
    name = _PROGRAM.search(path)
    return f"<path>/{name[1] or name[2]}" if name is not None else "<path>"


def _below_home(found: re.Match[str], *, programs: bool = False) -> str:
    parts = [part for part in re.split(r"[/\\]", found["rest"]) if part]
    known = bool(parts) and parts[0].startswith(".") and len(parts) <= _SEGMENTS_KEPT
    return f"~/{'/'.join(parts)}" if known else _named(found["rest"]) if programs else "<path>"


def _in_words(text: str) -> str:
    """The text with the branches of git commands, and the numbers and branches given to a host's own program."""
    new, at = list[str](), 0
    for start, end, stand_in in _stand_ins(text):
        new += [text[at:start], stand_in]
        at = end
    return "".join((*new, text[at:]))


def _stand_ins(text: str) -> Iterator[tuple[int, int, str]]:
    """The words to replace: where each begins and ends, and what stands for it."""
    program, task, given, named, skipped = "", "", 0, False, False
    last, before = 0, ""
    for one in _WORD.finditer(text):
        start, end, word = one.start(), one.end(), one[0]
        if "\n" in text[last:start] and before != "\\":  # the next line is another command
            program, skipped = "", False
        last, before = end, word
        if word == "\\":
            continue
        if word in _ENDS or word in ("git", *_HOSTS):
            program, task, given, named = ("" if word in _ENDS else word), "", 0, False
        elif skipped:
            skipped = False
        elif not program or word == "--":
            program = ""
        elif word.startswith("-"):
            named = word in _BRANCH_OPTIONS
            skipped = program == "git" and not task and word in ("-c", "-C")
        elif program == "git" and not task:
            task = word
        elif program == "git" and task in _TAKES_BRANCH:
            given += 1
            kept = (task in _REMOTE_FIRST and given == 1) or (task == "worktree" and word in ("add", "remove", "list"))
            if not kept and (branch := _branch(word)) != word:
                yield start, end, branch
        elif program in _HOSTS and named:
            named = False
            if (branch := _branch(word)) != word:
                yield start, end, branch
        elif program in _HOSTS and _DIGITS.fullmatch(word):
            yield start, end, "<number>"
        if word.endswith(";"):
            program = ""


def _branch(word: str) -> str:
    """What stands for the name of a branch; names that mean the same everywhere, files and placeholders stay."""
    if any(sign in word for sign in "<>$(){}*'\"=") or _FILE.search(word):
        return word
    if ":" in word:
        source, _, target = word.partition(":")
        return f"{_branch(source) if source else ''}:{_branch(target)}"
    head, slash, rest = word.partition("/")
    if slash and head in ("origin", "upstream"):
        return f"{head}/{_branch(rest)}"
    bare = re.split(r"[~^@]", word)[0] or word
    end = ";" if word.endswith(";") else ""
    return word if bare.rstrip(";") in _EVERYWHERE or _DIGITS.fullmatch(bare) else f"<branch>{end}"
