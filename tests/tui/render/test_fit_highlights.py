"""A line that is longer than its room shows each of its lit words, and lights the same letters as before."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from core.rules.calls import CallRow, highlight_words, words_of
from tui.render.common.glyphs import ASCII, UNICODE
from tui.render.common.untrusted import in_sight
from tui.render.ranking import draw_call_row

NOW = datetime(2026, 3, 14, 9, 0, tzinfo=UTC)


def test_words_far_apart_are_drawn_together() -> None:
    text = "docker compose up -d " + "and then " * 20 + "a queue " + "or else " * 20 + "in shop"
    said, spans = in_sight(text, highlight_words(text, words_of("docker queue shop")), 48, "…")
    assert said == "docker compo… a queue or el…in shop"
    assert [said[start:end] for start, end in spans] == ["docker", "queue", "shop"]


def test_a_line_in_which_all_is_seen_stays_as_it_is() -> None:
    text = "git push and " + "git " * 40
    found = highlight_words(text, words_of("git push"))
    assert in_sight(text, found, 20, "…") == (text, found), "it is seen once, so it need not be seen again"


@given(
    st.lists(
        st.sampled_from(["git", "push", "main", "한글", "데이터", "queue", "\t", "x" * 30]), min_size=1, max_size=40
    ),
    st.lists(st.sampled_from(["git", "push", "한", "queue"]), min_size=1, max_size=3, unique=True),
    st.integers(44, 90),
)
def test_every_word_is_in_the_row_and_lit_there(parts: list[str], asked: list[str], width: int) -> None:
    text = " ".join(parts)
    words = words_of(" ".join(asked))
    found = highlight_words(text, words)
    wanted = {text[start:end] for start, end in found}
    for signs in (UNICODE, ASCII):
        drawn = draw_call_row(CallRow(1, "Bash", text, "", False, "", found), width, signs, NOW)
        assert cell_len(drawn.plain) == width
        shown = {drawn.plain[span.start : span.end] for span in drawn.spans if "underline" in str(span.style)}
        assert wanted <= shown
