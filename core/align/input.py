"""Extraction by a model: the prompt that asks for entries with quotes, and the JSON of claims and messages read back.

The place of a quote is never taken from the model: it counts tokens, not characters (evidence-aligner-v2 1.1)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

from core.base.fault import Fault

ADVISED_LENGTH = (30, 200)
"""Code points of a good quote, as the extraction prompt asks for."""


@dataclass(frozen=True, slots=True)
class ExtractedQuote:
    """One quote of an entry and its message index as the model gave it, which no message need have.

    None: it gave none, or one that is not an integer.
    """

    message_index: int | None
    quote: str


@dataclass(frozen=True, slots=True)
class ExtractedEntry:
    """One claim with the quotes it rests on."""

    entry_id: str
    type: str
    title: str
    evidence: tuple[ExtractedQuote, ...]


@dataclass(frozen=True, slots=True)
class Extracted:
    """Everything extracted from one session; `warnings`: what in it was ignored or is not as advised."""

    entries: tuple[ExtractedEntry, ...]
    warnings: tuple[str, ...] = ()


def read_messages(text: str) -> tuple[str, ...]:
    """The messages of a session from a JSON array of texts, or of objects with a `text`.

    Raises Fault invalid_input for anything else, naming the message.
    """
    value = _json(text, "the messages are")
    if isinstance(value, Mapping) and isinstance(cast("Mapping[str, object]", value).get("messages"), list):
        value = cast("Mapping[str, object]", value)["messages"]
    if not isinstance(value, list):
        raise Fault("invalid_input", "the messages are not a JSON array", "pass strings, or objects with role and text")
    out: list[str] = []
    for index, one in enumerate(cast("list[object]", value)):
        message = cast("Mapping[str, object]", one).get("text") if isinstance(one, Mapping) else one
        if not isinstance(message, str):
            raise Fault("invalid_input", f"message {index} is not a string", 'pass a string, or {"role": …, "text": …}')
        out.append(message)
    return tuple(out)


def read_extracted(text: str) -> Extracted:
    """The entries of an extraction. Raises Fault invalid_input where it has no entries or one of them has no form."""
    return extracted_from(_json(text, "the extraction is"))


def extracted_from(value: object) -> Extracted:
    """The same from JSON that was read already. An object with `evidence` alone is one entry without an id."""
    if isinstance(value, Mapping):
        whole = cast("Mapping[str, object]", value)
        if "entries" not in whole and isinstance(whole.get("evidence"), list):
            entries: object = [{"entryId": "", **whole}]
        else:
            entries = whole.get("entries")
    else:
        entries = None
    if not isinstance(entries, list):
        raise Fault("invalid_input", "the extraction has no entries", 'give {"entries": [{"entryId", "evidence"}]}')
    warnings: list[str] = []
    out = tuple(_entry(one, at, warnings) for at, one in enumerate(cast("list[object]", entries)))
    seen: set[str] = set()
    for entry in out:
        if entry.entry_id in seen:
            warnings.append(f"entry {entry.entry_id}: duplicate id")
        seen.add(entry.entry_id)
    return Extracted(out, tuple(warnings))


def _entry(value: object, at: int, warnings: list[str]) -> ExtractedEntry:
    if not isinstance(value, Mapping):
        raise Fault("invalid_input", f"entry {at} is not an object", "add entryId, type, title and evidence")
    entry = cast("Mapping[str, object]", value)
    name = entry.get("entryId")
    if not isinstance(name, str):
        raise Fault("invalid_input", f"entry {at} has no entryId", "add a string as entryId")
    evidence = entry.get("evidence", [])
    if evidence is None:
        evidence = []
    if not isinstance(evidence, list):
        raise Fault(
            "invalid_input",
            f"entry {name}: the evidence is not an array",
            "pass an array of objects with messageIndex and quote",
        )
    quotes = tuple(_quote(one, name, index, warnings) for index, one in enumerate(cast("list[object]", evidence)))
    if not quotes:
        warnings.append(f"entry {name} has no evidence, so it cannot be promoted")
    return ExtractedEntry(name, _text(entry.get("type")), _text(entry.get("title")), quotes)


def _quote(value: object, name: str, index: int, warnings: list[str]) -> ExtractedQuote:
    where = f"entry {name}, quote {index}"
    if not isinstance(value, Mapping):
        raise Fault("invalid_input", f"{where}: not an object", "add messageIndex and quote")
    given = cast("Mapping[str, object]", value)
    if given.get("spanStart") is not None or given.get("spanEnd") is not None:
        warnings.append(f"{where}: casebook ignores spanStart and spanEnd and locates the quote itself")
    quote = given.get("quote")
    if not isinstance(quote, str):
        warnings.append(f"{where}: no quote")
        quote = ""
    low, high = ADVISED_LENGTH
    if quote and not low <= len(quote) <= high:
        warnings.append(f"{where} has {len(quote)} characters, but {low} to {high} are recommended")
    message = given.get("messageIndex")
    return ExtractedQuote(message if isinstance(message, int) and not isinstance(message, bool) else None, quote)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _json(text: str, what: str) -> object:
    if not text.strip():
        raise Fault("invalid_input", f"{what} empty", "pass JSON")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Fault("invalid_input", f"{what} not JSON: {error}", "correct the JSON") from None


def quotes_of(claims: Sequence[str]) -> Extracted:
    """Bare claims about the first message, as one entry without an id."""
    return Extracted((ExtractedEntry("", "", "", tuple(ExtractedQuote(0, claim) for claim in claims)),))


EXTRACTION_PROMPT: Final = """\
Read the numbered messages of a session and write down what is worth remembering, as JSON:

{"entries": [{"entryId": "e1", "type": "fact", "title": "one sentence",
  "evidence": [{"messageIndex": 0, "quote": "words copied from that message"}]}]}

- type: fact, decision, preference, task, or lesson.
- Each entry needs at least one piece of evidence.
- messageIndex: the number of the message the quote is copied from, from 0.
- quote: 30 to 200 characters, copied letter by letter from one message. Do not translate, correct or shorten it. To
  leave something out, write ... between two copied parts. Never leave out a "not", a condition or a limit.
- Do not give spanStart or spanEnd: casebook locates the quote.
- Add only what a message says.

Messages:
"""


def extraction_prompt(messages: Sequence[str]) -> str:
    """The template with the messages of a session behind it, numbered from 0."""
    return EXTRACTION_PROMPT + "\n\n".join(f"[{index}]\n{text}" for index, text in enumerate(messages)) + "\n"
