"""Manifests: a Dockerfile by its stages, Kubernetes resources one by one, other manifests by their paragraphs."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from core.library.documents.blocks import Parsed, ParsedBlock
from core.library.documents.spans import CodeSpan
from core.library.parse.paragraphs import parse_text

PARSER: Final = "manifest/1"
"""Goes into every id below it: any change of what `parse_manifest` returns changes it."""

_FROM = re.compile(r"from\s+(?:--\S+\s+)?(\S+)(?:\s+as\s+(\S+))?", re.IGNORECASE)
_KIND = re.compile(r"^kind:[ \t]*[\"']?([\w.-]{1,80})", re.MULTILINE)
_API = re.compile(r"^apiVersion:[ \t]*\S", re.MULTILINE)
_NAME = re.compile(r"[ \t]+name:[ \t]*[\"']?([\w.${}-]{1,200})")


def is_kubernetes(text: str) -> bool:
    """Whether a YAML text holds Kubernetes resources."""
    return bool(_API.search(text) and _KIND.search(text))


def parse_manifest(text: str, name: str) -> Parsed:
    """The parts of a manifest, each with its lines; a text that is none of those known is read as paragraphs."""
    low = name.lower()
    if low.startswith(("dockerfile", "containerfile")):
        return Parsed(PARSER, tuple(_parts(text, "dockerfile")))
    if low.endswith((".yaml", ".yml")) and is_kubernetes(text):
        return Parsed(PARSER, tuple(_parts(text, "kubernetes")))
    return parse_text(text)


def _parts(text: str, lang: str) -> list[ParsedBlock]:
    lines = text.split("\n")
    starts = [at for at, line in enumerate(lines) if _begins(line, lang)]
    edges = sorted({0, *starts, len(lines)})
    found: list[ParsedBlock] = []
    for first, end in pairwise(edges):
        said = [at for at in range(first, end) if lines[at].strip() and lines[at].rstrip() != "---"]
        if not said:
            continue
        part = "\n".join(line.rstrip() for line in lines[said[0] : said[-1] + 1])
        symbol = _symbol(part, lang)
        span = CodeSpan(said[0] + 1, said[-1] + 1, symbol, lang)
        found.append(ParsedBlock("code", (symbol,) if symbol else (), span, part, {"lang": lang}, said[0] + 1))
    return found


def _begins(line: str, lang: str) -> bool:
    return bool(_FROM.match(line)) if lang == "dockerfile" else line.rstrip() == "---" or line.startswith("--- ")


def _symbol(part: str, lang: str) -> str | None:
    if lang == "dockerfile":
        found = _FROM.match(part)
        return (found[2] or found[1])[:200] if found else None
    kind, name = _KIND.search(part), _name(part)
    return f"{kind[1]}/{name}" if kind and name else kind[1] if kind else None


def _name(part: str) -> str:
    """The name below `metadata:`, before anything else begins."""
    inside = False
    for line in part.split("\n"):
        if line[:1].strip():
            inside = line.startswith("metadata:")
        elif inside and (found := _NAME.match(line)):
            return found[1]
    return ""
