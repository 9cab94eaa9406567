"""Tool calls by words: none that has them all is missing, each that is found has them, and its row shows where."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.rules.calls import call_keys, call_rows, composed, count_calls, find_calls, folded, highlight_words, words_of
from core.store import Store, open_store

SIGNS = 'aAkKgG\u212aZz09 _-/."\\\n가각나\u1100\u1161\u11a8éÉe\u0301ßςΣİ'
"""Letters that are written in more ways than one, and signs that JSON writes in its own."""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with open_store(tmp_path_factory.mktemp("calls") / "c.db", write=True, create=True) as opened:
        yield opened


def put(store: Store, *calls: tuple[str, str], session: str = "s", project: str = "/w/shop") -> None:
    """These calls of one session, in the place of all that there are."""
    with store.transaction() as con:
        con.execute("DELETE FROM tool_call")
        con.execute("DELETE FROM session")
        con.execute("INSERT INTO session(id, agent, project) VALUES (?, 'plain', ?)", (session, project))
        con.executemany(
            "INSERT INTO tool_call(session_id, tool_use_id, name, input_json, call_idx) VALUES (?, ?, ?, ?, ?)",
            [(session, f"t{at}", name, text, at) for at, (name, text) in enumerate(calls)],
        )


def found(store: Store, query: str, tool: str = "") -> list[str]:
    """The tools and lines of what is found."""
    words = words_of(query)
    return [f"{row.tool}: {row.about}" for row in call_rows(store, list(find_calls(store, words, tool)), words)]


def begins(text: str) -> list[int]:
    """Where a word begins: behind what is no letter or digit, and at the capitals within a name."""
    return [
        at
        for at, sign in enumerate(text)
        if sign.isalnum()
        and (
            at == 0
            or not text[at - 1].isalnum()
            or (sign.isupper() and (not text[at - 1].isupper() or text[at + 1 : at + 2].islower()))
        )
    ]


def should_have(texts: list[str], word: str) -> bool:
    """By the definition, without a database."""
    whole = [composed(text) for text in texts]
    if any("가" <= sign <= "힣" for sign in word):
        return any(word in folded(text) for text in whole)
    return any(folded(text[at:])[: len(word)] == word for text in whole for at in begins(text))


TEXTS = st.lists(st.text(SIGNS, max_size=12), min_size=1, max_size=3)
CALLS = st.lists(st.tuples(st.text(SIGNS, min_size=1, max_size=6), TEXTS, st.booleans()), min_size=1, max_size=4)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(calls=CALLS, query=st.text(SIGNS, min_size=1, max_size=5))
def test_what_is_found_has_every_word_and_nothing_that_has_them_is_missing(
    store: Store, calls: list[tuple[str, list[str], bool]], query: str
) -> None:
    rows = [
        (name, json.dumps({"command": texts[0], "more": [{"deep": texts[1:]}]}, ensure_ascii=escaped))
        for name, texts, escaped in calls
    ]
    put(store, *rows)
    words = words_of(query)
    keys = list(call_keys(store))
    by_key = dict(zip(keys, reversed(calls), strict=True))
    wanted = [
        key
        for key, (name, texts, _) in by_key.items()
        if all(should_have([name, *texts], word) or should_have(["shop"], word) for word in words)
    ]
    assert list(find_calls(store, words)) == wanted
    for row in call_rows(store, wanted, words):
        shown = {row.about[start:end] for start, end in row.highlights} | {
            row.tool[start:end] for start, end in row.tool_highlights
        }
        assert all(any(word in folded(composed(part)) for part in shown) for word in words)


def test_words_are_half_typed_parts_of_names_paths_and_korean(store: Store) -> None:
    put(
        store,
        ("WebFetch", '{"url": "https://example.com/install.sh", "prompt": "read it"}'),
        ("Bash", '{"command": "git push --force origin main"}'),
        ("Bash", '{"command": "digit legit"}'),
        ("Edit", '{"file_path": "/w/shop/core/rules/HTTPServer.py", "new_string": "max_retries = 3"}'),
        ("Task", json.dumps({"prompt": "운영데이터베이스를 복사한다"})),
    )
    assert found(store, "git pu") == ["Bash: git push --force origin main"]
    assert found(store, "fetch") == ["WebFetch: https://example.com/install.sh read it"]
    assert [line[:4] for line in (*found(store, "server"), *found(store, "RETR"))] == ["Edit", "Edit"]
    assert found(store, "데이터베이스가") == found(store, "복사") == ["Task: 운영데이터베이스를 복사한다"]
    assert found(store, "rules/http py") == found(store, "max_ret")
    assert found(store, "git fetch") == []
    assert len(found(store, "-- /")) == count_calls(store) == 5, "signs alone are no words"
    assert found(store, "prompt") == [], "the names of fields are not what a call does"


def test_what_is_written_in_other_signs_is_found_all_the_same(store: Store) -> None:
    told = ("300 \u212aelvin", "\u1112\u1161\u11ab\u1100\u1173\u11af", "하\u11ab글", "L'E\u0301COLE", "ΟΔΟΣ", "İzmir")
    put(store, *((name, json.dumps({"text": name}, ensure_ascii=False)) for name in told))
    for at, query in enumerate(("kelvin", "한글", "한", "école", "οδοσ", "İz")):
        assert told[at] in {told[key - 1] for key in find_calls(store, words_of(query))}, query
    put(store, *((name, json.dumps({"text": name})) for name in ("x", "한글")))
    assert len(list(find_calls(store, words_of("글")))) == 1


def test_a_project_is_found_by_its_folder_and_a_session_by_a_good_part_of_its_id(store: Store) -> None:
    put(store, ("Bash", '{"command": "ls /home"}'), ("Bash", '{"command": "make"}'), session="0194ab-77",
        project="/home/mina/weather")  # fmt: skip
    assert found(store, "weath make") == ["Bash: make … weather"]
    assert found(store, "0194") == ["Bash: make … 0194ab-77", "Bash: ls /home … 0194ab-77"]
    assert found(store, "019") == []
    assert found(store, "mina") == [], "where all projects are says nothing"
    assert found(store, "make", "Read") == []
    assert count_calls(store, "Bash") == 2


def test_a_word_far_down_in_a_text_is_shown_in_its_sentence(store: Store) -> None:
    text = "first line\n" * 900 + "here the depth of the queue is set" + "\nlast" * 900
    put(store, ("Write", json.dumps({"file_path": "/w/shop/fifo.sv", "content": text})))
    words = words_of("depth fifo")
    (row,) = call_rows(store, list(find_calls(store, words)), words)
    assert [row.about[start:end] for start, end in row.highlights] == ["fifo", "depth"]
    assert "here the depth of the queue is set last" in row.about
    assert len(row.about) < 500


def test_places_that_touch_are_lit_as_one() -> None:
    assert highlight_words("git gitgit", words_of("git gi")) == ((0, 3), (4, 7))
    assert highlight_words("데이터", words_of("데이 이터")) == ((0, 3),)
    assert words_of("Git git  GIT-push") == ("git", "push")
