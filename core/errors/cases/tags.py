"""The tags of the fixes that may answer and of cases, as SQL: cases are listed and counted by them."""

from __future__ import annotations

import unicodedata

import apsw

from core.errors.cases.current import ANSWERS

_TAGS = (
    "resolution, json_each(CASE WHEN json_valid(resolution.tags) THEN resolution.tags ELSE '[]' END) AS tag"
    f" WHERE resolution.tags <> '[]' AND {ANSWERS}"
)
NO_LONGER_HARVESTED = "no longer harvested"
"""The tag of a case that stays only because a person decided on it: a new harvest finds none of its errors."""
MISSED = (
    "EXISTS (SELECT 1 FROM fingerprint lost WHERE lost.case_id = {case} AND lost.missed IS NOT NULL)"
    " AND NOT EXISTS (SELECT 1 FROM fingerprint found WHERE found.case_id = {case} AND found.missed IS NULL)"
)
"""Whether a case has that tag; `case` is its number as SQL."""
TAGGED = (
    f"SELECT DISTINCT resolution.case_id, tag.value AS tag FROM {_TAGS}"
    f" UNION ALL SELECT DISTINCT one.case_id, '{NO_LONGER_HARVESTED}' FROM fingerprint one"
    f" WHERE one.missed IS NOT NULL AND {MISSED.format(case='one.case_id')}"
)
"""Each case with each of its tags."""
HAS_TAG = f"s.case_id IN (SELECT case_id FROM ({TAGGED}) WHERE tag IN (?, ?))"
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
