"""`casebook library cite`: let the fix of a case cite a passage."""

from __future__ import annotations

import argparse

from cli.commands.errors.cases import case_lines
from cli.context import Context, not_there
from core.base.fault import Fault


def run_cite(args: argparse.Namespace, context: Context) -> int:
    """`library cite`: the fix that answers for a case cites a passage; `casebook undo` takes it back.

    Exit 1 where there is no such case or passage.
    """
    from core.errors import show_case
    from core.errors.curation import person
    from core.flows.ingest.case_citations import cite_in_case, with_citations
    from core.store import faults, open_store

    with open_store(context.database, write=True) as store, faults(context.database):
        case = show_case(store, args.case) if 0 < args.case < 1 << 62 else None
        if case is None:
            return not_there(
                Fault("not_indexed", f"there is no case {args.case}", "see: casebook errors list"), context
            )
        try:
            kept = cite_in_case(store, case, args.passage, args.author or person(), args.quote)
        except Fault as fault:
            return not_there(fault, context)
        case = with_citations(store, case)
    context.log("info", "cited", case=case.id, uri=kept.uri)
    context.out.result(case, case_lines(context.out, case))
    return 0
