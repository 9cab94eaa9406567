"""How often a rule was shown, helped, was dismissed: counted in one transaction each, so that nothing is lost."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, cast

from core.rules.format.rule import Usage
from core.store import Store, faults, now
from core.store.sql import storable

Verdict = Literal["shown", "helped", "dismissed"]


def count_use(store: Store, rules: Iterable[tuple[str, str]], verdict: Verdict) -> None:
    """Count one use of each rule (file, id). Only what was shown counts, never what was only scored. Raises Fault."""
    with store.transaction() as con:
        con.executemany(
            f"INSERT INTO rule_use(path, rule_id, {verdict}, last) VALUES (?, ?, 1, ?)"
            f" ON CONFLICT(path, rule_id) DO UPDATE SET {verdict} = {verdict} + 1, last = excluded.last",
            [(storable(path), storable(rule_id), now()) for path, rule_id in rules],
        )


def count_back(store: Store, path: str, rule_id: str, verdict: Verdict) -> None:
    """Take one use back: what a person said of a rule and took back never happened. Raises Fault."""
    with store.transaction() as con:
        con.execute(
            f"UPDATE rule_use SET {verdict} = max(0, {verdict} - 1) WHERE path = ? AND rule_id = ?",
            (storable(path), storable(rule_id)),
        )


def usage_of(store: Store, path: str, rule_id: str) -> Usage | None:
    """The counts of one rule; None where it was never used. Raises Fault."""
    with faults(store.path):
        row = store.con.execute(
            "SELECT path, rule_id, shown, helped, dismissed, last FROM rule_use WHERE path = ? AND rule_id = ?",
            (storable(path), storable(rule_id)),
        ).fetchone()
    return None if row is None else Usage(*cast("tuple[str, str, int, int, int, str]", row))


def usage(store: Store) -> dict[tuple[str, str], Usage]:
    """The counts by file and id."""
    rows = store.con.execute("SELECT path, rule_id, shown, helped, dismissed, last FROM rule_use").fetchall()
    found = (Usage(*row) for row in cast("list[tuple[str, str, int, int, int, str]]", rows))
    return {(one.path, one.rule_id): one for one in found}
