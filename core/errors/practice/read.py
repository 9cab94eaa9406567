"""Practices read from their findings: counted anew each time, so that a harvest or a rejected fix shows at once."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple, cast

import apsw

from core.errors.cases.columns import message_numbers, project_names
from core.errors.practice.practice import Approach, FoundIn, How, Kind, Practice
from core.errors.practice.sentence import sentence

LEAST: Final = 2
"""Fixes of a rule, or sessions that met a lack, that make a practice."""
_FOUND_IN: Final = 5
_NAMES: Final = 3
_SAYS: Final = frozenset(("suppressed with a reason", "suppressed", "configured", "reverted", "rewritten by a command"))
"""What tells more than that the code was changed."""
_REPOSITORY: Final = "iif(s.repository = '', s.project, s.repository)"
_FINDINGS: Final = f"""SELECT DISTINCT {_REPOSITORY}, p.kind, p.tool, p.name, p.session_id, p.message_idx,
 p.fingerprint, p.how, p.shown, p.names, p.fix_session, p.message_ids, p.ts
 FROM practice_finding AS p JOIN session AS s ON s.id = p.session_id
 WHERE {{where}} AND NOT EXISTS (SELECT 1 FROM resolution AS r WHERE r.session_id = p.fix_session
 AND r.fingerprint = p.fingerprint AND r.message_ids = p.message_ids AND r.author = 'harvest' AND r.status = 'rejected')
 ORDER BY 1, p.kind, p.tool, p.name, p.session_id, p.message_idx, p.fingerprint, p.how = 'open'"""
"""Each finding, a fixed one before the same one that was still open to another harvest."""
_IN_PROJECT: Final = f"{_REPOSITORY} IN (SELECT ?1 UNION ALL SELECT repository FROM project_name WHERE name = ?1)"


class _Row(NamedTuple):
    repository: str
    kind: Kind
    tool: str
    name: str
    session: str
    message: int
    fingerprint: str
    how: How
    shown: str
    names: str
    fix_session: str | None
    message_ids: str
    ts: str

    @property
    def about(self) -> tuple[str, Kind, str, str]:
        return self.repository, self.kind, self.tool, self.name


def practices(con: apsw.Connection, project: str | None = None) -> tuple[Practice, ...]:
    """The practices of a project (a folder, or a repository's name, long or short) or of all, the most frequent first.

    Raises apsw errors.
    """
    where, bindings = ("1", ()) if project is None else (_IN_PROJECT, (project,))
    found = _practices(con, con.execute(_FINDINGS.format(where=where), bindings))
    return tuple(sorted(found, key=lambda one: (one.project, one.kind != "rule", -one.count, one.tool, one.name)))


def practice_about(con: apsw.Connection, kind: Kind, tool: str, name: str) -> tuple[Practice, ...]:
    """The practices of all repositories about one rule or lack, the most frequent first. Raises apsw errors."""
    where = "p.kind = ? AND p.tool = ? AND p.name = ?"
    found = _practices(con, con.execute(_FINDINGS.format(where=where), (kind, tool, name)))
    return tuple(sorted(found, key=lambda one: -one.count))


def _practices(con: apsw.Connection, found: Iterable[tuple[object, ...]]) -> Iterator[Practice]:
    names = project_names(con)
    group: list[_Row] = []
    for values in found:
        row = _Row(*cast("tuple[str, Kind, str, str, str, int, str, How, str, str, str | None, str, str]", values))
        if group and row.about != group[0].about:
            yield from _practice(group, names)
            group = []
        same = group and (row.session, row.message, row.fingerprint) == (
            group[-1].session, group[-1].message, group[-1].fingerprint,
        )  # fmt: skip
        if not same:
            group.append(row)
    yield from _practice(group, names)


def _practice(rows: Sequence[_Row], names: dict[str, str]) -> Iterator[Practice]:
    """The practice that these findings of one rule or lack make, if they do."""
    sessions = len({row.session for row in rows})
    if not rows or (len(rows) if rows[0].kind == "rule" else sessions) < LEAST:
        return
    by_how: dict[How, list[_Row]] = {}
    for row in rows:
        by_how.setdefault(row.how, []).append(row)
    approaches = tuple(
        _approach(how, several) for how, several in sorted(by_how.items(), key=lambda one: (-len(one[1]), one[0]))
    )
    first = rows[0]
    if first.kind == "rule" and not any(one.names or one.how in _SAYS for one in approaches):
        return  # it says no more than that the rule was kept
    line = sentence(first.kind, first.tool, first.name, approaches, sessions)
    project = names.get(first.repository, first.repository)
    yield Practice(first.repository, project, first.kind, first.tool, first.name, len(rows), sessions, line, approaches)


def _approach(how: How, rows: Sequence[_Row]) -> Approach:
    newest = sorted(rows, key=lambda row: row.ts, reverse=True)
    example = next((row.shown for row in newest if row.shown), "")
    found_in = tuple(
        FoundIn(row.session, row.message, row.fix_session, message_numbers(row.message_ids))
        for row in newest[:_FOUND_IN]
    )
    return Approach(how, len(rows), len({row.session for row in rows}), example, _shared(rows), found_in)


def _shared(rows: Sequence[_Row]) -> tuple[str, ...]:
    """The names that more than half of several edits brought in."""
    counted = Counter(name for row in rows for name in cast("list[str]", json.loads(row.names)))
    most = [(count, name) for name, count in counted.items() if count >= LEAST and 2 * count > len(rows)]
    return tuple(name for _, name in sorted(most, key=lambda one: (-one[0], -len(one[1]), one[1]))[:_NAMES])
