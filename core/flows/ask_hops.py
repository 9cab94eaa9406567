"""A question that needs several searches: broken up, searched, judged enough or not, at most three times over.

Source: kebab-frozen-design 3.8 (decompose at most 5, decide with a forced stop at depth 3, synthesize). The gate was
asked of the original question before: parts of it must not find what the whole of it does not.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, cast

from core.fault import Fault
from core.flows.ask_generate import Generated, budget, generate
from core.flows.ask_options import Asking
from core.flows.ask_retrieve import by_chunk, found_for, trust_of
from core.library.ask_answer import HopRecord, Refusal
from core.library.ask_pack import pack
from core.library.ask_prompt import MULTI_HOP, question_message, template
from core.library.ask_question import read_question
from core.library.search_rows import Passage
from core.llm.language_model import Message
from core.store import faults
from core.text import redact
from core.trace import Step, facts

MOST_QUERIES: Final = 5
DEPTH: Final = 3
POOL: Final = 15
"""Passages that are gathered."""
_QUERY: Final = 400  # code points


@dataclass(frozen=True, slots=True)
class Hops:
    """What was gathered, or why it could not be; every step as a record and in the trace."""

    passages: tuple[Passage, ...]
    records: tuple[HopRecord, ...]
    refusal: Refusal | None
    steps: tuple[Step, ...]


class _Gathering:
    """The passages so far, and what was done for them."""

    def __init__(self, asking: Asking, first: Sequence[Passage]) -> None:
        self.asking = asking
        self.pool = {one.id: one for one in first}
        self.records: list[HopRecord] = []
        self.steps: list[Step] = []

    def note(self, record: HopRecord, step: Step) -> None:
        self.records.append(record)
        self.steps.append(step)
        self.asking.hop(record)

    def done(self, refusal: Refusal | None = None) -> Hops:
        return Hops(tuple(self.pool.values())[:POOL], tuple(self.records), refusal, tuple(self.steps))

    def search(self, queries: Sequence[str]) -> int:
        """Look for each; returns how many passages are new."""
        before = len(self.pool)
        for query in queries:
            if len(self.pool) >= POOL:
                break
            said = read_question(query).text
            hits = found_for(self.asking, said, self.asking.options.k).hits
            with faults(self.asking.store.path):
                rows = by_chunk(self.asking.store.con, [one.chunk_id for one in hits])
            for row in rows[: max(1, (POOL - before) // len(queries))]:
                self.pool.setdefault(row.id, row)
        return len(self.pool) - before


def gather(asking: Asking, first: Sequence[Passage]) -> Hops:
    """Break the question up and gather what its parts find. Raises Fault where no model can be reached at all."""
    got = _Gathering(asking, list(first)[: POOL // 3])
    said, queries = _asked(asking, (Message("system", template(f"{MULTI_HOP}.decompose")),
                                    question_message(asking.question, ())))  # fmt: skip
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
        forced = depth == DEPTH
        if forced or len(got.pool) >= POOL:
            reason = "the depth allows no further search" if forced else "as many passages as may be"
            got.note(HopRecord("decide", depth, (), 0, 0, True), Step("decide", "skipped", reason))
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
    asking, rows = got.asking, tuple(got.pool.values())
    with faults(asking.store.path):
        trust = trust_of(asking, rows)
    packed = pack(template(f"{MULTI_HOP}.decide"), asking.question, rows, trust, (), budget(asking))
    said, queries = _asked(asking, packed.messages)
    added = got.search(queries) if queries else 0
    took = int(said.ms) if said else 0
    reason = f"{len(queries)} further searches" if queries else "it is enough"
    got.note(
        HopRecord("decide", depth, queries, added, took, False),
        Step("decide", "miss" if queries else "hit", reason, facts(added=added), elapsed_ms=float(took)),
    )
    return added > 0


def _asked(asking: Asking, messages: Sequence[Message]) -> tuple[Generated | None, tuple[str, ...]]:
    """The model's queries; none where it names none, takes too long or says what cannot be read."""
    try:
        said = generate(asking, messages, as_json=True, tell=False)
    except Fault as fault:
        if fault.code in ("timeout", "io_error"):
            return None, ()
        raise
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
