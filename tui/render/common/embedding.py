"""What a person is told about embedding: in toasts, and in the status."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.render.common.glyphs import Signs
from tui.render.common.progress import counted
from tui.render.common.untrusted import title

if TYPE_CHECKING:
    from core.embedding.models.catalogue import Model
    from core.embedding.runtime.report import EmbedReport
    from core.flows.system.vector_facts import VectorFacts

_KINDS = {"error": "case", "rule": "rule", "chunk": "passage"}


def no_model(facts: VectorFacts) -> str:
    """What does not work without a model, why, and the command that mends it."""
    return (
        f"The same error in other words is not found: {title(facts.reason)}."
        f" {title(facts.remedy)} mends it; everything else works."
    )


def model_changed(facts: VectorFacts) -> str:
    """Everything would have to be embedded anew: that is for a person to say."""
    before = title(facts.other.partition("@")[0])
    now = title(facts.model.id) if facts.model is not None else ""
    return (
        f"The model is now {now}, the cases and passages were embedded with {before}. Until they are embedded anew"
        f" nothing is found in other words: {{app.palette}}, Embed what waits ({_due(facts)})."
    )


def _due(facts: VectorFacts) -> str:
    kinds = ((facts.waiting, "case"), (facts.rules_waiting, "rule"), (facts.passages_waiting, "passage"))
    return ", ".join(counted(count, what) for count, what in kinds if count) or counted(0, "case")


def report_line(report: EmbedReport, signs: Signs) -> str:
    """A run of embedding in one sentence or two."""
    if report.busy:
        return "Another process embeds this casebook."
    parts = [(part.embedded + part.reused, _KINDS.get(part.kind, "text")) for part in report.parts]
    named = ", ".join(counted(count, what) for count, what in parts if count)
    done = named or counted(report.embedded + report.reused, "case")
    failed = f" {counted(len(report.failed), 'text')} could not be: casebook embed says why." if report.failed else ""
    if report.canceled:
        more = signs.told("{app.palette}, Embed what waits, goes on.")
        return f"Embedding was stopped; {done} stay embedded, {report.waiting:,} wait. {more}{failed}"
    return f"{done} can be found in other words too.{failed}"


def draw_vectors(facts: VectorFacts | None, *, auto: bool) -> list[tuple[str, str]]:
    """The vector tier in the status: whether it is on, its model and what that was measured to need, what waits."""
    if facts is None:
        return [("vector", "off: there is no casebook yet")]
    if facts.model is None:
        return [("vector", f"off: {facts.reason}"), ("", facts.remedy)]
    model = facts.model
    rows = [
        ("vector", f"off: {facts.off}" if facts.off else "on"),
        ("model", f"{model.id}@{model.version}, {_reads(model)}"),
    ]
    if (bars := model.thresholds) is not None:
        high, low = bars.high_at(facts.cases), bars.low_at(facts.cases)
        told = f"answers from cosine {high:.3f}, unsure from {low:.3f}, similar from {bars.similar:.2f}"
        rows.append(("measured", f"{told} ({counted(facts.cases, 'case')})"))
    else:
        rows.append(("measured", "not yet, so it shows similar cases only: casebook models calibrate"))
    failed = f", {facts.failed:,} could not be" if facts.failed else ""
    waits = f"{facts.waiting:,} wait" + ("" if auto or not facts.waiting else " for casebook embed")
    rows.append(("vectors", f"{counted(facts.vectors, 'case')} embedded, {waits}{failed}"))
    if facts.passages:
        waits = f"{facts.passages_waiting:,} wait"
        rows.append(("", f"{facts.passage_vectors:,} of {counted(facts.passages, 'passage')} embedded, {waits}"))
    if facts.running is not None:
        rows.append(("", f"process {facts.running.pid} embeds: {facts.running.detail}"))
    return rows


def _reads(model: Model) -> str:
    return f"{model.dim} numbers, reads {'English' if model.languages == 'en' else 'many languages'}"
