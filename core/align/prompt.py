"""The prompt that asks a model for entries with quotes, and never for places: a template, to be sent as it is or
changed. What comes back is read by `core.align.input`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

EXTRACTION_PROMPT: Final = """\
Read the numbered messages of a session and write down what is worth remembering, as JSON:

{"entries": [{"entryId": "e1", "type": "fact", "title": "one sentence",
  "evidence": [{"messageIndex": 0, "quote": "words copied from that message"}]}]}

- type: fact, decision, preference, task, or lesson.
- Each entry needs at least one piece of evidence.
- messageIndex: the number of the message the quote is copied from, from 0.
- quote: 30 to 200 characters, copied letter by letter from one message. Do not translate, correct or shorten it. To
  leave something out, write ... between two copied parts; never leave out a "not", a condition or a limit.
- Do not give spanStart or spanEnd: where the quote stands is found from the quote.
- What no message says is no entry.

Messages:
"""


def extraction_prompt(messages: Sequence[str]) -> str:
    """The template with the messages of a session behind it, numbered from 0."""
    return EXTRACTION_PROMPT + "\n\n".join(f"[{index}]\n{text}" for index, text in enumerate(messages)) + "\n"
