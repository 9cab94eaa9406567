"""The model service and its clients: each gets its own vectors, in turn. A real one, with a small model (a double)."""

from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from core.base.fault import Fault
from core.embedding.service.client import Served, Unserved, connect
from core.embedding.service.protocol import Embed, request_frame, slices
from core.embedding.service.service import TURN_CHARS, TURN_TEXTS, ModelThread
from core.process.endpoint import Endpoint
from core.process.frames import encode
from tests.core.embedding.service.support import (
    LONG,
    PATIENCE,
    Double,
    ask,
    hear,
    hello_elsewhere,
    place_in,
    raw,
    running,
    served,
    until,
    vector_of,
)


@pytest.mark.parametrize("loopback", [False, True], ids=["socket", "port"])
def test_what_the_service_embeds_is_what_its_model_embeds(place: Endpoint, loopback: bool) -> None:
    where = place_in(place.folder.parent, loopback=loopback)
    with running(where):
        client = served(where)
        assert (client.id, client.version, client.recipe, client.dim) == ("double", "1", "letters", 8)
        texts = ["EADDRINUSE", "두 줄\nof text", *map(str, range(200))]
        got = client.embed(texts, "query")
        assert got == [tuple(vector_of(line, "query") for line in text.split("\n")) for text in texts]
        assert client.embed([], "query") == []
        client.close()
        client.close()


@pytest.mark.skipif(os.name == "nt", reason="modes are for POSIX")
@pytest.mark.parametrize("loopback", [False, True], ids=["socket", "port"])
def test_the_folder_and_the_entrance_are_the_owners_alone(place: Endpoint, loopback: bool) -> None:
    where = place_in(place.folder.parent, loopback=loopback)
    before = os.umask(0)
    try:
        with running(where):
            assert stat.S_IMODE(where.folder.stat().st_mode) == 0o700
            for file in where.folder.iterdir():
                assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
    finally:
        os.umask(before)


def test_many_clients_at_once_each_get_their_own_vectors(place: Endpoint) -> None:
    def one(number: int) -> None:
        client = served(place)
        for round_ in range(5):
            texts = [f"{number} {round_} {n}" for n in range(11)]
            assert client.embed(texts, "document") == [(vector_of(text, "document"),) for text in texts]
        client.close()

    with running(place), ThreadPoolExecutor(12) as pool:
        list(pool.map(one, range(12)))


def test_a_short_request_waits_for_one_turn_of_a_long_one_at_most() -> None:
    model = Double()
    model.open.clear()
    thread = ModelThread(lambda: model, lambda _model: None, lambda _error: None)
    with ThreadPoolExecutor(2) as pool:
        long = pool.submit(thread.embed, [f"long {n}" for n in range(60)], "document", lambda: False)
        until(lambda: model.calls)
        short = pool.submit(thread.embed, ["short"], "document", lambda: False)
        until(lambda: thread.waiting == 2)
        model.open.set()
        assert short.result(PATIENCE) == [(vector_of("short", "document"),)]
        assert long.result(PATIENCE) == [(vector_of(f"long {n}", "document"),) for n in range(60)]
    assert thread.end(PATIENCE)
    assert model.calls.index(("short",)) == 1
    assert len(model.calls) == 9


def test_at_its_end_whoever_waits_for_the_model_is_told() -> None:
    model = Double()
    model.open.clear()
    thread = ModelThread(lambda: model, lambda _model: None, lambda _error: None)
    with ThreadPoolExecutor(2) as pool:
        asked = [pool.submit(thread.embed, [text], "query", lambda: False) for text in ("one", "two")]
        until(lambda: model.calls and thread.waiting == 2)
        assert not thread.end(0), "a model that hangs is not waited for"
        for one in asked:
            with pytest.raises(Fault, match="the model service is stopping"):
                one.result(PATIENCE)
        model.open.set()
    assert thread.end(PATIENCE)


def test_turns_are_small_and_leave_nothing_out() -> None:
    texts = ["x" * n for n in (5, TURN_CHARS, 1, TURN_CHARS + 1, *range(30))]
    turns = list(slices(texts, TURN_TEXTS, TURN_CHARS))
    assert [text for turn in turns for text in turn] == texts
    assert all(len(turn) <= TURN_TEXTS for turn in turns)
    assert all(len(turn) == 1 or sum(map(len, turn)) <= TURN_CHARS for turn in turns)


def test_a_request_that_nobody_waits_for_is_dropped(place: Endpoint) -> None:
    model = Double()
    with running(place, model):
        model.open.clear()
        with raw(place) as gone:
            gone.sendall(ask(*(f"gone {n}" for n in range(100))))
            until(lambda: model.calls)
        hello_elsewhere(place)
        model.open.set()
        assert served(place).embed(["next"], "query")
    assert sum(len(call) for call in model.calls if call[0].startswith("gone")) < 100


def test_a_fault_of_the_model_is_told_and_the_service_goes_on(place: Endpoint) -> None:
    with running(place):
        client = served(place)
        with pytest.raises(Fault, match="blank") as blank:
            client.embed(["good", " "], "query")
        assert (blank.value.code, blank.value.hint) == ("invalid_input", "pass text that is not blank")
        assert client.embed(["good"], "query")
        with pytest.raises(Fault, match="ZeroDivisionError: as models do") as broken:
            client.embed(["break"], "query")
        assert broken.value.code == "model_unreachable"
        assert served(place).embed(["good"], "query")


def test_another_model_version_or_recipe_is_refused_plainly(place: Endpoint) -> None:
    with running(place):
        for model, version in (("other", None), ("double", "2")):
            found = connect(model, version=version, place=place, deadline_ms=LONG)
            assert isinstance(found, Unserved)
            assert found.outcome == "skipped"
            assert "has double 1, not" in found.reason
        found = connect("double", version="1", recipe="words", place=place, deadline_ms=LONG)
        assert found == Unserved("skipped", "the model service uses recipe letters, not words")
        assert isinstance(connect("double", version="1", recipe="letters", place=place, deadline_ms=LONG), Served)
        with raw(place) as bare:
            bare.sendall(encode(request_frame(Embed("double", "1", "other recipe", "query", ("x",)))))
            answer = hear(bare)
            assert answer is not None
            assert answer.header["code"] == "model_unreachable"
