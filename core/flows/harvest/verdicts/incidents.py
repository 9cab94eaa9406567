"""The verdicts of a session: its results with a sign of failure, grouped to incidents, with what each cost.

An incident is one failure: the runs of one command, or with one of the same findings, until it was green.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from core.flows.harvest.command import Command
from core.flows.harvest.event_features import Result
from core.flows.harvest.events import HarvestedError
from core.flows.harvest.report import WORTHS, Cost, ResultVerdict, Worth
from core.flows.harvest.verdicts.active_time import ActiveTime
from core.flows.harvest.verdicts.named import Named
from core.flows.harvest.verdicts.slips import LIMIT, slip_in

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
    transient: bool
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
        return error._replace(cost=error.cost._replace(seconds=seconds))

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
            _Settled(first, error.worth, error.transient, gone),
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
            if verdict == "incident" and shown and all(one is not None and one.transient for one in shown):
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
