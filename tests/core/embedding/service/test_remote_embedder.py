"""A model that another process holds: it looks like any other, also where it fails."""

from __future__ import annotations

import pytest

from core.base.fault import Fault
from core.embedding.index.vectors import pack
from core.embedding.models.catalogue import CATALOGUE, MINILM
from core.embedding.runtime.embedder import Document, Vector
from core.embedding.runtime.query_model import describe_model
from core.embedding.runtime.worker import attempt
from core.embedding.service.client import Embed, RemoteEmbedder

MODEL = CATALOGUE[MINILM]
VECTOR = pack([1.0] * MODEL.dim)


def test_it_is_asked_under_its_name_with_all_texts_at_once() -> None:
    asked = list[Embed]()

    def ask(question: Embed) -> list[tuple[Vector, ...]]:
        asked.append(question)
        return [(VECTOR,)] * len(question.texts)

    model = RemoteEmbedder(MODEL, ask)
    assert model.embed(["one", "two"], "query") == [(VECTOR,), (VECTOR,)]
    assert asked == [Embed(describe_model(MODEL), ("one", "two"), "query")]
    assert describe_model(model) == describe_model(MODEL)


def test_a_text_that_breaks_it_is_found_as_if_it_were_here() -> None:
    def ask(question: Embed) -> list[tuple[Vector, ...]]:
        if "bad" in question.texts:
            raise Fault("generic", "ValueError: cannot")
        return [(VECTOR,)] * len(question.texts)

    assert attempt(RemoteEmbedder(MODEL, ask), ["one", "bad", "two"], lambda: None) == [
        Document((VECTOR,)), "ValueError: cannot", Document((VECTOR,))
    ]  # fmt: skip


def test_one_that_is_gone_fails_no_text() -> None:
    def ask(_question: Embed) -> list[tuple[Vector, ...]]:
        raise Fault("model_unreachable", "the process has ended")

    with pytest.raises(Fault, match="has ended"):
        attempt(RemoteEmbedder(MODEL, ask), ["one", "two"], lambda: None)
