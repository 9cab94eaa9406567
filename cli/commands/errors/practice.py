"""`casebook errors practice`: what repositories do about rules, and what their environments lack."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from cli.context import Context
from cli.format.cases import field
from cli.format.layout import one_line, wrap
from cli.output import Output
from core.errors.cases.columns import meant_by
from core.errors.practice.before_run import count_told, every_failure
from core.errors.practice.practice import Practice, PracticeList
from core.errors.practice.read import practices
from core.store import faults, open_store


def run_practice(args: argparse.Namespace, context: Context) -> int:
    """`errors practice`: every practice of one or all projects; exit 1 where there is none."""
    with open_store(context.database) as store, faults(context.database):
        these = None if args.project is None else meant_by(store.con, args.project)
        told = count_told(store.con, these)
        found = PracticeList(practices(store.con, args.project), every_failure(store.con, these), *told)
    context.out.result(found, _lines(context.out, found))
    return 0 if found.practices or found.before_run else 1


def _lines(out: Output, found: PracticeList) -> Iterator[str]:
    if not found.practices and not found.before_run:
        yield "No practice yet."
    project = None
    for one in found.practices:
        if one.project != project:
            if project is not None:
                yield ""
            yield out.paint(one_line(one.project) or "(no project)", "bold")
            project = one.project
        yield from _practice(out, one)
    if found.before_run:
        yield from ("", out.paint("Told to an agent before it runs", "bold"))
    for failure in found.before_run:
        form = f"{failure.program} {failure.key}".strip()
        yield from _line(out, f"{form}: {failure.said}; passed: `{failure.passed}` ({failure.project})")
    if found.told:
        yield from ("", f"Told before a run: {found.told:,}; failures avoided: {found.avoided:,}")
    if found.withheld:
        yield from ("", f"Held back before a run: {found.withheld:,}; failures avoided: {found.avoided_withheld:,}")


def _practice(out: Output, one: Practice) -> Iterator[str]:
    yield from _line(out, one.line)
    if out.verbose:
        for approach in one.approaches:
            places = ", ".join(f"{place.session} message {place.message}" for place in approach.found_in)
            yield from field(out, approach.how[:13], places)


def _line(out: Output, text: str) -> Iterator[str]:
    """A text of foreign origin on lines that hang below their first."""
    first, *rest = wrap(one_line(text), out.columns - 4)
    yield f"  {first}"
    yield from (f"    {line}" for line in rest)
