"""Browsing the cases: pages by key, one case whole, candidates as a person types. Counts nothing.

The filters of the case list: their conditions, what each would leave, and a case's position among what passes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, cast

from core.base.fault import Fault
from core.base.trace import Step, Stopwatch
from core.errors.cases.case import Case, CaseKeyLine, CaseList, CaseRow, CaseStatus, Filters, Occurrence, Sort
from core.errors.cases.derived import (
    HAS_TAG,
    IN_PROJECT,
    MISSED,
    PROJECT,
    SHOWN_OF_CASE,
    SHOWN_TOOL,
    TAGGED,
    TEAM,
    forms,
    one_form,
    own_titles,
    parse_names,
    project_aliases,
    project_names,
)
from core.errors.cases.resolutions import Resolution, answering, resolutions_of
from core.errors.retrieval.answer import Hit, Place, Source
from core.errors.retrieval.match_location import MatchLocation, QueryWords, in_order, locate, words_step
from core.lexical import any_of, match_query, terms
from core.store import Store
from core.text import words

SORT_COLUMNS: dict[Sort, str] = {"last_seen": "last_seen", "seen": "seen", "first_seen": "first_seen"}


def conditions(filters: Filters) -> tuple[list[str], list[str | int]]:
    """The conditions on `case_state s` that the filters mean, and their values."""
    tests: list[str] = []
    values: list[str | int] = []
    for column, value in (("s.status", filters.status), (SHOWN_TOOL, filters.tool), ("s.worth", filters.worth)):
        if value is not None:
            tests.append(f"{column} = ?")
            values.append(value)
    if filters.project is not None:
        tests.append(IN_PROJECT)
        values.extend((filters.project, filters.project))
    if filters.since is not None:
        tests.append("s.last_seen >= ?")
        values.append(filters.since)
    if filters.tag is not None:
        tests.append(HAS_TAG)
        values.extend(forms(filters.tag))
    return tests, values


def rank_of(store: Store, case_id: int, filters: Filters, sort: Sort) -> int | None:
    """Return the number of cases before this one in the list; None if it is not in it."""
    column = SORT_COLUMNS[sort]
    tests, values = conditions(filters)
    passing = "".join(f" AND {test}" for test in tests)
    own = store.con.execute(
        f"SELECT s.{column} FROM case_state s WHERE s.case_id = ?{passing}", (case_id, *values)
    ).fetchone()
    if own is None:
        return None
    row = store.con.execute(
        f"SELECT count(*) FROM case_state s WHERE (s.{column}, s.case_id) > (?, ?){passing}",
        (own[0], case_id, *values),
    ).fetchone()
    return cast("int", row[0]) if row else 0


def cursor_at(store: Store, index: int, filters: Filters, sort: Sort) -> str | None:
    """The cursor with which `list_cases` begins at row `index`; None for the first row, and behind the last.

    It walks an index from the nearer end of the list, once: the last rows cost what the first ones do.
    """
    if index <= 0:
        return None
    column = SORT_COLUMNS[sort]
    tests, values = conditions(filters)
    where = f" WHERE {' AND '.join(tests)}" if tests else ""
    counted = store.con.execute(f"SELECT count(*) FROM case_state s{where}", tuple(values)).fetchone()
    left = (cast("int", counted[0]) if counted else 0) - index
    if left < 0:
        return None
    order, offset = ("DESC", index - 1) if index <= left else ("ASC", left)
    row = store.con.execute(
        f"SELECT s.{column}, s.case_id FROM case_state s{where}"
        f" ORDER BY s.{column} {order}, s.case_id {order} LIMIT 1 OFFSET ?",
        (*values, offset),
    ).fetchone()
    return None if row is None else f"{row[0]}|{row[1]}"


SCANNED = 20_000
"""Cases looked at, the last seen first: what is counted stays cheap however many there are."""

MOST = 100
"""Values listed of each kind, the most frequent first."""


_COLUMN_KINDS: tuple[str, ...] = ("status", "tool", "project", "worth")
_Group = tuple[str, str, str, str, int, int, int]
_TagGroup = tuple[str, str, str, str, int, str, int]


@dataclass(frozen=True, slots=True)
class Facet:
    """One value, and how many of the cases looked at have it and pass the other filters."""

    value: str
    cases: int


@dataclass(frozen=True, slots=True)
class Facets:
    """The values to filter by. `complete`: every case was looked at, so the counts are exact.

    `since` has one entry for each time that was asked about, in that order.
    """

    statuses: tuple[Facet, ...]
    tools: tuple[Facet, ...]
    projects: tuple[Facet, ...]
    since: tuple[Facet, ...]
    complete: bool
    tags: tuple[Facet, ...] = ()
    worths: tuple[Facet, ...] = ()


def facets(store: Store, filters: Filters, since: tuple[str, ...] = (), scanned: int = SCANNED) -> Facets:
    """The values of the `scanned` last seen cases. Each kind is counted as if it were not filtered itself.

    `since` are ISO 8601 times to count the cases seen after.
    """
    moments = {*since, filters.since} if filters.since is not None else {*since}
    times: tuple[str, ...] = tuple(sorted(moments))
    age = " + ".join(["0", *("(s.last_seen >= ?)" for _ in times)])
    looked_at = (
        f"(SELECT s.case_id, s.status, {SHOWN_TOOL} AS tool, {PROJECT} AS project, s.worth, {age} AS age"
        " FROM case_state s ORDER BY s.last_seen DESC, s.case_id DESC LIMIT ?) s"
    )
    tag, forms_of = ("0", ()) if filters.tag is None else (f"NOT {HAS_TAG}", forms(filters.tag))
    rows = store.con.execute(
        f"SELECT status, tool, project, worth, age, {tag}, count(*) FROM {looked_at} GROUP BY 1, 2, 3, 4, 5, 6",
        (*forms_of, *times, scanned),
    )
    meant = None if filters.project is None else project_aliases(store.con, filters.project)
    kinds = {kind: Counter[str]() for kind in (*_COLUMN_KINDS, "since")}
    seen = 0
    for *columns, passed, untagged, cases in cast("list[_Group]", rows.fetchall()):
        seen += cases
        values = dict(zip(_COLUMN_KINDS, columns, strict=True))
        recent = times[:passed]  # sorted: a case seen after a time was seen after every earlier one too
        refused = _refused(values, recent, filters, meant) | set[str](["tag"] if untagged else [])
        for kind, value in values.items():
            if not refused - {kind}:
                kinds[kind][value] += cases
        if not refused - {"since"}:
            for time in recent:
                kinds["since"][time] += cases
    return Facets(
        statuses=_most(kinds["status"]),
        tools=_most(kinds["tool"]),
        projects=_named(store, kinds["project"]),
        since=tuple(Facet(time, kinds["since"][time]) for time in since),
        complete=seen < scanned,
        tags=_tags(store, looked_at, times, scanned, filters, meant),
        worths=_most(kinds["worth"]),
    )


def _tags(
    store: Store, looked_at: str, times: tuple[str, ...], scanned: int, filters: Filters, meant: frozenset[str] | None
) -> tuple[Facet, ...]:
    rows = store.con.execute(
        f"SELECT status, tool, project, worth, age, tag, count(*) FROM {looked_at} JOIN ({TAGGED}) USING (case_id)"
        " GROUP BY 1, 2, 3, 4, 5, 6",
        (*times, scanned),
    )
    counted = Counter[str]()
    for *columns, passed, tag, cases in cast("list[_TagGroup]", rows.fetchall()):
        if not _refused(dict(zip(_COLUMN_KINDS, columns, strict=True)), times[:passed], filters, meant):
            counted[one_form(tag)] += cases
    return _most(_without_case(counted))


def _without_case(counted: Counter[str]) -> Counter[str]:
    """Tags that differ in capitals alone (of ASCII, as the filter compares) as one, in the spelling of most cases."""
    found = dict[bytes, str]()
    for tag, _ in counted.most_common():
        found.setdefault(tag.encode("utf-8", "replace").lower(), tag)
    merged = Counter[str]()
    for tag, cases in counted.items():
        merged[found[tag.encode("utf-8", "replace").lower()]] += cases
    return merged


def _refused(
    values: Mapping[str, str], recent: tuple[str, ...], filters: Filters, meant: frozenset[str] | None
) -> set[str]:
    """The kinds whose filter these values do not pass; `meant` are the projects that the filter names."""
    chosen = {"status": filters.status, "tool": filters.tool, "worth": filters.worth}
    refused = {kind for kind, value in chosen.items() if value is not None and values[kind] != value}
    refused |= {"project"} if meant is not None and values["project"] not in meant else set[str]()
    return refused | ({"since"} if filters.since is not None and filters.since not in recent else set())


def _named(store: Store, projects: Counter[str]) -> tuple[Facet, ...]:
    """The projects by the names they are shown and filtered by."""
    names = project_names(store.con)
    return _most(Counter({names.get(project, project): cases for project, cases in projects.items()}))


def _most(counted: Counter[str]) -> tuple[Facet, ...]:
    ordered = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Facet(value, cases) for value, cases in ordered[:MOST])


_KEY_LINE = (
    "coalesce((SELECT key_line FROM fingerprint f WHERE f.case_id = e.id ORDER BY first_seen LIMIT 1),"
    " e.error_normalized)"
)
_ROW = (
    f"e.id, {_KEY_LINE}, s.status, {SHOWN_TOOL}, s.project, s.seen, coalesce(e.use_count, 0), s.first_seen,"
    f" s.last_seen, {SHOWN_OF_CASE}, s.sessions, s.seconds, s.worth, s.queue_case, NOT ({MISSED.format(case='e.id')}),"
    f" EXISTS (SELECT 1 FROM resolution r WHERE r.case_id = e.id AND r.author = '{TEAM}' AND r.status <> 'rejected')"
)
_COLUMNS = 16
_Columns = tuple[int, str, CaseStatus, str, str, int, int, str, str, str, int, float, str, int | None, int, int]
RAREST = 4
"""Words of a long text that browsing asks for when no case has them all: the rarest."""
SOME = 5
"""The most cases that are shown where none has every word."""
_FEW = 8
"""Cases that may share a word in a casebook so small that it cannot say which words are common."""
EVERY = Filters()
_CURSOR = re.compile(r"(?P<value>[^|]{0,64})\|(?P<id>[0-9]{1,18})")


def list_cases(
    store: Store, filters: Filters = EVERY, sort: Sort = "last_seen", limit: int = 50, after: str | None = None
) -> CaseList:
    """One page of cases, newest or most frequent first; `after` is the `next` of the page before.

    Pages go by key, never by offset, so page 1,000 costs what page 1 does. Raises Fault on a cursor that is none.
    """
    column = SORT_COLUMNS[sort]
    tests, values = conditions(filters)
    if after is not None:
        cursor = _CURSOR.fullmatch(after)
        if cursor is None:
            raise Fault("invalid_input", "invalid page cursor", "use `next` of the previous page")
        text = cursor["value"]
        value: str | int = text
        if sort == "seen":
            value = int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else 0
        tests.append(f"(s.{column}, s.case_id) < (?, ?)")
        values.extend((value, int(cursor["id"])))
    where = f" WHERE {' AND '.join(tests)}" if tests else ""
    rows = store.con.execute(
        # The page first, the rest of its rows then: an order without an index of its own would else sort whole rows.
        f"WITH s AS MATERIALIZED (SELECT * FROM case_state s{where} ORDER BY s.{column} DESC, s.case_id DESC LIMIT ?)"
        f" SELECT {_ROW}, s.{column} FROM s JOIN error_kb e ON e.id = s.case_id"
        f" ORDER BY s.{column} DESC, s.case_id DESC",
        (*values, limit + 1),
    ).fetchall()
    page = rows[:limit]
    following = f"{page[-1][_COLUMNS]}|{page[-1][0]}" if len(rows) > limit and page else None
    return CaseList(_case_rows(store, [row[:_COLUMNS] for row in page]), following)


def _case_rows(store: Store, rows: Sequence[tuple[object, ...]]) -> tuple[CaseRow, ...]:
    columns = cast("Sequence[_Columns]", rows)
    found = [CaseRow(*row[:-2], harvested=bool(row[-2]), origin="team" if row[-1] else "here") for row in columns]
    own = own_titles(store.con, [row.id for row in found])
    return tuple(replace(row, key_line=own[row.id].key_line) if row.id in own else row for row in found)


def count_cases(store: Store, filters: Filters = EVERY) -> int:
    """How many cases pass the filters."""
    tests, values = conditions(filters)
    where = f" WHERE {' AND '.join(tests)}" if tests else ""
    row = store.con.execute(f"SELECT count(*) FROM case_state s{where}", tuple(values)).fetchone()
    return cast("int", row[0]) if row else 0


def case_rows(store: Store, ids: tuple[int, ...], filters: Filters = EVERY) -> tuple[CaseRow, ...]:
    """The rows of these cases, in the order asked for; one that is gone or does not pass the filters is left out."""
    marks = ", ".join("?" * len(ids))
    tests, values = conditions(filters)
    passing = "".join(f" AND {test}" for test in tests)
    rows = store.con.execute(
        f"SELECT {_ROW} FROM case_state s JOIN error_kb e ON e.id = s.case_id WHERE e.id IN ({marks}){passing}",
        (*ids, *values),
    ).fetchall()
    by_id = {row.id: row for row in _case_rows(store, rows)}
    return tuple(by_id[case_id] for case_id in ids if case_id in by_id)


class _CaseColumns(NamedTuple):
    """What `show_case` reads of the case itself."""

    id: int
    ts: str
    error_normalized: str
    error_raw: str
    resolution: str | None
    resolved_by: str | None
    tool_sequence: str | None
    use_count: int
    last_used: str | None
    status: CaseStatus
    tool: str
    project: str
    first_seen: str
    last_seen: str
    occurrences: int
    project_name: str
    repository: str
    harvested: int


def show_case(store: Store, case_id: int, most: int = 200) -> Case | None:
    """One case, or None if there is none of that id; at most `most` fingerprints and resolutions, all with -1."""
    con = store.con
    row = con.execute(
        "SELECT e.id, e.ts, e.error_normalized, e.error_raw, e.resolution, e.resolved_by, e.tool_sequence,"
        f" coalesce(e.use_count, 0), e.last_used, s.status, {SHOWN_TOOL}, s.project, s.first_seen, s.last_seen, s.seen,"
        f" {SHOWN_OF_CASE}, s.repository, NOT ({MISSED.format(case='e.id')})"
        " FROM error_kb e JOIN case_state s ON s.case_id = e.id WHERE e.id = ?",
        (case_id,),
    ).fetchone()
    if row is None:
        return None
    case = _CaseColumns._make(row)
    own = own_titles(con, [case_id]).get(case_id)
    finer = con.execute(
        "SELECT fingerprint, key_line, tool,"
        " (SELECT count(*) FROM occurrence o WHERE o.fingerprint = f.fingerprint) FROM fingerprint f"
        " WHERE case_id = ? ORDER BY fingerprint IS NOT ?, first_seen, fingerprint LIMIT ?",
        (case_id, None if own is None else own.fingerprint, most),
    ).fetchall()
    keys = con.execute("SELECT error_normalized FROM case_key WHERE case_id = ? ORDER BY 1", (case_id,)).fetchall()
    fingerprints = tuple(CaseKeyLine(*cast("tuple[str, str, str, int]", item)) for item in finer)
    given: dict[str, Any] = case._asdict()
    given |= {"tool_sequence": parse_names(case.tool_sequence), "harvested": bool(case.harvested)}
    return Case(
        **given,
        resolved=bool((case.resolution or "").strip()),
        keys=tuple(cast("str", key) for (key,) in keys) or (case.error_normalized,),
        key_lines=tuple(dict.fromkeys(item.key_line for item in fingerprints)) or (case.error_normalized,),
        fingerprints=fingerprints,
        resolutions=resolutions_of(con, case_id, most),
    )


_OccurrenceRow = tuple[
    str, str | None, int | None, str | None, str | None, str, str, int | None, int | None, int
]  # fmt: skip


def occurrences_of(
    store: Store, case_id: int, limit: int = 50, before: Occurrence | None = None, fingerprint: str | None = None
) -> tuple[Occurrence, ...]:
    """The times a case was seen, newest first, each with its raw text; `before` is the one to go on from.

    With a `fingerprint` only those of that one of its errors.
    """
    only = "" if fingerprint is None else " AND f.fingerprint = ?"
    only += "" if before is None else " AND (o.ts, o.id) < (?, ?)"
    values = (case_id, *(() if fingerprint is None else (fingerprint,)))
    values += (limit,) if before is None else (before.ts, before.id, limit)
    rows = store.con.execute(
        "SELECT o.fingerprint, o.session_id, o.message_idx, o.tool, o.project, o.ts,"
        " coalesce(o.raw, m.text, f.key_line), o.start, o.end, o.id"
        " FROM fingerprint f JOIN occurrence o USING (fingerprint)"
        " LEFT JOIN message m ON m.session_id = o.session_id AND m.idx = o.message_idx"
        f" WHERE f.case_id = ?{only} ORDER BY o.ts DESC, o.id DESC LIMIT ?",
        values,
    ).fetchall()
    return tuple(Occurrence(*cast("_OccurrenceRow", row)) for row in rows)


def browse(store: Store, text: str, limit: int = 50, filters: Filters = EVERY) -> tuple[Hit, ...]:
    """`browsed` without its step."""
    return browsed(store, text, limit, filters)[0]


def browsed(store: Store, text: str, limit: int = 50, filters: Filters = EVERY) -> tuple[tuple[Hit, ...], Step]:
    """Candidates while a person types: every word, the last one half typed; else any of the rarest words.

    Each under the key line that has the words, with the fix of that error. Only cases that pass `filters`: the filter
    is part of the query, so `limit` hits come if there are as many. Stage `text`: never a match, never counted.
    """
    watch = Stopwatch()
    text = one_form(text)  # as what is stored is indexed
    matched = match_query(text, prefix_last=True)
    if matched is None:
        return (), words_step((), "the query contains no words", watch.ms())
    ids, query = _matching(store, matched, limit, filters), QueryWords(terms(text), half=not text[-1:].isspace())
    if not ids:
        rare = _rarest(store, query.terms)
        anyone = any_of(rare)
        if anyone is None:
            return (), words_step((), "no case contains any of the words", watch.ms())
        ids, query = _matching(store, anyone, min(limit, SOME), filters), QueryWords(rare, rare=True)
    own = own_titles(store.con, ids)
    hits = tuple(_text_hit(store, case_id, locate(store.con, case_id, own.get(case_id), query)) for case_id in ids)
    if not query.rare:  # a stable sort: within each half the index has ranked them
        hits = tuple(sorted(hits, key=lambda hit: not in_order(hit.key_line, query)))
    has = "one of the rarest words" if query.rare else "every word"
    reason = (
        f"{len(hits):,} case{'' if len(hits) == 1 else 's'} with {has} (suggestions only)"
        if hits
        else "no case contains the words"
    )
    return hits, words_step(hits, reason, watch.ms())


def _matching(store: Store, match: str, limit: int, filters: Filters) -> list[int]:
    tests, values = conditions(filters)
    # CROSS: the index of words leads and each case it finds is tested, never the other way round.
    joined = " CROSS JOIN case_state s ON s.case_id = case_fts.rowid" if tests else ""
    passing = "".join(f" AND {test}" for test in tests)
    rows = store.con.execute(
        f"SELECT case_fts.rowid FROM case_fts{joined} WHERE case_fts MATCH ?{passing}"
        " ORDER BY bm25(case_fts, 8.0, 1.0, 3.0, 1.0) LIMIT ?",
        (match, *values, limit),
    ).fetchall()
    return [cast("int", row[0]) for row in rows]


def _rarest(store: Store, found: tuple[str, ...]) -> tuple[str, ...]:
    """The rarest words of `found` that say what a text is about and that the index knows; none that most cases have."""
    (cases,) = cast("tuple[int]", store.con.execute("SELECT count(*) FROM error_kb").fetchone())
    most = max(_FEW, cases // 2)
    known: list[tuple[int, str]] = []
    for term in found:
        if not term.isdigit() and not words(term):
            continue
        row = store.con.execute("SELECT doc FROM case_term WHERE term = ?", (term,)).fetchone()
        if row is not None and row[0] <= most:
            known.append((cast("int", row[0]), term))
    return tuple(term for _, term in sorted(known)[:RAREST])


def _text_hit(store: Store, case_id: int, found: MatchLocation) -> Hit:
    row = store.con.execute(
        "SELECT e.error_normalized, e.resolution, s.status, e.resolved_by, e.tool_sequence, coalesce(e.use_count, 0),"
        " e.last_used FROM error_kb e JOIN case_state s ON s.case_id = e.id WHERE e.id = ?",
        (case_id,),
    ).fetchone()
    if row is None:  # deleted behind our back
        row = ("", None, None, None, None, 0, None)
    normalized, resolution, status, resolved_by, tools, uses, last = row
    place, own, source = found.place, None, Source(None)
    if place.part == "error" and place.says != "some" and (resolution or "").strip():
        own = None if found.only else _own_fix(store, case_id, place)
        place = Place(place.part, place.says, place.fingerprint, own_fix=found.only or own is not None)
    if isinstance(own, Resolution):
        resolution, status, resolved_by, source = own.text, own.status, own.resolved_by, own.source
    return Hit(
        id=case_id,
        tier="text",
        confidence="low",
        score=0.0,
        distance=None,
        error_normalized=normalized,
        key_line=found.line,
        resolution=resolution,
        status=None if status == "unresolved" else status,
        resolved_by=resolved_by,
        tool_sequence=own.tool_sequence if isinstance(own, Resolution) else parse_names(tools),
        use_count=uses,
        last_used=last,
        source=source,
        why=(found.why,),
        accepted=False,
        reason="matched by words (suggestion only)",
        place=place,
        lesson=own.lesson if isinstance(own, Resolution) else None,
    )


def _own_fix(store: Store, case_id: int, place: Place) -> Resolution | Literal["mirror"] | None:
    """The fix that answers for the error which has the words; of a case without a history, what its row mirrors."""
    if place.fingerprint is not None and (fix := answering(store.con, case_id, place.fingerprint)) is not None:
        return fix
    written = store.con.execute("SELECT 1 FROM resolution WHERE case_id = ? LIMIT 1", (case_id,)).fetchone()
    return "mirror" if written is None else None
