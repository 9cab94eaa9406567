"""What cannot be looked up says why, by the right code, and names the command that helps."""

from __future__ import annotations

import pytest

from core.base.fault import Fault
from core.base.trace import Step, facts
from core.flows.ingest.api import ingest
from core.library.ask.prompt import refusal_text
from core.library.search.api import _no_meaning
from core.library.search.hybrid import EMBED
from core.library.search.inspect import inspect
from core.store import Store
from tests.core.library.ingest.support import ALPHA, Put


def test_a_place_that_a_document_does_not_have_is_named(library: Store, put: Put) -> None:
    notes = put("a.md", ALPHA).parent
    ingest(library, [notes])
    with pytest.raises(Fault) as fault:
        inspect(library.con, "a.md#L999")
    assert (fault.value.code, fault.value.message) == (
        "not_indexed", "a.md has no passage at L999: its last passage ends at line 7",
    )  # fmt: skip
    with pytest.raises(Fault) as fault:
        inspect(library.con, "b.md#L1")
    assert "the library does not contain b.md#L1" in fault.value.message


def test_missing_embeddings_are_not_indexed_and_a_missing_model_is_unreachable() -> None:
    waits = Step("vector", "skipped", "nothing is embedded yet", facts(remedy=EMBED))
    away = Step("vector", "failed", "no model", facts(remedy="casebook models pull"))
    assert [(_no_meaning(one).code, _no_meaning(one).hint) for one in (waits, away)] == [
        ("not_indexed", f"run: {EMBED}"), ("model_unreachable", "run: casebook models pull"),
    ]  # fmt: skip


@pytest.mark.parametrize("question", ["how long?", "얼마나 걸리나요?"])
def test_a_refusal_for_want_of_embeddings_names_the_command(question: str) -> None:
    assert "casebook library embed" in refusal_text("score_gate", question, waits=True)
