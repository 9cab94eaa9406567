"""What a harvest would find in one transcript, result by result; nothing is written.

The same readers, redaction, judgement and fold as an import; only the rows stay in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from core.base.fault import Fault
from core.base.trace import Step, facts
from core.flows.harvest.events import (
    Event,
    FixLink,
    HarvestedError,
    JudgedResult,
    LinkedFix,
    Ran,
    ResultKey,
    Statement,
    TranscriptHarvest,
    union,
)
from core.flows.harvest.incidents import Incidents, Judgement
from core.flows.harvest.reducer import fold
from core.flows.harvest.session_events import Result, object_of, observe
from core.flows.harvest.signatures import Named
from core.flows.transcripts.files import Position, batches, open_transcript, source_of, stored_name
from core.flows.transcripts.opening import NotATranscript
from core.flows.transcripts.rows import MessageRow, records_of, rows_of
from core.transcripts import Agent, Message, Record, SessionStart, Skipped
from core.transcripts.records import Failure


class ResultText(NamedTuple):
    """What a tool printed, redacted, and what its message is known by in a casebook."""

    text: str
    uuid: str
    block: int
    sha: str


class Inspected(NamedTuple):
    """A transcript's harvest, its session, and the text of each judged result by line and tool use."""

    harvest: TranscriptHarvest
    start: SessionStart
    texts: Mapping[tuple[int, str], ResultText]


@dataclass(slots=True)
class _Call:
    """A tool call, and its result as far as it was read."""

    name: str
    tool_input: Mapping[str, Any]
    line: int
    tool_use_id: str
    called: int
    result: int | None = None
    display: bool = False
    message: MessageRow | None = None


@dataclass(slots=True)
class _Events:
    """The events of a transcript: each message has a number, as in a casebook, and its line."""

    agent: Agent
    events: list[Event] = field(default_factory=list[Event])
    lines: list[int] = field(default_factory=list[int])
    calls: dict[tuple[str, str], _Call] = field(default_factory=dict[tuple[str, str], _Call])
    of_result: dict[int, _Call] = field(default_factory=dict[int, _Call])
    seen: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])

    def take(self, row: MessageRow, line: int) -> None:
        if row.result is not None:
            self._result(row, line)
            return
        name = (row.uuid, row.block)
        if name in self.seen:
            return
        self.seen.add(name)
        if row.call is not None:
            key = (row.session, row.tool_use_id or row.uuid)
            call = _Call(row.call.name, object_of(row.call.input_json), line, key[1], len(self.events))
            self.calls.setdefault(key, call)
        elif row.kind == "text" and not row.meta and not row.display and row.role in ("user", "assistant"):
            self._keep(Statement(row.session, len(self.events), row.chain, row.role, row.text, row.ts), line)

    def texts(self, keys: Set[tuple[int, str]]) -> dict[tuple[int, str], ResultText]:
        """The results of these lines and tool uses."""
        found: dict[tuple[int, str], ResultText] = {}
        for idx, call in self.of_result.items():
            key, row = (self.lines[idx], call.tool_use_id), call.message
            if row is not None and key in keys:
                found[key] = ResultText(row.text, row.uuid, row.block, row.sha)
        return found

    def _keep(self, event: Event, line: int) -> None:
        self.events.append(event)
        self.lines.append(line)

    def _result(self, row: MessageRow, line: int) -> None:
        """A result of a known call; the second telling of one adds what the first did not know."""
        tool_result = row.result
        call = self.calls.get((row.session, row.tool_use_id or ""))
        if call is None or tool_result is None:
            return
        if call.result is None:
            idx = call.result = len(self.events)
            self.of_result[idx] = call
            ran = Ran(
                row.session, idx, row.chain, call.name, call.tool_input, row.text, tool_result.failure,
                tool_result.exit_code, row.ts, tool_result.facts, call.called,
            )  # fmt: skip
            call.display, call.message = row.display, row
            self._keep(ran, line)
            return
        known = self.events[call.result]
        if self.agent != "codex" or not isinstance(known, Ran):
            return
        if call.display and not row.display:  # the model's own log is where a reader looks
            self.lines[call.result], call.display = line, False
        code = known.exit_code if tool_result.exit_code is None else tool_result.exit_code
        self.events[call.result] = known._replace(
            failure=_failure(known.failure, tool_result.failure, code),
            exit_code=code,
            facts={**known.facts, **tool_result.facts},
        )


def _failure(first: Failure, second: Failure, code: int | None) -> Failure:
    """As the store adds the second telling of a result to the first."""
    for one in (first, second):
        if one not in ("none", "error"):
            return one
    failed = code != 0 if code is not None else "error" in (first, second)
    return "error" if failed else "none"


def inspect_transcript(path: Path) -> TranscriptHarvest:
    """What would be harvested from the transcript at `path`. Raises Fault invalid_input where it is none."""
    return inspect_texts(path).harvest


def inspect_texts(path: Path) -> Inspected:
    """As `inspect_transcript`, with the text of each judged result."""
    try:
        with open_transcript(path) as file:
            return _inspect(file, path)
    except NotATranscript as why:
        raise Fault("invalid_input", f"{stored_name(path)}: {why}", "pass a transcript") from None
    except OSError as error:
        reason = f"{stored_name(path)} cannot be read: {error.strerror or error}"
        raise Fault("invalid_input", reason, "pass a transcript") from None


def _inspect(file: BinaryIO, path: Path) -> Inspected:
    source = source_of(file, path, None, named=True)
    if source is None:
        raise NotATranscript("empty file")
    lines = [line for batch in batches(source, Position()) for line in batch]
    records = records_of(source.agent, source.start, lines, lambda uuid: None)
    return _inspected(records, source.start, source.name)


def _inspected(records: Iterable[Record], start: SessionStart, file: str) -> Inspected:
    kept = list(records)
    rows = rows_of(kept, start)
    events = _Events(start.agent)
    for row, line in zip(rows.messages, _lines(kept), strict=True):
        events.take(row, line)
    project = next((one.project for one in rows.sessions.values() if one.project), start.project)
    results, incidents = list[Result](), Incidents(project)

    def judged(result: Result) -> None:
        incidents.take(result)
        if result.outcome.sign is not None:
            results.append(result)

    watched = incidents.clock.watch(map(observe, events.events))
    settled = list(incidents.settled(list(fold(watched, project, judged))))
    report = _Report(events, _by_key(settled))
    judgements = zip(results, incidents.judgements(), strict=True)
    found = tuple(sorted((report.judged(result, one) for result, one in judgements), key=lambda one: one.line))
    known = next(iter(rows.sessions.values()), start)
    harvest = TranscriptHarvest(file, known.session_id, start.agent, incidents.passed, found)
    return Inspected(harvest, known, events.texts({(one.line, one.tool_use_id) for one in found}))


def _lines(records: Iterable[Record]) -> Iterator[int]:
    """The line of each record that is a message."""
    for record in records:
        if isinstance(record, SessionStart | Skipped):
            continue
        yield record.line if isinstance(record, Message) else record.message.line


_Key = tuple[str, str]


def _by_key(settled: Iterable[HarvestedError]) -> dict[_Key, list[HarvestedError]]:
    found: dict[_Key, list[HarvestedError]] = {}
    for error in sorted(settled, key=lambda one: one.message_idx):
        found.setdefault((error.session_id, error.fingerprint), []).append(error)
    return found


@dataclass(frozen=True, slots=True)
class _Report:
    """Results as they are reported: what was found in each, and what became of it later."""

    events: _Events
    settled: dict[_Key, list[HarvestedError]]

    def judged(self, result: Result, judgement: Judgement) -> JudgedResult:
        outcome, ran = result.outcome, result.ran
        call = self.events.of_result[ran.idx]
        keys = tuple(self._key(ran, named, self._error(ran, named)) for named in outcome.errors)
        fix = union(tuple(key.fix for key in keys)) if outcome.sign == "incident" else None
        command = result.command.text if result.shell and result.command is not None else ""
        return JudgedResult(
            line=self.events.lines[ran.idx],
            tool_use_id=call.tool_use_id,
            tool=ran.tool,
            command=command,
            verdict=judgement.verdict,
            reason=judgement.reason,
            keys=keys,
            fix=None if judgement.verdict == "flaky" else fix,
            worth=judgement.worth,
            cost=judgement.cost,
            trace=self._trace(result),
        )

    def _error(self, ran: Ran, named: Named) -> HarvestedError | None:
        """The error, as it was settled, that this result showed."""
        found = self.settled.get((ran.session_id, named.fingerprint), [])
        return next((error for error in reversed(found) if error.message_idx <= ran.idx), None)

    def _key(self, ran: Ran, named: Named, error: HarvestedError | None) -> ResultKey:
        key = named.key
        return ResultKey(key.text, key.start, key.end, key.tool, None if error is None else self._fix(ran, error))

    def _fix(self, ran: Ran, error: HarvestedError) -> LinkedFix | None:
        """The steps linked to this error that came after this result, as calls of the transcript."""
        end = error.verified_idx
        if not error.resolved or end is None or end <= ran.idx or error.strength is None:
            return None
        linked = [(link, self.events.of_result[link.idx]) for link in error.links if link.idx in self.events.of_result]
        links = tuple(FixLink(call.line, link.why) for link, call in linked if ran.idx < link.idx <= end)
        done = [call for link, call in linked if ran.idx < link.idx <= end]
        if not done:
            return None
        return LinkedFix(
            lines=tuple(sorted({call.line for call in done})),
            tool_use_ids=tuple(dict.fromkeys(call.tool_use_id for call in done)),
            checked_line=self.events.lines[end],
            strength=error.strength,
            links=links,
            text=error.resolution_text or "",
        )

    def _trace(self, result: Result) -> tuple[Step, ...]:
        ran, outcome = result.ran, result.outcome
        known = facts(failure=ran.failure, exit_code=ran.exit_code, whole=outcome.whole, errors=len(outcome.errors))
        found = "hit" if outcome.sign == "incident" else "rejected"
        return (Step("judge", found, f"{outcome.verdict}: {outcome.reason}", known),)
