"""What was wrong with the original stays right: its defects as tests, and the requirement about CUDA by name."""

from __future__ import annotations

import struct
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from core.embedding.asking import ModelAtHand, NoVectors, VectorSearch
from core.embedding.catalogue import CATALOGUE, MINILM
from core.embedding.providers import CPU, CUDA, choose
from core.rules.book import book_of
from core.rules.call import ToolCall, call_text
from core.rules.match import match
from core.rules.parse import parse_text
from core.rules.project_type import project_type
from core.rules.seed_api import find_relevant_rules_semantic
from core.rules.semantic import RememberedSemantic
from core.rules.tables import load_tables
from core.rules.usage import count_use, usage
from core.store import open_store

RULE = {"id": "ERR-001", "title": "Force push", "problem": "git push --force removed commits", "solution": "lease"}


def test_req_sem_009_cuda_is_taken_where_it_is_offered_and_the_processor_stands_behind_it() -> None:
    assert choose(["TensorrtExecutionProvider", CUDA, CPU]) == (CUDA, CPU)
    assert choose([CPU]) == (CPU,)
    assert choose([]) == (CPU,)


@pytest.fixture
def without_model(monkeypatch: pytest.MonkeyPatch) -> None:
    tier = RememberedSemantic(VectorSearch(lambda: NoVectors("there is no model")))
    monkeypatch.setattr("core.rules.seed_api._semantic", lambda: tier)


@pytest.mark.usefixtures("without_model")
def test_the_librarys_own_function_falls_back_to_keywords_and_can_be_told_not_to() -> None:
    call = {"command": "git push --force origin main"}
    assert [one["id"] for one in find_relevant_rules_semantic([RULE], "Bash", call)] == ["ERR-001"]
    assert find_relevant_rules_semantic([RULE], "Bash", call, use_fallback=False) == []
    assert find_relevant_rules_semantic([], "Bash", call) == []


class Slow:
    """A model that takes three seconds for each lot of rules, on a clock that only it moves."""

    def __init__(self) -> None:
        like = CATALOGUE[MINILM]
        self.id, self.version, self.recipe, self.dim = like.id, like.version, like.recipe, like.dim
        self.clock, self.lots = 0.0, list[int]()

    def embed(self, texts: Sequence[str], kind: str) -> list[tuple[bytes, ...]]:
        if kind == "document":
            self.clock += 3
            self.lots.append(len(texts))
        return [(struct.pack(f"<{self.dim}f", 1.0, *[0.0] * (self.dim - 1)),) for _ in texts]

    def close(self) -> None:
        pass


def test_req_sem_010_the_librarys_own_function_embeds_what_there_is_time_for(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Slow()
    tier = RememberedSemantic(VectorSearch(lambda: ModelAtHand(CATALOGUE[MINILM], lambda: model)))
    monkeypatch.setattr("core.rules.seed_api._semantic", lambda: tier)
    monkeypatch.setattr("core.rules.seed_api._now", lambda: model.clock)
    rules = [RULE, *({"id": f"ERR-{at}", "title": f"Rule {at}"} for at in range(100, 160))]
    found = find_relevant_rules_semantic(rules, "Bash", {"command": "git push --force origin main"})
    assert model.lots == [8, 8], "the third lot would have begun after the deadline"
    assert "45 rules still wait" in tier.note
    assert found[0]["id"] == "ERR-001"
    find_relevant_rules_semantic(rules, "Bash", {"command": "git push --force origin main"})
    assert model.lots == [8, 8, 8, 8], "the next call goes on where it was"


@pytest.mark.parametrize("name", ["a.c", "b.h", "c.v"])
def test_an_ending_of_one_letter_brings_no_rule(name: str) -> None:
    book = book_of(parse_text(f"### ERR-001: {RULE['title']}\n**Problem**: {RULE['problem']} v c h\n").rules)
    assert match(book, ToolCall("Write", {"file_path": name, "content": "int x;"}), None).rules == ()


def test_projects_are_known_by_endings_too(tmp_path: Path) -> None:
    for name in ("Shop.sln", "Shop.vcxproj", "top.sv"):
        (tmp_path / name).touch()
    assert set(project_type(tmp_path)) == {"csharp", "cpp", "verilog"}
    assert project_type(tmp_path / "absent") == ()


def test_counts_of_several_at_once_are_all_kept_and_only_of_what_was_shown(tmp_path: Path) -> None:
    database = tmp_path / "casebook.db"
    with open_store(database, create=True):
        pass

    def count() -> None:
        with open_store(database, write=True, timeout_ms=30_000) as store:
            for _ in range(20):
                count_use(store, [("m.md", "ERR-001")], "shown")

    threads = [threading.Thread(target=count) for _ in range(3)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    with open_store(database) as store:
        assert {key: one.shown for key, one in usage(store).items()} == {("m.md", "ERR-001"): 60}


def test_no_shipped_pattern_names_a_rule_by_its_number() -> None:
    assert [one.name for one in load_tables(Path("/absent")).error_patterns if one.rules] == []


def test_a_sub_agents_prompt_and_a_todo_count_as_much_as_a_command() -> None:
    said = call_text(ToolCall("TodoWrite", {"todos": [{"content": "Force the push"}]}))
    assert "Force the push" in said.model_text
