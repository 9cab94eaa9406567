"""Citations that stand in a text: a quote in Markdown whose last line names the place.

    > Each file is a transaction of its own.
    > — docs/library.md#L17-L20 · The library > What is read

They are part of what somebody wrote, so its history, its undo and its exports have them too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Final

import apsw

from core.base.fault import Fault
from core.base.lazy_pattern import lazy_pattern
from core.library.citations.citation import parse
from core.library.citations.store import KeptCitation, passage_named
from core.library.search.lexical_query import Term, lexical_query
from core.library.search.rows import citation_of, passages
from core.text import clean

QUOTE: Final = 240
"""Code points of a quote at most: what one reads at a glance."""
MOST_CITED: Final = 50
"""Citations of one text that are looked at."""
_DOT: Final = " · "
_SENTENCES = lazy_pattern(r"(?<=[.!?。])[ \t]+|\n+")
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+")
_PLACE = re.compile(r"> — (?P<uri>[^#\n]{1,4096}#[^ \n]{1,300})(?: · (?P<headings>[^\n]{0,2000}))?\s*")


def citation_block(con: apsw.Connection, name: str, query: str = "") -> str:
    """A citation of the passage with this chunk id or URI, to put into a text; of its words those that answer `query`.

    Raises Fault not_indexed where there is no such passage, invalid_input where its path cannot stand on a line.
    """
    found, _document = passage_named(con, name)
    uri = citation_of(passages(con, [found.id])[found.id]).uri
    if clean(uri) != uri or "\n" in uri:
        raise Fault("invalid_input", "its path cannot stand in a text", "rename the file, and read its folder again")
    said = _plain(telling(found.text, found.section_label or "", lexical_query(query).terms))
    headings = _DOT + clean(" > ".join(found.heading_path)).replace("\n", " ") if found.heading_path else ""
    quoted = "\n".join(f"> {line}" for line in said.split("\n"))
    return f"{quoted}\n> — {uri}{headings}\n"


def _plain(said: str) -> str:
    """The longest stretch without control signs: word for word what stands there, and inert."""
    return max((clean(part) for part in _CONTROLS.split(said)), key=len).strip()


def quote_of(con: apsw.Connection, name: str, query: str = "") -> str:
    """Of the passage with this chunk id or URI the words that answer `query`. Raises Fault not_indexed."""
    found, _document = passage_named(con, name)
    return telling(found.text, found.section_label or "", lexical_query(query).terms)


def telling(text: str, label: str, terms: Sequence[Term]) -> str:
    """The sentence or line of a passage with most of the words asked for, its heading aside; the first of equals."""
    body = text.removeprefix(label).strip() or text.strip()
    parts = [part for part in (one.strip() for one in _SENTENCES.split(body)) if part]
    best = max(range(len(parts)), key=lambda at: (_held(parts[at], terms), -at), default=0)
    found = parts[best] if parts else body
    if len(found) <= QUOTE:
        return found
    end = found.rfind(" ", QUOTE // 2, QUOTE)
    return found[: end if end > 0 else QUOTE]


def _held(part: str, terms: Sequence[Term]) -> int:
    folded = part.casefold()
    return sum(any(form in folded for form in term.forms) for term in terms)


def cited_in(text: str, item_id: str = "") -> tuple[KeptCitation, ...]:
    """The citations that stand in a text, in order, each once; what only looks like one is passed over."""
    found: dict[tuple[str, str], KeptCitation] = {}
    for uri, quote, headings in _blocks(text):
        try:
            path = parse(uri).path
        except Fault:
            continue
        kept = KeptCitation(0, "resolution", item_id, path, uri, quote, "", "", json.dumps(headings), "", "")
        found.setdefault((uri, quote), kept)
        if len(found) == MOST_CITED:
            break
    return tuple(found.values())


def _blocks(text: str) -> Iterator[tuple[str, str, list[str]]]:
    quote: list[str] = []
    for line in text.split("\n"):
        if quote and (place := _PLACE.fullmatch(line)):
            headings = place["headings"]
            yield place["uri"], "\n".join(quote).strip(), headings.split(" > ") if headings else []
            quote = []
        elif line.startswith(">"):
            quote.append(line[1:].removeprefix(" ").rstrip())
        else:
            quote = []
