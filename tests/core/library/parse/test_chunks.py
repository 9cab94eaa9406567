"""Parsers and chunkers on any text: nothing raises, nothing is lost, and what is cited stands on the lines it names."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.fault import Fault
from core.library.chunk import MD_V1, ChunkPolicy, by_headings, by_paragraphs, by_sections, pieces, tokens
from core.library.documents.rows import LineSpan, Parsed, ParsedBlock, Passage
from core.library.ingest.prepare import title_of, utc
from core.library.parse.markdown import frontmatter, parse_markdown
from core.library.parse.text import decode, parse_text

TINY = ChunkPolicy(target_tokens=16, overlap_tokens=6, max_chunk_tokens=20)
_SHAPES = (
    "# {0}", "## {0} {1}", "{0} {1} *{2}*", "- {0}\n- {1}\n  - {2}", "1. {0}\n\n   {1}", "> {0}\n> {1}",
    "```\n{0}\n\n{1}\n```",
    "| {0} | {1} |\n|---|---|\n| {2} | x |", "{0}\n{1}\n{2}", "    {0}", "<b>{0}</b> {1}", "![{0}](a.png)", "***",
    "[{0}](u)", "{0}\n===", "~~~py\n{0}", "* * *\n{0}",
)  # fmt: skip


@st.composite
def documents(draw: st.DrawFn) -> str:
    """Markdown in which each word is there once: `w7x`."""
    parts: list[str] = []
    number = 0
    for shape in draw(st.lists(st.sampled_from(_SHAPES), max_size=12)):
        said = shape.format(*(f"w{number + at}x" for at in range(3)))
        number += 3
        parts.append(said + draw(st.sampled_from(("\n\n", "\n\n\n", "\n"))))
    return "".join(parts)


def passages_of(parsed: Parsed, policy: ChunkPolicy = TINY) -> list[Passage]:
    markdown = {"markdown-it/1": by_headings, "markdown-it/2": by_sections}
    cut = markdown.get(parsed.parser_version, by_paragraphs)
    return list(cut(parsed.blocks, policy))


@settings(max_examples=150)
@given(documents(), st.sampled_from(("markdown", "split lists", "text")))
def test_each_word_is_in_a_passage_whose_lines_hold_it(text: str, read: str) -> None:
    parsed = parse_text(text) if read == "text" else parse_markdown(text, split_lists=read == "split lists")
    lines = text.split("\n")
    seen: set[str] = set()
    for passage in passages_of(parsed):
        assert passage.lines is not None
        first, last = passage.lines
        assert 1 <= first <= last <= len(lines)
        named = "\n".join(lines[first - 1 : last])
        for word in re.findall(r"w\d+x", passage.text):
            assert word in named
            seen.add(word)
        seen |= set(re.findall(r"w\d+x", " ".join(passage.heading_path)))
    assert seen >= set(re.findall(r"w\d+x", text))


@settings(max_examples=150)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=400))
def test_any_text_is_read(text: str) -> None:
    for parsed in (parse_markdown(text), parse_text(text)):
        for passage in passages_of(parsed):
            assert tokens(passage.text) <= TINY.max_chunk_tokens or not passage.split
            assert passage.lines is not None


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=300), st.integers(3, 40))
def test_pieces_join_to_the_text_and_keep_within_the_budget(text: str, budget: int) -> None:
    found = pieces(text, budget)
    assert all(tokens(one) <= budget for one, _ in found)
    joined, last = "", -1
    lines = text.split("\n")
    for one, at in found:
        whole = at != last and (not joined or joined.count("\n") < at)
        joined += ("\n" if joined and whole else "") + one
        last = at + one.count("\n")
        assert one.split("\n")[0] in lines[at]
    assert joined.replace("\n", "") == text.replace("\n", "")


def test_a_line_of_megabytes_becomes_passages_of_their_own() -> None:
    found = passages_of(parse_text("x" * 3_000_000), ChunkPolicy())
    assert "".join(one.text for one in found) == "x" * 3_000_000
    assert max(one.token_estimate for one in found) <= 4000
    assert {one.lines for one in found} == {(1, 1)}
    assert len({one.split for one in found}) == len(found)


def test_md_heading_v1_splits_no_block() -> None:
    block = ParsedBlock("code", (), LineSpan(1, 900), "line\n" * 900)
    v1 = ChunkPolicy(chunker_version=MD_V1, target_tokens=100, overlap_tokens=10, max_chunk_tokens=100)
    assert len(list(by_headings([block], v1))) == 1
    assert len(list(by_headings([block], ChunkPolicy(100, 10, max_chunk_tokens=100)))) > 1


@pytest.mark.parametrize(
    "wrong", [{"target_tokens": 15}, {"overlap_tokens": 500}, {"max_chunk_tokens": 499}, {"chunker_version": "other"}]
)
def test_sizes_that_cannot_be_met_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(Fault) as caught:
        ChunkPolicy(**wrong)  # type: ignore[arg-type]
    assert caught.value.code == "config_invalid"


@pytest.mark.parametrize(
    "text",
    [">" * 400 + " deep", "- " * 400 + "deep", "*" * 3000 + "deep", "[" * 20_000 + "deep"],
    ids=["quotes", "items", "stars", "brackets"],
)
def test_what_is_too_deep_for_markdown_is_still_found(text: str) -> None:
    assert any("deep" in one.text for one in passages_of(parse_markdown(text), ChunkPolicy()))


@pytest.mark.parametrize(
    ("text", "said", "lines"),
    [
        ("---\na: 1\n---\nbody", {"a": 1}, 3),
        ("---\n---\nbody", {}, 2),
        ("+++\na = 2020-01-02\n+++\nbody", {"a": "2020-01-02"}, 3),
        ("---\nno end", None, 0),
        ("---\njust words\n---\n", None, 0),
        ("text\n---\na: 1\n---\n", None, 0),
        ("---\n1: {2: [3, null, .nan, 2020-01-01]}\n---\n", {"1": {"2": [3, None, "nan", "2020-01-01"]}}, 3),
    ],
)
def test_frontmatter(text: str, said: dict[str, object] | None, lines: int) -> None:
    found = frontmatter(text)
    assert (found.properties, found.lines, found.fault) == (said, lines, "")


BOMB = "---\na: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{','.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(9)
)  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "---\na: [1\n---\nbody",
        "---\n!!python/object/apply:os.system ['x']\n---\nbody",
        "---\na: &a [*a]\n---\nbody",
        BOMB + "---\nbody",
        "---\na: !!timestamp 99999-01-01\n---\nbody",
        "+++\na = \n+++\nbody",
    ],
)
def test_frontmatter_that_cannot_be_read_is_told_and_kept_as_text(text: str) -> None:
    parsed = parse_markdown(text)
    assert len(parsed.warnings) == 1
    assert "\n" not in parsed.warnings[0]
    assert [one.kind for one in parsed.blocks] == ["code", "paragraph"]
    assert parsed.blocks[0].text == "\n".join(text.split("\n")[1:-2])


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        ("가\r\n나\n".encode(), "가\n나\n", "utf-8"),
        (b"\xef\xbb\xbfbom", "bom", "utf-8-sig"),
        ("한글".encode("utf-16"), "한글", "utf-16"),
        ("한글 설명서".encode("cp949"), "한글 설명서", "cp949"),
        (b"caf\xe9 ol\xe9 \x81", "café olé \x81", "latin-1"),
        (b"old\rmac\r", "old\nmac\n", "utf-8"),
        (b"a\rb\nc", "a b\nc", "utf-8"),
    ],
)
def test_bytes_become_the_lines_an_editor_counts(data: bytes, text: str, encoding: str) -> None:
    found = decode(data)
    assert found is not None
    assert (found.text, found.encoding) == (text, encoding)
    assert bool(found.warning) == (encoding in ("cp949", "latin-1"))


def test_secrets_are_masked_before_anything_is_made_of_a_text() -> None:
    token = "ghp_" + "a1B2" * 9
    found = decode(f"line one\ntoken = {token}\nline three\n".encode())
    assert found is not None
    assert token not in found.text
    assert len(found.text.split("\n")) == 4


@pytest.mark.parametrize(
    ("text", "name", "title"),
    [
        ("---\ntitle: Said\n---\n# H", "a.md", "Said"),
        ("## Two\n\n# One", "a.md", "One"),
        ("para\n\n## Two", "a.md", "Two"),
        ("w " * 60, "a.md", ("w " * 60).strip()[:80].strip()),
        ("- only a list", "dir/설치 안내.md", "설치 안내"),
        ("", ".md", ".md"),
    ],
)
def test_the_title_comes_from_the_first_that_has_one(text: str, name: str, title: str) -> None:
    assert title_of(parse_markdown(text), name).strip() == title


@pytest.mark.parametrize(
    ("said", "time"),
    [
        ("2025-03-04T09:30:00+09:00", "2025-03-04T00:30:00Z"),
        ("2025-03-04", "2025-03-04T00:00:00Z"),
        ("yesterday", None),
        ("0001-01-01T00:00:00+09:00", None),
    ],
)
def test_times_are_kept_in_utc(said: str, time: str | None) -> None:
    assert utc(said) == time


def sections(text: str, policy: ChunkPolicy | None = None) -> list[Passage]:
    return list(by_sections(parse_markdown(text, split_lists=True).blocks, policy or ChunkPolicy()))


def test_a_heading_never_stands_alone() -> None:
    (one, two) = sections("# Guide\n\n## Limits\n\nAt most 3 bar.\n\n## Stop\n\nPress it.\n")
    assert (one.text, one.heading_path, one.lines) == ("Limits\n\nAt most 3 bar.", ("Guide", "Limits"), (3, 5))
    assert (two.heading_path, two.lines) == (("Guide", "Stop"), (7, 9))


@settings(max_examples=100)
@given(documents())
def test_only_a_document_that_ends_with_headings_has_a_passage_of_them(text: str) -> None:
    blocks = parse_markdown(text, split_lists=True).blocks
    for passage in list(by_sections(blocks, TINY))[:-1]:
        assert any(blocks[at].kind != "heading" for at in passage.blocks)


def test_code_and_tables_stay_with_the_prose_that_introduces_them() -> None:
    before, policy = "word " * 30, ChunkPolicy(target_tokens=60, overlap_tokens=10, max_chunk_tokens=200)
    text = f"# Use\n\n{before}\n\nRun it:\n\n```sh\npump --slow {'x' * 60}\n```\n"
    one, two = sections(text, policy)
    assert one.text == f"Use\n\n{before.strip()}"
    assert two.text == f"Run it:\n\npump --slow {'x' * 60}"
    assert sections("Run it:\n\n```sh\npump\n```\n")[0].text == "Run it:\n\npump"


def test_a_long_list_is_split_at_its_items_each_part_with_its_own_lines() -> None:
    text = "# All\n\n" + "\n".join(f"- item {at} {'y' * 200}" for at in range(40))
    found = sections(text)
    assert len(found) > 4
    assert found[0].lines == (1, 7)
    lines = text.split("\n")
    for passage in found:
        assert passage.lines is not None
        first, last = passage.lines
        assert re.findall(r"item \d+", passage.text) == re.findall(r"item \d+", "\n".join(lines[first - 1 : last]))


def test_a_block_larger_than_a_passage_is_split_under_its_heading_each_piece_with_its_own_lines() -> None:
    lines = [f"row {at} {'z' * 90}" for at in range(60)]
    found = sections("# Log\n\nIt says:\n\n## Rows\n\n```\n" + "\n".join(lines) + "\n```\n")
    assert found[0].text == "Log\n\nIt says:"
    assert {one.heading_path for one in found[1:]} == {("Log", "Rows")}
    assert all(one.token_estimate <= 750 for one in found)
    assert "\n".join(one.text for one in found[1:]) == "\n".join(lines)
    for one in found[1:]:
        assert one.lines is not None
        assert one.text.startswith(f"row {one.lines[0] - 8} ")
