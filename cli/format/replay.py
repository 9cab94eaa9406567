"""What casebook would have answered, as lines for people (`replay.v1`)."""

from __future__ import annotations

from collections.abc import Iterator

from cli.format.layout import clip, counted, one_line
from cli.output import Output
from core.flows.replay.report import Replay, ReplayItem

_WIDTH = 100
_INDENT = " " * 6


def replay_lines(out: Output, found: Replay) -> Iterator[str]:
    """The counts, then each failure that was seen before; with `--verbose` every failure and both fixes."""
    answered = found.answered.high + found.answered.low
    compared = found.agreed + found.disagreed
    yield f"{counted(found.sessions, 'session')}, {counted(found.failures, 'failure')} (slips are left out)"
    yield f"  {found.known_before:,} seen before, {found.minutes_spent_on_known:,.0f} minutes spent on them"
    yield f"  {answered:,} answered: {found.answered.high:,} high, {found.answered.low:,} low"
    yield f"  {compared:,} of these compared with what fixed it: {found.agreed:,} agree, {found.disagreed:,} differ"
    if found.canceled:
        yield out.paint("Stopped. The rest was not played.", "warn")
    if found.skipped:
        yield out.paint(f"{counted(len(found.skipped), 'line')} or files could not be read.", "warn")
    shown = [item for item in found.items if out.verbose or item.known]
    for item in shown:
        yield ""
        yield from _item(out, item)


def _item(out: Output, item: ReplayItem) -> Iterator[str]:
    sign = {True: "agrees", False: "differs", None: "-"}[item.agreed] if item.match is not None else "silent"
    yield f"{one_line(item.session)[:36]}:{item.line}  {item.minutes:,.0f} min"
    yield f"{_INDENT}{clip(item.key_line, _WIDTH)}"
    match = item.match
    if match is not None:
        source = f" from {one_line(match.session)[:36]}" if match.session else ""
        told = f"case {match.case_id}, {match.tier}, {match.confidence}{source}"
        yield f"{_INDENT}{sign}: {told}. {clip(item.reason, 200)}"
    else:
        yield f"{_INDENT}{sign}: {clip(item.reason, 200)}"
    if out.verbose:
        for title, text in (("known", match.fix if match is not None else None), ("real", item.fix)):
            if text:
                yield f"{_INDENT}{title}:"
                yield from (f"{_INDENT}  {clip(line, _WIDTH)}" for line in text.split("\n") if line.strip())
