"""Which documents a search may find: conditions inside the query, never applied to its answer (decision 20)."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Final, cast

import apsw

from core.base.fault import Fault
from core.library.documents.rows import LANGUAGES, MEDIA, SOURCE_TYPES, TRUST_LEVELS, TrustLevel
from core.store.sql import storable

LANG: Final = "lower(substr(d.lang, 1, instr(replace(d.lang, '_', '-') || '-', '-') - 1))"
"""The primary subtag of a document's language, of a row `d` of `documents`."""
_STARS: Final = 2
"""Stars of a glob that a pattern may try in every way: as often as in the square of the path's length."""
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9:.]{5,15}(Z|[+-][0-9]{2}:?[0-9]{2})?)?")


@dataclass(frozen=True, slots=True)
class SearchFilters:
    """What a document must be; every one given must hold, of `tags_any` one.

    `path_glob`: `*` and `?` stay within a folder, `**` does not; without `/` it is the file's name. `trust_min`: at
    least as trusted. `lang`: the primary subtag counts (`ko-KR` is `ko`), `ko` and `en` include `mixed`. `doc`: an id
    or a path. `since` and `until` bound the document's own date (`updated_at`).
    """

    tags_any: tuple[str, ...] = ()
    lang: str | None = None
    path_glob: str | None = None
    trust_min: TrustLevel | None = None
    source: str | None = None
    source_type: str | None = None
    media: str | None = None
    doc: str | None = None
    code_lang: str | None = None
    repo: str | None = None
    since: str | None = None
    until: str | None = None

    def given(self) -> tuple[tuple[str, str], ...]:
        """The filters that are set, by name, as they are told."""
        values: list[tuple[str, str]] = [("tags_any", ",".join(self.tags_any))]
        values += [(one.name, getattr(self, one.name) or "") for one in fields(self) if one.name != "tags_any"]
        return tuple((name, value) for name, value in values if value)


EVERYTHING: Final = SearchFilters()


def conditions(filters: SearchFilters) -> tuple[list[str], list[str]]:
    """The filters, but for the glob, as tests of a row `d` of `documents`. Raises Fault invalid_input."""
    tests: list[str] = []
    values: list[str] = []
    if filters.lang:
        tests.append(f"{LANG} IN (SELECT value FROM json_each(?))")
        own = primary(filters.lang)
        values.append(json.dumps([own, "mixed"] if own in ("ko", "en") else [own]))
    _one_of("type", filters.source_type, SOURCE_TYPES)
    _one_of("medium", filters.media, MEDIA)
    for column in ("source_type", "code_lang", "repo"):
        _equal(tests, values, f"d.{column}", getattr(filters, column))
    _equal(tests, values, "d.source_id", filters.source)
    _equal(tests, values, "d.media_type", filters.media)
    if filters.tags_any:
        tests.append("d.doc_id IN (SELECT doc_id FROM document_tags WHERE tag IN (SELECT value FROM json_each(?)))")
        values.append(json.dumps([_nfc(tag) for tag in filters.tags_any]))
    if filters.trust_min:
        _one_of("trust level", filters.trust_min, TRUST_LEVELS)
        tests.append("d.trust_level IN (SELECT value FROM json_each(?))")
        values.append(json.dumps(TRUST_LEVELS[: TRUST_LEVELS.index(filters.trust_min) + 1]))
    if filters.doc:
        tests.append("(d.doc_id = ? OR d.workspace_path = ?)")
        values += [storable(filters.doc), _nfc(filters.doc)]
    for sign, date in ((">=", filters.since), ("<=", filters.until)):
        if date:
            tests.append(f"d.updated_at {sign} ?")
            values.append(_date(date) if sign == ">=" or len(date) > 10 else f"{_date(date)}T99")
    return tests, values


def documents_passing(con: apsw.Connection, filters: SearchFilters) -> tuple[str, ...] | None:
    """The ids of the documents that pass, by path; None where no filter is set. Raises Fault invalid_input."""
    if filters == EVERYTHING:
        return None
    if filters.lang:
        rows = con.execute(f"SELECT DISTINCT {LANG} FROM documents d").fetchall()
        _one_of("language", primary(filters.lang), tuple(dict.fromkeys((*LANGUAGES, *(str(row[0]) for row in rows)))))
    tests, values = conditions(filters)
    where = f" WHERE {' AND '.join(tests)}" if tests else ""
    rows = con.execute(
        f"SELECT d.doc_id, d.workspace_path FROM documents d{where} ORDER BY d.workspace_path", values
    ).fetchall()
    found = cast("list[tuple[str, str]]", rows)
    if filters.path_glob:
        fits = path_fits(filters.path_glob)
        found = [row for row in found if fits(row[1])]
    return tuple(doc_id for doc_id, _ in found)


def chunks_passing(con: apsw.Connection, documents: tuple[str, ...] | None) -> frozenset[int] | None:
    """The chunks of those documents, for a search by vectors; None: all."""
    if documents is None:
        return None
    rows = con.execute(
        "SELECT c.id FROM json_each(?) CROSS JOIN chunks c ON c.doc_id = value", (json.dumps(documents),)
    ).fetchall()
    return frozenset(cast("int", row[0]) for row in rows)


def path_fits(glob: str) -> Callable[[str], bool]:
    """Whether a whole path is as a glob says. One of few stars is a pattern; in one of many that would try every way
    to share a path out among them, so there the places are followed that each part may end at."""
    said = _nfc(glob).removeprefix("./")
    if "/" not in said:
        said = f"**/{said}"
    parts: list[str] = re.findall(r"\*\*/|\*\*|\*|\?|[^*?]+", said)
    if sum("*" in part for part in parts) > _STARS:
        return lambda path: len(path) in _ends(parts, path)
    signs = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    pattern = re.compile("".join(signs.get(part) or re.escape(part) for part in parts), re.DOTALL)
    return lambda path: pattern.fullmatch(path) is not None


def _ends(parts: Sequence[str], path: str) -> set[int]:
    """Where these parts may end that begin where the path does."""
    at: set[int] = {0}
    for part in parts:
        if not at:
            break
        first = min(at)
        if part == "**/":
            at |= {place + 1 for place in range(first, len(path)) if path[place] == "/"}
        elif part == "**":
            at = set(range(first, len(path) + 1))
        elif part == "*":
            begins: dict[int, int] = {path.find("/", place): place for place in sorted(at, reverse=True)}
            at = {one for end, place in begins.items() for one in range(place, (len(path) if end < 0 else end) + 1)}
        elif part == "?":
            at = {place + 1 for place in at if path[place : place + 1] not in ("", "/")}
        else:
            at = {place + len(part) for place in at if path.startswith(part, place)}
    return at


def primary(lang: str) -> str:
    """The language of a tag, without script and region: `ko` of `ko-KR` and of `ko_KR`."""
    return lang.strip().lower().replace("_", "-").partition("-")[0]


def _one_of(name: str, value: str | None, choices: Sequence[str]) -> None:
    """Raises Fault invalid_input for a value that no document can have."""
    if value and value not in choices:
        raise Fault("invalid_input", f"no such {name}: {value[:60]}", f"one of {', '.join(choices)}")


def _equal(tests: list[str], values: list[str], column: str, value: str | None) -> None:
    if value:
        tests.append(f"{column} = ?")
        values.append(_nfc(value))


def _date(text: str) -> str:
    if not _DATE.fullmatch(text):
        raise Fault("invalid_input", f"{text[:60]} is no date", "write it like 2026-01-31, or with a time after a T")
    return text.replace(" ", "T")


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", storable(text))
