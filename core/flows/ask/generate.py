"""A model's words as they come: told token by token, kept whatever happens, stopped at once."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from core.base.fault import Fault
from core.base.trace import Step, Stopwatch, facts
from core.flows.ask.options import Asking
from core.library.ask.prompt import tokens
from core.library.ask.truncation import Length
from core.llm.language_model import ANSWER_CHARS, Done, GenerateOptions, Message, TakenBack, Token, Usage

if TYPE_CHECKING:
    from collections.abc import Generator

_NEARLY: Final = 0.9
"""Servers count a little otherwise than they were told to."""


@dataclass(frozen=True, slots=True)
class Generated:
    """What a model said. `broken`: it was stopped, or broke off, before its end; `cut`: its length ran out."""

    text: str
    usage: Usage
    broken: bool
    cut: Length | None
    ms: float
    step: Step


def generate(asking: Asking, messages: Sequence[Message], *, as_json: bool = False, tell: bool = True) -> Generated:
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
    text, done, fault, first = _heard(asking, messages, options, watch, tell=tell)
    broken = done.finish == "aborted"
    given = sum(tokens(one.content) for one in messages)
    cut = _cut(asking, text, done.usage, given) if done.finish == "length" else None
    if cut is not None and not text.strip():
        raise _wordless(cut)
    length = f"its length ran out after {cut.tokens:,} tokens" if cut else None
    reason = fault.message if fault else "it was stopped" if broken else length
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
    return Generated(text, done.usage, broken, cut, watch.ms(), step)


def _heard(
    asking: Asking, messages: Sequence[Message], options: GenerateOptions, watch: Stopwatch, *, tell: bool
) -> tuple[str, Done, Fault | None, float]:
    """What was said, how it ended, and after how many milliseconds it began. What proves to be thought was not said."""
    said: list[str] = []
    done, first = Done("aborted"), 0.0
    stream = cast("Generator[Token | TakenBack | Done]", asking.model.stream(messages, options, asking.cancelled))
    try:
        with closing(stream):
            for one in stream:
                if isinstance(one, Done):
                    done = one
                    break
                if isinstance(one, TakenBack):
                    said.clear()
                    first = 0.0
                    if tell:
                        asking.taken_back()
                    continue
                first = first or watch.ms()
                said.append(one.text)
                if tell:
                    asking.token(one.text)
                if asking.cancelled():
                    break
    except Fault as fault:
        if not said:
            raise
        return "".join(said), done, fault, first
    return "".join(said), done, None, first


def _cut(asking: Asking, text: str, usage: Usage, given: int) -> Length:
    """How long it became. Whose limit it was shows in how much the server counted. `given`: tokens of the messages, of
    which a server may count only what it had not read before."""
    room, context = answer_room(asking), asking.model.context_tokens
    if len(text) > ANSWER_CHARS:  # nobody reads on
        return Length(usage.completion_tokens or tokens(text), None)
    said = room if usage.completion_tokens is None else usage.completion_tokens
    if said >= room * _NEARLY:
        whole = room == asking.options.answer_tokens
        return Length(said, "models.llm.answer_tokens" if whole else "models.llm.context_tokens")
    ours = asking.model.ref.provider == "ollama"  # the others are not told how much to read
    full = max(usage.prompt_tokens or 0, given) + said >= context * _NEARLY
    return Length(said, "models.llm.context_tokens" if ours and full else None)


def _wordless(cut: Length) -> Fault:
    """It thought until its length ran out."""
    message = f"the model used up its {cut.tokens:,} tokens before the first word of an answer"
    more = f"raise {cut.setting}" if cut.setting else "let its server allow it more tokens"
    return Fault("config_invalid", message, f"{more}, or ask a model that thinks less", tokens=cut.tokens)


def answer_room(asking: Asking) -> int:
    """Tokens for the answer: as many as it may take, at most half of what the model reads and writes."""
    return min(asking.options.answer_tokens, max(64, asking.model.context_tokens // 2))


def budget(asking: Asking) -> int:
    """Tokens for everything a model is given."""
    return min(asking.options.max_context_tokens, asking.model.context_tokens - answer_room(asking))
