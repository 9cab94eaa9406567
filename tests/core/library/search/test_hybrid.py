"""Words beside meaning: what holds little of the question never decides."""

from __future__ import annotations

import apsw
import pytest

from core.base.trace import Step, facts
from core.library.search.hybrid import FAN, Fused, Weighed, by_share, hybrid, weighed
from core.library.search.lexical import LexicalQuery, Ranked, lexical_query
from core.library.search.subword import pieces

TEXTS = (
    "retry with an exponential backoff and a random part",
    "the table of contents lists every table",
    "a table is split by rows",
    "데이터베이스연결이 끊기면 다시 시도한다",
    "tables and chairs, a table for two",
)


@pytest.fixture
def con() -> apsw.Connection:
    con = apsw.Connection(":memory:")
    con.execute("CREATE TABLE chunks(id INTEGER PRIMARY KEY)")
    con.execute("CREATE TABLE documents(chunk_count)")
    con.execute("INSERT INTO documents VALUES (?)", (len(TEXTS),))
    con.execute("CREATE TABLE vector(kind, item_id)")
    con.execute("CREATE VIRTUAL TABLE chunks_fts USING fts5(heading_path, text, bigrams, content = '')")
    for at, text in enumerate(TEXTS, 1):
        con.execute("INSERT INTO chunks VALUES (?)", (at,))
        con.execute("INSERT INTO vector VALUES ('chunk', ?)", (at,))
        con.execute("INSERT INTO chunks_fts(rowid, heading_path, text, bigrams) VALUES (?, '', ?, ?)",
                    (at, text, pieces(text)))  # fmt: skip
    return con


def ranked(*items: int) -> Ranked:
    return Ranked(tuple((item, 1.0) for item in items), Step("x", "hit", ""))


def fused(con: apsw.Connection, query: LexicalQuery, words: Ranked, near: Ranked) -> tuple[list[Fused], Step]:
    return hybrid(con, words, near, weighed(con, query, words.ids))


def test_rare_words_weigh_more_than_common_ones(con: apsw.Connection) -> None:
    known = weighed(con, lexical_query("table retries backoff"), [1, 2, 4])
    assert known.shares[1] > 0.6 > known.shares[2] > 0.0
    assert known.shares[4] == 0.0
    assert known.counts(1) > 0.2
    assert known.counts(2) < 0.05
    korean = weighed(con, lexical_query("연결이 끊길 때"), [4, 1])
    assert korean.shares[4] > korean.shares[1] == 0.0


def test_a_passage_with_more_of_the_question_comes_before_one_that_repeats_a_word(con: apsw.Connection) -> None:
    asked = lexical_query("table backoff")
    words = Ranked(((5, 4.0), (2, 3.5), (1, 3.0)), Step("x", "hit", ""))
    found = by_share(words, weighed(con, asked, words.ids))
    assert found.ids == [1, 5, 2]
    assert found.items[0][1] < 3.0
    half = lexical_query("backoff tab", prefix_last=True)
    assert weighed(con, half, [2]).shares[2] > 0, "a half typed word is held where a word begins with it"


def test_a_page_is_the_same_whatever_was_read_for_it() -> None:
    words = Ranked(tuple((item, 200.0 - item) for item in range(FAN + 9)), Step("x", "hit", ""))
    known = Weighed({item: item % 7 / 10 for item in words.ids})
    whole = by_share(words, known)
    assert whole.items[:FAN] == by_share(Ranked(words.items[:FAN], words.step), known).items
    assert [score for _, score in whole.items] == sorted((score for _, score in whole.items), reverse=True)


def test_a_shared_common_word_does_not_decide_beside_meaning(con: apsw.Connection) -> None:
    asked = lexical_query("jittered wait table")
    found, step = fused(con, asked, ranked(2, 3, 5), ranked(1, 5, 2))
    assert [one.item for one in found] == [1, 5, 2, 3]
    assert found[0].lexical_rank is None
    assert found[-1].lexical_rank == 2
    assert step.fact("best_share") < 0.6


def near(*items: int, waiting: int) -> Ranked:
    step = Step("vector", "hit", "", facts(waiting=waiting))
    return Ranked(tuple((item, 1.0) for item in items), step)


def test_a_common_word_puts_a_passage_without_a_vector_no_further_ahead(con: apsw.Connection) -> None:
    con.execute("DELETE FROM vector WHERE item_id = 3")
    con.execute("UPDATE documents SET chunk_count = 100")
    asked = lexical_query("jittered wait table")
    found, step = fused(con, asked, ranked(2, 3, 5), near(1, 5, 2, waiting=1))
    assert found[-1].item == 3
    assert step.fact("without_vector") == 1
    assert step.fact("embedded") == 0.99


def test_a_passage_without_a_vector_that_holds_the_question_is_as_good_as_first_in_both(con: apsw.Connection) -> None:
    con.execute("DELETE FROM vector WHERE item_id = 1")
    found, _ = fused(con, lexical_query("exponential backoff"), ranked(1, 3), near(2, 5, waiting=1))
    assert (found[0].item, found[0].score, found[0].vector_rank) == (1, 1.0, None)


def test_words_decide_while_next_to_nothing_is_embedded(con: apsw.Connection) -> None:
    con.execute("DELETE FROM vector WHERE item_id > 1")
    words = ranked(5, 3, 2, 4)
    found, _ = fused(con, lexical_query("jittered wait table"), words, near(waiting=5))
    assert [one.item for one in found] == words.ids, "nothing is embedded: the order of the words"
    found, _ = fused(con, lexical_query("a table"), ranked(5, 3, 2), near(1, waiting=4))
    assert [one.item for one in found] == [5, 3, 2, 1], "first of the one passage that is embedded says little"


def test_words_that_hold_the_question_count_as_before(con: apsw.Connection) -> None:
    found, step = fused(con, lexical_query("exponential backoff"), ranked(1, 3), ranked(1, 2))
    assert (found[0].item, found[0].score) == (1, 1.0)
    assert step.fact("best_share") == 1
    assert fused(con, lexical_query("?!"), ranked(), ranked())[0] == []


@pytest.mark.parametrize(
    ("text", "name"),
    [("KeptBits", True), ("hook.deadline_ms", True), ("core/lexical", True), ("HTTP", True), ("RESCORED", True),
     ("hello", False), ("Hello", False), ("e-mail", False), ("what is KeptBits", False), ("환율", False)],
)  # fmt: skip
def test_a_coined_name_is_known_as_one(text: str, name: bool) -> None:
    assert lexical_query(text).is_name == name
