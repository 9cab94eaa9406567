"""The text tiers of the search, each a pure reading of the store: fingerprint, exact key, prefix, words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, cast

import apsw

from core.base.trace import Step, Stopwatch, facts
from core.errors.cases.derived import ANSWERS, HOLDS_HERE, TEAM, answer_order, message_numbers, own_titles, parse_names
from core.errors.equivalence import (
    Named,
    difference,
    fewest_other_names,
    in_words,
    other_names,
    plain_words,
    swapped_names,
)
from core.errors.fixes import strength_of, weakness_of, worth_of
from core.errors.identity.codes import codes_differ
from core.errors.identity.fingerprint import fingerprint
from core.errors.lessons import read_lesson
from core.errors.retrieval.answer import Confidence, Hit, OtherName, Place, Query, Source, Status, Strength, Tier, Worth
from core.lexical import match_query, terms
from core.store import Store
from core.text import words

if TYPE_CHECKING:
    from core.errors.retrieval.match_location import MatchLocation


class AnsweringFix(NamedTuple):
    """A fix that may answer: `key_line` and `mark` (fingerprint) are of the error it is for, None for a whole case."""

    text: str
    status: Status
    resolved_by: str | None
    tools: tuple[str, ...]
    source: Source
    key_line: str | None
    mark: str | None = None
    id: int | None = None
    strength: Strength = "strong"
    weakness: str = ""
    worth: Worth | None = None
    lesson: str | None = None
    team: bool = False


class _FixRow(NamedTuple):
    """The columns of a fix that may answer; `key_line` is of the error that the fix is for."""

    text: str
    status: Status
    resolved_by: str | None
    tool_sequence: str | None
    session_id: str | None
    message_ids: str
    key_line: str | None
    fingerprint: str | None
    id: int
    author: str
    original: str | None
    lesson: str | None


def answering_fixes(
    con: apsw.Connection, case_id: int, fingerprint: str | None, repository: str = ""
) -> list[AnsweringFix]:
    """The answering resolutions of a case, best first: for one fingerprint, its own and the whole case's.

    With the `repository` where the error was met, its fixes go before those of others, and lessons of other teams do
    not answer.
    """
    only, values = "", (case_id,)
    if fingerprint is not None:
        only, values = " AND (fingerprint = ? OR fingerprint IS NULL)", (case_id, fingerprint)
    if repository:
        only, values = f"{only} AND {HOLDS_HERE}", (*values, repository)
    order = answer_order(own=fingerprint is not None, repository=bool(repository))
    values += (repository,) if repository else ()
    rows = con.execute(
        "SELECT text, status, resolved_by, tool_sequence, session_id, message_ids,"
        " (SELECT key_line FROM fingerprint f WHERE f.fingerprint = r.fingerprint), fingerprint, id, author, original,"
        " lesson"
        f" FROM (SELECT * FROM resolution WHERE case_id = ? AND {ANSWERS}{only} ORDER BY {order} LIMIT 20) r",
        values,
    ).fetchall()
    return [_fix(_FixRow._make(row)) for row in rows]


def _fix(row: _FixRow) -> AnsweringFix:
    return AnsweringFix(
        text=row.text,
        status=row.status,
        resolved_by=row.resolved_by,
        tools=parse_names(row.tool_sequence),
        source=Source(row.session_id, message_numbers(row.message_ids)),
        key_line=row.key_line,
        mark=row.fingerprint,
        id=row.id,
        strength=strength_of(row.author, row.status, row.original),
        weakness=weakness_of(row.author, row.status, row.original),
        worth=worth_of(row.author, row.status, row.original),
        lesson=row.lesson,
        team=row.author == TEAM,
    )


ELSEWHERE = "its fix is a team lesson of another repository"
PREFIX = 30
"""Code points that the prefix tier compares literally (REQ-RA-002)."""
COMPARED = 96
"""Candidates the prefix tier looks at, at most; the trace names the cap."""
OVERLAP = 0.6
"""Jaccard overlap of the words from which a prefix match is trusted: below it, a third were the wrong error."""
SHOWN = 3
VARIANTS = 50
"""Errors of one case, and times that one was seen, whose names are compared with the searched one."""


class TierResult(NamedTuple):
    """What one tier found: its match, near misses, a weak match to fall back on, and the step for the trace."""

    match: Hit | None
    candidates: tuple[Hit, ...]
    weak: Hit | None
    step: Step


def overlap(left: str, right: str) -> float:
    """Jaccard overlap of the content words of two texts, 0..1; 1 where both have none."""
    return _jaccard(frozenset(words(left)), frozenset(words(right)))


def _jaccard(ours: frozenset[str], theirs: frozenset[str]) -> float:
    if not ours and not theirs:
        return 1.0
    return len(ours & theirs) / len(ours | theirs)


def _row(con: apsw.Connection, case_id: int) -> tuple[str, str | None, str | None, str | None, int, str | None, int]:
    row = con.execute(
        "SELECT error_normalized, resolution, resolved_by, tool_sequence, coalesce(use_count, 0), last_used,"
        " EXISTS (SELECT 1 FROM resolution WHERE case_id = error_kb.id) FROM error_kb WHERE id = ?",
        (case_id,),
    ).fetchone()
    return cast("tuple[str, str | None, str | None, str | None, int, str | None, int]", row)


def _hit(
    con: apsw.Connection,
    case_id: int,
    fix: AnsweringFix | None,
    tier: Tier,
    score: float,
    key_line: str | None,
    why: tuple[str, ...],
    *,
    likeness: Confidence = "high",
    accepted: bool = True,
    reason: str = "",
) -> Hit:
    """Return the case as a hit; `fix` None without a seed fix is an unresolved case."""
    normalized, mirror, resolved_by, sequence, uses, last_used, has_rows = _row(con, case_id)
    if fix is None and not has_rows and (mirror or "").strip():
        fix = AnsweringFix(mirror or "", "draft", resolved_by, parse_names(sequence), Source(None), None)
    line = key_line or (fix.key_line if fix else None)
    if line is None:
        named = con.execute("SELECT key_line FROM fingerprint WHERE case_id = ? LIMIT 1", (case_id,)).fetchone()
        line = normalized if named is None else cast("str", named[0])
    return Hit(
        id=case_id,
        tier=tier,
        confidence="low" if fix and fix.strength == "weak" else likeness,
        score=score,
        distance=None,
        error_normalized=normalized,
        key_line=line,
        resolution=fix.text if fix else None,
        status=fix.status if fix else None,
        resolved_by=fix.resolved_by if fix else None,
        tool_sequence=fix.tools if fix else (),
        use_count=uses,
        last_used=last_used,
        source=fix.source if fix else Source(None),
        why=(*why, fix.weakness) if fix and fix.weakness else why,
        accepted=accepted,
        reason=reason,
        likeness=likeness,
        fix_strength=fix.strength if fix else None,
        worth=fix.worth if fix else None,
        resolution_id=fix.id if fix else None,
        lesson=read_lesson(con, fix.id, fix.lesson) if fix and fix.id is not None else None,
        origin="team" if fix and fix.team else "here",
    )


def lowered(hit: Hit, reason: str) -> Hit:
    """The same hit as one less like the error, and why."""
    return replace(hit, likeness="low", confidence="low", score=min(hit.score, 0.6), why=(*hit.why, reason))


def neighbour_hit(
    con: apsw.Connection,
    case_id: int,
    key_line: str,
    similarity: float,
    distance: float,
    why: tuple[str, ...],
    *,
    likeness: Confidence = "low",
    accepted: bool = False,
    reason: str = "",
) -> Hit:
    """A case of the vector tier under the key line that fits best, with the fix that belongs to it."""
    fixes = answering_fixes(con, case_id, None)
    best = max(
        range(len(fixes)),
        key=lambda at: (
            fixes[at].key_line == key_line,
            not codes_differ(key_line, fixes[at].key_line or ""),
            overlap(key_line, fixes[at].key_line or ""),
            -at,
        ),
        default=None,
    )
    fix = None if best is None else fixes[best]
    score = round(max(0.0, min(1.0, similarity)), 3)
    hit = _hit(con, case_id, fix, "vector", score, key_line, why, likeness=likeness, accepted=accepted)
    return replace(hit, distance=round(distance, 4), reason=reason)


def _unanswered(con: apsw.Connection, case_id: int, mark: str | None = None, repository: str = "") -> str:
    """Why no fix of a case, or of one of its errors (`mark`), answers in this repository."""
    row = con.execute(
        "SELECT EXISTS (SELECT 1 FROM noise WHERE case_id = ?1), EXISTS (SELECT 1 FROM resolution WHERE case_id = ?1"
        " AND trim(text) <> '' AND (?2 IS NULL OR fingerprint IS NULL OR fingerprint = ?2))",
        (case_id, mark),
    ).fetchone()
    noise, fixes = cast("tuple[int, int]", row or (0, 0))
    if noise:
        return "it is marked as noise"
    if repository and answering_fixes(con, case_id, mark):
        return ELSEWHERE
    return "its fixes were rejected or replaced" if fixes else "it has no fix yet"


def text_hit(con: apsw.Connection, case_id: int, found: MatchLocation) -> Hit:
    """A case that has every word of what was asked, with the fix of the error that has them: never an answer."""
    place = found.place
    at_error = place.part == "error" and place.says != "some"
    mark = None if found.only else place.fingerprint
    own = answering_fixes(con, case_id, mark) if at_error and mark is not None else []
    fixes = own or answering_fixes(con, case_id, None)
    hit = _hit(con, case_id, fixes[0] if fixes else None, "text", 0.0, found.line, (found.why,), likeness="low")
    look = f"for its fix, run: casebook errors show {case_id}" if hit.resolution else _unanswered(con, case_id)
    mine = at_error and hit.resolution is not None and (bool(own) or not fixes or mark is None)
    if at_error and fixes and not mine:
        look = f"for the fix of another error in the case, run: casebook errors show {case_id}"
    return replace(hit, accepted=False, reason=f"{found.why}; {look}", place=replace(place, own_fix=mine))


def _lower_if_names_differ(con: apsw.Connection, hit: Hit, fix: AnsweringFix | None, query: Query) -> Hit:
    """The hit, with low confidence where no error that its fix is for has the names of the searched one."""
    only, values = (" AND fingerprint = ?", (hit.id, fix.mark)) if fix is not None and fix.mark else ("", (hit.id,))
    rows = con.execute(
        f"SELECT fingerprint, key_line FROM fingerprint WHERE case_id = ?{only} LIMIT {VARIANTS}", values
    ).fetchall()
    known = (Named(*one) for one in cast("list[tuple[str, str]]", rows))
    found = fewest_other_names(known, Named(query.fingerprint, query.key_line))
    return _under_other_names(hit, found) if found else hit


def _under_other_names(hit: Hit, found: tuple[OtherName, ...]) -> Hit:
    return replace(lowered(hit, in_words(found)), other_names=found)


def _occurred_with(con: apsw.Connection, fingerprint: str, names: tuple[OtherName, ...]) -> bool:
    """Whether this very error was seen with these names at another time."""
    rows = con.execute(
        "SELECT coalesce(o.raw, substr(m.text, o.start + 1, o.end - o.start), '') FROM occurrence o"
        " LEFT JOIN message m ON m.session_id = o.session_id AND m.idx = o.message_idx WHERE o.fingerprint = ?"
        f" ORDER BY o.ts DESC LIMIT {VARIANTS}",
        (fingerprint,),
    )
    return any(all(one.searched in cast("str", raw) for one in names) for (raw,) in rows)


def by_fingerprint(con: apsw.Connection, query: Query, repository: str = "") -> TierResult:
    """The same case: every identifier and code equal, only volatile parts differ. Low where a module is another one."""
    watch = Stopwatch()
    row = con.execute(
        "SELECT case_id, key_line FROM fingerprint WHERE fingerprint = ?", (query.fingerprint,)
    ).fetchone()
    if row is None:
        return TierResult(None, (), None, Step("fingerprint", "miss", "unknown error", elapsed_ms=watch.ms()))
    case_id, key_line = cast("tuple[int, str]", row)
    fixes = answering_fixes(con, case_id, query.fingerprint, repository)
    hit = _hit(con, case_id, fixes[0] if fixes else None, "fingerprint", 1.0, key_line, ("same fingerprint",))
    hit = replace(hit, place=Place("error", "exactly", query.fingerprint, own_fix=bool(hit.resolution)))
    found = other_names(Named(query.fingerprint, key_line), Named(query.fingerprint, query.key_line))
    if found and not _occurred_with(con, query.fingerprint, found):
        hit = _under_other_names(hit, found)
    if hit.resolution:
        reason = _but("the same case", hit)
        step = Step("fingerprint", "hit", reason, facts(case=case_id), elapsed_ms=watch.ms())
        return TierResult(hit, (), None, step)
    reason = f"known error, but {_unanswered(con, case_id, query.fingerprint, repository)}"
    silent = replace(hit, accepted=False, reason=reason)
    step = Step("fingerprint", "rejected", reason, facts(case=case_id), elapsed_ms=watch.ms())
    return TierResult(None, (silent,), None, step)


def by_key(con: apsw.Connection, query: Query, repository: str = "") -> TierResult:
    """The same kind: the seed's normalized keys are equal. Low where codes or names differ: 404 is not 500."""
    watch = Stopwatch()
    row = con.execute(
        "SELECT case_id FROM case_key WHERE error_normalized = ?1"
        " UNION ALL SELECT id FROM error_kb WHERE error_normalized = ?1 LIMIT 1",
        (query.normalized,),
    ).fetchone()
    if row is None:
        return TierResult(None, (), None, Step("exact", "miss", "no case has this key", elapsed_ms=watch.ms()))
    case_id = cast("int", row[0])
    fixes = answering_fixes(con, case_id, None, repository)
    order = [
        (not codes_differ(query.key_line, fix.key_line or ""), overlap(query.key_line, fix.key_line or ""), -at)
        for at, fix in enumerate(fixes)
    ]
    best = fixes[order.index(max(order))] if fixes else None
    hit = _hit(con, case_id, best, "exact", 0.95, None, ("same normalized key",))
    hit = _lower_if_names_differ(con, hit, best, query)
    if codes_differ(query.key_line, hit.key_line):
        hit = lowered(hit, "the codes differ")
    if not hit.resolution:
        reason = f"known kind of error, but {_unanswered(con, case_id, None, repository)}"
        silent = replace(hit, accepted=False, reason=reason)
        return TierResult(
            None, (silent,), None, Step("exact", "rejected", reason, facts(case=case_id), elapsed_ms=watch.ms())
        )
    step = Step("exact", "hit", _but("the same kind", hit), facts(case=case_id), elapsed_ms=watch.ms())
    return TierResult(hit, (), None, step)


_SHELLS = (
    "zsh:1: command not found: {}", "command not found: {}", "(eval):1: command not found: {}",
    "bash: {}: command not found", "bash: line 1: {}: command not found", "/bin/bash: line 1: {}: command not found",
    "/usr/bin/bash: line 1: {}: command not found", "{}: command not found", "sh: {}: command not found",
    "sh: 1: {}: not found", "/bin/sh: 1: {}: not found", "/bin/sh: line 1: {}: command not found",
    "env: {}: No such file or directory", "env: \u2018{}\u2019: No such file or directory",
    "fish: Unknown command: {}", "'{}' is not recognized as an internal or external command,",
    "{0} : The term '{0}' is not recognized as the name of a cmdlet, function, script file, or operable program.",
    "{0}: The term '{0}' is not recognized as a name of a cmdlet, function, script file, or executable program.",
)  # fmt: skip
"""How shells report that a program is missing."""


def by_other_shells(con: apsw.Connection, program: str, repository: str = "") -> TierResult:
    """The same missing program, reported by another shell: `zsh:1: command not found: jq` is `sh: 1: jq: not found`."""
    watch = Stopwatch()
    marks = list(dict.fromkeys(fingerprint(shell.format(program)) for shell in _SHELLS))
    rows = cast(
        "list[_Row]",
        con.execute(
            "SELECT fingerprint, case_id, key_line FROM fingerprint"
            f" WHERE fingerprint IN ({','.join('?' * len(marks))}) ORDER BY first_seen DESC",
            marks,
        ).fetchall(),
    )
    why = (f"the same program is missing, reported by another shell: {program}",)
    if not rows:
        step = Step("other shells", "miss", "no other shell reported this program", elapsed_ms=watch.ms())
        return TierResult(None, (), None, step)
    hit, known, reason = _of_same_kind(con, rows, why, repository)
    if hit is None:
        step = Step("other shells", "rejected", reason, facts(case=rows[0][1]), elapsed_ms=watch.ms())
        return TierResult(None, known, None, step)
    reason = _but("the same missing program", hit)
    return TierResult(hit, (), None, Step("other shells", "hit", reason, facts(case=hit.id), elapsed_ms=watch.ms()))


_Row = tuple[str, int, str]
"""A fingerprint, its case, and its key line."""


def _of_same_kind(
    con: apsw.Connection, rows: list[_Row], why: tuple[str, ...], repository: str
) -> tuple[Hit | None, tuple[Hit, ...], str]:
    """The answer of the first row with a fix, a strong one first; else the first as a known case, and the reason."""
    hits = [
        _hit(con, case_id, fixes[0], "exact", 0.95, key_line, why)
        for mark, case_id, key_line in rows
        if (fixes := answering_fixes(con, case_id, mark, repository))
    ]
    if hits:
        return next((one for one in hits if one.fix_strength == "strong"), hits[0]), (), ""
    mark, case_id, key_line = rows[0]
    reason = f"{why[0]}, but {_unanswered(con, case_id, mark, repository)}"
    known = replace(_hit(con, case_id, None, "exact", 0.95, key_line, why), accepted=False, reason=reason)
    return None, (known,), reason


_UNMATCHED = ("zsh: no matches found: ", "zsh:<N>: no matches found: ", "no matches found: ")
"""How the fingerprint begins of a pattern without a match."""
_WILDCARDS = "?*[]{}^~"
_PATTERNS = 40


def by_other_patterns(con: apsw.Connection, pattern: str, repository: str = "") -> TierResult:
    """Another pattern with the same wildcards, for which zsh found no match either.

    `?` is nearly always an address without quotes, `*` a file that is not there: their fixes differ. Those of the same
    option (`--include=*.ts`) go before all others: quotes are their cure.
    """
    watch = Stopwatch()
    found: list[_Row] = []
    for prefix in _UNMATCHED:
        found += cast(
            "list[_Row]",
            con.execute(
                "SELECT fingerprint, case_id, key_line FROM fingerprint WHERE fingerprint >= ?1 AND fingerprint < ?2"
                " ORDER BY first_seen DESC LIMIT ?3",
                (prefix, f"{prefix}\U0010ffff", _PATTERNS),
            ).fetchall(),
        )
    signs = set(pattern) & set(_WILDCARDS)
    patterns = {row: row[2].partition("no matches found: ")[2] for row in found}
    same = [row for row in found if set(patterns[row]) & set(_WILDCARDS) == signs]
    option = _option(pattern)
    rows = [row for row in same if option and _option(patterns[row]) == option] or same
    if not rows:
        step = Step("other patterns", "miss", "no other pattern of this form", elapsed_ms=watch.ms())
        return TierResult(None, (), None, step)
    why = (f"zsh found no match for another pattern with {' and '.join(sorted(signs)) or 'no wildcard'}",)
    hit, known, reason = _of_same_kind(con, rows, why, repository)
    if hit is None:
        step = Step("other patterns", "rejected", reason, facts(case=rows[0][1]), elapsed_ms=watch.ms())
        return TierResult(None, known, None, step)
    hit = lowered(hit, "the pattern differs")
    step = Step("other patterns", "hit", why[0], facts(case=hit.id), elapsed_ms=watch.ms())
    return TierResult(hit, (), None, step)


def _option(pattern: str) -> str:
    """The option that a shell read as part of a pattern; empty for a file or an address."""
    return pattern.partition("=")[0] if pattern.startswith("-") else ""


def _but(same: str, hit: Hit) -> str:
    if hit.likeness == "low":
        return f"{same}, but {hit.why[-1]}"
    return f"{same}, but its fix is weak" if hit.fix_strength == "weak" else same


_NEIGHBOURS = """
SELECT * FROM (SELECT error_normalized, case_id FROM answer_key
  WHERE error_normalized >= :key AND error_normalized < :above ORDER BY error_normalized LIMIT 24)
UNION SELECT * FROM (SELECT error_normalized, case_id FROM answer_key
  WHERE error_normalized >= :prefix AND error_normalized < :key ORDER BY error_normalized DESC LIMIT 24)
"""
_LENGTHS = """
UNION SELECT * FROM (SELECT error_normalized, case_id FROM answer_key WHERE prefix = :prefix
  AND length BETWEEN :length AND :high ORDER BY length LIMIT 24)
UNION SELECT * FROM (SELECT error_normalized, case_id FROM answer_key WHERE prefix = :prefix
  AND length BETWEEN :low AND :length - 1 ORDER BY length DESC LIMIT 24)
"""


def _prefix_rows(con: apsw.Connection, key: str) -> list[tuple[str, int]]:
    """Keys that share the first 30 code points and lie within the length ratio, at most 96.

    Half of them are the neighbours in the alphabet (the longest shared beginning), half the nearest in length:
    each half walks an index, so the widest bucket costs what a narrow one does.
    """
    size = len(key)
    prefix = key[:PREFIX]
    values = {
        "prefix": prefix,
        "above": prefix + "\U0010ffff",
        "key": key,
        "length": size,
        "low": -(-7 * size // 10),
        "high": 10 * size // 7,
    }
    sql = _NEIGHBOURS if size < PREFIX else _NEIGHBOURS + _LENGTHS
    return cast("list[tuple[str, int]]", con.execute(sql, values).fetchall())


def by_prefix(con: apsw.Connection, query: Query, repository: str = "") -> TierResult:
    """Keys that begin alike (first 30 code points, length ratio 0.7), the best word overlap first."""
    watch = Stopwatch()
    size, ours = len(query.normalized), frozenset(words(query.normalized))
    rows = [
        (_jaccard(ours, frozenset(words(key))), -abs(len(key) - size), case_id)
        for key, case_id in _prefix_rows(con, query.normalized)
        if 10 * min(size, len(key)) >= 7 * max(size, len(key))
    ]
    rows.sort(key=lambda row: (-row[0], -row[1], row[2]))
    seen = facts(compared=len(rows), cap=COMPARED, best=round(rows[0][0], 3) if rows else None)
    if not rows:
        return TierResult(
            None,
            (),
            None,
            Step("prefix", "miss", "no key has the same beginning and a similar length", seen, elapsed_ms=watch.ms()),
        )
    hits: dict[int, Hit] = {}
    for share, _, case_id in rows:
        if case_id not in hits:
            hits[case_id] = _prefix_hit(con, query, case_id, share, repository)
        if len(hits) == SHOWN:
            break
    answering = [hit for hit in hits.values() if hit.resolution]
    if not answering:
        return TierResult(
            None, (), None, Step("prefix", "miss", "none of the matching cases has a fix", seen, elapsed_ms=watch.ms())
        )
    best = answering[0]
    others = tuple(
        replace(hit, accepted=False, reason="another key shares more words") for hit in answering if hit.id != best.id
    )
    if best.likeness == "high":
        step = Step("prefix", "hit", "same beginning and similar words", seen, elapsed_ms=watch.ms())
        return TierResult(best, others, None, step)
    step = Step(
        "prefix",
        "rejected",
        f"{best.why[-1]}, kept as a weak match",
        seen,
        elapsed_ms=watch.ms(),
    )
    return TierResult(None, others, best, step)


def _prefix_hit(con: apsw.Connection, query: Query, case_id: int, share: float, repository: str) -> Hit:
    fixes = answering_fixes(con, case_id, None, repository)
    why = (f"same first {min(PREFIX, len(query.normalized))} characters", f"word overlap {share:.2f}")
    fix = fixes[0] if fixes else None
    hit = _hit(con, case_id, fix, "prefix", round(0.5 + 0.4 * share, 3), None, why)
    if share < OVERLAP:
        return lowered(hit, f"too few shared words (below {OVERLAP})")
    if codes_differ(query.key_line, hit.key_line):
        return lowered(hit, "the codes differ")
    if swapped := swapped_names(query.normalized, hit.error_normalized):
        return lowered(hit, f"it names {swapped[1]}, not {swapped[0]}")
    if differing := difference(plain_words(query.key_line), plain_words(hit.key_line or hit.error_normalized)):
        return lowered(hit, f"it contains “{differing[1]}”, not “{differing[0]}”")
    return _lower_if_names_differ(con, hit, fix, query)


MOST_BY_WORDS = 3
_LOCATED = 50
"""Cases of which it is looked where they have the words."""


def by_words(store: Store, query: Query) -> TierResult:
    """The three cases that say the words most, in their order before others; raises apsw errors of the store."""
    watch = Stopwatch()
    text = query.key_line or query.normalized
    match = match_query(text, prefix_last=False)
    rows: list[tuple[int]] = []
    if match is not None:
        sql = "SELECT rowid FROM case_fts WHERE case_fts MATCH ? ORDER BY bm25(case_fts, 8.0, 1.0, 3.0, 1.0) LIMIT ?"
        rows = cast("list[tuple[int]]", store.con.execute(sql, (match, _LOCATED)).fetchall())
    if not rows:
        return TierResult(None, (), None, Step("words", "miss", "no case contains every word", elapsed_ms=watch.ms()))
    from core.errors.retrieval.match_location import QueryWords, in_order, locate, words_step

    own, these = own_titles(store.con, [case_id for (case_id,) in rows]), QueryWords(terms(text))
    found = [(one, locate(store.con, one, own.get(one), these)) for (one,) in rows]
    first = sorted(found, key=lambda pair: not in_order(pair[1].line, these))[:MOST_BY_WORDS]
    hits = tuple(text_hit(store.con, case_id, place) for case_id, place in first)
    return TierResult(
        None,
        hits,
        None,
        words_step(hits, "these cases contain every word, which is not enough for an answer", watch.ms()),
    )
