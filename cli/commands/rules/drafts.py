"""`casebook rules drafts`, `accept`, `reject`: rules drafted from what you said as you declined a call."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from cli.context import Context
from cli.format.rule_drafts import decided_lines, draft_lines
from cli.parser import Parser, add_leaf, number, path_name

_ACCEPT = """\
example:
  casebook rules accept 3 --file CLAUDE.md

The rule is written into casebook's block of the file: the lines from <!-- casebook:start rules --> to
<!-- casebook:end -->. Nothing else in the file changes. The file must lie in the project of the draft.
casebook undo takes the rule out again.
"""


def add_drafts(children: Any, shared: Parser) -> None:
    """The sub-commands and their arguments."""
    drafts = add_leaf(children, shared, "drafts", "rules drafted from what you said as you declined a call")
    drafts.add_argument("--all", action="store_true", help="accepted and rejected ones too")
    drafts.set_defaults(run=run_drafts)
    accept = add_leaf(children, shared, "accept", "write a draft rule into a rule file", _ACCEPT)
    accept.add_argument("id", metavar="ID", type=number, help="the draft's number")
    accept.add_argument(
        "--file", metavar="FILE", type=path_name, required=True, help="the rule file, such as CLAUDE.md"
    )
    accept.set_defaults(run=run_accept)
    reject = add_leaf(children, shared, "reject", "reject a draft rule")
    reject.add_argument("id", metavar="ID", type=number, help="the draft's number")
    reject.add_argument("--reason", metavar="TEXT", default="", help="why, for the history")
    reject.set_defaults(run=run_reject)


def run_drafts(args: argparse.Namespace, context: Context) -> int:
    """`rules drafts`: exit 1 where there is none."""
    from core.flows.corrections.drafts import rule_drafts
    from core.store import open_store

    with open_store(context.database) as store:
        found = rule_drafts(store, None if args.all else "draft")
    context.out.result(found, draft_lines(context.out, found))
    return 0 if found.drafts else 1


def run_accept(args: argparse.Namespace, context: Context) -> int:
    """`rules accept`."""
    from core.errors.curation import person
    from core.flows.corrections.drafts import accept_draft
    from core.store import faults, open_store

    with open_store(context.database, write=True) as store, faults(context.database):
        done = accept_draft(store, person(), args.id, Path(args.file))
    context.log("info", "rule accepted", draft=args.id)
    context.out.result(done, decided_lines(context.out, done))
    return 0


def run_reject(args: argparse.Namespace, context: Context) -> int:
    """`rules reject`."""
    from core.errors.curation import person
    from core.flows.corrections.drafts import reject_draft
    from core.store import faults, open_store

    with open_store(context.database, write=True) as store, faults(context.database):
        done = reject_draft(store, person(), args.id, args.reason)
    context.log("info", "rule rejected", draft=args.id)
    context.out.result(done, decided_lines(context.out, done))
    return 0
