"""Code in colours: which tone each stretch of a line has, as Pygments reads it. No sign is changed, and none is lost.

A text is read from its beginning as far as that takes no time, and further down from a line that looks like one, so
that what is drawn costs the same in a file of any size. Made off the interface's thread.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from time import monotonic
from typing import TYPE_CHECKING, Final

from tui.render.common.markdown import LONGEST, Run, as_shown

if TYPE_CHECKING:
    from pygments.lexer import Lexer

    from core.library.documents.opened import OpenDocument

BASE: Final = "$cb-soft"
"""The tone of what has no other."""
_MOST: Final = 60_000  # code points that are coloured on each side of a place
_BEFORE: Final = 100_000  # code points before those that are read to know what they stand in: a comment, a string
_CHECKED: Final = 64  # pieces between two looks at whether anybody still waits
_PATIENCE: Final = 0.5  # seconds: who writes a text that no lexer gets through sees the rest of it in one tone
_TONES: Final[Mapping[tuple[str, ...], str]] = {
    ("Comment",): "italic $cb-dim",
    ("Comment", "Preproc"): "$cb-draft",
    ("Comment", "PreprocFile"): "$cb-good",
    ("Generic", "Deleted"): "$cb-bad",
    ("Generic", "Heading"): "bold $cb-text",
    ("Generic", "Inserted"): "$cb-good",
    ("Generic", "Output"): "$cb-dim",
    ("Generic", "Prompt"): "bold $cb-text",
    ("Generic", "Subheading"): "bold $cb-text",
    ("Keyword",): "bold $cb-text",
    ("Keyword", "Constant"): "$cb-draft",
    ("Keyword", "Type"): "$cb-text",
    ("Literal",): "$cb-draft",
    ("Literal", "String"): "$cb-good",
    ("Name", "Attribute"): "$cb-text",
    ("Name", "Class"): "bold $cb-text",
    ("Name", "Constant"): "$cb-draft",
    ("Name", "Decorator"): "$cb-draft",
    ("Name", "Function"): "bold $cb-text",
    ("Name", "Namespace"): "$cb-text",
    ("Name", "Tag"): "$cb-text",
    ("Operator", "Word"): "bold $cb-text",
}
"""Tones by kinds of token; a kind that is not named has that of the kind it belongs to. The accent is for what was
searched alone."""
_SPOKEN: Final = (
    "python py pyi python3;rust rs;typescript ts tsx mts;javascript js jsx mjs cjs;go golang;java;kotlin kt kts;c h;"
    "cpp cc cxx hpp hh hxx c++;ruby rb gemfile;php;csharp cs c#;swift;scala;bash sh zsh shell;sql;lua;css;scss tcss;"
    "html vue svelte;perl pl;r;julia jl;elixir ex exs;erlang erl;haskell hs;ocaml ml;clojure clj;dart;zig;"
    "protobuf proto;graphql;terraform tf hcl;cmake;powershell ps1;json jsonl json5 jsonc;toml;yaml yml;xml svg;"
    "ini cfg conf;docker dockerfile containerfile;make makefile mk;diff patch;console session"
)
_NAMES: Final = ("dockerfile", "containerfile", "makefile", "gemfile")
_SAID: Final = re.compile(r"[\w#+]+")
LANGUAGES: Final = {word: words.split()[0] for words in _SPOKEN.split(";") for word in words.split()}
"""How Pygments calls a language, by its ends of names and by what a fence in Markdown says."""


def language_of(path: str) -> str:
    """The language of a file, told by its name; empty where it has none."""
    stem, dot, end = path.rpartition("/")[2].lower().rpartition(".")
    name = stem.partition(".")[0] if dot else end
    return LANGUAGES[name] if name in _NAMES else LANGUAGES.get(end, "") if dot else ""


def language_said(fence: str) -> str:
    """The language that a fence in Markdown names behind its marks; empty where it names none that is known."""
    words = _SAID.search(fence.lower())
    return LANGUAGES.get(words[0], "") if words else ""


def around(opened: OpenDocument, line: int, most: int) -> tuple[int, int]:
    """The first and the last of the lines to colour around `line`: at most so many on each side."""
    if not opened.lines:
        return opened.first, opened.last
    at = min(max(0, line - opened.first), len(opened.lines) - 1)
    first, last = (_reach(opened.lines, at, by, most, _MOST) for by in (-1, 1))
    return opened.first + first, opened.first + last


def coloured_lines(
    opened: OpenDocument, first: int, last: int, check: Callable[[], None] = lambda: None
) -> dict[int, list[Run]]:
    """The lines `first` to `last` of a document in runs, by number; none where nothing is known of its language.

    `check` may end it.
    """
    language = language_of(opened.document.doc_path)
    if not language:
        return {}
    start = _beginning(opened, first - opened.first)
    texts = [as_shown(raw) for raw in opened.lines[start : last - opened.first + 1]]
    found = enumerate(colour(texts, language, check), opened.first + start)
    return {number: runs for number, runs in found if number >= first}


def colour(texts: Sequence[str], language: str, check: Callable[[], None] = lambda: None) -> list[list[Run]]:
    """Inert lines in runs, each as long as its line. What Pygments cannot read stays in the tone it has anyway."""
    found: list[list[Run]] = [[] for _ in texts]
    at = column = 0
    for kind, piece in _pieces("\n".join(texts), language, check):
        tone = _tone(kind)
        for count, part in enumerate(piece.split("\n")):
            if count:
                at, column = at + 1, 0
            if part:
                _add(found[at], Run(column, part, tone))
                column += len(part)
    return found


def _add(runs: list[Run], run: Run) -> None:
    """Stretches of one tone that follow each other are one."""
    if runs and runs[-1].tone == run.tone:
        run = Run(runs[-1].at, runs.pop().text + run.text, run.tone)
    runs.append(run)


def _pieces(text: str, language: str, check: Callable[[], None]) -> Iterator[tuple[tuple[str, ...], str]]:
    """All of `text` in pieces, each with its kind."""
    at = 0
    tokens = _lexer(language).get_tokens_unprocessed(text)
    end = monotonic() + _PATIENCE
    for count in range(len(text) + 1):
        if count % _CHECKED == 0:
            check()
            if monotonic() > end:
                break
        try:
            start, kind, piece = next(tokens)
        except StopIteration:
            break
        except Exception:  # noqa: BLE001  whatever a lexer stumbles over, the document is shown
            break
        if start < at or not piece:
            continue
        if start > at:
            yield (), text[at:start]
        at = start + len(piece)
        yield kind, piece
    if at < len(text):
        yield (), text[at:]


@lru_cache(maxsize=64)
def _lexer(language: str) -> Lexer:
    from pygments.lexers import get_lexer_by_name

    return get_lexer_by_name(language)


@lru_cache(maxsize=256)
def _tone(kind: tuple[str, ...]) -> str:
    while kind:
        if kind in _TONES:
            return _TONES[kind]
        kind = kind[:-1]
    return BASE


def _beginning(opened: OpenDocument, wanted: int) -> int:
    """The line to begin to read at: the first one, or where that is far, one that is neither indented nor goes on."""
    lines = opened.lines
    least = _reach(lines, wanted, -1, len(lines), _BEFORE)
    if least == 0 and opened.first == 1:
        return 0
    likely = (at for at in range(wanted, least, -1) if lines[at][:1].isalpha() and not lines[at - 1].strip())
    return next(likely, least)


def _reach(lines: Sequence[str], at: int, by: int, most: int, left: int) -> int:
    """How far one gets from line `at`, up (-1) or down (1), within so many lines and code points."""
    for _ in range(most):
        left -= min(LONGEST, len(lines[at])) + 1
        if left < 0 or not 0 <= at + by < len(lines):
            break
        at += by
    return at
