"""The status of the workbench as text: the casebook, what it holds, the search, the jobs, the log, the versions."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from textwrap import TextWrapper
from typing import TYPE_CHECKING

from textual.content import Content

from tui.render.common.amounts import counted, size_of, stamp
from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import inline, title

if TYPE_CHECKING:
    from core.embedding.models.catalogue import Model
    from core.embedding.runtime.report import EmbedReport
    from core.flows.system.capabilities import Capabilities
    from core.flows.system.doctor import Diagnosis
    from core.flows.system.embedding import VectorFacts
    from core.store.jobs import Job


_KINDS = {"error": "case", "rule": "rule", "chunk": "passage"}


def no_model(facts: VectorFacts) -> str:
    """Return what does not work without a model, why, and the command that fixes it."""
    return f"Semantic search is disabled: {title(facts.reason)}. Run: {title(facts.remedy)}."


def model_changed(facts: VectorFacts) -> str:
    """Return the notice of a changed model: embedding everything again is the user's decision."""
    before = title(facts.other.partition("@")[0])
    now = title(facts.model.id) if facts.model is not None else ""
    return (
        f"The model changed from {before} to {now}. Semantic search is disabled until you"
        f" recompute the embeddings: {{app.palette}}, Compute missing embeddings ({_due(facts)})."
    )


def _due(facts: VectorFacts) -> str:
    kinds = ((facts.waiting, "case"), (facts.rules_waiting, "rule"), (facts.passages_waiting, "passage"))
    return ", ".join(counted(count, what) for count, what in kinds if count) or counted(0, "case")


def report_line(report: EmbedReport, signs: Signs) -> str:
    """A run of embedding in one sentence or two."""
    parts = [(part.embedded + part.reused, _KINDS.get(part.kind, "text")) for part in report.parts]
    named = ", ".join(counted(count, what) for count, what in parts if count)
    done = named or counted(report.embedded + report.reused, "case")
    failed = f" {counted(len(report.failed), 'text')} failed (run: casebook embed)." if report.failed else ""
    if report.canceled:
        more = signs.fill_keys("Press {app.palette} and run Compute missing embeddings to continue.")
        return f"Embedding stopped. {done} embedded, {report.waiting:,} left. {more}{failed}"
    return f"Embedded {done}. Semantic search is ready.{failed}"


def draw_vectors(facts: VectorFacts | None, *, auto: bool) -> list[tuple[str, str]]:
    """The vector tier in the status: whether it is on, its model and what that was measured to need, what waits."""
    if facts is None:
        return [("vector", "disabled: no casebook found")]
    if facts.model is None:
        return [("vector", f"disabled: {facts.reason}"), ("", facts.remedy)]
    model = facts.model
    rows = [
        ("vector", f"disabled: {facts.off}" if facts.off else "enabled"),
        ("model", f"{model.id}@{model.version}, {_reads(model)}"),
    ]
    if (bars := model.thresholds) is not None:
        high, low = bars.high_at(facts.cases), bars.low_at(facts.cases)
        cutoffs = f"match from cosine {high:.3f}, possible from {low:.3f}, similar from {bars.similar:.2f}"
        rows.append(("measured", f"{cutoffs} ({counted(facts.cases, 'case')})"))
    else:
        rows.append(("measured", "not calibrated, shows similar cases only (run: casebook models calibrate)"))
    failed = f", {facts.failed:,} failed" if facts.failed else ""
    waits = f"{facts.waiting:,} missing" + ("" if auto or not facts.waiting else " (run: casebook embed)")
    rows.append(("vectors", f"{counted(facts.vectors, 'case')} embedded, {waits}{failed}"))
    if facts.passages:
        waits = f"{facts.passages_waiting:,} missing"
        rows.append(("", f"{facts.passage_vectors:,} of {counted(facts.passages, 'passage')} embedded, {waits}"))
    if facts.running is not None:
        detail = f": {facts.running.detail}" if facts.running.detail else ""
        rows.append(("", f"process {facts.running.pid} is embedding{detail}"))
    return rows


def _reads(model: Model) -> str:
    return f"{model.dim} dimensions, {'English only' if model.languages == 'en' else 'multilingual'}"


_TEXT = 300
_CHECKS = {
    "config_loaded": "settings",
    "data_dir_writable": "folder",
    "sqlite_open": "database",
    "vec_loaded": "vectors",
    "counts_match": "indexes",
    "embedding_model": "model",
    "model_service": "service",
    "llm_reachable": "LLM",
    "llm_model": "LLM model",
    "agent_hooks": "hooks",
    "mcp_extra": "MCP",
    "rule_files": "rule files",
    "rule_tables": "rule tables",
    "library_korean": "Korean",
}
_UNITS = {"ingest": " files", "embed": " texts"}
"""What the runs count; an import counts bytes."""
_TONES = {"running": "$cb-accent", "succeeded": "$cb-good", "failed": "$cb-bad", "canceled": "$cb-draft"}


_NAME = 16
"""Cells of the column of names."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What is found at once. `size` in bytes; None: the file is not there."""

    path: str
    size: int | None
    readonly: str
    log: str
    settings: str
    textual: str
    about: Capabilities | None
    jobs: tuple[Job, ...]
    vectors: VectorFacts | None = None
    auto: bool = True


def draw_facts(facts: Facts | None, width: int = 0) -> Content:
    """The casebook, what it holds, how it searches, its long runs, its files; values are wrapped in their column, which
    ends at `width` cells (0: not known)."""
    if facts is None:
        return Content.assemble(("Loading the casebook", "$cb-dim"))
    size = "no file yet" if facts.size is None else size_of(facts.size)
    rows = [("file", facts.path), ("size", size), ("access", facts.readonly or "read and write")]
    parts = _section("Casebook", [*rows, *_contents(facts.about)], width)
    tiers = [("text", "enabled: fingerprint, exact, prefix, words")]
    parts += _section("Search", [*tiers, *draw_vectors(facts.vectors, auto=facts.auto)], width)
    parts += [("Jobs\n", "bold $cb-accent"), *_jobs(facts.jobs, width), ("\n", "")]
    parts += _section("Files", [("log", facts.log), ("settings", facts.settings)], width)
    return Content.assemble(*parts[:-1])  # the next part begins with a blank line of its own


def draw_checks(found: Diagnosis | None, signs: Signs, width: int = 0) -> Content:
    """Draw the doctor's checks, each with its fix, wrapped like the facts; None while it runs."""
    parts: list[tuple[str, str]] = [("Health\n", "bold $cb-accent")]
    if found is None:
        return Content.assemble(*parts, ("  checking\n", "$cb-dim"))
    for check in found.checks:
        mark = signs.outcome("hit" if check.ok else "failed")
        name = _CHECKS.get(check.name, check.name.replace("_", " "))
        parts += [(f"  {mark.sign} ", mark.tone), (f"{name:<{_NAME - 4}}", "$cb-dim")]
        parts.append((_in_column(check.detail, width) + "\n", "$cb-soft" if check.ok else "$cb-text"))
        if check.hint:
            parts.append((" " * _NAME + _in_column(check.hint, width) + "\n", "$cb-draft"))
    return Content.assemble(*parts)


def draw_versions(facts: Facts | None) -> Content:
    """What casebook runs on."""
    if facts is None or facts.about is None:
        return Content("")
    versions = facts.about.versions
    rows = [("casebook", versions.casebook), ("schema", str(versions.database)), ("Python", versions.python)]
    rows += [("SQLite", versions.sqlite), ("Textual", facts.textual)]
    return Content.assemble(*_section("Versions", rows))


def _contents(about: Capabilities | None) -> list[tuple[str, str]]:
    stats = about.stats if about is not None else None
    if stats is None:
        return [("holds", "nothing yet")]
    cases = f"{counted(stats.cases, 'case')}, {stats.unresolved:,} unresolved, {counted(stats.resolutions, 'fix')}"
    places = f"{counted(stats.sessions, 'session')}, {counted(stats.messages, 'message')}"
    seen = f"{counted(stats.occurrences, 'error')} seen in {places}"
    return [("holds", cases), ("from", seen)]


def _section(heading: str, rows: list[tuple[str, str]], width: int = 0) -> list[tuple[str, str]]:
    parts = [(f"{heading}\n", "bold $cb-accent")]
    for name, value in rows:
        parts += [(f"  {name:<{_NAME - 2}}", "$cb-dim"), (_in_column(value, width) + "\n", "$cb-soft")]
    return [*parts, ("\n", "")]


def _in_column(value: str, width: int) -> str:
    """A value, wrapped in the column behind the names, which ends at `width` cells (0: not known)."""
    text = inline(value, _TEXT)
    if width <= 2 * _NAME:
        return text
    lines = TextWrapper(width - _NAME, break_long_words=False, break_on_hyphens=False)
    return f"\n{'':<{_NAME}}".join(lines.wrap(text))


def _far(job: Job) -> str:
    """How far a run is, or was when it ended; one that ended well did all, and says what that was."""
    if job.status == "succeeded" or not (job.done or job.total):
        return ""
    sized = size_of if job.kind == "import" else "{:,}".format
    of = "" if job.total is None else f" of {sized(job.total)}"
    return f"{sized(job.done)}{of}{_UNITS.get(job.kind, '')}"


def _jobs(jobs: tuple[Job, ...], width: int) -> list[tuple[str, str]]:
    """The newest runs; equal ones that follow each other share a line, which is wrapped in the column behind the kinds
    and ends at `width` cells (0: not known)."""
    parts: list[tuple[str, str]] = []
    runs = [("  ".join(part for part in (_far(job), job.detail, job.error or "") if part), job) for job in jobs]
    for (_, _, summary), same in groupby(runs, lambda run: (run[1].kind, run[1].status, run[0])):
        job, *rest = (run for _, run in same)
        many = f"(last of {len(rest) + 1} runs)" if rest else ""
        about = "  ".join(part for part in (inline(summary, _TEXT), many) if part)
        status = f"{inline(job.status, 10):<11}"
        ran = _in_column(f"{status}{stamp(job.started)} UTC  {about}".rstrip(), width)
        parts += [
            (f"  {inline(job.kind, 12):<14}", "$cb-dim"),
            (status, _TONES.get(job.status, "$cb-soft")),
            (ran.removeprefix(status) + "\n", "$cb-soft"),
        ]
    return parts or [("  none yet\n", "$cb-dim")]
