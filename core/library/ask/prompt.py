"""The prompt of an answer (templates, packed passages, injection checks), and the text of a refusal.

Passages are fenced data that cannot pass for instructions. Source: kebab-frozen-design 3.8 (rag-v1 to v3,
rag-multi-hop-v1). A template is a file in `prompts/`; its version is part of every answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from core.base.fault import Fault
from core.base.lazy import lazy_pattern
from core.library.ask.answer import Refusal
from core.library.search.rows import Passage, citation_of
from core.llm.language_model import Message
from core.text import estimate_tokens, hangul_share, visible

TEMPLATES: Final = ("rag-v1", "rag-v2", "rag-v3")
MULTI_HOP: Final = "rag-multi-hop-v1"
NOT_ENOUGH: Final = "NOT ENOUGH EVIDENCE"
_REFUSAL = lazy_pattern(r"(?i)\W*(?:not enough evidence|근거가 부족하다)([\W0-9]*)")
_FENCE = lazy_pattern(r"(?i)<(?=\s*/?\s*(?:passage|question|system|user|assistant|\|))|\[(?=\s*/?\s*(?:INST|SYS)\b)")
_RUNS = lazy_pattern("[`~]{3,}")

RESERVE: Final = 64
"""Tokens left free for what a server adds around messages."""
_CUT: Final = " …"

_WHAT: Final = r"(?:instructions?|rules?|prompts?|messages?|passages?|context|directions|guidelines)\b"
_DROP: Final = r"\b(?:ignore|disregard|forget|override|bypass)\s+(?:\w+\s+){0,2}?"
_FORMS: Final = (
    # drop the instructions before
    rf"{_DROP}(?:previous|prior|above|earlier|preceding|your|these)\s+(?:\w+\s+){{0,2}}?{_WHAT}",
    rf"{_DROP}(?:all|any|every)\s+(?:\w+\s+){{0,2}}?(?:instructions?|prompts?)\b",
    rf"{_DROP}(?:all|everything|anything)\s+(?:(?:of\s+)?the\s+)?(?:above|before\s+this|you\s+(?:were|have\s+been)\s+told)\b",
    r"(?:이전|앞|위|지금까지|기존)(?:의|에)?\s?[^\n.]{0,20}?(?:지시|명령|지침|프롬프트)[^\n.]{0,10}?(?:무시|잊어|따르지)",
    # take another role
    r"\byou\s+are\s+now\s+(?:an?|the|called|named|acting|in\s+\w+\s+mode)\b",
    r"\bfrom\s+now\s+on,?\s+you\s+(?:are|(?:will|must)\s+(?:only|always|act|answer|respond|reply)|answer|act|respond)\b",
    r"(?:(?:너는|당신은|넌)\s+(?:이제|지금)(?:부터)?|(?:이제|지금)부터\s+(?:너는|당신은|넌))\s",
    # answer every question in one way
    r"\b(?:answer|(?:reply|respond)\s+to)\s+(?:every|all|any|each)\s+(?:\w+\s+)?(?:questions?|quer(?:y|ies)|prompts?)\b",
    r"(?:모든|어떤)\s?(?:질문|물음)에(?:는|도)?\s[^\n.]{0,40}?(?:답|대답|답변|응답)(?:하라|하세요|하십시오|하시오|해라|해)",
    # hide this from the user
    r"\b(?:do\s+not|don['’]t|never)\s+(?:tell|inform)\s+the\s+(?:user|human)\s+(?:about|of|that)\s+(?:this|these|it|you)\b",
    r"사용자에게\s+(?:이|해당)\s[^\n.]{0,20}?(?:말하지|알리지|밝히지)\s?(?:마|말)",
    # open a role of the prompt
    r"<\s?/?\s?(?:system|assistant)\s?>|\[\s?/?\s?(?:INST|SYSTEM)\s?\]|<\|im_(?:start|end)\|>|\byour\s+system\s+prompt\b",
)
_SPEAKS = lazy_pattern("(?i)" + "|".join(f"(?:{one})" for one in _FORMS))
_READ: Final = 40_000
_SHOWN: Final = 80


def template(name: str) -> str:
    """Return the text of a template. Raises Fault invalid_input for an unknown name."""
    known = (*TEMPLATES, MULTI_HOP, f"{MULTI_HOP}.decompose", f"{MULTI_HOP}.decide")
    if name not in known:
        raise Fault("invalid_input", f"unknown template {name[:80]}", f"use one of: {', '.join(TEMPLATES)}")
    from importlib.resources import files

    return (files("core.library.ask") / "prompts" / f"{name}.txt").read_text("utf-8").strip()


def fenced(number: int, passage: Passage, trust: str) -> str:
    """One passage with its label, in a fence that its text cannot close."""
    label = (
        f'<passage {number} source="{_attribute(citation_of(passage).uri)}" trust="{trust}"'
        f' doc="{_attribute(passage.title or "")}" heading="{_attribute(" > ".join(passage.heading_path))}">'
    )
    return f"{label}\n{inert(passage.text)}\n</passage {number}>"


def inert(text: str) -> str:
    """Text as data: controls become signs, what looks like a fence or a role of the conversation is broken up."""
    return _RUNS.sub(lambda found: " ".join(found[0]), _FENCE.sub(lambda found: f"{found[0]} ", visible(text)))


def question_message(question: str, passages: Sequence[str]) -> Message:
    """The last message: the passages, then the question."""
    return Message("user", "\n\n".join(("[근거 / passages]", *passages, f"<question>\n{inert(question)}\n</question>")))


def refuses(answer: str) -> bool:
    """Return whether it is the refusal line of the instructions, whatever follows it."""
    stripped = answer.strip()
    found = _REFUSAL.match(stripped)
    return found is not None and (found.end() == len(stripped) or any(sign in found[1] for sign in ".!:。\n"))


def only_refuses(answer: str) -> bool:
    """Whether it is that line and nothing else."""
    stripped = answer.strip()
    return (found := _REFUSAL.match(stripped)) is not None and found.end() == len(stripped)


def may_refuse(begun: str) -> bool:
    """Whether an answer that begins so may still become the one line that refuses."""
    stripped = begun.strip().casefold()
    return refuses(begun) or any(line.startswith(stripped) for line in (NOT_ENOUGH.casefold(), "근거가 부족하다"))


def _attribute(text: str) -> str:
    return inert(" ".join(text.split())).replace('"', "'")[:300]


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier question of the session and its answer."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Packed:
    """The messages, the passages in the order of their markers, how many turns came along, about how many tokens."""

    messages: tuple[Message, ...]
    passages: tuple[Passage, ...]
    turns: int
    tokens: int


def pack(
    system: str,
    question: str,
    found: Sequence[Passage],
    trust: dict[str, str],
    history: Sequence[Turn],
    budget: int,
) -> Packed:
    """The messages for a model within `budget` tokens. `trust`: of documents, by id; `history`: oldest first.

    Raises Fault invalid_input where instructions and question alone exceed the budget.
    """
    used = estimate_tokens(system) + estimate_tokens(question_message(question, ()).content) + RESERVE
    if used > budget:
        raise Fault(
            "invalid_input",
            f"the instructions and the question need about {used} tokens (limit: {budget})",
            "shorten the question, or raise rag.max_context_tokens",
        )
    taken: list[Passage] = []
    texts: list[str] = []
    for one in found:
        passage, text = one, fenced(len(taken) + 1, one, trust.get(one.doc_id, ""))
        if used + estimate_tokens(text) > budget:
            if taken:
                continue  # a shorter one further down may still fit
            passage = _shortened(one, max(32, budget - used - estimate_tokens(text) + estimate_tokens(one.text)))
            text = fenced(1, passage, trust.get(one.doc_id, ""))
        taken.append(passage)
        texts.append(text)
        used += estimate_tokens(text)
    turns: list[Message] = []
    kept = 0
    for turn in reversed(history):
        pair = (Message("user", turn.question), Message("assistant", turn.answer))
        cost = sum(estimate_tokens(one.content) for one in pair)
        if used + cost > budget:
            break
        used, kept = used + cost, kept + 1
        turns[:0] = pair
    messages = (Message("system", system), *turns, question_message(question, texts))
    return Packed(messages, tuple(taken), kept, used)


def _shortened(passage: Passage, room: int) -> Passage:
    """The beginning of a passage, in `room` tokens: one passage always comes along."""
    text = passage.text.encode("utf-8", "replace")[: room * 3].decode("utf-8", "ignore")
    return replace(passage, text=text.rstrip() + _CUT)


def speaks_to_model(text: str) -> str | None:
    """The words of a text that instruct a model, None where there are none. Reads the first 40,000 code points."""
    found = _SPEAKS.search(text[:_READ])
    return None if found is None else " ".join(found[0].split())[:_SHOWN]


_ENGLISH: Final[dict[Refusal, str]] = {
    "score_gate": "Not enough evidence in the library.",
    "llm_self_judge": "Not enough evidence. The passages found do not answer the question.",
    "no_index": "The library is empty. Run: casebook library ingest FOLDER",
    "no_chunks": "Not enough evidence. No passage contains these words.",
    "llm_stream_aborted": "Stopped before the first word.",
    "multi_hop_decompose_failed": "The question could not be split into searches.",
}
_KOREAN: Final[dict[Refusal, str]] = {
    "score_gate": "근거 부족. KB 에 해당 내용 없음.",
    "llm_self_judge": "근거 부족. 제공된 chunk 중 결론 내용 없음.",
    "no_index": "아직 자료가 없음: casebook library ingest FOLDER",
    "no_chunks": "근거 부족. 이 말이 나오는 글이 없음.",
    "llm_stream_aborted": "첫 낱말이 오기 전에 멈춤.",
    "multi_hop_decompose_failed": "질문을 나누지 못함.",
}
Cause = Literal["gave_up", "silent", "unheld"]
"""What a model did that gave no answer: it said so itself, said nothing, or only named sources."""
_CAUSES: Final[dict[Cause, tuple[str, str]]] = {  # English, Korean
    "silent": ("The model returned no answer.", "모델이 아무 말도 하지 않음."),
    "unheld": ("The model only listed its sources.", "모델이 출처만 밝힘."),
}
_NOT_YET: Final = {
    "en": "Not enough evidence by keywords only: not all passages are embedded. Run: casebook library embed.",
    "ko": "낱말만으로는 근거 부족: 아직 임베딩이 끝나지 않음. casebook library embed 실행 후 다시 물을 것.",
}


_PART: Final = {"en": " Only part of the library was searched: {}.", "ko": " 일부에만 물음: {}."}
_UNKNOWN: Final = {"en": ' The closest passages do not mention "{}".', "ko": ' 가까운 글에 "{}" 없음.'}
_OF_A_PART: Final = ("score_gate", "no_chunks", "llm_self_judge")


def refusal_text(
    reason: Refusal,
    question: str,
    *,
    cause: Cause = "gave_up",
    waits: bool = False,
    unknown: str = "",
    narrowed: Sequence[tuple[str, str]] = (),
) -> str:
    """Return the sentence in place of an answer. `cause`: what the model did instead; `waits`: vectors were still
    missing; `unknown`: the word that no close passage has; `narrowed`: the requested filters, by name."""
    language = "ko" if hangul_share(question) > 0.3 else "en"
    texts = _KOREAN if language == "ko" else _ENGLISH
    message = texts.get(reason, texts["llm_self_judge"])
    if reason == "score_gate" and waits:
        message = _NOT_YET[language]
    elif reason == "score_gate" and unknown:
        message += _UNKNOWN[language].format(unknown)
    if reason == "llm_self_judge" and cause in _CAUSES:
        message = _CAUSES[cause][language == "ko"]
    if narrowed and reason in _OF_A_PART:
        message += _PART[language].format(", ".join(f"{name} {value}" for name, value in narrowed))
    return message
