"""Plain text and manifests as blocks, and the decoding of bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from core.library.documents.rows import CodeSpan, LineSpan, Parsed, ParsedBlock
from core.text import redact

LOOKED: Final = 8192
"""Bytes at the beginning of a file that tell whether it is a text."""
_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))

TEXT_PARSER: Final = "plain-text/1"
"""Goes into every id below it: any change of what `parse_text` returns changes it."""

MANIFEST_PARSER: Final = "manifest/2"
"""Goes into every id below it: any change of what `parse_manifest` returns changes it."""

_FROM = re.compile(r"from\s+(?:--\S+\s+)?(\S+)(?:\s+as\s+(\S+))?", re.IGNORECASE)
_KIND = re.compile(r"^kind:[ \t]*[\"']?([\w.-]{1,80})", re.MULTILINE)
_API = re.compile(r"^apiVersion:[ \t]*\S", re.MULTILINE)
_NAME = re.compile(r"(name|namespace):[ \t]*[\"']?([\w.${}-]{1,200})")


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text with its secrets masked, sign by sign, so that lines stay those of the file. `warning`: what was amiss."""

    text: str
    encoding: str
    warning: str = ""


def decode(data: bytes) -> Decoded | None:
    """The text of a file, or None where it is binary.

    UTF-8, with or without its mark, or UTF-16 with one; else what Korean Windows writes (cp949), else Latin-1, with a
    warning. `\\r\\n` counts as one end of line, a lone `\\r` only where there is no `\\n` at all.
    """
    if is_binary(data[:LOOKED]):
        return None
    marked = _marked(data)
    for encoding in (marked or "utf-8", "cp949"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        warning = "" if encoding != "cp949" else "not UTF-8: read as cp949"
        return Decoded(_lines(redact(text)), encoding, warning)
    return Decoded(_lines(redact(data.decode("latin-1"))), "latin-1", "not UTF-8: read as Latin-1")


def is_binary(head: bytes) -> bool:
    """Whether a file that begins so is no text."""
    return b"\0" in head and not _marked(head)


def _marked(data: bytes) -> str:
    return next((name for mark, name in _MARKS if data.startswith(mark)), "")


def _lines(text: str) -> str:
    text = text.replace("\0", "\ufffd")
    if "\r" not in text:
        return text
    text = text.replace("\r\n", "\n")
    return text.replace("\r", " " if "\n" in text else "\n")


def parse_text(text: str) -> Parsed:
    """The paragraphs of a plain text, in order, each with its lines."""
    return Parsed(TEXT_PARSER, tuple(paragraphs(text)))


def paragraphs(text: str) -> Iterator[ParsedBlock]:
    """Runs of lines that are not blank; each line as it is, without blanks at its end."""
    run: list[str] = []
    number = 0
    for number, line in enumerate(text.split("\n"), 1):
        kept = line.rstrip()
        if kept:
            run.append(kept)
        elif run:
            yield _paragraph(run, number - 1)
            run = []
    if run:
        yield _paragraph(run, number)


def _paragraph(run: list[str], last: int) -> ParsedBlock:
    first = last - len(run) + 1
    return ParsedBlock("paragraph", (), LineSpan(first, last), "\n".join(run), {}, first)


def is_kubernetes(text: str) -> bool:
    """Whether a YAML text holds Kubernetes resources."""
    return bool(_API.search(text) and _KIND.search(text))


def parse_manifest(text: str, name: str) -> Parsed:
    """The parts of a manifest, each with its lines; a text that is none of those known is read as paragraphs."""
    low = name.lower()
    if low.startswith(("dockerfile", "containerfile")):
        return Parsed(MANIFEST_PARSER, tuple(_parts(text, "dockerfile")))
    if low.endswith((".yaml", ".yml")) and is_kubernetes(text):
        return Parsed(MANIFEST_PARSER, tuple(_parts(text, "kubernetes")))
    return parse_text(text)


def _parts(text: str, lang: str) -> list[ParsedBlock]:
    lines = text.split("\n")
    starts = [at for at, line in enumerate(lines) if _begins(line, lang)]
    edges = sorted({0, *starts, len(lines)})
    found: list[ParsedBlock] = []
    for first, end in pairwise(edges):
        filled = [at for at in range(first, end) if lines[at].strip() and lines[at].rstrip() != "---"]
        if not filled:
            continue
        part = "\n".join(line.rstrip() for line in lines[filled[0] : filled[-1] + 1])
        symbol = _symbol(part, lang)
        span = CodeSpan(filled[0] + 1, filled[-1] + 1, symbol, lang)
        found.append(ParsedBlock("code", (symbol,) if symbol else (), span, part, {"lang": lang}, filled[0] + 1))
    return found


def _begins(line: str, lang: str) -> bool:
    return bool(_FROM.match(line)) if lang == "dockerfile" else line.rstrip() == "---" or line.startswith("--- ")


def _symbol(part: str, lang: str) -> str | None:
    if lang == "dockerfile":
        found = _FROM.match(part)
        return (found[2] or found[1])[:200] if found else None
    kind, named = _KIND.search(part), _names(part)
    if not kind or "name" not in named:
        return kind[1] if kind else None
    return "/".join((kind[1], *([named["namespace"]] if "namespace" in named else []), named["name"]))


def _names(part: str) -> dict[str, str]:
    """The name and the namespace right below `metadata:`, before anything else begins."""
    inside, depth, found = False, 0, dict[str, str]()
    for line in part.split("\n"):
        if line[:1].strip():
            inside, depth = line.startswith("metadata:"), 0
        elif inside and line.strip():
            indent = len(line) - len(line.lstrip())
            depth = depth or indent
            if indent == depth and (one := _NAME.match(line.strip())):
                found.setdefault(one[1], one[2])
    return found
