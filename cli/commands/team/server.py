"""`casebook team init|join|sync|status|leave`: share lessons through a PostgreSQL server."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from cli.context import Context, says_yes
from cli.format.layout import counted, one_line, wrap
from cli.output import Output
from cli.parser import Group, Parser, path_name
from core.base.fault import Fault

if TYPE_CHECKING:
    from core.flows.team.export import FileFault, LeavingLesson, LeftOut
    from core.flows.team.sync.session import TeamSync
    from core.flows.team.sync.setup import TeamStatus
    from core.flows.team.sync.sharing import ProjectPreview

_URL = "server URL without a password, for example postgresql://mina@db.example.com/acme"
SHOWN = 20


def add_server(children: Group) -> None:
    """The sub-commands of a team with a server."""
    init = children.leaf("init", "create a team on a PostgreSQL server, or update its tables", run_init)
    init.argument("url", "URL", f"{_URL} (default: your team's server)", nargs="?")
    _add_team(init, "default: the name of the database")
    join = children.leaf("join", "share the fixes of a repository with a team on a server", run_join)
    join.argument("url", "URL", f"{_URL} (default: your team's server)", nargs="?")
    _add_team(join, "default: your team, if your login has only one")
    join.argument(
        "--repository",
        "DIR",
        "share the fixes of this repository (repeatable, default: the current one)",
        action="append",
        type=path_name,
        default=[],
    )
    join.argument("--machine", "NAME", "name of this machine in the log (default: random)", default="")
    join.flag("--yes", "skip the confirmation")
    sync = children.leaf("sync", "send and receive lessons now", run_sync)
    sync.flag("--again", "read the whole log again and send lost events")
    sync.argument("--withdraw", "LESSON", "withdraw this lesson", action="append", default=[])
    sync.argument("--restore", "LESSON", "share this lesson again", action="append", default=[])
    status = children.leaf("status", "show your team, its server and unsent events", run_status)
    status.flag("--offline", "do not contact the server")
    status.flag("--verify", "check the hashes of the whole log")
    children.leaf("leave", "leave the team (its fixes stay in your casebook)", run_leave)


def _add_team(leaf: Parser, default: str) -> None:
    leaf.argument("--team", "NAME", f"name of the team ({default})", default="")


def _address(args: argparse.Namespace, context: Context) -> str:
    """The given address, else that of the team of this casebook."""
    from core.flows.team.sync.replica import require_replica
    from core.store import open_store

    if args.url:
        return str(args.url)
    with open_store(context.database) as store:
        return require_replica(store).address


def run_init(args: argparse.Namespace, context: Context) -> int:
    """`team init`: exit 0 if the team is there and its tables are up to date."""
    from core.flows.team.sync.setup import make_team

    done = make_team(_address(args, context), args.team)
    out = context.out
    lines = [
        f"Team {done.team} on {one_line(done.server)}, schema version {done.tables}",
        out.paint(f"Add a member: CREATE ROLE mina LOGIN PASSWORD '…' IN ROLE {done.grant};", "dim"),
        out.paint(
            f"Each member must run the following command in a repository: casebook team join URL --team {done.team}",
            "dim",
        ),
    ]
    out.result(done, lines)
    return 0


def run_join(args: argparse.Namespace, context: Context) -> int:
    """`team join`: exit 0 if the casebook is in the team, 1 if the person says no. The casebook is made if there is
    none."""
    from core.flows.team.sync.session import sync
    from core.flows.team.sync.setup import join_team, look_at_team, places_of
    from core.flows.team.sync.sharing import preview_projects
    from core.store import open_store

    address = _address(args, context)
    held, places = look_at_team(address, args.team), places_of(args.repository)
    with open_store(context.database, write=True, create=True) as store:
        projects = preview_projects(store, places) if held.can_share else ()
        if any(one.lessons for one in projects) and not args.yes and not _confirmed(context, projects, held.team):
            context.out.note("You did not join the team.")
            return 1
        done = join_team(store, address, held, places, args.machine)
        report = sync(store)
    context.log("info", "team join", team=done.team, sent=report.sent)
    shares = ", ".join(map(one_line, done.projects)) or "no repository"
    lines = [f"Joined team {done.team} as {done.login} ({done.role}), sharing {shares}"]
    context.out.result(done, [*lines, *sync_lines(context.out, report)])
    return 0


def _confirmed(context: Context, projects: Sequence[ProjectPreview], team: str) -> bool:
    """Whether a person agrees to what leaves for the first time. Raises Fault where no person can be asked."""
    if not sys.stdin.isatty() or not sys.stderr.isatty():
        raise Fault("invalid_input", "sharing needs your confirmation", "pass --yes, or run the command in a terminal")
    for line in project_lines(context.out, projects):
        sys.stderr.write(line + "\n")
    total = counted(sum(len(one.lessons) for one in projects), "lesson")
    return says_yes(f"A withdrawn lesson is deleted on the server.\nSend {total} to team {team}?")


def run_preview(context: Context) -> int:
    """`team preview --server`: exit 0 if the next sync would send something, 1 if nothing."""
    from core.flows.team.sync.sharing import preview_team
    from core.store import open_store

    with open_store(context.database) as store:
        found = preview_team(store)
    context.out.result(found, project_lines(context.out, found.projects))
    return 0 if any(one.lessons for one in found.projects) else 1


def project_lines(out: Output, projects: Sequence[ProjectPreview]) -> Iterator[str]:
    """What leaves of each repository, every lesson with every field."""
    for one in projects:
        yield from lesson_lines(out, one.lessons)
        yield from left_lines(out, one.left_out)
        total = counted(len(one.lessons), "lesson")
        yield f"{one_line(one.repository)}: {total} to send, {one.unchanged:,} unchanged"


def run_sync(args: argparse.Namespace, context: Context) -> int:
    """`team sync`: exit 0 if this casebook and the server are in step, 1 if decisions stay here."""
    from core.flows.team.sync.session import sync
    from core.store import open_store

    with open_store(context.database, write=True) as store:
        done = sync(store, restore=args.restore, withdrawn=args.withdraw, again=args.again)
    context.log("info", "team sync", received=done.received, sent=done.sent, waiting=done.waiting)
    context.out.result(done, sync_lines(context.out, done))
    return 1 if done.waiting else 0


def sync_lines(out: Output, done: TeamSync) -> Iterator[str]:
    """What a round with the server did."""
    counts = [
        f"{count:,} {word}"
        for count, word in (
            (done.sent, "sent"), (done.received, "received"), (done.added, "added"), (done.changed, "changed"),
            (done.withdrawn, "withdrawn"), (done.waiting, "to send"),
        )
        if count
    ]  # fmt: skip
    yield f"Team {done.team}: {', '.join(counts or ['nothing new'])}"
    if done.healed:
        yield out.paint("The server had lost events. casebook sent them again.", "warn")
    for one in done.kept[:SHOWN]:
        yield out.paint(f"lesson {one.id}: {one_line(one.reason)}", "warn")
    if len(done.kept) > SHOWN:
        yield out.paint(f"{len(done.kept) - SHOWN:,} more lessons were not imported", "warn")
    yield from left_lines(out, done.left_out)
    if done.note:
        yield out.paint(one_line(done.note), "warn")


def run_status(args: argparse.Namespace, context: Context) -> int:
    """`team status`: exit 0 if the casebook can sync, 1 if the last try or the look at the server failed."""
    from core.flows.team.sync.setup import team_status
    from core.store import open_store

    if args.offline and args.verify:
        raise Fault("invalid_input", "--verify requires the server", "omit --offline")
    with open_store(context.database) as store:
        found = team_status(store, ask=not args.offline, verify=args.verify)
    context.out.result(found, status_lines(context.out, found))
    return 1 if found.fault else 0


def status_lines(out: Output, found: TeamStatus) -> Iterator[str]:
    """The team, its server, and what waits."""
    yield f"Team {found.team} on {one_line(found.server)} as {one_line(found.login)} ({found.role})"
    yield f"  shared   {', '.join(map(one_line, found.projects)) or 'no repository'}"
    of = "" if found.server_seq is None else f" of {found.server_seq:,}"
    yield f"  read     {found.seq:,}{of} events, {counted(len(found.lessons), 'lesson')}"
    yield f"  to send  {found.waiting:,}"
    if found.unindexed:
        yield f"  to index {found.unindexed:,} (run: casebook team sync)"
    if found.replaced:
        cases = ", ".join(map(str, found.replaced))
        yield f"  replaced {counted(len(found.replaced), 'fix')} of yours (case {cases})"
    yield f"  synced   {found.synced or 'never'}"
    if found.verified is not None:
        yield out.paint(f"  {counted(found.verified, 'event')} checked. All hashes are valid.", "good")
    if found.fault:
        yield out.paint(f"  problem  {one_line(found.fault)}", "warn")
    if out.verbose:
        yield from (f"  {one}" for one in found.lessons)


def run_leave(args: argparse.Namespace, context: Context) -> int:
    """`team leave`: exit 0."""
    from core.flows.team.sync.setup import leave_team
    from core.store import open_store

    with open_store(context.database, write=True) as store:
        done = leave_team(store)
    dropped = f" {counted(done.unsent, 'decision')} discarded without sending." if done.unsent else ""
    context.out.result(done, [f"Left team {done.team}. Its fixes stay in your casebook.{dropped}"])
    return 0


def add_index(children: Group) -> None:
    """The sub-commands and their arguments."""
    children.leaf("index", "build or update the server's search index", run_index)
    hold = children.leaf("hold", "show or select which lessons of the team your casebook stores", run_hold)
    hold.argument(
        "--project",
        "NAME",
        "store lessons of this repository, for example github.com/acme/shop (repeatable)",
        action="append",
        default=[],
    )
    hold.argument("--tool", "NAME", "store lessons about this tool (repeatable)", action="append", default=[])
    hold.flag("--everything", "store every lesson (default)")


def run_index(args: argparse.Namespace, context: Context) -> int:
    """`team index`: exit 0 done, 130 where it was stopped."""
    from cli.progress import reporter, stoppable
    from core.flows.system.vectors import vector_search
    from core.flows.team.sync.indexing import index_team
    from core.store import open_store

    with (
        stoppable() as stopped,
        open_store(context.database) as store,
        vector_search(context.settings.embedding, "process") as vectors,
    ):
        done = index_team(store, vectors, progress=reporter(context.out), stop=stopped)
    context.log("info", "team index", lessons=done.lessons, vectors=done.vectors)
    added = f"{counted(done.lessons, 'lesson')} and {counted(done.vectors, 'vector')} added"
    lines = [f"Team {done.team}: {done.events:,} events, {added}"]
    if done.note:
        lines.append(context.out.paint(one_line(done.note), "warn"))
    if done.canceled:
        lines.append(context.out.paint("Stopped. To continue, run: casebook team index", "warn"))
    context.out.result(done, lines)
    return 130 if done.canceled else 0


def run_hold(args: argparse.Namespace, context: Context) -> int:
    """`team hold`: exit 0. A choice is followed by a round with the server."""
    from core.flows.team.sync.holding import held_lessons, hold_lessons
    from core.flows.team.sync.session import sync

    chosen = bool(args.project or args.tool)
    if chosen and args.everything:
        raise Fault("invalid_input", "--everything cannot be combined with --project or --tool", "omit one of them")
    with context.store(write=chosen or args.everything) as store:
        if chosen or args.everything:
            hold_lessons(store, args.project, args.tool, everything=args.everything)
            sync(store)
        found = held_lessons(store.con)
    named = ", ".join(map(one_line, (*found.projects, *found.tools)))
    held = "every lesson of the team" if found.everything else f"lessons of your repositories and of {named}"
    context.out.result(found, [f"Held: {held}"])
    return 0


def lesson_lines(out: Output, lessons: Sequence[LeavingLesson]) -> Iterator[str]:
    """Every lesson with every field that leaves."""
    for one in lessons:
        case = f", case {one.case_id}" if one.case_id is not None else ""
        yield out.paint(f"{one.act} {one.id}{case}", "good")
        for name in sorted(one.fields):
            mark = "*" if one.act == "change" and name in one.changed else " "
            first, *rest = wrap(_field_text(one.fields[name]), max(20, out.columns - 16))
            yield f" {mark}{name:<12}{first}"
            yield from (f"{'':<14}{line}" for line in rest)


def _field_text(value: Any) -> str:
    from core.base.wire import canonical

    return value if isinstance(value, str) and value else canonical(value)


def left_lines(out: Output, left: Sequence[LeftOut]) -> Iterator[str]:
    """The lessons that an export leaves out, and why."""
    for one in left[:SHOWN]:
        yield out.paint(f"omitted: {one.id} (case {one.case_id}): {one_line(one.reason)}", "warn")
    if len(left) > SHOWN:
        yield out.paint(f"omitted: {len(left) - SHOWN:,} more", "warn")


def fault_lines(out: Output, bad: Sequence[FileFault]) -> Iterator[str]:
    """The lines of a lessons file that are no lesson."""
    for one in bad[:SHOWN]:
        what = "kept unchanged" if one.kept else "both sides are used"
        yield out.paint(f"line {one.line}: {one.reason}, {what}", "warn")
    if len(bad) > SHOWN:
        yield out.paint(f"{len(bad) - SHOWN:,} more invalid lines", "warn")
