"""Every relative link and anchor of README.md, CHANGELOG.md, CONTRIBUTING.md, SECURITY.md and docs/ has a target."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from tests.pages.test_commands import tokens

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
_MENTION = re.compile(r"(?<![\w./])docs/(?:guide|reference|internals)/[\w-]+\.md(?:#(?!L\d)[\w-]+)?")
"""A page named without a link, as the help texts of the program do."""


@cache
def anchors(page: Path) -> frozenset[str]:
    """The anchors of its headings as GitHub makes them."""
    parts = MarkdownIt().parse(page.read_text(encoding="utf-8"))
    found: list[str] = []
    for at, token in enumerate(parts):
        if token.type == "heading_open":
            text = "".join(one.content for one in parts[at + 1].children or ())
            slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
            found.append(f"{slug}-{found.count(slug)}" if slug in found else slug)
    return frozenset(found)


def links(page: Path) -> Iterator[str]:
    for token in tokens(page):
        for one in token.children or ():
            target = one.attrGet("href" if one.type == "link_open" else "src")
            if one.type in ("link_open", "image") and not re.match(r"[a-z]+:", str(target)):
                yield str(target)


def missing(page: Path, target: str) -> bool:
    name, _, anchor = target.partition("#")
    there = (page.parent / name).resolve() if name else page
    return not there.exists() or (bool(anchor) and anchor not in anchors(there))


@pytest.mark.parametrize("page", PAGES, ids=[page.relative_to(ROOT).as_posix() for page in PAGES])
def test_each_link_has_a_target(page: Path) -> None:
    assert [target for target in links(page) if missing(page, target)] == []


def test_each_page_named_by_the_program_exists() -> None:
    texts = [*PAGES, *(path for top in ("core", "cli", "tui") for path in (ROOT / top).rglob("*.py"))]
    found = [(path, hit) for path in texts for hit in _MENTION.findall(path.read_text(encoding="utf-8"))]
    assert len(found) > 3
    assert [(path, hit) for path, hit in found if missing(ROOT / "README.md", hit)] == []


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "a.md"
    page.write_text("# One `two`\n\n## One two\n\n[a](#one-two) [b](a.md#one-two-1) [c](b.md) [d](#x) ![e](e.svg)\n")
    assert [target for target in links(page) if missing(page, target)] == ["b.md", "#x", "e.svg"]
