"""A model's words as they come: told token by token, kept whatever happens, stopped at once."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from core.fault import Fault
from core.flows.ask_options import Asking
from core.llm.language_model import Done, GenerateOptions, Message, Token, Usage
from core.trace import Step, Stopwatch, facts

if TYPE_CHECKING:
    from collections.abc import Generator

ANSWER_TOKENS: Final = 1024
"""Tokens of its window that a model is left for its answer, at most a quarter of it."""


@dataclass(frozen=True, slots=True)
class Generated:
    """What a model said. `broken`: it was stopped, or broke off, before its end."""

    text: str
    usage: Usage
    broken: bool
    ms: float
    step: Step


def generate(asking: Asking, messages: Sequence[Message], *, as_json: bool = False, tell: bool = True) -> Generated:
    """Ask the model. Once a token has come a fault costs nothing that was said: the text so far is `broken`.

    Raises Fault as `LanguageModel.stream` before the first token.
    """
    watch = Stopwatch()
    options = GenerateOptions(
        max_tokens=answer_room(asking),
        temperature=asking.options.temperature,
        seed=asking.options.seed,
        as_json=as_json,
    )
    said: list[str] = []
    done, fault, first = Done("aborted"), None, 0.0
    stream = cast("Generator[Token | Done]", asking.model.stream(messages, options, asking.cancelled))
    try:
        with closing(stream):
            for one in stream:
                if isinstance(one, Done):
                    done = one
                    break
                first = first or watch.ms()
                said.append(one.text)
                if tell:
                    asking.token(one.text)
                if asking.cancelled():
                    break
    except Fault as found:
        if not said:
            raise
        fault = found
    text = "".join(said)
    broken = done.finish == "aborted"
    reason = fault.message if fault else {"aborted": "it was stopped", "length": "its length ran out"}.get(done.finish)
    told = facts(
        model=asking.model.ref.id,
        provider=asking.model.ref.provider,
        finish=done.finish,
        code=fault.code if fault else None,
        characters=len(text),
        first_token_ms=round(first, 1) or None,
    )
    outcome = "failed" if fault else "rejected" if broken else "hit"
    step = Step("model", outcome, reason or "it answered to its end", told, elapsed_ms=watch.ms())
    return Generated(text, done.usage, broken, watch.ms(), step)


def answer_room(asking: Asking) -> int:
    """Tokens for the answer."""
    return min(ANSWER_TOKENS, max(64, asking.model.context_tokens // 4))


def budget(asking: Asking) -> int:
    """Tokens for everything a model is given."""
    return min(asking.options.max_context_tokens, asking.model.context_tokens - answer_room(asking))
