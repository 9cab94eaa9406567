"""One session as a strip: its results in order, what failed, what passed, and the time spent with something failing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, cast

from core.base.fault import Fault
from core.flows.harvest.command import Command, command_of
from core.flows.harvest.fixes.linking import is_check
from core.flows.harvest.incidents import ActiveTime
from core.flows.harvest.reducer import fold
from core.flows.harvest.session_events import Result, object_of, read_history
from core.flows.insights.api import minutes
from core.flows.insights.report import RedTime, SessionStrip, StripCell, StripMark
from core.store import Store, faults
from core.text import clean, redact

_COMMAND: Final = 200
_FILES: Final = ("file_path", "notebook_path", "path", "pattern", "description", "url")
_RED: Final = ("incident", "flaky")

_CALLS: Final = """SELECT t.result_idx, m.ts, t.name, t.input_json FROM tool_call t
 JOIN message m ON m.session_id = t.session_id AND m.idx = t.result_idx
 WHERE t.session_id = ? ORDER BY t.result_idx, t.tool_use_id"""
_VERDICTS: Final = """SELECT v.message_idx, v.verdict, v.program, coalesce(v.repeats, v.message_idx), v.ts,
 iif(v.solved_session IS NULL OR v.solved_session = v.session_id, v.solved_idx, -1),
 coalesce((SELECT f.key_line FROM fingerprint f WHERE f.fingerprint = CAST(v.fingerprints ->> 0 AS TEXT)), ''),
 (SELECT f.case_id FROM fingerprint f WHERE f.fingerprint = CAST(v.fingerprints ->> 0 AS TEXT))
 FROM result_verdict v WHERE v.session_id = ? ORDER BY v.message_idx"""


class _Verdict(NamedTuple):
    """A stored verdict. `incident`: the message of its first result; `solved`: None for never, -1: in a later one."""

    message: int
    verdict: str
    program: str
    incident: int
    ts: str
    solved: int | None
    key_line: str
    case_id: int | None


def session_strip(store: Store, session: str) -> SessionStrip:
    """The strip of a stored session, by its id or the only one that begins so.

    Raises Fault: invalid_input for a session that is not stored or a beginning of several; and those of the store.
    """
    with faults(store.path):
        found = _session(store, session)
        agent, project, started = cast(
            "tuple[str, str, str]",
            store.con.execute(
                "SELECT agent, shown, started FROM session JOIN session_project ON session_id = id WHERE id = ?",
                (found,),
            ).fetchone(),
        )
        clock = ActiveTime()
        green, last = _passed(store, found, clock)
        verdicts = _verdicts(store, found)
        cells = tuple(_cells(store, found, verdicts, green))
    times = {cell.message: cell.ts for cell in cells}
    red, worked = _in_red(verdicts, times, last, clock)
    first = next((cell.ts for cell in cells if cell.ts), "")
    return SessionStrip(
        session=found,
        agent=agent,
        project=project,
        started=started,
        failed=sum(cell.mark == "failed" for cell in cells),
        passed=sum(cell.mark == "passed" for cell in cells),
        minutes=minutes(round(1000 * clock.between(min(filter(None, (started, first)), default=""), last))),
        minutes_red=minutes(round(1000 * worked)),
        cells=cells,
        red=red,
    )


def _session(store: Store, name: str) -> str:
    prefix = redact(name)
    rows = store.con.execute(
        "SELECT id FROM session WHERE id = ?1 UNION ALL SELECT id FROM session WHERE id > ?1 AND id < ?1 || ?2 LIMIT 3",
        (prefix, "\U0010ffff"),
    ).fetchall()
    found = [cast("str", row[0]) for row in rows]
    if prefix and (found[:1] == [prefix] or len(found) == 1):
        return found[0]
    what = "several sessions start with" if found else "no session"
    raise Fault(
        "invalid_input", f"{what} {clean(name)[:80]}", "to list the sessions of a case, run: casebook errors show CASE"
    )


def _verdicts(store: Store, session: str) -> list[_Verdict]:
    rows = store.con.execute(_VERDICTS, (session,)).fetchall()
    return [_Verdict(*row) for row in cast("list[tuple[int, str, str, int, str, int | None, str, int | None]]", rows)]


def _passed(store: Store, session: str, clock: ActiveTime) -> tuple[set[int], str]:
    """The messages of checks that passed, as a harvest judges them, and the time of the last event."""
    green, last = set[int](), ""

    def judged(result: Result) -> None:
        nonlocal last
        last = max(last, result.ran.ts)
        if result.outcome.sign is None and result.outcome.verdict == "passed" and _checks(result.command):
            green.add(result.ran.idx)

    for _ in fold(clock.watch(read_history(store, [session], None)), judged=judged):
        pass
    return green, last


def _checks(command: Command | None) -> bool:
    return command is not None and any(map(is_check, command.members))


def _cells(store: Store, session: str, verdicts: Sequence[_Verdict], green: set[int]) -> Iterable[StripCell]:
    known = {one.message: one for one in verdicts}
    green = green | {one.solved for one in verdicts if one.solved is not None and one.solved >= 0}
    for message, ts, tool, given in cast(
        "list[tuple[int, str, str, str]]", store.con.execute(_CALLS, (session,)).fetchall()
    ):
        one = known.get(message)
        mark: StripMark = "passed" if message in green else "other"
        if one is not None and one.verdict in _RED:
            mark = "failed"
        what = _call_summary(tool, given)
        if one is None:
            yield StripCell(message, ts, mark, tool, what)
        else:
            yield StripCell(message, ts, mark, one.program or tool, what, one.verdict, one.key_line, one.case_id)


def _call_summary(tool: str, given: str) -> str:
    """What a call did, on one line: its command, else the file or the words it was given."""
    inputs = object_of(given)
    command = command_of(tool, inputs)
    text = command.text if command is not None else ""
    text = text or next((str(inputs[key]) for key in _FILES if isinstance(inputs.get(key), str)), "")
    return " ".join(clean(text).split())[:_COMMAND]


def _in_red(
    verdicts: Sequence[_Verdict], times: dict[int, str], last: str, clock: ActiveTime
) -> tuple[tuple[RedTime, ...], float]:
    """The programs with the time until their failures were gone, and the seconds with at least one failing."""
    members: defaultdict[int, list[_Verdict]] = defaultdict(list)
    for one in verdicts:
        if one.verdict in _RED:
            members[one.incident].append(one)
    spans = list[tuple[str, str]]()
    programs: defaultdict[str, list[tuple[float, int]]] = defaultdict(list)
    for runs in members.values():
        start, solved = runs[0].ts, runs[0].solved
        end = last if solved == -1 else times.get(solved, runs[-1].ts) if solved is not None else runs[-1].ts
        if start and end > start:
            spans.append((start, end))
        programs[runs[0].program].append((clock.between(start, end), len(runs)))
    red = tuple(
        RedTime(program, minutes(round(1000 * sum(s for s, _ in found))), len(found), sum(runs for _, runs in found))
        for program, found in programs.items()
    )
    return tuple(sorted(red, key=lambda one: (-one.minutes, -one.runs, one.program))), _union(spans, clock)


def _union(spans: Iterable[tuple[str, str]], clock: ActiveTime) -> float:
    """The seconds within at least one of the spans."""
    total, start, end = 0.0, "", ""
    for first, last in sorted(spans):
        if first > end:
            total += clock.between(start, end)
            start, end = first, last
        else:
            end = max(end, last)
    return total + clock.between(start, end)
