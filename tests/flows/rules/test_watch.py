"""Rule files watched: an edit embeds its rule alone and is told, however the editor saves."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from core.base.fault import Fault
from core.embedding.models.catalogue import CATALOGUE, MINILM
from core.embedding.runtime.embedder import Embedder
from core.embedding.runtime.query_model import ModelAtHand, VectorSearch
from core.flows.rules.matcher import RuleEdit, RuleMatcher, difference, watch_rules
from core.rules.format.parse import parse_text
from core.rules.format.rule import RuleList
from tests.flows.rules.counting_embedder import RULES, Counting

WAIT_S = 120.0


class Watched:
    """A rule file that a thread watches, and what that thread told."""

    def __init__(self, folder: Path, model: Counting) -> None:
        self.file, self.model, self.edits = folder / "memory.md", model, queue.Queue[RuleEdit]()
        self.file.write_text(RULES, encoding="utf-8")
        self.stop, self.ready = threading.Event(), threading.Event()
        self.logged: list[str] = []
        self.thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        vectors = VectorSearch(lambda: ModelAtHand(CATALOGUE[MINILM], lambda: self.model))
        database = self.file.with_name("casebook.db")
        with RuleMatcher([(self.file, "project")], database, vectors, log=self.logged.append) as matcher:
            matcher.refresh()
            self.model.documents.clear()
            watch_rules(matcher, self.edits.put, self.stop.is_set, self.ready.set)

    def next(self) -> RuleEdit:
        return self.edits.get(timeout=WAIT_S)


@pytest.fixture
def watched(tmp_path: Path, minilm: Embedder) -> Generator[Watched]:
    made = Watched(tmp_path, Counting(minilm))
    made.thread.start()
    assert made.ready.wait(WAIT_S)
    yield made
    made.stop.set()
    made.thread.join(WAIT_S)
    assert not made.thread.is_alive()


def _overwritten(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")


def _replaced(file: Path, text: str) -> None:
    new = file.with_suffix(".tmp")
    new.write_text(text, encoding="utf-8")
    new.replace(file)


@pytest.mark.parametrize("save", [_overwritten, _replaced])
def test_req_sem_005_an_edit_embeds_its_rule_alone_and_is_told(
    watched: Watched, save: Callable[[Path, str], None]
) -> None:
    save(watched.file, RULES.replace("each invoice", "every invoice"))
    edit = watched.next()
    assert (edit.edited, edit.added, edit.removed, edit.embedded) == (("ERR-002",), (), (), 1)
    assert [text[:7] for text in watched.model.documents] == ["ERR-002"]
    save(watched.file, RULES)
    assert watched.next().edited == ("ERR-002",)  # and nothing was told in between


def test_a_file_that_is_gone_is_told_once_and_followed_when_it_is_back(watched: Watched) -> None:
    watched.file.unlink()
    assert "cannot read the rules" in watched.next().fault
    watched.file.write_text(RULES + "### ERR-003: New\n**Problem**: a new thing\n", encoding="utf-8")
    assert watched.next().added == ("ERR-003",)
    assert watched.edits.empty()


def test_req_sem_006_an_edit_that_cannot_be_embedded_is_told_logged_and_followed_on(watched: Watched) -> None:
    watched.model.fail = Fault("generic", "the weights are gone")
    watched.file.write_text(RULES.replace("each invoice", "every invoice"), encoding="utf-8")
    edit = watched.next()
    assert edit.embedded == 0
    assert edit.without
    assert watched.logged
    watched.model.fail = None
    watched.file.write_text(RULES, encoding="utf-8")
    assert watched.next().edited == ("ERR-002",)


def test_difference_names_what_came_went_and_changed() -> None:
    before = RuleList(parse_text(RULES).rules)
    now = RuleList(parse_text(RULES.replace("ERR-001", "ERR-009").replace("each", "every")).rules)
    assert difference(before, now) == RuleEdit(("ERR-009",), ("ERR-002",), ("ERR-001",))
