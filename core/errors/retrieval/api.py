"""The search for a known error: fingerprint, exact, prefix, vector (error-kb REQ-RA-002, decisions 3 and 4)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple, cast

import apsw

from core.base.fault import Fault
from core.base.trace import Step, Stopwatch, facts
from core.embedding.index.state import read_state
from core.embedding.runtime.query_model import NoVectors, VectorSearch
from core.errors.cases.derived import HOLDS_HERE, repository_of_folder
from core.errors.fixes import Telling, Via, write_telling
from core.errors.identity.codes import missing_program, unmatched_pattern
from core.errors.identity.fingerprint import Identity, fingerprint, identify, names_failure, normalize_error
from core.errors.identity.keylines.select import KeyLine
from core.errors.retrieval.answer import Hit, Query, SearchAnswer, Similar, VectorResult
from core.errors.retrieval.tiers import (
    ELSEWHERE,
    TierResult,
    by_fingerprint,
    by_key,
    by_other_patterns,
    by_other_shells,
    by_prefix,
    by_words,
    lowered,
)
from core.store import Store, faults, now, open_store

Tiers = Literal["text", "all"]
Received = Callable[[Store, Sequence[str], str], Sequence[Hit]]
"""Takes over the lessons that a team's server sent about errors with these fingerprints, for a search in a repository;
returns those that could not be."""
NO_CASEBOOK = "no casebook found. Run: casebook import auto"
COUNT_MS = 500
"""Milliseconds that counting a use waits for another writer: the answer is known by then."""
OTHER_LINES = 5
"""How many further key lines of one output are looked up when its first one is unknown."""


def search(
    target: Store | Path,
    text: str,
    *,
    count: bool = True,
    tiers: Tiers = "text",
    vectors: VectorSearch | None = None,
    words: bool = False,
    project: str = "",
    session: str | None = None,
    received: Received | None = None,
) -> SearchAnswer:
    """The known fix of an error, or none, with the trace that led there.

    `text` is the error as it was printed, any number of lines, or a key already normalized. `count`: an answer
    counts as one use (`use_count`, `last_used`); browsing passes False. `vectors` is what the vector tier searches
    with; without it `tiers` says whether it was to be asked at all. With `words`, where nothing answers the cases that
    have every word stand among the candidates. `project` is where the error was met (a folder or a repository): its
    own fixes answer before those of other projects. `session` is the one that asks, if it is known: what becomes of an
    answer that counts is settled by what it does then. `received` takes over what a team taught about these errors and
    is not in the cases yet.
    Never raises: a missing database answers None; a fault of the store, or what is no text, is a `failed` step.
    """
    watch = Stopwatch()
    if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers without types are told too
        return SearchAnswer(Query("", "", "", ""), None, trace=(_no_text(text, watch),))
    found = identify(text)
    meaning = vectors or VectorSearch(lambda: NoVectors("text tiers only" if tiers == "text" else "no model"))
    asking = _SearchRequest(meaning, count, words, session, project, received)
    query = Query(text, found.key_line, found.normalized, found.fingerprint)
    known = bool(found.normalized) and (names_failure(found) or "\n" not in text.strip())
    summary = _named_by(found) if known else "no key line"
    seen = facts(key_lines=len(found.key_lines), tool=found.tool)
    named = Step("identify", "hit" if known else "miss", summary, seen, elapsed_ms=watch.ms())
    if not known:
        return SearchAnswer(query, None, trace=(named,))
    try:
        if isinstance(target, Store):
            with faults(target.path):
                return _answer(target, query, found, named, asking)
        if not target.exists():
            return SearchAnswer(query, None, trace=(named, Step("store", "miss", NO_CASEBOOK)))
        with open_store(target, write=count) as store, faults(target):
            return _answer(store, query, found, named, asking)
    except Fault as fault:
        return SearchAnswer(query, None, trace=(named, _failed(fault, watch)))


def _failed(fault: Fault, watch: Stopwatch) -> Step:
    details = facts(code=fault.code, message=fault.message, hint=fault.hint)
    return Step("store", "failed", fault.message, details, elapsed_ms=watch.ms())


def _no_text(given: object, watch: Stopwatch) -> Step:
    message, hint = f"the error is not text but {type(given).__name__}", "pass the error output"
    details = facts(code="invalid_input", message=message, hint=hint)
    return Step("identify", "failed", message, details, elapsed_ms=watch.ms())


def _named_by(found: Identity) -> str:
    if found.tool == "unknown":
        return "no tool was recognized: the most specific line is used"
    return f"key line found by the {found.tool} rules"


class _SearchRequest(NamedTuple):
    """How a search was asked, as `search` takes it."""

    vectors: VectorSearch
    counts: bool
    words: bool
    session: str | None
    project: str
    received: Received | None


def _answer(store: Store, query: Query, found: Identity, named: Step, asking: _SearchRequest) -> SearchAnswer:
    """Ask the tiers in order; the first to answer ends the search, the rest say that they were not needed."""
    where = repository_of_folder(store.con, asking.project) if asking.project else ""
    program, pattern = missing_program(query.key_line), unmatched_pattern(query.key_line)
    waiting, untaken = _take_received(store, query, found, where, asking.received)
    trace, candidates = [named, *waiting], list[Hit]()
    match: Hit | None = None
    weak: Hit | None = None
    for name, ask in (
        ("fingerprint", lambda: by_fingerprint(store.con, query, where)),
        ("exact", lambda: by_key(store.con, query, where)),
        *((("other shells", lambda: by_other_shells(store.con, program, where)),) if program else ()),
        *((("other patterns", lambda: by_other_patterns(store.con, pattern, where)),) if pattern else ()),
        ("other lines", lambda: _other_lines(store, query, found, where)),
        ("prefix", lambda: by_prefix(store.con, query, where)),
    ):
        if match is not None:
            trace.append(Step(name, "skipped", f"answered by the {match.tier} tier"))
            continue
        looked = ask()
        trace.append(looked.step)
        candidates.extend(hit for hit in looked.candidates if hit.id not in {one.id for one in candidates})
        match, weak = looked.match, weak or looked.weak
    if match is None:
        looked = look_by_vector(store, query, weak.id if weak is not None else None, asking.vectors)
    else:
        looked = VectorResult(None, Step("vector", "skipped", f"answered by the {match.tier} tier"))
    answer = _joined(SearchAnswer(query, match, tuple(candidates), (), tuple(trace)), weak, looked)
    answer = _in_scope(store.con, answer, where)
    if answer.match is not None and asking.counts:
        match, step = counted(store, answer.match, telling_of(answer, "search", asking.session, where))
        answer = replace(answer, match=match, trace=(*answer.trace, step))
    elif answer.match is None and asking.words:
        answer = _with_words(store, answer, where)
    return replace(answer, candidates=(*answer.candidates, *untaken)) if untaken else answer


def _take_received(
    store: Store, query: Query, found: Identity, where: str, received: Received | None
) -> tuple[tuple[Step, ...], Sequence[Hit]]:
    """Take over what was received about the searched errors; how many other lessons are not in the cases yet, and what
    could not be taken over."""
    watch = Stopwatch()
    try:
        if not _unindexed(store.con):
            return (), ()
        others = [fingerprint(one.text) for one in found.key_lines if one.text != query.key_line]
        marks = [query.fingerprint, *others[:OTHER_LINES]]
        given = store.con.execute(
            "SELECT 1 FROM team_mark WHERE mark IN (SELECT value FROM json_each(?)) LIMIT 1", (json.dumps(marks),)
        ).fetchone()
    except apsw.SQLError:  # an older schema that cannot be written
        return (), ()
    untaken = None if given is None or received is None else received(store, marks, where)
    count = _unindexed(store.con)
    reason = f"{count:,} lesson{'s' * (count != 1)} of the team {'is' if count == 1 else 'are'} not indexed yet"
    taken = untaken is not None and not untaken
    if taken:
        reason = f"the lessons about this error are indexed. {reason}" if count else "every lesson is indexed"
    outcome = "hit" if taken else "skipped"
    return (Step("team", outcome, reason, facts(unindexed=count), elapsed_ms=watch.ms()),), untaken or ()


def _unindexed(con: apsw.Connection) -> int:
    row = con.execute("SELECT count(*) FROM team_lesson WHERE waits AND lesson NOT GLOB 'merge-*'").fetchone()
    return cast("int", row[0]) if row else 0


def _in_scope(con: apsw.Connection, answer: SearchAnswer, where: str) -> SearchAnswer:
    """The answer without lessons of other teams, where it is known in which repository it was asked."""
    if not where:
        return answer
    match, looked_at, trace = answer.match, answer.candidates, answer.trace
    if match is not None and _is_elsewhere(con, match, where):
        trace = (*trace, Step("scope", "rejected", ELSEWHERE, facts(case=match.id)))
        match, looked_at = None, (match, *looked_at)
    shown = tuple(_without_fix(one) if _is_elsewhere(con, one, where) else one for one in looked_at)
    similar = tuple(
        replace(one, resolution=None) if one.resolution and _is_foreign(con, one.id, one.resolution, where) else one
        for one in answer.similar
    )
    return replace(answer, match=match, candidates=shown, similar=similar, trace=trace)


def _without_fix(hit: Hit) -> Hit:
    return replace(
        hit, resolution=None, resolved_by=None, tool_sequence=(), lesson=None, accepted=False, reason=ELSEWHERE
    )


def _is_elsewhere(con: apsw.Connection, hit: Hit, where: str) -> bool:
    if hit.origin != "team" or hit.resolution_id is None or hit.resolution is None:
        return False
    row = con.execute(f"SELECT {HOLDS_HERE} FROM resolution WHERE id = ?", (where, hit.resolution_id)).fetchone()
    return row is not None and not row[0]


def _is_foreign(con: apsw.Connection, case_id: int, text: str, where: str) -> bool:
    row = con.execute(
        f"SELECT min({HOLDS_HERE}) FROM resolution WHERE case_id = ? AND text = ?", (where, case_id, text)
    ).fetchone()
    return row is not None and row[0] == 0


def _with_words(store: Store, answer: SearchAnswer, where: str) -> SearchAnswer:
    """Nothing answers: what has every word is shown beside."""
    looked = by_words(store, answer.query)
    known = {hit.id for hit in answer.candidates if hit.tier != "vector"}  # meaning does not say where the words are
    more = tuple(hit for hit in looked.candidates if hit.id not in known)
    if not more:
        return replace(answer, trace=(*answer.trace, looked.step))
    from core.errors.retrieval.match_location import in_search_order, search_rank

    every, words = (*answer.candidates, *more), [hit.id for hit in looked.candidates]
    found = in_search_order(every, search_rank, lambda hit: hit.id, words)
    return _in_scope(store.con, replace(answer, candidates=found, trace=(*answer.trace, looked.step)), where)


def _joined(by_text: SearchAnswer, weak: Hit | None, looked: VectorResult) -> SearchAnswer:
    """What the text tiers have told, and what the vector tier says."""
    trace, candidates = [*by_text.trace, looked.step], [*by_text.candidates, *looked.candidates]
    match = by_text.match or looked.match
    if weak is not None and (match is None or match.id != weak.id):
        match, weak, step = _weak(match, weak, looked.refuted)
        trace.append(step)
        candidates = [one for one in candidates if one.id != weak.id] + [weak]
    if match is not None and match.other_names and any(hit.id == match.id for hit in candidates):
        *before, names = match.why
        match = replace(match, why=(*before, "the searched error is known, but it has no fix yet", names))
    shown = tuple(hit for hit in candidates if match is None or hit.id != match.id)
    similar = tuple(one for one in looked.similar if match is None or one.id != match.id)
    return _known_first(SearchAnswer(by_text.query, match, shown, similar, tuple(trace)))


def _known_first(answer: SearchAnswer) -> SearchAnswer:
    """The answer, where the error itself is known without a fix: then a fix of another error answers only with high
    confidence, else its case follows among the candidates. Another error of the same output is no such stranger."""
    match, alone = answer.match, replace(answer, match=None)
    known = alone.unfixed
    if match is None or known is None or known.id == match.id:
        return answer
    if match.confidence == "high" or match.tier == "fingerprint":
        return answer
    reason = f"different error, low confidence; for its fix, run: casebook errors show {match.id}"
    other = replace(match, accepted=False, reason=reason)
    rest = (one for one in answer.candidates if one.id != known.id)
    near = Similar(match.id, match.score, match.error_normalized, match.resolution, match.worth)
    step = Step("decide", "rejected", "the error is known but has no fix", facts(case=known.id, other=match.id))
    return replace(
        alone,
        candidates=(known, other, *rest),
        similar=(near, *answer.similar) if match.tier == "vector" else answer.similar,
        trace=(*answer.trace, step),
    )


def weak_match(answer: SearchAnswer) -> Hit | None:
    """The match that answers only because nothing is better, if it is such a one."""
    return answer.match if any(step.stage == "decide" for step in answer.trace) else None


def deepened(answer: SearchAnswer, looked: VectorResult) -> SearchAnswer:
    """An answer of the text tiers that was not counted, with what the vector tier, asked later, says."""
    weak = weak_match(answer)
    before = [step.stage for step in answer.trace].index("vector")
    without_vectors = replace(
        answer, match=None if weak is not None else answer.match, similar=(), trace=answer.trace[:before]
    )
    joined = _joined(without_vectors, weak, looked)
    words = tuple(step for step in answer.trace[before:] if step.stage == "words" and joined.match is None)
    return replace(joined, trace=(*joined.trace, *words))


def _weak(match: Hit | None, weak: Hit, refuted: str) -> tuple[Hit | None, Hit, Step]:
    """What becomes of a weak prefix match: it answers only where nothing is better and no vector speaks against it."""
    if match is None and not refuted:
        return weak, weak, Step("decide", "hit", "only a weak prefix match", facts(case=weak.id))
    reason = f"the vector tier rejects the weak prefix match: {refuted}" if refuted else "rejected by the vector tier"
    rejected = replace(weak, accepted=False, reason=reason)
    return match, rejected, Step("decide", "rejected", reason, facts(case=weak.id))


def look_by_vector(store: Store, query: Query, weak: int | None, vectors: VectorSearch) -> VectorResult:
    """What the vector tier says; `weak` is the case that a weak prefix matched. Raises apsw errors of the store."""
    off = vectors.model()
    if isinstance(off, NoVectors):
        return vector_skipped(off)
    if query.key_line.isascii() and read_state(store.con, "error") is None:
        # What compares is not even loaded; beyond ASCII there may be similar cases by their words.
        return vector_skipped(NoVectors("nothing is embedded yet", "casebook embed"))
    from core.errors.retrieval.vector_tier import by_vector

    return by_vector(store.con, query, vectors, weak)


def vector_skipped(off: NoVectors) -> VectorResult:
    """What stands in the trace where no vector can be asked."""
    details = facts(remedy=off.remedy) if off.remedy else ()
    return VectorResult(None, Step("vector", off.outcome, off.reason, details))


def _other_lines(store: Store, query: Query, found: Identity, where: str) -> TierResult:
    """The other errors of the same output (a compiler names several): known ones answer, with low confidence."""
    watch = Stopwatch()
    bare = _without_tool(found)
    known: tuple[Hit, ...] = ()
    others = [*bare, *(line for line in found.key_lines if line.text != query.key_line)][:OTHER_LINES]
    for at, line in enumerate(others):
        normalized, finer = normalize_error(line.text), fingerprint(line.text)
        other = Query(query.raw, line.text, normalized, finer)
        for ask in (by_fingerprint, by_key):
            looked = ask(store.con, other, where)
            if looked.match is not None:
                number = at + 2 if line in bare else found.key_lines.index(line) + 1
                reason = f"matched key line {number} of {len(found.key_lines)} ({line.tool})"
                hit = lowered(looked.match, f"matched without its prefix “{line.tool}”" if line in bare else reason)
                step = Step(
                    "other lines",
                    "hit",
                    f"line {number} of this output is known",
                    facts(case=hit.id),
                    (looked.step,),
                    watch.ms(),
                )
                return TierResult(hit, tuple(one for one in known if one.id == hit.id), None, step)
            known = known or looked.candidates
    outcome, reason = ("miss", "no match") if others else ("skipped", "the output names one error")
    step = Step("other lines", outcome, reason, facts(lines=len(others)), elapsed_ms=watch.ms())
    return TierResult(None, known, None, step)


_TASK = re.compile(
    r"\[[\w:./@-]{1,60}\] +(?=\S)|(?!error|fatal|warning)[a-z][\w:-]{1,40}: (?=(?:error|fatal)\b)"
    r"|(?:ERROR|Error|error|FATAL|fatal): (?=\S)"
)


def _without_tool(found: Identity) -> tuple[KeyLine, ...]:
    """The line of an error that was copied with its tool, its level, or the task that ran it, before it.

    `golangci-lint: SA9003: empty branch`, `[mise] fatal: no remote`, `lint: error MD040/fenced-code-language`,
    `ERROR: Cannot connect to the Docker daemon`.
    """
    from core.errors.identity.keylines.select import TOOLS

    key = found.key_lines[0]
    task = _TASK.match(key.text)
    tool, mark, rest = (task[0].strip(" []:"), ":", key.text[task.end() :]) if task else key.text.partition(": ")
    if not mark or not rest.strip() or not (task or any(one.name == tool for one in TOOLS)):
        return ()
    return (KeyLine(rest, key.end - len(rest), key.end, tool, "secondary"),)


def add_use(con: apsw.Connection, case_id: int, ts: str) -> None:
    """One more use of a case, inside the caller's transaction."""
    con.execute("UPDATE error_kb SET use_count = coalesce(use_count, 0) + 1, last_used = ? WHERE id = ?", (ts, case_id))


def _count(store: Store, case_id: int, telling: Telling | None) -> tuple[int, str]:
    """One more use of a case, and whom it was told, in a transaction of its own: its count and when."""
    ts = now()
    with faults(store.path), store.transaction() as con:
        add_use(con, case_id, ts)
        if telling is not None:
            write_telling(con, telling, ts)
        row = store.con.execute("SELECT use_count FROM error_kb WHERE id = ?", (case_id,)).fetchone()
    return (int(row[0]) if row else 0), ts


def telling_of(answer: SearchAnswer, via: Via, session: str | None, repository: str) -> Telling | None:
    """The row about an answer that somebody is told; None without a fix that has a history."""
    match = answer.match
    if match is None or match.resolution_id is None:
        return None
    return Telling(match.resolution_id, via, answer.query.fingerprint, session, repository)


def counted(store: Store, hit: Hit, telling: Telling | None = None) -> tuple[Hit, Step]:
    """Count one use of the case and keep what was told, where the store can be written; the answer is never lost."""
    watch = Stopwatch()
    if store.readonly is not None:
        return hit, Step("count", "skipped", f"the use was not counted: {store.readonly}")
    (before,) = cast("tuple[int]", store.con.execute("PRAGMA busy_timeout").fetchone())
    try:
        store.con.set_busy_timeout(min(COUNT_MS, before))
        count, ts = _count(store, hit.id, telling)
    except Fault as fault:
        return hit, Step("count", "skipped", f"the use was not counted: {fault.message}", elapsed_ms=watch.ms())
    finally:
        store.con.set_busy_timeout(before)
    step = Step("count", "hit", "one use was added", facts(use_count=count), elapsed_ms=watch.ms())
    return replace(hit, use_count=count, last_used=ts), step


def keep_telling(target: Path, answer: SearchAnswer, via: Via, session: str | None = None, project: str = "") -> bool:
    """Keep that somebody was told the answer, which is no use of its case; False where nothing could be written."""
    try:
        with open_store(target, write=True, timeout_ms=COUNT_MS) as store, faults(target):
            where = repository_of_folder(store.con, project) if project else ""
            telling = telling_of(answer, via, session, where)
            if telling is None or store.readonly is not None:
                return False
            with store.transaction() as con:
                write_telling(con, telling, now())
        return True
    except Fault:
        return False


def count_use(target: Path, case_id: int, telling: Telling | None = None) -> bool:
    """Count that a person opened or copied the answer of a case; False where the store cannot be written."""
    try:
        with open_store(target, write=True) as store:
            _count(store, case_id, telling)
        return True
    except Fault:
        return False
