"""Tables of the Rules pane: labeled calls with their results, and rule drafts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rich.cells import cell_len
from textual.content import Content

from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import block, inline, pad, title
from tui.render.ranking import bar, place_of, short_tool, standing, tool_cells

if TYPE_CHECKING:
    from core.flows.corrections.drafts import RuleDraft
    from core.rules.evaluation.clusters import Cluster
    from core.rules.evaluation.compare import CaseResult, Difference, Rate, SystemScore


_INPUT = 4_000
_RESULTS = {
    "right": ("✓", "+", "$cb-good", "right"),
    "beside": ("!", "!", "$cb-draft", "right, but also shows a rule labeled wrong"),
    "part": ("~", "~", "$cb-draft", "right, but misses another rule"),
    "second": ("~", "~", "$cb-draft", "shown, but not first"),
    "missed": ("○", "-", "$cb-bad", "missed, no rule is shown"),
    "wrong": ("✕", "x", "$cb-bad", "another rule is shown"),
    "loud": ("!", "!", "$cb-bad", "a rule is shown, but none applies"),
    "unwanted": ("✕", "x", "$cb-bad", "shows a rule labeled wrong"),
    "gone": ("✓", "+", "$cb-good", "rule labeled wrong is not shown"),
}
_COLUMNS = (
    ("hit@1", "the right rule is first"),
    ("recall@5", "the right rules are among the first five"),
    ("quiet", "no rule is shown when none applies"),
    ("shown", "rules shown per call"),
    ("wrong", "a rule labeled wrong is shown"),
)
_CALL_COLUMNS = (
    ("label", "the rules that are right for the call"),
    ("shown", "the rules that casebook shows instead"),
    ("call", "the start of its input"),
)
_MIDDLE = 30
"""Cells of what is labeled and shown."""
_WAYS = {
    "bm25": "plain BM25 over all words (baseline)",
    "keyword": "keyword tier only, without a model",
    "semantic": "model only",
    "hybrid": "keyword tier and model (used by casebook)",
}


def draw_cluster_row(row: Cluster, width: int, signs: Signs, *, chosen: bool = False) -> Content:
    """One cluster: what kind, how near, which rules."""
    kind, tone = ("same", "$cb-bad") if row.kind == "duplicate" else ("near", "$cb-draft")
    ids = ", ".join(one.id for one in row.rules)
    names = " · ".join(one.title for one in row.rules)
    room = max(0, width - 19)
    return Content.assemble(
        (signs.bar if chosen else " ", "$cb-accent"),
        (f"{kind} ", f"bold {tone}"),
        (f"{row.similarity:.2f} {bar(row.similarity, 6, signs)} ", "$cb-dim"),
        (pad(inline(f"{ids}  {names}", room, more=signs.more), room), "$cb-text" if chosen else "$cb-soft"),
    )


def draw_cluster(row: Cluster, signs: Signs) -> Content:
    """One cluster in full: its rules, and what a person might do."""
    kind = "Similar" if row.kind == "duplicate" else "Related"
    parts: list[tuple[str, str]] = [(f"{kind}, similarity at least {row.similarity:.2f}\n", "bold $cb-text")]
    for one in row.rules:
        parts += [
            (f"\n{signs.dot} {inline(one.id, 14)}  ", "bold $cb-accent"),
            (title(one.title), "$cb-text"),
            (f"\n  {place_of(one.path, one.line)}", "$cb-dim"),
        ]
    parts.append((f"\n\n{inline(row.suggestion, 600)}", "$cb-soft"))
    parts.append((signs.fill_keys("\n\n{table.take} opens the first in your editor"), "$cb-dim"))
    return Content.assemble(*parts)


_RATES = ("hit@1", "recall@5", "quiet")
_BARS_FROM, _NAME = 84, 10
"""Cells of a row from which on a share has a bar, and those of a method's name."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A row with the names of the columns of the rows below it: of methods, or of labeled calls.

    `wrong`: the methods have a column of rules labeled wrong."""

    of: Literal["methods", "calls"]
    wrong: bool = False


def draw_heading(row: Heading, width: int, signs: Signs, *, chosen: bool = False) -> Content:
    """The names over their columns."""
    if row.of == "methods":
        cells = _rate_cells(width)
        names = "method".ljust(_NAME) + "".join(name.ljust(cells) for name in _RATES) + "shown"
        names += "  wrong" if row.wrong else ""
    else:
        tool = max(8, tool_cells(width - 40))
        names = f"  {'tool'.ljust(tool)} {f'label {signs.arrow} shown'.ljust(_MIDDLE)} call"
    text = pad(inline(names, width - 1, more=signs.more), width - 1)
    return Content.assemble((signs.bar if chosen else " ", "$cb-accent"), (text, "$cb-text" if chosen else "$cb-dim"))


def draw_legend(row: Heading) -> Content:
    """What the columns say."""
    columns = _COLUMNS if row.of == "methods" else _CALL_COLUMNS
    parts = [part for name, about in columns for part in ((f"{name:<9}", "$cb-dim"), (f"{about}\n", "$cb-text"))]
    return Content.assemble(*parts).rstrip()


def _rate_cells(width: int) -> int:
    return 14 if width >= _BARS_FROM else 10


def draw_system_row(row: SystemScore, width: int, signs: Signs, *, chosen: bool = False) -> Content:
    """One way of matching below its `Heading`: hit@1, recall@5, quiet rate as shares with bars, rules shown a call."""
    lead = [(signs.bar if chosen else " ", "$cb-accent")]
    lead.append((pad(inline(row.name, 9), _NAME), "bold $cb-accent" if row.name == "hybrid" else "$cb-text"))
    cells = _rate_cells(width)
    for rate in (row.hit_at_1, row.recall_at_5, row.quiet):
        value = f"{rate.value:.2f} " if rate.of else "   - "
        drawn = bar(rate.value if rate.of else 0.0, 6, signs) if width >= _BARS_FROM else ""
        lead += [(value, "$cb-text"), (pad(drawn, cells - len(value)), "$cb-good")]
    lead.append((f"{row.shown:>5.1f}  ", "$cb-text"))
    if row.unwanted.of:
        lead.append((f"{row.unwanted.value:>5.2f}", "$cb-bad" if row.unwanted.value else "$cb-text"))
    used = sum(cell_len(text) for text, _ in lead)
    return Content.assemble(*lead, " " * max(0, width - used))


def draw_system(row: SystemScore, notes: Sequence[str] = ()) -> Content:
    """Draw one matching method in full, each share with its interval; `notes` on the comparison come first."""
    cut = "it always shows a rule" if row.cutoff is None else f"rules are shown from {row.cutoff:.2f}"
    parts: list[tuple[str, str]] = [
        *((f"! {inline(one, 400)}\n", "$cb-draft") for one in notes),
        (f"{row.name}\n", "bold $cb-text"),
        (f"{_WAYS.get(row.name, '')}, {cut}\n", "$cb-soft"),
    ]
    rates = {"hit@1": row.hit_at_1, "recall@5": row.recall_at_5, "quiet": row.quiet, "wrong": row.unwanted}
    for name, about in _COLUMNS:
        if (rate := rates.get(name)) is None:
            continue
        parts += [(f"\n{name:<9}", "$cb-dim"), (_rate(rate), "$cb-text"), (f"\n         {about}", "$cb-dim")]
    parts.append((f"\n\n{row.shown:.2f} rules shown per call", "$cb-soft"))
    return Content.assemble(*parts)


def _rate(rate: Rate) -> str:
    if not rate.of:
        return "no such labels yet"
    count = f"{rate.value * rate.of:.1f}".removesuffix(".0")
    return f"{rate.value:.2f}   {count} of {rate.of}, 95 %: {rate.low:.2f} to {rate.high:.2f}"


def draw_case_row(row: object, width: int, signs: Signs, *, chosen: bool = False) -> Content:
    """One labeled call: right or not, the tool, what was expected, what is shown."""
    case = _case(row)
    mark = signs.mark(_RESULTS, case.result)
    partly = case.missed if len(case.labelled.expected) > 1 and case.shown_rules else ()
    expected = ", ".join(f"~{one}" if one in partly else one for one in case.labelled.expected) or _none(case)
    listed = ", ".join(case.shown_rules) or "no rule"
    fine = case.result in ("right", "gone")
    middle = expected if fine else f"{expected} {signs.arrow} {listed}"
    middle = pad(inline(middle, _MIDDLE, more=signs.more), _MIDDLE)
    cells = max(8, tool_cells(width - 40))
    tool = pad(inline(short_tool(case.labelled.call.tool_name), cells, more=signs.more), cells)
    room = max(0, width - 6 - cell_len(tool) - cell_len(middle))
    return Content.assemble(
        (signs.bar if chosen else " ", "$cb-accent"),
        (f"{mark.sign} ", f"bold {mark.tone}"),
        (f"{tool} ", "$cb-accent"),
        (f"{middle} ", "$cb-dim" if fine else "$cb-text"),
        (pad(inline(_about(case), room, more=signs.more), room), "$cb-soft"),
    )


def draw_case(row: object, signs: Signs) -> Content:
    """One labeled call in full."""
    case = _case(row)
    mark = signs.mark(_RESULTS, case.result)
    parts: list[tuple[str, str]] = [(f"{mark.sign} {mark.words}\n", f"bold {mark.tone}")]
    parts += [("\nexpected  ", "$cb-dim"), (title(_expected(case)), "$cb-text")]
    if case.missed and case.shown_rules:
        parts += [("\nmissed    ", "$cb-dim"), (title(", ".join(case.missed)), "$cb-draft")]
    if case.labelled.unwanted:
        parts += [("\nwrong     ", "$cb-dim"), (title(", ".join(case.labelled.unwanted)), "$cb-bad")]
    if case.ways is not None:
        parts += _ways(case.ways, signs)
    parts.append((f"\n\nscores, cut-off {case.match.cutoff:.2f}", "bold $cb-dim"))
    for one, name in [(one, "shown") for one in case.match.rules] + [(one, "below") for one in case.match.below[:5]]:
        mark = standing(name, signs)
        parts += [
            (f"\n{mark.sign} ", f"bold {mark.tone}"),
            (f"{one.relevance_score:.2f} ", "$cb-text"),
            (inline(f"{one.id}  {one.title}", 200), "$cb-text" if name == "shown" else "$cb-dim"),
        ]
    parts.append((f"\n\n{title(case.labelled.call.tool_name)}\n", "bold $cb-accent"))
    given = json.dumps(dict(case.labelled.call.tool_input), ensure_ascii=False, indent=1)
    text, left = block(given, _INPUT)
    parts += [(text, "$cb-soft"), (f"\n{left:,} more characters" if left else "", "$cb-dim")]
    parts.append((signs.fill_keys("\n\n{table.take} edits the call in the box"), "$cb-dim"))
    return Content.assemble(*parts)


def _none(case: CaseResult) -> str:
    """What is wanted where no rule is: silence, or only not these."""
    return f"not {', '.join(case.labelled.unwanted)}" if case.labelled.undecided else "no rule"


def _expected(case: CaseResult) -> str:
    if case.labelled.undecided:
        return "not labeled"
    return ", ".join(case.labelled.expected) or "no rule"


def _ways(found: Difference, signs: Signs) -> list[tuple[str, str]]:
    """What each way of matching shows for a call on which they differ."""
    parts: list[tuple[str, str]] = [("\n\nMethods differ", "bold $cb-dim")]
    by_method = {"bm25": found.bm25, "keyword": found.keyword, "semantic": found.semantic, "hybrid": found.hybrid}
    for name, ids in by_method.items():
        if ids is not None:
            mark = signs.mark(_RESULTS, "right" if name in found.right else "wrong")
            parts.append((f"\n{mark.sign} ", f"bold {mark.tone}"))
            parts += [(f"{name:<9} ", "$cb-soft"), (inline(", ".join(ids) or "no rule", 120), "$cb-text")]
    return parts


def _case(row: object) -> CaseResult:
    from core.rules.evaluation.compare import CaseResult

    assert isinstance(row, CaseResult)
    return row


def _about(case: CaseResult) -> str:
    given = case.labelled.call.tool_input
    return case.labelled.about or " ".join(str(value)[:300] for value in list(given.values())[:4])


_CALL = 24
_WIDE = 60
"""Cells from which a row has room for the declined call."""


def draw_draft_row(draft: RuleDraft, width: int, signs: Signs, *, chosen: bool) -> Content:
    """One draft: in how many sessions it was said, the rule, the call that was declined."""
    mark = signs.bar if chosen else " "
    times = pad(inline(f"{max(1, len(draft.said_in))}x", 4), 4)
    call = inline(f"{draft.tool} {draft.call}", _CALL, more=signs.more) if width >= _WIDE else ""
    room = max(1, width - 8 - (_CALL + 2 if call else 0))
    rule = pad(inline(draft.rule, room, more=signs.more), room)
    tone = "$cb-text"
    return Content.assemble((f"{mark} ", "$cb-accent"), (times, "$cb-dim"), (rule, tone), (f"  {call}", "$cb-dim"))


def draw_draft(draft: RuleDraft) -> Content:
    """One draft whole: the rule, the quote it rests on, the call, where it was said."""
    quote, _ = block(draft.quote)
    call, _ = block(draft.call, 2_000)
    sessions = len(draft.said_in)
    where = f"message {draft.message_index} of session {inline(draft.session)}"
    others = f", and in {sessions - 1} more" if sessions > 1 else ""
    parts = [
        (inline(draft.rule), "$cb-text"), "\n\n", ("Said ", "$cb-dim"), (f"“{quote}”", "$cb-text"), "\n\n",
        ("Declined ", "$cb-dim"), (f"{inline(draft.tool)} ", "$cb-text"), (call, "$cb-text"), "\n\n",
        (f"{inline(draft.why)}, {inline(draft.repository)}\n{where}{others}", "$cb-dim"),
    ]  # fmt: skip
    return Content.assemble(*parts)
