"""A grounded answer with its sources, or an honest refusal: search, gate, model, and a check of every citation.

Source: kebab-frozen-design 1.1 to 1.4, 2.3, 3.8; issue 9.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from core.base.fault import Fault
from core.base.trace import Step, Stopwatch, facts
from core.flows.ask.draft_file import Unfinished, take_up, written_down
from core.flows.ask.generate import budget, gather, generate
from core.flows.ask.options import AskContext, AskOptions, ask_options, checked, load_glossary
from core.flows.ask.retrieve import Retrieved, candidates, cited, is_empty, retrieve, trust_of
from core.flows.ask.verify import settle
from core.library.ask.answer import (
    REFUSALS,
    Answer,
    AnswerCitation,
    AnswerEvent,
    AnswerRetrieval,
    HopRecord,
    Refusal,
    TokenUsage,
)
from core.library.ask.prompt import MULTI_HOP, Cause, Packed, Turn, pack, refusal_text, template
from core.library.ask.store import history, keep, with_files
from core.library.search.fts import index_version
from core.library.search.rows import Passage
from core.llm.language_model import ModelRef
from core.store import Store, faults, now, open_store
from core.text import estimate_tokens, redact

if TYPE_CHECKING:
    from core.embedding.runtime.query_model import VectorSearch
    from core.llm.language_model import LanguageModel, Usage

__all__ = ["AskOptions", "ask", "ask_library", "ask_options"]


def _ignore(_: AnswerEvent) -> None:
    pass


def ask_library(
    database: Path,
    question: str,
    options: AskOptions,
    model: LanguageModel,
    vectors: VectorSearch | None,
    *,
    on_event: Callable[[AnswerEvent], None] = _ignore,
    cancelled: Callable[[], bool] = lambda: False,
) -> Answer:
    """As `ask`, of the casebook at `database`; without one the answer is a refusal `no_index`, and none is made."""
    checked(question, options)
    try:
        store = open_store(database, write=options.keep)
    except Fault as fault:
        if fault.code != "not_indexed":
            raise
        found = _Retrieved(redact(question), options, model)
        answer = found.refused("no_index", Step("store", "miss", "no casebook found"))
        on_event(AnswerEvent("final", now(), answer=answer))
        return answer
    with store:
        return ask(store, question, options, model, vectors, on_event=on_event, cancelled=cancelled)


def ask(
    store: Store,
    question: str,
    options: AskOptions,
    model: LanguageModel,
    vectors: VectorSearch | None,
    *,
    on_event: Callable[[AnswerEvent], None] = _ignore,
    cancelled: Callable[[], bool] = lambda: False,
) -> Answer:
    """Answer a question from the library, and keep the answer. A refusal is an answer like any other.

    Nothing is locked while the model speaks; `cancelled` is asked between its tokens and while it is silent, and what
    had come by then is kept (`llm_stream_aborted`); where this process is killed, by the next question. Raises Fault
    invalid_input, what `search` and the store raise, and what the model raises before its first token.
    """
    checked(question, options)
    place = store.path if options.keep and store.write else None
    if place is not None:
        take_up(place)
    with written_down(place) as unfinished:
        asking = AskContext(
            store, redact(question), options, model, vectors, on_event, cancelled, load_glossary(), unfinished
        )
        answer, packed = _answered(asking)
        with faults(store.path):
            (answer,) = with_files(store.con, [answer])
        if options.keep:
            unfinished.save(answer, packed, whole=True)
            answer = _store_answer(store, answer, packed, unfinished)
        on_event(AnswerEvent("final", now(), answer=answer))  # where nobody hears it, it is told another time
    return answer


def _answered(asking: AskContext) -> tuple[Answer, tuple[str, ...]]:
    found = _Retrieved(asking.question, asking.options, asking.model)
    asking.unfinished.save(found.refused("llm_stream_aborted"), ())
    if is_empty(asking):
        return found.refused("no_index", Step("store", "miss", "the library is empty")), ()
    turns: tuple[Turn, ...] = ()
    if asking.options.session is not None:
        with faults(asking.store.path):
            turns = history(asking.store.con, asking.options.session)
    retrieved = retrieve(asking, turns)
    found = replace(found, retrieved=retrieved, steps=retrieved.steps)
    if not retrieved.gate.best and not retrieved.passages:
        return found.refused("no_chunks"), ()
    if not retrieved.gate.passed:  # of a question in several steps too: it is asked of the whole question first
        return found.refused("score_gate"), ()
    if asking.options.multi_hop:
        hops = gather(asking, retrieved.passages, turns)
        gathered = replace(retrieved, returned=len(hops.passages))
        found = replace(
            found,
            retrieved=gathered,
            hops=hops.records,
            steps=(*found.steps, *hops.steps),
            before=(hops.prompt_tokens, hops.completion_tokens),
        )
        if hops.refusal is not None:
            return found.refused(hops.refusal), ()
        return _generated(asking, found, hops.passages, turns, MULTI_HOP)
    return _generated(asking, found, retrieved.passages, turns, asking.options.template)


def _generated(
    asking: AskContext, found: _Retrieved, passages: Sequence[Passage], turns: Sequence[Turn], name: str
) -> tuple[Answer, tuple[str, ...]]:
    with faults(asking.store.path):
        trust = trust_of(asking, passages)
    packed = pack(template(name), asking.question, passages, trust, turns, budget(asking))
    step = Step(
        "packing",
        "hit",
        f"{len(packed.passages)} of {len(passages)} passage{'' if len(passages) == 1 else 's'}",
        facts(tokens=packed.tokens, budget=budget(asking), turns=packed.turns, template=name),
    )
    found = replace(found, packed=packed, template=name, steps=(*found.steps, step))
    asking.report_context(found.passages())
    chunk_ids = tuple(one.chunk_id for one in packed.passages)
    asking.unfinished.save(found.refused("llm_stream_aborted"), chunk_ids)
    generated = generate(asking, packed.messages)
    if found.hops is not None:
        hop = HopRecord("synthesize", len(found.hops), (), 0, int(generated.ms), False)
        asking.hop(hop)
        found = replace(found, hops=(*found.hops, hop))
    words = redact(generated.text).strip()
    settled = settle(
        words,
        packed.passages,
        broken=generated.broken,
        length=generated.cut,
        glossary=asking.glossary,
        question=asking.question,
        injected=found.injected(),
    )
    found = replace(found, steps=(*found.steps, generated.step, settled.step))
    usage = found.usage(generated.usage, generated.text)
    shown = settled.claims or settled.invented or settled.cut
    if settled.text and (shown or settled.refusal in (None, "llm_stream_aborted")):
        cited = found.cited(settled.used) or (() if settled.refusal == "llm_stream_aborted" else found.near())
        answer = found.answer(settled.text, settled.refusal, cited, usage, grounded=settled.grounded)
        return replace(answer, claims=settled.claims, invented=settled.invented, cut=settled.cut), chunk_ids
    answer = found.refused(settled.refusal or "llm_self_judge", usage=usage, cause=settled.cause)
    return replace(answer, said=settled.reply), chunk_ids


def _store_answer(store: Store, answer: Answer, packed: tuple[str, ...], unfinished: Unfinished) -> Answer:
    """Keep it, or say in its trace why it could not be kept: an answer that was given is not lost to a full disk."""
    try:
        return keep(store, answer, packed)
    except Fault as fault:
        later = ". The answer is saved in a file until the next question" if unfinished.wait() else ""
        step = Step("keep", "failed", fault.message + later, facts(code=fault.code))
        return replace(answer, trace=(*answer.trace, step))


def _trace_id() -> str:
    """Unlike any other, also of the same question in the same instant."""
    import secrets

    return f"ret_{secrets.token_hex(8)}"


@dataclass(frozen=True, slots=True)
class _Retrieved:
    """What is known of a question so far, from which its answer or refusal is made at any time."""

    question: str
    options: AskOptions
    model: LanguageModel
    watch: Stopwatch = field(default_factory=Stopwatch)
    trace_id: str = field(default_factory=_trace_id)
    retrieved: Retrieved | None = None
    packed: Packed | None = None
    template: str = ""
    hops: tuple[HopRecord, ...] | None = None
    steps: tuple[Step, ...] = ()
    before: tuple[int, int] = (0, 0)  # tokens read and written by the steps before the answer

    def cited(self, numbers: Sequence[int]) -> tuple[AnswerCitation, ...]:
        """The packed passages with these markers."""
        if self.packed is None or self.retrieved is None:
            return ()
        return tuple(cited(self.retrieved, self.packed.passages[one - 1], one) for one in numbers)

    def passages(self) -> tuple[AnswerCitation, ...]:
        """Every packed passage."""
        return self.cited(range(1, len(self.packed.passages) + 1)) if self.packed else ()

    def injected(self) -> dict[str, str]:
        """The packed passages that speak to the model, by chunk id."""
        packed = self.packed.passages if self.packed else ()
        return {
            passage.chunk_id: one.speaks_to_model
            for passage, one in zip(packed, self.passages(), strict=True)
            if one.speaks_to_model is not None
        }

    def usage(self, reported: Usage | None = None, text: str = "") -> TokenUsage:
        """Tokens of all steps as the server counted them, else as they are counted here; none where no model was
        asked."""
        prompt = self.packed.tokens if self.packed else 0
        if reported is not None:
            prompt = prompt if reported.prompt_tokens is None else reported.prompt_tokens
        completion = estimate_tokens(text) if text else 0
        if reported is not None and reported.completion_tokens is not None:
            completion = reported.completion_tokens
        return TokenUsage(prompt + self.before[0], completion + self.before[1], int(self.watch.ms()))

    def near(self) -> tuple[AnswerCitation, ...]:
        """What came nearest, without markers."""
        return candidates(self.retrieved) if self.retrieved else ()

    def refused(
        self, reason: Refusal, *more: Step, usage: TokenUsage | None = None, cause: Cause = "gave_up"
    ) -> Answer:
        """A refusal with what came nearest."""
        made = replace(self, steps=(*self.steps, *more))
        gate = self.retrieved.gate if self.retrieved is not None else None
        text = refusal_text(
            reason,
            self.question,
            cause=cause,
            waits=gate is not None and bool(gate.waits),
            unknown=gate.unknown if gate is not None else "",
            narrowed=self.options.filters.active(),
        )
        return made.answer(text, reason, self.near(), usage or self.usage())

    def answer(
        self,
        text: str,
        refusal: Refusal | None,
        citations: tuple[AnswerCitation, ...],
        usage: TokenUsage,
        *,
        grounded: bool = False,
    ) -> Answer:
        """Return the current answer; the caller adds `claims`."""
        found, options = self.retrieved, self.options
        reason = "not verified" if refusal is None else REFUSALS.get(refusal, refusal)
        outcome, verdict = ("hit", "grounded") if grounded else ("rejected", reason)
        done = Step("ask", outcome, verdict, facts(), elapsed_ms=self.watch.ms())
        return Answer(
            query=self.question,
            answer=text,
            citations=citations,
            packed=self.passages(),
            grounded=grounded,
            refusal_reason=refusal,
            model=self.model.ref,
            embedding=_embedding(found),
            prompt_template_version=self.template or (MULTI_HOP if options.multi_hop else options.template),
            retrieval=AnswerRetrieval(
                trace_id=self.trace_id,
                mode=found.mode if found else options.mode,
                k=options.k,
                score_gate=options.score_gate,
                top_score=round(found.gate.score, 4) if found else 0.0,
                chunks_returned=found.returned if found else 0,
                chunks_used=len(self.packed.passages) if self.packed else 0,
                index_version=found.index_version if found else index_version(),
            ),
            usage=usage,
            created_at=now(),
            conversation_id=options.session,
            turn_index=None,
            claims=(),
            hops=self.hops,
            verification=None,
            trace=(*self.steps, done),
        )


def _embedding(found: Retrieved | None) -> ModelRef | None:
    if found is None or found.embedding_model is None:
        return None
    from core.embedding.models.catalogue import CATALOGUE

    known = CATALOGUE.get(found.embedding_model)
    return ModelRef(found.embedding_model, "fastembed", known.dim if known else None)
