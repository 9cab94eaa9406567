"""What was wrong with the original stays right: its defects as tests, and the requirement about CUDA by name."""

from __future__ import annotations

import struct
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from core.base.fault import Fault
from core.embedding.models.catalogue import CATALOGUE, MINILM
from core.embedding.runtime.local import CPU, CUDA, choose
from core.embedding.runtime.query_model import ModelAtHand, NoVectors, VectorSearch
from core.rules.format.book import book_of
from core.rules.format.parse import parse_text
from core.rules.format.store import count_use, usage
from core.rules.matching.api import match
from core.rules.matching.call import ToolCall, call_text
from core.rules.matching.seed_api import _semantic, find_relevant_rules_semantic
from core.rules.matching.semantic import RememberedSemantic
from core.rules.matching.tables import load_tables
from core.store import open_store

RULE = {"id": "ERR-001", "title": "Force push", "problem": "git push --force removed commits", "solution": "lease"}


def test_req_sem_009_cuda_is_taken_where_it_is_offered_and_the_processor_stands_behind_it() -> None:
    assert choose(["TensorrtExecutionProvider", CUDA, CPU]) == (CUDA, CPU)
    assert choose([CPU]) == (CPU,)
    assert choose([]) == (CPU,)


@pytest.fixture
def without_model(monkeypatch: pytest.MonkeyPatch) -> None:
    tier = RememberedSemantic(VectorSearch(lambda: NoVectors("there is no model")))
    monkeypatch.setattr("core.rules.matching.seed_api._semantic", lambda: tier)


@pytest.mark.usefixtures("without_model")
def test_the_librarys_own_function_falls_back_to_keywords_and_can_be_told_not_to() -> None:
    call = {"command": "git push --force origin main"}
    assert [one["id"] for one in find_relevant_rules_semantic([RULE], "Bash", call)] == ["ERR-001"]
    assert find_relevant_rules_semantic([RULE], "Bash", call, use_fallback=False) == []
    assert find_relevant_rules_semantic([], "Bash", call) == []


@pytest.mark.usefixtures("without_model")
def test_req_sem_012_a_rule_without_an_id_that_is_given_twice_is_one() -> None:
    bare = {name: text for name, text in RULE.items() if name != "id"}
    other = bare | {"solution": "ask first"}
    found = find_relevant_rules_semantic(
        [bare, other, dict(bare), bare | {"id": ""}], "Bash", {"command": "git push --force"}
    )
    assert sorted(one["solution"] for one in found) == ["ask first", "lease"]


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
    monkeypatch.setattr("core.rules.matching.seed_api._semantic", lambda: tier)
    monkeypatch.setattr("core.rules.matching.seed_api._now", lambda: model.clock)
    rules = [RULE, *({"id": f"ERR-{at}", "title": f"Rule {at}"} for at in range(100, 160))]
    found = find_relevant_rules_semantic(rules, "Bash", {"command": "git push --force origin main"})
    assert model.lots == [8, 8], "the third lot would have begun after the deadline"
    assert "not embedded yet: 45" in tier.note
    assert found[0]["id"] == "ERR-001"
    find_relevant_rules_semantic(rules, "Bash", {"command": "git push --force origin main"})
    assert model.lots == [8, 8, 8, 8], "the next call goes on where it was"


class Picky(Slow):
    """A model that cannot read one text."""

    def embed(self, texts: Sequence[str], kind: str) -> list[tuple[bytes, ...]]:
        if any("cursed" in text for text in texts):
            raise Fault("invalid_input", "this text cannot be read")
        return super().embed(texts, kind)


def logged(folder: Path) -> str:
    return "".join(path.read_text("utf-8") for path in folder.rglob("casebook.log"))


def test_req_sem_006_a_text_that_cannot_be_embedded_costs_no_other_and_is_logged(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    model = Picky()
    tier = RememberedSemantic(VectorSearch(lambda: ModelAtHand(CATALOGUE[MINILM], lambda: model)))
    monkeypatch.setattr("core.rules.matching.seed_api._semantic", lambda: tier)
    rules = [RULE, {**RULE, "id": "ERR-002", "problem": "cursed"}, {**RULE, "id": "ERR-003", "problem": "x\ud800y"}]
    find_relevant_rules_semantic(rules, "Bash", {"command": "git push --force \ud800"})
    assert [text[:7] for text in tier.known] == ["ERR-001", "ERR-003"]
    assert "rules that could not be embedded: 1 (this text cannot be read)" in logged(tmp_path)


@pytest.mark.parametrize("error", [Fault("generic", "it broke"), RuntimeError("it broke"), MemoryError()])
def test_req_sem_006_a_model_that_fails_is_logged_and_keywords_answer(
    error: Exception, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))

    def broken(_: object, __: object, ___: str) -> None:
        raise error

    monkeypatch.setattr(Slow, "embed", broken)
    tier = RememberedSemantic(VectorSearch(lambda: ModelAtHand(CATALOGUE[MINILM], Slow)))
    monkeypatch.setattr("core.rules.matching.seed_api._semantic", lambda: tier)
    found = find_relevant_rules_semantic([RULE], "Bash", {"command": "git push --force origin main"})
    assert [one["id"] for one in found] == ["ERR-001"]
    assert '"level": "warning"' in logged(tmp_path)
    assert "keywords only" in logged(tmp_path)


def test_the_settings_say_which_model_the_librarys_own_function_asks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CASEBOOK_EMBEDDING_MODEL", "none")
    assert isinstance(_semantic().vectors.model(), NoVectors)
    monkeypatch.delenv("CASEBOOK_EMBEDDING_MODEL")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "casebook").mkdir()
    (tmp_path / "casebook" / "config.toml").write_text('[embedding]\nmodel = "none"\n', encoding="utf-8")
    reason = _semantic().vectors.model()
    assert isinstance(reason, NoVectors)
    assert "none" in reason.reason
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert find_relevant_rules_semantic([RULE], "Bash", {"command": "git push --force origin main"})
    assert logged(tmp_path) == "", "nothing failed"


@pytest.mark.usefixtures("without_model")
@pytest.mark.parametrize(
    "given", [None, "git push --force main", ["git push --force main"], {5: "git push --force main"}]
)
@pytest.mark.parametrize("name", ["Bash", 5, None, ""])
def test_the_librarys_own_function_takes_any_call(given: Any, name: Any) -> None:
    assert len(find_relevant_rules_semantic(iter([RULE, None, "x", {}]), name, given)) == (given is not None)  # pyright: ignore


@pytest.mark.usefixtures("without_model")
def _broken() -> Iterator[dict[str, str]]:
    yield {"id": "ERR-001"}
    raise RuntimeError


@pytest.mark.parametrize("rules", [5, object(), _broken(), True, 1.5])
def test_the_librarys_own_function_takes_any_rules(rules: Any) -> None:
    assert find_relevant_rules_semantic(rules, "Bash", {}) == []


def test_a_table_of_ones_own_that_is_wrong_is_done_without(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    (tmp_path / "casebook").mkdir()
    (tmp_path / "casebook" / "rules.toml").write_text("[error_patterns", encoding="utf-8")
    assert find_relevant_rules_semantic([RULE], "Bash", {"command": "git push --force origin main"})
    assert "rules.toml" in logged(tmp_path)


@pytest.mark.parametrize("name", ["a.c", "b.h", "c.v"])
def test_an_ending_of_one_letter_brings_no_rule(name: str) -> None:
    book = book_of(parse_text(f"### ERR-001: {RULE['title']}\n**Problem**: {RULE['problem']} v c h\n").rules)
    assert match(book, ToolCall("Write", {"file_path": name, "content": "int x;"}), None).rules == ()


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
