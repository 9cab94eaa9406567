"""What is derived from a case's rows: its state and its line in the browsing index. Rebuilt from them at any time."""

from __future__ import annotations

from typing import cast

import apsw

from core.errors.cases.current import mirror_current
from core.errors.cases.projects import REPOSITORY_OF_CASE
from core.errors.cases.tags import tags_of_case
from core.errors.cases.title import own_titles
from core.errors.incidents.queue_state import refresh_followers, refresh_queue
from core.lexical import bigrams
from core.text import clean

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
