"""What is found for a question, and whether that is evidence enough to ask a model at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import apsw

from core.base.trace import Step, facts
from core.flows.ask.options import AskContext
from core.library.ask.answer import AnswerCitation
from core.library.ask.features import PassageFeatures, is_heading, nearest_by_words
from core.library.ask.gate import Gate, gate
from core.library.ask.prompt import Turn, speaks_to_model
from core.library.ask.question import Question, read_question
from core.library.search.api import SearchQuery, search
from core.library.search.fts import chunks_passing, documents_passing
from core.library.search.korean import analyse
from core.library.search.rows import Mode, Passage, Retrieval, SearchResponse, citation_of, is_stale, passages
from core.store import faults, now
from core.store.sql import number

CANDIDATES = 3
"""Passages that a refusal names."""
_EXCERPT = 240
"""Code points of a sentence that a refusal shows."""
_BACK, _SAYS = 3, 2
"""Earlier questions that one may go on from, back to one that has so many words of its own ("Why?" has none)."""
_LEAST, _LEAST_READ = 0.05, 0.01
"""Evidence of a candidate by words alone, and where a model read it: about as many are listed either way."""


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The passages for the model, best first, with the evidence of each; `returned`: hits of the search, `scores` by
    chunk id."""

    question: Question
    passages: tuple[Passage, ...]
    evidence: dict[int, float]
    gate: Gate
    mode: Mode
    returned: int
    scores: dict[str, Retrieval]
    index_version: str
    embedding_model: str | None
    steps: tuple[Step, ...]


def is_empty(asking: AskContext) -> bool:
    """Whether there is nothing to look in. Raises Fault as the store does."""
    with faults(asking.store.path):
        return number(asking.store.con, "SELECT count(*) FROM (SELECT 1 FROM chunks LIMIT 1)") == 0


def retrieve(asking: AskContext, history: Sequence[Turn]) -> Retrieved:
    """Search for the question; without enough evidence, together with the preceding question of the session.

    Raises Fault as `search`.
    """
    first = _retrieved(asking, asking.question)
    if first.gate.passed or not history:
        return first
    before = _before(history)
    second = _retrieved(asking, f"{before}\n{asking.question}")
    if not second.gate.passed:
        return first
    step = Step("follow-up", "hit", "continues the previous question", facts(question=before))
    return replace(second, steps=(*first.steps, step, *second.steps))


def _before(history: Sequence[Turn]) -> str:
    """Return the preceding question, with its own preceding one if it continues that."""
    questions: list[str] = []
    for turn in reversed(history[-_BACK:]):
        questions.append(turn.question)
        if len(read_question(turn.question).words) >= _SAYS:
            break
    return "\n".join(reversed(questions))


def retrieve_hits(asking: AskContext, text: str, k: int) -> SearchResponse:
    return search(
        asking.store,
        SearchQuery(text, asking.options.mode, k=k, filters=asking.options.filters, rerank=True),
        asking.vectors,
        analyse,
    )


def _retrieved(asking: AskContext, text: str) -> Retrieved:
    question = read_question(text, asking.glossary)
    response = retrieve_hits(asking, question.text, asking.options.k)
    con = asking.store.con
    with faults(asking.store.path):
        documents = documents_passing(con, asking.options.filters)
        weighed = gate(
            con,
            question,
            None if asking.options.mode == "lexical" else asking.vectors,
            documents,
            chunks_passing(con, documents),
            asking.options.score_gate,
            asking.glossary,
            asking.cancelled,
        )
        rows = by_chunk(con, [hit.chunk_id for hit in response.hits])
    evidence = {one.passage.id: one.evidence for one in weighed.best}
    # What carries the most evidence comes first; then the search's own order, which knows more of ranking.
    best = [one.passage for one in weighed.best[:2] if one.evidence >= asking.options.score_gate]
    ordered: dict[int, Passage] = {}
    for passage in (*best[:1], *rows, *best[1:]):
        ordered.setdefault(passage.id, passage)
    found = f"{len(response.hits)} passage{'' if len(response.hits) == 1 else 's'}"
    step = Step("retrieval", "hit" if response.hits else "miss", found, steps=response.trace)
    return Retrieved(
        question,
        tuple(ordered.values())[: asking.options.k],
        evidence,
        weighed,
        response.mode,
        len(response.hits),
        {hit.chunk_id: hit.retrieval for hit in response.hits},
        response.index_version,
        response.embedding_model,
        (step, weighed.step),
    )


def by_chunk(con: apsw.Connection, chunk_ids: Sequence[str]) -> list[Passage]:
    """Passages in the order of their chunk ids; what is gone since is left out."""
    import json

    rows = cast(
        "list[tuple[int, str]]",
        con.execute(
            "SELECT c.id, c.chunk_id FROM json_each(?) CROSS JOIN chunks c ON c.chunk_id = value",
            (json.dumps(list(chunk_ids)),),
        ).fetchall(),
    )
    ids = {chunk: item for item, chunk in rows}
    found = passages(con, list(ids.values()))
    return [found[ids[one]] for one in chunk_ids if one in ids and ids[one] in found]


def trust_of(asking: AskContext, found: Sequence[Passage]) -> dict[str, str]:
    """How far the documents of these passages are trusted."""
    import json

    rows = asking.store.con.execute(
        "SELECT doc_id, trust_level FROM json_each(?) CROSS JOIN documents d ON d.doc_id = value",
        (json.dumps(sorted({one.doc_id for one in found})),),
    ).fetchall()
    return dict(cast("list[tuple[str, str]]", rows))


def cited(retrieved: Retrieved, passage: Passage, number: int | None) -> AnswerCitation:
    """A passage as the answer names it."""
    found = retrieved.scores.get(passage.chunk_id)
    citation = citation_of(passage, stale=is_stale(passage.indexed_at, now()))
    section = passage.section_label or " > ".join(passage.heading_path) or passage.title
    return AnswerCitation(
        None if number is None else f"[{number}]",
        citation,
        section,
        round(retrieved.evidence.get(passage.id, 0.0), 4),
        found.lexical_score if found else None,
        found.vector_score if found else None,
        speaks_to_model=speaks_to_model("\n".join((passage.title or "", *passage.heading_path, passage.text))),
    )


def candidates(retrieved: Retrieved) -> tuple[AnswerCitation, ...]:
    """What came nearest, for a refusal, each with the sentence nearest to the question."""
    least = _LEAST if retrieved.gate.support is None else _LEAST_READ
    near = [one for one in retrieved.gate.best if one.evidence >= least][:CANDIDATES]
    return tuple(_with_excerpt(cited(retrieved, one.passage, None), one, retrieved.question) for one in near)


def _with_excerpt(made: AnswerCitation, one: PassageFeatures, question: Question) -> AnswerCitation:
    if made.speaks_to_model is not None:
        return made
    nearest = "" if is_heading(one.nearest, one.passage) else one.nearest
    excerpt = " ".join((nearest or nearest_by_words(question.words, one.passage)).split())
    return (
        replace(made, excerpt=excerpt if len(excerpt) <= _EXCERPT else f"{excerpt[: _EXCERPT - 1]}…")
        if excerpt
        else made
    )
