"""What a new harvest changed on the copy: as a changeset, and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from typing import Final, cast

import apsw

from core.errors.cases.resolutions import UNTOUCHED
from core.flows.transcripts.again.report import LISTED, Counts, Drafts, GoneCase, ImportAgain
from core.flows.transcripts.again.scope import kept_cases
from core.flows.transcripts.again.work import Work
from core.store import open_store
from core.store.journal.journal import key_of
from core.store.sql import number

_HARVESTED: Final = (
    "error_kb", "case_key", "fingerprint", "occurrence", "resolution", "entry", "evidence", "result_verdict",
    "rule_draft", "correction", "practice_finding", "before_run",
)  # fmt: skip
"""What a harvest writes, of the tables that a change is recorded of."""
_COUNTS = """SELECT (SELECT count(*) FROM error_kb),
 (SELECT count(*) FROM fingerprint), (SELECT count(*) FROM occurrence),
 count(*) FILTER (WHERE status = 'draft'), count(*) FILTER (WHERE status = 'verified'),
 count(*) FILTER (WHERE status = 'rejected') FROM resolution"""
_MISSED = """SELECT count(DISTINCT case_id) FROM fingerprint f WHERE missed IS NOT NULL
 AND NOT EXISTS (SELECT 1 FROM fingerprint g WHERE g.case_id = f.case_id AND g.missed IS NULL)"""


def changes_of(work: Work) -> bytes:
    """What turns the casebook as it was into the one harvested again; empty where nothing differs."""
    with open_store(work.copy) as copy:
        con = copy.con
        con.execute("ATTACH ? AS base", (str(work.base),))
        with closing(apsw.Session(con, "main")) as session:
            there = {str(row[0]) for row in con.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
            for table in _HARVESTED:
                if table in there:
                    session.attach(table)
                    session.diff("base", table)
            return bytes(session.changeset())


def report_of(work: Work, changeset: bytes) -> ImportAgain:
    """What the changes come to."""
    ops = Counter[tuple[str, str]]()
    gone: list[int] = []
    rewritten = 0
    for item in apsw.Changeset.iter(changeset) if changeset else ():
        ops[item.name, item.op] += 1
        if item.name == "error_kb" and item.op == "DELETE":
            gone.append(cast("int", key_of(item)))
        rewritten += item.name == "resolution" and item.op == "UPDATE"
    with open_store(work.base) as base, open_store(work.copy) as copy:
        before, after = _counts(base.con), _counts(copy.con)
        untouched = _untouched(base.con)
        removed = ops["resolution", "DELETE"]
        return ImportAgain(
            sessions=number(copy.con, "SELECT count(*) FROM again_session WHERE done < 2"),
            before=before,
            after=after,
            drafts=Drafts(rewritten, removed, ops["resolution", "INSERT"], untouched - removed - rewritten),
            kept=before.drafts + before.verified + before.rejected - untouched,
            cases_added=ops["error_kb", "INSERT"],
            cases_removed=len(gone),
            no_longer_harvested=number(copy.con, _MISSED),
            gone=_named(base.con, gone[:LISTED]),
        )


def _counts(con: apsw.Connection) -> Counts:
    row = con.execute(_COUNTS).fetchone()
    return Counts(*cast("tuple[int, int, int, int, int, int]", row))


def _untouched(con: apsw.Connection) -> int:
    """The drafts that may be replaced."""
    kept = kept_cases(con)
    rows = con.execute(f"SELECT case_id, count(*) FROM resolution WHERE {UNTOUCHED} GROUP BY 1").fetchall()
    return sum(count for case_id, count in cast("list[tuple[int, int]]", rows) if case_id not in kept)


def _named(con: apsw.Connection, cases: Sequence[int]) -> tuple[GoneCase, ...]:
    sql = (
        "SELECT coalesce((SELECT key_line FROM fingerprint WHERE case_id = error_kb.id ORDER BY first_seen LIMIT 1),"
        " error_normalized) FROM error_kb WHERE id = ?"
    )
    found = ((case_id, con.execute(sql, (case_id,)).fetchone()) for case_id in cases)
    return tuple(GoneCase(case_id, str(row[0])) for case_id, row in found if row is not None)
