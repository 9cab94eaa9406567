"""A list of sources behind an answer neither supports it nor refutes it; what it claims beside that is held to."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.flows.ask.verify import settle
from core.library.ask.markers import only_names, source_list
from core.library.ask.verdict import claims, contradicts
from core.library.search.rows import Passage

HTTP = (
    "A client waits 200 ms before the first retry, then twice as long each time. A failed payment is not retried.",
    "notes/http-client.md", ("HTTP client", "Retries"),
)  # fmt: skip
BACKUP = ("백업은 30일 동안 보관한다. 매일 새벽 3시에 백업을 만든다.", "notes/backup.md", ("백업 정책", "보관"))
NAMES = ("notes/http-client.md", "http-client.md", "HTTP client", "Retries", "백업 정책")
TRUE, LIE = "A client waits 200 ms before the first retry", "A client waits 300 ms before the first retry"


def packed() -> list[Passage]:
    spans = '[{"kind":"line","start":7,"end":9}]'
    return [
        Passage(at, f"chunk{at}", "doc", text, json.dumps(heads), heads[-1], spans, "v", 7, 9, path, heads[0],
                "2026-01-01T00:00:00Z", None, None)
        for at, (text, path, heads) in enumerate((HTTP, BACKUP), 1)
    ]  # fmt: skip


LISTS = (
    "Sources:\n[1] http-client.md",
    "Sources:\n[1] notes/http-client.md#L7-L9\n[2] notes/backup.md#L7-L9",
    "**Sources**\n\n- [1] HTTP client > Retries\n- [2] 백업 정책 > 보관",
    "## References\n1. [1] http-client.md, lines 7-9",
    "Source: HTTP client, Retries [1]",
    "(Source: http-client.md#L7-L9 [1])",
    "출처: [1] HTTP client",
    "참고 문헌\n[1] http-client.md, 7-9행\n[2] 백업 정책 문서",
    "[1] http-client.md\n[2] backup.md",
    "[1]: https://example.org/notes/http-client.md",
    "Sources: [1], [2]",
)


@pytest.mark.parametrize("listed", LISTS)
def test_a_list_of_sources_makes_no_answer_of_an_uncited_sentence_and_takes_none_away(listed: str) -> None:
    assert settle(f"{LIE}.\n\n{listed}", packed(), broken=False).grounded is False
    true = settle(f"{TRUE} [1].\n\n{listed}", packed(), broken=False)
    assert true.grounded
    assert [one.text for one in true.claims] == [f"{TRUE}."]


def test_a_bare_title_supports_nothing_beside_another_sentence_but_may_be_the_whole_answer() -> None:
    assert settle("백업은 90일 동안 보관한다.\n\n백업 정책 [2]", packed(), broken=False).grounded is False
    assert settle("HTTP client [1].", packed(), broken=False).refusal is None


def test_a_quote_in_a_list_of_sources_supports_nothing_and_a_wrong_one_refutes() -> None:
    assert settle(f"{LIE}.\n\nSources:\n[1] {TRUE}", packed(), broken=False).grounded is False
    (wrong,) = claims(f"Sources:\n[1] {LIE}", packed())
    assert contradicts(wrong)


def test_a_heading_supports_nothing_and_is_not_told_to_cite_nothing() -> None:
    assert settle(f"# Waits before the first retry [1]\n\n{LIE}.", packed(), broken=False).grounded is False
    (one,) = claims(f"# Waits before the first retry [1]\n\n{TRUE} [1].", packed())
    assert one.text == f"{TRUE}."
    assert settle("# Waits before the first retry [1]", packed(), broken=False).refusal is None


def test_what_follows_a_list_of_sources_is_said_again() -> None:
    answer = f"Sources:\n[1] http-client.md\n\n{TRUE} [1]."
    assert [one.text for one in claims(answer, packed())] == [f"{TRUE}."]
    first, last = source_list(answer)
    assert answer[first:last].strip() == "[1] http-client.md\n\n".strip()
    assert source_list("no list") == (7, 7)


@pytest.mark.parametrize(
    "said",
    ["The HTTP client waits", "HTTP client: 300", "http-client.md says so", "Retries are not made", "",
     "Source: my own head", "백업 정책은 90일이다"],
)  # fmt: skip
def test_what_says_anything_else_is_no_name(said: str) -> None:
    assert not only_names(said, NAMES)


_SENTENCES = st.sampled_from((f"{TRUE} [1].", f"{LIE} [1].", f"{TRUE}.", "백업은 30일 동안 보관한다 [2].",
                              "백업은 90일 동안 보관한다 [2].", "A failed payment is retried [1]."))  # fmt: skip


@given(st.lists(_SENTENCES, min_size=1, max_size=4), st.sampled_from(LISTS))
@settings(max_examples=100, deadline=None)
def test_a_list_of_sources_never_changes_a_verdict(said: list[str], listed: str) -> None:
    answer = "\n".join(said)
    before, after = (settle(one, packed(), broken=False) for one in (answer, f"{answer}\n\n{listed}"))
    assert after.claims == before.claims
    assert after.refusal == before.refusal


@given(st.text(max_size=80), st.lists(st.text(max_size=20), max_size=4))
@settings(max_examples=100, deadline=None)
def test_no_text_is_too_strange_for_it(said: str, names: list[str]) -> None:
    only_names(said, names)
    first, last = source_list(said)
    assert 0 <= first <= last <= len(said)


@pytest.mark.parametrize("piece", ["Sources:\n", "[1] a.md\n\n", "lines 1-", "#L1,", "\n \n", "https://", "* "])
def test_no_text_takes_long(piece: str) -> None:
    only_names(piece * 4000, NAMES)
    source_list(piece * 4000)
    source_list("Sources:\n" + piece * 4000)
