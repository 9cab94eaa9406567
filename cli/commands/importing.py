"""`casebook import`: agents' transcripts into the casebook."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli.commands.team.server import fault_lines
from cli.context import Context, says_yes
from cli.format.layout import clip, counted, one_line, wrap
from cli.output import Output
from cli.parser import Parser, path_name
from core.base.config.settings_sources import from_home
from core.base.fault import Fault
from core.base.paths import home_name
from core.base.reports import SkippedLine
from core.base.trace import lines as trace_lines
from core.flows.harvest.events import JudgedResult, LinkedFix, TranscriptHarvest
from core.flows.transcripts.report import Counts, ImportAgain

if TYPE_CHECKING:
    from core.flows.team.importing import TeamImport
    from core.flows.transcripts.api import AgentChoice

_EXAMPLES = """\
examples:
  casebook import auto                          import from the default folders of your agents
  casebook import claude-code ~/.claude/projects/-home-me-shop
  casebook import rollout.jsonl                 detect the agent
  casebook import inspect rollout.jsonl         preview the import of one file
  casebook import --again                       harvest imported sessions again, with confirmation
  casebook import --team                        import the lessons file of this repository

An import resumes where the previous import ended. You can import a file again: only new parts are read.
"""


AGENTS = (
    *("claude-code", "codex", "gemini", "qwen", "opencode", "copilot", "pi", "cline", "roo", "aider", "goose", "amp"),
    "auto",
)
_INSPECT = "inspect"
_LOOKED = 6
"""Folders that are named where nothing was found."""


class _Agents(tuple[str, ...]):
    """Values for help and completion. Any other word is a path, and the file decides its agent."""

    def __contains__(self, word: object) -> bool:
        return True


def add_to(parser: Parser, shared: Parser) -> None:
    parser.epilog = _EXAMPLES
    parser.argument(
        "agent",
        "AGENT",
        "claude-code, codex, gemini, qwen, opencode, copilot, pi, cline, roo, aider, goose, amp, auto (detect) or "
        "inspect (show the import of one file without writing)",
        nargs="?",
        choices=_Agents((*AGENTS, _INSPECT)),
    )
    parser.argument("paths", "PATH", "files or folders (default: the folders of the agent)", type=path_name, nargs="*")
    parser.flag("--again", "harvest imported sessions again: replace unchanged drafts, keep your decisions")
    parser.flag("--team", "import the lessons file of this repository, or PATH")
    parser.flag("--dry-run", "with --again: only show the changes")
    parser.flag("--yes", "with --again: apply without confirmation")
    parser.set_defaults(run=run_import)


def run_import(args: argparse.Namespace, context: Context) -> int:
    """`import`: exit 0 if there was anything to read, 1 if there was nothing."""
    if args.again:
        return _again(args, context)
    if args.team:
        return run_team([name for name in (args.agent, *args.paths) if name], context)
    if args.dry_run or args.yes:
        raise Fault("invalid_input", "--dry-run and --yes require --again", "run: casebook import --again --dry-run")
    if args.agent == _INSPECT:
        return _inspect(args, context)
    from cli.progress import reporter, stoppable
    from core.flows.system.evidence import align_imported
    from core.flows.transcripts.api import import_transcripts
    from core.store import open_store

    agent, paths = _requested(args, context)
    if not paths:
        _note_agents_without_sessions(context)
        looked = list(map(home_name, _own_places(agent, context)))
        more = f" and {len(looked) - _LOOKED} more folders" if len(looked) > _LOOKED else ""
        message = f"no transcripts in {', '.join(looked[:_LOOKED])}{more}"
        context.out.fault(Fault("not_indexed", message, "pass a file or a folder, or try: casebook demo"))
        return 1
    with open_store(context.database, write=True, create=True) as store, stoppable() as stopped:
        told = reporter(context.out)
        report = import_transcripts(store, agent, paths, on_progress=told, cancelled=stopped)
        report = align_imported(store, report, on_progress=told, cancelled=stopped)
    context.log(
        "info",
        "imported",
        files=report.files,
        messages=report.messages,
        errors=report.errors,
        skipped=len(report.skipped),
    )
    context.out.result(report, report_lines(context.out, report))
    if agent == "auto" and not args.paths:
        _note_agents_without_sessions(context)
    if report.canceled:
        return 130
    return 0 if report.files else 1


def _note_agents_without_sessions(context: Context) -> None:
    """Where an agent keeps no tool results, an import finds nothing of it: say what does."""
    from core.base.program import program
    from core.flows.hook.agents.status import agents_without_sessions

    for form in agents_without_sessions(os.environ, program()):
        install = f"casebook hooks install --agent {form.agent}"
        context.out.note(f"{form.title} does not store tool results. To record them, run: {install}")


def _again(args: argparse.Namespace, context: Context) -> int:
    """`import --again`: exit 0 if it is done or only shown, 1 if the answer is no, 130 if it was cancelled."""
    from cli.progress import reporter, stoppable
    from core.errors.curation.transaction import person
    from core.flows.system.evidence import align_imported
    from core.flows.transcripts.reharvest import harvest_again
    from core.store import open_store

    confirms, shown = not args.yes and not args.dry_run, False
    out, paths = context.out, _imported_paths(args)
    if confirms and not sys.stdin.isatty():
        hint = "to show the changes, pass --dry-run. To apply them, pass --yes"
        raise Fault("invalid_input", "`import --again` needs your confirmation, but stdin is not a terminal", hint)

    def agreed(report: ImportAgain) -> bool:
        nonlocal shown
        if not confirms:
            return True
        shown = True
        for line in again_lines(out, report):
            sys.stderr.write(line + "\n")
        return says_yes("Apply?")

    with open_store(context.database, write=True) as store, stoppable() as stopped:
        told = reporter(out)
        report = harvest_again(
            store, paths, actor=person(), agreed=agreed, dry_run=args.dry_run, on_progress=told, cancelled=stopped
        )
        if report.applied:
            report = align_imported(store, report, on_progress=told, cancelled=stopped)
    context.log("info", "harvested again", sessions=report.sessions, applied=report.applied, change=report.change)
    out.result(report, result_lines(out, report, confirmed=confirms and shown))
    if report.canceled:
        return 130
    return 0 if report.applied or args.dry_run or report.changes_nothing else 1


def _imported_paths(args: argparse.Namespace) -> list[Path]:
    """The files and folders that were named; an imported file may be gone by now."""
    return [from_home(name) for name in (args.agent, *args.paths) if name and name != "auto"]


def _inspect(args: argparse.Namespace, context: Context) -> int:
    """`import inspect`: exit 0 if a result shows a sign of failure, 1 if none does."""
    from core.flows.transcripts.inspection import inspect_transcript

    if len(args.paths) != 1:
        raise Fault(
            "invalid_input", f"inspect takes one file, not {len(args.paths)}", "run: casebook import inspect FILE"
        )
    found = inspect_transcript(Path(args.paths[0]))
    context.log("info", "inspected", results=len(found.results), passed=found.passed)
    context.out.result(found, inspection_lines(context.out, found))
    return 0 if found.results else 1


def _requested(args: argparse.Namespace, context: Context) -> tuple[AgentChoice, list[Path]]:
    """The agent and the places to read. Those that were named must be there; of the agents' own, those that are."""
    agent, named = (args.agent, args.paths) if args.agent in AGENTS else ("auto", [args.agent, *args.paths])
    if not args.agent:
        raise Fault("invalid_input", "no file given", "for the default folders, run: casebook import auto")
    if not named:
        return agent, [path for path in _own_places(agent, context) if path.exists()]
    for path in map(Path, named):
        if not path.exists():
            raise Fault("invalid_input", f"{path} not found", f"pass a file, a folder, or {', '.join(AGENTS)}")
    return agent, [Path(path) for path in named]


def _own_places(agent: str, context: Context) -> list[Path]:
    """The agents' own folders, or those of the agent that is named."""
    from core.flows.transcripts.files import agent_folders

    places = agent_folders(context.settings.imports)
    return [folder for name, folders in places.items() if agent in (name, "auto") for folder in folders]


def report_lines(out: Output, report: Any) -> Iterator[str]:
    """What an import did: the counts, and the lines it had to leave out."""
    counts = [
        (report.files, "file"), (report.sessions, "session"), (report.messages, "message"),
        (report.tool_calls, "tool call"), (report.errors, "error"), (report.resolutions, "fix"),
    ]  # fmt: skip
    read, *new = (counted(count, what) for count, what in counts if count or what == "file")
    yield f"Read {', '.join((read, *new))}." if new else f"Read {read}: nothing new."
    if getattr(report, "canceled", False):
        yield out.paint("Stopped. The next import resumes here.", "warn")
    if not report.skipped:
        return
    yield out.paint(_describe_gaps(report.skipped), "warn")
    most = len(report.skipped) if out.verbose else 10
    for gap in report.skipped[:most]:
        place = f"{gap.file}:{gap.line}" if gap.line else gap.file
        yield "  " + clip(f"{place}: {gap.reason}" if place else gap.reason, 500)
    if len(report.skipped) > most:
        yield f"  … and {len(report.skipped) - most:,} more (--verbose shows all)"


def _describe_gaps(gaps: tuple[SkippedLine, ...]) -> str:
    """How many lines could not be read, and how many files or folders as a whole."""
    lines = sum(gap.line > 0 for gap in gaps)
    whole = len(gaps) - lines
    gap_counts = " and ".join(counted(count, what) for count, what in ((lines, "line"), (whole, "path")) if count)
    return f"{gap_counts} could not be read and {'was' if len(gaps) == 1 else 'were'} skipped:"


_TEXT = 20
"""Cells before the text of a result: its line in the transcript and its verdict."""
_WIDTH = 100


def inspection_lines(out: Output, found: TranscriptHarvest) -> Iterator[str]:
    """The counts, then each result: line, verdict, first key line; below them the command, the reason and the fix."""
    shown = f"{counted(len(found.results), 'result')} failed, {found.passed:,} passed"
    yield f"{one_line(found.session)} ({found.agent}): {shown}"
    verdicts = Counter(result.verdict for result in found.results)
    fixed = sum(result.fix is not None for result in found.results)
    yield (
        "  "
        + ", ".join(f"{count:,} {verdict}" for verdict, count in verdicts.most_common())
        + f", {fixed:,} with a fix"
    )
    for result in found.results:
        yield ""
        yield from _result(out, result)


def _result(out: Output, result: JudgedResult) -> Iterator[str]:
    indent = " " * _TEXT
    first = result.keys[0].text if result.keys else result.tool
    more = f" (+{len(result.keys) - 1})" if len(result.keys) > 1 else ""
    yield f"{result.line:>7}  {result.verdict:<10} {clip(one_line(first), _WIDTH - _TEXT)}{more}"
    if result.command:
        yield f"{indent}$ {clip(one_line(result.command), _WIDTH - _TEXT - 2)}"
    yield from wrap(result.reason, _WIDTH, indent)
    if result.fix is not None:
        yield from _fix(result.fix, indent)
    if out.verbose:
        yield from (f"{indent}{line}" for line in map(one_line, trace_lines(result.trace)))


def _fix(fix: LinkedFix, indent: str) -> Iterator[str]:
    checked = f", checked at line {fix.checked_line}" if fix.checked_line is not None else ""
    yield f"{indent}fix ({fix.strength}{checked}):"
    for link in fix.links:
        yield from wrap(f"line {link.line}: {link.why}", _WIDTH, indent + "  ")


_SHOWN = 10


def result_lines(out: Output, report: ImportAgain, *, confirmed: bool) -> Iterator[str]:
    """How `import --again` ended; `confirmed`: the changes were shown with the question already."""
    if report.canceled and not report.applied:
        yield out.paint("Stopped. The next `casebook import --again` resumes here.", "warn")
        return
    if report.changes_nothing:
        yield f"Harvested {counted(report.sessions, 'session')} again. No changes."
        return
    if not confirmed:
        yield from again_lines(out, report)
    if report.applied:
        yield f"Applied as change {report.change}. To undo it, run: casebook undo"
        yield f"Backup: {clip(report.backup or '', 500)}"
        if report.canceled:
            yield out.paint("Stopped. The next import aligns the other quotes.", "warn")
    else:
        yield "No change."


def again_lines(out: Output, report: ImportAgain) -> Iterator[str]:
    """What changes, and the counts before and after."""
    drafts = report.drafts
    yield f"Harvested {counted(report.sessions, 'session')} again:"
    yield (
        f"  drafts          {drafts.replaced:,} replaced, {drafts.removed:,} removed, {drafts.added:,} added,"
        f" {drafts.unchanged:,} unchanged"
    )
    yield f"  kept            {counted(report.kept, 'fix')} that you decided on"
    yield f"  cases           {report.cases_removed:,} removed, {report.cases_added:,} added"
    if report.no_longer_harvested:
        yield f"                  {report.no_longer_harvested:,} kept, although no longer harvested"
    yield ""
    yield out.paint(f"  {'':<12}{'before':>10}{'after':>10}", "dim")
    for name in Counts.__dataclass_fields__:
        yield f"  {name:<12}{getattr(report.before, name):>10,}{getattr(report.after, name):>10,}"
    if not report.gone:
        return
    yield ""
    yield "Removed cases:"
    most = len(report.gone) if out.verbose else _SHOWN
    for case in report.gone[:most]:
        yield "  " + clip(f"{case.id}  {case.key_line}", out.columns - 2)
    if report.cases_removed > most:
        yield f"  … and {report.cases_removed - most:,} more"


def run_team(paths: Sequence[str], context: Context) -> int:
    """`import --team`: exit 0 if the file holds a lesson, 1 if it holds none. The casebook is made if there is none."""
    from core.errors.curation.transaction import person
    from core.flows.team.importing import import_lessons
    from core.flows.team.place import place_of
    from core.store import open_store

    if len(paths) > 1:
        raise Fault("invalid_input", f"{len(paths)} files given", "pass one lessons file, or none")
    place, path = place_of(Path()), Path(paths[0]) if paths else None
    if not (path or place.file).is_file():
        raise Fault("not_indexed", f"{path or place.file} not found", "to create it, run: casebook team export")
    with open_store(context.database, write=True, create=True) as store:
        report = import_lessons(store, place, person(), path)
    context.log("info", "team import", lessons=report.lessons, added=report.added, change=report.change)
    context.out.result(report, import_lines(context.out, report))
    return 0 if report.lessons or report.withdrawn else 1


def import_lines(out: Output, done: TeamImport) -> Iterator[str]:
    """What an import of lessons did."""
    counts = [f"{count:,} {word}" for count, word in ((done.added, "added"), (done.changed, "changed")) if count]
    counts += [f"{done.withdrawn:,} withdrawn"] if done.withdrawn else []
    yield f"{one_line(str(done.path))}: {', '.join((counted(done.lessons, 'lesson'), *(counts or ['unchanged'])))}"
    for one in done.kept[:_SHOWN]:
        yield out.paint(f"lesson {one.id}: {one_line(one.reason)}", "warn")
    if len(done.kept) > _SHOWN:
        yield out.paint(f"{len(done.kept) - _SHOWN:,} more lessons were not imported", "warn")
    yield from fault_lines(out, done.bad)
    if done.change is not None:
        yield out.paint(f"Saved as change {done.change}. To undo it, run: casebook undo", "dim")
