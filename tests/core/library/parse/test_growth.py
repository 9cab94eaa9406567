"""Reading a document takes work in proportion to its length, whatever it holds: steps are counted, not seconds."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.library.chunk import ChunkPolicy, by_headings, by_pages, by_paragraphs, by_units
from core.library.documents.rows import PageSpan, ParsedBlock
from core.library.parse import markdown
from core.library.parse.markdown import parse_markdown
from core.library.parse.text import parse_manifest, parse_text

POLICY = ChunkPolicy(target_tokens=16, overlap_tokens=4, max_chunk_tokens=64)
SMALL, TIMES = 300, 4
UNITS = (
    "<!--", "<!-- x\n", "<div>\n<!--\n", "<", "<a ", "</", "<?", "<![CDATA[", "- <!--\n", "*a ", "**", "_a", "`", "[",
    "[a](", "![", "[a]: ", "[a]: /b\n", "> ", "> a\n> ", "- ", "- a\n", "1. a\n", "|a|b|\n", "a\n=\n", "a\n\n", "# a\n",
    "\t", "    a\n", "```\n", "&amp;", "\\", "(((", "]]]", "\n", "가\n", "---\n", "\n  a\n", " ",
    "from a as b\n", "kind: a\n",
)  # fmt: skip
BEGINS = ("", "a", "- x\n", "> ", "<div>", "|a|\n|-|\n|")
ENDS = ("", "b\nc\n", "-->\n")


def _markdown(text: str) -> None:
    list(by_headings(parse_markdown(text).blocks, POLICY))


def _plain(text: str) -> None:
    list(by_paragraphs(parse_text(text).blocks, POLICY))


def _docker(text: str) -> None:
    list(by_units(parse_manifest(text, "Dockerfile").blocks, POLICY))


def _kubernetes(text: str) -> None:
    list(by_units(parse_manifest(f"apiVersion: v1\nkind: a\n{text}", "a.yaml").blocks, POLICY))


def _page(text: str) -> None:
    list(by_pages([ParsedBlock("paragraph", (), PageSpan(1), text, {}, 1)], POLICY))


def steps(work: Callable[[str], None], text: str) -> int:
    """How many lines of Python were run."""
    count = 0

    def trace(_frame: FrameType, event: str, _arg: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work(text)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("work", [_markdown, _plain, _docker, _kubernetes, _page])
def test_the_steps_of_a_reader_grow_with_the_length_of_its_text(work: Callable[[str], None]) -> None:
    work("---\na: 1\n---\n# What is imported is imported\n\n- a\n")
    for unit in UNITS:
        for begin in BEGINS if work is _markdown else ("",):
            small, large = (begin + unit * (size // len(unit)) for size in (SMALL, SMALL * TIMES))
            assert steps(work, large) <= 1.5 * TIMES * steps(work, small) + 500, (unit, begin)


class Read:
    """A pattern that keeps the texts it was given."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.pattern = pattern
        self.texts: list[str] = []

    def sub(self, by: str, text: str) -> str:
        self.texts.append(text)
        return self.pattern.sub(by, text)


@pytest.mark.parametrize("begin", BEGINS)
def test_a_comment_is_looked_for_only_where_one_ends(begin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then every `<!--` is answered by the next end of a comment, and no part of the text is read twice."""
    for text in (begin + unit * 40 + end for unit in UNITS for end in ENDS):
        with monkeypatch.context() as patch:
            tag, bare = Read(markdown._TAG), Read(markdown._BARE_TAG)
            patch.setattr(markdown, "_TAG", tag)
            patch.setattr(markdown, "_BARE_TAG", bare)
            parse_markdown(text)
        assert all(one == "" or one.endswith("-->") for one in tag.texts)
        assert sum(map(len, (*tag.texts, *bare.texts))) <= len(text)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.sampled_from(["<!--", "-->", "--", "<", ">", "a", "<b>", "\n", "<!-->", "-"]), max_size=14).map("".join)
)
def test_tags_and_comments_are_the_same_as_ever(text: str) -> None:
    assert markdown._without_tags(text) == re.sub(r"(?s)<!--.*?-->|<[^<>]*>", " ", text)


@settings(max_examples=300, deadline=None)
@given(st.text(st.sampled_from(" \t\nab\u3000"), max_size=30))
def test_blanks_around_line_ends_are_the_same_as_ever(text: str) -> None:
    assert markdown._without_blank_ends(text) == re.sub(r"[ \t]*\n[ \t]*", "\n", text)


def test_no_pattern_is_asked_about_a_run_of_blanks(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    original = markdown._without_blank_ends
    monkeypatch.setattr(markdown, "_without_blank_ends", lambda text: said.append(text) or original(text))
    (block,) = parse_markdown("a" + " " * 5_000 + "b  \n  c\n").blocks
    assert block.text == "a" + " " * 5_000 + "b\nc"
    assert len(said) == 1
