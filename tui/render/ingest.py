"""The ingest as a person reads it: the folders, how far it is, what came of it, what was left out and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from textual.content import Content

from core.base.paths import home_name
from tui.render.common.amounts import Parts, counted, lasting, share_bar
from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import inline

if TYPE_CHECKING:
    from core.library.ingest.report import IngestPace, IngestReport, Item

PHASES = {
    "looking": "Scanning folders",
    "reading": "Ingesting files",
    "tidying": "Removing deleted files",
    "completed": "Done",
    "aborted": "Stopped",
}
REASONS = {
    "gitignore": "excluded by .gitignore",
    "casebookignore": "excluded by .casebookignore",
    "builtin_blacklist": "generated or secret files",
    "generated": "generated",
    "size_exceeded": "too large",
    "not_included": "not selected",
    "extension": "not a text file",
    "binary": "binary",
    "empty": "empty",
    "link": "symbolic link (not followed)",
    "link_out_of_the_folder": "symbolic link that points outside the folder",
    "bad_path": "path cannot be cited",
    "path_taken": "duplicate name",
    "not_regular": "not a regular file",
    "no_reader": "unsupported format",
}
_COUNTS = ("new", "updated", "moved", "removed", "unchanged", "skipped", "error")
_PATH = 400
_LISTED = 300
_OF_ONE_REASON = 100


def draw_pace(pace: IngestPace | None, signs: Signs, *, stopping: bool) -> Content:
    """Phase, how far, how long yet; the file; what came of the files so far; the slowest five."""
    if pace is None:
        return Content.styled("Starting", "$cb-dim")
    head = "Stopping after this file" if stopping else PHASES[pace.phase]
    parts: Parts = [(f"{head}\n", "bold $cb-draft" if stopping else "bold $cb-accent")]
    if pace.total:
        parts += share_bar(pace.done / pace.total, signs)
        parts.append((f"{pace.done:,} of {counted(pace.total, 'file')}", "$cb-text"))
        if pace.rate:
            parts.append((f"  {signs.dot}  {pace.rate:,.0f} per second", "$cb-dim"))
        if pace.remaining_s is not None:
            parts.append((f"  {signs.dot}  {lasting(pace.remaining_s)} left", "$cb-soft"))
        parts.append(("\n", ""))
    name = inline(pace.path, _PATH, more=signs.more)
    if name:
        parts += _row("file", f"{name}  ({pace.media})", "$cb-text")
    parts += _row("so far", f"{_counts(pace.counts.items())}{counted(pace.passages, 'passage')}", "$cb-soft")
    parts += _row("running", lasting(pace.elapsed_s), "$cb-soft")
    parts += _slowest(pace)
    return Content.assemble(*parts)


def draw_report(report: IngestReport, pace: IngestPace | None, ended: str, signs: Signs) -> Content:
    """What an ingest did, its errors, what it left out and why, its warnings; `ended`: when, if not just now."""
    took = f"in {lasting(report.duration_ms / 1000)}"
    when = f", {ended[:16].replace('T', ' ')} UTC" if ended else ""
    parts: Parts = [
        (f"Stopped {took}{when}\n", "bold $cb-draft") if report.aborted else (f"Done {took}{when}\n", "bold $cb-good")
    ]
    counts = [(name, getattr(report, "errors" if name == "error" else name)) for name in _COUNTS]
    parts += _row("files", f"{report.scanned:,} scanned: {_counts(counts)}".rstrip(", :"), "$cb-text")
    parts += _row("passages", f"{report.chunks_indexed:,} written", "$cb-text")
    for root in report.scope.roots:
        parts += _row("folder", inline(home_name(Path(root)), _PATH, more=signs.more), "$cb-soft")
    if report.aborted:
        parts.append(("The next run continues from there.\n", "$cb-soft"))
    if report.removed_links:
        names = ", ".join(inline(one, _PATH) for one in report.removed_link_examples)
        more = f", {signs.more}" if report.removed_links > len(report.removed_link_examples) else ""
        parts += _row(
            "removed",
            f"{report.removed_links:,} reached by a symbolic link that points outside the folder: {names}{more}",
            "$cb-draft",
        )
    items = report.items or ()
    parts += _errors([one for one in items if one.kind == "error"], report.errors)
    parts += _skipped_lines(report, [one for one in items if one.kind == "skipped"], signs)
    parts += _warnings([one for one in items if one.warnings])
    if pace is not None:
        parts += _slowest(pace)
    return Content.assemble(*parts).rstrip()


def report_line(report: IngestReport, signs: Signs) -> str:
    """An ingest in a sentence or two, for a toast."""
    begin = "Ingest stopped, partial results kept" if report.aborted else "The library is up to date"
    names = ("new", "updated", "moved", "removed")
    did = ", ".join(f"{getattr(report, name):,} {name}" for name in names if getattr(report, name)) or "nothing changed"
    errors = f" {counted(report.errors, 'file')} could not be read." if report.errors else ""
    left = f" {report.skipped:,} skipped." if report.skipped else ""
    more = (
        signs.fill_keys(" Press {library.left_out} in the Library for details.")
        if report.errors or report.skipped
        else ""
    )
    return f"{begin}: {did}.{errors}{left}{more}"


def draw_folder(root: str, size: str, chosen: bool, signs: Signs) -> Content:
    """One folder that is known, and whether it is to be read."""
    mark = ("x" if signs.plain else "✓") if chosen else " "
    return Content.assemble(
        (f"[{mark}] ", "$cb-good" if chosen else "$cb-faint"), (f"{size:<16}", "$cb-dim"),
        (inline(home_name(Path(root)), _PATH, more=signs.more), "$cb-text"),
    )  # fmt: skip


def _errors(items: Sequence[Item], total: int) -> Parts:
    if not total:
        return []
    parts: Parts = [(f"\n{counted(total, 'file')} could not be read\n", "bold $cb-bad")]
    for one in items[:_LISTED]:
        parts.append((f"  {inline(one.doc_path, _PATH)}\n", "$cb-text"))
        parts.append((f"      {inline(one.error or '', _PATH)}\n", "$cb-dim"))
    return [*parts, *_more(total - len(items[:_LISTED]))]


def _skipped_lines(report: IngestReport, items: Sequence[Item], signs: Signs) -> Parts:
    """Each reason with its paths: those that are known, else the examples."""
    if not report.skipped:
        return [("\nNo files were skipped.\n", "$cb-dim")]
    parts: Parts = [(f"\n{report.skipped:,} skipped\n", "bold $cb-accent")]
    by_reason: dict[str, list[tuple[str, str]]] = {}
    for one in items:
        reason, _, detail = (one.error or "").partition(": ")
        by_reason.setdefault(reason.replace(" ", "_"), []).append((one.doc_path, detail))
    for name, count in skipped_counts(report):
        known = by_reason.get(name) or [(path, "") for path in report.skip_examples.get(name, ())]
        parts.append((f"  {REASONS.get(name, name.replace('_', ' '))}", "$cb-text"))
        parts.append((f"  {signs.dot}  {count:,}\n", "$cb-dim"))
        for path, detail in known[:_OF_ONE_REASON]:
            parts.append((f"      {inline(path, _PATH)}", "$cb-soft"))
            parts.append((f"  {inline(detail, _PATH)}\n" if detail else "\n", "$cb-dim"))
        parts += _more(count - len(known[:_OF_ONE_REASON]))
    return parts


def skipped_counts(report: IngestReport) -> tuple[tuple[str, int], ...]:
    """How many were left out for each reason, the most first."""
    named = {
        "gitignore": report.skipped_gitignore,
        "casebookignore": report.skipped_casebookignore,
        "builtin_blacklist": report.skipped_builtin_blacklist,
        "generated": report.skipped_generated,
        "size_exceeded": report.skipped_size_exceeded,
        "extension": sum(report.skipped_by_extension.values()),
    }
    found = {**named, **report.skipped_other}
    return tuple(sorted(((name, count) for name, count in found.items() if count), key=lambda one: (-one[1], one[0])))


def _warnings(items: Sequence[Item]) -> Parts:
    if not items:
        return []
    parts: Parts = [(f"\n{counted(len(items), 'file')} read with a warning\n", "bold $cb-draft")]
    for one in items[:_LISTED]:
        parts.append((f"  {inline(one.doc_path, _PATH)}\n", "$cb-text"))
        parts += [(f"      {inline(warning, _PATH)}\n", "$cb-dim") for warning in one.warnings[:5]]
    return [*parts, *_more(len(items) - len(items[:_LISTED]))]


def _slowest(pace: IngestPace) -> Parts:
    if not pace.slowest:
        return []
    rows = [(f"  {ms:8,.0f} ms  {inline(path, _PATH)}\n", "$cb-soft") for ms, path in pace.slowest]
    return [("\nSlowest files\n", "bold $cb-accent"), *rows]


def _more(count: int) -> Parts:
    text = f"      and {count:,} more (run: casebook library ingest --json)\n"
    return [(text, "$cb-faint")] if count > 0 else []


def _row(name: str, text: str, tone: str) -> Parts:
    return [(f"{name:<10}", "$cb-dim"), (f"{text}\n", tone)]


def _counts(counts: Iterable[tuple[str, int]]) -> str:
    return "".join(_count_parts(counts))


def _count_parts(counts: Iterable[tuple[str, int]]) -> Iterator[str]:
    held = dict(counts)
    for name in _COUNTS:
        if held.get(name):
            yield f"{held[name]:,} {'failed' if name == 'error' else name}, "
