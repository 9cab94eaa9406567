"""A trace as a tree: each step, what came of it, why, how long it took, its facts in a column; steps fold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace

from rich.cells import cell_len
from textual.content import Content

from core.base.trace import Fact, Step, fact_text
from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import inline, pad, title

STEPS = 400
"""The most steps drawn: a trace is read by a person."""
_DEEP = 12
_ROOMY = 14
"""The fewest cells of a column of values."""
_WHOLE = ("search", "ask")
"""Steps that last as long as all before them together."""
_NAMES = 18
"""The widest column of fact names."""

Path = tuple[int, ...]
"""Position of a step: its number on each level."""


@dataclass(frozen=True, slots=True)
class Twig:
    """One step of the tree: its place, its branches (`lead` on its first line, `under` below), whether it is open."""

    path: Path
    step: Step
    lead: str
    under: str
    open: bool

    @property
    def foldable(self) -> bool:
        """Whether there is something to fold away."""
        return bool(self.step.steps) or any(map(_is_informative, self.step.facts))


def folded_at_first(steps: Sequence[Step]) -> frozenset[Path]:
    """Steps that found nothing begin folded, on every level: what decided the answer is what one looks for."""
    found: set[Path] = set()

    def look(level: Sequence[Step], path: Path) -> None:
        for at, step in enumerate(level):
            if step.outcome in ("miss", "skipped"):
                found.add((*path, at))
            if len(path) < _DEEP:
                look(step.steps, (*path, at))

    look(steps, ())
    return frozenset(found)


def tree(steps: Sequence[Step], signs: Signs, folded: Set[Path] = frozenset()) -> tuple[Twig, ...]:
    """The steps in order, those below a folded one left out; skipped ones in a row for one reason are one line."""
    found: list[Twig] = []

    def grow(level: Sequence[Step], stem: str, path: Path) -> None:
        for at, end, step in _merged(level):
            if len(found) >= STEPS:
                return
            last, own = end == len(level), (*path, at)
            branch = "" if not path else signs.last_branch if last else signs.branch
            below = "" if not path else "  " if last else signs.stem
            is_open = own not in folded
            found.append(Twig(own, step, stem + branch, stem + below, is_open))
            if is_open and len(path) < _DEEP:
                grow(step.steps, stem + below, own)

    grow(steps, "", ())
    return tuple(found)


def _merged(level: Sequence[Step]) -> Iterator[tuple[int, int, Step]]:
    """Each step with where it begins and ends; skipped ones that say nothing but their one reason together."""
    at = 0
    while at < len(level):
        end = at + 1
        while (
            _is_bare(level[at]) and end < len(level) and _is_bare(level[end]) and level[end].reason == level[at].reason
        ):
            end += 1
        stages = ", ".join(step.stage for step in level[at:end])
        yield at, end, level[at] if end == at + 1 else replace(level[at], stage=stages)
        at = end


def _is_bare(step: Step) -> bool:
    if step.outcome != "skipped" or step.steps or step.elapsed_ms >= 0.05:
        return False
    return not any(map(_is_informative, step.facts))


def draw_twig(twig: Twig, signs: Signs, *, chosen: bool = False, width: int = 0) -> Content:
    """A step with its reason, and while it is open its facts, names and values in columns.

    In a `width`, where that is known, a reason or a value that goes on does so under where it began."""
    step, mark = twig.step, signs.outcome(twig.step.outcome)
    fold = " " if not twig.foldable else signs.opened if twig.open else signs.closed
    lead = [
        (twig.lead, "$cb-faint"),
        (f"{fold} ", "bold $cb-accent" if chosen else "$cb-dim"),
        (f"{mark.sign} ", mark.tone),
    ]
    head = [
        (title(step.stage), "bold $cb-text" if step.outcome == "hit" else "$cb-text"),
        (f"  {mark.words}", mark.tone),
    ]
    if step.elapsed_ms >= 0.05:
        head.append((f"  {duration(step.elapsed_ms)}", "$cb-dim"))
    under = twig.under + "    "
    lines = _hung(lead, Content.assemble(*head), under, width)
    if step.reason:
        lines += _hung([(under, "$cb-faint")], _soft(title(step.reason)), under, width)
    facts = [
        (title(name.replace("_", " ")), title(fact_text(value))) for name, value in filter(_is_informative, step.facts)
    ]
    if twig.open and facts:
        names = min(_NAMES, max(cell_len(name) for name, _ in facts))
        for name, value in facts:
            column = f"{pad(inline(name, names, more=signs.more), names)}  "
            lines += _hung([(under, "$cb-faint"), (column, "$cb-dim")], _soft(value), under, width)
    return Content("\n").join(lines)


def _is_informative(fact: tuple[str, Fact]) -> bool:
    return fact[1] is not None and fact[1] != ""


def _soft(text: str) -> Content:
    return Content.styled(text, "$cb-soft")


def _hung(lead: Sequence[tuple[str, str]], body: Content, under: str, width: int) -> list[Content]:
    """`body` behind its `lead`. Wrapped lines are indented to where it began, or to `under` where that is far."""
    begins = sum(cell_len(part) for part, _ in lead)
    if not width or begins + body.cell_length <= width:
        return [Content.assemble(*lead, body)]
    stem, *column = lead
    if width - begins < _ROOMY:
        begins, body, column = cell_len(under), Content.assemble(*column, body), []
    first, *rest = body.wrap(max(1, width - begins))
    gap = under + " " * (begins - cell_len(under))
    return [Content.assemble(stem, *column, first), *(Content.assemble((gap, "$cb-faint"), line) for line in rest)]


def duration(ms: float) -> str:
    """Return a duration in its shortest form."""
    return f"{ms / 1_000:.1f} s" if ms >= 999.5 else f"{ms:.0f} ms" if ms >= 9.95 else f"{ms:.1f} ms"


def took(steps: Sequence[Step]) -> str:
    """How long all of it took: as the last step says, if it is the whole, else all steps together; blank for nothing.

    Wherever a search names its time it is this one."""
    whole = steps[-1].elapsed_ms if steps and steps[-1].stage in _WHOLE else sum(step.elapsed_ms for step in steps)
    return duration(whole) if whole else ""


def draw_trace(steps: Sequence[Step], signs: Signs) -> Content:
    """The whole tree, nothing folded."""
    return Content("\n").join(draw_twig(twig, signs) for twig in tree(steps, signs))
