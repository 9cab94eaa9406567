"""Reranking by the tokens of the query and of the passage: the score, the order, and what happens without a model."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.format.library import response_lines
from cli.output import Output
from core.base.config.settings import EmbeddingSettings
from core.base.fault import Fault
from core.embedding import Embedder, Kind, Vector, pack
from core.embedding.index.stored import Made, Place, forget, put
from core.embedding.index.token_bits import max_sims, put_tokens, token_bits, tokens_of
from core.embedding.index.vectors import unpack
from core.embedding.models.catalogue import CATALOGUE, MINILM, RECOMMENDED
from core.embedding.runtime.embedder import LocalEmbedder
from core.embedding.runtime.query_model import ModelAtHand, VectorSearch
from core.flows.ingest.api import ingest
from core.flows.ingest.search import embed_passages
from core.library.search.api import SearchQuery, search
from core.library.search.hybrid import FUSED_WEIGHT, Fused, why_hit
from core.library.search.rerank import READ, rerank
from core.store import Store, open_store

NOTES = {
    "cache.md": "# Cache\n\nThe cache keeps answers for a day. It is emptied at midnight.\n",
    "retries.md": "# Retries\n\nA request that fails is sent again after a pause. The pause doubles each time.\n",
    "proxy.md": "# Proxy\n\nThe proxy adds a header to a request. The header names the person who sent it.\n",
    **{f"log{at:02}.md": f"# Log {at}\n\nEntry {at} of the request log, written by hand.\n" for at in range(30)},
}


def embed_notes(notes: Mapping[str, str], folder: Path, minilm_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a casebook of these files in the folder, each passage embedded."""
    for name, text in notes.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "casebook").mkdir()
    (folder / "casebook" / "models").symlink_to(minilm_folder.parent)
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    with open_store(folder / "c.db", create=True) as opened:
        ingest(opened, [folder])
    embed_passages(folder / "c.db", EmbeddingSettings(model=MINILM, service=False))


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


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "book.db", create=True) as opened:
        yield opened


def of_model(embedder: Embedder, name: str = MINILM) -> VectorSearch:
    return VectorSearch(lambda: ModelAtHand(CATALOGUE[name], lambda: embedder))


def fused(store: Store) -> list[Fused]:
    """All passages, the logs first."""
    rows = store.con.execute(
        "SELECT c.id FROM chunks c JOIN documents d USING (doc_id) ORDER BY d.workspace_path NOT LIKE '%log%', c.id"
    ).fetchall()
    return [Fused(int(str(row[0])), 1 - at / 100, at + 1, None) for at, row in enumerate(rows)]


def units(seed: int, rows: int, dim: int = 384) -> numpy.ndarray:
    made = numpy.random.default_rng(seed).normal(size=(rows, dim))
    return (made / numpy.linalg.norm(made, axis=1, keepdims=True)).astype("f4")


@given(st.integers(0, 1000), st.integers(1, 8), st.lists(st.integers(0, 40), min_size=1, max_size=4))
def test_the_score_is_the_mean_of_each_tokens_best_cosine(seed: int, asked: int, sizes: list[int]) -> None:
    query = units(seed, asked)
    passages = [numpy.concatenate([units(seed + at + 1, size), query[: size % 3]]) for at, size in enumerate(sizes)]
    found = max_sims(query, [token_bits(passage) for passage in passages])
    for score, passage in zip(found, passages, strict=True):
        wanted = float((query @ passage.T).max(1).mean()) if len(passage) else 0.0
        assert score == pytest.approx(min(1.0, max(0.0, wanted)), abs=0.17)


def test_the_tokens_that_a_passage_shares_with_the_query_outweigh_the_error_of_the_signs() -> None:
    query = units(1, 6)
    passages = [numpy.concatenate([units(seed, 60), query[:shared]]) for seed, shared in enumerate((0, 2, 4, 6), 2)]
    found = max_sims(query, [token_bits(passage) for passage in passages])
    assert found == sorted(found)
    assert found[-1] == pytest.approx(1, abs=0.1)


def test_tokens_that_share_one_large_component_are_told_apart() -> None:
    """Without the rotation, few components would decide, and all others would be noise."""
    query = numpy.zeros((1, 384), "f4")
    query[0, 7] = 1
    near, far = numpy.zeros((1, 384), "f4"), numpy.zeros((1, 384), "f4")
    near[0, 7], far[0, 8] = 1, 1
    same, other = max_sims(query, [token_bits(near), token_bits(far)])
    assert (same > 0.9, other < 0.2) == (True, True)


def test_a_side_without_tokens_matches_nothing() -> None:
    assert max_sims(units(1, 0), [token_bits(units(2, 3))]) == [0.0]
    assert max_sims(units(1, 2), [b""]) == [0.0]


def test_the_passage_that_has_the_querys_tokens_comes_first_and_the_rest_stays_behind(store: Store) -> None:
    before = fused(store)
    wanted = before[READ - 1].item  # the last one that is read
    text = str(store.con.execute("SELECT text FROM chunks WHERE id = ?", (wanted,)).fetchone()[0])  # type: ignore[index]
    model = Tokens()
    found, step = rerank(store.con, text, before, of_model(model))
    assert found[0].item == wanted
    assert found[0].late == pytest.approx(1.0, abs=0.1)
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
    embed_notes(NOTES, tmp_path, minilm_folder, monkeypatch)
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


def test_tokens_are_those_of_the_whole_text_each_of_unit_length(minilm: Embedder) -> None:
    short, other, long = minilm.embed(["send the request", "send the request", "send the request " * 400], "tokens")
    assert short == other, "whatever it is embedded with"
    assert len(short) == 3, "one a word, and none for the ends of the text"
    assert len(long) > 1_200, "every window of the text"
    assert all(math.isclose(math.hypot(*unpack(vector)), 1, abs_tol=1e-4) for vector in (*short, *long))
    same, unlike = (numpy.frombuffer(minilm.embed([word], "tokens")[0][0], "<f4")[None] for word in ("send", "purple"))
    signs = [token_bits(numpy.frombuffer(b"".join(short), "<f4").reshape(3, -1))]
    assert max_sims(same, signs) > max_sims(unlike, signs)


def test_an_embedded_passage_keeps_its_tokens_and_is_not_read_again(
    tmp_path: Path, minilm: LocalEmbedder, minilm_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = "# Long\n\n" + "The request is sent again and again until it is answered. " * 60
    more = {"twin.md": NOTES["proxy.md"], "long.md": long}
    embed_notes({**NOTES, **more}, tmp_path, minilm_folder, monkeypatch)
    asked: list[int] = []

    class Counted:
        """The model, and how many texts it read for their tokens."""

        id, version, recipe, dim, close = minilm.id, minilm.version, minilm.recipe, minilm.dim, minilm.close

        def embed(self, texts: Sequence[str], kind: Kind) -> list[tuple[Vector, ...]]:
            if kind == "tokens":
                asked.append(len(texts))
            return minilm.embed(texts, kind)

    query = SearchQuery("how long is waited before a failed request is repeated", k=READ, rerank=True)
    with open_store(tmp_path / "c.db", write=True) as opened:
        kept = search(opened, query, of_model(Counted()))
        opened.con.execute("DELETE FROM token_bits")
        read = search(opened, query, of_model(Counted()))
        assert asked == [1, 1 + READ], "the query alone, then each passage too"
        assert [hit.chunk_id for hit in kept.hits] == [hit.chunk_id for hit in read.hits]
        for one, other in zip(kept.hits, read.hits, strict=True):
            assert one.score == pytest.approx(other.score, abs=0.002)


def test_the_tokens_of_a_text_go_with_the_last_passage_that_has_it(book: Store) -> None:
    place = Place("chunk", "m@1", "r", 8)
    vector = pack([1.0] + [0.0] * 7)
    with book.transaction() as con:
        put(con, place, [Made(1, "same", (vector,)), Made(2, "same", (vector,)), Made(3, "other", (vector,))])
        put_tokens(con, place, {"same": b"ab", "other": b"c"})
    assert tokens_of(book.con, place, [1, 2, 3, 4]) == {1: b"ab", 2: b"ab", 3: b"c"}
    with book.transaction() as con:
        forget(con, "chunk", [1, 3])
    assert tokens_of(book.con, place, [1, 2, 3]) == {2: b"ab"}
    assert book.con.execute("SELECT text_sha FROM token_bits").fetchall() == [("same",)]
    with book.transaction() as con:
        forget(con, "chunk", [2])
    assert book.con.execute("SELECT count(*) FROM token_bits").fetchall() == [(0,)]
