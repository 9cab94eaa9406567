"""The vector tier by the seed's scenarios, with exact distances, and what it never does (error-kb REQ-RA-002)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from core.base.fault import Fault
from core.embedding import Kind, Vector, pack
from core.embedding.index.state import VectorState, read_state, write_state
from core.embedding.models.catalogue import CATALOGUE, MINILM, Model
from core.embedding.runtime.embedder import Embedder
from core.embedding.runtime.query_model import ModelAtHand, NoVectors, VectorSearch
from core.embedding.runtime.worker import run
from core.errors import SearchAnswer, record_resolution, search
from core.errors.cases.record import Name, observe
from core.errors.identity.fingerprint import identify
from core.errors.retrieval.embed_text import ErrorSource, embed_text, place_of
from core.store import Store, open_store

MODEL = CATALOGUE[MINILM]._replace(id="exact", version="1")


def at(distance: float) -> Vector:
    """A unit vector at that L2 distance from the question's."""
    cos = 1 - distance * distance / 2
    return pack([cos, math.sqrt(max(0.0, 1 - cos * cos)), *[0.0] * 382])


class Exact:
    """Embeds every question as the first axis and each stored text as the test says."""

    def __init__(self, table: dict[str, Vector], model: Model = MODEL) -> None:
        self.table, self.id, self.version, self.recipe, self.dim = table, model.id, model.version, model.recipe, 384

    def embed(self, texts: Sequence[str], kind: Kind) -> list[tuple[Vector, ...]]:
        return [((at(0.0) if kind == "query" else self.table[text]),) for text in texts]

    def close(self) -> None:
        pass


@dataclass
class Book:
    """A casebook with cases at known distances from whatever is asked."""

    store: Store
    model: Model = MODEL

    def add(self, distances: dict[str, float], fix: str = "the fix") -> list[int]:
        ids = [record_resolution(self.store, text, fix).case_id or 0 for text in distances]
        table = {embed_text(identify(text).key_line): at(found) for text, found in distances.items()}
        run(self.store, ErrorSource(), Exact(table))
        return ids

    def ask(
        self, text: str, embedder: Embedder | None = None, model: Model | None = None, *, words: bool = False
    ) -> SearchAnswer:
        used = embedder or Exact({})
        with VectorSearch(lambda: ModelAtHand(model or self.model, lambda: used)) as vectors:
            return search(self.store, text, vectors=vectors, words=words)


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Book]:
    with open_store(tmp_path / "casebook.db", write=True, create=True) as store:
        yield Book(store)


def step(answer: SearchAnswer, stage: str = "vector"):
    return next(one for one in answer.trace if one.stage == stage)


def uses(book: Book, case_id: int) -> int:
    row = book.store.con.execute("SELECT use_count FROM error_kb WHERE id = ?", (case_id,)).fetchone()
    assert row is not None
    return int(row[0])


LONG = "Deployment of the service failed because the image could not be pulled from the registry in time"


def test_ra_002_3_a_prefix_of_half_the_length_falls_through_to_the_vectors(book: Book) -> None:
    query = "Deployment of the service failed because the quota of the team is used up"
    near = "Quota of the team used up, nothing deployed"
    prefix = query[:30] + " x" * 60
    _, wanted = book.add({prefix: 1.2, near: math.sqrt(2 * 0.15)})
    found = book.ask(query)
    assert found.match is not None
    assert (found.match.id, found.match.tier, found.match.confidence) == (wanted, "vector", "high")
    assert step(found, "prefix").outcome == "miss"


def test_ra_002_4_a_near_vector_answers_with_high_confidence(book: Book) -> None:
    (case,) = book.add({"The gate of the harbour is shut": math.sqrt(2 * 0.15)})
    found = book.ask("Nobody may sail in")
    assert found.match is not None
    assert (found.match.id, found.match.tier, found.match.confidence) == (case, "vector", "high")
    assert found.match.distance == pytest.approx(math.sqrt(0.3), abs=1e-3)
    assert found.match.score == pytest.approx(0.85, abs=1e-3)
    assert found.match.use_count == 2
    assert found.match.last_used


def test_ra_002_4b_a_low_match_with_a_shared_word_answers_with_low_confidence(book: Book) -> None:
    (case,) = book.add({"module vue was not found": 0.80})
    found = book.ask("this module is nowhere to be found")
    assert found.match is not None
    assert (found.match.id, found.match.tier, found.match.confidence) == (case, "vector", "low")
    assert "module" in " ".join(found.match.why)


def test_ra_002_4c_a_low_match_without_a_shared_word_answers_nothing(book: Book) -> None:
    (case,) = book.add({"The harbour gate is shut": 0.82})
    found = book.ask("this module is nowhere")
    assert found.match is None
    assert uses(book, case) == 1
    assert step(found).outcome == "rejected"
    assert [one.id for one in found.similar] == [case]


def test_ra_002_5_no_database_answers_nothing_and_makes_none(tmp_path: Path) -> None:
    path = tmp_path / "none.db"
    with VectorSearch(lambda: pytest.fail("no model is needed where nothing is kept")) as vectors:
        assert search(path, "this module is nowhere", vectors=vectors).match is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("distance", "answers"), [(0.75, True), (0.849, True), (0.851, False), (1.2, False)])
def test_beyond_the_low_bar_nothing_is_an_answer(book: Book, distance: float, answers: bool) -> None:
    book.add({"the module is nowhere in the folder": distance})
    found = book.ask("module nowhere")
    assert (found.match is not None) is answers


def test_a_case_without_a_fix_is_no_answer_and_hides_none(book: Book) -> None:
    """Having a fix is part of the search: a thousand nearer cases without one do not push the answer out."""
    many = {f"harbour gate {number} is shut by order {chr(97 + number % 26)}{number}": 0.1 for number in range(300)}
    book.add(many)
    book.store.con.execute("UPDATE resolution SET status = 'rejected'")
    book.store.con.execute("UPDATE error_kb SET resolution = NULL")
    book.store.con.execute("UPDATE case_state SET status = 'rejected'")
    (wanted,) = book.add({"The only one with a fix": 0.3})
    found = book.ask("Nobody may sail in")
    assert found.match is not None
    assert found.match.id == wanted


@pytest.mark.parametrize(
    ("known", "asked", "why"),
    [
        ("Request to the shop failed with status code 401", "The shop: status code 502 on request", "codes differ"),
        ("error TS2307: shop module trouble", "error TS2305: trouble with the shop module", "codes differ"),
        ("the table orders does not exist", "the relation orders already exists", "something is there already"),
        ("connect to the shop failed: connection refused", "login to the shop: permission denied", "not allowed"),
    ],
)
def test_differing_codes_and_kinds_of_failure_veto_the_nearest_vector(
    book: Book, known: str, asked: str, why: str
) -> None:
    (case,) = book.add({known: 0.2})
    found = book.ask(asked)
    assert found.match is None
    assert why in step(found).reason
    assert uses(book, case) == 1


def test_the_bar_rises_with_the_base() -> None:
    bars = MODEL.thresholds
    assert bars is not None
    assert [round(bars.high_at(size), 2) for size in (10, 100, 1_000, 10_000, 100_000)] == [0.7, 0.7, 0.7, 0.8, 0.9]
    assert bars.low_at(1_000) == 0.639
    assert bars.low_at(100_000) > bars.low_at(1_000)


def test_similar_cases_are_shown_but_never_answer_and_never_count(book: Book) -> None:
    ids = book.add({"gate one": 0.9, "gate two": 0.95, "gate three": 0.98, "gate four": 0.99, "far away": 1.3})
    found = book.ask("Nobody may sail in")
    assert found.match is None
    assert [one.id for one in found.similar] == ids[:3]
    assert [one.similarity for one in found.similar] == sorted((one.similarity for one in found.similar), reverse=True)
    assert all(uses(book, case) == 1 for case in ids)


def test_a_case_that_is_only_similar_still_says_which_error_of_it_has_the_words(book: Book) -> None:
    (case,) = book.add({"the gate of the harbour is shut": 0.9})
    found = book.ask("shut gate", words=True)
    assert [one.id for one in found.similar] == [case]
    (hit,) = (one for one in found.candidates if one.tier == "text")
    assert (hit.id, hit.place and hit.place.part, hit.why) == (case, "error", ("contains every word",))


def test_an_unmeasured_model_shows_similar_cases_only(tmp_path: Path) -> None:
    unmeasured = MODEL._replace(thresholds=None)
    with open_store(tmp_path / "casebook.db", write=True, create=True) as store:
        book = Book(store, unmeasured)
        (case,) = book.add({"The gate of the harbour is shut": 0.1})
        found = book.ask("Nobody may sail in")
    assert found.match is None
    assert [one.id for one in found.similar] == [case]
    assert "calibrated" in step(found).reason


def test_every_decision_is_in_the_trace(book: Book) -> None:
    book.add({"module vue was not found": 0.80})
    told = step(book.ask("this module is nowhere to be found"))
    assert told.fact("bar_high") == 0.7
    assert told.fact("bar_low") == 0.639
    assert told.fact("cases") == 1
    (near,) = told.steps
    assert near.fact("cosine") == pytest.approx(0.68, abs=1e-3)
    assert near.fact("distance") == pytest.approx(0.80, abs=1e-3)
    assert {"shared", "missing", "idf", "overlap", "rare", "bar", "veto"} <= {name for name, _ in near.facts}
    assert "module" in str(near.fact("shared"))


def test_a_weak_prefix_match_answers_only_where_no_vector_is_better_and_none_refutes_it(book: Book) -> None:
    query = "Deployment of the service failed: quota exceeded on team blue"
    weak = "Deployment of the service failed: no quota is left at night"
    better = "Quota exceeded, so team blue deploys nothing"
    (case,) = book.add({weak: 0.9})
    alone = book.ask(query).match
    assert alone is not None
    assert (alone.id, alone.tier, alone.confidence) == (case, "prefix", "low")
    (wanted,) = book.add({better: 0.3})
    found = book.ask(query)
    assert found.match is not None
    assert (found.match.id, found.match.tier) == (wanted, "vector")
    (told,) = [one for one in found.candidates if one.id == case]
    assert not told.accepted


def test_the_error_itself_goes_before_a_neighbour_with_low_confidence(book: Book) -> None:
    text = "this module is nowhere to be found"
    (near,) = book.add({"module vue was not found": 0.80})
    name, used = identify(text), uses(book, near)
    with book.store.transaction():
        known = observe(
            book.store.con, Name(name.key_line, name.normalized, name.fingerprint, name.tool),
            session_id=None, message_idx=None, tool="Bash", project="/home/mina/shop", ts="", raw=text,
        )  # fmt: skip
    run(book.store, ErrorSource(), Exact({embed_text(name.key_line): at(0.0)}))
    found = book.ask(text, words=True)
    assert found.match is None
    assert [(hit.id, hit.tier, hit.confidence) for hit in found.candidates] == [
        (known, "fingerprint", "high"),
        (near, "vector", "low"),
    ]
    assert found.candidates[1].resolution == "the fix"
    assert [one.id for one in found.similar] == [near]
    assert uses(book, near) == used, "what only follows is no answer"


def test_a_far_vector_refutes_a_weak_prefix_match(book: Book) -> None:
    (case,) = book.add({"Deployment of the service failed: harbour gate shut at night": 1.3})
    query = "Deployment of the service failed: quota exceeded on team blue"
    text_only = search(book.store, query, count=False)
    assert text_only.match is not None
    assert (text_only.match.id, text_only.match.confidence) == (case, "low")
    found = book.ask(query)
    assert found.match is None
    assert "rejects" in step(found, "decide").reason


class Broken(Exact):
    """A model that fails in some way."""

    def __init__(self, how: Callable[[], list[tuple[Vector, ...]]]) -> None:
        super().__init__({})
        self._how = how
        self.asked = 0

    def embed(self, texts: Sequence[str], kind: Kind) -> list[tuple[Vector, ...]]:
        self.asked += 1
        return self._how()


def _raise(error: Exception) -> Callable[[], list[tuple[Vector, ...]]]:
    def fail() -> list[tuple[Vector, ...]]:
        raise error

    return fail


NAN = b"\x00\x00\xc0\x7f" * 384


@pytest.mark.parametrize(
    ("how", "outcome"),
    [
        (_raise(Fault("timeout", "the model service timed out after 150 ms")), "timeout"),
        (_raise(Fault("model_unreachable", "the model cannot be run")), "failed"),
        (_raise(RuntimeError("onnx")), "failed"),
        (_raise(TypeError("NoneType")), "failed"),
        (lambda: [(NAN,)], "failed"),
        (lambda: [(b"\x00" * 4 * 384,)], "failed"),
        (lambda: [(at(0.0)[:100],)], "failed"),
        (lambda: [()], "failed"),
        (lambda: [], "failed"),
    ],
)
def test_a_broken_model_costs_the_text_tiers_nothing(
    book: Book, how: Callable[[], list[tuple[Vector, ...]]], outcome: str
) -> None:
    (case,) = book.add({"The gate of the harbour is shut": 0.1})
    found = book.ask("Nobody may sail in", Broken(how))
    assert found.match is None
    assert step(found).outcome == outcome
    assert step(found).reason
    known = book.ask("The gate of the harbour is shut", Broken(how))
    assert known.match is not None
    assert known.match.id == case


def test_a_hanging_model_is_asked_once_in_a_stream(book: Book) -> None:
    book.add({"The gate of the harbour is shut": 0.1})
    slow = Broken(_raise(Fault("timeout", "not within 150 ms")))
    with VectorSearch(lambda: ModelAtHand(MODEL, lambda: slow)) as vectors:
        for text in ("Nobody may sail in", "No ship leaves", "What now"):
            assert step(search(book.store, text, vectors=vectors)).outcome == "timeout"
    assert slow.asked == 1


def test_no_model_and_vectors_of_another_model_are_said(book: Book) -> None:
    book.add({"The gate of the harbour is shut": 0.1})
    with VectorSearch(lambda: NoVectors("no embedding model is installed", "casebook models pull x")) as none:
        found = search(book.store, "Nobody may sail in", vectors=none)
    assert step(found).outcome == "skipped"
    assert step(found).fact("remedy") == "casebook models pull x"
    other = MODEL._replace(id="other")
    assert "embeddings are from exact" in step(book.ask("Nobody may sail in", model=other)).reason
    assert step(book.ask("Nobody may sail in", Exact({}, other))).outcome == "failed"


def test_an_unfinished_change_of_the_model_is_not_searched(book: Book) -> None:
    book.add({"The gate of the harbour is shut": 0.1})
    place = place_of(MODEL)
    state = read_state(book.store.con, "error")
    assert state is not None
    write_state(book.store.con, "error", VectorState(place.model, place.recipe, 384, complete=False))
    found = book.ask("Nobody may sail in")
    assert found.match is None
    assert step(found).outcome == "skipped"


def test_a_stored_vector_that_is_no_number_never_gets_through(book: Book) -> None:
    (case,) = book.add({"The gate of the harbour is shut": 0.1})
    book.store.con.execute("UPDATE vector SET blob = ? WHERE item_id = ?", (NAN, case))
    book.store.con.execute("UPDATE vec_error_kb SET embedding = ? WHERE error_kb_id = ?", (NAN, case))
    found = book.ask("Nobody may sail in at the gate")
    assert found.match is None
    assert found.similar == ()


def test_korean_is_not_read_by_an_english_model_and_shared_words_serve(book: Book) -> None:
    (case, _) = book.add({"결제 승인에 실패했습니다: 카드 한도 초과": 0.1, "세션이 만료되었습니다": 0.1})
    found = book.ask("카드 한도를 초과한 결제 요청입니다")
    assert found.match is None
    assert step(found).outcome == "skipped"
    assert "Korean" in step(found).reason
    assert found.similar[0].id == case
    assert 0 < found.similar[0].similarity <= 1
    assert uses(book, case) == 1


def test_the_text_tiers_need_no_vectors_and_load_no_model(book: Book) -> None:
    book.add({"The gate of the harbour is shut": 0.1})
    with VectorSearch(lambda: pytest.fail("the model was looked for")) as vectors:
        found = search(book.store, "The gate of the harbour is shut", vectors=vectors)
    assert found.match is not None
    assert step(found).reason == "answered by the fingerprint tier"


def test_the_same_path_through_the_real_model(tmp_path: Path, minilm: Embedder) -> None:
    known = {
        "Error: Cannot find module 'react'": "npm install react",
        "ModuleNotFoundError: No module named 'yaml'": "pip install pyyaml",
        "bash: pnpm: command not found": "corepack enable",
        'psql: error: FATAL:  password authentication failed for user "app"': "set PGPASSWORD",
        "AxiosError: Request failed with status code 401": "renew the token",
    }
    model = CATALOGUE[MINILM]
    with open_store(tmp_path / "casebook.db", write=True, create=True) as store:
        ids = {text: record_resolution(store, text, fix).case_id for text, fix in known.items()}
        run(store, ErrorSource(), minilm)
        with VectorSearch(lambda: ModelAtHand(model, lambda: _Open(minilm))) as vectors:

            def ask(text: str) -> SearchAnswer:
                return search(store, text, vectors=vectors)

            found = ask("Module not found: Error: Can't resolve 'react' in '/srv/shop/src'")
            assert found.match is not None
            assert found.match.id == ids["Error: Cannot find module 'react'"]
            assert found.match.tier == "vector"
            assert found.match.resolution == "npm install react"
            assert ask("The kettle in the kitchen is out of water").match is None
            vetoed = ask("AxiosError got status code 502 for the request")
            assert vetoed.match is None
            assert "codes differ" in step(vetoed).reason


class _Open:
    """The shared model, which must stay open for the other tests."""

    def __init__(self, real: Embedder) -> None:
        self.id, self.version, self.recipe, self.dim = real.id, real.version, real.recipe, real.dim
        self.embed = real.embed

    def close(self) -> None:
        pass
