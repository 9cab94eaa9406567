"""An answer whose length ran out is told as one: how far it came, what allows more, what of it holds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.base.config.settings import LlmSettings
from core.base.fault import Fault
from core.base.wire import dumps
from core.flows.ask.api import AskOptions, ask
from core.flows.ingest.api import ingest
from core.library.ask.answer import Answer, AnswerCut
from core.library.ask.store import show_session
from core.library.ask.verdict import Length, cut_of
from core.llm.factory import language_model
from core.samples import sample_notes
from core.store import Store, open_store
from tests.core.llm.llm_server import Reply, llm_server
from tests.schemas import check_schema

RETRY = "How long should a client wait between retries of a request?"
TRUE = "Wait 200 ms, then twice as long each time [1]."
ALLOWS = "models.llm.answer_tokens"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cut")
    with open_store(folder / "casebook.db", create=True) as store:
        ingest(store, [sample_notes()])
    return folder / "casebook.db"


@pytest.fixture
def store(library: Path, tmp_path: Path) -> Iterator[Store]:
    (tmp_path / "c.db").write_bytes(library.read_bytes())
    with open_store(tmp_path / "c.db", write=True) as store:
        yield store


def cut(store: Store, text: str, counted: int | None = 4096, prompt: int = 900, **llm: Any) -> Answer:
    """What becomes of a text that ends because its length ran out."""
    usage = None if counted is None else (prompt, counted)
    with llm_server([Reply((text,), finish="length", usage=usage)]) as server:
        settings = LlmSettings(model="tiny", endpoint=server.endpoint, **llm)
        options = AskOptions(answer_tokens=settings.answer_tokens, session="s")
        found = ask(store, RETRY, options, language_model(settings), None)
    check_schema(json.loads(dumps(found)), "answer.v1")
    return found


def test_an_answer_that_was_cut_off_says_where_and_what_allows_more(store: Store) -> None:
    found = cut(store, f"{TRUE} A POST request is not")
    assert found.grounded
    assert found.cut is not None
    assert (found.cut.tokens, found.cut.setting) == (4096, ALLOWS)
    assert found.answer[found.cut.start : found.cut.end] == "A POST request is not"
    assert found.uncited == (), "a sentence without its end may cite what nobody will see"
    kept = json.loads(str(store.con.execute("SELECT answer_json FROM answers").fetchall()[0][0]))
    assert kept["cut"]["tokens"] == 4096
    assert [one.cut for one in show_session(store.con, "s").turns] == [4096]
    whole = cut(store, TRUE)
    assert whole.cut == AnswerCut(4096, ALLOWS, None, None)
    assert whole.grounded


def test_a_sentence_without_its_end_holds_nothing(store: Store) -> None:
    found = cut(store, "Wait 200 ms, then twice as long each time [1]")
    assert (found.grounded, found.refusal_reason) == (False, None)
    assert found.why == "truncated before the end of the first cited sentence"
    (claim,) = found.claims
    assert (claim.status, claim.concerns[-1].kind) == ("flagged", "cut off")
    nothing = cut(store, "Well, the notes say that")
    assert (nothing.grounded, nothing.answer) == (False, "Well, the notes say that")
    assert nothing.why == "truncated before the end of the first cited sentence"


@pytest.mark.parametrize(
    ("counted", "prompt", "llm", "setting"),
    [
        (None, 0, {}, ALLOWS),
        (200, 900, {"answer_tokens": 200}, ALLOWS),
        (1024, 900, {"context_tokens": 2048}, "models.llm.context_tokens"),  # at most half of what it reads and writes
        (700, 1300, {"context_tokens": 2048}, "models.llm.context_tokens"),  # full
        (300, 900, {}, None),  # less than it may say: the server has a limit of its own
        (70_000, 900, {}, ALLOWS),
    ],
)
def test_whose_limit_it_was(
    store: Store, counted: int | None, prompt: int, llm: dict[str, int], setting: str | None
) -> None:
    found = cut(store, TRUE, counted, prompt, **llm)
    assert found.cut is not None
    assert found.cut.setting == setting
    assert found.cut.tokens == (counted or 4096)


@pytest.mark.parametrize("text", ["", "<think>Let me see, passage [2] says", " \n"])
def test_one_that_only_thinks_is_a_fault_of_its_length_and_not_of_the_library(store: Store, text: str) -> None:
    with pytest.raises(Fault) as caught:
        cut(store, text)
    assert caught.value.code == "config_invalid"
    assert "4,096 tokens" in caught.value.message
    assert ALLOWS in caught.value.hint
    assert store.con.execute("SELECT count(*) FROM answers").fetchone() == (0,)


def test_what_a_model_is_given_leaves_room_for_what_it_may_say(store: Store) -> None:
    with llm_server([Reply((TRUE,))]) as server:
        for answer, context, most in ((4096, 32_768, 4096), (4096, 4096, 2048), (300, 4096, 300), (90, 512, 90)):
            settings = LlmSettings(model="tiny", endpoint=server.endpoint, context_tokens=context)
            found = ask(store, RETRY, AskOptions(answer_tokens=answer, score_gate=0), language_model(settings), None)
            assert server.requests[-1]["options"]["num_predict"] == most
            budget = next(step for step in found.trace if step.stage == "packing").fact("budget")
            assert budget == min(8000, context - most)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("One [1]. Two", "Two"),
        ("One [1]. Two [1]", "Two [1]"),
        ("One [1]. It is two [1", "It is two [1"),
        ("One [1]. It is two. [1", "It is two. [1"),
        ("Only half of a sen", "Only half of a sen"),
        ("첫째 [1]. 둘째는 아직", "둘째는 아직"),
        ("One [1]. Two is whole [2].", None),
        ("One [1]. “Two is whole.” [2]", None),
        ("One is whole [1].\n- ", None),
        ("둘 다 온전하다 [1]。", None),
    ],
)
def test_where_it_broke_off(text: str, left: str | None) -> None:
    found = cut_of(text, Length(9, None))
    assert left == (None if found.start is None else text[found.start : found.end])
