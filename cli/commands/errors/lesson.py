"""`casebook errors lesson`: the card of a fix, and where it holds."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from cli.commands.errors.curation import decide_cases
from cli.context import Context, not_there
from cli.format.cases import field
from cli.output import Output
from core.base.fault import Fault
from core.errors.cases.resolutions import answering, resolution
from core.errors.curation import look, person
from core.errors.lessons.lesson import Lesson
from core.errors.lessons.scope import set_scope
from core.errors.lessons.text import card
from core.store import faults, open_store
from core.text import redact

_LARGEST = 2**63 - 1


def run_lesson(args: argparse.Namespace, context: Context) -> int:
    """`errors lesson`: show the card, or confirm its scope. Exit 1 where the fix has none."""
    if args.general or args.project_only:
        scope = "general" if args.general else "project"
        return decide_cases(args, context, lambda store, seen: set_scope(store, person(), seen, scope, pick=args.fix))
    case_id = args.id if 0 < args.id <= _LARGEST else 0
    with open_store(context.database) as store, faults(context.database):
        try:
            look(store.con, case_id)
        except Fault as fault:
            return not_there(fault, context)
        mark = None if args.fingerprint is None else redact(args.fingerprint)
        fix = answering(store.con, case_id, mark) if args.fix is None else resolution(store.con, case_id, args.fix)
    if fix is None or fix.lesson is None:
        what = "has no fix that answers" if fix is None else f"has no lesson in fix {fix.id}"
        hint = f"see: casebook errors show {case_id}"
        return not_there(Fault("not_indexed", f"case {case_id} {what}", hint, case_id=case_id), context)
    context.out.result(fix.lesson, lesson_lines(context.out, fix.lesson))
    return 0


def lesson_lines(out: Output, lesson: Lesson) -> Iterator[str]:
    """The card of a lesson."""
    for label, text in card(lesson):
        style = "warn" if label in ("Workaround", "Recheck") else "bold" if label == "Do" else None
        yield from field(out, label.lower(), text, style)
