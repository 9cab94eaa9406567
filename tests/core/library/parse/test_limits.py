"""Files whose reading would take square time: read for less, with a word that says so."""

from __future__ import annotations

import pytest

from core.library.parse.code import grammar_of, parse_code
from core.library.parse.markdown import frontmatter
from core.library.parse.text import TEXT_PARSER

DENSE = (
    "template<typename T, std::enable_if_t<std::is_same_v<T, int> && (sizeof(T) < 8), int> = 0> constexpr auto "
    "f(const std::map<std::string, std::vector<T>>& m, T&&... a) noexcept(noexcept(g(a))) -> decltype(m.begin()) "
    "{ return static_cast<const T*>(a)->template b<T>(x < y && z > (w), *p * q, (A)(b)); }\n"
)


@pytest.mark.parametrize("unit", ["-->", "|-", "<!--"])
def test_garbage_named_as_code_is_read_as_plain_text_and_says_so(unit: str) -> None:
    grammar = grammar_of("python", "a.py")
    assert grammar is not None
    found = parse_code("x = 1\n" + unit * 3_000, "a.py", grammar, "python")
    assert found.parser_version == TEXT_PARSER
    assert found.warnings == ("parser timeout: read as plain text",)
    again = parse_code("def f():\n    pass\n", "a.py", grammar, "python")
    assert (again.parser_version != TEXT_PARSER, again.warnings) == (True, ())


def test_dense_code_is_read_as_code() -> None:
    grammar = grammar_of("cpp", "a.cpp")
    assert grammar is not None
    found = parse_code(DENSE * 50, "a.cpp", grammar, "cpp")
    assert (found.parser_version != TEXT_PARSER, found.warnings) == (True, ())


@pytest.mark.parametrize(
    "text", [f"---\na: {'{' * 30_000}\n---\nx", f"---\n{'- ' * 20_000}\n---\nx", f"+++\n{'a.' * 20_000}b = 1\n+++\nx"]
)
def test_a_frontmatter_that_nests_too_deeply_is_refused_with_its_reason(text: str) -> None:
    found = frontmatter(text)
    assert (found.properties, "it is too large" in found.fault) == (None, True)


@pytest.mark.parametrize("text", ["---\na: 1\nb: 2: 3\n---\n", "+++\na = 1\nb = 2 = 3\n+++\n"])
def test_a_broken_frontmatter_is_named_by_the_line_of_the_file(text: str) -> None:
    assert "at line 3, column " in frontmatter(text).fault and "<" not in frontmatter(text).fault


def test_a_frontmatter_as_deep_as_before_is_read() -> None:
    deep = "{a: " * 19 + "1" + "}" * 19
    assert frontmatter(f"---\nx: {deep}\n---\n").fault == ""
