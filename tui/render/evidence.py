"""The Evidence pane: quotes in their list, one quote with its source, entries, and summaries of decisions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content

from core.text import visible
from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import inline, pad, title

if TYPE_CHECKING:
    from core.align import Difference, Span
    from core.evidence import DecidedMany, Entry, NamedEntry, PromotedMany, Quote, QuoteRow, Seen
    from core.evidence.review.decisions import Refusal
    from core.evidence.review.detail import MessageText


EMPTY = Content("")
QUOTE = 4_000
"""Code points of a quote, and of each side of its diff, that are drawn."""
_REASONS = 3
_LABEL = 8
"""Cells of a label before a wrapped text."""
_WHY = 20
"""The most cells that a row has for what differs."""
_SIGNS = ("≠", "!=", "⇄", "<->", "→", "->")
_PLAIN = str.maketrans({"≠": "!=", "⇄": "<->", "→": "->"})
_PLACES = 9
_LISTED = 200
"""Entries that are listed before they are promoted."""
_AROUND = 24
"""Code points shown before a place in the list of places."""
_BEFORE, _LINE, _BEHIND = 1_500, 240, 3_000
"""Code points of a message drawn before its place, of the place's own line before it, and behind it."""


_NEIGHBOUR, _NEIGHBOUR_LINES = 900, 8
"""Code points and lines of the messages around it that are drawn."""


def reason_text(row: QuoteRow, signs: Signs) -> str:
    """Why a quote waits, in a word or two: what differs, else its state."""
    reason = row.brief or signs.quote(row.state).words
    return reason.translate(_PLAIN) if signs.plain else reason


def reason_width(rows: Iterable[QuoteRow], signs: Signs) -> int:
    """The cells that the reasons of these rows need before the quotes, so that the quotes begin in one column."""
    return max((min(cell_len(inline(reason_text(row, signs), _WHY)), _WHY) for row in rows), default=0)


def draw_quote_row(
    row: QuoteRow, width: int, signs: Signs, *, lead: int = 0, chosen: bool = False, marked: bool = False
) -> Content:
    """One line: the sign (`+` where it is marked), what differs or why it waits in `lead` cells, and the quote."""
    mark = signs.quote(row.state)
    room = max(0, width - 4)
    left = min(lead or _WHY, room // 2)
    why = pad(fit_change(reason_text(row, signs), left, signs), left)
    quote = inline(" ".join(row.quote.split()), max(0, room - left - 2), more=signs.more)
    tone = "$cb-text" if chosen else "$cb-soft"
    bar = signs.bar if chosen else " "
    return Content.assemble(
        (bar, "$cb-accent"),
        (mark.sign, f"bold {mark.tone}"),
        ("+ " if marked else "  ", "bold $cb-accent"),
        (why, mark.tone if row.brief else "$cb-dim"),
        "  ",
        (quote, tone),
    )


def fit_change(change: str, cells: int, signs: Signs) -> str:
    """A change in so many cells: what both sides begin and end with is left out before a side is cut."""
    if cell_len(flat(change)) > cells:
        change = change.removeprefix("order: ").replace(" → ", "→").replace(" -> ", "->")
    sign = next((sign for sign in _SIGNS if sign in change), "")
    if cell_len(flat(change)) <= cells or not sign:
        return inline(change, cells, more=signs.more)
    left, _, right = (flat(part) for part in change.partition(sign))
    most = min(len(left), len(right)) - 1
    start = _shared(left[:most], right[:most])
    end = _shared(left[start + 1 :][::-1], right[start + 1 :][::-1])
    room = max(0, cells - cell_len(sign))
    # As little as is needed: what both begin with, else what both end with, else both.
    start, end = (shared if shared > 1 else 0 for shared in (start, end))
    for low, high in ((start, 0), (0, end), (start, end)):
        sides = [side[low : len(side) - high] for side in (left, right)]
        short = [f"{signs.more * (low > 0)}{side}{signs.more * (high > 0)}" for side in sides]
        if low + high and sum(map(cell_len, short)) <= room:
            left, right = short
            break
    one = max(room // 2, room - cell_len(right))
    left = inline(left, one, more=signs.more)
    return left + sign + inline(right, room - cell_len(left), more=signs.more)


def _shared(left: str, right: str) -> int:
    """How many code points both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False)))


def draw_diff(diff: Sequence[Difference], width: int, bar: str = " ") -> Content:
    """The quote above, the source below, letter for letter, what differs marked in each by tone and by brackets. Each
    continues below its start, so that the two line up; `bar` comes before each row."""
    quote = _marked([(run.same, run.quote) for run in diff], "bold $cb-bad")
    source = _marked([(run.same, run.source) for run in diff], "bold $cb-good")
    return Content("\n").join((draw_labelled("quote", quote, width, bar), draw_labelled("source", source, width, bar)))


def _marked(runs: Sequence[tuple[bool, str]], tone: str) -> Content:
    """The runs of one side, inert, as one text; a bracket around each that differs."""
    whole = flat("".join(text for _, text in runs))
    parts: list[tuple[str, str]] = []
    at = 0
    for same, text in runs:
        part = whole[at : at + len(text)]
        at += len(text)
        if part:
            parts.append((part, "$cb-soft") if same else (f"[{part}]", tone))
    return Content.assemble(*parts)


def draw_labelled(label: str, text: Content, width: int, bar: str = " ") -> Content:
    """Draw a text behind its label; it wraps below the text, not below the label."""
    side = Content.styled(bar, "$cb-accent")
    return _hung(Content.assemble((label.ljust(_LABEL - 1), "$cb-dim"), side), text, width, side)


def _hung(lead: Content, text: Content, width: int, side: Content = EMPTY) -> Content:
    """`text` behind `lead`, and what does not fit below itself, each row behind `side`."""
    room = width - lead.cell_length
    if room < _LABEL:
        return Content.assemble(lead, text)
    first, *rest = text.wrap(room) or [Content("")]
    under = Content.assemble(" " * (lead.cell_length - side.cell_length), side)
    return Content("\n").join((Content.assemble(lead, first), *(Content.assemble(under, line) for line in rest)))


def flat(text: str) -> str:
    """Inert, a blank for each line end and tab: as many code points as before."""
    return visible(text[:QUOTE]).replace("\n", " ").replace("\t", " ")


def draw_reasons(reasons: Sequence[str], width: int) -> Content:
    """Why a person must look, the first of them; the trace has all."""
    sign = Content.styled("! ", "bold $cb-draft")
    lines = [_hung(sign, Content.styled(title(one), "$cb-draft"), width) for one in reasons[:_REASONS]]
    if (more := len(reasons) - _REASONS) > 0:
        lines.append(Content.styled(f"  +{more:,} more", "$cb-dim"))
    return Content("\n").join(lines)


def draw_places(quote: Quote, texts: Mapping[int, str], at: int, signs: Signs, width: int) -> Content:
    """Draw the possible places, numbered, with their context; the shown one has the bar.

    `texts`: the messages by their index.
    """
    lines: list[Content] = []
    for choice in quote.choices[:_PLACES]:
        here = choice.number - 1 == at
        where = f"message {choice.spans[0].message_index}"
        like = f"  {choice.similarity:.0%}" if choice.kind == "near miss" else ""
        head = f"{signs.bar if here else ' '}{choice.number} {where}{like}  "
        span, text = choice.spans[0], texts.get(choice.spans[0].message_index, "")
        low = max(0, span.start - (_AROUND if choice.kind == "one of several" else 0))
        words = inline(text[low : low + QUOTE], max(8, width - cell_len(head)), more=signs.more)
        line = Content.assemble((head, "bold $cb-accent" if here else "$cb-dim"), (words, "$cb-soft"))
        first, last = (min(len(head) + at_ - low, len(line.plain)) for at_ in (span.start, span.end))
        lines.append(line.stylize("bold underline", first, last) if first < last else line)
    if (more := len(quote.choices) - _PLACES) > 0:
        lines.append(Content.styled(f"  and {more:,} more locations", "$cb-dim"))
    return Content("\n").join(lines)


def draw_filter_choice(kind: str, value: str, count: int | None, signs: Signs, *, on: bool) -> Content:
    """A line of the filter menu: whether it is on, the kind, the value, how many quotes it would show."""
    mark = signs.outcomes["hit"]
    label = inline(value, 30, more=signs.more) or "(none)"
    return Content.assemble(
        (f"{mark.sign if on else ' '} ", mark.tone),
        (pad(kind, 8), "$cb-dim"),
        (pad(label, 31), "$cb-text bold" if on else "$cb-text"),
        (("" if count is None else f"{count:,}").rjust(7), "$cb-dim" if count else "$cb-faint"),
    )


def draw_found_span(seen: Seen, width: int, signs: Signs) -> Content:
    """Draw a place in the session on one line: the message, the similarity to the quote, highlighted words."""
    like = "" if seen.similarity == 1.0 else f" {seen.similarity:.0%}"
    head = f"{seen.span.message_index:>5}{like}  "
    room = max(8, width - len(head))
    before = max(0, seen.start - _AROUND)
    lead = signs.more if before else ""
    words = inline(seen.text[before:], max(1, room - len(lead)), more=signs.more)
    line = Content.assemble((head, "$cb-dim"), (lead, "$cb-faint"), (words, "$cb-soft"))
    first, last = (min(len(head) + len(lead) + at - before, len(line.plain)) for at in (seen.start, seen.end))
    return line.stylize("bold underline $cb-good", first, last) if first < last else line


def ready_text(count: int, here: str, signs: Signs) -> str:
    """Which entries a decision made ready, and the key that verifies them. `here`: that of the chosen quote."""
    if here:
        begin, end = ('"', '"') if signs.plain else ("“", "”")
        return f"{begin}{here}{end} is ready: " + signs.fill_keys("{evidence.promote} verifies it.")
    count_text, what = ("1 entry is", "it") if count == 1 else (f"{count:,} entries are", "them")
    return signs.fill_keys(f"{count_text} ready. {{evidence.promote_ready}} lists {what}.")


def draw_promotable(ready: Sequence[NamedEntry]) -> Content:
    """The titles of the entries that are ready, a line each."""
    lines = [f"{inline(one.title, 66) or inline(one.entry_id, 66)}" for one in ready[:_LISTED]]
    more = f"\nand {len(ready) - _LISTED:,} more" if len(ready) > _LISTED else ""
    return Content.assemble(("\n".join(lines), "$cb-text"), (more, "$cb-dim"))


def draw_neighbour(message: MessageText, signs: Signs, *, before: bool) -> Content:
    """The end of the message before the one that is shown, or the beginning of the one behind it, dimmed.

    A tool's call is laid out as in the session: a patch as a patch, a command as a command.
    """
    text = message.text.strip("\n")
    if message.kind == "tool_use":
        from core.transcripts.commands import call_lines  # not for the first screen

        text = "\n".join(line for _, line in call_lines(text))
    part = text[-_NEIGHBOUR:] if before else text[:_NEIGHBOUR]
    lines = part.split("\n")
    lines = lines[-_NEIGHBOUR_LINES:] if before else lines[:_NEIGHBOUR_LINES]
    part = "\n".join(lines)
    more = signs.more if len(part) < len(text) else ""
    body = f"{more}{_inert(part)}" if before else f"{_inert(part)}{more}"
    head = f"message {message.index:,}  {title(message.role)}"
    whole = Content.assemble((f"{head}\n", "$cb-dim"), (body, "$cb-faint"))
    return Content.assemble(whole, "\n") if before else Content.assemble("\n", whole)


def draw_message(text: str, spans: Sequence[Span], signs: Signs) -> tuple[Content, Content, Content]:
    """Draw a message in three parts: before the lines of its place, those lines highlighted, and after.

    However long the message is, only what is around the place is drawn. Without a place, its beginning.
    """
    if not spans:
        return Content(""), _cut(text, 0, _BEHIND, signs), Content("")
    start, end = spans[0].start, min(spans[-1].end, spans[0].start + QUOTE)
    line = max(text.rfind("\n", 0, start) + 1, start - _LINE)
    first = max(0, line - _BEFORE)
    stop = text.find("\n", end)
    stop = min(len(text) if stop < 0 else stop, end + _LINE)
    before = Content("")
    if line:
        head = f"{signs.more} {first:,} characters before\n" if first else ""
        part = text[first:line]
        before = Content.assemble((head, "$cb-dim"), (_inert(part.removesuffix("\n")), "$cb-soft"))
    place = Content.styled(_inert(text[line:stop]), "$cb-soft")
    for span in spans:
        low, high = max(span.start, line) - line, min(span.end, stop) - line
        if low < high:
            place = place.stylize("bold underline $cb-good", low, high)
    return before, place, _cut(text, stop + (text[stop : stop + 1] == "\n"), _BEHIND, signs)


def _cut(text: str, start: int, most: int, signs: Signs) -> Content:
    part = text[start : start + most]
    left = len(text) - start - len(part)
    tail = (
        signs.fill_keys(f"\n{signs.more} {left:,} more characters ({{evidence.whole}} shows all)") if left > 0 else ""
    )
    return Content.assemble((_inert(part), "$cb-soft"), (tail, "$cb-dim"))


def _inert(text: str) -> str:
    return visible(text).replace("\t", " ")


def draw_entry(quote: Quote, entry: Entry | None, signs: Signs) -> Content:
    """The entry: what it claims, whether it may be promoted, its quotes, and what was decided about this one."""
    row, promotion = quote.row, quote.promotion
    tone = "$cb-good" if promotion.stage == "verified" else "$cb-draft"
    parts: list[tuple[str, str]] = [(title(row.title) or "(no title)", "bold $cb-text"), ("\n", "")]
    parts += [
        (f"{title(row.type)}  ", "$cb-accent"),
        (promotion.stage, tone),
        (f"  {title(row.entry_id)}\n", "$cb-dim"),
    ]
    if promotion.promotionBlocked:
        parts.append((title(promotion.promotionBlockReason or "The entry cannot be verified."), "$cb-bad"))
    elif promotion.stage == "candidate":
        parts.append((signs.fill_keys("Ready. Press {evidence.promote} to verify it."), "$cb-good"))
    else:
        parts.append(("Verified: every quote is in its source.", "$cb-good"))
    parts.append(("\n", ""))
    if (made := quote.decision) is not None:
        parts.append((f"\n{made.act} by {title(made.by)}, {title(made.at)}", "$cb-soft"))
        parts.append((f"\n{title(made.reason)}" if made.reason else "", "$cb-soft"))
    if quote.original is not None:
        parts.append((f"\noriginal quote: {inline(quote.original, 400)}", "$cb-dim"))
    others = () if entry is None else entry.quotes
    parts.append((f"\n{len(others)} {'quote' if len(others) == 1 else 'quotes'} of this entry", "bold $cb-dim"))
    for other in others[:50]:
        mark, here = signs.quote(other.state), other.id == row.id
        parts += [("\n", ""), (f"{mark.sign} ", f"bold {mark.tone}")]
        parts.append((inline(" ".join(other.quote.split()), 160), "$cb-text" if here else "$cb-soft"))
    return Content.assemble(*parts)


_NAME = 60
_DIFFER = frozenset(("needs_confirmation", "too_little"))
_LEFT: dict[Refusal, str] = {
    "needs_confirmation": "different from the source",
    "too_little": "different from the source",
    "choose_a_place": "at several locations",
    "no_place": "not found",
    "not_aligned": "not aligned yet",
    "changed_meanwhile": "changed meanwhile",
    "as_it_was": "already decided",
}


def summary_of_decisions(done: DecidedMany, what: str) -> str:
    """How many quotes were `accepted` or `rejected`, and why the others are left."""
    count, left = len(done.done), [why for _, why in done.left]
    if not left:
        return f"{count:,} {what}."
    begin = f"{count:,} {what}." if count else f"Nothing {what}."
    if set(left) <= _DIFFER:
        these = "1 quote differs" if len(left) == 1 else f"{len(left):,} quotes differ"
        return f"{begin} {these} from the source. Review each one separately."
    reasons = Counter(_LEFT[why] for _, why in done.left)
    counts = ", ".join(f"{number:,} {reason}" for reason, number in reasons.most_common())
    return f"{begin} Left: {counts}."


def summary_of_promotions(done: PromotedMany) -> str:
    """How many entries were verified, and what blocks the others."""
    names, parts = done.promoted, list[str]()
    if names:
        one = f"“{_name(names[0].title, names[0].entry_id)}” is verified."
        parts.append(one if len(names) == 1 else f"{len(names):,} entries verified.")
    if done.blocked:
        first = done.blocked[0]
        which = f"“{_name(first.title, first.entry_id)}”"
        many = which if len(done.blocked) == 1 else f"{len(done.blocked):,} entries, first {which}"
        parts.append(f"Blocked: {many}. {inline(first.reason, 120)}")
    if done.verified_before:
        count = done.verified_before
        parts.append("1 entry was already verified." if count == 1 else f"{count:,} entries were already verified.")
    return " ".join(parts) or "Nothing to verify."


def _name(title: str, entry_id: str) -> str:
    return inline(title, _NAME).strip() or inline(entry_id, _NAME)
