"""`casebook errors practice`: what repositories do about rules, and what their environments lack."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from cli.context import Context
from cli.format.cases import field
from cli.format.layout import one_line, wrap
from cli.output import Output
from core.errors.practice.practice import Practice, PracticeList
from core.errors.practice.read import practices
from core.store import faults, open_store


def run_practice(args: argparse.Namespace, context: Context) -> int:
    """`errors practice`: every practice of one or all projects; exit 1 where there is none."""
    with open_store(context.database) as store, faults(context.database):
        found = PracticeList(practices(store.con, args.project))
    context.out.result(found, _lines(context.out, found))
    return 0 if found.practices else 1


def _lines(out: Output, found: PracticeList) -> Iterator[str]:
    if not found.practices:
        yield "No practice yet."
        return
    project = None
    for one in found.practices:
        if one.project != project:
            if project is not None:
                yield ""
            yield out.paint(one_line(one.project) or "(no project)", "bold")
            project = one.project
        yield from _practice(out, one)


def _practice(out: Output, one: Practice) -> Iterator[str]:
    first, *rest = wrap(one_line(one.line), out.columns - 4)
    yield f"  {first}"
    yield from (f"    {line}" for line in rest)
    if out.verbose:
        for approach in one.approaches:
            places = ", ".join(f"{place.session} message {place.message}" for place in approach.found_in)
            yield from field(out, approach.how[:13], places)
