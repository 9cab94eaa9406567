"""What else a case holds where one of its fixes was decided on: fixes that answer for other errors of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

import apsw

from core.errors.cases.columns import ANSWERS, CURRENT_FIRST

MOST = 10
"""Cases of one act that are told of."""


@dataclass(frozen=True, slots=True)
class Beside:
    """A fix of a case that was decided on, or had been so before, and the `others` that answer for errors of the case
    which this one is not for: whoever came from one of them meant that."""

    case_id: int
    fix: int
    others: tuple[int, ...]


def beside(con: apsw.Connection, decided: Iterable[tuple[int, int]]) -> tuple[Beside, ...]:
    """Of cases, each with the fix that was decided on, those that hold others that answer. The best first."""
    found = (Beside(case_id, fix, _others(con, case_id, fix)) for case_id, fix in list(decided)[:MOST])
    return tuple(one for one in found if one.others)


def _others(con: apsw.Connection, case_id: int, fix: int) -> tuple[int, ...]:
    """For each error of the case the fix that answers for it alone, and what answers for the rest; not the same words
    again."""
    told = cast(
        "tuple[str | None, str] | None",
        con.execute("SELECT fingerprint, text FROM resolution WHERE id = ?", (fix,)).fetchone(),
    )
    if told is None:
        return ()
    rows = cast(
        "list[tuple[int, str | None, str]]",
        con.execute(
            f"SELECT id, fingerprint, text FROM resolution WHERE case_id = ? AND {ANSWERS} ORDER BY {CURRENT_FIRST}",
            (case_id,),
        ).fetchall(),
    )
    best: dict[str | None, tuple[int, str]] = {}
    for one, mark, text in rows:
        best.setdefault(mark, (one, text))
    return tuple(one for mark, (one, text) in best.items() if mark != told[0] and text != told[1])
