"""Sections of reStructuredText, AsciiDoc, man pages and plain text: headings, paragraphs and code, each with its lines.

Each line of a block is a line of the source, so that a piece of a block is cited by its own lines. Only in man pages
requests that say nothing may be left out between lines; such a block is cited as a whole.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from core.library.documents.rows import BlockKind, LineSpan, Parsed, ParsedBlock
from core.library.parse.text import parse_text

PARSERS: Final = {"rst": "rst/1", "adoc": "asciidoc/1", "man": "man/1", "txt": "underlined-text/1"}
"""Parser versions by format. They go into every id: a change of what a parser returns changes its version."""

_SUFFIXES: Final = {"rst": "rst", "rest": "rst", "adoc": "adoc", "asciidoc": "adoc", "asc": "adoc", "txt": "txt"}
_MAN_SUFFIX = re.compile(r"[1-9](?:[a-z]{1,3})?")
_MAN_LOOKED: Final = 20_000
_MAN_START = re.compile(r"^[.'][ \t]*(?:TH|Dd|Dt|Sh|SH)\b", re.MULTILINE)
_UNDERLINE = re.compile(r"([!-/:-@\[-`{-~])\1{2,}")
_UNDERLINE_SIGNS: Final = frozenset(string.punctuation)
_SHORTEST: Final = 0.75
"""How long an underline is at least, as a share of its title."""
_LONGEST_TITLE: Final = 160
_RST_ASIDE = re.compile(r"\.\.(?:$|[ \t]+(?!(?:\[|\||_.*:[ \t]*\S)|[\w:.+-]+::))")
"""A comment, or a label of the section behind it: no words of the document."""
_CODE_DIRECTIVE = re.compile(r"\.\. (?:code-block|code|sourcecode|highlight|parsed-literal|prompt|doctest)::\s*(\S*)")
_ADOC_HEADING = re.compile(r"(={1,6}) +(\S.*)")
_ADOC_SOURCE = re.compile(r"\[(?:source|listing)(?:%\w+)?,? *([\w+-]*)")
_ADOC_FENCE = re.compile(r"-{4,}|\.{4,}|`{3,}|\+{4,}")
_ADOC_ASIDE = re.compile(
    r":!?[\w-]+!?:|\[[^\]]*\]$|//|={4,}$|\*{4,}$|_{4,}$|--$|<<<|'''|toc::|include::|ifn?def::|endif::"
)
_CAPITALS = re.compile(r"[A-Z][A-Z0-9 ,/&()'-]{2,60}")

_FONT = re.compile(r"\\f(?:\[[^\]]*\]|\([^\s]{2}|.)|\\s[+-]?\d+|\\[&|^/,%:)]|\\\*?\[[^\]]{1,12}\]|\\\*?\([^\s]{2}")
_ESCAPES: Final = {"\\-": "-", "\\e": "\\", "\\ ": " ", "\\~": " ", "\\'": "'", "\\`": "`", "\\.": ".", "\\\\": "\\"}
_ESCAPE = re.compile(r"\\[-e ~'`.\\]")
_REQUEST = re.compile(r"[.'][ \t]*(\\\"|[A-Za-z]{1,3}\b)?(.*)")
_BREAK_NAMES = "PP P LP Pp TP TQ IP HP It sp RS RE El Bl nf fi EX EE Bd Ed"
_BREAKS: Final = frozenset(_BREAK_NAMES.split())
"""Requests that end a paragraph."""
_ITEMS: Final = frozenset(("TP", "TQ", "IP", "It"))
"""Of these the ones that begin an item of a list."""
_SILENT_NAMES = "Dd Os ad na hy nh ft ds de ig so ie el if ll ps vs tr nr rm rr bp ne in ti ta fam mk rt cc c2 br"
_SILENT: Final = frozenset(_SILENT_NAMES.split())
_INLINE_NAMES = (
    "Ar Cm Op Pa Xr Li Dv Er Ev Fa Fn Ft Nm Sy Em No Ns Ap Dq Sq Pq Ql Vt Va Oo Oc Bo Bc Po Pc Bq Aq Ic Tn Ta In Cd "
    "Do Dc"
)
_INLINE: Final = frozenset(_INLINE_NAMES.split())
"""Macros of mdoc within a line, which say what a word is."""


@dataclass(slots=True)
class _Sections:
    """The blocks found so far, and the headings above the place where the reader is."""

    headings: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    blocks: list[ParsedBlock] = field(default_factory=list[ParsedBlock])

    def heading(self, level: int, text: str, first: int, last: int) -> None:
        while self.headings and self.headings[-1][0] >= level:
            self.headings.pop()
        self.blocks.append(
            ParsedBlock("heading", self._path(), LineSpan(first, last), text, {"level": level, "text": text}, first)
        )
        self.headings.append((level, text))

    def add(
        self, kind: BlockKind, lines: Sequence[str], first: int, lang: str | None = None, last: int | None = None
    ) -> None:
        """Lines of the source from line `first` on; where some between say nothing, `last` is where they end."""
        kept = [line.rstrip() for line in lines]
        while kept and not kept[-1]:
            kept.pop()
        if any(kept):
            blank = next(at for at, line in enumerate(kept) if line)
            if blank:
                kept, first = kept[blank:], first + blank
            payload = {"lang": lang} if kind == "code" else {}
            end = first + len(kept) - 1 if last is None else last
            aligned = first if end - first == len(kept) - 1 else None
            self.blocks.append(ParsedBlock(kind, self._path(), LineSpan(first, end), "\n".join(kept), payload, aligned))

    def _path(self) -> tuple[str, ...]:
        return tuple([text for _, text in self.headings])


def form_of(name: str) -> str | None:
    """The format of a text by the extension of its file: `rst`, `adoc`, `man` or `txt` (also without an extension);
    None: none of these."""
    stem, dot, suffix = name.lower().rpartition(".")
    if not dot or not stem:
        return "txt"
    return "man" if _MAN_SUFFIX.fullmatch(suffix) else _SUFFIXES.get(suffix)


def parse_markup(text: str, form: str) -> Parsed:
    """The blocks of a text with sections. One without any heading is read as plain paragraphs."""
    found = _Sections()
    if form != "man" or _MAN_START.search(text[:_MAN_LOOKED]):
        _READERS[form](text.split("\n"), found)
    if not any(block.kind == "heading" for block in found.blocks):
        return parse_text(text)
    return Parsed(PARSERS[form], tuple(found.blocks))


def _underlined(lines: Sequence[str], at: int) -> str | None:
    """The sign that underlines the title on line `at`; None where nothing does."""
    if at + 1 >= len(lines) or lines[at + 1][:1] not in _UNDERLINE_SIGNS:  # most lines: nothing else is looked at
        return None
    title = lines[at].rstrip()
    if not title.strip() or len(title) > _LONGEST_TITLE:
        return None
    under = lines[at + 1].rstrip()
    if not _UNDERLINE.fullmatch(under) or _UNDERLINE.fullmatch(title):
        return None
    return under[0] if len(under) >= _SHORTEST * len(title.strip()) else None


def _indented_end(lines: Sequence[str], at: int, indent: int = 0) -> int:
    """The line behind a block that is indented more than `indent`, blank lines in it included."""
    end = last = at
    while end < len(lines):
        line = lines[end]
        if begin := line.lstrip():
            if len(line) - len(begin) <= indent:
                break
            last = end + 1
        end += 1
    return last


def _read_rst(lines: Sequence[str], found: _Sections) -> None:
    levels: dict[str, int] = {}
    at = 0
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            at += 1
            continue
        over = line[0] in _UNDERLINE_SIGNS and bool(_UNDERLINE.fullmatch(line.rstrip()))
        title = at + 1 if over else at
        sign = _underlined(lines, title) if title < len(lines) else None
        if sign is not None and (not over or lines[title + 1].rstrip()[0] == line[0]):
            style = sign * (2 if over else 1)
            found.heading(levels.setdefault(style, len(levels) + 1), lines[title].strip(), at + 1, title + 2)
            at = title + 2
        elif over:
            at += 1
        else:
            at = _rst_block(lines, at, found)


def _rst_block(lines: Sequence[str], at: int, found: _Sections) -> int:
    line = lines[at]
    if code := _CODE_DIRECTIVE.match(line.strip()):
        end = _indented_end(lines, at + 1, len(line) - len(line.lstrip()))
        found.add("code", lines[at + 1 : end], at + 2, code[1] or None)
        return max(end, at + 1)
    if line.startswith("..") and _RST_ASIDE.match(line):
        return max(_indented_end(lines, at + 1), at + 1)
    end = at
    while end < len(lines) and lines[end].strip() and not (end > at and _underlined(lines, end)):
        end += 1
    found.add("paragraph", lines[at:end], at + 1)
    if lines[end - 1].rstrip().endswith("::") and not lines[end - 1].lstrip().startswith(".. "):
        after = next((one for one in range(end, len(lines)) if lines[one].strip()), len(lines))
        stop = _indented_end(lines, after, len(lines[end - 1]) - len(lines[end - 1].lstrip()))
        if stop > after:
            found.add("code", lines[after:stop], after + 1)
            return stop
    return end


def _read_adoc(lines: Sequence[str], found: _Sections) -> None:
    at, lang, is_source = 0, "", False
    while at < len(lines):
        line = lines[at].rstrip()
        if heading := _ADOC_HEADING.fullmatch(line):
            found.heading(len(heading[1]), heading[2].strip(), at + 1, at + 1)
        elif _ADOC_FENCE.fullmatch(line):
            end = next((one for one in range(at + 1, len(lines)) if lines[one].rstrip() == line), len(lines))
            found.add("code", lines[at + 1 : end], at + 2, lang or None)
            at, lang, is_source = end, "", False
        elif source := _ADOC_SOURCE.match(line):
            lang, is_source = source[1], True
        elif line and not _ADOC_ASIDE.match(line):
            end = at
            while end < len(lines) and lines[end].strip() and not _ADOC_FENCE.fullmatch(lines[end].rstrip()):
                end += 1
            found.add("code" if is_source else "paragraph", lines[at:end], at + 1, lang or None)
            at, lang, is_source = end - 1, "", False
        at += 1


def _read_txt(lines: Sequence[str], found: _Sections) -> None:
    """Read titles underlined by `=` or `-`, and lines of capitals at the margin."""
    at = 0
    while at < len(lines):
        line = lines[at].rstrip()
        sign = _underlined(lines, at)
        if sign is not None and sign in "=-~^":
            found.heading(1 + "=-~^".index(sign), line.strip(), at + 1, at + 2)
            at += 2
        elif _CAPITALS.fullmatch(line) and _is_own_paragraph(lines, at):
            found.heading(2, line.strip(), at + 1, at + 1)
            at += 1
        elif line:
            end = at + 1
            while end < len(lines) and lines[end].strip() and _underlined(lines, end) is None:
                end += 1
            found.add("paragraph", lines[at:end], at + 1)
            at = end
        else:
            at += 1


def _is_own_paragraph(lines: Sequence[str], at: int) -> bool:
    before, after = lines[at - 1] if at else "", lines[at + 1] if at + 1 < len(lines) else ""
    return not before.strip() and (not after.strip() or after.startswith((" ", "\t")))


def _read_man(lines: Sequence[str], found: _Sections) -> None:
    """A page of roff: `.SH` and `.SS` (`.Sh`, `.Ss`) are its sections, other requests their words."""
    run: list[str] = []
    start, last, code = 1, 1, False

    def flush() -> None:
        found.add("code" if code else "paragraph", run, start, last=last)
        run.clear()

    for number, line in enumerate(lines, 1):
        name, words = _request(line)
        text = _plain_roff(words if not name else _without_macros(name, words))
        if name in _SILENT or name == '\\"':
            continue
        if name in ("SH", "Sh", "SS", "Ss"):
            flush()
            found.heading(2 if name in ("SH", "Sh") else 3, text or name, number, number)
            continue
        if name in ("TH", "Dt"):
            flush()
            page, section = (*text.split(), "", "")[:2]
            if page:
                found.heading(1, f"{page.lower()}({section})" if section else page.lower(), number, number)
            continue
        if name in _BREAKS or (not line.strip() and not code):
            flush()
            if name in ("nf", "EX", "fi", "EE", "Bd", "Ed"):
                code = name in ("nf", "EX") or (name == "Bd" and "-literal" in words)
            if name not in _ITEMS:
                continue
        if not run:
            start = number
        last = number
        run.append(text)
    flush()


def _without_macros(name: str, words: str) -> str:
    """The words of a request of mdoc without the names of macros among them: `.It Fl f Ar file` is `-f file`."""
    if len(name) != 2 or not (name[0].isupper() and name[1].islower()):
        return words
    text = ("-" if name == "Fl" else "") + " ".join(word for word in words.split() if word not in _INLINE)
    return text.replace("Fl ", "-")


def _request(line: str) -> tuple[str, str]:
    """The request of a line of roff and its words; an empty name where the line is text."""
    if line[:1] not in (".", "'") or line.startswith(("...", "''")):
        return "", line
    found = _REQUEST.match(line)
    return ("", line) if found is None else (found[1] or '\\"', found[2].strip())


def _plain_roff(text: str) -> str:
    """The words of roff without fonts and escapes; quotes around arguments go."""
    if "\\" in text:
        text = text.partition('\\"')[0]
        text = _ESCAPE.sub(lambda found: _ESCAPES[found[0]], _FONT.sub("", text))
    return text.replace('"', "") if text.startswith('"') else text


_READERS: Final[dict[str, Callable[[Sequence[str], _Sections], None]]] = {
    "rst": _read_rst,
    "adoc": _read_adoc,
    "man": _read_man,
    "txt": _read_txt,
}
