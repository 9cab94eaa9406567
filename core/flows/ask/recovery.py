"""An answer whose process ended in the middle of its words: they are checked like those of any other."""

from __future__ import annotations

from typing import Any

import apsw

from core.base.trace import Step, facts
from core.base.wire import to_wire
from core.flows.ask.options import known_glossary
from core.flows.ask.retrieve import by_chunk
from core.flows.ask.verify import settle
from core.library.ask.checks.markers import checked_markers
from core.library.ask.prompt import tokens


def broken_off(con: apsw.Connection, answer: dict[str, Any], packed: list[str], text: str) -> dict[str, Any]:
    """The answer, as `answer.v1`, with the words that had come and why no more did. `packed`: the chunks it was given.

    Where one of them is gone since, no sentence is held against any: the markers count the passages. Raises apsw
    errors, and LookupError or TypeError where it is no such answer.
    """
    found = by_chunk(con, packed)
    marked = checked_markers(text.strip(), len(packed))
    why = "its process ended in the middle of it; this is what had come" if text else "its process ended before a word"
    steps = [Step("model", "failed", why, facts(characters=len(text)))]
    made = {**answer}
    if marked.text:
        made["answer"] = marked.text
        made["citations"] = [answer["packed"][one - 1] for one in sorted(marked.used)]
        made["usage"] = {**answer["usage"], "completion_tokens": tokens(text)}
    if marked.text and len(found) == len(packed):
        settled = settle(text.strip(), found, broken=True, glossary=known_glossary(), question=answer["query"])
        made["claims"] = [to_wire(one) for one in settled.claims]
        made["invented"] = [to_wire(one) for one in settled.invented]
        steps.append(settled.step)
    trace = answer["trace"]
    return {**made, "trace": [*trace[:-1], *map(to_wire, steps), *trace[-1:]]}
