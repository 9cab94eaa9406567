"""Passages that speak to the model instead of the reader: an instruction in a document is no evidence for an answer.

Five forms that prompt injections share, each in English and Korean: drop the instructions before, take another role,
answer every question in one way, hide this from the user, open a role of the prompt. Everyday wording stays outside
(`ignore all files`, `you are now connected`, `always respond with 404`). A text about such attacks quotes them and is
marked too: a marked passage only cannot be the sole support of an answer.
"""

from __future__ import annotations

from typing import Final

from core.base.lazy_pattern import lazy_pattern

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


def speaks_to_model(text: str) -> str | None:
    """The words of a text that instruct a model, None where there are none. Reads the first 40,000 code points."""
    found = _SPEAKS.search(text[:_READ])
    return None if found is None else " ".join(found[0].split())[:_SHOWN]
