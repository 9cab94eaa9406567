"""The cases from the shell: list, show, import, export; the practice of repositories."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cli.context import Context, not_there, says_yes
from cli.format.cases import field, lesson_lines, markdown_field, source_line, uses
from cli.format.layout import clip, counted, one_line, pad, width, wrap
from cli.output import Output
from core.base.fault import Fault
from core.errors import Case, CaseList, Filters, Resolution, list_cases, show_case
from core.errors.cases.derived import NO_LONGER_HARVESTED, project_aliases
from core.errors.curation.transaction import look
from core.errors.incidents import SLIP
from core.errors.lessons import beyond_card
from core.errors.practice import Practice, PracticeList, every_failure, practices, shown_counts, shown_how
from core.errors.retrieval.answer import Worth
from core.store import open_store
from core.text import clean, redact

if TYPE_CHECKING:
    from core.flows.agent_file import SyncedFile

_WORTHS: Final[dict[str, Worth]] = {"any": "general", "project": "project", "none": "slip"}
_LONGEST_LINE = 1_000
"""Code points of a line of output that are shown without --verbose."""
_WIDE = 100
"""From here on the list has columns to spare for the whole name of a tool."""


def run_list(args: argparse.Namespace, context: Context) -> int:
    """`errors list`: one page of cases."""
    if not 1 <= args.limit <= 10_000:
        raise Fault("invalid_input", f"--limit {args.limit} is not between 1 and 10,000", "pass a number in this range")
    with context.store() as store:
        page = list_cases(store, _filters(args), sort=args.sort, limit=args.limit, after=args.after)
    context.out.result(page, _list_lines(context.out, page))
    return 0 if page.cases else 1


def _list_lines(out: Output, page: CaseList) -> Iterator[str]:
    if not page.cases:
        yield "No cases match."
        return
    tools = min(16, max(4, *(width(row.tool) for row in page.cases))) if out.columns >= _WIDE else 8
    yield out.paint(f"{'case':>6}  {'status':<10}  {'seen':>5}  {'last seen':<10}  {pad('tool', tools)}  error", "dim")
    for row in page.cases:
        when, tool = pad(row.last_seen[:10], 10), pad(row.tool, tools)
        head = f"{row.id:>6}  {row.status:<10}  {row.seen:>5}  {when}  {tool}  "
        marks = [NO_LONGER_HARVESTED] * (not row.harvested) + ["team"] * (row.origin == "team")
        line = f"({', '.join(marks)}) {row.key_line}" if marks else row.key_line
        yield head + clip(line, max(20, out.columns - len(head)))
    if page.next is not None:
        yield out.paint(f"more: add --after {one_line(page.next)!r}", "dim")


def run_show(args: argparse.Namespace, context: Context) -> int:
    """`errors show`: everything about one case, with its citations and their current places."""
    from core.flows.ingest.case_citations import with_citations

    with context.store() as store:
        case = show_case(store, args.id)
        if case is None:
            try:
                look(store.con, args.id)
            except Fault as fault:
                return not_there(fault, context)
            raise Fault("not_indexed", f"case {args.id} was just added", "run the command again")
        case = with_citations(store, case)
    context.out.result(case, case_lines(context.out, case))
    return 0


def case_lines(out: Output, case: Case) -> Iterator[str]:
    """A case with its fixes, and what the one that answers cites."""
    told = "" if case.harvested else f", {NO_LONGER_HARVESTED}"
    yield out.paint(f"Case {case.id}, {case.status}{told}", "bold")
    for line in case.key_lines:
        yield from field(out, "error", one_line(line), "bold")
    yield from field(out, "normalized", case.error_normalized)
    for finer in case.fingerprints:
        tool = f"{case.tool}, repeated mistake" if finer.tool == SLIP else finer.tool
        yield from field(out, "fingerprint", f"{finer.fingerprint} ({tool}, seen {finer.seen:,})")
    yield from field(out, "seen", _occurrences(case))
    yield from field(out, "project", case.project or "unknown")
    yield from field(out, "use", uses(case.use_count) + (f", last {case.last_used}" if case.last_used else ""))
    if case.error_raw:
        output = clean(case.error_raw)
        shown = output if out.verbose else _around(output, case.key_lines)
        yield from field(out, "output", shown, code=True)
    if not case.resolutions:
        yield out.paint("  No fix recorded.", "warn")
    for fix in case.resolutions:
        yield ""
        yield f"Fix {fix.id}, {fix.status}" + (", team" if fix.author == "team" else "") + _standing(fix)
        if len(case.fingerprints) > 1:
            yield from field(out, "for", _error_of(fix, case))
        text = fix.text
        if fix.lesson is not None:
            yield from lesson_lines(out, fix.lesson, case.key_lines[0] if len(case.key_lines) == 1 else "")
            text = text if out.verbose else beyond_card(text, fix.lesson)
        if text.strip():
            yield from markdown_field(out, "fix", text)
        yield from field(out, "strength", fix.weakness or fix.strength)
        yield from field(out, "fixed by", fix.fixed_by or "unknown")
        yield from field(out, "tools", " > ".join(fix.tool_sequence) or "none")
        if fix.tags:
            yield from field(out, "tags", ", ".join(fix.tags))
        if fix.reason:
            yield from field(out, "rejected for", fix.reason)
        yield from field(out, "source", f"{source_line(fix.source)}, {fix.author}, {fix.ts}")
    for one in case.citations:
        yield ""
        yield f"Cites {one_line(one.uri)}"
        moved = f": {one.place}" if one.status == "moved" and one.place else ""
        yield from field(
            out, "state", f"{one.status}, {one.reason}{moved}", None if one.status == "attached" else "warn"
        )
        yield from field(out, "quote", one.quote)


def _standing(fix: Resolution) -> str:
    if fix.current:
        return ", current"
    return f", replaced by fix {fix.replaced_by}" if fix.replaced_by else ""


def _error_of(fix: Resolution, case: Case) -> str:
    """Which of several errors a fix is for."""
    if fix.fingerprint is None:
        return "all errors of the case"
    named = next((one.key_line for one in case.fingerprints if one.fingerprint == fix.fingerprint), "")
    return one_line(named) or f"the error {fix.fingerprint}"


def _occurrences(case: Case) -> str:
    if case.occurrences == 1:
        return f"once, {case.first_seen}"
    if not case.occurrences:
        return f"not yet, added {case.first_seen}"
    return f"{case.occurrences:,} times, {case.first_seen} to {case.last_seen}"


def _around(text: str, key_lines: Sequence[str], most: int = 12) -> str:
    """The lines around the first key line, or the first lines if the output does not contain it literally."""
    lines = text.split("\n")
    key = next((one.split("\n")[0].strip() for one in key_lines), "")
    at = next((number for number, line in enumerate(lines) if key and key in line), 0)
    first = min(max(0, at - most // 3), max(0, len(lines) - most))
    before = [f"… ({counted(first, 'line')} before, --verbose shows all)"] if first else []
    after = ["… (--verbose shows all)"] if first + most < len(lines) else []
    shown = [line[:_LONGEST_LINE] + "…" * (len(line) > _LONGEST_LINE) for line in lines[first : first + most]]
    return "\n".join([*before, *shown, *after])


def run_import(args: argparse.Namespace, context: Context) -> int:
    """`errors import`: cases from an export or a seed database; exit 1 if there is none in it."""
    from cli.commands.importing import report_lines
    from core.errors.exchange.case_import import check_source, import_cases

    check_source(Path(args.file))
    with context.store(write=True, create=True) as store:
        report = import_cases(store, Path(args.file))
    context.log("info", "cases imported", file=args.file, errors=report.errors, skipped=len(report.skipped))
    context.out.result(report, report_lines(context.out, report))
    return 0 if report.files else 1


def run_export(args: argparse.Namespace, context: Context) -> int:
    """`errors export`: cases, to stdout or to a file that is written whole or not at all."""
    from core.errors.exchange.case_export import FORMS, export_cases, export_file, export_fixes, guarded

    if args.sync is not None:
        return run_sync(args, context)
    _refuse_sync_options(args)
    which = _filters(args)
    form = args.format or FORMS.get(Path(args.output or "").suffix.lower(), "jsonl")
    if args.fixes and which != Filters():
        raise Fault(
            "invalid_input",
            "--fixes exports all verified fixes and cannot be combined with a filter",
            "omit the filter or --fixes",
        )
    with open_store(context.database) as store:
        if args.output is None:
            pieces = export_fixes(store, form) if args.fixes else export_cases(store, form, which)
            for piece in guarded(pieces, context.database):
                sys.stdout.write(piece)
            return 0
        path, done = Path(args.output), None
        if args.fixes and form == "markdown":
            from core.flows.agent_file import export_to_synced

            done = export_to_synced(store, path, force=args.force)
        done = done or export_file(store, path, form, fixes=args.fixes, which=which, replace=args.force)
    what = ("fix" if done.count == 1 else "fixes") if args.fixes else "case" if done.count == 1 else "cases"
    context.out.note(f"wrote {one_line(args.output)}, {done.count:,} {what}, {done.size:,} bytes")
    context.out.result(done, ())
    return 0


def _refuse_sync_options(args: argparse.Namespace) -> None:
    """Raise Fault for an option that only `--sync` has: without it, all cases would be printed."""
    given = {"--remove": args.remove, "--dry-run": args.dry_run, "--yes": args.yes, "--budget": args.budget is not None}
    if wrong := next((option for option, is_given in given.items() if is_given), ""):
        raise Fault("invalid_input", f"{wrong} needs --sync", "add --sync FILE")


def _filters(args: argparse.Namespace) -> Filters:
    tool, project = (None if name is None else redact(name) for name in (args.tool, args.project))  # as it is stored
    worth = None if args.reuse is None else _WORTHS[args.reuse]
    return Filters(status=args.status, tool=tool, project=project, since=_time(args.since), tag=args.tag, worth=worth)


def _time(text: str | None) -> str | None:
    """A time as it is stored (UTC, `Z`), or a date alone. A time without a zone is in UTC."""
    if text is None:
        return None
    from contextlib import suppress
    from datetime import UTC, date, datetime

    with suppress(ValueError):
        return date.fromisoformat(text).isoformat()
    try:
        at = datetime.fromisoformat(text)
        at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError):
        raise Fault(
            "invalid_input", f"--since is not a date or time: {text}", "use the format 2026-01-31 or 2026-01-31T18:00Z"
        ) from None
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def run_practice(args: argparse.Namespace, context: Context) -> int:
    """`errors practice`: every practice of one or all projects; exit 1 where there is none."""
    with context.store() as store:
        these = None if args.project is None else project_aliases(store.con, args.project)
        told = shown_counts(store.con, these)
        found = PracticeList(practices(store.con, args.project), every_failure(store.con, these), *told)
    context.out.result(found, _practice_list_lines(context.out, found))
    return 0 if found.practices or found.before_run else 1


def _practice_list_lines(out: Output, found: PracticeList) -> Iterator[str]:
    if not found.practices and not found.before_run:
        yield "No practice recorded yet."
    project = None
    for one in found.practices:
        if one.project != project:
            if project is not None:
                yield ""
            yield out.paint(one_line(one.project) or "(no project)", "bold")
            project = one.project
        yield from _practice_lines(out, one)
    if found.before_run:
        yield from ("", out.paint("Known failures, shown to agents before a command", "bold"))
    for failure in found.before_run:
        form = f"{failure.program} {failure.key}".strip()
        yield from _hanging_line(out, f"{form}: {failure.said}; passed: `{failure.passed}` ({failure.project})")
    if found.told:
        yield from ("", f"Warnings shown before a command: {found.told:,}, failures avoided: {found.avoided:,}")
    if found.withheld:
        yield from (
            "",
            f"Warnings withheld before a command: {found.withheld:,}, failures avoided: {found.avoided_withheld:,}",
        )


def _practice_lines(out: Output, one: Practice) -> Iterator[str]:
    yield from _hanging_line(out, one.line)
    if out.verbose:
        for approach in one.approaches:
            places = ", ".join(f"{place.session} message {place.message}" for place in approach.found_in)
            yield from field(out, shown_how(approach.how)[:13], places)


def _hanging_line(out: Output, text: str) -> Iterator[str]:
    """A text of foreign origin on lines that hang below their first."""
    first, *rest = wrap(one_line(text), out.columns - 4)
    yield f"  {first}"
    yield from (f"    {line}" for line in rest)


def run_sync(args: argparse.Namespace, context: Context) -> int:
    """Write, refresh or remove the block. Exit 1 if a person said no, or a file could not be refreshed.

    Without a file every file is refreshed that a person opted in.
    """
    from core.flows.agent_file import BUDGET, SyncedFiles, block_for, has_block, refresh_files, stop_sync, sync_file

    with open_store(context.database, write=not args.dry_run) as store:
        if not args.sync:
            reports = refresh_files(store)
            context.out.result(SyncedFiles(reports), _synced_lines(reports))
            return 1 if not reports or any(one.fault for one in reports) else 0
        path, budget = Path(args.sync).absolute(), args.budget or BUDGET
        if args.remove:
            report = stop_sync(store, path)
            context.out.result(
                SyncedFiles((report,)), [f"{one_line(report.path)}: {'removed' if report.changed else 'no block'}"]
            )
            return 0 if report.changed else 1
        body, report = block_for(store, path, budget)
        if args.dry_run:
            context.out.result(SyncedFiles((report,)), [*map(one_line, body.split("\n")), "", *_synced_lines([report])])
            return 0
        first = not has_block(path)
        if first and not args.yes and not _is_allowed(path, body, report):
            context.out.note("Nothing was written.")
            return 1
        report = sync_file(store, path, budget, force=args.force)
    undo = f"To remove the block, run: casebook errors export --sync {one_line(args.sync)} --remove"
    lines = [*_synced_lines([report]), *([context.out.paint(undo, "dim")] if first else [])]
    context.out.result(SyncedFiles((report,)), lines)
    return 0


def _is_allowed(path: Path, body: str, report: SyncedFile) -> bool:
    """Return whether the user allows the first block in this file. Raises Fault without a terminal."""
    if not sys.stdin.isatty() or not sys.stderr.isatty():
        hint = "pass --yes, or run the command in a terminal"
        raise Fault("invalid_input", f"{path}: the first casebook block of a file needs your confirmation", hint)
    for line in body.split("\n"):
        sys.stderr.write(f"  {one_line(line)}\n")
    if _is_empty(report):
        sys.stderr.write(_NO_FIXES + "\n")
    return says_yes(f"Write this block into {one_line(str(path))} and keep it up to date?")


_NO_FIXES = "This project has no verified fixes yet. To verify a fix, run: casebook errors triage"


def _is_empty(report: SyncedFile) -> bool:
    return not report.fixes + report.practices + report.corrections


def _synced_lines(reports: list[SyncedFile] | tuple[SyncedFile, ...]) -> Iterator[str]:
    if not reports:
        yield "No file has a casebook block. To add one, run: casebook errors export --sync FILE"
    for one in reports:
        if one.fault:
            yield f"{one_line(one.path)}: {one_line(one.fault)}"
            continue
        left = f", {one.left_out:,} omitted" if one.left_out else ""
        parts = ((one.fixes, "fix"), (one.practices, "practice"), (one.corrections, "correction"))
        held = ", ".join(counted(count, what) for count, what in parts) + left
        state = "written" if one.changed else "unchanged"
        yield f"{one_line(one.path)}: {state}, {held}, about {one.tokens:,} tokens"
        if _is_empty(one):
            yield _NO_FIXES
