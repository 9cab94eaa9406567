"""`casebook errors`: normalize and record. `search`, `cases` and `curation` hold the other subcommands."""

from __future__ import annotations

import argparse
from typing import Any

from cli.commands.errors.search import add_search, add_text, refuse_text
from cli.context import Context, fault_in, text_given
from cli.parser import Parser, add_group, add_leaf, number, path_name, run_later
from core.base.fault import Fault

_RECORD_EXAMPLES = """\
example:
  casebook errors record --error "EADDRINUSE: address already in use :::3000" \\
    --resolution "Stop the old server: kill $(lsof -ti :3000)" --resolved-by Bash --tool-sequence '["Bash"]'
"""

PROJECT = "only errors seen in this project: its folder or its name (shop, acme/shop)"


def add_to(parser: argparse.ArgumentParser, shared: Parser) -> None:
    """The sub-commands and their arguments."""
    children = add_group(parser, "errors_command")
    normalize = add_leaf(children, shared, "normalize", "what names an error: key line, normalized form, fingerprint")
    add_text(normalize)
    normalize.set_defaults(run=run_normalize)
    add_search(children, shared)
    record = add_leaf(children, shared, "record", "write down what fixed an error", _RECORD_EXAMPLES)
    record.add_argument("--error", metavar="TEXT", required=True, help="the error as it was printed; - reads it in")
    record.add_argument("--resolution", metavar="TEXT", required=True, help="what fixed it; - reads it in")
    record.add_argument("--resolved-by", metavar="NAME", help="the tool or person that fixed it")
    record.add_argument("--tool-sequence", metavar="JSON", help='the tools used, in order: ["Read", "Edit"]')
    record.set_defaults(run=run_record)
    _add_cases(children, shared)
    _add_curation(children, shared)


def _add_cases(children: Any, shared: Parser) -> None:
    lister = add_leaf(children, shared, "list", "the cases, the last seen first")
    _add_filters(lister)
    lister.add_argument(
        "--sort", choices=("last_seen", "seen", "first_seen"), default="last_seen", help="what comes first"
    )
    lister.add_argument("--limit", metavar="N", type=number, default=50, help="cases on one page (default 50)")
    lister.add_argument("--after", metavar="CURSOR", help="the page after this one (`next` of the page before)")
    lister.set_defaults(run=run_later("run_list", "cli.commands.errors.cases"))
    practice = add_leaf(children, shared, "practice", "what was done about each rule, and what the environment lacks")
    practice.add_argument("--project", metavar="NAME", help=PROJECT)
    practice.set_defaults(run=run_later("run_practice", "cli.commands.errors.cases"))
    show = add_leaf(children, shared, "show", "everything known about one case")
    show.add_argument("id", metavar="ID", type=number, help="the number of the case")
    show.set_defaults(run=run_later("run_show", "cli.commands.errors.cases"))
    _add_lesson(children, shared)
    importer = add_leaf(children, shared, "import", "take over cases and fixes from an export or a seed database")
    importer.add_argument(
        "file", metavar="FILE", type=path_name, help="a .jsonl, .csv or .md export or an SQLite database; only read"
    )
    importer.set_defaults(run=run_later("run_import", "cli.commands.errors.cases"))
    exporter = add_leaf(children, shared, "export", "write cases out, all or some")
    _add_filters(exporter)
    exporter.add_argument("--format", choices=("jsonl", "csv", "markdown"), default="jsonl", help="default: jsonl")
    exporter.add_argument("--fixes", action="store_true", help="the verified fixes alone; import takes each format")
    exporter.add_argument("-o", "--output", metavar="FILE", type=path_name, help="write to this file instead of stdout")
    exporter.add_argument("--force", action="store_true", help="replace the file, or a block that was edited by hand")
    exporter.add_argument(
        "--sync", metavar="FILE", nargs="?", const="", help="keep a short block of verified fixes in this agent's file"
    )
    exporter.add_argument("--budget", metavar="N", type=number, help="tokens of the block (default 1,500; --sync)")
    exporter.add_argument("--remove", action="store_true", help="remove the block again (--sync)")
    exporter.add_argument("--dry-run", action="store_true", help="show the block and write nothing (--sync)")
    exporter.add_argument("--yes", action="store_true", help="do not ask before the first block (--sync)")
    exporter.set_defaults(run=run_later("run_export", "cli.commands.errors.cases"))


def _add_lesson(children: Any, shared: Parser) -> None:
    lesson = add_leaf(children, shared, "lesson", "the fix of a case as a card: when, do, not, check, because, scope")
    lesson.add_argument("id", metavar="ID", type=number, help="the number of the case")
    lesson.add_argument("--fix", metavar="FIX", type=number, help="this one of its history, by number")
    lesson.add_argument("--fingerprint", metavar="MARK", help="the fix that answers for this error of the case")
    scope = lesson.add_mutually_exclusive_group()
    scope.add_argument("--general", action="store_true", help="confirm that it helps in every project")
    scope.add_argument("--project-only", action="store_true", help="it helps in its own project only")
    lesson.set_defaults(run=run_later("run_lesson", "cli.commands.errors.curation"))


def _add_filters(leaf: Parser) -> None:
    leaf.add_argument("--status", choices=("unresolved", "draft", "verified", "rejected", "noise"), help="only these")
    leaf.add_argument("--tool", metavar="NAME", help="only errors of this tool (python, tsc, …)")
    leaf.add_argument("--project", metavar="NAME", help=PROJECT)
    leaf.add_argument("--tag", metavar="TAG", help="only cases whose fix has this tag")
    leaf.add_argument("--since", metavar="TIME", help="only cases seen since (2026-01-31, or with a time)")


def _add_curation(children: Any, shared: Parser) -> None:
    verify = _add_act(children, shared, "verify", "this fix is right: it answers as verified")
    _add_written(verify)
    reject = _add_act(children, shared, "reject", "this fix is wrong: it never answers again")
    reject.add_argument("--reason", metavar="TEXT", help="why")
    reject.add_argument("--all", action="store_true", help="every fix of the case, not only the one that answers")
    for leaf in (verify, reject):
        leaf.add_argument("--fix", metavar="FIX", type=number, help="this one of its history, by number")
        leaf.add_argument("--fingerprint", metavar="MARK", help="the one that answers for this error of the case")
    edit = _add_act(children, shared, "edit", "write a fix in the place of the one that answers")
    _add_written(edit)
    edit.add_argument("--fingerprint", metavar="MARK", help="for this finer case alone, which is fixed otherwise")
    edit.add_argument("--whole-case", action="store_true", help="for the whole case, whatever it held for before")
    edit.add_argument("--verify", action="store_true", help="it is right: not a draft")
    merge = add_leaf(children, shared, "merge", "several cases are one")
    merge.add_argument("id", metavar="ID", type=number, nargs="+", help="the case that stays, then those that join it")
    merge.set_defaults(run=run_later("run_merge", "cli.commands.errors.curation"))
    split = add_leaf(children, shared, "split", "finer cases of a case become one of their own")
    split.add_argument("id", metavar="ID", type=number, help="the number of the case")
    split.add_argument(
        "--fingerprint", metavar="MARK", action="append", required=True, help="one that goes; repeatable"
    )
    split.add_argument("--resolution", metavar="TEXT", help="the new case's verified fix; - reads it in")
    for option, what in (("--keep-fix", "stays"), ("--take-fix", "goes")):
        split.add_argument(
            option, metavar="FIX", type=number, action="append", default=[],
            help=f"this fix, written for errors on both sides, {what}; repeatable",
        )  # fmt: skip
    split.set_defaults(run=run_later("run_split", "cli.commands.errors.curation"))
    noise = _add_act(children, shared, "noise", "no errors worth a fix: out of the queue, and they answer nothing")
    noise.add_argument("--reason", metavar="TEXT", help="why")
    noise.add_argument("--off", action="store_true", help="they are after all")
    triage = add_leaf(
        children, shared, "triage", "the incidents that wait for a decision, the most frequent and costly first"
    )
    triage.add_argument("--tool", metavar="NAME", help="only errors of this tool")
    triage.add_argument("--project", metavar="NAME", help=PROJECT)
    triage.add_argument("--limit", metavar="N", type=number, default=20, help="cases on one page (default 20)")
    triage.add_argument("--after", metavar="CURSOR", help="the page after this one")
    triage.set_defaults(run=run_later("run_triage", "cli.commands.errors.curation"))
    history = add_leaf(children, shared, "history", "who or what changed a case, and when")
    history.add_argument("id", metavar="ID", type=number, help="the number of the case")
    history.add_argument("--limit", metavar="N", type=number, default=20, help="changes on one page (default 20)")
    history.add_argument("--before", metavar="CHANGE", type=number, help="the page after this one")
    history.set_defaults(run=run_later("run_history", "cli.commands.errors.curation"))


def _add_act(children: Any, shared: Parser, name: str, about: str) -> Parser:
    leaf = add_leaf(children, shared, name, about)
    leaf.add_argument("id", metavar="ID", type=number, nargs="+", help="the number of a case; several: one change")
    leaf.add_argument("--expect", metavar="FIX", type=number, help="refuse if another fix answers by now (0: any does)")
    leaf.set_defaults(run=run_later(f"run_{name}", "cli.commands.errors.curation"))
    return leaf


def _add_written(leaf: Parser) -> None:
    leaf.add_argument("--resolution", metavar="TEXT", help="what fixed it, as Markdown; - reads it in")
    leaf.add_argument("--resolved-by", metavar="NAME", help="the tool or person that fixed it")
    leaf.add_argument("--tool-sequence", metavar="JSON", help='the tools used, in order: ["Read", "Edit"]')
    leaf.add_argument("--tag", metavar="WORD", action="append", help="a tag; repeatable, in place of those it has")
    leaf.add_argument("--source", metavar="SESSION:N,N", help="the messages it comes from")


def run_normalize(args: argparse.Namespace, context: Context) -> int:
    """`errors normalize`: one text, or a stream of them. Needs no casebook."""
    from core.errors import identify

    if args.jsonl:
        from cli.stream import run_stream, text_of

        refuse_text(args)
        return 0 if run_stream(lambda item: identify(text_of(item))) else 2
    from cli.format.cases import identity_lines

    found = identify(text_given(args.text, "error"))
    context.out.result(found, identity_lines(context.out, found))
    return 0 if found.normalized else 1


def run_record(args: argparse.Namespace, context: Context) -> int:
    """`errors record`: write a fix down; the casebook is made if there is none."""
    from core.errors import record_resolution

    if args.error == "-" and args.resolution == "-":
        raise Fault(
            "invalid_input", "error and resolution cannot both be read from stdin", "give one of them in quotes"
        )
    tools = tool_names(args.tool_sequence)
    done = record_resolution(
        context.database,
        text_given(args.error, "error"),
        text_given(args.resolution, "resolution"),
        resolved_by=args.resolved_by,
        tool_sequence=tools,
    )
    fault = fault_in(done.trace)
    if fault is not None:
        raise fault
    context.out.result(done, _recorded_lines(context, done))
    return 0


def _recorded_lines(context: Context, done: Any) -> list[str]:
    from cli.format.cases import field, trace_lines

    out = context.out
    lines = [out.paint(f"Written down as case {done.case_id}.", "good")]
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
        raise Fault("invalid_input", "--tool-sequence is no JSON array of names", 'write it like \'["Read", "Edit"]\'')
    return tuple(value)
