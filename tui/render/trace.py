"""A trace as an indented tree: each step, what came of it, why, and how long it took."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from tui.render.foreign import title
from tui.render.signs import Signs

if TYPE_CHECKING:
    from core.trace import Step

_STEPS = 400
"""The most steps drawn: a trace is read by a person."""


def draw_trace(steps: Sequence[Step], signs: Signs) -> Content:
    """The steps in order, sub-steps below theirs with branches."""
    parts: list[tuple[str, str]] = []
    drawn = 0

    def draw(level: Sequence[Step], stem: str, depth: int) -> None:
        nonlocal drawn
        for at, step in enumerate(level):
            if drawn >= _STEPS:
                return
            drawn += 1
            last = at == len(level) - 1
            branch = "" if not depth else signs.last_branch if last else signs.branch
            below = "" if not depth else "  " if last else signs.stem
            parts.extend(_step(step, stem + branch, stem + below, signs))
            if depth < 12:
                draw(step.steps, stem + below, depth + 1)

    draw(steps, "", 0)
    return Content.assemble(*parts).rstrip()


def _step(step: Step, lead: str, under: str, signs: Signs) -> list[tuple[str, str]]:
    mark = signs.outcome(step.outcome)
    parts = [
        (lead, "$cb-faint"),
        (f"{mark.sign} ", mark.tone),
        (title(step.stage), "bold $cb-text" if step.outcome == "hit" else "$cb-text"),
        (f"  {mark.words}", mark.tone),
    ]
    if step.elapsed_ms >= 0.05:
        parts.append((f"  {step.elapsed_ms:.1f} ms", "$cb-faint"))
    parts.append(("\n", ""))
    if step.reason:
        parts += [(under + "  ", "$cb-faint"), (title(step.reason) + "\n", "$cb-soft")]
    facts = [(name, value) for name, value in step.facts if value is not None]
    if facts:
        shown = "  ".join(f"{title(name.replace('_', ' '))} {title(str(value))}" for name, value in facts)
        parts += [(under + "  ", "$cb-faint"), (shown + "\n", "$cb-dim")]
    return parts
