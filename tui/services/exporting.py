"""What goes out into a file: cases, verified fixes, a copy of the casebook; what is written is what the core writes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from core.base.fault import Fault
from core.base.paths import home_name
from tui.render.common.amounts import counted, size_of
from tui.render.common.untrusted import inline
from tui.runtime.jobs import Job, job_work

if TYPE_CHECKING:
    from core.errors import Filters
    from core.errors.exchange.case_export import Format
    from core.flows.insights.pictures import Picture

Kind = Literal["listed", "cases", "fixes", "backup", "picture"]
_TELL = 200
"""Cases between two reports."""
REPLACES = "f2"
"""The key that replaces a file that is there."""


@dataclass(frozen=True, slots=True)
class Export:
    """What is to go out: its heading, what it is in a sentence, the name that is proposed for the file.

    `which`: the filters that the cases pass, or their numbers; None for all. `picture`: a view of Insights.
    """

    kind: Kind
    heading: str
    summary: str
    name: str
    which: Filters | tuple[int, ...] | None = None
    picture: Picture | None = None


@dataclass(frozen=True, slots=True)
class Written:
    """So many are written so far; with a `path` that is all of it."""

    count: int
    path: Path | None = None
    size: int = 0


@dataclass(frozen=True, slots=True)
class Listed:
    """The cases in a list: in a sentence, and the filters that they pass or their numbers."""

    summary: str
    which: Filters | tuple[int, ...]


def export_of(kind: Kind, now: datetime, every: int, listed: Listed) -> Export:
    """What an action means, with `every` case in the casebook and those `listed`."""
    day = now.astimezone().date().isoformat()
    forms = "The file extension selects the format: .jsonl (re-importable), .csv or .md."
    if kind == "backup":
        summary = "The full casebook in one file. Restore it with: casebook db restore"
        return Export(kind, "Back up the casebook", summary, f"casebook-{day}.db")
    if kind == "fixes":
        summary = (
            "All verified fixes. The file extension selects the format: .jsonl, .csv or .md (all re-importable)."
            " In CLAUDE.md and AGENTS.md, casebook writes only its own block."
        )
        return Export(kind, "Export the verified fixes", summary, f"fixes-{day}.jsonl")
    if kind == "cases":
        summary = f"All {counted(every, 'case')}. {forms}"
        return Export(kind, "Export all cases", summary, f"cases-{day}.jsonl")
    summary = f"{listed.summary} {forms}"
    return Export(kind, "Export the listed cases", summary, f"cases-{day}.jsonl", listed.which)


def export_of_picture(picture: Picture, name: str, now: datetime) -> Export:
    """A view of Insights as a file, named after the view and the day."""
    summary = "Paths and user names are removed. The file extension selects the format: .svg or .md."
    day = now.astimezone().date().isoformat()
    return Export("picture", "Save the view", summary, f"{name}-{day}.svg", picture=picture)


def proposed(folder: Path | None, name: str) -> str:
    """Where a file might go: to where the last one went, else to where the workbench was started."""
    try:
        path = str((folder or Path.cwd()) / name)
    except OSError:  # the folder is gone
        path = ""
    return path if path and inline(path) == path else f"~/{name}"


@job_work
def written(job: Job[Written], export: Export, named: str, *, replacing: bool) -> Written:
    """Write it, whole or not at all; hands over how many there are so far."""
    from core.base.config.settings_sources import from_home
    from core.errors.exchange.case_export import FORMS

    path = from_home(named).absolute()
    if export.kind == "backup":
        return _backed_up(job, path)
    if path.is_dir():
        raise Fault("invalid_input", f"{path} is a folder", "enter a file name in it")
    if export.picture is not None:
        return _pictured(export.picture, path, replacing=replacing)
    form = FORMS.get(path.suffix.lower())
    if form is None:
        raise Fault("invalid_input", f"unknown format: {path.name}", "use the extension .jsonl, .csv or .md")
    return _exported(job, export, path, form, replacing=replacing)


@dataclass(frozen=True, slots=True)
class Preview:
    """What would be written into a file that agents read: the Markdown of the block, and how many fixes it has."""

    path: Path
    text: str
    count: int


@job_work
def previewed(job: Job[Preview | None], named: str) -> Preview | None:
    """The block that an export of the fixes writes into this file; None if it writes the whole file."""
    from core.base.config.settings_sources import from_home
    from core.errors.exchange.case_export import is_for_agents
    from core.flows.agent_file import block_preview, has_block

    path = from_home(named).absolute()
    if not is_for_agents(path):
        return None
    preview = Preview(path, *block_preview(job.store(), path))
    if not preview.count and not (path.is_file() and has_block(path)):
        raise Fault("invalid_input", "no fix is verified yet", "accept a draft in triage first")
    return preview


def _exported(job: Job[Written], export: Export, path: Path, form: Format, *, replacing: bool) -> Written:
    from core.errors import Filters
    from core.errors.exchange.case_export import export_file, is_for_agents
    from core.flows.agent_file import export_to_synced

    def report(count: int) -> None:
        job.check()
        if count % _TELL == 0:
            job.partial(Written(count))

    fixes = export.kind == "fixes"
    _check(path, replacing=replacing or (fixes and form == "markdown" and is_for_agents(path)))
    which = Filters() if export.which is None else export.which
    try:
        done = export_to_synced(job.store(), path, force=replacing) if fixes and form == "markdown" else None
        if done is None:
            done = export_file(job.store(), path, form, fixes=fixes, which=which, replace=replacing, on_count=report)
    except Fault as fault:
        if fault.details.get("edited"):
            hint = f"move your text out of the block, or press {REPLACES.upper()} to replace it"
            raise Fault(fault.code, fault.message, hint, there=True) from None
        raise
    return Written(done.count, done.path, done.size)


def _check(path: Path, *, replacing: bool) -> None:
    """Raise Fault where no file may be written; `there` where one may be replaced."""
    from core.base.atomic import check_target

    try:
        check_target(path, replace=replacing)
    except Fault as fault:
        if path.is_file():
            hint = f"press {REPLACES.upper()} to replace it, or enter another name"
            raise Fault(fault.code, fault.message, hint, there=True) from None
        raise


def _pictured(picture: Picture, path: Path, *, replacing: bool) -> Written:
    from core.base.atomic import write_file
    from core.flows.insights.pictures import markdown_of, svg_of

    form = {".svg": svg_of, ".md": markdown_of}.get(path.suffix.lower())
    if form is None:
        raise Fault("invalid_input", f"unknown format: {path.name}", "use the extension .svg or .md")
    _check(path, replacing=replacing)
    return Written(1, path, write_file(path, (form(picture),), replace=replacing))


def _backed_up(job: Job[Any], path: Path) -> Written:
    from core.store.backups import backup

    backup(job.lane.path, path)
    return Written(1, path, path.stat().st_size)


def describe_export(export: Export, done: Written) -> str:
    """Where the file is, and how much is in it."""
    whole = {"backup": "Backup", "picture": "View"}
    what = whole.get(export.kind) or count_text(export, done.count)
    place = "" if done.path is None else inline(home_name(done.path), 400)
    return f"{what} written to {place} ({size_of(done.size)})."


def count_text(export: Export, count: int) -> str:
    """`3 cases`, `1 fix`."""
    return counted(count, "fix" if export.kind == "fixes" else "case")
