"""Decisions about cases from the shell: verify, reject, edit, merge, split, noise; queue, history and lesson."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from cli.commands.errors.group import note_masked, tool_names
from cli.context import Context, not_there, read_text_argument
from cli.format.cases import lesson_lines
from cli.format.layout import clip, one_line, wrap
from cli.output import Output
from core.base.fault import Fault
from core.errors.cases.case import Filters
from core.errors.cases.resolutions import answering, resolution
from core.errors.curation.decisions import edit, mark_noise, reject, set_scope, unmark_noise, verify
from core.errors.curation.history import ChangedQuote, History
from core.errors.curation.merging import merge
from core.errors.curation.splitting import split
from core.errors.curation.transaction import (
    Beside,
    Conflict,
    Curated,
    SeenVersion,
    Written,
    look,
    look_at_error,
    person,
    written_of,
)
from core.errors.curation.triage import QueuePage, is_part_of, triage_queue
from core.errors.retrieval.answer import Source
from core.flows.system.history import read_history
from core.store import Store
from core.text import redact

_DONE = {
    "verify": "Verified",
    "reject": "Rejected the fix of",
    "edit": "Recorded a fix for",
    "merge": "Merged into",
    "split": "Split",
    "noise": "Marked as noise:",
    "unmark": "No longer noise:",
    "tag": "Renamed the tag of",
    "general": "Lesson valid in every project:",
    "project": "Lesson valid only in its project:",
}


def run_verify(args: argparse.Namespace, context: Context) -> int:
    """`errors verify`: the fix that answers, one of the history, or a text that is given, is right."""
    if args.fix is not None and (len(args.id) > 1 or _is_written(args)):
        raise Fault("invalid_input", "--fix takes one case", "pass one ID and no --resolution or other change")

    text = _fix_text(args)

    def act(store: Store, seen: list[SeenVersion]) -> Curated:
        written = _written_fixes(args, text, store, seen) if _is_written(args) else None
        return verify(store, person(), seen, written, pick=args.fix)

    return _decide_with_text(args, context, act, text)


def run_reject(args: argparse.Namespace, context: Context) -> int:
    """`errors reject`: the fix that answers is wrong, and never answers again."""
    if args.fix is not None and len(args.id) > 1:
        raise Fault("invalid_input", "--fix takes one case", "pass one ID")
    return decide_cases(
        args,
        context,
        lambda store, seen: reject(store, person(), seen, args.reason or "", pick=args.fix, all_of_it=args.all),
    )


def run_edit(args: argparse.Namespace, context: Context) -> int:
    """`errors edit`: a new fix in the place of the one that answers; what is not given stays as it is there."""
    if not _is_written(args):
        raise Fault("invalid_input", "nothing to change", "pass --resolution, --tag, --resolved-by or another option")

    text = _fix_text(args)

    def act(store: Store, seen: list[SeenVersion]) -> Curated:
        status = "verified" if args.verify else "draft"
        written = _written_fixes(args, text, store, seen)
        return edit(store, person(), seen, written, status=status, whole_case=args.whole_case)

    return _decide_with_text(args, context, act, text)


def run_merge(args: argparse.Namespace, context: Context) -> int:
    """`errors merge`: several cases are one."""
    return decide_cases(args, context, lambda store, seen: merge(store, person(), seen[0], seen[1:]))


def run_split(args: argparse.Namespace, context: Context) -> int:
    """`errors split`: finer cases become a case of their own."""

    def act(store: Store, seen: list[SeenVersion]) -> Curated:
        mine = None if args.resolution is None else Written(read_text_argument(args.resolution, "resolution"))
        marks = [redact(mark) for mark in args.fingerprint]
        return split(store, person(), seen[0], marks, mine, keep=args.keep_fix, take=args.take_fix)

    return decide_cases(args, context, act)


def run_noise(args: argparse.Namespace, context: Context) -> int:
    """`errors noise`: cases that are no errors worth a fix, or are after all."""

    def act(store: Store, seen: list[SeenVersion]) -> Curated:
        return unmark_noise(store, person(), seen) if args.off else mark_noise(store, person(), seen, args.reason or "")

    return decide_cases(args, context, act)


def run_rename_tag(args: argparse.Namespace, context: Context) -> int:
    """`errors rename-tag`: in every fix that has it. Exit 1 if nothing changed."""
    from core.errors.curation.decisions import rename_tag

    with context.store(write=True) as store:
        done = rename_tag(store, person(), args.old, args.new)
    context.log("info", done.act, cases=len(done.cases), change=done.change)
    context.out.result(done, _result_lines(context.out, done))
    return 0 if done.cases else 1


def decide_cases(args: argparse.Namespace, context: Context, act: Callable[[Store, list[SeenVersion]], Curated]) -> int:
    """Look at the cases, act on them, print the result. Exit 1 if nothing changed, or another change came first."""
    ids: list[int] = list(dict.fromkeys(args.id if isinstance(args.id, list) else [args.id]))
    mark = getattr(args, "fingerprint", None)
    mark = redact(mark) if isinstance(mark, str) else None
    expected = getattr(args, "expect", None)
    if expected is not None and len(ids) > 1:
        raise Fault("invalid_input", "--expect takes one case", "pass one ID")
    with context.store(write=True) as store:
        try:
            seen = [look(store.con, at) if mark is None else look_at_error(store.con, at, mark) for at in ids]
        except Fault as fault:
            return not_there(fault, context)
        if expected is not None:
            seen = [replace(seen[0], resolution_id=expected or None)]
        done = act(store, seen)
    context.log("info", done.act, cases=len(done.cases), change=done.change, conflicts=len(done.conflicts))
    context.out.result(done, _result_lines(context.out, done))
    return 0 if done.cases and not done.conflicts else 1


def _is_written(args: argparse.Namespace) -> bool:
    """Whether an option changes the fix."""
    given = (args.resolution, args.resolved_by, args.tool_sequence, args.tag, args.source)
    return any(value is not None for value in given)


def _fix_text(args: argparse.Namespace) -> str | None:
    return None if args.resolution is None else read_text_argument(args.resolution, "resolution")


def _decide_with_text(
    args: argparse.Namespace, context: Context, act: Callable[[Store, list[SeenVersion]], Curated], text: str | None
) -> int:
    """`decide_cases` for a decision that may write the text of a fix."""
    code = decide_cases(args, context, act)
    if code == 0 and text is not None:
        note_masked(context.out, text)
    return code


def _written_fixes(
    args: argparse.Namespace, text: str | None, store: Store, seen: list[SeenVersion]
) -> dict[int, Written]:
    return {one.case_id: _written(args, text, store, one) for one in seen}


def _written(args: argparse.Namespace, text: str | None, store: Store, seen: SeenVersion) -> Written:
    """What the options say, over what the fix that answers says."""
    now = None if seen.resolution_id is None else resolution(store.con, seen.case_id, seen.resolution_id)
    before = Written("") if now is None else written_of(now)
    return Written(
        before.text if text is None else text,
        before.resolved_by if args.resolved_by is None else args.resolved_by,
        before.tool_sequence if args.tool_sequence is None else tool_names(args.tool_sequence),
        before.tags if args.tag is None else tuple(args.tag),
        before.source if args.source is None else _source(args.source),
    )


def _source(text: str) -> Source:
    session, _, numbers = text.rpartition(":")
    if not session or not all(part.isascii() and part.isdigit() and len(part) < 16 for part in numbers.split(",")):
        raise Fault("invalid_input", f"--source is not SESSION:N,N: {text}", "use the format SESSION:12,13")
    return Source(redact(session), tuple(int(part) for part in numbers.split(",")))


def _result_lines(out: Output, done: Curated) -> Iterator[str]:
    if done.cases:
        yield out.paint(f"{_DONE[done.act]} {_cases(done.cases)}.", "good")
    if done.made is not None:
        yield f"New case: {done.made}."
    if done.parts:
        whose = "the same incident" if len(done.cases) == 1 else "the same incidents"
        yield f"Also left triage, as part of {whose}: {_cases(done.parts)}."
    yield from _differed_lines(out, done)
    if done.change is not None:
        yield out.paint(f"Saved as change {done.change}. To undo it, run: casebook undo", "dim")
    if done.unchanged:
        yield f"No change for {_cases(done.unchanged)}."
    for one in done.beside:
        yield from _beside_lines(one)
    for conflict in done.conflicts:
        yield from _conflict_lines(out, conflict)


def _beside_lines(one: Beside) -> Iterator[str]:
    """Which fix it was, where the case holds others."""
    first, *more = one.others
    others = f"Fix {first}" if not more else f"Fixes {', '.join(map(str, one.others[:3]))}{', …' if more[2:] else ''}"
    predicate = "is for a different error" if not more else "are for other errors"
    yield f"In case {one.case_id}, this is fix {one.fix}. {others} {predicate}."
    yield f"To select {'that fix' if not more else 'one of them'}, add --fix, for example --fix {first}."


def _differed_lines(out: Output, done: Curated) -> Iterator[str]:
    """What was merged though it was not obviously the same, in what it differed, and whose fix answers now."""
    for other in done.differed:
        yield clip(f"Case {other.case_id} differs: {other.key_line}", out.columns)
        for one in other.differences:
            yield from wrap(f"{one.what:<5}{one.why}", out.columns, "  ")
    if done.resolutions and any(one.what == "fix" for other in done.differed for one in other.differences):
        yield f"Fix {done.resolutions[0]} is now the current fix."
        yield f"To list all fixes, run: casebook errors show {done.cases[0]}"


def _conflict_lines(out: Output, conflict: Conflict) -> Iterator[str]:
    if conflict.reason == "gone":
        where = f"it was merged into case {conflict.moved_to}" if conflict.moved_to else "it no longer exists"
        yield out.paint(f"Case {conflict.case_id} was not saved: {where}.", "warn")
        return
    yield out.paint(f"Not saved: the current fix of case {conflict.case_id} changed.", "warn")
    if conflict.theirs is not None:
        yield from wrap(f"fix {conflict.theirs.id} by {conflict.theirs.author}:", out.columns, "  ")
        yield from wrap(conflict.theirs.text[:2000], out.columns, "    ")


def _cases(ids: tuple[int, ...]) -> str:
    shown = ", ".join(map(str, ids[:10])) + (f" and {len(ids) - 10:,} more" if len(ids) > 10 else "")
    return f"case{'' if len(ids) == 1 else 's'} {shown}"


def run_triage(args: argparse.Namespace, context: Context) -> int:
    """`errors triage`: the cases that wait for a decision."""
    if not 1 <= args.limit <= 10_000:
        raise Fault("invalid_input", f"--limit {args.limit} is not between 1 and 10,000", "pass a number in this range")
    tool, project = (None if name is None else redact(name) for name in (args.tool, args.project))
    with context.store() as store:
        page = triage_queue(store, Filters(tool=tool, project=project), args.limit, args.after)
    context.out.result(page, _queue_lines(context.out, page))
    return 0 if page.cases else 1


def _queue_lines(out: Output, page: QueuePage) -> Iterator[str]:
    yield f"{page.left:,} undecided." if page.left else "Nothing to triage."
    for row in page.cases:
        head = f"{row.id:>6}  {row.status:<10}  {row.seen:>5}  "
        yield head + clip(row.key_line, max(20, out.columns - len(head)))
        for finding in page.findings:
            if is_part_of(finding, row):
                head = f"{finding.id:>6}  {finding.status:<10}  {finding.seen:>5}    + "
                yield head + clip(finding.key_line, max(20, out.columns - len(head)))
    if page.next is not None:
        yield out.paint(f"more: add --after {one_line(page.next)!r}", "dim")


def run_history(args: argparse.Namespace, context: Context) -> int:
    """`errors history` and `undo --list`: changes, authors and times."""
    if not 1 <= args.limit <= 10_000:
        raise Fault("invalid_input", f"--limit {args.limit} is not between 1 and 10,000", "pass a number in this range")
    case_id: Any = getattr(args, "id", None)
    with context.store() as store:
        page = read_history(store, args.limit, args.before, case_id)
        if case_id is not None and not page.changes:
            try:
                look(store.con, case_id)
            except Fault as fault:
                return not_there(fault, context)
    context.out.result(page, history_lines(context.out, page))
    return 0 if page.changes else 1


def history_lines(out: Output, page: History) -> Iterator[str]:
    """Changes, newest first, each with what it did."""
    if not page.changes:
        yield "No changes yet."
    for one in page.changes:
        state = f" (undone by {one.undone_by})" if one.undone_by is not None else ""
        yield from wrap(f"{one.change:>5}  {one.ts}  {one.actor}: {one.title}{state}".replace("\n", " "), out.columns)
        for line in (*one.what, *map(_quote_line, one.quotes)):
            yield from wrap(line.replace("\n", " "), out.columns, "         ")
        if one.more_quotes:
            yield f"         and {one.more_quotes:,} more quotes"
    if page.next is not None:
        yield out.paint(f"more: add --before {page.next}", "dim")


def _quote_line(one: ChangedQuote) -> str:
    if one.gone:
        return f"quote {one.id} (missing): {one.place}"
    return f"quote {one.id} “{one.quote}”: {one.place}, entry {one.entry_id}, session {one.session}"


def run_lesson(args: argparse.Namespace, context: Context) -> int:
    """`errors lesson`: show the card, or confirm its scope. Exit 1 where the fix has none."""
    if args.general or args.project_only:
        scope = "general" if args.general else "project"
        return decide_cases(args, context, lambda store, seen: set_scope(store, person(), seen, scope, pick=args.fix))
    case_id: int = args.id
    with context.store() as store:
        try:
            look(store.con, case_id)
        except Fault as fault:
            return not_there(fault, context)
        mark = None if args.fingerprint is None else redact(args.fingerprint)
        fix = answering(store.con, case_id, mark) if args.fix is None else resolution(store.con, case_id, args.fix)
    if fix is None or fix.lesson is None:
        what = "has no current fix" if fix is None else f"has no lesson in fix {fix.id}"
        hint = f"run: casebook errors show {case_id}"
        return not_there(Fault("not_indexed", f"case {case_id} {what}", hint, case_id=case_id), context)
    context.out.result(fix.lesson, lesson_lines(context.out, fix.lesson))
    return 0
