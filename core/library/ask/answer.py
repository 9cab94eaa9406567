"""What asking the library answers: text with citations that were checked, or a refusal that says why (`answer.v1`).

Source: kebab-frozen-design 2.3 and 3.8. Additive within v1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from core.base.trace import Step
from core.library.ask.markers import Sentence, only_names, place_names, sentences
from core.library.citations.citation import Citation
from core.library.search.rows import Mode
from core.llm.language_model import ModelRef

Refusal = Literal[
    "score_gate",
    "llm_self_judge",
    "no_index",
    "no_chunks",
    "llm_stream_aborted",
    "multi_hop_decompose_failed",
    "nli_verification_failed",
    "nli_model_unavailable",
]
"""Why there is no answer; the last two are reserved."""
REFUSALS: Final[Mapping[str, str]] = {
    "score_gate": "not enough evidence in the library, so the LLM was not called",
    "llm_self_judge": "the LLM says that the passages do not answer the question",
    "no_index": "the library is empty",
    "no_chunks": "no relevant passages found",
    "llm_stream_aborted": "stopped early, the partial answer is kept",
    "multi_hop_decompose_failed": "the LLM could not split the question into steps",
}
"""What each refusal means, in words for a trace."""
Support = Literal["supported", "flagged", "unsupported", "uncited"]
SinceRead = Literal["changed", "gone"]
CUT_OFF: Final = "cut off"
"""The concern about a sentence whose end never came."""
HopKind = Literal["decompose", "decide", "synthesize"]


@dataclass(frozen=True, slots=True)
class AnswerCitation:
    """A passage that the answer cites (`marker` `[1]`), or one that came near where it is a refusal (`marker` null).

    `score`: its evidence, 0 to 1. `lexical_score` (bm25) and `vector_score` (cosine): as the search found it.
    `since_read`: what became of its file since it was read, null where it is the same; `stale` tells only how long ago.
    `speaks_to_model`: its words that instruct a model instead of a reader, null where there are none; such a passage
    alone grounds no answer.
    `excerpt`: the sentence nearest to the question, if it is a refusal and the passage does not instruct a model.
    """

    marker: str | None
    citation: Citation
    section: str | None
    score: float
    lexical_score: float | None = None
    vector_score: float | None = None
    since_read: SinceRead | None = None
    speaks_to_model: str | None = None
    excerpt: str | None = None

    @property
    def file_now(self) -> str:
        """What became of its file, in words; empty where it is the same."""
        labels = {"changed": "changed since it was indexed", "gone": "no longer exists"}
        return "" if self.since_read is None else labels[self.since_read]


@dataclass(frozen=True, slots=True)
class ClaimConcern:
    """What a sentence says otherwise than its source: the kind (`number`, `negation`, …) and both texts' words."""

    kind: str
    answer: str
    source: str
    text: str


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence of the answer, aligned with the passage it cites.

    `start` and `end`: its range in the answer (code points). `supported`: it stands there and says the same; `flagged`:
    it stands there and something differs (`concerns`); `unsupported`: it does not stand there word for word; `uncited`:
    it cites nothing (`marker`, `chunk_id` and `citation` are null). `quote`: the source's words, or of an unsupported
    one the likest place, at `chunk_start` to `chunk_end` of the passage;
    `citation`: the lines of that place. `words`: the share of its words that one place of the passage has, 0 to 1.
    """

    text: str
    start: int
    end: int
    marker: str | None
    chunk_id: str | None
    status: Support
    similarity: float
    words: float
    citation: Citation | None
    quote: str
    chunk_start: int | None
    chunk_end: int | None
    concerns: tuple[ClaimConcern, ...] = ()


@dataclass(frozen=True, slots=True)
class InventedCitation:
    """A marker of a passage that was never given, and the sentence it was dropped from (`start` to `end`)."""

    marker: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class AnswerCut:
    """How an answer was cut off by its length: after so many `tokens`, its thoughts counted in. `setting`: the one that
    allows more, null where none does: the server has a limit of its own, or nobody reads so much. `start`, `end`: the
    sentence whose end never came, null where the last one is whole.
    """

    tokens: int
    setting: str | None
    start: int | None
    end: int | None

    @property
    def reason(self) -> str:
        more = f"to allow more, raise {self.setting}" if self.setting else "no setting raises this limit"
        return f"truncated after {self.tokens:,} tokens ({more})"


@dataclass(frozen=True, slots=True)
class AnswerRetrieval:
    """What was looked for and found. `top_score`: the best evidence, which the gate compares with `score_gate`."""

    trace_id: str
    mode: Mode
    k: int
    score_gate: float
    top_score: float
    chunks_returned: int
    chunks_used: int
    index_version: str


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens as the server counted them, else estimated (three bytes each), and the time from question to answer."""

    prompt_tokens: int
    completion_tokens: int
    latency_ms: int


@dataclass(frozen=True, slots=True)
class HopRecord:
    """One step of a question asked in several. `forced_stop`: the depth allowed no further one."""

    kind: HopKind
    iter: int
    sub_queries: tuple[str, ...]
    context_chunks_added: int
    llm_call_ms: int
    forced_stop: bool


@dataclass(frozen=True, slots=True)
class Verification:
    """Reserved: what a model of entailment measured."""

    nli_score: float
    nli_threshold: float
    nli_passed: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer: verified (`grounded`), not verified (`grounded` false, `refusal_reason` null, the model's text is
    kept), or a refusal (`refusal_reason`). A refusal's `answer` says so in the question's language; of a stream that
    was broken off it is what had come; its `citations` are the passages that came nearest.

    `grounded`: at least one claim is `supported`, none is `flagged`, every citation exists, and no `unsupported` or
    `uncited` sentence states a number, a name or a negation. `packed`: what the model was given, in the order of its
    markers. `conversation_id`, `turn_index`: of a session, null outside of one. `claims`: every sentence but headings
    and lists of sources, checked. `invented`: what cites a passage that was never given.
    `cut`: how it was cut off by its length, null where it came to its end. `said`: the model's own words where `answer`
    are not they, null where they say no more than that.
    """

    SCHEMA: ClassVar[str] = "answer.v1"

    query: str
    answer: str
    citations: tuple[AnswerCitation, ...]
    packed: tuple[AnswerCitation, ...]
    grounded: bool
    refusal_reason: Refusal | None
    model: ModelRef
    embedding: ModelRef | None
    prompt_template_version: str
    retrieval: AnswerRetrieval
    usage: TokenUsage
    created_at: str
    conversation_id: str | None
    turn_index: int | None
    claims: tuple[Claim, ...]
    hops: tuple[HopRecord, ...] | None
    verification: Verification | None
    trace: tuple[Step, ...]
    invented: tuple[InventedCitation, ...] = ()
    cut: AnswerCut | None = None
    said: str | None = None

    @property
    def cited_claims(self) -> tuple[Claim, ...]:
        """The sentences that cite a passage."""
        return tuple(one for one in self.claims if one.status != "uncited")

    @property
    def unverified(self) -> bool:
        """Whether the model answered and the check does not bear the answer out."""
        return not self.grounded and self.refusal_reason is None

    @property
    def outdated(self) -> tuple[AnswerCitation, ...]:
        """The sources whose files are others than the ones that were read, or gone."""
        return tuple(one for one in self.citations if one.marker is not None and one.since_read is not None)

    @property
    def uncited(self) -> tuple[Sentence, ...]:
        """The sentences with a claim and without a citation; those with an invented citation or without an end are
        excluded. A lead-in (`…:`, a heading, the head of a table) or the name of a source is not a claim."""
        names = [name for one in self.packed for name in place_names(one.citation.uri, one.section)]
        starts = {*(one.start for one in self.invented), *((self.cut.start,) if self.cut else ())}
        return tuple(
            one
            for one in sentences(self.answer)
            if not (one.markers or one.heading or one.start in starts or one.text.endswith((":", "：")))
            and not only_names(one.text, names)
        )

    @property
    def why(self) -> str:
        """Why what the model said is no answer, is not verified, or is not all of one, in words; empty where the reason
        of the refusal says it: the model gave up, or was stopped."""
        if self.refusal_reason == "score_gate":
            return next((str(one.fact("waits") or "") for one in self.trace if one.stage == "gate"), "")
        by_reason = {
            "": "" if self.grounded else "citations",
            "llm_self_judge": "citations",
            "llm_stream_aborted": "model",
        }
        stage = by_reason.get(self.refusal_reason or "")
        step = next((one for one in self.trace if one.stage == stage), None)
        if step is None or step.fact("gave_up") or (stage == "model" and step.outcome != "failed"):
            return ""
        return step.reason


@dataclass(frozen=True, slots=True)
class AnswerEvent:
    """What happens while a question is answered: `retrieval_done`, `hop`, `token`s, and one `final`, last.

    `text`: the token; `anew`: those before it were thought aloud, and are no part of the answer; `citations`: what was
    packed, in the order of its markers; `hop`, `answer`: what the others tell.
    """

    SCHEMA: ClassVar[str] = "answer_event.v1"

    kind: Literal["retrieval_done", "hop", "token", "final"]
    ts: str
    text: str | None = None
    citations: tuple[AnswerCitation, ...] | None = None
    hop: HopRecord | None = None
    answer: Answer | None = None
    anew: bool = False
