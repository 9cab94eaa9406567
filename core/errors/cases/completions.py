"""Values of the casebook that a shell completes: case ids, projects and tools."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, cast

import apsw

Kind = Literal["case", "project", "tool"]
_MOST = 50
_RECENT = 2_000
"""Cases whose tools are offered: a count that takes a millisecond in a casebook of any size."""
_LARGEST_POWER = 12
"""Digits that an id has at most here; no casebook has more cases."""
_SAFE = re.compile(r"[\w./@+~-]+")
"""Values that no shell splits or expands. Others are left out: a folder's name is foreign text."""

_NAMES = {
    "project": "SELECT DISTINCT name FROM project_name WHERE shown = 1 ORDER BY name",
    "tool": "SELECT DISTINCT tool FROM (SELECT tool FROM case_state ORDER BY last_seen DESC, case_id DESC"
    f" LIMIT {_RECENT}) ORDER BY tool",
}


class Completion(NamedTuple):
    """One value with what it is: of a case its error, else nothing."""

    value: str
    about: str = ""


def completions(con: apsw.Connection, kind: Kind, prefix: str) -> tuple[Completion, ...]:
    """At most 50 values that begin with `prefix`, new cases first. Reads a bounded number of rows."""
    if kind == "case":
        return _cases(con, prefix)
    found = (str(row[0]) for row in con.execute(_NAMES[kind]))
    values = (value for value in found if value.startswith(prefix) and _SAFE.fullmatch(value))
    return tuple(Completion(value) for value, _ in zip(values, range(_MOST), strict=False))


def _cases(con: apsw.Connection, prefix: str) -> tuple[Completion, ...]:
    if not prefix:
        ids = con.execute(f"SELECT case_id FROM case_state ORDER BY last_seen DESC, case_id DESC LIMIT {_MOST}")
    elif prefix.isascii() and prefix.isdigit() and prefix[0] != "0" and len(prefix) <= _LARGEST_POWER:
        # Ids that begin with 12 are 12, 120 to 129, 1200 to 1299, …: a few ranges of the primary key.
        ranges = [(int(prefix) * 10**more, (int(prefix) + 1) * 10**more) for more in range(_LARGEST_POWER)]
        union = " UNION ALL ".join("SELECT case_id FROM case_state WHERE case_id >= ? AND case_id < ?" for _ in ranges)
        ids = con.execute(f"{union} LIMIT {_MOST}", [bound for one in ranges for bound in one])
    else:
        return ()
    key_line = "SELECT key_line FROM fingerprint WHERE case_id = ? ORDER BY first_seen, fingerprint LIMIT 1"
    return tuple(
        Completion(str(case), str(con.execute(key_line, (case,)).get or ""))
        for case in [cast("int", row[0]) for row in ids]
    )
