"""A question that needs several searches: broken up, searched, judged enough or not, at most three times over.

Source: kebab-frozen-design 3.8 (decompose at most 5, decide with a forced stop at depth 3, synthesize). The gate was
asked of the original question before: parts of it must not find what the whole of it does not.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final, cast

from core.base.fault import Fault
from core.base.trace import Step, facts
from core.flows.ask.generate import Generated, budget, generate
from core.flows.ask.options import Asking
from core.flows.ask.retrieve import by_chunk, found_for, trust_of
from core.library.ask.answer import HopRecord, Refusal
from core.library.ask.gate.question import read_question
from core.library.ask.prompt import MULTI_HOP, Packed, Turn, pack, template, tokens
from core.library.search.rows import Passage
from core.store import faults
from core.text import redact

MOST_QUERIES: Final = 5
DEPTH: Final = 3
POOL: Final = 15
"""Passages that are gathered, those of all searches in turn: each search's best before any second best."""
_QUERY: Final = 400  # code points


@dataclass(frozen=True, slots=True)
class Hops:
    """What was gathered, or why it could not be; every step as a record and in the trace. The tokens are those of
    all its steps, as the server counted them, else as they are counted here."""

    passages: tuple[Passage, ...]
    records: tuple[HopRecord, ...]
    refusal: Refusal | None
    steps: tuple[Step, ...]
    prompt_tokens: int
    completion_tokens: int


class _Gathering:
    """What every search found, and what was done for it."""

    def __init__(self, asking: Asking, first: Sequence[Passage], turns: Sequence[Turn]) -> None:
        self.asking = asking
        self.turns = turns
        self.found: list[Sequence[Passage]] = [first]
        self.records: list[HopRecord] = []
        self.steps: list[Step] = []
        self.prompt_tokens = 0
        self.completion_tokens = 0

    def note(self, record: HopRecord, step: Step) -> None:
        self.records.append(record)
        self.steps.append(step)
        self.asking.hop(record)

    def done(self, refusal: Refusal | None = None) -> Hops:
        return Hops(
            self.pool(), tuple(self.records), refusal, tuple(self.steps), self.prompt_tokens, self.completion_tokens
        )

    def pool(self) -> tuple[Passage, ...]:
        """The best of every search, then the second best, as many as may be: the whole question's first, then those of
        the last searches, which were asked for when the rest was known."""
        ranks = zip_longest(self.found[0], *reversed(self.found[1:]))
        once = {one.id: one for rank in ranks for one in rank if one is not None}
        return tuple(once.values())[:POOL]

    def search(self, queries: Sequence[str]) -> int:
        """Look for each; returns how many passages are new."""
        before = {one.id for one in self.pool()}
        for query in queries:
            said = read_question(query).text
            hits = found_for(self.asking, said, self.asking.options.k).hits
            with faults(self.asking.store.path):
                self.found.append(by_chunk(self.asking.store.con, [one.chunk_id for one in hits]))
        return len({one.id for one in self.pool()} - before)


def gather(asking: Asking, first: Sequence[Passage], turns: Sequence[Turn]) -> Hops:
    """Break the question up and gather what its parts find. `turns`: the session so far, oldest first.

    Raises Fault where no model can be reached at all.
    """
    got = _Gathering(asking, first, turns)
    asked = pack(template(f"{MULTI_HOP}.decompose"), asking.question, (), {}, turns, budget(asking))
    said, queries = _asked(got, asked)
    if said is not None and said.broken and asking.cancelled():
        return got.done("llm_stream_aborted")
    added = got.search(queries) if queries else 0
    took = int(said.ms) if said else 0
    reason = f"{len(queries)} searches" if queries else "no searches could be read"
    got.note(
        HopRecord("decompose", 0, queries, added, took, False),
        Step("decompose", "hit" if queries else "rejected", reason, facts(added=added), elapsed_ms=float(took)),
    )
    if not queries:
        return got.done("multi_hop_decompose_failed")
    for depth in range(1, DEPTH + 1):
        if depth == DEPTH:
            forced = Step("decide", "skipped", "the depth allows no further search")
            got.note(HopRecord("decide", depth, (), 0, 0, True), forced)
            break
        if asking.cancelled():
            return got.done("llm_stream_aborted")
        if not _decide(got, depth):
            break
    if asking.cancelled():
        return got.done("llm_stream_aborted")
    return got.done()


def _decide(got: _Gathering, depth: int) -> bool:
    """Whether it goes on: what the model says is missing is searched. What cannot be read is enough."""
    asking, rows = got.asking, got.pool()
    with faults(asking.store.path):
        trust = trust_of(asking, rows)
    packed = pack(template(f"{MULTI_HOP}.decide"), asking.question, rows, trust, got.turns, budget(asking))
    said, queries = _asked(got, packed)
    added = got.search(queries) if queries else 0
    took = int(said.ms) if said else 0
    reason = f"{len(queries)} further searches" if queries else "it is enough"
    got.note(
        HopRecord("decide", depth, queries, added, took, False),
        Step("decide", "miss" if queries else "hit", reason, facts(added=added), elapsed_ms=float(took)),
    )
    return added > 0


def _asked(got: _Gathering, packed: Packed) -> tuple[Generated | None, tuple[str, ...]]:
    """The model's queries; none where it names none, takes too long or says what cannot be read."""
    try:
        said = generate(got.asking, packed.messages, as_json=True, tell=False)
    except Fault as fault:
        if fault.code in ("timeout", "io_error"):
            return None, ()
        raise
    read, wrote = said.usage.prompt_tokens, said.usage.completion_tokens
    got.prompt_tokens += packed.tokens if read is None else read
    got.completion_tokens += tokens(said.text) if wrote is None else wrote
    return said, () if said.broken else queries_in(said.text)


def queries_in(text: str) -> tuple[str, ...]:
    """The queries of a model's JSON, at most five, also where words stand around it."""
    start, end = text.find("{"), text.rfind("}")
    try:
        value: object = json.loads(text[start : end + 1]) if 0 <= start < end else None
    except (ValueError, RecursionError):
        return ()
    if not isinstance(value, dict):
        return ()
    found: object = cast("dict[str, object]", value).get("queries")
    if not isinstance(found, list) or cast("dict[str, object]", value).get("kind") == "stop":
        return ()
    texts = [" ".join(one.split())[:_QUERY] for one in cast("list[object]", found) if isinstance(one, str)]
    return tuple(dict.fromkeys(redact(one) for one in texts if one))[:MOST_QUERIES]
