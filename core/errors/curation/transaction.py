"""One act on one case or many: who acts, one change in the history, a conflict where another was faster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

import apsw

from core.base.fault import Fault
from core.errors.cases.columns import ANSWERS, CURRENT_FIRST
from core.errors.cases.derived import own_titles, refresh_case
from core.errors.curation.case_diff import Unlike
from core.errors.curation.fix_input import Written
from core.errors.curation.optimistic_lock import Conflict, Seen, clash
from core.store import Store, change, now
from core.text import redact

MACHINES = frozenset({"harvest", "import", "record", "hook"})
"""Authors that are no persons."""


def person(environ: Mapping[str, str] | None = None) -> str:
    """The name of whoever is logged in, on one line; `person` where nobody knows."""
    env = os.environ if environ is None else environ
    for variable in ("LOGNAME", "USER", "USERNAME"):
        name = " ".join(redact(env.get(variable, "")).split())[:64]
        if name:
            return f"{name} (person)" if name in MACHINES else name
    return "person"


MOST_OTHERS = 10
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
    found = (Beside(case_id, fix, _others(con, case_id, fix)) for case_id, fix in list(decided)[:MOST_OTHERS])
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
