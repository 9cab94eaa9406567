"""What is read without the whole parser is what the whole parser reads."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from core.library.parse.markdown import inline_text, inline_tokens, parse_markdown, read_blocks, words

PARSER = MarkdownIt("commonmark").enable("table")

INLINE = st.lists(
    st.sampled_from(
        [*"ab가`*_[]<>&!;#.,(){1 \n", "**", "__", "``", "  ", "](", "/b", "amp", "e\u0301", "\xa0", "`c d`", "**b**",
         "*i*", "snake_case", "https://a.b", "<https://a.b>", "[r]", "![p](q)", "\\", "\t",
         "[a b](c/d_e)", "**[a b](c)**", "*[a](c)", "(**", "**가", "[**b**](c)", "`d`**", "**`d`",
         "[`f`](https://a.b:1/c?d=e#f)", "](c)", "[a ](b)", "___", "_a_", "_**가**_", "[_a](b)", "![_a](b)",
         "![a b](c)", "[![p](q)](r)", '[a](b "c d")', "<b>", "</b >", "<br/>", '<i a="b_*c">', '<i a="', "`` `a` ``",
         "` `", "` ", "\n*", "«", "***a**", "[u]"]
    ),
    min_size=1,
    max_size=14,
)  # fmt: skip
LINES = st.lists(
    st.sampled_from(
        ["words here", "가나 다라", "# head", "## h2 ##", "#no", "#", "---", "===", "- item", "1. x", "| a | b |",
         "a | b", "--|--", ":-:|--", "> q", "```", "~~~", "    code", "  ind", "[r]: /u", "<div>", "", "", "",
         "text  ", "\ttab", "`code` here", "```js", "``a``", "**bold** here", "*stressed*", "* item", "***", "* * *",
         "**", "*", "!!! note", "{* a *}", "/// tip", "(so", "[a](b) here", "[s]: /v", '"said"', "1986. A year", "...",
         "[r]", "- [a](b)", "- **b**: c", "-   far", "-     code", "+ other", "10. ten", "2) two", "3) three",
         "  in it", "   in it", "  - deep", "- - two", "- # head", "-", "- [r]: /w", "##### h5 #", "# h #x",
         "####### h7", "| - | :-: |", "|---|---|", "|---|", "|a|b|c|", "| `a|b` | *c* |", "|", "||", "|a",
         "| a \\| b |", "~~~~", "   ```", "```` x", "``` `x`", "``` ",
         f"- {'long ' * 300}"]
    ),
    min_size=1,
    max_size=12,
)  # fmt: skip


@settings(max_examples=300)
@given(INLINE)
def test_the_words_of_a_line_are_those_the_parser_reads(parts: list[str]) -> None:
    content = "".join(parts).strip()
    if any(sign in content for sign in "\\`*_[]<>&!"):  # without marks the parser was never asked
        for env in ({}, {"references": {"U": {"href": "/u", "title": ""}}}):
            assert words(PARSER, content, env) == inline_text(inline_tokens(PARSER, content, env))


@settings(max_examples=500)
@given(LINES, st.booleans())
def test_the_blocks_of_a_text_are_those_the_parser_finds(lines: list[str], split_lists: bool) -> None:
    text = "\n".join(lines)
    quick, slow = (
        read_blocks(text.split("\n"), text, split_lists=split_lists, quickly=quickly) for quickly in (True, False)
    )
    assert quick == slow


def test_a_name_that_a_text_defines_is_a_link_to_both() -> None:
    env = {"references": {"R": {"href": "/u", "title": ""}}}
    assert words(PARSER, "see [the words][r] of `pump`", env) == "see the words of pump"


def test_the_attributes_behind_a_heading_are_none_of_its_words() -> None:
    text = "# Install { #install .wide }\n\nRun it.\n\n## A dict {a: 1}\n\nText.\n\n## {#only}\n\nText.\n"
    headings = [block.text for block in parse_markdown(text).blocks if block.kind == "heading"]
    assert headings == ["Install", "A dict {a: 1}", "{#only}"]
