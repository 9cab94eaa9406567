"""What a person is told about embedding: in toasts, and in the status."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.render.foreign import title
from tui.render.progress import counted
from tui.render.signs import Signs

if TYPE_CHECKING:
    from core.embedding.catalogue import Model
    from core.embedding.report import EmbedReport
    from core.flows.vector_facts import VectorFacts


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
    many = counted(facts.waiting, "case")
    return (
        f"The model is now {now}, the cases were embedded with {before}. Until they are embedded anew the same error"
        f" in other words is not found: {{app.palette}}, Embed what waits ({many})."
    )


def report_line(report: EmbedReport, signs: Signs) -> str:
    """A run of embedding in one sentence or two."""
    if report.busy:
        return "Another process embeds this casebook."
    done = counted(report.embedded + report.reused, "case")
    failed = f" {counted(len(report.failed), 'case')} could not be: casebook embed says why." if report.failed else ""
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
    if facts.running is not None:
        rows.append(("", f"process {facts.running.pid} embeds: {facts.running.detail}"))
    return rows


def _reads(model: Model) -> str:
    return f"{model.dim} numbers, reads {'English' if model.languages == 'en' else 'many languages'}"
