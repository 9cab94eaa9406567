"""Code and tracebacks in colour, without a parser: strings, numbers, keywords, comments; path, line, function."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rich.cells import cell_len
from textual.content import Content, Span

from tui.render.common.untrusted import wrap

CODE = "$cb-soft"
DIFF: Final = {"+": "$cb-good on $cb-added", "-": "$cb-bad on $cb-removed", "@": "$cb-dim"}
"""Tones of the lines of a diff, by their sign."""

_WORDS = (
    "abstract|as|async|await|begin|break|case|catch|class|const|continue|def|default|defer|del|do|elif|else|elsif|end"
    "|enum|except|export|extends|final|finally|fn|for|from|func|function|global|go|if|impl|implements|import|in"
    "|interface|is|let|match|mod|module|mut|namespace|new|not|null|package|pass|private|protected|pub|public|raise"
    "|return|self|static|struct|super|switch|this|throw|throws|trait|try|type|use|val|var|void|where|while|with|yield"
    "|true|false|none|nil|True|False|None|and|or"
)
_CODE = re.compile(
    r"(?P<comment>(?:(?<=\s)|^)(?:#|//)(?= )[^\n]*)"
    r"|(?P<text>\"(?:[^\"\\\n]|\\.){0,200}\"|'(?:[^'\\\n]|\\.){0,200}')"
    r"|(?P<number>(?<![\w.])\d[\w.]{0,40})"
    rf"|(?P<word>(?<![\w.$-])(?:{_WORDS})(?![\w-]))"
)
_TONES: Final = {"comment": "italic $cb-dim", "text": "$cb-good", "number": "$cb-draft", "word": "bold $cb-text"}
_SHELL: Final = ("bash", "sh", "shell", "zsh", "console", "powershell")
_COMMAND = re.compile(r"\s*(?:[$%>] )?(?P<command>[\w./-]{1,80})")

_FRAME = re.compile(
    r"File \"(?P<path>[^\"\n]{1,300})\", line (?P<line>\d{1,7})(?:, in (?P<name>[^\s(]{1,120}))?"
    r"|\bat (?P<called>[\w$.<>/]{1,200}) ?\((?P<file>[^()\n:]{1,300}):(?P<row>\d{1,7})(?::\d{1,7})?\)"
    r"|(?<![\w@+~./\\-])(?P<place>[\w@+~./\\-]{1,200}\.[A-Za-z]\w{0,7}):(?P<number>\d{1,7})(?::\d{1,7})?"
    r"|^E {2,}(?P<said>[^\n]{1,400})",
    re.MULTILINE,
)
"""A frame of Python, of Java and JavaScript, of compilers and test runners; what pytest says of a failure."""
_PARTS: Final = {
    "path": "$cb-text", "file": "$cb-text", "place": "$cb-text", "line": "$cb-draft", "row": "$cb-draft",
    "number": "$cb-draft", "name": "bold $cb-text", "called": "bold $cb-text", "said": "$cb-bad",
}  # fmt: skip
_FRAMES = 600
"""The most frames that are coloured in one text."""


def code_parts(line: str, language: str = "", ground: str = "") -> Iterator[tuple[str, str]]:
    """A line of inert code in parts with their tones; `ground`: a background for all of it."""
    behind = f" {ground}" if ground else ""
    at = 0
    if language in _SHELL and (begins := _COMMAND.match(line)):
        at = begins.end()
        yield line[: begins.start("command")], CODE + behind
        yield begins["command"], "bold $cb-text" + behind
    for found in _CODE.finditer(line, at):
        if found.start() > at:
            yield line[at : found.start()], CODE + behind
        is_word = found.lastgroup == "word"
        tone = CODE if is_word and (not language or language in _SHELL) else _TONES[found.lastgroup or ""]
        yield found[0], tone + behind
        at = found.end()
    if at < len(line):
        yield line[at:], CODE + behind


def diff_lines(line: str, width: int, lead: str = "") -> list[Content]:
    """A line of a diff in lines of `width` cells, broken at blanks, each under the code above; 0: not broken.

    `lead` stands before each of them."""
    tone = DIFF.get(line[:1], CODE)
    sign = line[:2] if line[:2] in ("+ ", "- ", "  ") else line[:1]
    room = width - cell_len(lead) - cell_len(sign)
    code = line[len(sign) :]
    pieces = [code[start:end] for start, end in wrap(code, room)] if width and room > 3 else [code]
    blank = " " * len(sign)
    return [Content.assemble(lead, (f"{blank if at else sign}{piece}", tone)) for at, piece in enumerate(pieces)]


def frame_spans(text: str) -> list[Span]:
    """Where in inert `text` a traceback names a path, a line or a function, with their tones."""
    spans: list[Span] = []
    for at, found in enumerate(_FRAME.finditer(text)):
        if at >= _FRAMES:
            break
        spans += [Span(*found.span(name), tone) for name, tone in _PARTS.items() if found[name]]
    return spans


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
