"""Counts, sizes and times in words, and the progress and the report of a long run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content

from core.base.paths import home_name
from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import cut, inline

if TYPE_CHECKING:
    from core.flows.transcripts.report import ImportReport, Progress


_DAY = 86_400
_STEPS = (
    (60, 1, "s"),
    (3_600, 60, "m"),
    (_DAY, 3_600, "h"),
    (14 * _DAY, _DAY, "d"),
    (60 * _DAY, 7 * _DAY, "w"),
    (730 * _DAY, 30 * _DAY, "mo"),
)


def parse(ts: str | None) -> datetime | None:
    """An ISO 8601 time with a zone, as `core.store.now` writes it; None for anything else."""
    try:
        value = datetime.fromisoformat(ts or "")
    except ValueError:
        return None
    return value if value.tzinfo else value.replace(tzinfo=UTC)


def ago(ts: str | None, now: datetime) -> str:
    """How long ago, in one short word: `now`, `5m`, `3h`, `2d`, `6w`, `7mo`, `3y`; blank where unknown."""
    then = parse(ts)
    if then is None:
        return ""
    seconds = (now - then).total_seconds()
    if seconds < 45:
        return "now"
    for limit, unit, name in _STEPS:
        if seconds < limit:
            return f"{max(1, int(seconds // unit))}{name}"
    return f"{int(seconds // (365 * _DAY))}y"


def stamp(ts: str | None) -> str:
    """Date and minute, in UTC; blank where unknown."""
    then = parse(ts)
    return "" if then is None else then.astimezone(UTC).strftime("%Y-%m-%d %H:%M")


_BAR = 16
_FILE_FROM = 12
_COUNT = 2
"""Which of the figures is the count; a dot comes before each figure after it."""
_KINDS = {
    "import": "Reading sessions",
    "harvest": "Harvesting fixes",
    "embed": "Embedding",
    "align": "Checking quotes",
    "ingest": "Ingesting files",
}
LISTED = 10_000

Parts = list[tuple[str, str]]
"""Texts with their styles, for `Content.assemble`."""


def draw_progress(
    progress: Progress | None,
    width: int,
    signs: Signs,
    way_out: str,
    *,
    stopping: bool,
    begins: str = "Searching",
    whole: Progress | None = None,
) -> Content:
    """What runs, how far, how fast, how long yet, which file, how to stop it; the least telling goes first.

    `whole`: the import that this is a batch of. The share and the bar are of that, so that they never go back, and
    below 100% until the last batch is done."""
    left = [(f" {_KINDS.get(progress.kind, 'Working') if progress else begins} ", "bold $cb-accent")]
    right = [("stopping after this batch " if stopping else f"{way_out} ", "$cb-draft" if stopping else "$cb-soft")]
    room = width - cells_in(left) - cells_in(right)
    if room < 0:
        return Content(cut(left[0][0], max(0, width)))
    if progress is not None:
        for at, piece in enumerate(_figures(progress, signs, whole=whole)):
            if at > _COUNT:
                piece.insert(0, (f"{signs.dot} ", "$cb-dim"))
            if cells_in(piece) <= room:
                left += piece
                room -= cells_in(piece)
        if progress.file and room >= _FILE_FROM:
            name = _tail(home_name(Path(progress.file)), room - 2, signs.more)
            left.append((f" {name} ", "$cb-dim"))
            room -= cell_len(name) + 2
    return Content.assemble(*left, " " * room, *right)


def progress_words(progress: Progress, signs: Signs) -> str:
    """How far a run is, in words: `Reading sessions: 37 %, 1.2 MB of 3.3 MB, 12 s left`."""
    figures = ("".join(text for text, _ in piece).strip() for piece in _figures(progress, signs, bar=False))
    return f"{_KINDS.get(progress.kind, 'Working')}: {', '.join(figures)}"


def _figures(
    progress: Progress, signs: Signs, *, bar: bool = True, whole: Progress | None = None
) -> Iterator[list[tuple[str, str]]]:
    in_batch = whole is not None and progress.kind != whole.kind
    shown = whole if whole is not None else progress
    share = min(0.99 if in_batch else 1.0, shown.done / shown.total) if shown.total > 0 else 0.0
    figure, *drawn = share_bar(share, signs)
    yield [figure]
    if bar:
        yield drawn
    if progress.kind == "import":
        yield [(f"{size_of(progress.done)} of {size_of(progress.total)} ", "$cb-text")]
    else:
        batch = "in this batch " if in_batch else ""
        yield [(f"{progress.done:,} of {progress.total:,} {batch}", "$cb-text")]
    if in_batch:
        return
    if progress.eta_s is not None and progress.done < progress.total:
        yield [(f"{lasting(progress.eta_s)} left ", "$cb-soft")]
    if progress.rate >= 0.5:
        rate = size_of(progress.rate) if progress.kind == "import" else f"{progress.rate:,.0f}"
        yield [(f"{rate}/s ", "$cb-dim")]


def share_bar(share: float, signs: Signs) -> Parts:
    """A share of 0 to 1 in per cent, and as a bar."""
    full = round(share * _BAR)
    done, to_do = ("#", "-") if signs.plain else ("━", "─")
    bar = [(done * full, "$cb-accent"), (to_do * (_BAR - full), "$cb-line"), (" ", "")]
    return [(f"{share:4.0%} ", "bold $cb-text"), *bar]


def _tail(file: str, cells: int, more: str) -> str:
    """Return the end of a path, its distinctive part."""
    flat = inline(file[-4 * cells :])
    if cell_len(flat) <= cells and len(file) <= 4 * cells:
        return flat
    while cell_len(flat) > cells - cell_len(more):
        flat = flat[max(1, len(flat) - cells) if len(flat) > 2 * cells else 1 :]
    return more + flat


def lasting(seconds: float) -> str:
    """A stretch of time as people say it."""
    whole = max(1, round(seconds))
    if whole < 90:
        return f"{whole} s"
    return f"{round(whole / 60)} min" if whole < 5_400 else f"{whole / 3_600:.1f} h"


def size_of(size: float) -> str:
    """Bytes as people say them."""
    for unit in ("B", "kB", "MB"):
        if size < 1_000:
            return f"{size:.0f} {unit}" if unit == "B" or size >= 10 else f"{size:.1f} {unit}"
        size /= 1_000
    return f"{size:,.1f} GB"


def counted(count: int, what: str) -> str:
    """A number of things: `1 file`, `2 fixes`."""
    return f"{count:,} {what if count == 1 else what + ('es' if what.endswith(('x', 'ch')) else 's')}"


def report_line(report: ImportReport, signs: Signs) -> str:
    """An import in one sentence or two, for a toast."""
    counts = ((report.messages, "new message"), (report.errors, "error"), (report.resolutions, "fix"))
    new = ", ".join(counted(count, what) for count, what in counts if count)
    read = f"{counted(report.files, 'file')} read, {new or 'nothing new'}"
    begin = "Import stopped, partial results kept" if report.canceled else "Import done"
    gaps = f" {counted(len(report.skipped), 'line')} skipped ({{import.report}} for details)." if report.skipped else ""
    return f"{begin}: {read}.{signs.fill_keys(gaps)}"


def report_text(report: ImportReport) -> str:
    """An import in full: its counts, and each line that was left out, with the reason."""
    counts = (
        (report.files, "file"), (report.sessions, "new session"), (report.messages, "new message"),
        (report.tool_calls, "new tool call"), (report.errors, "error"), (report.resolutions, "fix"),
    )  # fmt: skip
    lines = [counted(count, what) for count, what in counts if count or what == "file"]
    if len(lines) == 1:
        lines.append("Nothing new.")
    if report.canceled:
        lines.append("The import was stopped. The next import continues from there.")
    lines += ["", f"{counted(len(report.skipped), 'line')} skipped:"] if report.skipped else []
    for gap in report.skipped[:LISTED]:
        place = home_name(Path(gap.file)) if gap.file else ""
        place = f"{place}:{gap.line}" if gap.line else place
        lines.append(inline(f"{gap.reason}: {place}" if place else gap.reason))
    return "\n".join(lines)


def cells_in(parts: Sequence[tuple[str, str]]) -> int:
    """The cells of these parts together."""
    return sum(cell_len(text) for text, _ in parts)
