"""The verdicts of a session: failing results grouped to incidents with their cost, stored as rows; slips that repeat.

An incident is one failure: the runs of one command, or with one of the same findings, until it passed.
A slip with the same key in three sessions or more of a project becomes one case with one draft. It must name
something of the project: what a tool says of any file is no lesson."""

from __future__ import annotations

import json
import re
from array import array
from bisect import bisect_right, insort
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Final, NamedTuple, cast

import apsw

from core.errors.cases.derived import refresh_case
from core.errors.cases.record import Name, observe
from core.errors.cases.resolutions import AUTHOR, UNTOUCHED, insert_resolution
from core.errors.fixes import Evidence
from core.errors.incidents import FILE_SLIPS, SLIP
from core.flows.harvest.command import Command
from core.flows.harvest.events import WORTHS, Cost, HarvestedError, ResultVerdict, Statement, Worth
from core.flows.harvest.session_events import LIMIT, NO_FILE, Result, Seen, names_in, object_of, slip_in
from core.flows.harvest.signatures import Named
from core.text import clean

PAUSE: Final = 300.0
"""Maximum seconds that count for a gap between two messages: after that, work had paused."""


class ActiveTime:
    """The times of a history, noted in any order, and the seconds worked between two of them."""

    __slots__ = ("_sums", "_times")

    def __init__(self) -> None:
        self._times = array("d")
        self._sums: array[float] | None = None

    def watch(self, events: Iterable[Seen]) -> Iterator[Seen]:
        """The events as they are, each noted with its time."""
        for event in events:
            self.note(event.ts if isinstance(event, Statement) else event.ran.ts)
            yield event

    def note(self, ts: str) -> None:
        """A message was written at this time; what is no time is left out."""
        if (at := _seconds(ts)) is not None:
            self._times.append(at)
            self._sums = None

    def between(self, start: str, end: str) -> float:
        """The seconds worked from one time to another; 0.0 where either is none, or they are the wrong way round."""
        first, last = _seconds(start), _seconds(end)
        if first is None or last is None or last <= first:
            return 0.0
        return max(0.0, self._until(last) - self._until(first))

    def _until(self, at: float) -> float:
        """The seconds worked up to a time; less than 0 before the first message."""
        if self._sums is None:
            self._times = array("d", sorted(self._times))
            self._sums = array("d", [0.0] if self._times else [])
            for earlier, later in pairwise(self._times):
                self._sums.append(self._sums[-1] + min(PAUSE, later - earlier))
        known = bisect_right(self._times, at)
        if not known:
            return -min(PAUSE, self._times[0] - at) if self._times else 0.0
        return self._sums[known - 1] + min(PAUSE, at - self._times[known - 1])


def _seconds(ts: str) -> float | None:
    try:
        return datetime.fromisoformat(ts).timestamp()
    except (ValueError, OverflowError):
        return None


_GROUPED: Final = ("incident", "flaky", "noise")


class Place(NamedTuple):
    """A message of a session, and when it was written."""

    session_id: str
    idx: int
    ts: str


class Judgement(NamedTuple):
    """The verdict on a result, and the incident it is part of.

    `repeats` is the message of the incident's first result in this session, None for that one. `cost` and `solved` are
    of the incident: `solved` is the result that showed all of it gone. `slip` is what a slip is counted by.
    """

    place: Place
    tool: str
    program: str
    verdict: ResultVerdict
    reason: str
    worth: Worth
    fingerprints: tuple[str, ...]
    slip: str
    repeats: int | None
    cost: Cost
    solved: Place | None


class _Sign(NamedTuple):
    """A result with a sign of failure. `first`: the number of the first one of its command since that was green."""

    place: Place
    tool: str
    program: str
    verdict: ResultVerdict
    reason: str
    fingerprints: tuple[str, ...]
    slip: str
    first: int


class _Settled(NamedTuple):
    """What became of a finding that was first shown by the sign of number `first`."""

    first: int
    worth: Worth
    untouched: bool
    gone: Place | None


@dataclass(slots=True)
class Incidents:
    """Takes the results of a fold, each as it is judged, and says what they were once the errors are settled.

    `clock` is to see every event of the fold: it counts the seconds.
    """

    project: str = ""
    passed: int = 0
    clock: ActiveTime = field(default_factory=ActiveTime)
    _signs: list[_Sign] = field(default_factory=list[_Sign])
    _open: dict[tuple[str, str, str], int] = field(default_factory=dict[tuple[str, str, str], int])
    _green: dict[int, Place] = field(default_factory=dict[int, Place])
    _numbers: dict[tuple[str, int], int] = field(default_factory=dict[tuple[str, int], int])
    _settled: dict[str, list[_Settled]] = field(default_factory=dict[str, list[_Settled]])

    def take(self, result: Result) -> None:
        """A result, in the order of the fold; what passed ends the incident of its command."""
        ran, outcome, command = result.ran, result.outcome, result.command
        place = Place(ran.session_id, ran.idx, ran.ts)
        family = (ran.session_id, ran.chain, command.family) if command is not None and command.family else None
        if outcome.sign is None:
            self.passed += 1
            first = self._open.pop(family, None) if family is not None and outcome.verdict == "passed" else None
            if first is not None:
                self._green[first] = place
            return
        number = first = len(self._signs)
        if family is not None and outcome.sign in _GROUPED:
            first = self._open.setdefault(family, number)
        fingerprints = tuple(error.fingerprint for error in outcome.errors)
        program = _program(command, outcome.errors) or ran.tool
        slip = slip_in(result.slip, self.project) if result.slip else ""
        self._signs.append(
            _Sign(place, ran.tool, program, outcome.sign, outcome.reason, fingerprints, slip, first)
        )  # fmt: skip

    def settled(self, errors: Iterable[HarvestedError]) -> Iterator[HarvestedError]:
        """The errors as they are, each noted with what became of it. To be read once every result is taken."""
        for error in errors:
            self._settle(error)
            yield error

    def timed(self, error: HarvestedError) -> HarvestedError:
        """The error with the cost of time worked. To be asked once every result is taken."""
        if error.cost is None:
            return error
        seconds = self.clock.between(error.ts, error.verified_ts)
        return error._replace(cost=replace(error.cost, seconds=seconds))

    def _settle(self, error: HarvestedError) -> None:
        if not self._numbers:
            self._numbers = {
                (sign.place.session_id, sign.place.idx): number
                for number, sign in reversed(list(enumerate(self._signs)))
            }
        first = self._numbers.get((error.session_id, error.message_idx))
        if first is None:
            return
        gone = None
        if error.verified_session is not None and error.verified_idx is not None:
            gone = Place(error.verified_session, error.verified_idx, error.verified_ts)
        insort(
            self._settled.setdefault(error.fingerprint, []),
            _Settled(first, error.worth, error.untouched, gone),
            key=_first,
        )

    def judgements(self) -> Iterator[Judgement]:
        """The verdicts in the order of the fold, once every error is settled."""
        findings = [self._findings(number, sign) for number, sign in enumerate(self._signs)]
        groups = self._groups(findings)
        solved = {
            number: self._solved(members, findings) for number, members in enumerate(groups) if members[0] == number
        }
        for number, (sign, shown) in enumerate(zip(self._signs, findings, strict=True)):
            root, members = groups[number][0], groups[number]
            verdict, reason = sign.verdict, sign.reason
            if verdict == "incident" and shown and all(one is not None and one.untouched for one in shown):
                verdict, reason = "flaky", "The same command passed later, and nothing was changed in between."
            worth = _worth(one for one in shown if one is not None)
            slip = sign.slip or (f"{sign.program}: {sign.fingerprints[0]}"[:LIMIT] if worth == "slip" else "")
            first = self._signs[root].place
            last = solved[root] or self._signs[members[-1]].place
            yield Judgement(
                sign.place, sign.tool, sign.program, verdict, reason, worth, sign.fingerprints, slip,
                None if root == number else first.idx, self._cost(first, last, len(members)), solved[root],
            )  # fmt: skip

    def _findings(self, number: int, sign: _Sign) -> list[_Settled | None]:
        """Each finding of a result as it was settled: the latest that began there or before."""
        found: list[_Settled | None] = []
        for fingerprint in sign.fingerprints:
            known = self._settled.get(fingerprint, [])
            at = bisect_right(known, number, key=_first)
            found.append(known[at - 1] if at else None)
        return found

    def _groups(self, findings: Sequence[Sequence[_Settled | None]]) -> list[list[int]]:
        """For each result the numbers of all results of its incident, in order: a list that they share."""
        groups: list[list[int]] = []
        shown: dict[tuple[str, int, str], int] = {}
        for number, sign in enumerate(self._signs):
            earliest = [number]
            if sign.first < number:
                earliest.append(groups[sign.first][0])
            for fingerprint, one in zip(sign.fingerprints, findings[number], strict=True):
                if one is None or sign.verdict not in _GROUPED:
                    continue
                seen = shown.setdefault((sign.place.session_id, one.first, fingerprint), number)
                if seen < number:
                    earliest.append(groups[seen][0])
            root = min(earliest)
            groups.append([number] if root == number else groups[root])
            if root != number:
                groups[root].append(number)
        return groups

    def _solved(self, members: Sequence[int], findings: Sequence[Sequence[_Settled | None]]) -> Place | None:
        """The result that showed all findings of an incident gone, or its command green where nothing was found."""
        places = [None if one is None else one.gone for number in members for one in findings[number]]
        if not places:
            return self._green.get(members[0])
        gone = [place for place in places if place is not None]
        return max(gone, key=_when) if len(gone) == len(places) else None

    def _cost(self, first: Place, last: Place, attempts: int) -> Cost:
        messages = max(0, last.idx - first.idx) if first.session_id == last.session_id else 0
        return Cost(attempts, messages, round(self.clock.between(first.ts, last.ts), 3))


def _first(settled: _Settled) -> int:
    return settled.first


def _when(place: Place) -> tuple[str, int]:
    return place.ts, place.idx


def _program(command: Command | None, errors: Sequence[Named]) -> str:
    """The program that failed: the one that names an error, else the last that did something."""
    programs = [part.program for part in command.members if part.program] if command is not None else []
    named = [error.key.tool for error in errors if error.key.tool in programs]
    return named[0] if named else programs[-1] if programs else ""


def _worth(found: Iterable[_Settled]) -> Worth:
    """The worth of a result: that of its finding which is worth most."""
    worths = {one.worth for one in found}
    for worth in WORTHS:
        if worth in worths:
            return worth
    return "none"


_INSERT: Final = """INSERT OR IGNORE INTO result_verdict(session_id, message_idx, tool_use_id, verdict, reason, worth,
 ts, program, repeats, attempts, messages, seconds, solved_idx, solved_session, fingerprints, slip)
 SELECT ?1, ?2, tool_use_id, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15
 FROM tool_call INDEXED BY tool_call_result WHERE session_id = ?1 AND result_idx = ?2"""


VerdictRow = tuple[str | int | float | None, ...]


def write_verdicts(con: apsw.Connection, sessions: Sequence[str], rows: Iterable[VerdictRow]) -> None:
    """Replace the verdicts of these sessions. Within the caller's transaction."""
    con.execute(
        "DELETE FROM result_verdict WHERE session_id IN (SELECT value FROM json_each(?))", (json.dumps(list(sessions)),)
    )
    con.executemany(_INSERT, rows)


def verdict_row(one: Judgement) -> VerdictRow:
    """A verdict as it is stored; an incident's cost with its first result alone, so that a sum counts it once."""
    counted = one.repeats is None
    return (
        one.place.session_id, one.place.idx, one.verdict, one.reason, one.worth, one.place.ts, one.program, one.repeats,
        one.cost.attempts if counted else 0, one.cost.messages if counted else 0, one.cost.seconds if counted else 0.0,
        None if one.solved is None else one.solved.idx, None if one.solved is None else one.solved.session_id,
        json.dumps(list(one.fingerprints), ensure_ascii=False), one.slip,
    )  # fmt: skip


SESSIONS: Final = 3
"""Sessions of a project from which on a slip is worth a line."""
_LOOKED_AT: Final = 12
"""Calls after a wrong guess among which the right one is looked for."""
_NAMED_IN: Final = 100
"""The latest sessions in whose calls a name is looked for."""
_LATEST: Final = 20
"""The latest wrong guesses, which say what the right one is."""
_ALIKE: Final = 0.6
_PATH_KEYS: Final = ("file_path", "notebook_path", "path")

_PROJECT: Final = "iif(s.repository = '', s.project, s.repository)"
_KEYS: Final = f"""SELECT DISTINCT v.slip, {_PROJECT} FROM result_verdict v JOIN session s ON s.id = v.session_id
 WHERE v.slip <> '' AND v.session_id IN (SELECT value FROM json_each(?))"""
_TIMES: Final = f"""SELECT v.session_id, min(v.message_idx), v.ts, s.project, v.program, coalesce(s.parent, s.id),
 v.verdict FROM result_verdict v INDEXED BY result_verdict_slip JOIN session s ON s.id = v.session_id
 WHERE v.slip = ?1 AND v.slip <> '' AND {_PROJECT} = ?2 GROUP BY v.session_id ORDER BY v.ts"""
_BEFORE: Final = """SELECT input_json FROM tool_call INDEXED BY tool_call_result
 WHERE session_id = ? AND result_idx <= ? ORDER BY result_idx DESC LIMIT ?"""
_CALLS: Final = """SELECT input_json FROM tool_call
 WHERE session_id = ? AND result_idx > ? AND failed = 0 ORDER BY result_idx LIMIT ?"""


class _Time(NamedTuple):
    """The first time that a session made the slip; `owner` is the session it belongs to, `verdict` the result's."""

    session: str
    message: int
    ts: str
    project: str
    program: str
    owner: str
    verdict: str


def draft_repeated_slips(con: apsw.Connection, sessions: Sequence[str]) -> None:
    """Draft what these sessions repeated, or bring its draft up to date. Within the caller's transaction."""
    keys = cast("list[tuple[str, str]]", con.execute(_KEYS, (json.dumps(list(sessions)),)).fetchall())
    for slip, project in keys:
        times = _times(con, slip, project)
        if _is_lesson(con, slip, times):
            key = _key(slip, project)
            known = con.execute("SELECT 1 FROM fingerprint WHERE fingerprint = ?", (key,)).fetchone() is not None
            new = [time for time in times if not known or time.session in sessions]
            _draft(con, Name(slip, key, key, SLIP), times, new)


def nameless_drafts(con: apsw.Connection) -> list[str]:
    """The fingerprints of repeated slips that are no lesson any more."""
    rows = con.execute("SELECT fingerprint, key_line FROM fingerprint WHERE tool = ?", (SLIP,)).fetchall()
    found = list[str]()
    for key, slip in cast("list[tuple[str, str]]", rows):
        begin, end = _key(slip, "\0").split("\0")
        if key.startswith(begin) and key.endswith(end):
            project = key[len(begin) : len(key) - len(end)]
            if not _is_lesson(con, slip, _times(con, slip, project)):
                found.append(key)
    return found


def _key(slip: str, project: str) -> str:
    return f"{slip} (repeated in {project})"


def _times(con: apsw.Connection, slip: str, project: str) -> list[_Time]:
    rows = con.execute(_TIMES, (slip, project)).fetchall()
    return [_Time(*row) for row in cast("list[tuple[str, int, str, str, str, str, str]]", rows)]


def _is_lesson(con: apsw.Connection, slip: str, times: Sequence[_Time]) -> bool:
    """Return whether enough sessions made the mistake, and it names what occurred in as many of their calls."""
    if len({time.owner for time in times}) < SESSIONS:
        return False
    if slip.startswith(FILE_SLIPS):
        return True
    named = names_in(slip.partition(": ")[2])
    owners: dict[str, set[str]] = {name: set() for name in named}
    for time in times[-_NAMED_IN:] if named else ():
        given = _call_texts(con, time)
        for name in named:
            if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", given):
                owners[name].add(time.owner)
                if len(owners[name]) >= SESSIONS:
                    return True
    return False


def _call_texts(con: apsw.Connection, time: _Time) -> str:
    """The texts of the call; of a program that failed also those of the calls before, which wrote what it read."""
    many = 1 if time.verdict == "agent_tool" else _LOOKED_AT
    rows = con.execute(_BEFORE, (time.session, time.message, many)).fetchall()
    return "\n".join(text for (given,) in rows for text in _texts(object_of(str(given))))


def _texts(value: object) -> Iterator[str]:
    """The texts in the values of an input."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in cast("Mapping[str, object]", value).values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in cast("list[object]", value):
            yield from _texts(inner)


def _draft(con: apsw.Connection, name: Name, times: Sequence[_Time], new: Sequence[_Time]) -> None:
    """One draft of all `times`; only the `new` ones are not noted yet."""
    slip, case_id, stale = name.key_line, 0, set[int]()
    for time in new:
        case_id = observe(
            con, name, session_id=time.session, message_idx=time.message, tool=time.program, project=time.project,
            ts=time.ts, raw=slip, stale=stale,
        )  # fmt: skip
    text = _text(con, slip, times)
    known = con.execute(
        "SELECT 1 FROM resolution WHERE case_id = ? AND author = ? LIMIT 1", (case_id, AUTHOR)
    ).fetchone()
    worth: Worth = "project" if slip.startswith(FILE_SLIPS) else "slip"  # that a call failed says nothing to do
    evidence = Evidence("weak", worth, attempts=len(times)).to_json()
    if known is None:
        insert_resolution(
            con, case_id, None, text, status="draft", resolved_by=None, tool_sequence=(), author=AUTHOR,
            session_id=None, message_ids=(), supersedes=None, ts=times[-1].ts, original=evidence,
        )  # fmt: skip
    else:
        con.execute(
            f"UPDATE resolution SET text = ?, ts = ?, original = ? WHERE case_id = ? AND {UNTOUCHED}",
            (text, times[-1].ts, evidence, case_id),
        )
    refresh_case(con, case_id)


def _text(con: apsw.Connection, slip: str, times: Sequence[_Time]) -> str:
    """The slip in one line, with what worked instead where sessions agree on it."""
    many = len({time.owner for time in times})
    if not slip.startswith(NO_FILE):
        return f"`{clean(slip)}` failed in {many} sessions."
    file = slip.removeprefix(NO_FILE)
    latest = times[-_LATEST:]
    found = Counter(right for time in latest if (right := _right_file(con, file, time)) is not None)
    best = found.most_common(1)
    if best and best[0][1] * 2 > len(latest):
        return f"`{clean(file)}`: the file is `{clean(best[0][0])}` (guessed wrong in {many} sessions)."
    return f"`{clean(file)}` does not exist (guessed wrong in {many} sessions)."


def _right_file(con: apsw.Connection, file: str, time: _Time) -> str | None:
    """The file that the session went on with: of the same name elsewhere, else of a like name in the same folder."""
    rows = con.execute(_CALLS, (time.session, time.message, _LOOKED_AT)).fetchall()
    inputs = [object_of(str(text)) for (text,) in rows]
    named = [str(given[key]) for given in inputs for key in _PATH_KEYS if isinstance(given.get(key), str)]
    others = [slip_in(f"{NO_FILE}{name}", time.project).removeprefix(NO_FILE) for name in named]
    folder, _, base = file.rpartition("/")
    for other in others:
        where, _, called = other.rpartition("/")
        if other != file and called == base:
            return other
        if other != file and where == folder and SequenceMatcher(None, called, base).ratio() >= _ALIKE:
            return other
    return None
