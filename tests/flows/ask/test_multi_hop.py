"""A question that takes several searches: what each finds reaches the model, and every step is on record."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.flows.ask.api import AskOptions
from core.flows.ingest.api import ingest
from core.library.search.api import SearchQuery, search
from core.samples import sample_notes
from core.store import Store, open_store
from tests.core.llm.llm_server import Reply, Script, llm_server
from tests.flows.ask.test_api import RETRY, TRUE, Heard, asked


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hops") / "casebook.db"
    with open_store(path, create=True) as store:
        ingest(store, [sample_notes()])
    return path


@pytest.fixture
def store(library: Path, tmp_path: Path) -> Iterator[Store]:
    """A copy of its own."""
    (tmp_path / "c.db").write_bytes(library.read_bytes())
    with open_store(tmp_path / "c.db", write=True) as store:
        yield store


def queries(*texts: str) -> Reply:
    return Reply((json.dumps({"kind": "search", "queries": texts}),))


STOP = Reply(('{"kind": "stop"}',))


def test_a_question_in_several_steps_leaves_a_record_of_each(store: Store) -> None:
    heard = Heard()
    script: Script = [
        Reply(('{"queries": ["how long is the wait between retries?", "which requests are safe to retry?"]}',)),
        Reply(('{"kind": "search", "queries": ["how long is a timeout?"]}',)),
        Reply(('{"kind": "stop"}',)),
        Reply((TRUE,)),
    ]
    with llm_server(script) as server:
        found = asked(store, server, RETRY, AskOptions(multi_hop=True), on_event=heard)
        assert [body.get("format") for body in server.requests] == ["json", "json", "json", None]
    assert (found.grounded, found.prompt_template_version) == (True, "rag-multi-hop-v1")
    assert found.hops is not None
    assert [(one.kind, one.iter, len(one.sub_queries)) for one in found.hops] == [
        ("decompose", 0, 2), ("decide", 1, 1), ("decide", 2, 0), ("synthesize", 3, 0),
    ]  # fmt: skip
    assert heard.kinds.count("hop") == 4
    assert heard.kinds.count("token") == 1


def test_it_stops_searching_at_the_third_step(store: Store) -> None:
    queries = iter(("sleep in tests", "fixed ports", "random order", "signed tags", "too many connections"))
    more = lambda _: Reply((json.dumps({"kind": "search", "queries": [next(queries, "backups")]}),))  # noqa: E731
    script: Script = [Reply(('{"queries": ["retries"]}',)), more, more, Reply((TRUE,))]
    with llm_server(script) as server:
        found = asked(store, server, RETRY, AskOptions(multi_hop=True, k=1))
        assert len(server.requests) == 4
    assert found.retrieval.chunks_returned == found.retrieval.chunks_used > 1, "of all the steps, not of the first"
    assert found.hops is not None
    assert [(one.kind, one.forced_stop) for one in found.hops] == [
        ("decompose", False), ("decide", False), ("decide", False), ("decide", True), ("synthesize", False),
    ]  # fmt: skip


def test_several_steps_refuse_by_the_gate_and_where_nothing_can_be_broken_up(store: Store) -> None:
    with llm_server([Reply(("I would rather chat",))]) as server:
        off = asked(store, server, "How much coffee does the release manager drink?", AskOptions(multi_hop=True))
        assert server.requests == []
        found = asked(store, server, RETRY, AskOptions(multi_hop=True))
        assert len(server.requests) == 1
    assert off.refusal_reason == "score_gate"
    assert found.refusal_reason == "multi_hop_decompose_failed"
    assert found.hops is not None
    assert len(found.hops) == 1


def test_the_best_of_every_search_reaches_the_model_however_little_fits(store: Store) -> None:
    broken_up = ("백업과 복구", "certificates", "before the tag")
    missing = "느린 질의 찾기"
    script: Script = [queries(*broken_up), queries(missing), STOP, Reply((TRUE,))]
    with llm_server(script) as server:
        found = asked(store, server, RETRY, AskOptions(multi_hop=True, max_context_tokens=1_050))
    packed = {one.citation.uri for one in found.packed}
    for query in (*broken_up, missing):
        best = search(store, SearchQuery(query, "lexical"), None).hits[0]
        assert best.citation.uri in packed, query
    assert len(packed) < found.retrieval.chunks_returned, "not everything fits"


def test_a_question_that_goes_on_is_broken_up_with_what_was_said_before_it(store: Store) -> None:
    with llm_server([Reply((TRUE,)), queries("timeouts"), STOP, Reply((TRUE,))]) as server:
        asked(store, server, RETRY, AskOptions(session="s"))
        asked(store, server, "And how long is the timeout of a request?", AskOptions(session="s", multi_hop=True))
        for body in server.requests[1:]:
            assert [one["role"] for one in body["messages"]] == ["system", "user", "assistant", "user"]
            assert body["messages"][1]["content"] == RETRY


def test_the_tokens_of_every_step_are_counted(store: Store) -> None:
    steps = ['{"queries": ["timeouts"]}', '{"kind": "stop"}', TRUE]
    with llm_server([Reply((one,), usage=(100, 7)) for one in steps]) as server:
        found = asked(store, server, RETRY, AskOptions(multi_hop=True))
    assert (found.usage.prompt_tokens, found.usage.completion_tokens) == (300, 21)
    with llm_server([Reply(("I would rather chat",), usage=(100, 7))]) as server:
        refused = asked(store, server, RETRY, AskOptions(multi_hop=True))
    assert (refused.usage.prompt_tokens, refused.usage.completion_tokens) == (100, 7)
