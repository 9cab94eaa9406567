"""What is derived from a case's rows: title, tags, state and the browsing index. Rebuilt from them at any time.

Columns of a case's rows: their JSON, the fix that answers, the repository.

The order in which the fixes of a case answer, as SQL over `resolution`.

A fix written down on purpose goes before a harvested draft, however new that is; of those the newest answers, one
written here before one of the team. Those of the team answer by their last change, in whatever order they arrived.
Drafts are ranked by scope (of this very error, of this repository, general), strength, how often they helped where
they were told, and fewest steps; recency decides last. A slip of the moment goes behind them all.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple, cast

import apsw

from core.errors.identity.fingerprint import normalize_error
from core.errors.incidents import SLIP, refresh_followers, refresh_queue
from core.lexical import bigrams
from core.text import clean

DRAFTED: Final = "(author = 'harvest' AND status = 'draft')"
_HARVEST_VALUE: Final = "iif(json_valid(original), json_extract(original, '$.harvest.{name}'), NULL)"
_STEPS: Final = "iif(json_valid(original), json_array_length(original, '$.harvest.links'), NULL)"
_SCOPE: Final = (
    "CASE WHEN EXISTS (SELECT 1 FROM session WHERE session.id = resolution.session_id AND session.repository = ?)"
    f" THEN 0 WHEN {_HARVEST_VALUE.format(name='worth')} = 'general' THEN 1 ELSE 2 END"
)
_HIDES: Final = "coalesce(iif(json_valid(lesson), json_extract(lesson, '$.workaround'), 0), 0)"
"""Whether a fix only hides the failure."""
HELPED_SHARE: Final = (
    "(SELECT (coalesce(sum(o.outcome = 'helped'), 0) + 1.0) / (count(*) + 2) FROM answer_outcome o"
    " WHERE o.resolution_id = resolution.id AND o.outcome IN ('helped', 'failed_again') AND o.withheld = 0)"
)
"""The share of shown and settled fixes that helped; ignored ones do not count."""


TEAM: Final = "team"
"""The author of a fix that came from the lessons file of a repository. Its `original` names the repository."""
TEAM_FOLDER: Final = "team_folder:"
"""Prefix of the rows of `meta` that name the repository of a working tree whose lessons were imported."""
TEAM_AGREED: Final = "team_agreed:"
"""Prefix of the rows of `meta` that name a repository whose lessons a person imported or exported, or gets from the
team's server."""
_TEAM_REPOSITORY: Final = "iif(json_valid(original), json_extract(original, '$.team.repository'), '')"
AGREED: Final = f"(author <> '{TEAM}' OR EXISTS (SELECT 1 FROM meta WHERE key = '{TEAM_AGREED}' || {_TEAM_REPOSITORY}))"
"""Whether a fix that holds everywhere may leave its repository. A repository that was only cloned must not reach the
others: its lessons come in by a hook."""
HOLDS_HERE: Final = (
    f"(author <> '{TEAM}' OR {_TEAM_REPOSITORY} = ?"
    f" OR iif(json_valid(lesson), json_extract(lesson, '$.scope'), '') = 'general' AND {AGREED})"
)
"""Whether a fix may answer in a repository: a lesson of a team only in that team's, unless it holds everywhere and a
person agreed to lessons of its repository."""


_OF_TEAM: Final = (
    "iif(json_valid(original), json_extract(original, '$.team.id') || json_extract(original, '$.team.repository'), '')"
)


def answer_order(*, own: bool = False, repository: bool = False) -> str:
    """The terms of an ORDER BY. `own`: those of the searched error first; `repository`: binds it as a last value."""
    drafted = [_SCOPE] if repository else []
    drafted += [
        f"coalesce({_HARVEST_VALUE.format(name='strength')}, '') <> 'strong'",
        _HIDES,
        f"-{HELPED_SHARE}",
        f"coalesce(nullif({_STEPS}, 0), 1000)",
    ]
    slip = f"coalesce({_HARVEST_VALUE.format(name='worth')}, '') = 'slip'"
    terms = [
        DRAFTED,
        f"iif({DRAFTED}, {slip}, 0)",
        *(["fingerprint IS NULL"] if own else []),
        *(f"iif({DRAFTED}, {term}, 0)" for term in drafted),
        f"author = '{TEAM}'",
        f"iif(author = '{TEAM}', ts || {_OF_TEAM}, '') DESC",
        "id DESC",
    ]
    return ", ".join(terms)


def parse_names(text: str | None) -> tuple[str, ...]:
    """The names in a `tool_sequence` or `tags` column; one that is no JSON array of names gives none."""
    if not text:
        return ()
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return ()
    return tuple(str(item) for item in cast("list[object]", value)) if isinstance(value, list) else ()


def message_numbers(text: str) -> tuple[int, ...]:
    """The message indexes in a `message_ids` column."""
    try:
        value: object = json.loads(text)
    except ValueError:
        return ()
    items = cast("list[object]", value) if isinstance(value, list) else []
    return tuple(item for item in items if isinstance(item, int))


CURRENT_FIRST = answer_order()
OWN_FIRST = answer_order(own=True)
ANSWERS = (
    "status <> 'rejected' AND trim(text) <> '' AND replaced_by IS NULL"
    " AND NOT EXISTS (SELECT 1 FROM noise WHERE noise.case_id = resolution.case_id)"
)


def current_resolution(con: apsw.Connection, case_id: int) -> int | None:
    """The id of the resolution that answers for the case."""
    row = con.execute(
        f"SELECT id FROM resolution WHERE case_id = ? AND {ANSWERS} ORDER BY {CURRENT_FIRST} LIMIT 1", (case_id,)
    ).fetchone()
    return None if row is None else cast("int", row[0])


def mirror_current(con: apsw.Connection, *cases: int) -> frozenset[int]:
    """Let `error_kb` show the resolution that now answers for each case, NULL if none does, and keep the case's status.

    Returns the cases whose fix, status or offer changed. A row without any resolution (written by the seed's own
    programs) is left as it is.
    """
    shown, states = _mirrored(con, cases)
    con.executemany(_MIRROR, shown)
    con.executemany("UPDATE case_state SET status = ?, offer = ? WHERE case_id = ?", states)
    return frozenset((*(one[3] for one in shown), *(one[2] for one in states)))


_Shown = tuple[str | None, str | None, str | None, int]
_MIRROR: Final = "UPDATE error_kb SET resolution = ?, resolved_by = ?, tool_sequence = ? WHERE id = ?"


def _mirrored(con: apsw.Connection, cases: Sequence[int]) -> tuple[list[_Shown], list[tuple[str, int, int]]]:
    """The rows of `error_kb` that must change, and the status and offer of each case that has others."""
    shown: list[_Shown] = []
    states: list[tuple[str, int, int]] = []
    rows = con.execute(_MIRRORED, (json.dumps(cases),)).fetchall()
    for row in cast("list[tuple[Any, ...]]", rows):
        case_id, fixes, rejected, noise, status, offer, *values = row
        before, now, known = values[:3], values[3:6], (*values[6:],)
        if fixes:
            found = status or ("rejected" if rejected else "unresolved")
            if now != before:
                shown.append((now[0], now[1], now[2], case_id))
        else:
            found = "draft" if str(before[0] or "").strip() else "unresolved"
        state = "noise" if noise else str(found), int(offer)
        if state != known:
            states.append((*state, case_id))
    return shown, states


_IS_WORKAROUND: Final = "iif(json_valid(r.lesson), json_extract(r.lesson, '$.workaround'), 0)"
_KIND: Final = "iif(json_valid(r.lesson), json_extract(r.lesson, '$.do.kind'), '')"
_VALUE_OF_FIX: Final = "coalesce(iif(json_valid(r.original), json_extract(r.original, '$.harvest.{name}'), NULL), '')"
_OFFER: Final = (
    "CASE WHEN r.id IS NULL THEN 0 WHEN r.author <> 'harvest' THEN 4"
    f" WHEN {_IS_WORKAROUND} OR {_VALUE_OF_FIX.format(name='worth')} = 'slip' THEN -1"
    f" WHEN {_VALUE_OF_FIX.format(name='obvious')} = 1 THEN 0"
    f" WHEN {_KIND} = 'hunk' THEN 1 WHEN {_VALUE_OF_FIX.format(name='strength')} = 'strong' THEN 4"
    f" WHEN {_VALUE_OF_FIX.format(name='worth')} = 'general' THEN 3 ELSE 2 END"
)
"""How soon a case is shown among those that as many sessions met. A strong fix, then a weak one that may help in any
project, then other weak ones, then an edit of the project's own code, which helps less often than a command, then 0:
what has no fix, or one that the message tells. Below 0 is what has no item: a workaround, or the fix of a slip.
Measured on labels of many repositories.
A case of an older casebook has 0 to 2 until it changes or is harvested again."""
_MIRRORED: Final = (
    "SELECT e.id, (SELECT count(*) FROM resolution WHERE case_id = e.id),"
    " EXISTS (SELECT 1 FROM resolution WHERE case_id = e.id AND status = 'rejected'),"
    f" EXISTS (SELECT 1 FROM noise WHERE case_id = e.id), r.status, {_OFFER}, e.resolution, e.resolved_by,"
    " e.tool_sequence,"
    " r.text, r.resolved_by, r.tool_sequence, s.status, s.offer"
    " FROM json_each(?) one CROSS JOIN error_kb e ON e.id = one.value LEFT JOIN case_state s ON s.case_id = e.id"
    " LEFT JOIN resolution r ON r.id ="
    f" (SELECT id FROM resolution WHERE case_id = e.id AND {ANSWERS} ORDER BY {CURRENT_FIRST} LIMIT 1)"
)


PROJECT: Final = "iif(s.repository = '', s.project, s.repository)"
"""The project of `case_state s`: its repository; the folder as recorded until that is known."""

IN_PROJECT: Final = f"{PROJECT} IN (SELECT ? UNION ALL SELECT repository FROM project_name WHERE name = ?)"
"""Whether `case_state s` is of the project of a name, given twice: a folder, or a repository's name, long or short."""

REPOSITORY_OF_PLACE: Final = (
    "coalesce((SELECT nullif(repository, '') FROM session WHERE id = {session}),"
    " (SELECT repository FROM project_name WHERE name = {folder} ORDER BY repository LIMIT 1), '')"
)
"""The repository of what was seen in a session and a folder; the session may not be imported yet."""

REPOSITORY_OF_CASE: Final = (
    f"coalesce((SELECT {REPOSITORY_OF_PLACE.format(session='o.session_id', folder='o.project')}"
    " FROM fingerprint f JOIN occurrence o USING (fingerprint)"
    " WHERE f.case_id = case_state.case_id AND o.project <> '' ORDER BY o.ts DESC, o.id DESC LIMIT 1), '')"
)
"""The repository that a case was seen in last, as a subquery of an update of `case_state`."""


SHOWN_OF_CASE: Final = "coalesce((SELECT name FROM project_name WHERE repository = s.repository AND shown = 1), '')"
"""The short name of the repository of `case_state s`; '' where none is known."""


def repository_of_folder(con: apsw.Connection, folder: str) -> str:
    """The repository that a folder is known to be of: by sessions that worked in it, else by lessons that a team
    shares in it or above; of any other, the folder itself."""
    row = con.execute(
        "SELECT repository FROM project_name WHERE name = ? ORDER BY repository LIMIT 1", (folder,)
    ).fetchone()
    if row is None:
        parts = folder.split("/")
        above = ["/".join(parts[:end]) for end in range(len(parts), 1, -1)]
        row = con.execute(
            "SELECT value FROM meta WHERE key IN (SELECT ? || value FROM json_each(?))"
            " ORDER BY length(key) DESC LIMIT 1",
            (TEAM_FOLDER, json.dumps(above)),
        ).fetchone()
    return folder if row is None else cast("str", row[0])


def refresh_repository(con: apsw.Connection, cases: Iterable[int]) -> None:
    """Bring the repository of these cases up to date. Within the caller's transaction."""
    con.executemany(
        f"UPDATE case_state SET repository = {REPOSITORY_OF_CASE} WHERE case_id = ?", [(case,) for case in cases]
    )


def project_names(con: apsw.Connection) -> dict[str, str]:
    """Each repository with the short name it is shown by."""
    rows = con.execute("SELECT repository, name FROM project_name WHERE shown = 1").fetchall()
    return dict(cast("list[tuple[str, str]]", rows))


def project_aliases(con: apsw.Connection, name: str) -> frozenset[str]:
    """The projects that a name means, itself among them: what `IN_PROJECT` compares with."""
    rows = con.execute("SELECT repository FROM project_name WHERE name = ?", (name,)).fetchall()
    return frozenset({name, *(cast("str", row[0]) for row in rows)})


class Title(NamedTuple):
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


TAGS = (
    "resolution, json_each(CASE WHEN json_valid(resolution.tags) THEN resolution.tags ELSE '[]' END) AS tag"
    f" WHERE resolution.tags <> '[]' AND {ANSWERS}"
)
"""The fixes that answer, each with each of its tags (`tag.value`); a condition may follow."""
NO_LONGER_HARVESTED = "no longer harvested"
"""The tag of a case that stays only because a person decided on it: a new harvest finds none of its errors."""
MISSED = (
    "EXISTS (SELECT 1 FROM fingerprint lost WHERE lost.case_id = {case} AND lost.missed IS NOT NULL)"
    " AND NOT EXISTS (SELECT 1 FROM fingerprint found WHERE found.case_id = {case} AND found.missed IS NULL)"
)
"""Whether a case has that tag; `case` is its number as SQL."""
TAGGED = (
    f"SELECT DISTINCT resolution.case_id, tag.value COLLATE NOCASE AS tag FROM {TAGS}"
    f" UNION ALL SELECT DISTINCT one.case_id, '{NO_LONGER_HARVESTED}' COLLATE NOCASE FROM fingerprint one"
    f" WHERE one.missed IS NOT NULL AND {MISSED.format(case='one.case_id')}"
)
"""Each case with each of its tags."""
HAS_TAG = f"s.case_id IN (SELECT case_id FROM ({TAGGED}) WHERE tag COLLATE NOCASE IN (?, ?))"
"""Whether the case of a row `s` has a tag, in capitals or not; its values are `forms` of it."""


def tags_of_case(con: apsw.Connection, case_id: int) -> tuple[str, ...]:
    """Every tag of its fixes."""
    rows = con.execute(f"SELECT DISTINCT tag.value FROM {TAGS} AND resolution.case_id = ?", (case_id,))
    return tuple(str(tag) for (tag,) in rows)


def _tags_of_cases(con: apsw.Connection, cases: Sequence[object]) -> dict[int, list[str]]:
    """Every tag of the fixes of those of the cases that have one."""
    found: dict[int, list[str]] = {}
    rows = con.execute(
        f"SELECT DISTINCT resolution.case_id, tag.value FROM {TAGS}"
        " AND resolution.case_id IN (SELECT value FROM json_each(?))",
        (json.dumps(cases),),
    )
    for case_id, tag in cast("Iterator[tuple[int, object]]", rows):
        found.setdefault(case_id, []).append(str(tag))
    return found


def one_form(tag: str) -> str:
    """A tag as it is stored and shown: Korean may be typed in two ways that look the same."""
    return unicodedata.normalize("NFC", tag)


def forms(tag: str) -> tuple[str, str]:
    """Return the forms of a tag in a casebook."""
    return one_form(tag), unicodedata.normalize("NFD", tag)


INDEXED = 4_096
"""Code points of a text that browsing can find."""
LINES = 50
"""Key lines of a case that browsing can find."""

TOOL_OF_CASE = (
    "SELECT coalesce((SELECT f.tool FROM fingerprint f WHERE f.case_id = case_state.case_id"
    " ORDER BY f.tool = 'unknown', f.first_seen, f.fingerprint LIMIT 1), 'unknown')"
)
"""The tool of a case, as a subquery of an update of `case_state`."""


SHOWN_TOOL = (
    f"iif(s.tool = '{SLIP}', coalesce((SELECT o.tool FROM fingerprint f JOIN occurrence o USING (fingerprint)"
    " WHERE f.case_id = s.case_id AND o.tool <> '' GROUP BY o.tool ORDER BY count(*) DESC, o.tool LIMIT 1), 'unknown'),"
    " s.tool)"
)
"""The tool of the case of a row `s` as it is shown: of a repeated slip the one that made it most often."""


def name_tool(con: apsw.Connection, case_id: int) -> None:
    """Recompute the tool of the case. Reads every fingerprint of the case."""
    con.execute(f"UPDATE case_state SET tool = ({TOOL_OF_CASE}) WHERE case_id = ?", (case_id,))
    _keep_tools(con, [case_id])


def _keep_tools(con: apsw.Connection, cases: Sequence[int]) -> None:
    """Cases that others were merged into keep the tool of their own name."""
    for case_id, own in own_titles(con, cases).items():
        if own.tool != "unknown":
            con.execute("UPDATE case_state SET tool = ? WHERE case_id = ?", (own.tool, case_id))


def index_case(con: apsw.Connection, *cases: int) -> None:
    """Write each case into the browsing index (`case_fts`) again."""
    rows = con.execute(_INDEXED, (json.dumps(cases),)).fetchall()
    kept: list[tuple[int, str, str, str, str]] = []
    gone = {*cases}
    tags = _tags_of_cases(con, [row[0] for row in rows if row[3]])
    for case_id, normalized, raw, resolution, named in cast("list[tuple[int, str, str | None, str | None, str]]", rows):
        gone.discard(case_id)
        key_lines = "\n".join(json.loads(named)) or normalized
        body = clean(raw or "", INDEXED)
        fix = clean(resolution or "", INDEXED)
        if fix and case_id in tags:
            fix += f"\n{clean(' '.join(tags[case_id]), INDEXED)}"
        kept.append((case_id, key_lines[:INDEXED], body, fix, bigrams(f"{key_lines}\n{body}\n{fix}")))
    con.executemany("DELETE FROM case_fts WHERE rowid = ?", [(case_id,) for case_id in gone])
    con.executemany(
        "INSERT OR REPLACE INTO case_fts(rowid, key_line, raw, resolution, bigrams) VALUES (?, ?, ?, ?, ?)", kept
    )


_INDEXED: Final = (
    "SELECT e.id, e.error_normalized, e.error_raw, e.resolution, (SELECT json_group_array(key_line) FROM"
    f" (SELECT key_line FROM fingerprint WHERE case_id = e.id LIMIT {LINES}))"
    " FROM json_each(?) one CROSS JOIN error_kb e ON e.id = one.value"
)


def refresh_case(con: apsw.Connection, *cases: int, quiet: Collection[int] = ()) -> None:
    """Bring everything derived from the rows of cases up to date: the mirror in `error_kb`, their state, the index.
    `quiet`: cases that only got fixes without tags. Where such a fix does not answer, nothing else is derived."""
    if not cases:
        return
    given = json.dumps(cases)
    there = {
        cast("int", row[0])
        for row in con.execute("SELECT e.id FROM json_each(?) one CROSS JOIN error_kb e ON e.id = one.value", (given,))
    }
    if gone := [case_id for case_id in cases if case_id not in there]:
        con.executemany("DELETE FROM case_state WHERE case_id = ?", [(case_id,) for case_id in gone])
        from core.embedding.index.stored import forget  # a trigger cannot reach the seed's vec0 table

        forget(con, "error", gone)
    changed = mirror_current(con, *there)
    if quiet:
        cases = tuple(one for one in cases if one not in quiet or one in changed)
        given = json.dumps(cases)
    # Times: those of every finer case and of every time one was seen, whatever order they were stored in.
    con.execute(
        "UPDATE case_state SET (seen, first_seen, last_seen) = ("
        "  SELECT count(o.id),"
        "    coalesce(min(min(f.first_seen), coalesce(min(o.ts), min(f.first_seen))), case_state.first_seen),"
        "    coalesce(max(max(f.first_seen), coalesce(max(o.ts), max(f.first_seen))), case_state.last_seen)"
        "  FROM fingerprint f LEFT JOIN occurrence o USING (fingerprint) WHERE f.case_id = case_state.case_id"
        "), project = coalesce((SELECT project FROM occurrence JOIN fingerprint USING (fingerprint)"
        "  WHERE case_id = case_state.case_id AND project <> '' ORDER BY ts DESC, id DESC LIMIT 1), ''),"
        f" repository = {REPOSITORY_OF_CASE}, tool = ({TOOL_OF_CASE})"
        " WHERE case_id IN (SELECT value FROM json_each(?))",
        (given,),
    )
    _keep_tools(con, [*there.intersection(cases)])
    refresh_queue(con, *there.intersection(cases))
    refresh_followers(con, *cases)
    index_case(con, *cases)


@contextmanager
def without_triggers(con: apsw.Connection) -> Generator[None]:
    """Within, rows of new cases are written without the triggers of their tables: these write what is derived several
    times for each row. `derive_new_cases` must follow in the same transaction."""
    con.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
    try:
        yield
    finally:
        con.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 1)


def derive_new_cases(con: apsw.Connection, cases: Sequence[int]) -> None:
    """What the triggers and `refresh_case` would derive of cases that were inserted `without_triggers`, written once.
    Nothing was seen of their errors, and they are in no merge. Inside the caller's transaction."""
    shown, states = _mirrored(con, cases)
    given = json.dumps(cases)
    with without_triggers(con):
        con.executemany(_MIRROR, shown)
        con.execute(_NEW_STATES, (json.dumps(states),))
        con.execute(_NEW_KEYS, (given,))
        con.execute("INSERT INTO backlog SELECT 'error', value FROM json_each(?)", (given,))
        con.execute("UPDATE backlog_size SET waiting = waiting + ? WHERE kind = 'error'", (len(cases),))
    index_case(con, *cases)


_NEW_STATES: Final = (
    "INSERT INTO case_state(case_id, status, offer, first_seen, last_seen, tool)"
    " SELECT case_id, value ->> 0, value ->> 1,"
    " coalesce((SELECT min(first_seen) FROM fingerprint f WHERE f.case_id = case_state.case_id), ts),"
    " coalesce((SELECT max(first_seen) FROM fingerprint f WHERE f.case_id = case_state.case_id), ts),"
    f" ({TOOL_OF_CASE})"
    " FROM json_each(?) CROSS JOIN (SELECT id AS case_id, ts FROM error_kb) AS case_state ON case_id = value ->> 2"
)
"""The rows of the new cases are named `case_state`, as `TOOL_OF_CASE` names them."""
_NEW_KEYS: Final = (
    "INSERT INTO answer_key SELECT k.error_normalized, e.id, substr(k.error_normalized, 1, 30),"
    " length(k.error_normalized) FROM json_each(?) CROSS JOIN error_kb e ON e.id = value"
    " CROSS JOIN case_key k ON k.case_id = e.id WHERE trim(coalesce(e.resolution, '')) <> ''"
)
"""The key of a new case is in `case_key`."""
