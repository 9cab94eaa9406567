"""Reports of an ingest: its progress (`ingest_progress.v1`), its result (`ingest_report.v1`), and the stored runs."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar, Final, Literal, cast

import apsw
import orjson

from core.base.wire import dumps, to_wire
from core.store import Store, now

ItemKind = Literal["new", "updated", "moved", "removed", "unchanged", "skipped", "error"]
EventKind = Literal["scan_started", "scan_completed", "asset_started", "asset_finished", "completed", "aborted"]

SLOWEST: Final = 5
"""Files that are named as the slowest."""

Phase = Literal["looking", "reading", "tidying", "completed", "aborted"]

KEPT = 100
"""Runs that are remembered."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What was read: the roots, and the patterns that chose their files (both in the grammar of .gitignore)."""

    root: str
    roots: tuple[str, ...]
    include: tuple[str, ...]
    exclude: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Item:
    """What became of one file. `error` says why it was left out, or could not be read."""

    kind: ItemKind
    doc_path: str
    doc_id: str | None = None
    asset_id: str | None = None
    byte_len: int = 0
    block_count: int = 0
    chunk_count: int = 0
    parser_version: str | None = None
    chunker_version: str | None = None
    warnings: tuple[str, ...] = ()
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Counts:
    """Files seen, and what became of them; passages written."""

    scanned: int = 0
    new: int = 0
    updated: int = 0
    moved: int = 0
    removed: int = 0
    skipped: int = 0
    unchanged: int = 0
    errors: int = 0
    chunks_indexed: int = 0


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What an ingest did. `items` are the files that changed, failed or were left out, or null (`--summary-only`).

    `scanned` = new + updated + moved + skipped + unchanged + errors; a folder that was left out counts once in
    `skipped`. `removed_links` of the `removed` came by a link out of their folder in an earlier run
    (`removed_link_examples` names some). `aborted`: it was stopped between two files; what it had read stays, and the
    next run goes on from there.
    """

    SCHEMA: ClassVar[str] = "ingest_report.v1"

    run_id: str
    scope: Scope
    scanned: int
    new: int
    updated: int
    moved: int
    removed: int
    skipped: int
    unchanged: int
    errors: int
    chunks_indexed: int
    duration_ms: int
    aborted: bool
    skipped_gitignore: int
    skipped_casebookignore: int
    skipped_builtin_blacklist: int
    skipped_generated: int
    skipped_size_exceeded: int
    skipped_other: Mapping[str, int]
    skipped_by_extension: Mapping[str, int]
    skip_examples: Mapping[str, tuple[str, ...]]
    corpus_revision: int
    items: tuple[Item, ...] | None
    removed_links: int = 0
    removed_link_examples: tuple[str, ...] = ()


_LOOKED_AT: Final = 2_000


def worth_a_look(report: IngestReport) -> IngestReport:
    """The report with the items alone that a person may want to see: errors, warnings, then what was left out."""
    items = report.items or ()
    troubles = [one for one in items if one.kind == "error" or one.warnings]
    left = [one for one in items if one.kind == "skipped"]
    return replace(report, items=tuple((troubles + left)[:_LOOKED_AT]))


@dataclass(frozen=True, slots=True)
class IngestEvent:
    """A step of an ingest, as it happens; what does not belong to its kind is null.

    scan_started (root), scan_completed (total), then asset_started (idx, total, path, media) and asset_finished (idx,
    total, path, result, chunks, ms) in turn, and last exactly one of completed and aborted (counts).
    """

    SCHEMA: ClassVar[str] = "ingest_progress.v1"

    kind: EventKind
    ts: str
    root: str | None = None
    idx: int | None = None
    total: int | None = None
    path: str | None = None
    media: str | None = None
    result: ItemKind | None = None
    chunks: int | None = None
    ms: float | None = None
    counts: Counts | None = None


EXAMPLES = 5
ITEMS = 10_000
"""Items of a report; as many errors again are listed where there are so many."""


@dataclass(slots=True)
class IngestTally:
    """The counts of a running ingest."""

    counts: dict[str, int] = field(default_factory=dict[str, int])
    reasons: dict[str, int] = field(default_factory=dict[str, int])
    extensions: dict[str, int] = field(default_factory=dict[str, int])
    examples: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    items: list[Item] = field(default_factory=list[Item])
    chunks: int = 0
    removed_links: int = 0
    removed_link_examples: list[str] = field(default_factory=list[str])

    def add(self, item: Item) -> None:
        """Count what became of a file."""
        self.counts[item.kind] = self.counts.get(item.kind, 0) + 1
        if item.kind not in ("unchanged", "skipped", "removed", "error"):
            self.chunks += item.chunk_count
        if item.kind != "unchanged" and len(self.items) < (2 * ITEMS if item.kind == "error" else ITEMS):
            self.items.append(item)

    def leave(self, path: str, reason: str, detail: str = "") -> Item:
        """Count what was left out."""
        self.reasons[reason] = self.reasons.get(reason, 0) + 1
        if reason == "extension":
            self.extensions[detail] = self.extensions.get(detail, 0) + 1
        shown = self.examples.setdefault(reason, [])
        if len(shown) < EXAMPLES:
            shown.append(path)
        message = f"{reason.replace('_', ' ')}: {detail}" if detail else reason.replace("_", " ")
        item = Item("skipped", path, error=message)
        self.add(item)
        return item

    def remove_link(self, path: str) -> None:
        """Count a document that was taken out because it came by a link out of its folder."""
        self.removed_links += 1
        if len(self.removed_link_examples) < EXAMPLES:
            self.removed_link_examples.append(path)

    def so_far(self) -> Counts:
        count = {name: self.counts.get(name, 0) for name in ("new", "updated", "moved", "skipped", "unchanged")}
        errors = self.counts.get("error", 0)
        return Counts(
            scanned=sum(count.values()) + errors,
            removed=self.counts.get("removed", 0),
            errors=errors,
            chunks_indexed=self.chunks,
            **count,
        )

    def report(
        self, run_id: str, scope: Scope, duration_ms: int, revision: int, *, aborted: bool, summary: bool
    ) -> IngestReport:
        named = ("gitignore", "casebookignore", "builtin_blacklist", "generated", "size_exceeded")
        counts: dict[str, Any] = asdict(self.so_far())
        counts |= {f"skipped_{name}": self.reasons.get(name, 0) for name in named}
        return IngestReport(
            **counts,
            run_id=run_id,
            scope=scope,
            duration_ms=duration_ms,
            aborted=aborted,
            skipped_other={name: count for name, count in sorted(self.reasons.items()) if name not in named},
            skipped_by_extension=dict(sorted(self.extensions.items())),
            skip_examples={name: tuple(shown) for name, shown in sorted(self.examples.items())},
            corpus_revision=revision,
            items=None if summary else tuple(self.items),
            removed_links=self.removed_links,
            removed_link_examples=tuple(self.removed_link_examples),
        )


@dataclass(frozen=True, slots=True)
class IngestPace:
    """An ingest so far. `done` of `total` files are settled, `path` is the one being read, or the last.

    `counts`: files by what came of them (new, updated, unchanged, …); `passages` written. `elapsed_s` since it began,
    `reading_s` since its first file. `slowest`: milliseconds and path, the slowest first.
    """

    phase: Phase = "looking"
    done: int = 0
    total: int = 0
    path: str = ""
    media: str = ""
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    passages: int = 0
    elapsed_s: float = 0.0
    reading_s: float = 0.0
    slowest: tuple[tuple[float, str], ...] = ()

    @property
    def rate(self) -> float:
        """Files a second since the first one; 0 where nothing can be said."""
        return self.done / self.reading_s if self.reading_s > 0 else 0.0

    @property
    def remaining_s(self) -> float | None:
        """Seconds to go at this rate; None where nothing can be said."""
        return (self.total - self.done) / self.rate if self.phase == "reading" and self.rate > 0 else None


def paced(pace: IngestPace, event: IngestEvent, elapsed_s: float) -> IngestPace:
    """Return the pace after this event, so many seconds after the ingest began."""
    spent = elapsed_s - pace.elapsed_s
    pace = replace(pace, elapsed_s=elapsed_s, reading_s=pace.reading_s + (spent if pace.phase == "reading" else 0.0))
    if event.kind == "scan_completed":
        total = event.total or 0
        return replace(pace, phase="reading" if total else "tidying", total=total)
    if event.kind == "asset_started":
        return replace(pace, path=event.path or "", media=event.media or "")
    if event.kind == "asset_finished":
        return _settled(pace, event)
    if event.kind in ("completed", "aborted"):
        return replace(pace, phase=event.kind, path="", media="")
    return pace


def _settled(pace: IngestPace, event: IngestEvent) -> IngestPace:
    done = event.idx or pace.done + 1
    slowest = pace.slowest
    if event.ms is not None and (len(slowest) < SLOWEST or event.ms > slowest[-1][0]):
        slowest = tuple(sorted((*slowest, (event.ms, event.path or "")), key=lambda one: -one[0])[:SLOWEST])
    result = event.result or "unchanged"
    return replace(
        pace,
        phase="tidying" if done >= pace.total else pace.phase,
        done=done,
        counts={**pace.counts, result: pace.counts.get(result, 0) + 1},
        passages=pace.passages + (event.chunks or 0 if result not in ("unchanged", "skipped", "error") else 0),
        slowest=slowest,
    )


def put_run(store: Store, report: IngestReport, started: str) -> IngestReport:
    """Remember a run; returns its report with the time it took. Raises Fault as `Store.transaction`."""
    finished = now()
    took = dt.datetime.fromisoformat(finished) - dt.datetime.fromisoformat(started)
    report = replace(report, duration_ms=max(0, int(took.total_seconds() * 1000)))
    items = None if report.items is None else orjson.dumps(to_wire(report.items)).decode()
    with store.transaction() as con:
        con.execute(
            "INSERT INTO ingest_runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(report.run_id, dumps(report.scope), report.scanned, report.new, report.updated + report.moved),
                *(report.skipped, report.errors, report.duration_ms, started, finished, items),
                *("aborted" if report.aborted else "completed", dumps(replace(report, items=None))),
            ),
        )
        con.execute(
            "DELETE FROM ingest_runs"
            " WHERE rowid <= (SELECT rowid FROM ingest_runs ORDER BY rowid DESC LIMIT 1 OFFSET ?)",
            (KEPT,),
        )
    return report


def last_run(con: apsw.Connection) -> tuple[IngestReport, str] | None:
    """The newest run that is remembered, and when it ended (ISO 8601); None where nothing was ever ingested."""
    row = con.execute(
        "SELECT report_json, items_json, finished_at FROM ingest_runs ORDER BY rowid DESC LIMIT 1"
    ).fetchone()
    if row is None:
        return None
    report, items, finished = cast("tuple[str, str | None, str]", row)
    value = cast("dict[str, Any]", orjson.loads(report))
    return report_of({**value, "items": orjson.loads(items) if items else None}), finished


def report_of(value: dict[str, Any]) -> IngestReport:
    """A report from its JSON object. Raises KeyError and TypeError for what is none."""
    whole = dict(value)
    scope, items = whole["scope"], whole["items"]
    whole["scope"] = Scope(
        scope["root"], tuple(scope["roots"]), include=tuple(scope["include"]), exclude=tuple(scope["exclude"])
    )
    whole["skip_examples"] = {name: tuple(paths) for name, paths in whole["skip_examples"].items()}
    whole["removed_link_examples"] = tuple(whole.get("removed_link_examples", ()))
    whole["items"] = None if items is None else tuple(_item(one) for one in items)
    whole.pop("schema_version", None)
    return IngestReport(**whole)


def _item(value: dict[str, Any]) -> Item:
    whole = dict(value)
    whole["warnings"] = tuple(whole["warnings"])
    return Item(**whole)
