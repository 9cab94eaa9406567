"""What a case is called: the line it was first seen with. One that others were merged into keeps its own."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import apsw

from core.errors.identity.normalize import normalize_error


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
