"""What each parser and chunker makes of a fixture, by its version: the same label with other output is a failure.

A change on purpose takes a new label, and `python tests/core/library/parse/test_golden_output.py` writes its file.
"""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from core.library.chunk import (
    MD_V1,
    MD_V2,
    PAGE_V1,
    TEXT_V1,
    ChunkPolicy,
    by_headings,
    by_pages,
    by_paragraphs,
    by_units,
    chunker_version,
    policy_hash,
)
from core.library.documents.rows import LineSpan, Parsed, ParsedBlock, Passage, span_object
from core.library.ingest.readers import code_lang_of, reader_of
from core.library.parse.code import parse_code, parser_version
from core.library.parse.markdown import PARSER as MARKDOWN
from core.library.parse.markdown import parse_markdown
from core.library.parse.pdf import PARSER as PDF
from core.library.parse.pdf import parse_pdf
from core.library.parse.text import MANIFEST_PARSER as MANIFEST
from core.library.parse.text import TEXT_PARSER as PLAIN
from core.library.parse.text import parse_manifest, parse_text

DATA = Path(__file__).parents[3] / "data" / "library"


def _blocks(parsed: Parsed) -> dict[str, Any]:
    rows = [
        [one.kind, list(one.heading_path), span_object(one.span), one.text, dict(one.payload), one.first_line]
        for one in parsed.blocks
    ]
    return {"said": dict(parsed.properties), "warnings": list(parsed.warnings), "blocks": rows}


def _passages(passages: list[Passage]) -> list[list[Any]]:
    return [
        [one.text, list(one.heading_path), list(one.blocks), one.token_estimate, list(one.lines or ()), one.split]
        for one in passages
    ]


def _long() -> list[ParsedBlock]:
    """A section with more than a target holds, then a block larger than any passage may be."""
    words = [f"{n}번째 문단은 펌프 {n}의 점검을 적는다. Paragraph {n} tells of pump {n}." for n in range(12)]
    lines = "\n".join(f"reading {n:03d} = {n * 7 % 13}" for n in range(160))
    return [
        ParsedBlock("heading", (), LineSpan(1, 1), "기록", {"level": 1}, 1),
        *(ParsedBlock("paragraph", ("기록",), LineSpan(3 + 2 * n, 3 + 2 * n), one) for n, one in enumerate(words)),
        ParsedBlock("code", ("기록",), LineSpan(30, 191), lines, {"lang": None}, 31),
    ]


SMALL = ChunkPolicy(target_tokens=120, overlap_tokens=40, max_chunk_tokens=400)
SMALL_V1 = ChunkPolicy(target_tokens=120, overlap_tokens=40, max_chunk_tokens=400, chunker_version=MD_V1)


CODE = {
    "python": "pumps.py", "rust": "valve.rs", "go": "gauge.go", "java": "Plant.java", "kotlin": "Plant.kt",
    "cpp": "plant.cpp", "c": "plant.c", "typescript": "plant.ts", "javascript": "plant.js", "tsx": "Panel.tsx",
}  # fmt: skip


def _code(grammar: str) -> Parsed:
    name = CODE[grammar]
    lang = code_lang_of(name)
    assert lang is not None
    return parse_code((DATA / "code" / name).read_text(encoding="utf-8"), f"src/{name}", grammar, lang)


MANIFESTS = ("plant.yaml", "Dockerfile", "compose.yaml")
_READER = reader_of("manifest", "Dockerfile", ChunkPolicy())
assert _READER is not None
MANIFEST_PART = _READER.chunker_version
PAGES = ChunkPolicy(target_tokens=60, overlap_tokens=0, max_chunk_tokens=60)


def _manifests() -> list[Parsed]:
    texts = [(name, (DATA / "manifests" / name).read_text(encoding="utf-8")) for name in MANIFESTS]
    return [parse_manifest(text, name) for name, text in texts]


def _paged(passages: list[Passage]) -> list[list[Any]]:
    """A page has no lines, but its passages say which signs of it they are."""
    spans = [[span_object(span) for span in one.spans] for one in passages]
    return [[*row, span] for row, span in zip(_passages(passages), spans, strict=True)]


@cache
def made() -> dict[str, Any]:
    markdown = parse_markdown((DATA / "every-kind.md").read_text(encoding="utf-8"))
    log = parse_text((DATA / "pump.log").read_text(encoding="utf-8"))
    pdf = parse_pdf((DATA / "gauges.pdf").read_bytes())
    return {
        PDF: _blocks(pdf),
        PAGE_V1: _paged(list(by_pages(pdf.blocks, PAGES))),
        MANIFEST: [_blocks(one) for one in _manifests()],
        MANIFEST_PART: [_passages(list(by_units(one.blocks, PAGES))) for one in _manifests()],
        MARKDOWN: _blocks(markdown),
        PLAIN: _blocks(log),
        MD_V1: [_passages(list(by_headings(one, SMALL_V1))) for one in (markdown.blocks, _long())],
        MD_V2: [_passages(list(by_headings(one, SMALL))) for one in (markdown.blocks, _long())],
        TEXT_V1: [_passages(list(by_paragraphs(one, SMALL))) for one in (log.blocks, _long())],
        **{parser_version(grammar): _blocks(_code(grammar)) for grammar in CODE},
        chunker_version("python"): [_passages(list(by_units(one, SMALL))) for one in (_code("python").blocks, _long())],
        "policies": {name: policy_hash(ChunkPolicy(), name) for name in (MD_V1, MD_V2, TEXT_V1)},
    }


def _file(label: str) -> Path:
    return DATA / f"golden.{label.replace('/', '.')}.json"


LABELS = (
    *(MARKDOWN, PLAIN, MD_V1, MD_V2, TEXT_V1, chunker_version("python"), "policies"),
    *(PDF, PAGE_V1, MANIFEST, MANIFEST_PART),
    *(parser_version(grammar) for grammar in CODE),
)


@pytest.mark.parametrize("label", LABELS)
def test_a_version_makes_what_it_always_made(label: str) -> None:
    assert json.loads(json.dumps(made()[label])) == json.loads(_file(label).read_text(encoding="utf-8"))


if __name__ == "__main__":
    for name, value in made().items():
        if not _file(name).exists():
            _file(name).write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
            sys.stdout.write(f"{_file(name)}\n")
