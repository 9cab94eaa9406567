"""Code in colours: the right ones, no sign lost, what was searched above them, and never more read than is shown."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pygments.lexers import get_lexer_by_name
from textual.content import Content

from core.library.documents.opened import OpenDocument
from core.library.search.lexical import lexical_query
from tests.tui.corpus import assert_inert_text
from tests.tui.render.test_library import DOCUMENT, opened
from tui.render import document
from tui.render.common import code
from tui.render.common.code import LANGUAGES, colour, language_of
from tui.render.common.glyphs import UNICODE
from tui.render.common.markdown import LONGEST
from tui.render.document import DocLine, Paper, around, coloured_lines, lay_out

CODE = """\
def lift(weight: int) -> str:
    # the ledger knows
    return "ledger" if weight is not None else f"{weight:03}"
"""
HOSTILE = st.text(st.sampled_from("ab =\"'#/*<>{}[]()`$\\\n\t\r\x1b\x9b\u202e\u2028한👩‍👧\ud800"), max_size=200)


def source(text: str, path: str = "a.py", first: int = 1) -> OpenDocument:
    lines = tuple(text.split("\n"))
    about = replace(DOCUMENT, doc_path=path, media_type="code")
    return OpenDocument(about, "same", "", first, lines, first + len(lines) - 1, len(lines), None)


def drawn(one: OpenDocument, words: str = "", cells: int = 200) -> tuple[DocLine, ...]:
    terms = lexical_query(words).terms if words else ()
    colours = coloured_lines(one, one.first, one.last)
    return lay_out(one, one.first, one.last, Paper(cells, terms, None, UNICODE), rendered=False, colours=colours)


def tone(body: Content, word: str, *, last: bool = False) -> str:
    """The tone that `word` is seen in: the last one laid over it."""
    at = body.plain.rindex(word) if last else body.plain.index(word)
    return str([one.style for one in body.spans if one.start <= at and at + len(word) <= one.end][-1])


def test_words_texts_numbers_and_remarks_have_tones_of_their_own() -> None:
    first, second, third, _ = (line.body for line in drawn(source(CODE)))
    assert tone(first, "def") == "bold $cb-text"
    assert tone(first, "lift") == "bold $cb-text"
    assert tone(first, "weight") == "$cb-soft"
    assert tone(second, "the ledger knows") == "italic $cb-dim"
    assert tone(third, "ledger") == "$cb-good"
    assert tone(third, "None") == "$cb-draft"


def test_what_was_searched_is_lit_above_every_colour() -> None:
    _, second, third, _ = (line.body for line in drawn(source(CODE), "ledger"))
    assert tone(second, "ledger") == "bold underline $cb-accent"
    assert tone(third, "ledger") == "bold underline $cb-accent"
    assert tone(third, '"') == "$cb-good"


def test_no_tone_of_code_is_that_of_what_was_searched() -> None:
    assert not [one for one in code._TONES.values() if "accent" in one or "underline" in one]


def test_every_language_is_one_that_pygments_brings_itself() -> None:
    for name in set(LANGUAGES.values()):
        assert type(get_lexer_by_name(name)).__module__.startswith("pygments.lexers."), name


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a/b.py", "python"), ("Dockerfile", "docker"), ("x/dockerfile.dev", "docker"), ("Makefile", "make"),
        ("a.TSX", "typescript"), ("k8s/a.yaml", "yaml"), ("notes.txt", ""), ("py", ""), ("a.b/c", ""), ("", ""),
    ],
)  # fmt: skip
def test_the_language_is_told_by_the_name(path: str, language: str) -> None:
    assert language_of(path) == language


@settings(max_examples=150, deadline=None)
@given(HOSTILE, st.sampled_from(sorted(set(LANGUAGES.values()))), st.integers(10, 60))
def test_whatever_it_holds_no_sign_is_lost_and_nothing_acts(text: str, language: str, cells: int) -> None:
    end = next(end for end, name in LANGUAGES.items() if name == language)
    one = source(text, f"a.{end}")
    plain = lay_out(one, 1, one.last, Paper(cells, (), None, UNICODE), rendered=False)
    shown = drawn(one, cells=cells)
    assert [line.body.plain for line in shown] == [line.body.plain for line in plain]
    for line in shown:
        assert_inert_text(line.body.plain)


def test_a_text_that_a_lexer_stumbles_over_is_shown_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stumbling:
        def get_tokens_unprocessed(self, text: str) -> object:
            yield 0, ("Keyword",), text[:3]
            yield 0, ("Keyword",), "again"
            raise RecursionError

    monkeypatch.setattr(code, "_lexer", lambda _language: Stumbling())
    runs = colour(["def lift", "", "end"], "python")
    assert ["".join(run.text for run in line) for line in runs] == ["def lift", "", "end"]
    assert [run.tone for run in runs[0]] == ["bold $cb-text", "$cb-soft"]


def test_who_is_not_waited_for_ends_in_the_middle() -> None:
    class Gone(Exception):
        pass

    def check() -> None:
        raise Gone

    with pytest.raises(Gone):
        coloured_lines(source(CODE), 1, 3, check)


def test_a_line_far_down_in_a_long_remark_is_known_to_be_one() -> None:
    text = 'LONG = """\n' + "it is said\n\n" * 1_000 + '"""\nreturn 1\n'
    colours = coloured_lines(source(text), 1_500, 2_003)
    assert {run.tone for number in range(1_500, 2_002) for run in colours[number]} == {"$cb-good"}
    assert colours[2_003][0].tone == "bold $cb-text"


@pytest.mark.parametrize("first", [1, 40_001])
def test_of_a_large_source_a_window_is_read(monkeypatch: pytest.MonkeyPatch, first: int) -> None:
    read: list[int] = []
    monkeypatch.setattr(document, "colour", lambda texts, *_: read.append(sum(map(len, texts))) or [[] for _ in texts])
    one = source(CODE * 6_000, first=first)
    for place in (first, first + 9_000, one.last):
        near = around(one, place, 1_000)
        assert near[0] <= place <= near[1]
        assert near[1] - near[0] <= 2_000
        assert set(coloured_lines(one, *near)) == set(range(near[0], near[1] + 1))
    assert max(read) < 250_000


def test_of_a_line_without_end_only_what_is_shown_is_read() -> None:
    one = source("x = 1\n" + "a = 'b'; " * 1_000_000 + "\ny = 2\n")
    assert around(one, 1, 1_000) == (1, 4)
    colours = coloured_lines(one, 1, 4)
    assert sum(len(run.text) for run in colours[2]) == LONGEST
    long = [line for line in drawn(one, cells=LONGEST) if line.number == 2]
    assert "more characters" in long[-1].body.plain


def test_of_long_lines_fewer_are_read() -> None:
    one = source("a = 'b'; " * 400 + "\n" + "\n".join(["a = 'b'; " * 400] * 400))
    first, last = around(one, 200, 1_000)
    assert first < 200 < last
    assert last - first < 40


def test_a_place_further_down_begins_where_nothing_is_open() -> None:
    text = ('def lift():\n    """Lift.\n\n    It is said here.\n    """\n    return 1\n\n\n') * 3_000
    one = source(text)
    for place in (20_000, 20_001, 20_003):
        colours = coloured_lines(one, place, place + 8)
        told = {number: {run.tone for run in runs} for number, runs in colours.items()}
        assert {number % 8 for number, tones in told.items() if tones == {"$cb-good"}} == {4, 5}


def test_a_fence_in_markdown_has_the_colours_of_what_it_names() -> None:
    text = "# T\n\n```python title=x\nreturn 'a'\n```\n\n- one\n  ```js\n  let a = 'b'\n  ```\n- two\n\n"
    text += "```unheard-of\nreturn 'a'\n```\n\n    return 'a'\n"
    lines = lay_out(opened(text), 1, 99, Paper(60, (), None, UNICODE), rendered=True)
    shown = {line.number: line.body for line in lines}
    assert tone(shown[4], "return") == "bold $cb-text"
    assert tone(shown[4], "'a'") == "$cb-good"
    assert tone(shown[9], "let") == "bold $cb-text"
    assert shown[9].plain == "  let a = 'b'"
    assert tone(shown[14], "return 'a'") == "$cb-soft"
    assert tone(shown[17], "return 'a'") == "$cb-soft"
    assert not {3, 5, 8, 10, 13, 15} & set(shown), "the fences are not drawn"
