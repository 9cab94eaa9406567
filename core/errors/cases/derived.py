"""What is derived from a case's rows: title, tags, state and the browsing index. Rebuilt from them at any time."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import apsw

from core.errors.cases.columns import ANSWERS, REPOSITORY_OF_CASE, mirror_current
from core.errors.identity.normalize import normalize_error
from core.errors.incidents.queue_state import refresh_followers, refresh_queue
from core.lexical import bigrams
from core.text import clean


@dataclass(frozen=True, slots=True)
class Title:
    """The finer case that names a case."""

    fingerprint: str
    key_line: str
    tool: str


def own_titles(con: apsw.Connection, cases: Sequence[int]) -> dict[int, Title]:
    """The names of those cases that others were merged into; the others are named by what they were first seen with.

    Its own are the lines with the key that the case was made for; where none has it any more, it is left out.
    """
    rows = con.execute(
        "SELECT f.case_id, e.error_normalized, f.fingerprint, f.key_line, f.tool"
        " FROM (SELECT DISTINCT into_id FROM json_each(?) CROSS JOIN merged ON into_id = value)"
        " JOIN error_kb e ON e.id = into_id JOIN fingerprint f ON f.case_id = e.id"
        " ORDER BY f.case_id, f.first_seen, f.fingerprint",
        (json.dumps(list(cases)),),
    )
    found: dict[int, Title] = {}
    for case_id, key, mark, line, tool in cast("list[tuple[int, str, str, str, str]]", rows.fetchall()):
        if case_id not in found and normalize_error(line) == key:
            found[case_id] = Title(mark, line, tool)
    return found


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


INDEXED = 4_096
"""Code points of a text that browsing can find."""
LINES = 50
"""Key lines of a case that browsing can find."""

TOOL_OF_CASE = (
    "SELECT coalesce((SELECT f.tool FROM fingerprint f WHERE f.case_id = case_state.case_id"
    " ORDER BY f.tool = 'unknown', f.first_seen, f.fingerprint LIMIT 1), 'unknown')"
)
"""The tool of a case, as a subquery of an update of `case_state`."""


def name_tool(con: apsw.Connection, case_id: int) -> None:
    """Let the case's state name its tool anew. Reads every fingerprint of the case."""
    con.execute(f"UPDATE case_state SET tool = ({TOOL_OF_CASE}) WHERE case_id = ?", (case_id,))
    _keep_tool(con, case_id)


def _keep_tool(con: apsw.Connection, case_id: int) -> None:
    """A case that others were merged into keeps the tool of its own name."""
    own = own_titles(con, [case_id]).get(case_id)
    if own is not None and own.tool != "unknown":
        con.execute("UPDATE case_state SET tool = ? WHERE case_id = ?", (own.tool, case_id))


def index_case(con: apsw.Connection, case_id: int) -> None:
    """Write the case anew into the browsing index (`case_fts`)."""
    row = con.execute(
        "SELECT error_normalized, error_raw, resolution FROM error_kb WHERE id = ?", (case_id,)
    ).fetchone()
    if row is None:
        con.execute("DELETE FROM case_fts WHERE rowid = ?", (case_id,))
        return
    normalized, raw, resolution = cast("tuple[str, str | None, str | None]", row)
    named = con.execute("SELECT key_line FROM fingerprint WHERE case_id = ? LIMIT ?", (case_id, LINES)).fetchall()
    key_lines = "\n".join(cast("str", line) for (line,) in named) or normalized
    body = clean(raw or "", INDEXED)
    fix = clean(resolution or "", INDEXED)
    if fix and (tags := tags_of_case(con, case_id)):
        fix += f"\n{clean(' '.join(tags), INDEXED)}"
    con.execute(
        "INSERT OR REPLACE INTO case_fts(rowid, key_line, raw, resolution, bigrams) VALUES (?, ?, ?, ?, ?)",
        (case_id, key_lines[:INDEXED], body, fix, bigrams(f"{key_lines}\n{body}\n{fix}")),
    )


def refresh_case(con: apsw.Connection, case_id: int) -> None:
    """Bring everything derived from a case's rows up to date: the mirror in `error_kb`, its state, the index."""
    if con.execute("SELECT 1 FROM error_kb WHERE id = ?", (case_id,)).fetchone() is None:
        con.execute("DELETE FROM case_state WHERE case_id = ?", (case_id,))
        index_case(con, case_id)
        from core.embedding.index.stored import forget  # a trigger cannot reach the seed's vec0 table

        forget(con, "error", [case_id])
        refresh_followers(con, case_id)
        return
    mirror_current(con, case_id)
    # Times: those of every finer case and of every time one was seen, whatever order they were stored in.
    con.execute(
        "UPDATE case_state SET (seen, first_seen, last_seen) = ("
        "  SELECT count(o.id),"
        "    coalesce(min(min(f.first_seen), coalesce(min(o.ts), min(f.first_seen))), case_state.first_seen),"
        "    coalesce(max(max(f.first_seen), coalesce(max(o.ts), max(f.first_seen))), case_state.last_seen)"
        "  FROM fingerprint f LEFT JOIN occurrence o USING (fingerprint) WHERE f.case_id = case_state.case_id"
        "), project = coalesce((SELECT project FROM occurrence JOIN fingerprint USING (fingerprint)"
        "  WHERE case_id = case_state.case_id AND project <> '' ORDER BY ts DESC, id DESC LIMIT 1), ''),"
        f" repository = {REPOSITORY_OF_CASE}, tool = ({TOOL_OF_CASE}) WHERE case_id = ?",
        (case_id,),
    )
    _keep_tool(con, case_id)
    refresh_queue(con, case_id)
    refresh_followers(con, case_id)
    index_case(con, case_id)
