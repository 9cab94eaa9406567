"""Practice: what a repository did about a lint rule or about something its environment lacks, with counts and sources.

Each harvest of a session replaces the rows of that session. Counts are taken anew at each reading, so that a harvest or
a rejected fix shows at once. A practice states what was done and gives no order. A row of `before_run` warns before a
command that failed before: only while its fix is strong or verified, and for a lack of the environment only where
several sessions of the repository met it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, Literal, NamedTuple, cast

import apsw

from core.errors.cases.derived import message_numbers, project_names
from core.errors.fixes import strength_of
from core.errors.identity.codes import lack_of, rule_of
from core.errors.identity.fingerprint import Identity
from core.store import Store, faults
from core.text import redact

if TYPE_CHECKING:
    from core.errors.cases.case import Case, CaseKeyLine

How = Literal[
    "suppressed with a reason", "suppressed", "edited", "removed", "configured", "reverted", "rewritten by a command",
    "by a person", "worked instead", "open",
]  # fmt: skip
"""What was done about a finding. `worked instead` and `open` are of lacks: with and without something that passed."""
Kind = Literal["rule", "lack"]


def shown_how(how: How) -> str:
    """Return the words of an approach in a text for users. The stored value stays."""
    return "manually" if how == "by a person" else how


@dataclass(frozen=True, slots=True)
class FindingPlace:
    """A finding that counts: the message that showed it, and the messages of its fix in their session."""

    session: str
    message: int
    fix_session: str | None
    fix_messages: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Approach:
    """One thing that was done, how often, in how many sessions.

    `example` is the newest comment, command or line; `names` what most of such edits brought into the code.
    """

    how: How
    count: int
    sessions: int
    example: str
    names: tuple[str, ...]
    found_in: tuple[FindingPlace, ...]


@dataclass(frozen=True, slots=True)
class Practice:
    """What a repository does about one rule, or what worked where its environment lacks something.

    `tool` is the checker (`golangci-lint`), or what kind of thing is lacking (`program`); `name` the rule or the thing.
    `line` says it in one sentence, plain text of foreign origin.
    """

    repository: str
    project: str
    kind: Kind
    tool: str
    name: str
    count: int
    sessions: int
    line: str
    approaches: tuple[Approach, ...]


@dataclass(frozen=True, slots=True)
class KnownFailure:
    """A command form that failed (`program`, and `key`: subcommand, option and word; '' for the program itself), what
    that said, and what passed instead. `sessions`: how many met it. `project`: where, by its short name."""

    program: str
    key: str
    failed: str
    said: str
    passed: str
    status: str
    resolution_id: int
    fingerprint: str
    project: str
    repository: str
    sessions: int


@dataclass(frozen=True, slots=True)
class PracticeList:
    """Every practice of one or all projects, the most frequent first, and the warnings before a command.

    `told`: how often something was told before a run; `avoided`: how often the failure then did not come.
    `withheld`, `avoided_withheld`: the same of what was held back to compare with.
    """

    SCHEMA: ClassVar[str] = "practice.v1"

    practices: tuple[Practice, ...]
    before_run: tuple[KnownFailure, ...] = ()
    told: int = 0
    avoided: int = 0
    withheld: int = 0
    avoided_withheld: int = 0


_EXAMPLE: Final = 90
_LACKS: Final = {
    "program": "`{}` was not found",
    "module": "the module `{}` was not found",
    "network": "`{}` could not be reached",
    "service": "`{}` was not running",
    "signing": "git could not sign",
    "lock": "`{}` is a stale lock file",
    "write": "`{}` could not be written",
    "glob": "zsh found no match for an unquoted glob pattern",
}


def sentence(kind: Kind, tool: str, name: str, approaches: Sequence[Approach], sessions: int) -> str:
    """`nilerr: suppressed with a reason in 5 of 7 (`//nolint:nilerr // …`), edited in 2 of 7`."""
    total = sum(one.count for one in approaches)
    if kind == "rule":
        return f"{name}: " + ", ".join(_describe_share(one, total) for one in approaches)
    count = f"{_LACKS[tool].format(name) if tool in _LACKS else name} in {sessions} sessions"
    worked = next((one for one in approaches if one.how == "worked instead"), None)
    if worked is None:
        return f"{count}, no known fix"
    example = worked.example if worked.example.startswith("the same command") else f"`{_clip(worked.example)}`"
    how = "quoted" if tool == "glob" else "worked instead"
    return f"{count}, {how} in {worked.count} of {total}: {example}"


def _describe_share(one: Approach, total: int) -> str:
    share = f"{shown_how(one.how)} in {one.count} of {total}"
    if one.how == "edited":
        return f"{share} (with {', '.join(f'`{name}`' for name in one.names)})" if one.names else share
    return f"{share} (`{_clip(one.example)}`)" if one.example else share


def _clip(text: str) -> str:
    return text if len(text) <= _EXAMPLE else f"{text[: _EXAMPLE - 1]}…"


class Finding(NamedTuple):
    """A row of `practice_finding`, without the session that was harvested."""

    session_id: str
    message_idx: int
    fingerprint: str
    kind: str
    tool: str
    name: str
    how: str
    shown: str
    names: str
    fix_session: str | None
    message_ids: str
    ts: str


class Warned(NamedTuple):
    """A row of `before_run`, without the session that was harvested."""

    program: str
    key: str
    session_id: str
    message_idx: int
    fingerprint: str
    fix_session: str
    message_ids: str
    worth: str
    lack_tool: str
    lack_name: str
    failed: str
    said: str
    passed: str


def replace_rows(con: apsw.Connection, harvest: str, findings: Iterable[Finding], warned: Iterable[Warned]) -> None:
    """Make these the rows of the harvest of a session. Within the caller's transaction."""
    con.execute("DELETE FROM practice_finding WHERE harvest = ?", (harvest,))
    con.execute("DELETE FROM before_run WHERE harvest = ?", (harvest,))
    con.executemany(
        f"INSERT OR IGNORE INTO practice_finding(harvest, {', '.join(Finding._fields)})"
        f" VALUES (?{', ?' * len(Finding._fields)})",
        ((harvest, *one._replace(shown=redact(one.shown), names=redact(one.names))) for one in findings),
    )
    con.executemany(
        f"INSERT OR IGNORE INTO before_run(harvest, {', '.join(Warned._fields)})"
        f" VALUES (?{', ?' * len(Warned._fields)})",
        (
            (harvest, *one._replace(failed=redact(one.failed), said=redact(one.said), passed=redact(one.passed)))
            for one in warned
        ),
    )


LEAST: Final = 2
"""Fixes of a rule, or sessions that met a lack, that make a practice."""
_FOUND_IN: Final = 5
_NAMES: Final = 3
_SAYS: Final = frozenset(("suppressed with a reason", "suppressed", "configured", "reverted", "rewritten by a command"))
"""Phrases that say more than "the code was changed"."""
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
        FindingPlace(row.session, row.message, row.fix_session, message_numbers(row.message_ids))
        for row in newest[:_FOUND_IN]
    )
    return Approach(how, len(rows), len({row.session for row in rows}), example, _shared(rows), found_in)


def _shared(rows: Sequence[_Row]) -> tuple[str, ...]:
    """The names that more than half of several edits brought in."""
    counted = Counter(name for row in rows for name in cast("list[str]", json.loads(row.names)))
    most = [(count, name) for name, count in counted.items() if count >= LEAST and 2 * count > len(rows)]
    return tuple(name for _, name in sorted(most, key=lambda one: (-one[0], -len(one[1]), one[1]))[:_NAMES])


_LINES: Final = 8
"""Errors of a case that are looked up."""


def practice_of(con: apsw.Connection, found: Identity, text: str, *repositories: str) -> Practice | None:
    """The practice for the first key line that has one (`practice_of_line`); `text` is what `found` was identified in.

    Raises apsw errors.
    """
    lines = ((line.text, line.tool, text[line.end :]) for line in found.key_lines)
    return next((one for line in lines if (one := practice_of_line(con, *line, repositories)) is not None), None)


def practice_of_case(store: Store, case: Case, error: CaseKeyLine | None = None) -> Practice | None:
    """The practice that a case falls under in its repository: by the `error` it is read at, else by its first one.

    Raises Fault of the store.
    """
    lines = case.fingerprints[:_LINES] if error is None else (error,)
    with faults(store.path):
        found = (practice_of_line(store.con, one.key_line, one.tool, "", (case.repository,)) for one in lines)
        return next((one for one in found if one is not None), None)


def practice_of_line(
    con: apsw.Connection, line: str, tool: str, context: str, repositories: tuple[str, ...]
) -> Practice | None:
    """The practice for a key line, in the first of these repositories that has one, else in the only other one.

    `tool` is the entry that found the line, `context` the output behind it. Raises apsw errors.
    """
    rule, lack = rule_of(line, tool, context), lack_of(line)
    if rule is not None:
        several = practice_about(con, "rule", rule.checker, rule.name)
    elif lack is not None:
        several = practice_about(con, "lack", lack.kind, lack.name)
    else:
        return None
    here = (one for name in repositories if name for one in several if one.repository == name)
    alone = len(several) == 1 or (lack is not None and rule is None)  # of one machine the repositories lack the same
    return next(here, several[0] if several and alone else None)


VIA: Final = "before_run"
"""The value of `answer_outcome.via` for warnings before a run."""
_SELECT: Final = f"""SELECT b.program, b.key, b.worth, b.lack_tool, b.lack_name, b.failed, b.said, b.passed,
 b.fingerprint, r.id, r.author, r.status, r.original, {_REPOSITORY}, b.session_id
 FROM before_run AS b JOIN session AS s ON s.id = b.session_id
 JOIN resolution AS r ON r.session_id = b.fix_session AND r.fingerprint = b.fingerprint
 AND r.message_ids = b.message_ids AND r.author = 'harvest'
 WHERE r.status <> 'rejected' AND r.replaced_by IS NULL"""
_BY_PROGRAM: Final = " AND b.program IN (SELECT value FROM json_each(?)) ORDER BY r.status = 'verified' DESC, r.ts DESC"


def find_failure(
    con: apsw.Connection, keys: Iterable[tuple[str, str]], repository: str, session: str
) -> KnownFailure | None:
    """What to say before a command with these programs and keys, if anything; each is said once in a session.

    Raises apsw errors.
    """
    forms = set(keys)
    found = con.execute(_SELECT + _BY_PROGRAM, (json.dumps(sorted({program for program, _ in forms})),)).fetchall()
    for one in _known_failures(con, found, repository):
        if (one.program, one.key) in forms and not _was_shown(con, one.resolution_id, session):
            return one
    return None


def every_failure(con: apsw.Connection, repositories: frozenset[str] | None = None) -> tuple[KnownFailure, ...]:
    """What would be said in the repository that it comes from; of all repositories, or of these. Raises apsw errors."""
    rows = con.execute(f"{_SELECT} ORDER BY b.program, b.key, r.status = 'verified' DESC, r.ts DESC").fetchall()
    found: dict[tuple[str, str, str], KnownFailure] = {}
    for name in sorted({cast("str", row[13]) for row in rows}):
        if repositories is None or name in repositories:
            for one in _known_failures(con, [row for row in rows if row[13] == name], name):
                found.setdefault((one.repository, one.program, one.key), one)
    return tuple(found.values())


def _known_failures(
    con: apsw.Connection, rows: Iterable[tuple[object, ...]], repository: str
) -> Iterator[KnownFailure]:
    """Yield the rows that may be shown in a repository."""
    every, names = list(rows), project_names(con)
    sessions_of: dict[tuple[str, str], set[str]] = {}
    for row in every:
        sessions_of.setdefault((cast("str", row[0]), cast("str", row[1])), set()).add(cast("str", row[14]))
    for row in every:
        program, key, worth, lack_tool, lack_name, failed, error, passed = cast("tuple[str, ...]", row[:8])
        fingerprint, fix, author, status, original, place = cast(
            "tuple[str, int, str, str, str | None, str]", row[8:14]
        )
        if strength_of(author, status, original) != "strong" and status != "verified":
            continue
        if place != repository and (lack_tool or worth != "general"):
            continue
        if lack_tool and not _recurs(con, lack_tool, lack_name, repository):
            continue
        yield KnownFailure(
            program, key, failed, error, passed, status, fix, fingerprint, names.get(place, place), place,
            len(sessions_of[program, key]),
        )  # fmt: skip


def _recurs(con: apsw.Connection, tool: str, name: str, repository: str) -> bool:
    return any(
        one.repository == repository and one.sessions >= LEAST for one in practice_about(con, "lack", tool, name)
    )


def _was_shown(con: apsw.Connection, resolution: int, session: str) -> bool:
    row = con.execute(
        "SELECT 1 FROM answer_outcome WHERE session_id = ? AND resolution_id = ? AND via = ?",
        (session, resolution, VIA),
    ).fetchone()
    return row is not None


def record_shown(
    con: apsw.Connection, failure: KnownFailure, session: str, repository: str, ts: str, *, withheld: bool = False
) -> None:
    """Record once that a warning was shown or held back in a session. Within the caller's transaction."""
    if not _was_shown(con, failure.resolution_id, session):
        con.execute(
            "INSERT INTO answer_outcome(resolution_id, fingerprint, via, session_id, repository, told_at, withheld)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (failure.resolution_id, failure.fingerprint, VIA, session, repository, ts, withheld),
        )


class ShownCounts(NamedTuple):
    """How often a warning was shown before a run or held back, and how often the failure was avoided."""

    told: int = 0
    avoided: int = 0
    withheld: int = 0
    avoided_withheld: int = 0


def shown_counts(con: apsw.Connection, repositories: frozenset[str] | None = None) -> ShownCounts:
    """Return the warnings before a run in all repositories, or in these. Raises apsw errors."""
    of_these = json.dumps(None if repositories is None else sorted(repositories))
    row = con.execute(
        "SELECT count(*) FILTER (WHERE NOT withheld), count(*) FILTER (WHERE NOT withheld AND outcome = 'helped'),"
        " count(*) FILTER (WHERE withheld), count(*) FILTER (WHERE withheld AND outcome = 'helped')"
        " FROM answer_outcome WHERE via = ?1"
        " AND (?2 = 'null' OR repository IN (SELECT value FROM json_each(?2)))",
        (VIA, of_these),
    ).fetchone()
    return ShownCounts(*cast("tuple[int, int, int, int]", row))
