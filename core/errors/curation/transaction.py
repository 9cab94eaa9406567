"""One act on one case or many: one change in the history, and a conflict where somebody was faster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import apsw

from core.base.fault import Fault
from core.errors.cases.derived import own_titles, refresh_case
from core.errors.curation.case_diff import Unlike
from core.errors.curation.fix_input import Written
from core.errors.curation.optimistic_lock import Conflict, Seen, clash
from core.errors.curation.other_fixes import Beside
from core.store import Store, change, now

MOST_CASES = 10_000


@dataclass(frozen=True, slots=True)
class Curated:
    """What an act did, as one change in the history (`change` None: nothing was changed).

    `cases` were changed and `resolutions` were written or decided; `unchanged` cases had nothing to do; `conflicts`
    were left as they are. `made`: the case that a split made. `differed`: what was merged though it was not obviously
    the same. `beside`: the fix decided on where others answer for other errors of its case.
    """

    SCHEMA: ClassVar[str] = "curation.v1"

    act: str
    change: int | None
    cases: tuple[int, ...] = ()
    resolutions: tuple[int, ...] = ()
    unchanged: tuple[int, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    made: int | None = None
    differed: tuple[Unlike, ...] = ()
    beside: tuple[Beside, ...] = ()


@dataclass(frozen=True, slots=True)
class Done:
    """What an act did to one case: the resolution it wrote or decided, and further cases it touched."""

    resolution: int | None = None
    others: tuple[int, ...] = ()


Do = Callable[[apsw.Connection, Seen, str], Done | None]
"""One case's part of an act, inside the transaction, with the time; None: there was nothing to do."""


def decide(
    store: Store, actor: str, act: str, doing: str, seen: Sequence[Seen], do: Do, mine: Written | None = None
) -> Curated:
    """Do one act on each case that is still as it was `seen`, in one change titled `doing` and the error's name.

    Raises Fault invalid_input for no case or too many, and what `Store.transaction` raises: then nothing was done.
    """
    cases = tuple(dict.fromkeys(seen))
    if not 1 <= len(cases) <= MOST_CASES:
        raise Fault("invalid_input", f"{len(cases)} cases to decide", f"give 1 to {MOST_CASES:,}")
    done: dict[int, Done] = {}
    unchanged: list[int] = []
    conflicts: list[Conflict] = []
    ts = now()
    with change(store, actor, f"{doing}: {about(store.con, cases)}") as made:
        for one in cases:
            conflict = clash(store.con, one, mine, whatever_status=act == "verify" and mine is None)
            if conflict is not None:
                conflicts.append(conflict)
                continue
            did = do(store.con, one, ts)
            if did is None:
                unchanged.append(one.case_id)
            else:
                done[one.case_id] = did
                made.subjects.add(("error_kb", one.case_id))
        for case_id in {case_id for at, did in done.items() for case_id in (at, *did.others)}:
            refresh_case(store.con, case_id)
    written = tuple(did.resolution for did in done.values() if did.resolution is not None)
    return Curated(act, made.id, tuple(done), written, tuple(unchanged), tuple(conflicts))


def about(con: apsw.Connection, cases: Sequence[Seen]) -> str:
    """What the cases are called in the history: the first key line, and how many more."""
    own = own_titles(con, [cases[0].case_id]).get(cases[0].case_id)
    row = con.execute(
        "SELECT coalesce(?2, (SELECT key_line FROM fingerprint WHERE case_id = ?1 ORDER BY first_seen LIMIT 1),"
        " (SELECT error_normalized FROM error_kb WHERE id = ?1), '')",
        (cases[0].case_id, None if own is None else own.key_line),
    ).fetchone()
    line = str(row[0] if row else "")[:80]
    return line if len(cases) == 1 else f"{line} and {len(cases) - 1} more"
