"""Generation of an answer, streamed token by token, saved as it grows, stopped at once; and multi-hop questions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Final, cast

from core.base.fault import Fault
from core.base.trace import Step, Stopwatch, facts
from core.flows.ask.options import AskContext
from core.flows.ask.retrieve import by_chunk, retrieve_hits, trust_of
from core.library.ask.answer import HopRecord, Refusal
from core.library.ask.prompt import MULTI_HOP, Packed, Turn, pack, template
from core.library.ask.question import read_question
from core.library.ask.verdict import Length
from core.library.search.rows import Passage
from core.llm.language_model import ANSWER_CHARS, GenerateOptions, GenerationEnd, Message, Retracted, Token, Usage
from core.store import faults
from core.text import estimate_tokens, redact

if TYPE_CHECKING:
    from collections.abc import Generator

_NEARLY: Final = 0.9
"""Margin for servers that count tokens differently."""

MOST_QUERIES: Final = 5
DEPTH: Final = 3
POOL: Final = 15
"""Passages that are gathered, those of all searches in turn: each search's best before any second best."""
_QUERY: Final = 400  # code points


@dataclass(frozen=True, slots=True)
class Generated:
    """What a model said. `broken`: it was stopped, or broke off, before its end; `cut`: its length ran out."""

    text: str
    usage: Usage
    broken: bool
    cut: Length | None
    ms: float
    step: Step


def generate(asking: AskContext, messages: Sequence[Message], *, as_json: bool = False, tell: bool = True) -> Generated:
    """Ask the model. Once a token has come a fault costs nothing that was said: the text so far is `broken`.

    Raises Fault as `LanguageModel.stream` before the first token, and config_invalid where its length ran out before
    that.
    """
    watch = Stopwatch()
    options = GenerateOptions(
        max_tokens=answer_room(asking),
        temperature=asking.options.temperature,
        seed=asking.options.seed,
        as_json=as_json,
    )
    text, done, fault, first = _stream_answer(asking, messages, options, watch, tell=tell)
    broken = done.finish == "aborted"
    given = sum(estimate_tokens(one.content) for one in messages)
    cut = _cut(asking, text, done.usage, given) if done.finish == "length" else None
    if cut is not None and not text.strip():
        raise _wordless(cut)
    length = f"truncated after {cut.tokens:,} tokens" if cut else None
    reason = fault.message if fault else "you stopped the answer" if broken else length
    details = facts(
        model=asking.model.ref.id,
        provider=asking.model.ref.provider,
        finish=done.finish,
        code=fault.code if fault else None,
        characters=len(text),
        first_token_ms=round(first, 1) or None,
    )
    outcome = "failed" if fault else "rejected" if broken else "hit"
    step = Step("model", outcome, reason or "complete answer", details, elapsed_ms=watch.ms())
    return Generated(text, done.usage, broken, cut, watch.ms(), step)


def _stream_answer(
    asking: AskContext, messages: Sequence[Message], options: GenerateOptions, watch: Stopwatch, *, tell: bool
) -> tuple[str, GenerationEnd, Fault | None, float]:
    """What was said, how it ended, and after how many milliseconds it began. What proves to be thought was not said."""
    pieces: list[str] = []
    done, first = GenerationEnd("aborted"), 0.0
    stream = cast(
        "Generator[Token | Retracted | GenerationEnd]", asking.model.stream(messages, options, asking.cancelled)
    )
    try:
        with closing(stream):
            for one in stream:
                if isinstance(one, GenerationEnd):
                    done = one
                    break
                if isinstance(one, Retracted):
                    pieces.clear()
                    first = 0.0
                    if tell:
                        asking.retract_tokens()
                    continue
                first = first or watch.ms()
                pieces.append(one.text)
                if tell:
                    asking.token(one.text)
                if asking.cancelled():
                    break
    except Fault as fault:
        if not pieces:
            raise
        return "".join(pieces), done, fault, first
    return "".join(pieces), done, None, first


def _cut(asking: AskContext, text: str, usage: Usage, given: int) -> Length:
    """How long it became. Whose limit it was shows in how much the server counted. `given`: tokens of the messages, of
    which a server may count only what it had not read before."""
    room, context = answer_room(asking), asking.model.context_tokens
    if len(text) > ANSWER_CHARS:  # nobody reads on
        return Length(usage.completion_tokens or estimate_tokens(text), None)
    length = room if usage.completion_tokens is None else usage.completion_tokens
    if length >= room * _NEARLY:
        whole = room == asking.options.answer_tokens
        return Length(length, "models.llm.answer_tokens" if whole else "models.llm.context_tokens")
    ours = asking.model.ref.provider == "ollama"  # the others are not told how much to read
    full = max(usage.prompt_tokens or 0, given) + length >= context * _NEARLY
    return Length(length, "models.llm.context_tokens" if ours and full else None)


def _wordless(cut: Length) -> Fault:
    """It thought until its length ran out."""
    message = f"the model used {cut.tokens:,} tokens before the first word of an answer"
    more = f"raise {cut.setting}" if cut.setting else "raise the token limit of the server"
    return Fault("config_invalid", message, f"{more}, or use a model with shorter reasoning", tokens=cut.tokens)


def answer_room(asking: AskContext) -> int:
    """Tokens for the answer: as many as it may take, at most half of what the model reads and writes."""
    return min(asking.options.answer_tokens, max(64, asking.model.context_tokens // 2))


def budget(asking: AskContext) -> int:
    """Tokens for everything a model is given."""
    return min(asking.options.max_context_tokens, asking.model.context_tokens - answer_room(asking))


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

    def __init__(self, asking: AskContext, first: Sequence[Passage], turns: Sequence[Turn]) -> None:
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

    def finish(self, refusal: Refusal | None = None) -> Hops:
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
            text = read_question(query).text
            hits = retrieve_hits(self.asking, text, self.asking.options.k).hits
            with faults(self.asking.store.path):
                self.found.append(by_chunk(self.asking.store.con, [one.chunk_id for one in hits]))
        return len({one.id for one in self.pool()} - before)


def gather(asking: AskContext, first: Sequence[Passage], turns: Sequence[Turn]) -> Hops:
    """Break the question up and gather what its parts find. `turns`: the session so far, oldest first.

    Raises Fault where no model can be reached at all.
    """
    got = _Gathering(asking, first, turns)
    packed = pack(template(f"{MULTI_HOP}.decompose"), asking.question, (), {}, turns, budget(asking))
    generated, queries = _model_queries(got, packed)
    if generated is not None and generated.broken and asking.cancelled():
        return got.finish("llm_stream_aborted")
    added = got.search(queries) if queries else 0
    took = int(generated.ms) if generated else 0
    reason = f"{len(queries)} searches" if queries else "no readable searches in the reply"
    got.note(
        HopRecord("decompose", 0, queries, added, took, False),
        Step("decompose", "hit" if queries else "rejected", reason, facts(added=added), elapsed_ms=float(took)),
    )
    if not queries:
        return got.finish("multi_hop_decompose_failed")
    for depth in range(1, DEPTH + 1):
        if depth == DEPTH:
            forced = Step("decide", "skipped", "maximum depth reached")
            got.note(HopRecord("decide", depth, (), 0, 0, True), forced)
            break
        if asking.cancelled():
            return got.finish("llm_stream_aborted")
        if not _decide(got, depth):
            break
    if asking.cancelled():
        return got.finish("llm_stream_aborted")
    return got.finish()


def _decide(got: _Gathering, depth: int) -> bool:
    """Return whether to continue: what the model calls missing is searched. An unreadable reply ends it."""
    asking, rows = got.asking, got.pool()
    with faults(asking.store.path):
        trust = trust_of(asking, rows)
    packed = pack(template(f"{MULTI_HOP}.decide"), asking.question, rows, trust, got.turns, budget(asking))
    generated, queries = _model_queries(got, packed)
    added = got.search(queries) if queries else 0
    took = int(generated.ms) if generated else 0
    reason = f"{len(queries)} further searches" if queries else "enough evidence"
    got.note(
        HopRecord("decide", depth, queries, added, took, False),
        Step("decide", "miss" if queries else "hit", reason, facts(added=added), elapsed_ms=float(took)),
    )
    return added > 0


def _model_queries(got: _Gathering, packed: Packed) -> tuple[Generated | None, tuple[str, ...]]:
    """The model's queries; none where it names none, takes too long or says what cannot be read."""
    try:
        generated = generate(got.asking, packed.messages, as_json=True, tell=False)
    except Fault as fault:
        if fault.code in ("timeout", "io_error"):
            return None, ()
        raise
    read, wrote = generated.usage.prompt_tokens, generated.usage.completion_tokens
    got.prompt_tokens += packed.tokens if read is None else read
    got.completion_tokens += estimate_tokens(generated.text) if wrote is None else wrote
    return generated, () if generated.broken else queries_in(generated.text)


def queries_in(text: str) -> tuple[str, ...]:
    """Return the queries of a model's JSON, at most five, also with text around it."""
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
