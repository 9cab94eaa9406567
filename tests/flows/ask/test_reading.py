"""The gate with the real MiniLM over a few invented notes: what it reads, and when it is stopped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from core.base.config.settings import EmbeddingSettings, LlmSettings
from core.base.fault import Fault
from core.base.trace import Step
from core.embedding.models.catalogue import CATALOGUE, MINILM, Model
from core.embedding.runtime.embedder import Embedder, Kind, Vector
from core.embedding.runtime.query_model import ModelAtHand, VectorSearch
from core.flows.ask.api import AskOptions, ask
from core.flows.ingest.api import ingest
from core.flows.ingest.search import embed_passages
from core.library.ask.gate import Gate, gate
from core.library.ask.prompt import refusal_text
from core.library.ask.question import read_question
from core.llm.factory import language_model
from core.rules.matching.tables import load_tables
from core.store import Store, open_store

NOTES = {
    "boats.md": "# Boats\n\nThe two blue boats lie at the east pier. A boat is varnished every third spring, by the "
    "two members who rowed it most. The varnish needs four days to dry, and nobody rows in that time.\n\n"
    "## Keys\n\nThe key of the boat house hangs behind the stove. Who loses it pays 15,000 won.",
    "회비.md": "# 회비\n\n회비는 분기마다 6만 원이고 첫 달 10일까지 총무에게 보냅니다. "
    "두 분기를 내지 않으면 배를 탈 수 없습니다.",
    "tea.md": "# Tea room\n\nTea is served after rowing on Sundays. Cups go back into the cupboard; the last one out "
    "turns the heater off.",
}


class Wayward:
    """The real model, which fails or tells somebody after so many requests."""

    def __init__(self, inner: Embedder, after: int, error: Exception | None) -> None:
        self.inner, self.after, self.error, self.asked = inner, after, error, 0
        self.id, self.version, self.recipe, self.dim = inner.id, inner.version, inner.recipe, inner.dim

    def embed(self, texts: Sequence[str], kind: Kind) -> list[tuple[Vector, ...]]:
        self.asked += 1
        if self.error is not None and self.asked > self.after:
            raise self.error
        return self.inner.embed(texts, kind)

    def close(self) -> None:
        pass


def embedded(folder: Path, minilm_folder: Path, notes: Mapping[str, str]) -> Path:
    """A library of these notes with the vectors of MiniLM."""
    (folder / "notes").mkdir()
    for name, text in notes.items():
        (folder / "notes" / name).write_text(text, encoding="utf-8")
    (folder / "casebook").mkdir()
    (folder / "casebook" / "models").symlink_to(minilm_folder.parent)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        with open_store(folder / "c.db", create=True) as store:
            ingest(store, [folder / "notes"])
        embed_passages(folder / "c.db", EmbeddingSettings(model=MINILM, service=False))
    return folder / "c.db"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, minilm: Embedder, minilm_folder: Path) -> Iterator[Store]:
    assert minilm.id == MINILM  # made by now
    with open_store(embedded(tmp_path_factory.mktemp("reading"), minilm_folder, NOTES)) as store:
        yield store


def searching(model: Embedder) -> VectorSearch:
    return of_model(CATALOGUE[MINILM], model)


def of_model(model: Model, embedder: Embedder) -> VectorSearch:
    return VectorSearch(lambda: ModelAtHand(model, lambda: embedder))


def asked(store: Store, question: str, vectors: VectorSearch | None, stop_after: int | None = None) -> Gate:
    looks = iter(range(1_000))
    glossary = load_tables().glossary
    stopped = (lambda: False) if stop_after is None else (lambda: next(looks) >= stop_after)
    return gate(store.con, read_question(question, glossary), vectors, None, None, 0.30, glossary, stopped)


def told(step: Step) -> dict[str, object]:
    return dict(step.facts)


@pytest.mark.parametrize(
    ("question", "path", "reads"),
    [
        ("How long does the lacquer of a rowing boat take until it is dry?", "boats.md", True),
        ("회비는 얼마인가요?", "회비.md", False),
        ("회비 총무", "회비.md", False),
    ],
)
def test_an_answer_is_found_in_other_words_where_the_model_reads_the_language(
    library: Store, minilm: Embedder, question: str, path: str, reads: bool
) -> None:
    found = asked(library, question, searching(minilm))
    assert found.best[0].passage.path == path
    assert found.passed
    assert (found.support is not None) == reads
    assert found.best[0].is_read == reads
    assert reads or "mostly Korean" in str(told(found.step)["by_words"])


def test_words_alone_decide_on_a_passage_that_the_model_cannot_read(library: Store, minilm: Embedder) -> None:
    question = "Which 총무 collects the 회비 of a quarter?"
    found, alone = asked(library, question, searching(minilm)), asked(library, question, None)
    assert found.support is not None, "the model read the English passages"
    assert [one.passage.path for one in (found.best[0], alone.best[0])] == ["회비.md"] * 2
    assert not found.best[0].is_read
    assert found.best[0].evidence == alone.best[0].evidence


def test_only_a_korean_question_to_an_english_passage_is_in_another_language(library: Store, minilm: Embedder) -> None:
    vectors = of_model(CATALOGUE[MINILM]._replace(languages="50 languages"), minilm)
    korean = asked(library, "boats의 varnish는 누가 언제 칠하나요?", vectors)
    assert korean.support is not None
    assert korean.support.foreign
    assert told(korean.step)["other_language"] is True
    for question in ("회비는 얼마인가요?", "Who varnishes the boats?"):
        same = asked(library, question, vectors)
        assert same.support is not None
        assert not same.support.foreign
    assert asked(library, "회비는 얼마인가요?", None).support is None


def test_the_passage_that_answers_is_ahead_of_the_others_about_the_subject(
    minilm: Embedder, minilm_folder: Path, tmp_path: Path
) -> None:
    notes = {
        f"{at}.md": f"# Boat {at}\n\nBoat {at} lies at pier {at % 7}. Its oars hang in hall {at % 5}.\n"
        for at in range(70)
    }
    notes["lacquer.md"] = "# Lacquer\n\nThe lacquer of a boat takes 36 hours until it is dry.\n"
    with open_store(embedded(tmp_path, minilm_folder, notes)) as store:
        answer = asked(store, "How long does the lacquer take to dry?", searching(minilm))
        near = asked(store, "Which insurance pays for a boat at the pier?", searching(minilm))
    assert answer.passed
    assert answer.best[0].passage.path == "lacquer.md"
    assert not near.passed
    assert answer.best[0].signals.ahead > near.best[0].signals.ahead + 0.15


@pytest.mark.parametrize(
    "question",
    [
        "How many moons does the planet Mars have?",
        "김치찌개에 두부는 언제 넣나요?",
        "Which engine does Volvo build into the boats?",
        "Borealis 앱에서 회비를 내려면 어떻게 하나요?",
    ],
)
def test_what_the_notes_do_not_say_is_refused(library: Store, minilm: Embedder, question: str) -> None:
    for vectors in (searching(minilm), None):
        found = asked(library, question, vectors)
        assert not found.passed
        assert found.score < 0.30


@pytest.mark.parametrize(
    "error",
    [Fault("timeout", "it took too long"), RuntimeError("broken"), ValueError("shape"), Fault("invalid_input", "no")],
)
@pytest.mark.parametrize("after", [0, 1, 2])
def test_a_model_that_breaks_at_any_moment_leaves_the_words(
    library: Store, minilm: Embedder, after: int, error: Exception
) -> None:
    question = "Who pays 15,000 won for a lost key of the boat house?"
    found = asked(library, question, searching(Wayward(minilm, after, error)))
    alone = asked(library, question, None)
    assert found.score == alone.score
    assert found.best[0].passage.path == alone.best[0].passage.path
    assert told(found.step)["by_words"]


def test_a_stop_is_heard_between_a_few_texts(library: Store, minilm: Embedder) -> None:
    question = "How long does the lacquer of a rowing boat take until it is dry?"
    model = Wayward(minilm, 0, None)
    asked(library, question, searching(model))
    whole = model.asked
    model.asked = 0
    found = asked(library, question, searching(model), stop_after=1)
    assert model.asked < whole
    assert told(found.step)["by_words"]


def test_passages_that_still_wait_for_their_vectors_are_told_of(tmp_path: Path, minilm: Embedder) -> None:
    (tmp_path / "boats.md").write_text(NOTES["boats.md"], encoding="utf-8")
    with open_store(tmp_path / "c.db", create=True) as store:
        ingest(store, [tmp_path])
        question = "How long until the paint of a vessel can be touched?"
        found = asked(store, question, searching(minilm))
        assert not found.passed
        assert "embedded" in found.waits
        assert told(found.step)["waits"] == found.waits
        assert asked(store, question, None).waits == "", "no model is at hand: nothing to wait for"
    assert "not all passages are embedded" in refusal_text("score_gate", question, waits=True)
    assert refusal_text("score_gate", "임베딩은 어디에 있나요?", waits=True) != refusal_text("score_gate", "임베딩은?")


@pytest.mark.parametrize("model", [True, False], ids=["with a model", "by words"])
def test_a_refusal_names_the_word_that_no_close_passage_mentions(library: Store, minilm: Embedder, model: bool) -> None:
    vectors = searching(minilm) if model else None
    found = asked(library, "Is the boat house insured against Earthquakes?", vectors)
    assert not found.passed
    assert found.unknown == "Earthquakes", "as the question spells it"
    assert "do not mention 'Earthquakes'" in found.step.reason
    assert asked(library, "회비로 로켓발사대를 사나요?", vectors).unknown == "로켓발사대", "without its particle"
    assert 'do not mention "Earthquakes"' in refusal_text("score_gate", "Is it?", unknown=found.unknown)
    assert '"지진" 없음' in refusal_text("score_gate", "지진이 나면?", unknown="지진")
    answered = asked(library, "How long does the varnish of a boat need to dry?", vectors)
    assert answered.passed
    assert answered.unknown == ""


def test_a_refusal_lists_the_passages_that_came_near(library: Store, minilm: Embedder) -> None:
    no_server = language_model(LlmSettings(model="tiny", endpoint="http://127.0.0.1:9"))
    question = "Which firm sells the varnish for the cupboard?"
    refused = ask(library, question, AskOptions(keep=False), no_server, searching(minilm))
    assert refused.refusal_reason == "score_gate"
    assert refused.citations[0].citation.path == "boats.md"
    assert "varnish" in (refused.citations[0].excerpt or ""), "the sentence that the model found nearest"
    far = ask(library, "Which engine does Volvo build?", AskOptions(keep=False), no_server, searching(minilm))
    assert far.refusal_reason == "score_gate"
    assert far.citations == ()


def test_a_refusal_names_a_word_that_only_a_passage_further_down_mentions(tmp_path: Path) -> None:
    notes = {f"{at}.md": f"Shelf {at} holds jars." for at in range(15)}
    notes |= {f"ferry{at}.md": "The ferry leaves the harbour." for at in range(3)}
    notes |= {"lantern.md": "A lantern is lit.", "compass.md": "A compass is sold."}
    for name, text in notes.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with open_store(tmp_path / "c.db", create=True) as store:
        ingest(store, [tmp_path])
        refused = asked(store, "ferry harbour lantern compass", None)
        passed = asked(store, "ferry harbour", None)
    assert [one.passage.path.startswith("ferry") for one in refused.best[:5]] == [True, True, True, False, False]
    assert not refused.passed
    assert refused.unknown in {"lantern", "compass"}
    assert passed.passed
    assert passed.unknown == ""


def test_a_model_nobody_measured_does_not_speak_for_a_passage(library: Store, minilm: Embedder) -> None:
    unmeasured = CATALOGUE[MINILM]._replace(thresholds=None)
    found = asked(library, "How long until the paint can be touched?", of_model(unmeasured, minilm))
    assert all(not one.is_read for one in found.best)
    assert "calibrated" in str(told(found.step)["by_words"])


def test_a_model_of_many_languages_is_asked_in_the_language_of_the_question(library: Store, minilm: Embedder) -> None:
    read: list[str] = []

    class Listening(Wayward):
        def embed(self, texts: Sequence[str], kind: Kind) -> list[tuple[Vector, ...]]:
            read.extend(texts)
            return super().embed(texts, kind)

    question = "회비를 내지 않으면 어떻게 되나요?"
    listening = Listening(minilm, 0, None)
    asked(library, question, of_model(CATALOGUE[MINILM]._replace(languages="50 languages"), listening))
    assert question in read
    read.clear()
    asked(library, question, of_model(CATALOGUE[MINILM], listening))
    assert read == [], "a model of English is given no Korean question"
