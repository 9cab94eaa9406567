"""The explanation of one match: its score, shared words, texts with matches highlighted, and vector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from textual.content import Content

from core.text import visible
from tui.render.common.amounts import ago
from tui.render.common.glyphs import Signs
from tui.render.common.session import session_name
from tui.render.common.trace import draw_trace
from tui.render.common.untrusted import block, inline, title
from tui.render.ranking import (
    MEANING,
    WORDS,
    Ranked,
    Reasons,
    bar,
    hidden_rule_label,
    key_of,
    label_mark,
    label_of,
    place_of,
    standing,
)

if TYPE_CHECKING:
    from core.rules.calls import StoredCall
    from core.rules.evaluation.labels import Label
    from core.rules.explanation import Explained, HighlightedText, SharedWord, WhyNot
    from core.rules.format.store import Usage
    from core.rules.matching.api import MatchedRule, RuleMatch
    from core.rules.matching.semantic import CacheState


_BAR = 20
_LINES, _LINE = 8, 400
"""Lines of one text around a highlight, and code points of each."""


_NOTHING = Content("")


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a rule is shown or not, the texts that were compared, and the trace of the match."""

    reasons: Content = _NOTHING
    texts: Content = _NOTHING
    trace: Content = _NOTHING

    @property
    def whole(self) -> Content:
        return Content.assemble(self.reasons, self.texts, self.trace)

    @property
    def columns(self) -> tuple[Content, Content]:
        """The sum and the trace, and next to them the texts."""
        blank = len(self.texts.plain) - len(self.texts.plain.lstrip("\n"))
        return Content.assemble(self.reasons, self.trace), self.texts[blank:]


def draw_why(
    ranked: Ranked,
    matched: MatchedRule,
    reasons: Reasons | None,
    signs: Signs,
    now: datetime,
    source: StoredCall | None = None,
) -> Explanation:
    """All about one rule of a match; what is not read yet is left out. `source`: where the call is from."""
    is_shown = any(key_of(one) == key_of(matched) for one in ranked.match.rules)
    parts = [
        _first(ranked, matched, reasons, signs, is_shown=is_shown),
        _sentence(matched, ranked.match),
        _sum(matched, ranked.match, signs),
    ]
    if reasons is not None and reasons.why_not is not None:
        parts.append(draw_needs(reasons.why_not, signs))
    parts.append(draw_shared(matched, None if reasons is None else reasons.explained, signs))
    texts: list[Content] = []
    if reasons is not None:
        texts.append(draw_call(ranked.call.tool_name, source, reasons.explained.call, signs))
        texts += [head("Rule"), draw_texts(reasons.explained.texts, signs, WORDS)]
    texts.append(_query(ranked.match))
    if reasons is not None and reasons.usage is not None:
        texts.append(draw_usage(reasons.usage, now))
    if reasons is not None:
        texts.append(draw_cache(reasons.cache, reasons.no_cache, now))
    return Explanation(Content.assemble(*parts), Content.assemble(*texts), _trace(ranked.match, signs))


def _trace(match: RuleMatch, signs: Signs) -> Content:
    return Content.assemble(head("Trace"), draw_trace(match.trace, signs))


def draw_call(tool: str, source: StoredCall | None, texts: Sequence[HighlightedText], signs: Signs) -> Content:
    """Draw a call: its tool and source, and its fields, with shared words highlighted."""
    name = (title(tool), "bold $cb-dim")
    parts: list[Content | tuple[str, str]] = [head("Call: ").rstrip("\n"), name, ("\n", "")]
    if source is not None:
        name = session_name(source.session, source.started or source.ts, source.project)
        parts.append((f"{name}, message {source.message:,}", "$cb-soft"))
        parts.append((signs.fill_keys("  {rules.session} opens the session\n"), "$cb-dim"))
    return Content.assemble(*parts, draw_texts(texts, signs, WORDS))


def draw_silence(ranked: Ranked, signs: Signs, source: StoredCall | None = None) -> Explanation:
    """The match as a whole: for the line of the cut-off."""
    found = ranked.match
    count = len(found.rules)
    heading = (
        f"{count} of {ranked.every_rule:,} rule{'s'[: ranked.every_rule != 1]} shown" if count else "No rule applies"
    )
    if ranked.soon:
        heading = f"Loading the model{signs.more}"
    parts: list[Content] = [
        Content.styled(heading, "bold $cb-good" if count and not ranked.soon else "bold $cb-draft"),
        Content.styled(f"\nLowest score of a shown rule: {found.cutoff:.2f}", "$cb-soft"),
    ]
    if found.fallback_used:
        parts.append(Content.styled(", keywords only" + (" so far" if ranked.soon else ""), "$cb-draft"))
    if ranked.label is not None and ranked.label.silence:
        parts.append(Content.styled("\nYou labeled this call: no rule applies.", "$cb-good"))
    texts = draw_call(ranked.call.tool_name, source, ranked.texts, signs)
    return Explanation(Content.assemble(*parts), Content.assemble(texts, _query(found)), _trace(found, signs))


def _first(ranked: Ranked, one: MatchedRule, reasons: Reasons | None, signs: Signs, *, is_shown: bool) -> Content:
    from core.rules.matching.keyword import format_scores  # loaded once a call is matched

    mark = standing("shown" if is_shown else "below", signs)
    rank = next(
        (at for at, other in enumerate((*ranked.match.rules, *ranked.match.below), 1) if key_of(other) == key_of(one)),
        0,
    )
    if not rank and reasons is not None and reasons.why_not is not None:
        rank = reasons.why_not.rank
    place = (" first" if rank == 1 and is_shown else f", number {rank}") if rank else ""
    score, line = format_scores(one.relevance_score, ranked.match.cutoff)
    at_least = ">=" if signs.plain else "≥"
    parts = [
        (inline(f"{one.id}  {one.title}", 400), "bold $cb-text"),
        (f"\n{mark.sign} {mark.words}{place}", f"bold {mark.tone}"),
        (f"   {score} ", "bold $cb-text"),
        (f"{at_least if one.relevance_score >= ranked.match.cutoff else '<'} {line}", "$cb-soft"),
        (f"   {place_of(one.path, one.line)}", "$cb-faint"),
    ]  # fmt: skip
    if (
        label_text := label_of(ranked.label, one, is_shown=True)
        if is_shown
        else hidden_rule_label(ranked.match, ranked.label, one)
    ):
        label = label_mark(label_text, signs)
        parts.append((f"\n{label.sign} labeled {label.words}", f"bold {label.tone}"))
    return Content.assemble(*parts)


def _sentence(one: MatchedRule, match: RuleMatch) -> Content:
    """Why the rule is shown or not, before the figures."""
    from core.rules.plain_reason import plain_reason  # loaded once a call is matched

    return Content.assemble(("\n\n", ""), (title(plain_reason(one, match)), "$cb-text"))


def _sum(one: MatchedRule, match: RuleMatch, signs: Signs) -> Content:
    """Draw each tier's bar, and the arithmetic of the core; of forbidden code, what to do."""
    if one.match_type == "exact":
        return Content.styled(f"\n{title(one.solution)}" if one.solution != one.title else "", "$cb-soft")
    total = next((why for why in reversed(one.why) if " = " in why), "")
    rest = [why for why in one.why if why != total and not why.startswith("shares ")]
    similarity = "not compared" if one.similarity is None else f"{one.similarity:.2f}"
    blank = signs.dot.ljust(_BAR)
    parts = [
        ("\n", ""),
        ("\nmeaning  ", "$cb-dim"),
        (blank if one.similarity is None else bar(one.similarity, _BAR, signs), MEANING),
        (f" {similarity}", "$cb-text"),
        ("\nwords    ", "$cb-dim"),
        (bar(one.keyword_score, _BAR, signs), WORDS),
        (f" {one.keyword_score:.2f}", "$cb-text"),
        ("\ntogether ", "$cb-dim"),
        (bar(one.relevance_score, _BAR, signs), "$cb-good" if one.relevance_score >= match.cutoff else "$cb-dim"),
        (f" {one.relevance_score:.2f}", "bold $cb-text"),
    ]
    if total:
        parts.append((f"\n{title(total)}", "$cb-soft"))
    parts += [(f"\n{signs.dot} {title(why)}", "$cb-soft") for why in rest]
    return Content.assemble(*parts)


def draw_needs(found: WhyNot, signs: Signs) -> Content:
    """What the rule would have needed."""
    parts: list[tuple[str, str]] = []
    for need in found.needs:
        tone = "$cb-dim" if need.needed is None else "$cb-text"
        sign = signs.dot if need.needed is None else signs.arrow
        parts.append((f"{sign} {title(need.reason)}\n", tone))
    if found.enough:
        words = ", ".join(title(word) for word in found.enough)
        few = "this word" if len(found.enough) == 1 else f"these {len(found.enough)} words"
        parts.append((f"{signs.arrow} if the call also contained {few}, the rule would be shown: ", "$cb-text"))
        parts.append((f"{words}\n", f"bold {WORDS}"))
    elif found.lacking:
        parts.append((f"{signs.dot} rule words missing from the call: ", "$cb-dim"))
        parts.append((", ".join(title(one.word) for one in found.lacking) + "\n", "$cb-soft"))
    return Content.assemble(head("Missing requirements"), *parts).rstrip()


def draw_texts(texts: Sequence[HighlightedText], signs: Signs, tone: str) -> Content:
    """Draw each text with shared words highlighted: lines with matches, else its beginning."""
    parts: list[Content] = []
    for one in texts:
        name = title(NAMES.get(one.name, one.name))
        parts.append(Content.assemble((f"{name}  ", "$cb-dim"), _highlighted_lines(one, signs, tone)))
    return Content("\n").join(parts)


def _highlighted_lines(one: HighlightedText, signs: Signs, tone: str) -> Content:
    """Return at most so many lines, each with its highlights; omitted lines are a sign."""
    lines: list[Content] = []
    start, left_out = 0, False
    highlighted = _highlighted_line_numbers(one)
    for number, line in enumerate(one.text.split("\n")):
        end = start + len(line)
        if number in highlighted:
            first = start
            inside = [(max(0, a - first), b - first) for a, b in one.spans if a < end and b > first]
            matched = [(max(0, a - first), b - first) for a, b in one.patterns if a < end and b > first]
            nearest = min((a for a, _ in (*inside, *matched)), default=0)
            cut = max(0, nearest - _LINE // 2) if nearest > _LINE // 2 else 0
            text = visible(line[cut : cut + _LINE]).replace("\t", " ")
            content = Content.styled(text, "$cb-soft")
            for places, style in ((matched, f"underline {tone}"), (inside, f"bold underline {tone}")):
                for a, b in places:
                    if a - cut < len(text) and b > cut:
                        content = content.stylize(style, max(0, a - cut), min(len(text), b - cut))
            mark = f"{signs.more} " if cut or left_out else ""
            lines.append(Content.assemble((mark, "$cb-faint"), content))
            left_out = False
        else:
            left_out = True
        start = end + 1
        if number > max(highlighted, default=0):
            break
    if left_out:
        lines.append(Content.styled(signs.more, "$cb-faint"))
    return Content("\n").join(lines)


def _highlighted_line_numbers(one: HighlightedText) -> set[int]:
    """Return the numbers of the lines to draw: those with highlights, else the first."""
    found: set[int] = set()
    number = at = 0
    for start, _ in sorted((*one.spans, *one.patterns)):
        number += one.text.count("\n", at, start)
        at = start
        found.add(number)
        if len(found) >= _LINES:
            break
    return found or set(range(min(3, one.text.count("\n") + 1)))


def _query(match: RuleMatch) -> Content:
    text, left = block(match.query, 2_000)
    more = f"\n{left:,} more characters" if left else ""
    return Content.assemble(head("Text given to the model"), (text, "$cb-soft"), (more, "$cb-dim"))


def draw_usage(used: Usage, now: datetime) -> Content:
    """How often the rule was shown to agents, and what a person said of it then."""
    counts = f"shown to agents {used.shown:,} times, labeled right {used.helped:,}, wrong {used.dismissed:,}"
    last = _since(datetime.fromisoformat(used.last), now)
    return Content.assemble(head("Usage"), (f"{counts}, last {last}", "$cb-soft"))


def draw_cache(cache: CacheState | None, why_not: str, now: datetime) -> Content:
    """What is kept of the rule: how old, of which text, by which model."""
    if cache is None:
        return Content.assemble(head("Embedding"), (f"cannot be read: {title(why_not)}", "$cb-draft"))
    parts: list[tuple[str, str]] = []
    for one in cache.vectors:
        parts += [("model  ", "$cb-dim"), (title(one.model), "$cb-text"), (f"  {title(one.recipe)}\n", "$cb-dim")]
        parts += [("text   ", "$cb-dim"), (f"sha256 {title(one.text_sha[:16])}", "$cb-soft")]
        parts.append((", out of date (not compared)\n", "$cb-draft") if one.older else ("\n", ""))
    if not cache.vectors:
        vectors = "not embedded yet" if cache.waiting else "none (compared by keywords only)"
        parts.append((f"{vectors}\n", "$cb-draft"))
    if cache.looked is not None:
        when = datetime.fromtimestamp(cache.looked, UTC)
        state = "up to date" if cache.current else "out of date"
        parts += [
            ("file   ", "$cb-dim"),
            (f"sha256 {title(cache.file_sha[:16])}, read {_since(when, now)}\n", "$cb-soft"),
        ]
        parts += [("rule   ", "$cb-dim"), (f"sha256 {cache.content_hash[:16]}, {state}\n", "$cb-soft")]
    if cache.failure:
        parts.append((f"{title(cache.failure)}\n", "$cb-bad"))
    return Content.assemble(head("Embedding"), *parts).rstrip()


def _since(when: datetime, now: datetime) -> str:
    age = ago(when.isoformat(), now)
    return "just now" if age == "now" else f"{age} ago"


def draw_label(label: Label | None) -> str:
    """What was said of a call, in a line."""
    if label is None:
        return ""
    parts = ["no rule" if label.silence else f"{', '.join(label.applies)} right" if label.applies else ""]
    parts.append(f"{', '.join(label.not_these)} wrong" if label.not_these else "")
    return "labeled: " + ", ".join(part for part in parts if part)


_ROWS = 10
_TITLE = "Shared words (bm25)"
NAMES = {"root_cause": "root cause", "new_string": "added", "old_string": "replaced"}
"""Fields as a person calls them."""


def head(text: str) -> Content:
    return Content.styled(f"\n\n{text}\n", "bold $cb-dim")


def draw_shared(one: MatchedRule, explained: Explained | None, signs: Signs) -> Content:
    """The words that both have, those that add most first; the rest in a line, and the sum under them."""
    rows = () if explained is None else explained.shared
    if not one.hits:
        return Content.assemble(head(_TITLE), ("none", "$cb-dim"))
    if explained is None:
        return Content.assemble(head(_TITLE), (", ".join(inline(hit.term, 30) for hit in one.hits[:_ROWS]), "$cb-dim"))
    best = max(row.score for row in rows) or 1.0
    parts: list[tuple[str, str]] = []
    for row in rows[:_ROWS]:
        parts += [
            (bar(row.score / best, 6, signs), WORDS),
            (f" {row.score:>5.2f}  ", "$cb-dim"),
            (_words(row, signs), "bold $cb-text"),
            (f"  {term_source(row, signs)}\n", "$cb-dim"),
        ]
    if rest := rows[_ROWS:]:
        words = ", ".join(_words(row, signs) for row in rest)
        parts.append((f"{len(rest)} more add {sum(row.score for row in rest):.2f}: {words}\n", "$cb-dim"))
    return Content.assemble(head(_TITLE), *parts, (_shared_sum(one, explained), "$cb-soft"))


def _words(row: SharedWord, signs: Signs) -> str:
    return ", ".join(inline(word, 30, more=signs.more) for word in row.words)


def _shared_sum(one: MatchedRule, explained: Explained) -> str:
    from core.rules.matching.keyword import FULL, bounded  # loaded once a call is matched

    if one.keyword_score > bounded(explained.bm25) + 0.001:
        raised = f"{explained.bm25:.2f} points, raised to {one.keyword_score:.2f}"
        return f"{raised} because one of your patterns names the rule"
    return f"{explained.bm25:.2f} of {FULL:g} points = {one.keyword_score:.2f}"


def term_source(row: SharedWord, signs: Signs) -> str:
    """Return the place of a shown word in the call, and its form there if it differs."""
    word = inline(row.in_call, 40, more=signs.more)
    if row.source.startswith("pattern "):
        return f"by the pattern {inline(row.source.removeprefix('pattern '), 40)}: {word}"
    if row.source == "code":
        return "the rule's code"
    place = "in a path" if row.source == "path" else f"in {inline(NAMES.get(row.source, row.source), 40)}"
    return f"{place}: {word}" if _other(row) else place


def _other(row: SharedWord) -> bool:
    """Whether the call says it in another word, not only in another form of it."""
    one, other = row.words[0].casefold(), row.in_call.casefold()
    short = min(len(one), len(other))
    return one[: max(3, short - 2)] != other[: max(3, short - 2)]
