"""Code in the colours of its language, read by Pygments off the first paint; what it cannot read stays in one tone.

Diffs, fences and tracebacks in colour: the code by its language, the line by its sign; path, line, function.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from time import thread_time
from typing import TYPE_CHECKING, Final, Literal

from rich.cells import cell_len
from textual.content import Content, Span

from tui.render.common.untrusted import wrap

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
_PATIENCE: Final = 0.5  # seconds of work: who writes a text that no lexer gets through sees the rest of it in one tone
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
_LANGUAGE: Final = re.compile(r"[\w#+]+")
LANGUAGES: Final = {word: words.split()[0] for words in _SPOKEN.split(";") for word in words.split()}
"""How Pygments calls a language, by its ends of names and by what a fence in Markdown says."""


def language_of(path: str) -> str:
    """Return the language of a file by its name; empty if unknown."""
    stem, dot, end = path.rpartition("/")[2].lower().rpartition(".")
    name = stem.partition(".")[0] if dot else end
    return LANGUAGES[name] if name in _NAMES else LANGUAGES.get(end, "") if dot else ""


def fence_language(fence: str) -> str:
    """The language that a fence in Markdown names behind its marks; empty where it names none that is known."""
    words = _LANGUAGE.search(fence.lower())
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
    end = thread_time() + _PATIENCE
    for count in range(len(text) + 1):
        if count % _CHECKED == 0:
            check()
            if thread_time() > end:
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


_SIGNS: Final = {"+": "bold $cb-good", "-": "bold $cb-bad"}
_TINTS: Final = {"+": "$cb-added-line", "-": "$cb-removed-line"}
"""Tones of the sign and of the whole line, by the sign of a line of a diff."""
_ABOUT: Final = re.compile(r"@@ |@@$|diff --git |index [0-9a-f]{4,}\.\.|\\ No newline")
_FILES: Final = ("--- ", "+++ ")
"""Lines of a diff that are about a place or its files."""
_SHELL: Final = ("bash", "powershell", "console")
_COMMAND = re.compile(r"\s*(?:[$%>] )?(?P<command>[\w./-]{1,80})")


def fence_lines(lines: Sequence[str], info: str) -> list[Content]:
    """The lines of a fence of inert code in the colours of the language that its `info` names."""
    language = fence_language(info)
    drawn = [_assembled(runs) for runs in coloured("\n".join(lines), language)]
    if language not in _SHELL:
        return drawn
    begun = [_COMMAND.match(line) for line in lines]
    return [
        one.stylize("bold $cb-text", *begins.span("command")) if begins and not line.lstrip().startswith("#") else one
        for one, line, begins in zip(drawn, lines, begun, strict=True)
    ]


def _assembled(runs: Sequence[Run]) -> Content:
    return Content.assemble(*((run.text, run.tone) for run in runs))


def hunk_lines(lines: Sequence[str], width: int, language: str = "", lead: str = "") -> list[Content]:
    """The lines of an inert diff, tinted by their signs, in the colours of `language`, in lines of `width` cells.

    They are broken at blanks, each under the code above; width 0: not known, nothing is broken. `lead` comes before
    each of them. Removed and added lines are read separately: each is code by itself.
    """
    signs = [_sign(lines, at) for at in range(len(lines))]
    codes = [line[len(sign or "") :] for line, sign in zip(lines, signs, strict=True)]
    sides = {own: _side(codes, signs, other, language) for own, other in (("-", "+"), ("+", "-"))}
    found: list[Content] = []
    for at, (line, sign) in enumerate(zip(lines, signs, strict=True)):
        if sign is None:
            found += _broken(lead, "", Content.styled(line, "$cb-dim"), width)
        else:
            found += _broken(lead, sign, sides["-" if sign.startswith("-") else "+"][at], width)
    return found


def _sign(lines: Sequence[str], at: int) -> str | None:
    """What precedes the code of a line of a diff: its sign, and the blank behind it; None if the line is no code."""
    line = lines[at]
    pair = lines[at : at + 2] if line.startswith("---") else lines[max(0, at - 1) : at + 1]
    if _ABOUT.match(line) or tuple(one[:4] for one in pair) == _FILES:
        return None
    return line[:2] if line[:2] in ("+ ", "- ", "  ") else line[:1] if line[:1] in ("+", "-", " ") else ""


def _side(codes: Sequence[str], signs: Sequence[str | None], other: str, language: str) -> dict[int, Content]:
    """The lines of one side of a diff, by number."""
    own = [at for at, sign in enumerate(signs) if sign is not None and not sign.startswith(other)]
    drawn = coloured("\n".join(codes[at] for at in own), language) if own else ()
    return {at: _assembled(runs) for at, runs in zip(own, drawn, strict=True)}


def _broken(lead: str, sign: str, code: Content, width: int) -> Iterator[Content]:
    """A line of a diff in lines of `width` cells; its tint fills them."""
    tint, tone = _TINTS.get(sign[:1], ""), _SIGNS.get(sign[:1], "")
    room = width - cell_len(lead) - cell_len(sign)
    fits = bool(width) and room > 3
    pieces = [code[start:end] for start, end in wrap(code.plain, room)] if fits else [code]
    for at, piece in enumerate(pieces):
        body = Content.assemble((" " * len(sign) if at else sign, tone), piece)
        if tint:
            body = body.pad_right(room - cell_len(piece.plain) if fits else 0).stylize(tint)
        yield Content.assemble(lead, body)


_FRAME = re.compile(
    r"File \"(?P<path>[^\"\n]{1,300})\", line (?P<line>\d{1,7})(?:, in (?P<name>[^\s(]{1,120}))?"
    r"|\bat (?P<called>[\w$.<>/]{1,200}) ?\((?P<file>[^()\n:]{1,300}):(?P<row>\d{1,7})(?::\d{1,7})?\)"
    r"|(?<![\w@+~./\\-])(?P<place>[\w@+~./\\-]{1,200}\.[A-Za-z]\w{0,7}):(?P<number>\d{1,7})(?::\d{1,7})?"
    r"|(?<![\w@+~./\\-])(?P<source>[\w@+~./\\-]{1,200}\.[A-Za-z]\w{0,7})\((?P<at>\d{1,7})(?:,\d{1,7})?\)"
    r"|^E {2,}(?P<said>[^\n]{1,400})",
    re.MULTILINE,
)
"""A frame of Python, of Java and JavaScript, of compilers and test runners; what pytest says of a failure."""
_PARTS: Final = {
    "path": "$cb-text", "file": "$cb-text", "place": "$cb-text", "line": "$cb-draft", "row": "$cb-draft",
    "number": "$cb-draft", "source": "$cb-text", "at": "$cb-draft", "name": "bold $cb-text", "called": "bold $cb-text",
    "said": "$cb-bad",
}  # fmt: skip
_FRAMES = 600
"""The most frames that are coloured in one text."""


def frame_spans(text: str) -> list[Span]:
    """Where in inert `text` a traceback names a path, a line or a function, with their tones."""
    spans: list[Span] = []
    for at, found in enumerate(_FRAME.finditer(text)):
        if at >= _FRAMES:
            break
        spans += [Span(*found.span(name), tone) for name, tone in _PARTS.items() if found[name]]
    return spans


_GUTTER: Final = re.compile(r"(?: {0,8}>)? {0,8}(?P<line>\d{1,6})(?: ?\| ?| {2,4})(?=\S| )")
"""What precedes a line of a source that a compiler shows: its number, and mostly a bar."""
_NEAR: Final = 9
"""Lines between the place that is reported and one that is shown with it."""
_TITLE: Final = re.compile(r"_{3,} .{1,200} _{3,}|(?:_ ){10,}_?")
"""Before the source of a failing test, as pytest shows it."""


def source_spans(text: str) -> list[Span]:
    """Where inert `text` of a tool shows lines of a source, with the tones of their language.

    Known: the lines below a frame of a Python traceback, the source of a failing test of pytest, numbered lines near a
    reported place (rustc, gcc, tsc and others)."""
    spans: list[Span] = []
    for language, code in _sources(text):
        drawn = coloured("\n".join(text[start:end] for start, end in code), language)
        for (start, _), runs in zip(code, drawn, strict=True):
            colored = (run for run in runs if run.tone != BASE)
            spans += [Span(start + run.at, start + run.at + len(run.text), run.tone) for run in colored]
    return spans


def _sources(text: str) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    """Lines of one source that follow each other, as ranges of `text`, and their language."""
    state, held, at = _Visible(), list[tuple[int, int]](), 0
    for line in text.split("\n"):
        before = state.language
        first = state.code_at(line)
        if held and (first is None or state.language != before):
            yield before, held
            held = []
        if first is not None and state.language:
            held.append((at + first, at + len(line)))
        at += len(line) + 1
    if held:
        yield state.language, held


class _Visible:
    """What the output of a tool shows, line by line. `language`: that of the code which it shows now."""

    def __init__(self) -> None:
        self.language = ""
        self._line = 0  # the line of the file that is reported
        self._inside: Literal["", "frame", "test"] = ""

    def code_at(self, line: str) -> int | None:
        """Where code begins in the line; None if it is no code."""
        if _TITLE.match(line):
            self.language, self._inside = "python", "test"
            return None
        if found := _FRAME.search(line):
            path = found["path"] or found["file"] or found["place"] or found["source"]
            if path is not None and (number := found["line"] or found["row"] or found["number"] or found["at"]):
                self.language, self._line = language_of(path), int(number)
                self._inside = "frame" if found["path"] else ""
                return None
        if self._inside == "frame" and line.startswith("    ") and line.strip(" ~^"):
            return len(line) - len(line.lstrip())
        if self._inside == "test" and line.startswith(("    ", ">   ")):
            return 1
        if (found := _GUTTER.match(line)) and abs(int(found["line"]) - self._line) <= _NEAR:
            return found.end()
        self._inside = self._inside if self._inside == "test" and not line.startswith("E ") else ""
        return None


_FILLS: Final = re.compile(r"([=_*#~.─━-])\1{7,}|([_*-]) (?:\2 ){6,}\2?|(?<=\S) {8,}(?=\[ {0,2}\d{1,3}%\]$)")
"""Characters that fill a line: the rule around a title, the space before the percentage at its end."""
_LEAST_FILL: Final = 3


def surplus_fill(line: str, width: int) -> list[tuple[int, int]]:
    """The parts of a `line` of more than `width` cells to leave out so that it fits: from what only fills it.

    Nothing where it would not fit even so; `width` 0: not known yet.
    """
    over = cell_len(line) - width
    if width < 1 or over <= 0:
        return []
    fills = [found.span() for found in _FILLS.finditer(line)]
    spare = [end - start - _LEAST_FILL for start, end in fills]
    if sum(spare) < over:
        return []
    cuts = list[tuple[int, int]]()
    for at, (_, end) in enumerate(fills):
        share = min(spare[at], -(-over // (len(fills) - at)))
        share = max(share, over - sum(spare[at + 1 :]))
        over -= share
        cuts += [(end - share, end)] if share else []
    return cuts


def fit_fill(content: Content, width: int) -> Content:
    """Each line without its `surplus_fill`."""
    lines = content.split("\n", allow_blank=True)
    for number, line in enumerate(lines):
        for start, end in reversed(surplus_fill(line.plain, width)):
            lines[number] = lines[number][:start] + lines[number][end:]
    return Content("\n").join(lines)
