"""The harvest of a stored session: its errors and fixes into the casebook; failures of the agent's sandbox marked."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NamedTuple, cast

import apsw

from core.base.lazy import lazy_pattern
from core.errors.cases.derived import refresh_case
from core.errors.cases.record import Name, observe
from core.errors.cases.resolutions import UNTOUCHED, Draft, add_drafts
from core.errors.fixes import Evidence
from core.errors.incidents import move_shares, shares_of
from core.errors.lessons import NO_SANDBOX, READ, Lesson, version_of
from core.flows.harvest.events import HarvestedError
from core.flows.harvest.fixes.correction import OUTSIDE
from core.flows.harvest.incidents import Incidents, VerdictRow, draft_repeated_slips, verdict_row, write_verdicts
from core.flows.harvest.reducer import fold
from core.flows.harvest.session_events import count_of, is_escalated, read_history
from core.flows.outcomes import due_in, write_due
from core.flows.practice.findings import write_practice
from core.flows.system.parallel import Question, Second, shared
from core.process.worker import Call
from core.store import Store, now, open_store
from core.store.store import data_version

_ON: Final = "on"
"""A sandbox of which nothing more is known."""
_HEADS: Final = ("<permissions instructions>", "<environment_context>")
"""How the messages begin in which Codex says what its sandbox allows; each holds until the next one."""
_READ: Final = 20_000
_MODE = lazy_pattern(r"(?:`sandbox_mode` is `|<sandbox_mode>)(read-only|workspace-write|danger-full-access)")
_CLOSED = lazy_pattern(r"Network access is restricted|<network_access>restricted")
_VIOLATIONS: Final = "<sandbox_violations>"
"""What Claude Code adds to the output of a command that its sandbox stopped."""
_POLICIES: Final = (
    "SELECT idx, substr(text, 1, ?2) FROM message WHERE session_id = ?1 AND role IN ('system', 'user')"
    f" AND (substr(text, 1, {len(_HEADS[0])}) = '{_HEADS[0]}' OR substr(text, 1, {len(_HEADS[1])}) = '{_HEADS[1]}')"
    " AND meta = 1 ORDER BY idx"
)
_FAILED: Final = (
    "SELECT t.input_json, instr(m.text, ?3) FROM message m LEFT JOIN tool_call t"
    " ON t.session_id = m.session_id AND t.tool_use_id = m.tool_use_id WHERE m.session_id = ?1 AND m.idx = ?2"
)


class Sandboxes:
    """The sandboxes of the sessions of one harvest, each session read once."""

    def __init__(self, con: apsw.Connection) -> None:
        self._con = con
        self._policies: dict[str, list[tuple[int, str]]] = {}

    def of(self, error: HarvestedError) -> str:
        """The sandbox in which the error was seen first: its mode, `on`, `off`; empty where nothing is said."""
        row = self._con.execute(_FAILED, (error.session_id, error.message_idx, _VIOLATIONS)).fetchone()
        given, stopped = cast("tuple[str | None, int]", row or (None, 0))
        if given is not None and is_escalated(_object(given)):
            return NO_SANDBOX
        mode = self._sandbox_statements(error.session_id, error.message_idx)
        passed_outside = any(link.why == OUTSIDE.why for link in error.links)
        return mode or (_ON if stopped or passed_outside else "")

    def _sandbox_statements(self, session: str, before: int) -> str:
        if session not in self._policies:
            rows = cast("list[tuple[int, str]]", self._con.execute(_POLICIES, (session, _READ)).fetchall())
            policies = ((idx, policy_in(text)) for idx, text in rows)
            self._policies[session] = [one for one in policies if one[1]]
        return next((policy for idx, policy in reversed(self._policies[session]) if idx < before), "")


def policy_in(text: str) -> str:
    """What a message of Codex says of its sandbox: its mode, and whether the network is closed; empty where nothing."""
    mode = _MODE.search(text)
    if mode is None:
        return ""
    if mode[1] == "danger-full-access":
        return NO_SANDBOX
    return f"{mode[1]}, no network" if _CLOSED.search(text) else mode[1]


def _object(text: str) -> Mapping[str, object]:
    found: object = json.loads(text)
    return cast("Mapping[str, object]", found) if isinstance(found, dict) else {}


ENTRY_TYPE = "fix"
_SESSIONS_BACK = 50
_AROUND: Final = 2_000
"""Code points of the output kept on each side of the key line, as the raw error of a new case."""
MESSAGES_TOGETHER: Final = 2_000
"""Messages of a session, with those it continues, that are folded at once."""
WORTH_IT: Final = 4_000
"""Messages of small sessions from which a second process is started for them."""
_TABLE = """CREATE TEMP TABLE IF NOT EXISTS harvested(
 session INTEGER, idx INTEGER, start INTEGER, serial INTEGER, body BLOB NOT NULL,
 PRIMARY KEY (session, idx, start, serial)) WITHOUT ROWID"""


@dataclass(frozen=True, slots=True)
class HarvestReport:
    """What a harvest added: errors met and fixes drafted that were not there before."""

    errors: int
    resolutions: int


@dataclass(frozen=True, slots=True)
class Again:
    """A harvest of what was harvested before: cases `kept` keep their drafts; `note` gets every error that was found.

    `note` is called within the transaction.
    """

    kept: Collection[int]
    note: Callable[[Iterable[HarvestedError]], None]


@dataclass(frozen=True, slots=True)
class Folded:
    """What became of the errors of a small session, in their order, and the verdicts on its results as rows.

    `version` is that of the store, as `data_version` has it, from before the messages were read.
    """

    sessions: tuple[str, ...]
    errors: tuple[HarvestedError, ...]
    verdicts: tuple[VerdictRow, ...]
    version: int = 0


class FoldAhead:
    """Folds small sessions before their turn comes, in the second process where it runs."""

    def __init__(self, store: Store, second: Second, due: Sequence[str]) -> None:
        self._store, self._second = store, second
        self._counts = {} if store.con.in_transaction else {session: self._count(session) for session in due}
        small = [count for count in self._counts.values() if count <= MESSAGES_TOGETHER]
        if sum(small) >= WORTH_IT:
            second.wake(__name__)

    def __call__(self, due: Sequence[str]) -> Generator[tuple[str, Folded | None]]:
        """The sessions in their order, each with what became of its errors, None where that is found at its turn."""
        yield from shared(self._second, due, self._question, self._fold, weight=self._weight, depth=3)

    def _weight(self, session: str) -> int:
        return self._counts.get(session, MESSAGES_TOGETHER + 1)

    def _is_small(self, session: str) -> bool:
        return self._weight(session) <= MESSAGES_TOGETHER  # a large one asks the second process itself

    def _count(self, session: str) -> int:
        return sum(count_of(self._store.con, name) for name in _with_continued(self._store.con, session))

    def _question(self, session: str) -> Question | None:
        place = self._store.path, session, data_version(self._store)
        return (_fold_in_child, place) if self._second.running and self._is_small(session) else None

    def _fold(self, session: str) -> Folded | None:
        return _fold_small(self._store, session, data_version(self._store)) if self._is_small(session) else None


def _fold_in_child(_call: Call, path: Path, session: str, version: int) -> Folded:
    """In the second process, which sees what was committed."""
    with open_store(path) as store:
        return _fold_small(store, session, version)


def _fold_small(store: Store, session_id: str, version: int) -> Folded:
    sessions = _with_continued(store.con, session_id)
    incidents, errors_met = _errors_in(store, session_id, sessions, None)
    order = {name: at for at, name in enumerate(sessions)}
    found = sorted(errors_met, key=lambda error: (order[error.session_id], error.message_idx, error.key.start))
    settled = list(incidents.settled(found))
    verdicts = tuple(map(verdict_row, incidents.judgements()))
    return Folded(tuple(sessions), tuple(map(incidents.timed, settled)), verdicts, version)


def _errors_in(
    store: Store, session_id: str, sessions: Sequence[str], second: Second | None
) -> tuple[Incidents, Iterator[HarvestedError]]:
    """The errors of a session in the order in which they are settled, and what takes its results meanwhile."""
    project, started = _project(store.con, session_id)
    incidents = Incidents(project)
    events = incidents.clock.watch(read_history(store, sessions, second))
    found = fold(events, project, incidents.take)
    return incidents, (error if error.ts else error._replace(ts=started or now()) for error in found)


def harvest_session(
    store: Store,
    session_id: str,
    second: Second | None = None,
    again: Again | None = None,
    folded: Folded | None = None,
) -> HarvestReport:
    """Harvest a session, after the ones it continues, in one transaction. Harvesting it again adds nothing.

    Where a `second` process runs it looks through large sessions. `folded` is what was found ahead: it counts where
    nobody else wrote meanwhile. A draft of an earlier harvest that the session, as it went on, proved wrong is taken
    back, unless a person has looked at it. Raises Fault of the store.
    """
    kept = () if again is None else again.kept
    with store.transaction() as con:
        sessions = _with_continued(con, session_id)
        project, _ = _project(con, session_id)
        before, stale = shares_of(con, sessions), set[int]()
        if folded is not None and (folded.version, list(folded.sessions)) == (data_version(store), sessions):
            found = settled = folded.errors
            timed, verdicts = _unchanged, iter(folded.verdicts)
        else:
            incidents, found_errors = _errors_in(store, session_id, sessions, second)
            found = Aside(con, found_errors, {name: at for at, name in enumerate(sessions)})
            settled, timed = incidents.settled(found), incidents.timed
            verdicts = map(verdict_row, incidents.judgements())
        cases = [_observe(con, error, project, stale) for error in settled]
        write_verdicts(con, sessions, verdicts)
        move_shares(con, before, shares_of(con, sessions))
        _take_back(con, sessions, found, kept)
        explanations, sandboxes = list[Explanation](), Sandboxes(con)
        placed = zip(found, cases, strict=True)
        fixed = ((error, case_id) for error, (case_id, _) in placed if error.resolved and case_id not in kept)
        fixes = add_drafts(
            con,
            (_draft(con, case_id, with_explanation(timed(error), explanations), sandboxes) for error, case_id in fixed),
            stale,
        )
        add_explanations(store, explanations)
        draft_repeated_slips(con, sessions)
        write_due(con, due_in(con, session_id, lambda: read_history(store, sessions, None), imported=True), now())
        write_practice(con, session_id, found)
        if again is not None:
            again.note(found)
    return HarvestReport(sum(new for _, new in cases), fixes)


def _unchanged(error: HarvestedError) -> HarvestedError:
    return error


def _with_continued(con: apsw.Connection, session_id: str) -> list[str]:
    """The session and those it continues, the oldest first."""
    chain = [session_id]
    while len(chain) < _SESSIONS_BACK:
        row = con.execute("SELECT continues FROM session WHERE id = ?", (chain[0],)).fetchone()
        if row is None or row[0] is None or row[0] in chain:
            break
        chain.insert(0, cast("str", row[0]))
    return chain


def _project(con: apsw.Connection, session_id: str) -> tuple[str, str]:
    """Where the session worked, and when it began."""
    row = con.execute("SELECT project, started FROM session WHERE id = ?", (session_id,)).fetchone()
    return ("", "") if row is None else cast("tuple[str, str]", row)


def _observe(con: apsw.Connection, error: HarvestedError, project: str, stale: set[int]) -> tuple[int, bool]:
    """Note that the error was met; its case (`stale` if it must be indexed), and whether this was not known before."""
    place = (error.session_id, error.message_idx, error.fingerprint)
    known = con.execute(
        "SELECT 1 FROM occurrence WHERE session_id = ? AND message_idx = ? AND fingerprint = ?", place
    ).fetchone()
    start, end = error.span
    row = con.execute(
        "SELECT substr(text, ?, ?) FROM message WHERE session_id = ? AND idx = ?",
        (max(1, start + 1 - _AROUND), end - start + 2 * _AROUND, error.session_id, error.message_idx),
    ).fetchone()
    case_id = observe(
        con,
        Name(error.key.text, error.normalized, error.fingerprint, error.key.tool),
        session_id=error.session_id,
        message_idx=error.message_idx,
        tool=error.tool,
        project=project,
        ts=error.ts,
        raw=None if row is None else cast("str", row[0]),
        start=start,
        end=end,
        stale=stale,
    )
    return case_id, known is None


def _draft(con: apsw.Connection, case_id: int, error: HarvestedError, sandboxes: Sandboxes) -> Draft:
    return Draft(
        case_id=case_id,
        fingerprint=error.fingerprint,
        text=error.resolution_text or "",
        resolved_by=error.resolved_by,
        tool_sequence=error.tool_sequence,
        session_id=error.verified_session,
        message_ids=error.message_ids,
        ts=error.verified_ts or error.ts,
        evidence=evidence_of_fix(error),
        lesson=_placed(_with_version(con, error), error, sandboxes),
    )


def _with_version(con: apsw.Connection, error: HarvestedError) -> Lesson | None:
    """The lesson of the fix, with the version of the tool where the failing output names it."""
    lesson = error.lesson
    if lesson is None or not lesson.when.tool:
        return lesson
    row = con.execute(
        "SELECT substr(text, 1, ?) FROM message WHERE session_id = ? AND idx = ?",
        (READ, error.session_id, error.message_idx),
    ).fetchone()
    version = "" if row is None else version_of(lesson.when.tool, cast("str", row[0]))
    return replace(lesson, when=replace(lesson.when, version=version))


def _placed(lesson: Lesson | None, error: HarvestedError, sandboxes: Sandboxes) -> Lesson | None:
    """The lesson with the sandbox in which its error was seen."""
    return None if lesson is None else replace(lesson, when=replace(lesson.when, sandbox=sandboxes.of(error)))


def evidence_of_fix(error: HarvestedError) -> Evidence:
    """What is kept with the draft of a fix besides its text."""
    cost = error.cost
    return Evidence(
        strength=error.strength or "weak",
        worth=error.worth,
        links=tuple((link.session_id, link.idx, link.why) for link in error.links),
        attempts=0 if cost is None else cost.attempts,
        messages=0 if cost is None else cost.messages,
        seconds=0.0 if cost is None else round(cost.seconds, 3),
        obvious=error.obvious,
    )


def _take_back(
    con: apsw.Connection, sessions: Sequence[str], found: Iterable[HarvestedError], kept: Collection[int]
) -> None:
    """Remove the drafts that an earlier harvest of these sessions made and this one no longer supports."""
    drafts = con.execute(
        "SELECT id, case_id, session_id, fingerprint, message_ids FROM resolution"
        f" WHERE {UNTOUCHED} AND session_id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(sessions)),),
    ).fetchall()
    if not drafts:
        return
    held = {(error.verified_session, error.fingerprint, json.dumps(list(error.message_ids))) for error in found}
    for draft_id, case_id, session, fingerprint, message_ids in cast("list[tuple[int, int, str, str, str]]", drafts):
        if (session, fingerprint, message_ids) not in held and case_id not in kept:
            # The row of the case shows the draft; what was recorded there by other hands stays.
            con.execute(
                "UPDATE error_kb SET resolution = NULL, resolved_by = NULL, tool_sequence = NULL"
                " WHERE id = ? AND resolution = (SELECT text FROM resolution WHERE id = ?)",
                (case_id, draft_id),
            )
            con.execute("DELETE FROM resolution WHERE id = ?", (draft_id,))
            refresh_case(con, case_id)


class Aside:
    """Errors in a temporary table of the connection, read in message order as often as needed until the next one.

    A session of a gigabyte then needs no more memory than a small one.
    """

    def __init__(self, con: apsw.Connection, errors: Iterable[HarvestedError], order: Mapping[str, int]) -> None:
        self._con = con
        con.execute(_TABLE)
        con.execute("DELETE FROM temp.harvested")
        con.executemany(
            "INSERT INTO temp.harvested VALUES (?, ?, ?, ?, ?)",
            (
                (order[error.session_id], error.message_idx, error.key.start, serial, pickle.dumps(error))
                for serial, error in enumerate(errors)
            ),
        )

    def __iter__(self) -> Iterator[HarvestedError]:
        for (body,) in self._con.execute("SELECT body FROM temp.harvested ORDER BY session, idx, start, serial"):
            # Written just above, by this very process: no foreign bytes.
            yield cast("HarvestedError", pickle.loads(cast("bytes", body)))


class Explanation(NamedTuple):
    """An explanation of a fix: the `quote` in message `idx`, of one of the `sessions`, the likelier first."""

    sessions: tuple[str, ...]
    idx: int
    quote: str
    fingerprint: str
    key_line: str


def with_explanation(error: HarvestedError, explanations: list[Explanation]) -> HarvestedError:
    """The error as it is; its explanation, if its fix has one, is added to `explanations`."""
    if error.explanation is not None:
        quote, idx = error.explanation
        sessions = tuple(dict.fromkeys(one for one in (error.verified_session, error.session_id) if one))
        explanations.append(Explanation(sessions, idx, quote, error.fingerprint, error.key_line))
    return error


def add_explanations(store: Store, explanations: Sequence[Explanation]) -> None:
    """Make an entry of each fix with an explanation, once; within the caller's transaction."""
    if not explanations:
        return
    from core.align.input import ExtractedEntry, ExtractedQuote
    from core.evidence.entries import add_entries, digest

    by_session: dict[str, list[ExtractedEntry]] = {}
    for one in explanations:
        session = _statement_session(store.con, one)
        if session is not None:
            name = f"fix_{digest(session, one.fingerprint, one.idx, one.quote)}"
            quotes = (ExtractedQuote(one.idx, one.quote),)
            entry = ExtractedEntry(name, ENTRY_TYPE, f"fixes: {one.key_line}", quotes)
            by_session.setdefault(session, []).append(entry)
    for session, entries in by_session.items():
        add_entries(store, session, entries, source="harvest")


def _statement_session(con: apsw.Connection, explanation: Explanation) -> str | None:
    """The session whose message it was said in: the one that went on, or the one that met the error."""
    for session in explanation.sessions:
        row = con.execute(
            "SELECT instr(text, ?) FROM message WHERE session_id = ? AND idx = ?",
            (explanation.quote, session, explanation.idx),
        ).fetchone()
        if row is not None and row[0]:
            return session
    return None
