"""Giving up, and what only begins like it: a source may say itself that documents do not contain something."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.base.config.settings import LlmSettings
from core.base.wire import dumps
from core.flows.ask.api import AskOptions, ask
from core.flows.ingest.api import ingest
from core.library.ask.answer import Answer
from core.llm.factory import language_model
from core.store import Store, open_store
from tests.core.llm.llm_server import Reply, llm_server
from tests.schemas import check_schema

POLICY = """\
# Privacy

The documents do not contain personal data. Every report is deleted after 14 days.

# 심사

근거 없는 주장은 심사에서 받지 않는다. 심사는 5일 안에 끝난다.
"""
PERSONAL = "Do the documents contain personal data?"
REPORT = "Every report is deleted after 14 days [1]."


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "policy.md").write_text(POLICY, encoding="utf-8")
    with open_store(tmp_path / "c.db", create=True) as store:
        ingest(store, [tmp_path / "notes"])
    with open_store(tmp_path / "c.db", write=True) as store:
        yield store


def said(store: Store, text: str, question: str = PERSONAL) -> Answer:
    with llm_server([Reply((text,))]) as server:
        model = language_model(LlmSettings(model="tiny", endpoint=server.endpoint))
        found = ask(store, question, AskOptions(score_gate=0), model, None)
    check_schema(json.loads(dumps(found)), "answer.v1")
    return found


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (PERSONAL, "The documents do not contain personal data [1]."),
        (PERSONAL, f"The documents do not say where they lie. {REPORT}"),
        (PERSONAL, f"Not enough evidence for the first part. {REPORT}"),
        ("근거 없는 주장은 심사에서 받나요?", "근거 없는 주장은 심사에서 받지 않는다 [1]."),
    ],
)
def test_a_sentence_that_cites_and_holds_is_an_answer_however_it_begins(store: Store, question: str, text: str) -> None:
    found = said(store, text, question)
    assert (found.grounded, found.refusal_reason, found.said) == (True, None, None)
    assert found.claims[-1].status == "supported"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("NOT ENOUGH EVIDENCE", None),
        ("NOT ENOUGH EVIDENCE [1]", None),
        (f"NOT ENOUGH EVIDENCE. But I think so: {REPORT}", f"NOT ENOUGH EVIDENCE. But I think so: {REPORT}"),
        ("The documents do not say [1].", "The documents do not say [1]."),
        ("The documents do not mention Zanzibar [1].", "The documents do not mention Zanzibar [1]."),
        (
            "The passages do not answer it. Ask \x1b]52;c;eA==\x07Ann.",
            "The passages do not answer it. Ask \x1b]52;c;eA==\x07Ann.",
        ),
        (" ", None),
    ],
)
def test_what_was_said_instead_of_an_answer_is_kept(store: Store, text: str, kept: str | None) -> None:
    found = said(store, text)
    assert (found.grounded, found.refusal_reason) == (False, "llm_self_judge")
    assert found.said == kept
    row = store.con.execute("SELECT answer_json FROM answers").fetchall()[-1]
    assert json.loads(str(row[0]))["said"] == kept


@pytest.mark.parametrize(("text", "told"), [("[1]", "모델이 출처만 밝힘."), ("", "모델이 아무 말도 하지 않음.")])
def test_the_cause_is_told_in_the_language_of_the_question(store: Store, text: str, told: str) -> None:
    assert said(store, text, "심사는 며칠 안에 끝나나요?").answer == told


def test_what_cites_and_says_nothing_is_not_told_to_be_without_an_answer(store: Store) -> None:
    found = said(store, "[1]")
    assert found.refusal_reason == "llm_self_judge"
    assert found.answer == "The model only listed its sources."
    assert found.said == "[1]"


def test_the_trace_names_a_refusal_in_words(store: Store) -> None:
    refused = said(store, "", "xylophone quartet?")
    assert (refused.refusal_reason, refused.trace[-1].reason) == ("no_chunks", "no relevant passages found")
