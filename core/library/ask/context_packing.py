"""What of everything fits: instructions and question always, passages next, then the newest earlier turns.

Source: kebab-frozen-design 3.8: system and question are never cut, at least one passage is, the oldest turn goes first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from core.base.fault import Fault
from core.library.ask.prompt import fenced, question_message, tokens
from core.library.search.rows import Passage
from core.llm.language_model import Message

RESERVE: Final = 64
"""Tokens left free for what a server adds around messages."""
_CUT: Final = " …"


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
    used = tokens(system) + tokens(question_message(question, ()).content) + RESERVE
    if used > budget:
        raise Fault(
            "invalid_input",
            f"instructions and question take about {used} tokens, and {budget} are allowed",
            "ask more briefly, or raise rag.max_context_tokens",
        )
    taken: list[Passage] = []
    texts: list[str] = []
    for one in found:
        passage, text = one, fenced(len(taken) + 1, one, trust.get(one.doc_id, ""))
        if used + tokens(text) > budget:
            if taken:
                continue  # a shorter one further down may still fit
            passage = _shortened(one, max(32, budget - used - tokens(text) + tokens(one.text)))
            text = fenced(1, passage, trust.get(one.doc_id, ""))
        taken.append(passage)
        texts.append(text)
        used += tokens(text)
    turns: list[Message] = []
    kept = 0
    for turn in reversed(history):
        pair = (Message("user", turn.question), Message("assistant", turn.answer))
        cost = sum(tokens(one.content) for one in pair)
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
