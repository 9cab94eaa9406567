"""Code in the colours of its language, read by Pygments off the first paint; what it cannot read stays in one tone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from time import monotonic
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pygments.lexer import Lexer


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text in one tone; `at` is where in the source it begins."""

    at: int
    text: str
    tone: str


BASE: Final = "$cb-soft"
"""The tone of what has no other."""
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
    """Return the language of a file by its name; empty if unknown."""
    stem, dot, end = path.rpartition("/")[2].lower().rpartition(".")
    name = stem.partition(".")[0] if dot else end
    return LANGUAGES[name] if name in _NAMES else LANGUAGES.get(end, "") if dot else ""


def fence_language(fence: str) -> str:
    """The language that a fence in Markdown names behind its marks; empty where it names none that is known."""
    words = _SAID.search(fence.lower())
    return LANGUAGES.get(words[0], "") if words else ""


LARGEST: Final = 20_000
"""Code points of one piece of code that is coloured at once; a larger one is drawn in one tone."""


@lru_cache(maxsize=128)
def coloured(code: str, language: str) -> tuple[tuple[Run, ...], ...]:
    """The lines of inert `code` in runs, remembered; in one tone if the language is unknown or the code too large."""
    lines = code.split("\n")
    if not language or len(code) > LARGEST:
        return tuple((Run(0, line, BASE),) if line else () for line in lines)
    return tuple(tuple(runs) for runs in colour(lines, language))


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
