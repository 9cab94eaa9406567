"""Options of a question: the search, the size of the prompt, and the listeners."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.base.fault import Fault
from core.flows.ask.draft_file import Unfinished
from core.library.ask.answer import AnswerCitation, AnswerEvent, HopRecord
from core.library.ask.prompt import TEMPLATES
from core.library.ask.store import checked_session
from core.library.search.fts import EVERYTHING, SearchFilters
from core.library.search.rows import Mode
from core.store import Store, now

if TYPE_CHECKING:
    from core.base.config.settings import Settings
    from core.embedding.runtime.query_model import VectorSearch
    from core.llm.language_model import LanguageModel

LONGEST_QUESTION = 8_192


@dataclass(frozen=True, slots=True)
class AskOptions:
    """`k`: passages looked for; `score_gate`: the least evidence (0 asks anyway); `max_context_tokens`: of everything a
    model is given; `answer_tokens`: of what it may say; `session`: the conversation it belongs to; `keep`: whether the
    answer is stored.
    """

    mode: Mode = "hybrid"
    k: int = 8
    filters: SearchFilters = EVERYTHING
    session: str | None = None
    template: str = "rag-v3"
    score_gate: float = 0.30
    max_context_tokens: int = 8000
    answer_tokens: int = 4096
    temperature: float = 0.0
    seed: int | None = 0
    multi_hop: bool = False
    keep: bool = True


def ask_options(settings: Settings, **more: object) -> AskOptions:
    """Return the settings, with `more` in addition."""
    rag, llm = settings.rag, settings.llm
    given: dict[str, object] = {
        "k": rag.k,
        "template": rag.prompt_template_version,
        "score_gate": rag.score_gate,
        "max_context_tokens": rag.max_context_tokens,
        "answer_tokens": llm.answer_tokens,
        "temperature": llm.temperature,
        "seed": llm.seed,
    }
    return AskOptions(**{**given, **more})  # pyright: ignore[reportArgumentType]


@dataclass(frozen=True, slots=True)
class AskContext:
    """One question on its way: everything that its steps need."""

    store: Store
    question: str
    options: AskOptions
    model: LanguageModel
    vectors: VectorSearch | None
    on_event: Callable[[AnswerEvent], None]
    cancelled: Callable[[], bool]
    glossary: Mapping[str, str]
    unfinished: Unfinished

    def token(self, text: str) -> None:
        """Tell a token; first it is written down, so that no word that was seen is lost."""
        self.unfinished.word(text)
        self.on_event(AnswerEvent("token", now(), text=text))

    def retract_tokens(self) -> None:
        """Tell that the tokens so far were thoughts."""
        self.unfinished.restart()
        self.on_event(AnswerEvent("token", now(), text="", anew=True))

    def report_context(self, citations: tuple[AnswerCitation, ...]) -> None:
        """Tell what the model will be given."""
        self.on_event(AnswerEvent("retrieval_done", now(), citations=citations))

    def hop(self, hop: HopRecord) -> None:
        self.on_event(AnswerEvent("hop", now(), hop=hop))


def checked(question: str, options: AskOptions) -> None:
    """Raise Fault invalid_input where there is nothing to ask, or it cannot be asked so."""
    if not question.strip():
        raise Fault("invalid_input", "the question is empty", "pass a question")
    if len(question) > LONGEST_QUESTION:
        raise Fault(
            "invalid_input", f"the question is longer than {LONGEST_QUESTION:,} characters", "shorten the question"
        )
    if options.template not in TEMPLATES:
        raise Fault("invalid_input", f"unknown template {options.template[:80]}", f"use one of: {', '.join(TEMPLATES)}")
    if not 1 <= options.k <= 50:
        raise Fault("invalid_input", f"k must be between 1 and 50, not {options.k}", "omit k")
    if options.session is not None:
        checked_session(options.session)


def load_glossary() -> Mapping[str, str]:
    """English words of Korean ones: those that rules are matched with. A wrong file of the user's costs only these."""
    from core.rules.matching.tables import load_tables

    try:
        return load_tables().glossary
    except Fault:
        return {}
