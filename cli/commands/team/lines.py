"""What leaves, what is left out and what is no lesson, as lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from cli.format.layout import one_line, wrap
from cli.output import Output

if TYPE_CHECKING:
    from core.flows.team.export import FileFault, LeavingLesson, LeftOut

SHOWN = 20


def lesson_lines(out: Output, lessons: Sequence[LeavingLesson]) -> Iterator[str]:
    """Every lesson with every field that leaves."""
    for one in lessons:
        case = f", case {one.case_id}" if one.case_id is not None else ""
        yield out.paint(f"{one.act} {one.id}{case}", "good")
        for name in sorted(one.fields):
            mark = "*" if one.act == "change" and name in one.changed else " "
            first, *rest = wrap(_field_text(one.fields[name]), max(20, out.columns - 16))
            yield f" {mark}{name:<12}{first}"
            yield from (f"{'':<14}{line}" for line in rest)


def _field_text(value: Any) -> str:
    from core.base.wire import canonical

    return value if isinstance(value, str) and value else canonical(value)


def left_lines(out: Output, left: Sequence[LeftOut]) -> Iterator[str]:
    """The lessons that an export leaves out, and why."""
    for one in left[:SHOWN]:
        yield out.paint(f"omitted: {one.id} (case {one.case_id}): {one_line(one.reason)}", "warn")
    if len(left) > SHOWN:
        yield out.paint(f"omitted: {len(left) - SHOWN:,} more", "warn")


def fault_lines(out: Output, bad: Sequence[FileFault]) -> Iterator[str]:
    """The lines of a lessons file that are no lesson."""
    for one in bad[:SHOWN]:
        what = "kept unchanged" if one.kept else "both sides are used"
        yield out.paint(f"line {one.line}: {one.reason}, {what}", "warn")
    if len(bad) > SHOWN:
        yield out.paint(f"{len(bad) - SHOWN:,} more invalid lines", "warn")
