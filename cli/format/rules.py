"""Rules, what a call matches, and draft rules, as lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from cli.format.layout import clip, one_line, pad, wrap
from cli.format.markdown import markdown
from cli.output import Output
from core.flows.corrections.drafts import RuleDraft, RuleDrafts
from core.rules.evaluation.clusters import Clusters
from core.rules.evaluation.compare import Comparison, Difference, Rate
from core.rules.format.rule import Flaw, RuleList, counted_flaws, folded
from core.rules.format.store import Usage
from core.rules.matching.api import MatchedRule, RuleMatch

if TYPE_CHECKING:
    from core.flows.rules.ban_match import PlacedBan
    from core.flows.rules.matcher import RuleEdit


def match_lines(out: Output, found: RuleMatch) -> Iterator[str]:
    """The rules that apply with their solutions and reasons; with --verbose those below, and the trace."""
    for one in found.rules:
        yield from _rule_lines(out, one)
    if not found.rules:
        yield out.paint("No rule applies.", "dim")
    if found.fallback_used:
        yield from (out.paint(line, "warn") for line in wrap(_fallback_line(found), out.columns))
    if out.verbose:
        from cli.format.cases import trace_lines

        if found.below:
            yield out.paint(f"not shown (the cut-off is {found.cutoff:.2f}):", "dim")
        for one in found.below:
            yield f"  {one.relevance_score:.2f}  {clip(f'{one.id}: {one.title}', out.columns - 10)}"
        yield from trace_lines(out, found.trace)


def _fallback_line(found: RuleMatch) -> str:
    """Why keywords alone answered."""
    step = next((step for step in found.trace if step.stage == "semantic"), None)
    why = f"Keywords only: {one_line(step.reason)}." if step is not None and step.reason else "Keywords only."
    late = step is not None and step.outcome == "timeout"
    return f"{why} Results may differ with the model." if late else why


def _rule_lines(out: Output, one: MatchedRule) -> Iterator[str]:
    yield out.paint(clip(f"{one.id}: {one.title}", out.columns - 8), "bold") + f"  {one.relevance_score:.2f}"
    yield from markdown(out, one.solution or "(no solution)", 2)
    if out.verbose:
        where = f"{one.path}:{one.line}" if one.path else ""
        for reason in filter(None, (*one.why, where)):
            yield from (out.paint(line, "dim") for line in wrap(reason, out.columns, "  "))
    else:
        yield out.paint("  " + clip("; ".join(one.why), out.columns - 2), "dim")


_NO_RULE = (
    'No rules in these files. A rule begins with a heading such as "### ERR-001: title", or forbids code in backticks:'
    " Never use `cargo test`."
)


def list_lines(
    out: Output, found: RuleList, used: Mapping[tuple[str, str], Usage], forbidden: Sequence[PlacedBan] = ()
) -> Iterator[str]:
    """Yield every rule on a line: id, title, place, use count; then those about forbidden code."""
    for rule in found.rules:
        use = used.get((rule.path, rule.id))
        told = f"  shown {use.shown}, helped {use.helped}, dismissed {use.dismissed}" if use else ""
        where = f"{one_line(rule.path)}:{rule.line}"
        yield f"{pad(rule.id, 8)} {clip(rule.title, max(20, out.columns - 30))}  {where}{told}"
    for one in forbidden:
        yield f"{one_line(one.id)} {clip(one.ban.sentence, max(20, out.columns - 30))}  (forbidden code)"
    if found.flaws:
        yield out.paint(f"{counted_flaws(found.flaws)}: casebook rules check", "warn")
    elif not found.rules and not forbidden:
        yield from (out.paint(line, "warn") for line in wrap(_NO_RULE, out.columns))


def flaw_line(flaw: Flaw) -> str:
    """File, line and what is wrong; no line where it is the file itself."""
    place = f"{one_line(flaw.path)}:{flaw.line}" if flaw.line else one_line(flaw.path)
    return f"{place}: {one_line(flaw.message)}"


def check_lines(out: Output, found: RuleList, forbidden: int = 0) -> Iterator[str]:
    """Each problem with file and line; hints dim, those of one kind on one line unless --verbose. `forbidden`: rules
    about forbidden code."""
    for flaw in found.flaws if out.verbose else folded(found.flaws):
        told = flaw_line(flaw)
        yield out.paint(told, "dim") if flaw.cost == "missing" else told
    if not found.rules and not forbidden:
        yield from (out.paint(line, "warn") for line in wrap(_NO_RULE, out.columns))
    elif not found.flaws:
        every = len(found.rules) + forbidden
        many = "One rule, no problems." if every == 1 else ""
        yield out.paint(many or f"{every} rules, no problems.", "good")


def edit_lines(out: Output, edit: RuleEdit) -> Iterator[str]:
    """What an edit of a rule file came to, on a line."""
    if edit.fault:
        yield out.paint(one_line(edit.fault), "bad")
        return
    parts = (("added", edit.added), ("edited", edit.edited), ("removed", edit.removed))
    changes = "; ".join(f"{what} {clip(', '.join(ids), 60)}" for what, ids in parts if ids)
    yield f"{changes}: {edit.embedded} embedded" + (f" ({one_line(edit.without)})" if edit.without else "")


def cluster_lines(out: Output, found: Clusters) -> Iterator[str]:
    for one in found.clusters:
        head = "nearly the same" if one.kind == "duplicate" else "related"
        yield out.paint(f"{head} ({one.similarity:.2f})", "bold")
        for rule in one.rules:
            yield "  " + clip(f"{rule.id}: {rule.title}", out.columns - 2)
        yield from (out.paint(line, "dim") for line in wrap(one.suggestion, out.columns, "  "))
    if not found.clusters:
        many = "The only rule" if found.rules == 1 else f"Each of the {found.rules} rules"
        yield f"{many} has no similar rule (compared by {found.by})."


def comparison_lines(out: Output, found: Comparison) -> Iterator[str]:
    """The table, then the calls on which it matters which way is taken."""
    yield f"calls: {found.calls} ({found.half}), rules: {found.rules}, model: {one_line(found.model) or 'none'}"
    faulted = any(one.unwanted.of for one in found.systems)
    yield f"{'':22}{'hit@1':>18}{'recall@5':>18}{'quiet':>18}{'shown':>7}{'cut-off':>9}{'others':>9}" + (
        f"{'wrong shown':>18}" if faulted else ""
    )
    for one in found.systems:
        cut = "never" if one.cutoff is None else f"{one.cutoff:.3f}"
        others = f"{one.companions_right}/{one.companions_right + one.companions_wrong}"
        rates = "".join(f"{_rate(value):>18}" for value in (one.hit_at_1, one.recall_at_5, one.quiet))
        yield f"{one.name:22}{rates}{one.shown:>7.2f}{cut:>9}{others:>9}" + (
            f"{_rate(one.unwanted):>18}" if faulted else ""
        )
    if found.fitted:
        yield "fitted on the tuned half: " + ", ".join(f"{name} {value:.3f}" for name, value in found.fitted.items())
    for other in ("bm25", *(one.name for one in found.systems if one.name in ("keyword", "semantic") and found.model)):
        turns = [one.between("hybrid", other) for one in found.differences]
        yield f"hybrid and {other}: {turns.count(1)} better, {turns.count(-1)} worse"
    if out.verbose:
        for one in found.differences:
            yield from _difference_lines(out, one)


def _difference_lines(out: Output, one: Difference) -> Iterator[str]:
    """A call on which the ways differ: what was wanted, what each shows, + where it is right."""
    yield clip(f"{one.tool_name}: {one.about}", out.columns)
    yield clip(f"  wanted    {', '.join(one.expected) or 'silence'}", out.columns)
    ways = {"bm25": one.bm25, "keyword": one.keyword, "semantic": one.semantic, "hybrid": one.hybrid}
    for name, shown in ways.items():
        if shown is not None:
            sign = "+" if name in one.right else "-"
            yield clip(f"  {sign} {name:9}{', '.join(shown) or 'silence'}", out.columns)


def _rate(rate: Rate) -> str:
    return f"{rate.value:.2f} ({rate.low:.2f}-{rate.high:.2f})" if rate.of else "-"


_RULE: Final = 280
"""Code points of a draft that a list shows: people say a rule in a sentence or two, but decline plans of pages."""


def draft_lines(out: Output, found: RuleDrafts) -> Iterator[str]:
    """Each draft with the call that was declined, its evidence and where it was said."""
    for one in found.drafts:
        yield from _draft_lines(out, one)
    if not found.drafts:
        yield out.paint("No rule drafts.", "dim")
    elif any(one.status == "draft" for one in found.drafts):
        yield out.paint("To accept a draft, run: casebook rules accept ID --file CLAUDE.md", "dim")


def _draft_lines(out: Output, one: RuleDraft) -> Iterator[str]:
    state = "" if one.status == "draft" else f"  ({one.status}{f' into {one_line(one.path)}' if one.path else ''})"
    rule = one.rule if out.verbose or len(one.rule) <= _RULE else f"{one.rule[:_RULE].rstrip()}…"
    first, *rest = list(wrap(rule, out.columns - 8 - len(state), "")) or [""]
    yield f"{one.id:>4}  " + out.paint(first, "bold") + state
    yield from (" " * 6 + out.paint(line, "bold") for line in rest)
    count = len(one.said_in)
    where = f"{one_line(one.session)}:{one.message_index}" + (f", in {count} sessions" if count > 1 else "")
    for told in (f'quote: "{one.quote}"', f"declined: {one.tool} {one.call}", f"{one.why}; {one.repository}; {where}"):
        yield out.paint("      " + clip(one_line(told), max(20, out.columns - 6)), "dim")
    if rule != one.rule:
        more = f"{len(one.rule) - _RULE:,} more characters: casebook rules drafts --verbose"
        yield out.paint(f"      {more}", "dim")


def decided_lines(out: Output, done: RuleDrafts) -> Iterator[str]:
    """What was decided, and how to take it back."""
    for one in done.drafts:
        if one.status == "accepted":
            yield f"Wrote {one.rule_id} into {one_line(one.path or '')}: {clip(one_line(one.rule), out.columns)}"
        else:
            yield f"Rejected: {clip(one_line(one.rule), out.columns)}"
    yield out.paint("To undo it, run: casebook undo", "dim")
