"""Reranking by the tokens of the query and of the passage: the score, the order, and what happens without a model."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.format.library import response_lines
from cli.output import Output
from core.base.config.settings import EmbeddingSettings
from core.base.fault import Fault
from core.embedding import Embedder, Kind, Vector, pack
from core.embedding.index.vectors import unpack
from core.embedding.models.catalogue import CATALOGUE, MINILM, RECOMMENDED
from core.embedding.runtime.query_model import ModelAtHand, VectorSearch
from core.flows.ingest.api import ingest
from core.flows.ingest.search import embed_passages
from core.library.search.api import SearchQuery, search
from core.library.search.hybrid import FUSED_WEIGHT, Fused, why_hit
from core.library.search.rerank import READ, max_sim, rerank
from core.store import Store, open_store

NOTES = {
    "cache.md": "# Cache\n\nThe cache keeps answers for a day. It is emptied at midnight.\n",
    "retries.md": "# Retries\n\nA request that fails is sent again after a pause. The pause doubles each time.\n",
    "proxy.md": "# Proxy\n\nThe proxy adds a header to a request. The header names the person who sent it.\n",
    **{f"log{at:02}.md": f"# Log {at}\n\nEntry {at} of the request log, written by hand.\n" for at in range(30)},
}


class Tokens:
    """A model whose tokens are the words of a text, each with an axis of its own; `error` is raised for tokens."""

    def __init__(self, error: Fault | None = None) -> None:
        model = CATALOGUE[MINILM]
        self.id, self.version, self.recipe, self.dim = model.id, model.version, model.recipe, model.dim
        self.error = error
        self.seen: list[list[str]] = []
        self.axes: dict[str, int] = {}

    def embed(self, texts: Sequence[str], kind: Kind) -> list[tuple[Vector, ...]]:
        assert kind == "tokens"
        if self.error is not None:
            raise self.error
        self.seen.append(list(texts))
        return [tuple(self.axis(word) for word in text.lower().split()) for text in texts]

    def axis(self, word: str) -> Vector:
        at = self.axes.setdefault(word.strip(".,#?"), len(self.axes))
        return pack([float(at == place) for place in range(self.dim)])

    def close(self) -> None:
        """Nothing to close."""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    folder = tmp_path_factory.mktemp("rerank")
    for name, text in NOTES.items():
        (folder / name).write_text(text, encoding="utf-8")
    with open_store(folder / "c.db", create=True) as opened:
        ingest(opened, [folder])
        yield opened


def of_model(embedder: Embedder, name: str = MINILM) -> VectorSearch:
    return VectorSearch(lambda: ModelAtHand(CATALOGUE[name], lambda: embedder))


def fused(store: Store) -> list[Fused]:
    """All passages, the logs first."""
    rows = store.con.execute(
        "SELECT c.id FROM chunks c JOIN documents d USING (doc_id) ORDER BY d.workspace_path NOT LIKE '%log%', c.id"
    ).fetchall()
    return [Fused(int(str(row[0])), 1 - at / 100, at + 1, None) for at, row in enumerate(rows)]


vectors = st.lists(
    st.lists(st.floats(-1, 1, width=32), min_size=3, max_size=3).filter(lambda row: math.hypot(*row) > 0.1),
    min_size=1,
    max_size=5,
)


@given(vectors, vectors)
def test_the_score_is_the_mean_of_each_tokens_best_cosine(query: list[list[float]], passage: list[list[float]]) -> None:
    def unit(row: list[float]) -> list[float]:
        return [value / math.hypot(*row) for value in row]

    best = [max(sum(a * b for a, b in zip(unit(one), unit(other), strict=True)) for other in passage) for one in query]
    found = max_sim([pack(row) for row in query], [pack(row) for row in passage])
    assert found == pytest.approx(min(1.0, max(0.0, sum(best) / len(best))), abs=1e-5)


def test_a_side_without_tokens_matches_nothing() -> None:
    assert max_sim([], [pack([1.0, 0.0])]) == max_sim([pack([1.0, 0.0])], []) == 0.0


def test_the_passage_that_has_the_querys_tokens_comes_first_and_the_rest_stays_behind(store: Store) -> None:
    before = fused(store)
    wanted = before[READ - 1].item  # the last one that is read
    text = str(store.con.execute("SELECT text FROM chunks WHERE id = ?", (wanted,)).fetchone()[0])  # type: ignore[index]
    model = Tokens()
    found, step = rerank(store.con, text, before, of_model(model))
    assert found[0].item == wanted
    assert found[0].late == pytest.approx(1.0)
    assert {one.item for one in found} == {one.item for one in before}
    assert [one.item for one in found[READ:]] == [one.item for one in before[READ:]], "what was not read stays"
    assert [one.points for one in found] == sorted((one.points for one in found), reverse=True)
    assert (step.outcome, step.fact("passages")) == ("hit", READ)
    assert len(model.seen) == 1, "one request for all"


@pytest.mark.parametrize(
    ("name", "error", "outcome"),
    [
        (MINILM, Fault("timeout", "the model service timed out"), "timeout"),
        (MINILM, Fault("model_unreachable", "gone"), "failed"),
        (RECOMMENDED, None, "skipped"),
    ],
)
def test_without_token_vectors_the_order_stays_and_the_step_says_why(
    store: Store, name: str, error: Fault | None, outcome: str
) -> None:
    before = fused(store)
    found, step = rerank(store.con, "request log", before, of_model(Tokens(error), name))
    assert found == before
    assert step.outcome == outcome
    assert step.reason


def test_a_search_by_both_lists_is_reranked_where_it_is_asked_for(
    tmp_path: Path, minilm: Embedder, minilm_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in NOTES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "casebook").mkdir()
    (tmp_path / "casebook" / "models").symlink_to(minilm_folder.parent)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with open_store(tmp_path / "c.db", create=True) as opened:
        ingest(opened, [tmp_path])
    embed_passages(tmp_path / "c.db", EmbeddingSettings(model=MINILM, service=False))
    query = SearchQuery("how long is waited before a failed request is repeated", k=30, rerank=True)
    with open_store(tmp_path / "c.db") as opened:
        plain = search(opened, SearchQuery(query.text, k=30), of_model(minilm))
        found = search(opened, query, of_model(minilm))
        pages = [search(opened, replace(query, k=15), of_model(minilm))]
        pages.append(search(opened, replace(query, k=15, cursor=pages[0].next_cursor), of_model(minilm)))
        by_words = search(opened, SearchQuery(query.text, "lexical", rerank=True), of_model(minilm))
    assert {hit.score_kind for hit in plain.hits} == {"rrf"}
    assert {hit.retrieval.rerank_score for hit in plain.hits} == {None}
    assert {hit.score_kind for hit in found.hits} == {"rerank"}
    assert {hit.score_kind for hit in by_words.hits} == {"bm25"}
    assert found.hits[0].doc_path.endswith("retries.md")
    assert sorted(hit.chunk_id for hit in found.hits) == sorted(hit.chunk_id for hit in plain.hits)
    assert [hit.chunk_id for page in pages for hit in page.hits] == [hit.chunk_id for hit in found.hits]
    assert [hit.score for hit in found.hits] == sorted((hit.score for hit in found.hits), reverse=True)
    assert all(hit.retrieval.rerank_score == 0 for hit in found.hits[READ:]), "behind, in the order of the fusion"
    for hit in (found.hits[0], found.hits[-1]):
        how = hit.retrieval
        assert how.rerank_score is not None
        assert how.fusion_score is not None
        assert hit.score == pytest.approx((how.rerank_score + FUSED_WEIGHT * how.fusion_score) / (1 + FUSED_WEIGHT))
        reranked = next(step for step in why_hit(hit, found.trace).steps if step.stage == "rerank")
        assert f"= {hit.score:.4f}" in reranked.reason
        assert not any(step.stage == "prose" for step in why_hit(hit, found.trace).steps), "it is no test or change log"
    told = "\n".join(response_lines(Output(), found, explain=True))
    assert f"rerank rank 1 score {found.hits[0].score:.2f} (tokens 0." in told
    assert "(not among the reranked hits)" in told


def test_tokens_are_those_of_the_beginning_each_of_unit_length(minilm: Embedder) -> None:
    short, other, long = minilm.embed(["send the request", "send the request", "send the request " * 400], "tokens")
    assert short == other, "whatever it is embedded with"
    assert len(short) == 3, "one a word, and none for the ends of the text"
    assert len(long) == CATALOGUE[MINILM].window - 2, "a window, not the whole text"
    assert all(math.isclose(math.hypot(*unpack(vector)), 1, abs_tol=1e-4) for vector in (*short, *long))
    (same,), (unlike,) = minilm.embed(["send"], "tokens"), minilm.embed(["purple"], "tokens")
    assert max_sim(same, short) > max_sim(unlike, short)
