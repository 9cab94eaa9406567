"""The process that compares vectors: the answers of the core, nobody waits for what was given up, nobody is left."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from core.base.config.settings import EmbeddingSettings
from core.base.fault import Fault
from core.embedding import Embedder
from core.embedding.index.vectors import cosine, pack
from core.embedding.models.catalogue import CATALOGUE, MINILM
from core.embedding.runtime.query_model import ModelAtHand, NoVectors, VectorSearch, describe_model
from core.embedding.runtime.worker import run as embed_all
from core.embedding.service.client import Embed
from core.errors import record_resolution, search
from core.errors.identity.fingerprint import identify
from core.errors.retrieval.answer import Query
from core.errors.retrieval.api import deepened, weak_match
from core.errors.retrieval.embed_text import ErrorSource
from core.errors.retrieval.vector_tier import Like, Nearest
from core.flows.system.vectors import answer_question
from core.process.worker import Call
from core.rules.evaluation.clusters import ToGroup, clusters
from core.rules.format.book import book_of
from core.rules.format.parse import parse_text
from core.store import Store, open_store
from tui.runtime.jobs import Job, Lane, Stopped
from tui.runtime.vector_process import VectorProcess

SETTINGS = EmbeddingSettings(model=MINILM)
KNOWN, OTHER_WORDS = "Error: Cannot find module 'react'", "Module not found: Can't resolve 'react'"
WEAK = "Error: Cannot find module 'vue' yarn npx jsp"


@pytest.fixture(scope="module")
def casebook(tmp_path_factory: pytest.TempPathFactory, minilm: Embedder) -> Path:
    path = tmp_path_factory.mktemp("vectors") / "known.db"
    with open_store(path, write=True, create=True) as store:
        record_resolution(store, KNOWN, "npm install react")
        record_resolution(store, "the bundler found no module lodash to load", "install it")
        embed_all(store, ErrorSource(), minilm)
    return path


@pytest.fixture
def process(
    casebook: Path, tmp_path: Path, minilm_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[VectorProcess]:
    (tmp_path / "casebook").mkdir()
    (tmp_path / "casebook" / "models").symlink_to(minilm_folder.parent)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    asked = VectorProcess(casebook, SETTINGS)
    yield asked
    asked.end()


@pytest.fixture
def job(casebook: Path) -> Job[Any]:
    return a_job(casebook)


def a_job(casebook: Path) -> Job[Any]:
    lane = Lane("test", casebook, lambda _report: None, keep=False)
    return Job(lane, 1, lambda _job: None, lambda _value, _final: None, lambda _fault: None, 0.0)


@dataclass(frozen=True)
class Sleeps:
    """A question that takes a while, but listens where a query would."""

    begun: Path

    def __call__(self, store: Store, _vectors: VectorSearch) -> None:
        self.begun.touch()
        endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
        store.con.execute(endless).fetchall()


@dataclass(frozen=True)
class Computes:
    """A question that takes for ever without a query, and heeds who interrupts what it is given."""

    begun: Path

    def __call__(self, store: Store, _vectors: VectorSearch) -> None:
        self.begun.touch()
        while True:
            store.check()


@dataclass(frozen=True)
class Raises:
    """A question that something is wrong with."""

    def __call__(self, _store: Store, _vectors: VectorSearch) -> None:
        raise Fault("invalid_input", "half \udc80", "mend it")


@dataclass(frozen=True)
class Dies:
    """A question that takes the process with it."""

    def __call__(self, _store: Store, _vectors: VectorSearch) -> None:
        import os

        os._exit(9)


def hang(_call: Call, *_given: object) -> None:
    time.sleep(600)


def within(seconds: float, true: Callable[[], object]) -> bool:
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.01)
    return bool(true())


def test_what_it_says_joins_the_text_tiers_as_if_all_had_been_asked_at_once(
    process: VectorProcess, job: Job[Any], casebook: Path, minilm: Embedder
) -> None:
    here = VectorSearch(lambda: ModelAtHand(CATALOGUE[MINILM], lambda: minilm))
    soon = VectorSearch(lambda: NoVectors("in a moment"))
    with open_store(casebook) as store:
        for text, first in ((OTHER_WORDS, False), ("no one has met this", False), (WEAK, True)):
            words = search(store, text, count=False, vectors=soon)
            weak = weak_match(words)
            assert (weak is not None) == first
            looked = process.ask(job, Nearest(words.query, weak.id if weak is not None else None))
            assert deepened(words, looked) == search(store, text, count=False, vectors=here)
        assert search(store, OTHER_WORDS, count=False, vectors=here).match is not None
        assert process.ask(job, Like(1)).by == "meaning"


def test_a_fault_is_told_in_its_own_words_and_the_next_question_is_answered(
    process: VectorProcess, job: Job[Any]
) -> None:
    with pytest.raises(Fault) as told:
        process.ask(job, Raises())
    assert (told.value.code, told.value.message, told.value.hint) == ("invalid_input", "half \udc80", "mend it")
    assert process.ask(job, Like(1)).cases == process.ask(job, Like(1)).cases


@pytest.mark.parametrize("question", [Sleeps, Computes])
def test_who_gives_up_does_not_wait_and_the_process_goes_on_with_the_next(
    process: VectorProcess, casebook: Path, tmp_path: Path, question: type[Sleeps | Computes]
) -> None:
    slow, begun, ended = a_job(casebook), tmp_path / "begun", list[type[BaseException]]()

    def ask() -> None:
        try:
            process.ask(slow, question(begun))
        except (Stopped, Fault) as error:
            ended.append(type(error))

    waiting = threading.Thread(target=ask, daemon=True)
    waiting.start()
    assert within(120, begun.exists)
    slow.stop()
    waiting.join(60)
    assert ended == [Stopped]
    assert process.ask(a_job(casebook), Like(1)).by == "meaning", "else it would go on with that for ever"


def test_one_that_dies_is_begun_again_but_not_one_that_never_answered(process: VectorProcess, job: Job[Any]) -> None:
    process.ask(job, Like(1))
    for _ in range(2):  # the second one dies before it has answered anything
        with pytest.raises(Fault, match="process exited"):
            process.ask(job, Dies())
    with pytest.raises(Fault, match="process exited"):
        process.ask(job, Like(1))


def test_without_a_model_the_step_says_so(
    process: VectorProcess, job: Job[Any], casebook: Path, tmp_path: Path
) -> None:
    (tmp_path / "casebook" / "models").unlink()
    asked = VectorProcess(casebook, EmbeddingSettings(model="all-mpnet-base-v2"))
    found = identify(OTHER_WORDS)
    query = Query(OTHER_WORDS, found.key_line, found.normalized, found.fingerprint)
    step = asked.ask(job, Nearest(query)).step
    asked.end()
    assert (step.outcome, step.fact("remedy")) == ("skipped", "casebook models pull all-mpnet-base-v2")


def test_texts_are_embedded_as_by_the_model_itself_and_by_no_other(process: VectorProcess, minilm: Embedder) -> None:
    texts, name = ("push over the branch of others", "가지에 강제로 올린다"), describe_model(CATALOGUE[MINILM])
    found, here = process.ask(None, Embed(name, texts, "document"), 60), minilm.embed(texts, "document")
    assert [len(windows) for windows in found] == [1, 1]
    assert all(cosine(there[0], own[0]) > 0.9999 for there, own in zip(found, here, strict=True))
    with pytest.raises(Fault, match="blank") as told:
        process.ask(None, Embed(name, (" ",), "query"))
    assert told.value.code == "invalid_input"
    with pytest.raises(Fault, match="not another") as told:
        process.ask(None, Embed("another", texts, "query"))
    assert told.value.code == "model_unreachable"


def test_many_rules_are_grouped_there_as_they_would_be_here(process: VectorProcess) -> None:
    rules = [f"### ERR-{at}: Rule {at}\n**Problem**: the part {at} is missing\n" for at in range(1, 206)]
    book = book_of(parse_text("".join(rules), "rules.md", scope="project").rules)
    vectors = {at: (pack([float(one == at // 2) for one in range(103)]),) for at in range(len(book.rules))}
    found = process.ask(None, ToGroup(book.rules, book.tables.glossary, vectors), 60)
    assert found == clusters(book.rules, book.tables.glossary, vectors)
    assert (len(found.clusters), found.by) == (102, "meaning")


def test_a_question_left_before_its_casebook_is_open_is_not_begun(casebook: Path, tmp_path: Path) -> None:
    call, begun = Call(lambda _value: None), tmp_path / "begun"
    call.cancel()
    with pytest.raises(Fault, match="was stopped"):
        answer_question(call, casebook, "{}", Computes(begun))
    assert not begun.exists()


def test_one_that_hangs_is_waited_for_no_longer_than_was_said(
    process: VectorProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.flows.system.vectors.answer_question", hang)
    with pytest.raises(Fault, match="timed out") as told:
        process.ask(None, Like(1), 0.05)
    assert told.value.code == "timeout"


def test_one_that_is_ended_while_it_begins_keeps_nobody(
    process: VectorProcess, job: Job[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.flows.system.vectors.answer_question", hang)
    failed = list[Fault]()

    def ask() -> None:
        try:
            process.ask(job, Like(1))
        except Fault as fault:
            failed.append(fault)

    waiting = threading.Thread(target=ask, daemon=True)
    waiting.start()
    assert within(120, lambda: process._child is not None)
    process.end()
    waiting.join(60)
    assert [fault.code for fault in failed] == ["model_unreachable"]
