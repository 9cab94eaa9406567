"""`casebook errors`: normalize and record. `search`, `cases` and `curation` hold the other subcommands."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from cli.commands.errors.search import add_search, add_text, refuse_text
from cli.context import Context, fault_in, read_text_argument
from cli.output import Output
from cli.parser import Group, Parser, number, path_name
from core.base.fault import Fault

_RECORD_EXAMPLES = """\
example:
  casebook errors record --error "EADDRINUSE: address already in use :::3000" \\
    --resolution 'Stop the old server: kill $(lsof -ti :3000)' --resolved-by Bash --tool-sequence '["Bash"]'
"""

PROJECT = "only errors of this project: a folder or a name (shop, acme/shop)"


def add_to(parser: Parser, shared: Parser) -> None:
    """The sub-commands and their arguments."""
    children = Group(parser, shared, "errors_command")
    normalize = children.leaf("normalize", "show key line, normalized form and fingerprint of an error", run_normalize)
    add_text(normalize)
    add_search(children)
    record = children.leaf("record", "record an error and its fix", run_record, _RECORD_EXAMPLES)
    record.argument("--error", "TEXT", "error output (- reads stdin)", required=True)
    record.argument("--resolution", "TEXT", "fix (- reads stdin)", required=True)
    record.argument("--resolved-by", "NAME", "tool or person that fixed the error")
    record.argument("--tool-sequence", "JSON", 'tools used, in order: ["Read", "Edit"]')
    _add_cases(children)
    _add_curation(children)


def _add_cases(children: Group) -> None:
    lister = children.leaf("list", "list cases, most recently seen first", "cli.commands.errors.cases:run_list")
    _add_filters(lister)
    lister.add_argument("--sort", choices=("last_seen", "seen", "first_seen"), default="last_seen", help="sort order")
    lister.argument("--limit", "N", "cases per page (default 50)", type=number, default=50)
    lister.argument("--after", "CURSOR", "cursor of the next page (`next` in the JSON output)")
    practice = children.leaf(
        "practice",
        "list how a project handled each lint rule, and the missing parts of its environment",
        "cli.commands.errors.cases:run_practice",
    )
    practice.argument("--project", "NAME", PROJECT, stored="project")
    show = children.leaf("show", "show one case", "cli.commands.errors.cases:run_show")
    show.argument("id", "ID", "case number", type=number, stored="case")
    _add_lesson(children)
    importer = children.leaf(
        "import", "import cases and fixes from an export or an older database", "cli.commands.errors.cases:run_import"
    )
    importer.argument("file", "FILE", ".jsonl, .csv or .md export, or an SQLite database", type=path_name)
    exporter = children.leaf("export", "export cases", "cli.commands.errors.cases:run_export")
    _add_filters(exporter)
    exporter.add_argument(
        "--format", choices=("jsonl", "csv", "markdown"), help="default: from the file extension, else jsonl"
    )
    exporter.flag("--fixes", "only verified fixes (all formats can be imported)")
    exporter.argument("-o", "--output", "FILE", "output file (default: stdout)", type=path_name)
    exporter.flag("--force", "replace an existing file or an edited block")
    exporter.argument("--sync", "FILE", "maintain a block of verified fixes in an agent's file", nargs="?", const="")
    exporter.argument("--budget", "N", "with --sync: maximum tokens of the block (default 1,500)", type=number)
    exporter.flag("--remove", "with --sync: remove the block")
    exporter.flag("--dry-run", "with --sync: show the block without writing it")
    exporter.flag("--yes", "with --sync: skip the confirmation of the first block")


def _add_lesson(children: Group) -> None:
    lesson = children.leaf("lesson", "show the fix of a case as a lesson", "cli.commands.errors.curation:run_lesson")
    lesson.argument("id", "ID", "case number", type=number, stored="case")
    lesson.argument("--fix", "FIX", "fix number (default: the current fix)", type=number)
    lesson.argument("--fingerprint", "MARK", "fingerprint of one error in the case")
    scope = lesson.add_mutually_exclusive_group()
    scope.add_argument("--general", action="store_true", help="mark the lesson as valid in every project")
    scope.add_argument("--project-only", action="store_true", help="mark the lesson as valid only in its project")


def _add_filters(leaf: Parser) -> None:
    leaf.add_argument("--status", choices=("unresolved", "draft", "verified", "rejected", "noise"), help="status")
    leaf.argument("--tool", "NAME", "only errors of this tool (python, tsc, …)", stored="tool")
    leaf.argument("--project", "NAME", PROJECT, stored="project")
    leaf.argument("--tag", "TAG", "only cases whose fix has this tag")
    leaf.add_argument(
        "--reuse",
        choices=("any", "project", "none"),
        help="only cases whose fix is reusable in any project (any), in its own project (project) or not at all (none)",
    )
    leaf.argument("--since", "TIME", "only cases seen since this date or time (2026-01-31)")


def _add_curation(children: Group) -> None:
    verify = _add_act(children, "verify", "mark a fix as verified")
    _add_written(verify)
    reject = _add_act(children, "reject", "mark a fix as rejected")
    reject.argument("--reason", "TEXT", "reason, for the history")
    reject.flag("--all", "reject all fixes of the case, not only the current fix")
    for leaf in (verify, reject):
        leaf.argument("--fix", "FIX", "fix number (default: the current fix)", type=number)
        leaf.argument("--fingerprint", "MARK", "fingerprint of one error in the case")
    edit = _add_act(children, "edit", "replace the current fix")
    _add_written(edit)
    edit.argument("--fingerprint", "MARK", "only for the error with this fingerprint")
    edit.flag("--whole-case", "for the whole case")
    edit.flag("--verify", "mark the new fix as verified")
    merge = children.leaf("merge", "merge cases", "cli.commands.errors.curation:run_merge")
    kept = "case to keep, then the cases to merge into it"
    merge.argument("id", "ID", kept, type=number, nargs="+", stored="case")
    split = children.leaf("split", "move errors from a case to a new case", "cli.commands.errors.curation:run_split")
    split.argument("id", "ID", "case number", type=number, stored="case")
    split.argument("--fingerprint", "MARK", "fingerprint to move (repeatable)", action="append", required=True)
    split.argument("--resolution", "TEXT", "verified fix of the new case (- reads stdin)")
    for option, what in (("--keep-fix", "keep"), ("--take-fix", "move")):
        split.argument(
            option,
            "FIX",
            f"{what} this fix, which belongs to errors of both cases (repeatable)",
            action="append",
            type=number,
            default=[],
        )
    noise = _add_act(children, "noise", "mark cases as noise (excluded from triage and answers)")
    noise.argument("--reason", "TEXT", "reason, for the history")
    noise.flag("--off", "remove the noise mark")
    rename = children.leaf(
        "rename-tag", "rename a tag in all fixes that have it", "cli.commands.errors.curation:run_rename_tag"
    )
    rename.argument("old", "OLD", "current tag")
    rename.argument("new", "NEW", "new tag")
    triage = children.leaf(
        "triage",
        "list undecided incidents: most sessions first, then strong fixes",
        "cli.commands.errors.curation:run_triage",
    )
    triage.argument("--tool", "NAME", "only errors of this tool", stored="tool")
    triage.argument("--project", "NAME", PROJECT, stored="project")
    triage.argument("--limit", "N", "cases per page (default 20)", type=number, default=20)
    triage.argument("--after", "CURSOR", "cursor of the next page")
    history = children.leaf("history", "list the changes of a case", "cli.commands.errors.curation:run_history")
    history.argument("id", "ID", "case number", type=number, stored="case")
    history.argument("--limit", "N", "changes per page (default 20)", type=number, default=20)
    history.argument("--before", "CHANGE", "cursor of the next page", type=number)


def _add_act(children: Group, name: str, about: str) -> Parser:
    leaf = children.leaf(name, about, f"cli.commands.errors.curation:run_{name}")
    leaf.argument("id", "ID", "case number (several cases form one change)", type=number, nargs="+", stored="case")
    leaf.argument("--expect", "FIX", "change nothing unless this is the current fix (0: no fix)", type=number)
    return leaf


def _add_written(leaf: Parser) -> None:
    leaf.argument("--resolution", "TEXT", "fix, as Markdown (- reads stdin)")
    leaf.argument("--resolved-by", "NAME", "tool or person that fixed the error")
    leaf.argument("--tool-sequence", "JSON", 'tools used, in order: ["Read", "Edit"]')
    leaf.argument("--tag", "WORD", "tag (repeatable, replaces the current tags)", action="append")
    leaf.argument("--source", "SESSION:N,N", "source messages")


def run_normalize(args: argparse.Namespace, context: Context) -> int:
    """`errors normalize`: one text, or a stream of them. Needs no casebook."""
    from core.errors import identify

    if args.jsonl:
        from cli.stream import run_stream, text_of

        refuse_text(args)
        return 0 if run_stream(lambda item: identify(text_of(item))) else 2
    from cli.format.cases import identity_lines

    found = identify(read_text_argument(args.text, "error"))
    context.out.result(found, identity_lines(context.out, found))
    return 0 if found.normalized else 1


def run_record(args: argparse.Namespace, context: Context) -> int:
    """`errors record`: write a fix down; the casebook is made if there is none."""
    from core.errors import record_resolution
    from core.flows.team.place import record_place

    if args.error == "-" and args.resolution == "-":
        raise Fault("invalid_input", "--error and --resolution cannot both read stdin", "pass one of them as text")
    tools = tool_names(args.tool_sequence)
    error, fix = read_text_argument(args.error, "error"), read_text_argument(args.resolution, "resolution")
    done = record_resolution(
        context.database,
        error,
        fix,
        resolved_by=args.resolved_by,
        tool_sequence=tools,
        place=record_place(Path()),
    )
    fault = fault_in(done.trace)
    if fault is not None:
        raise fault
    context.out.result(done, _recorded_lines(context, done))
    note_masked(context.out, error, fix)
    return 0


def note_masked(out: Output, *texts: str) -> None:
    """Report on stderr how many secrets of the texts were masked."""
    from cli.format.layout import counted
    from core.text.redaction import count_masked

    if masked := sum(map(count_masked, texts)):
        out.note(f"{counted(masked, 'secret')} masked.")


def _recorded_lines(context: Context, done: Any) -> list[str]:
    from cli.format.cases import field, trace_lines

    out = context.out
    lines = [out.paint(f"Recorded as case {done.case_id}.", "good")]
    lines += field(out, "normalized", done.error_normalized)
    lines += field(out, "fingerprint", done.fingerprint)
    lines += field(out, "use count", str(done.use_count))
    return lines + (["", *trace_lines(out, done.trace)] if out.verbose else [])


def tool_names(text: str | None) -> tuple[str, ...]:
    """The tools that `--tool-sequence` names. Raises Fault invalid_input."""
    if text is None:
        return ()
    import json

    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise Fault("invalid_input", "--tool-sequence is not a JSON array", 'use the format \'["Read", "Edit"]\'')
    return tuple(value)
