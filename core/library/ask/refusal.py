"""How a refusal is said: in the question's language, short, with what it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from core.library.ask.answer import Refusal
from core.text import hangul_share

_ENGLISH: Final[dict[Refusal, str]] = {
    "score_gate": "Not enough evidence. The library does not say.",
    "llm_self_judge": "Not enough evidence. The passages that were found do not answer it.",
    "no_index": "There is no library yet: casebook library ingest FOLDER",
    "no_chunks": "Not enough evidence. No passage has any of these words.",
    "llm_stream_aborted": "Stopped before the first word.",
    "multi_hop_decompose_failed": "The question could not be broken into searches.",
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
    "silent": ("The model said nothing.", "모델이 아무 말도 하지 않음."),
    "unheld": ("The model only named its sources.", "모델이 출처만 밝힘."),
}
_NOT_YET: Final = {
    "en": "Not enough evidence in words alone: not all passages are embedded. Run: casebook library embed.",
    "ko": "낱말만으로는 근거 부족: 아직 임베딩이 끝나지 않음. casebook library embed 실행 후 다시 물을 것.",
}


_PART: Final = {"en": " Only a part was asked: {}.", "ko": " 일부에만 물음: {}."}
_OF_A_PART: Final = ("score_gate", "no_chunks", "llm_self_judge")


def refusal_text(
    reason: Refusal,
    question: str,
    *,
    cause: Cause = "gave_up",
    waits: bool = False,
    narrowed: Sequence[tuple[str, str]] = (),
) -> str:
    """The sentence that stands where an answer would. `cause`: what the model did instead; `waits`: the gate did
    without vectors that are on their way; `narrowed`: the filters that were asked for, by name."""
    language = "ko" if hangul_share(question) > 0.3 else "en"
    texts = _KOREAN if language == "ko" else _ENGLISH
    said = texts.get(reason, texts["llm_self_judge"])
    if reason == "score_gate" and waits:
        said = _NOT_YET[language]
    if reason == "llm_self_judge" and cause in _CAUSES:
        said = _CAUSES[cause][language == "ko"]
    if narrowed and reason in _OF_A_PART:
        said += _PART[language].format(", ".join(f"{name} {value}" for name, value in narrowed))
    return said
