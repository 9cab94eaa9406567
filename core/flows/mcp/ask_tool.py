"""The tool that asks the library: a grounded answer with its sources, or a refusal."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from core.base.fault import Fault
from core.flows.mcp.arguments import flag, number, shape, text
from core.flows.mcp.context import Desk
from core.flows.mcp.tool import Cancelled, Tool

if TYPE_CHECKING:
    from core.library.ask.answer import Answer

_MOST: Final = 8_000
_MOST_K: Final = 50


def _ask(desk: Desk, given: dict[str, Any], cancelled: Cancelled) -> Answer:
    """The answer is kept, as every answer is; of a casebook that cannot be written it is given all the same."""
    from core.flows.ask.api import ask_library, ask_options
    from core.llm.factory import language_model

    more: dict[str, object] = {name: given[name] for name in ("session", "multi_hop", "k") if name in given}
    options = ask_options(desk.settings, **more)
    model = language_model(desk.settings.llm)
    with desk.vectors() as vectors:
        try:
            return ask_library(desk.database, given["question"], options, model, vectors, cancelled=cancelled)
        except Fault as fault:
            if fault.code != "db_readonly":
                raise
        loose = replace(options, keep=False, session=None)
        return ask_library(desk.database, given["question"], loose, model, vectors, cancelled=cancelled)


ASK: Final = Tool(
    "ask",
    "Ask the library",
    "A question answered from the user's notes, documents and code by their own language model, every sentence "
    "checked against its source (`claims`). `grounded` false without a `refusal_reason`: not verified, do not rely on "
    "it; `trace` says why. With a reason it is a refusal, with the nearest passages: the library does not say. "
    "It may take minutes. Answers answer.v1.",
    shape(
        ("question",),
        question=text("What to answer, in whole words; Korean and English.", _MOST),
        session=text("Goes on with the conversation of that name, and begins it.", 100),
        k=number("Passages looked for.", 1, _MOST_K, 8),
        multi_hop=flag("Take the question apart into several searches first: slower."),
    ),
    _ask,
    asks_network=True,
    writes=True,
)
