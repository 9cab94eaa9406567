"""Rules with their files, the casebook and a model: what is kept, what is embedded, and what happens when it fails."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from core.base.fault import Fault
from core.embedding.models.catalogue import CATALOGUE, MINILM
from core.embedding.runtime.embedder import Embedder
from core.embedding.runtime.query_model import ModelAtHand, VectorSearch
from core.flows.rules.matcher import DEADLINE_S, RuleMatcher
from core.rules.evaluation.labels import read_labelled
from core.rules.format.book import Book, book_of
from core.rules.format.store import count_use, usage
from core.rules.matching.call import ToolCall
from core.rules.matching.seed_api import find_relevant_rules_semantic
from core.rules.matching.semantic import NoSemantic
from core.store import open_store
from tests.flows.rules.counting_embedder import RULES, Counting

DATA = Path(__file__).parents[2] / "data" / "rules"
PUSH = ToolCall("Bash", {"command": "git push --force origin main"})


def _matcher(tmp_path: Path, model: Counting, **more: object) -> RuleMatcher:
    file = tmp_path / "memory.md"
    if not file.exists():
        file.write_text(RULES, encoding="utf-8")
    vectors = VectorSearch(lambda: ModelAtHand(CATALOGUE[MINILM], lambda: model))
    return RuleMatcher([(file, "project")], tmp_path / "casebook.db", vectors, **more)  # pyright: ignore[reportArgumentType]


def test_req_sem_001_and_007_vectors_are_kept_for_the_next_process(tmp_path: Path, minilm: Embedder) -> None:
    model = Counting(minilm)
    for _ in range(2):
        with _matcher(tmp_path, model) as matcher:
            found = matcher.match(PUSH)
            assert not found.fallback_used
            assert found.rules[0].id == "ERR-001"
    assert len(model.documents) == 2


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such a name")
def test_rules_of_a_file_with_an_odd_name_are_kept(tmp_path: Path, minilm: Embedder) -> None:
    model = Counting(minilm)
    folder = tmp_path / "a\udcff"
    folder.mkdir()
    with _matcher(folder, model) as matcher:
        matcher.database = tmp_path / "casebook.db"
        assert matcher.match(PUSH).rules[0].match_type != "keyword"
        model.documents.clear()
        matcher.refresh()
        assert matcher.match(PUSH).rules[0].id == "ERR-001"
    assert model.documents == []


def test_req_sem_005_one_edit_embeds_one_rule(tmp_path: Path, minilm: Embedder) -> None:
    model = Counting(minilm)
    with _matcher(tmp_path, model) as matcher:
        matcher.match(PUSH)
        model.documents.clear()
        more = "### ERR-003: New\n**Problem**: a new thing\n"
        (tmp_path / "memory.md").write_text(more + RULES.replace("each invoice", "every invoice"), encoding="utf-8")
        matcher.match(PUSH)
        assert sorted(text[:7] for text in model.documents) == ["ERR-002", "ERR-003"]
        model.documents.clear()
        (tmp_path / "memory.md").write_text(RULES + "**Date**: 2026-01-31\n", encoding="utf-8")
        matcher.match(PUSH)
        assert [text[:7] for text in model.documents] == ["ERR-002"]


def test_the_trace_says_which_model_what_of_and_how_old_the_cache_is(tmp_path: Path, minilm: Embedder) -> None:
    with _matcher(tmp_path, Counting(minilm)) as matcher:
        step = next(step for step in matcher.match(PUSH).trace if step.stage == "semantic")
    assert step.fact("model") == f"{minilm.id}@{minilm.version}"
    assert len(str(step.fact("hash"))) == 12
    age = step.fact("cache_age_s")
    assert isinstance(age, int)
    assert 0 <= age < 24 * 3600


def test_the_trace_says_what_the_model_read_where_that_is_not_the_query(tmp_path: Path, minilm: Embedder) -> None:
    korean = ToolCall("Task", {"description": "테스트 데이터 만들기"})
    with _matcher(tmp_path, Counting(minilm)) as matcher:
        plain, told = (
            next(step for step in matcher.match(call).trace if step.stage == "semantic") for call in (PUSH, korean)
        )
    assert plain.fact("read") is None
    assert str(told.fact("read")).startswith("Task: test data")


def test_vectors_of_another_model_are_never_compared(tmp_path: Path, minilm: Embedder) -> None:
    with _matcher(tmp_path, Counting(minilm)) as matcher:
        matcher.match(PUSH)
    other = Counting(minilm)
    other.version = "another"
    model = CATALOGUE[MINILM]._replace(version="another")
    vectors = VectorSearch(lambda: ModelAtHand(model, lambda: other))
    with RuleMatcher([(tmp_path / "memory.md", "project")], tmp_path / "casebook.db", vectors) as matcher:
        assert not matcher.match(PUSH).fallback_used
    assert len(other.documents) == 2


def test_an_edit_of_one_rule_among_many_embeds_one_and_refresh_all_embeds_all(tmp_path: Path, minilm: Embedder) -> None:
    model = Counting(minilm)
    with _matcher(tmp_path, model) as matcher:
        matcher.refresh()
        assert len(model.documents) == 2
        matcher.refresh()
        assert len(model.documents) == 2
        matcher.refresh(all_of_them=True)
        assert len(model.documents) == 4
        assert not matcher.match(PUSH).fallback_used


def test_refresh_all_embeds_the_rules_of_these_files_and_drops_those_of_files_that_are_gone(
    tmp_path: Path, minilm: Embedder
) -> None:
    other = tmp_path / "other.md"
    other.write_text("### ERR-100: Other\n**Problem**: of another file\n**Solution**: none\n", encoding="utf-8")
    model = Counting(minilm)
    vectors = VectorSearch(lambda: ModelAtHand(CATALOGUE[MINILM], lambda: model))
    with RuleMatcher([(other, "project")], tmp_path / "casebook.db", vectors) as matcher:
        matcher.refresh()
    with _matcher(tmp_path, model) as matcher:
        matcher.refresh()
        model.documents.clear()
        matcher.refresh(all_of_them=True)
        assert len(model.documents) == 2, "the other file's rule keeps its vector"
        other.unlink()
        matcher.refresh()
    with open_store(tmp_path / "casebook.db") as store:
        assert store.con.execute("SELECT DISTINCT path FROM rule").fetchall() == [(str(tmp_path / "memory.md"),)]
        assert store.con.execute("SELECT count(*) FROM vector").fetchone() == (2,)


def test_rules_in_another_order_keep_their_own_vectors(tmp_path: Path, minilm: Embedder) -> None:
    model = Counting(minilm)
    first, second = RULES.split("### ERR-002")
    with _matcher(tmp_path, model) as matcher:
        before = _similarities(matcher)
        model.documents.clear()
        (tmp_path / "memory.md").write_text(f"### ERR-002{second}{first}", encoding="utf-8")
        after = _similarities(matcher)
    assert before == after
    assert model.documents == []


def _similarities(matcher: RuleMatcher) -> dict[str, float | None]:
    found = matcher.match(PUSH)
    return {one.id: one.similarity for one in (*found.rules, *found.below)}


def test_req_sem_007_a_day_is_the_longest_a_file_is_taken_for_what_it_was(tmp_path: Path, minilm: Embedder) -> None:
    now = [time.time()]
    file = tmp_path / "memory.md"
    with _matcher(tmp_path, Counting(minilm), clock=lambda: now[0]) as matcher:
        matcher.match(PUSH)
        info = file.stat()
        file.write_text(RULES.replace("Slow report", "Calm report"), encoding="utf-8")
        os.utime(file, ns=(info.st_atime_ns, info.st_mtime_ns))
        assert matcher.rules().rules[1].title == "Slow report"
        now[0] += 24 * 3600 + 1
        assert matcher.rules().rules[1].title == "Calm report"
        now[0] -= 48 * 3600  # a reading in the future does not count
        file.write_text(RULES.replace("Slow report", "Fast report"), encoding="utf-8")
        os.utime(file, ns=(info.st_atime_ns, info.st_mtime_ns))
        assert matcher.rules().rules[1].title == "Fast report"


def test_req_sem_006_a_failed_embedding_falls_back_and_is_logged(tmp_path: Path, minilm: Embedder) -> None:
    model, told = Counting(minilm), list[str]()
    model.fail = Fault("model_unreachable", "the weights are gone")
    with _matcher(tmp_path, model, log=told.append) as matcher:
        found = matcher.match(PUSH)
    assert [one.id for one in found.rules] == ["ERR-001"]
    assert found.fallback_used
    assert any("the weights are gone" in line for line in told)


def test_req_sem_010_a_model_that_does_not_come_costs_its_deadline(tmp_path: Path, minilm: Embedder) -> None:
    file = tmp_path / "memory.md"
    file.write_text(RULES, encoding="utf-8")
    never = threading.Event()

    def opened() -> Embedder:
        never.wait(120)
        return Counting(minilm)

    slow = VectorSearch(lambda: ModelAtHand(CATALOGUE[MINILM], opened))
    matcher = RuleMatcher([(file, "project")], tmp_path / "casebook.db", slow, deadline_s=0.2)
    start = time.monotonic()
    found = matcher.match(PUSH)
    assert time.monotonic() - start < 60
    never.set()
    assert found.fallback_used
    assert next(step for step in found.trace if step.stage == "semantic").outcome == "timeout"


def test_req_sem_010_the_time_that_reading_the_rules_takes_is_of_the_deadline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, waits = [0.0], list[float]()

    def read(*given: Any) -> Book:
        clock[0] += 3.0
        return book_of(*given)

    def asked(_matcher: RuleMatcher, _book: Book, wait_s: float) -> NoSemantic:
        waits.append(wait_s)
        return NoSemantic("skipped", "nobody asks")

    monkeypatch.setattr("core.flows.rules.matcher.time", SimpleNamespace(monotonic=lambda: clock[0]))
    monkeypatch.setattr("core.flows.rules.matcher.book_of", read)
    monkeypatch.setattr(RuleMatcher, "_semantic", asked)
    (tmp_path / "memory.md").write_text(RULES, encoding="utf-8")
    matcher = RuleMatcher([(tmp_path / "memory.md", "project")], tmp_path / "casebook.db", None)
    matcher.match(PUSH)
    matcher.match(PUSH)
    assert waits == [DEADLINE_S - 3.0, DEADLINE_S]


def test_without_a_model_nothing_is_written(tmp_path: Path) -> None:
    file = tmp_path / "memory.md"
    file.write_text(RULES, encoding="utf-8")
    with RuleMatcher([(file, "project")], tmp_path / "casebook.db") as matcher:
        assert matcher.match(PUSH).rules
    assert not (tmp_path / "casebook.db").exists()


def test_req_sem_014_rules_that_say_the_same_are_grouped(tmp_path: Path, minilm: Embedder) -> None:
    again = RULES.replace("ERR-001", "ERR-003").split("### ERR-002")[0].replace("removed commits", "took the commits")
    (tmp_path / "memory.md").write_text(RULES + again, encoding="utf-8")
    with _matcher(tmp_path, Counting(minilm)) as matcher:
        (found,) = matcher.clusters().clusters
    assert found.kind == "duplicate"
    assert [rule.id for rule in found.rules] == ["ERR-001", "ERR-003"]


def test_req_sem_015_both_ways_are_compared_on_the_half_not_tuned_on(tmp_path: Path, minilm: Embedder) -> None:
    calls = read_labelled(DATA / "calls.jsonl")
    (tmp_path / "memory.md").write_text((DATA / "memory.md").read_text(encoding="utf-8"), encoding="utf-8")
    with _matcher(tmp_path, Counting(minilm)) as matcher:
        compared = matcher.compare(calls, "report")
    found = {one.name: one for one in compared.systems}
    plain, ours, words = found["bm25"], found["hybrid"], found["keyword"]
    right = {name: round(one.hit_at_1.value * one.hit_at_1.of + one.quiet.value * one.quiet.of)
             for name, one in found.items()}  # fmt: skip
    for name, other in (("hybrid", "bm25"), ("hybrid", "keyword"), ("keyword", "semantic")):
        turns = sum(one.between(name, other) for one in compared.differences)
        assert turns == right[name] - right[other], "every call on which two ways differ is named"
    assert all(one.semantic is not None and 0 < len(one.right) < 4 for one in compared.differences)
    for one in (ours, words):
        assert one.hit_at_1.value >= plain.hit_at_1.value + 0.08
        assert one.recall_at_5.value >= plain.recall_at_5.value
        assert one.shown <= 3
        assert one.quiet.value >= 0.8


def test_uses_are_counted_each(tmp_path: Path) -> None:
    with open_store(tmp_path / "casebook.db", create=True) as store:
        count_use(store, [("m.md", "ERR-001")], "shown")
        count_use(store, [("m.md", "ERR-001")], "shown")
        count_use(store, [("m.md", "ERR-001")], "helped")
        one = usage(store)["m.md", "ERR-001"]
    assert (one.shown, one.helped, one.dismissed) == (2, 1, 0)


def test_the_seeds_function_sets_relevance_scores(
    minilm_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "casebook").mkdir()
    minilm_folder.parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / "casebook" / "models").symlink_to(minilm_folder.parent)  # where it looks for a model by itself
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    rules = [
        {"id": "ERR-001", "title": "Force push", "problem": "git push --force removed commits", "solution": "lease"},
        {"id": "ERR-002", "title": "Slow report", "problem": "each invoice is read alone", "solution": "one query"},
    ]
    found = find_relevant_rules_semantic(rules, "Bash", {"command": "git push --force origin main"})
    assert [rule["id"] for rule in found] == ["ERR-001"]
    assert 0 < found[0]["relevance_score"] <= 1
    assert "relevance_score" not in rules[0]
