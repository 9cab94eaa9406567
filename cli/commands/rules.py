"""`casebook rules`: which rules a tool call meets, and everything around them."""

from __future__ import annotations

import argparse
import json
import os
import sys
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli.context import Context, read_text_argument
from cli.format.layout import clip
from cli.parser import Group, Parser, number, path_name
from core.base.fault import Fault, hint_of, why_unread

if TYPE_CHECKING:
    from core.flows.rules.ban_match import BanSource
    from core.flows.rules.files import ScopedFiles, Unread
    from core.flows.rules.matcher import RuleMatcher
    from core.flows.system.vectors import From
    from core.rules.matching.api import RuleMatch
    from core.rules.matching.call import ToolCall


_LIKE = 'use the format \'{"command": "ls"}\''
_MATCH = """\
examples:
  casebook rules match --rules memory.md --tool Bash --input '{"command": "git push -f origin main"}'
  casebook rules match --rules ~/.claude/memory.md .claude/memory.md --tool Write --input - --json < input.json
  casebook rules match --rules memory.md --jsonl < calls.jsonl    lines like {"tool_name": …, "tool_input": {…}}

The exit code is 1 if no rule applies. casebook uses the model service, or waits up to 4 seconds to load the model.
Without a model, it matches by keywords.
"""
_COMPARE = """\
example:
  casebook rules compare --rules memory.md --calls calls.jsonl --half report
The calls are JSON lines: {"tool_name": …, "tool_input": {…}, "expected": ["ERR-001"]}.
An empty list means that no rule applies.
"""


def add_to(parser: Parser, shared: Parser) -> None:
    """The sub-commands and their arguments."""
    children = Group(parser, shared, "rules_command")
    match = children.leaf("match", "show which rules apply to a tool call", run_match, _MATCH)
    _add_rules(match)
    match.argument("--tool", "NAME", "tool name: Bash, Write, Edit, …")
    match.argument("--input", "JSON", "tool input, a JSON object (- reads stdin)")
    match.argument("--project", "DIR", "project folder", type=path_name)
    match.argument("--limit", "N", "maximum number of rules (default 5)", type=number, default=5)
    match.flag("--jsonl", "read one JSON object per line from stdin, print one per line")
    _add_model(match)
    for name, about, run in (
        ("list", "list rules and their use counts", run_list),
        ("check", "list problems and hints in rule files (exit 1 if there are problems)", run_check),
        ("refresh", "read rule files again and embed changed rules", run_refresh),
        ("clusters", "list similar and related rules", run_clusters),
        ("compare", "compare matching methods on labeled calls", run_compare),
    ):
        leaf = children.leaf(name, about, run, _COMPARE if name == "compare" else "")
        _add_rules(leaf)
        if name == "refresh":
            leaf.flag("--all", "embed every rule again")
            leaf.flag("--watch", "keep running until Ctrl-C and embed each edited rule")
        if name in ("clusters", "compare"):
            _add_model(leaf)
        if name == "compare":
            leaf.argument(
                "--calls",
                "FILE",
                "labeled calls, one JSON object per line (- reads stdin)",
                type=path_name,
                required=True,
            )
            leaf.add_argument(
                "--half", choices=("tune", "report", "all"), default="all", help="which half of the calls to use"
            )
            leaf.argument(
                "--quiet",
                "SHARE",
                "use cut-offs that show no rule for this share (0 to 1) of hard negatives",
                type=share,
            )
            leaf.flag("--fit", "fit cut-offs on the tuned half")
    add_drafts(children)


def share(text: str) -> float:
    """A share, more than 0 and at most 1."""
    with suppress(ValueError):
        if 0 < (value := float(text)) <= 1:
            return value
    raise argparse.ArgumentTypeError(f"{text[:80]!r} is not a number greater than 0 and at most 1")


def _add_rules(leaf: Parser) -> None:
    leaf.argument(
        "--rules", "FILE", "rule files, the global file first (default: from the settings)", type=path_name, nargs="+"
    )


def _add_model(leaf: Parser) -> None:
    leaf.flag("--no-model", "use keywords only")


def run_match(args: argparse.Namespace, context: Context) -> int:
    """`rules match`: the rules for one call, or for every call of a stream; exit 1 on silence."""
    from core.flows.rules.files import with_unread
    from core.rules.matching.api import LATE
    from core.rules.matching.call import CALL, read_call

    if not 1 <= args.limit <= 100:
        raise Fault(
            "invalid_input", f"--limit {args.limit} is not between 1 and 100", "see casebook rules match --help"
        )
    if args.project and not Path(args.project).is_dir():
        raise Fault("invalid_input", f"--project {args.project} is not a folder", "pass the project folder")
    bans = _ban_source(args, context, args.project)
    matching, unread = _whole(args, context, source="process" if args.jsonl else "either", bans=bans)
    with matching as matcher:
        if args.jsonl:
            from cli.stream import run_stream

            if args.tool or args.input:
                raise Fault("invalid_input", "--jsonl reads calls from standard input", "omit --tool and --input")

            def answer(item: Any) -> RuleMatch:
                return with_unread(matcher.match(read_call(item), limit=args.limit, wait_s=600.0), unread)

            return 0 if run_stream(answer, CALL) else 2
        found = with_unread(matcher.match(_call(args), limit=args.limit), unread)
        from cli.format.rules import match_lines

        context.out.result(found, match_lines(context.out, found))
        if late := found.trace[0].fact(LATE):
            context.out.note(f"casebook: rules.toml: timeout of pattern {late} (nested repeats are slow)")
        return 0 if found.rules else 1


def _call(args: argparse.Namespace) -> ToolCall:
    from core.rules.matching.call import read_call

    if not args.tool:
        raise Fault("invalid_input", "no tool given", 'write --tool Bash --input \'{"command": "…"}\'')
    try:
        given: object = json.loads(read_text_argument(args.input, "input").removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise Fault("invalid_input", f"--input is not JSON: {why_unread(error)}", _LIKE) from None
    if not isinstance(given, dict):
        raise Fault("invalid_input", "--input is not a JSON object", _LIKE)
    return read_call({"tool_name": args.tool, "tool_input": given})


def _ban_source(args: argparse.Namespace, context: Context, project: str = "") -> BanSource:
    """Where the bans of a call are: in the named files, or in the instruction files of the project and the user."""
    from core.flows.rules.ban_match import BanSource

    named = tuple(map(Path, args.rules or ()))
    return BanSource(context.settings.rules, Path(project or Path.cwd()), named)


def _whole(
    args: argparse.Namespace,
    context: Context,
    *,
    model: bool = True,
    source: From = "process",
    bans: BanSource | None = None,
) -> tuple[RuleMatcher, tuple[Unread, ...]]:
    """Return the matcher over the rule files, and the unreadable files of the settings. With `bans`, there may be no
    rule file."""
    files, unread = ((), ()) if bans is not None and _only_bans(args, context, bans) else _read(args, context)
    for _, told in unread:
        context.out.note(f"casebook: skipped: {told}")
    matcher = _matcher(args, context, files, model=model and bool(files), source=source)
    matcher.bans = bans
    return matcher, unread


def _only_bans(args: argparse.Namespace, context: Context, bans: BanSource) -> bool:
    """Whether there is no rule file, but an instruction file."""
    from core.flows.rules.files import rule_files

    return not args.rules and not rule_files(context.settings.rules, bans.folder) and bool(bans.places())


def _read(args: argparse.Namespace, context: Context) -> tuple[ScopedFiles, tuple[Unread, ...]]:
    """The named files, or those of the settings that can be read, and the others. Raises Fault where there is none."""
    from core.flows.rules.files import readable

    files = _files(args, context)
    return (files, ()) if args.rules else readable(files)


def _matcher(
    args: argparse.Namespace, context: Context, scoped: ScopedFiles, *, model: bool = True, source: From = "process"
) -> RuleMatcher:
    from core.flows.rules.matcher import RuleMatcher
    from core.flows.system.vectors import vector_search

    vectors = None
    if model and not getattr(args, "no_model", False):
        vectors = vector_search(context.settings.embedding, source)
    return RuleMatcher(scoped, context.database, vectors, log=lambda told: context.log("warning", "rules", told=told))


def _files(args: argparse.Namespace, context: Context) -> ScopedFiles:
    from core.flows.rules.files import named_files, own_places, rule_files, untrusted_files

    if args.rules:
        return named_files(args.rules)
    project = Path(getattr(args, "project", None) or Path.cwd())
    found = rule_files(context.settings.rules, project)
    if not found:
        for _, told in untrusted_files(context.settings.rules, project):
            raise Fault("invalid_input", told.partition("; ")[0], told.partition("; ")[2])
        rules = context.settings.rules
        own = [f"{name} of this project" for name in rules.project_files.split(os.pathsep) if name]
        looked = ", ".join((*map(str, own_places(rules)), *own, "CLAUDE.md, AGENTS.md, GEMINI.md"))
        hint = "write a rule into one of them, pass a file with --rules, or set rules.files (casebook config show)"
        raise Fault("invalid_input", f"no rule file found, searched: {looked}", hint)
    return found


def run_list(args: argparse.Namespace, context: Context) -> int:
    """`rules list`, with the rules about forbidden code; exit 1 where there is none."""
    from dataclasses import replace

    from cli.format.rules import list_lines

    bans = _ban_source(args, context)
    with _whole(args, context, model=False, bans=bans)[0] as matcher:
        found = matcher.rules()
    counts, forbidden = _usage(context), bans.every()
    known = tuple(count for rule in found.rules if (count := counts.get((rule.path, rule.id))) is not None)
    context.out.result(replace(found, usage=known), list_lines(context.out, found, counts, forbidden))
    return 0 if found.rules or forbidden else 1


def _usage(context: Context) -> Any:
    from core.rules.format.store import usage
    from core.store import open_store

    try:
        with open_store(context.database) as store:
            return usage(store)
    except Fault:
        return {}


def run_check(args: argparse.Namespace, context: Context) -> int:
    """`rules check`: exit 1 where there is a problem or no rule; hints (`Flaw.cost` missing) are none.
    Rules that patterns name and that are not in these files are noted: they may be another project's."""
    from dataclasses import replace

    from cli.format.rules import check_lines, flaw_line
    from core.flows.rules.files import untrusted_files
    from core.rules.format.rule import Flaw, dearest_first
    from core.rules.matching.tables import strangers, table_flaws

    bans = _ban_source(args, context)
    forbidden = len(bans.every())
    files, unread = ((), ()) if _only_bans(args, context, bans) else _read(args, context)
    with _matcher(args, context, files, model=False) as matcher:
        read = matcher.rules()
    if not args.rules:
        unread = (*unread, *untrusted_files(context.settings.rules, Path.cwd()))
    without = [Flaw(str(path), 0, told.replace(f" {path}", "").removeprefix(f"{path} ")) for path, told in unread]
    found = replace(read, flaws=dearest_first((*without, *read.flaws, *table_flaws())))
    context.out.result(found, check_lines(context.out, found, forbidden))
    for one in strangers(found.rules):
        context.out.note(flaw_line(one))
    return 1 if any(one.cost != "missing" for one in found.flaws) or not (found.rules or forbidden) else 0


def run_refresh(args: argparse.Namespace, context: Context) -> int:
    """`rules refresh`: exit 0 done, 1 where another run is at it. Raises Fault where there is no model."""
    from cli.commands.models.embed import report_lines
    from core.embedding.runtime.query_model import NoVectors

    with _matcher(args, context, _files(args, context)) as matcher:
        report = matcher.refresh(all_of_them=args.all)
        if isinstance(report, NoVectors):
            raise Fault("model_not_pulled", report.reason, hint_of(report.remedy))
        context.out.result(report, report_lines(context.out, report))
        if args.watch:
            return _watch(matcher, context)
    return 1 if report.busy else 0


def _watch(matcher: RuleMatcher, context: Context) -> int:
    """A line for every edit, until Ctrl-C."""
    from cli.format.rules import edit_lines
    from cli.progress import stoppable
    from core.flows.rules.matcher import RuleEdit, watch_rules

    def report(edit: RuleEdit) -> None:
        context.out.result(edit, edit_lines(context.out, edit))
        sys.stdout.flush()

    with stoppable() as stopped:
        watch_rules(matcher, report, stopped, lambda: context.out.note("Watching for changes. Press Ctrl-C to stop"))
    return 0


def run_clusters(args: argparse.Namespace, context: Context) -> int:
    """`rules clusters`: exit 1 if no rule has a similar one."""
    from cli.format.rules import cluster_lines

    with _whole(args, context)[0] as matcher:
        found = matcher.clusters()
    context.out.result(found, cluster_lines(context.out, found))
    return 0 if found.clusters else 1


def run_compare(args: argparse.Namespace, context: Context) -> int:
    """`rules compare`: the table, with and without a model, and the missing expected rules."""
    from cli.format.rules import comparison_lines
    from core.rules.evaluation.labels import expected_elsewhere, labelled_in, named_in, read_labelled, rule_names

    if args.calls == "-":
        calls = labelled_in(read_text_argument("-", "file of labeled calls").encode(), "standard input")
    else:
        calls = read_labelled(Path(args.calls))
    with ExitStack() as stack:
        matcher = stack.enter_context(_whole(args, context)[0])
        missing = expected_elsewhere(calls, rule_names(matcher.rules().rules, named_in(calls)))
        found = matcher.compare(calls, args.half, fit=args.fit, quiet=args.quiet)
    context.out.result(found, comparison_lines(context.out, found))
    if missing:
        told = ", ".join(f"{name} ({count})" for name, count in missing.items())
        context.out.note(clip(f"casebook: the labeled calls name unknown rules: {told}", 500))
    return 0


_ACCEPT = """\
example:
  casebook rules accept 3 --file CLAUDE.md

casebook writes the rule into its block of the file: the lines from <!-- casebook:start rules --> to
<!-- casebook:end -->. The rest of the file stays unchanged. The file must be in the project of the draft.
To remove the rule, run: casebook undo
"""


def add_drafts(children: Group) -> None:
    """The sub-commands and their arguments."""
    drafts = children.leaf("drafts", "list rule drafts from declined tool calls", run_drafts)
    drafts.flag("--all", "include accepted and rejected drafts")
    accept = children.leaf("accept", "write a draft rule into a rule file", run_decide_draft, _ACCEPT)
    accept.argument("id", "ID", "draft number", type=number)
    accept.argument("--file", "FILE", "rule file, such as CLAUDE.md", type=path_name, required=True)
    reject = children.leaf("reject", "reject a draft rule", run_decide_draft)
    reject.argument("id", "ID", "draft number", type=number)
    reject.argument("--reason", "TEXT", "reason, for the history", default="")


def run_drafts(args: argparse.Namespace, context: Context) -> int:
    """`rules drafts`: exit 1 where there is none."""
    from cli.format.rules import draft_lines
    from core.flows.corrections.drafts import rule_drafts
    from core.store import open_store

    with open_store(context.database) as store:
        found = rule_drafts(store, None if args.all else "draft")
    context.out.result(found, draft_lines(context.out, found))
    return 0 if found.drafts else 1


def run_decide_draft(args: argparse.Namespace, context: Context) -> int:
    """`rules accept` and `rules reject`."""
    from cli.format.rules import decided_lines
    from core.errors.curation.transaction import person
    from core.flows.corrections.drafts import accept_draft, reject_draft

    with context.store(write=True) as store:
        if args.rules_command == "accept":
            done = accept_draft(store, person(), args.id, Path(args.file))
        else:
            done = reject_draft(store, person(), args.id, args.reason)
    context.log("info", f"rule {args.rules_command}ed", draft=args.id)
    context.out.result(done, decided_lines(context.out, done))
    return 0
