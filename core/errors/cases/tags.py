"""The tags of the fixes that may answer, as SQL: cases are listed and counted by them."""

from __future__ import annotations

import unicodedata

import apsw

from core.errors.cases.current import ANSWERS

_TAGS = (
    "resolution, json_each(CASE WHEN json_valid(resolution.tags) THEN resolution.tags ELSE '[]' END) AS tag"
    f" WHERE resolution.tags <> '[]' AND {ANSWERS}"
)
TAGGED = f"SELECT DISTINCT resolution.case_id, tag.value AS tag FROM {_TAGS}"
"""Each case with each of its tags."""
HAS_TAG = f"s.case_id IN (SELECT resolution.case_id FROM {_TAGS} AND tag.value IN (?, ?))"
"""Whether the case of a row `s` has a tag; its values are `forms` of it."""


def tags_of_case(con: apsw.Connection, case_id: int) -> tuple[str, ...]:
    """Every tag of its fixes."""
    rows = con.execute(f"SELECT DISTINCT tag.value FROM {_TAGS} AND resolution.case_id = ?", (case_id,))
    return tuple(str(tag) for (tag,) in rows)


def one_form(tag: str) -> str:
    """A tag as it is stored and shown: Korean may be typed in two ways that look the same."""
    return unicodedata.normalize("NFC", tag)


def forms(tag: str) -> tuple[str, str]:
    """The ways a tag may stand in a casebook."""
    return one_form(tag), unicodedata.normalize("NFD", tag)
