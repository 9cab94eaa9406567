"""Two programs on one casebook: a match never compares rows or vectors that the other one has replaced, and says what
still waits."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from pathlib import Path

import pytest

from core.base.trace import Step
from core.embedding.models.catalogue import CATALOGUE, MINILM
from core.embedding.runtime.embedder import Embedder, Kind, Vector
from core.embedding.runtime.query_model import ModelAtHand, VectorSearch
from core.flows.rules import matcher as matcher_module
from core.flows.rules.matcher import RuleMatcher
from core.rules.format.book import book_of
from core.rules.format.parse import parse
from core.rules.format.store import sync
from core.rules.matching.api import RuleMatch
from core.rules.matching.call import ToolCall
from core.rules.matching.semantic import ELSEWHERE, StoredSemantic, cache_state, read_tier
from core.store import Store, jobs, open_store
from tests.flows.rules.counting_embedder import RULES, Counting

PUSH = ToolCall("Bash", {"command": "git push --force origin main"})
EDITED = RULES.replace("each invoice", "every invoice")


class Asked(Counting):
    """Does something else while it reads a query, or rules."""

    meanwhile: Callable[[], object] | None = None
    at: Kind = "query"

    def embed(self, texts: Sequence[str], kind: Kind) -> list[tuple[Vector, ...]]:
        if kind == self.at and self.meanwhile is not None:
            act, self.meanwhile = self.meanwhile, None
            act()
        if any("unreadable" in text for text in texts):
            raise ValueError("no such word")
        return super().embed(texts, kind)


@pytest.fixture
def model(minilm: Embedder) -> Asked:
    return Asked(minilm)


@pytest.fixture(params=[True, False], ids=["in memory", "by the index"])
def matcher(tmp_path: Path, model: Asked, request: pytest.FixtureRequest) -> Generator[RuleMatcher]:
    (tmp_path / "memory.md").write_text(RULES, encoding="utf-8")
    with _matcher(tmp_path, model, in_memory=bool(request.param)) as made:
        yield made


def _matcher(folder: Path, model: Counting, *, in_memory: bool = True) -> RuleMatcher:
    file = (folder / "memory.md", "project")
    return RuleMatcher([file], folder / "casebook.db", _search(model), deadline_s=30.0, in_memory=in_memory)  # pyright: ignore[reportArgumentType]


def _search(model: Counting) -> VectorSearch:
    return VectorSearch(lambda: ModelAtHand(CATALOGUE[MINILM], lambda: model))


@pytest.fixture
def other(tmp_path: Path) -> Generator[Store]:
    """Another program's connection."""
    with open_store(tmp_path / "casebook.db", write=True, create=True) as store:
        yield store


def _step(found: RuleMatch) -> Step:
    return next(step for step in found.trace if step.stage == "semantic")


def _similar(found: RuleMatch) -> dict[str, bool]:
    return {one.id: one.similarity is not None for one in (*found.rules, *found.below)}


def _replace_rows(tmp_path: Path, other: Store, model: Counting) -> None:
    """As a program does that lost the rows, or never had them: the same file comes under other row ids."""
    with other.transaction() as con:
        con.execute("DELETE FROM rule")
        con.execute("DELETE FROM rule_file")
    with _matcher(tmp_path, model) as theirs:
        theirs.match(PUSH)


def test_rows_that_another_program_replaced_are_found_anew(
    tmp_path: Path, matcher: RuleMatcher, model: Asked, other: Store
) -> None:
    before = matcher.match(PUSH)
    assert all(_similar(before).values())
    _replace_rows(tmp_path, other, Counting(model.inner))
    model.documents.clear()
    after = matcher.match(PUSH)
    assert _step(after).fact("compared") == 2
    assert [one.relevance_score for one in after.rules] == [one.relevance_score for one in before.rules]
    assert model.documents == [], "their vectors are ours"


def test_rows_that_another_program_replaces_during_a_match_are_compared_all_the_same(
    tmp_path: Path, matcher: RuleMatcher, model: Asked, other: Store
) -> None:
    matcher.match(PUSH)
    model.meanwhile = lambda: _replace_rows(tmp_path, other, Counting(model.inner))
    assert _step(matcher.match(PUSH)).fact("compared") == 2
    assert model.meanwhile is None


def test_an_older_vector_is_not_compared_while_another_program_embeds(
    tmp_path: Path, matcher: RuleMatcher, model: Asked, other: Store
) -> None:
    assert not _step(matcher.match(PUSH)).fact("waiting")
    job = jobs.begin(other, "embed")
    assert job is not None
    (tmp_path / "memory.md").write_text(EDITED, encoding="utf-8")
    model.documents.clear()
    found = matcher.match(PUSH)
    step = _step(found)
    assert (step.outcome, step.fact("waiting"), step.fact("older_vectors"), step.fact(ELSEWHERE)) == ("hit", 1, 1, True)
    assert (
        "another process is embedding; 1 of 2 rules has no up-to-date vector; 1 of them has an outdated vector"
        in step.reason
    )
    assert step.fact("compared") == 1
    assert _similar(found).get("ERR-001") is True
    assert not _similar(found).get("ERR-002")
    jobs.finish(other, job)
    step = _step(matcher.match(PUSH))
    assert (step.fact("compared"), step.fact("waiting"), step.fact(ELSEWHERE)) == (2, None, None)
    assert [text[:7] for text in model.documents] == ["ERR-002"]


def test_what_the_other_program_embedded_is_not_embedded_again(
    tmp_path: Path, matcher: RuleMatcher, model: Asked, other: Store
) -> None:
    matcher.match(PUSH)
    job = jobs.begin(other, "embed")
    assert job is not None
    (tmp_path / "memory.md").write_text(EDITED, encoding="utf-8")
    assert _step(matcher.match(PUSH)).fact(ELSEWHERE)
    jobs.finish(other, job)
    with _matcher(tmp_path, Counting(model.inner)) as theirs:
        theirs.match(PUSH)
    model.documents.clear()
    assert _step(matcher.match(PUSH)).fact("compared") == 2
    assert model.documents == []


def test_with_no_vector_at_all_keywords_answer_at_once_and_it_is_logged_once(
    matcher: RuleMatcher, other: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.sleep", lambda _: pytest.fail("it waits"))
    logged = list[str]()
    matcher.log = logged.append
    job = jobs.begin(other, "embed")
    assert job is not None
    for _ in range(2):
        found = matcher.match(PUSH)
    step = _step(found)
    assert (step.outcome, step.fact(ELSEWHERE), step.fact("waiting")) == ("timeout", True, 2)
    assert found.fallback_used
    assert [one.id for one in found.rules] == ["ERR-001"]
    assert len(logged) == 1
    jobs.finish(other, job)
    assert not matcher.match(PUSH).fallback_used


def test_another_run_is_no_matter_where_every_rule_has_its_vector(
    tmp_path: Path, matcher: RuleMatcher, model: Asked, other: Store
) -> None:
    with _matcher(tmp_path, model) as theirs:
        theirs.match(PUSH)
    assert jobs.begin(other, "embed") is not None
    with other.transaction() as con:  # a rule of another file waits
        con.execute("INSERT INTO rule(path, rule_id, title, body, content_hash) VALUES ('/x.md', 'A', '', '{}', '')")
    step = _step(matcher.match(PUSH))
    assert (step.fact("compared"), step.fact(ELSEWHERE), "program" in step.reason) == (2, None, False)


def test_a_run_that_another_program_stops_is_told(matcher: RuleMatcher, model: Asked, other: Store) -> None:
    def stop() -> None:
        job = jobs.running(other, "embed")
        assert job is not None
        jobs.cancel(other, job.id)

    model.meanwhile, model.at = stop, "document"
    step = _step(matcher.match(PUSH))
    assert step.outcome == "failed"
    assert step.reason.startswith("embedding was stopped. Run: casebook rules refresh; 2 of 2 rules have")
    assert _step(matcher.match(PUSH)).fact("compared") == 2


def test_a_rule_that_could_not_be_embedded_is_told_and_does_not_wait(
    tmp_path: Path, matcher: RuleMatcher, model: Asked
) -> None:
    (tmp_path / "memory.md").write_text(RULES + "### ERR-003: unreadable\n", encoding="utf-8")
    for _ in range(2):
        step = _step(matcher.match(PUSH))
        assert (step.fact("compared"), step.fact("not_embedded"), step.fact("waiting")) == (2, 1, None)
        assert "1 rule could not be embedded" in step.reason


def test_rows_are_looked_at_again_only_after_another_program_wrote(
    matcher: RuleMatcher, other: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked, look = list[int](), matcher_module.read_vectors
    monkeypatch.setattr(matcher_module, "read_vectors", lambda *given: looked.append(1) or look(*given))
    for _ in range(3):
        matcher.match(PUSH)
    assert len(looked) == 1
    with other.transaction() as con:
        con.execute("INSERT INTO meta(key, value) VALUES ('x', '')")
    for _ in range(3):
        matcher.match(PUSH)
    assert len(looked) == 2


def test_who_only_reads_leaves_an_older_vector_out_too(tmp_path: Path, matcher: RuleMatcher, other: Store) -> None:
    matcher.match(PUSH)
    (tmp_path / "memory.md").write_text(EDITED, encoding="utf-8")
    file = parse(tmp_path / "memory.md")
    sync(other, [file])
    assert matcher.vectors is not None
    tier, waiting = read_tier(other.con, book_of(file.rules), matcher.vectors)
    assert waiting
    assert isinstance(tier, StoredSemantic)
    assert (list(tier.items), tier.lack.older) == ([0], 1)
    first, second = (cache_state(other, rule).vectors[0] for rule in file.rules)
    assert (first.older, second.older) == (False, True)
