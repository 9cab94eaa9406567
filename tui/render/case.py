"""A case as blocks of text: key line, fix, lesson, masked parts, source, similar cases and cited places."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from textual.content import Content, Span

from tui.render.common.amounts import ago, counted, stamp
from tui.render.common.code import fit_fill, frame_spans, hunk_lines, language_of, source_spans, surplus_fill
from tui.render.common.glyphs import UNICODE, Signs
from tui.render.common.lines import dotted, hanging
from tui.render.common.markdown import draw_fix_markdown, draw_marks, quote_bar
from tui.render.common.untrusted import BLOCK, Spans, block, inline, light, pad, short_id, title, tone_of

if TYPE_CHECKING:
    from core.errors import Case, Hit, Masked, Occurrence, Resolution
    from core.errors.cases.case import CaseKeyLine, Cited
    from core.errors.lessons import Lesson
    from core.errors.practice import Practice
    from core.errors.retrieval.match_location import Standing
    from core.errors.retrieval.neighbours import CaseLike


_LINE = 4_000
"""Code points of a key line or a masked key that are shown."""


@dataclass(frozen=True, slots=True)
class Fix:
    """The fix to show: for a match its own, else the one that answers for the case."""

    text: str
    status: str
    resolved_by: str | None
    tools: tuple[str, ...]
    session: str | None
    messages: tuple[int, ...]
    tags: tuple[str, ...] = ()
    weakness: str = ""
    lesson: Lesson | None = None


def fix_of(case: Case, hit: Hit | None, chosen: Resolution | None = None) -> Fix | None:
    """The fix of the matched error (`chosen`, or the hit's own without history), else the fix of the case;
    None while nothing does."""
    if chosen is not None:
        return Fix(
            chosen.text, chosen.status, chosen.fixed_by, chosen.tool_sequence,
            chosen.source.session, chosen.source.messages, chosen.tags, chosen.weakness, chosen.lesson,
        )  # fmt: skip
    if hit is not None and hit.accepted and (hit.resolution or "").strip():
        return Fix(
            hit.resolution or "", hit.status or "draft", hit.resolved_by, hit.tool_sequence,
            hit.source.session, hit.source.messages, lesson=hit.lesson,
        )  # fmt: skip
    if not (case.resolution or "").strip():
        return None
    current = next((one for one in case.resolutions if one.current), None)
    session, messages = (current.source.session, current.source.messages) if current else (None, ())
    return Fix(
        case.resolution or "", current.status if current else case.status,
        current.fixed_by if current else case.resolved_by, case.tool_sequence, session, messages,
        current.tags if current else (), current.weakness if current else "", current.lesson if current else None,
    )  # fmt: skip


def head_line(case: Case, hit: Hit | None, error: CaseKeyLine | None = None) -> str:
    """The key line that the case shows: the one that matched, or of the `error` it is read at, else its first."""
    if hit is not None and hit.key_line:
        return hit.key_line
    return case.key_lines[0] if error is None else error.key_line


def draw_key_line(line: str, masked: Sequence[Masked], hit: Hit | None, highlights: Spans, signs: Signs) -> Content:
    """Draw the key line: masked parts dimmed, matches highlighted in the colour of the tier."""
    drawn = dim_masked(Content.styled(inline(line, _LINE, more=signs.more), "bold $cb-text"), masked)
    return drawn if hit is None else light(drawn, highlights, tone_of(hit.tier, signs), len(line))


def draw_head(
    case: Case,
    hit: Hit | None,
    signs: Signs,
    now: datetime,
    highlights: Spans = (),
    *,
    chosen: Resolution | None = None,
    error: CaseKeyLine | None = None,
    standing: Standing | None = None,
    splits: str = "",
    in_column: bool = False,
) -> Content:
    """The key line, its state in one line, and how it matched.

    `chosen`: the fix below, if it is not that of the whole case; `error`: the one it is read at; `standing`: what the
    case is to what was searched, where it is no answer; `splits`: the key, by its action, that splits a case of
    several errors from where it is shown, if one does; `in_column`: its facts have a column (`draw_facts`).
    """
    status = signs.status(chosen.status if chosen else case.status)
    line = head_line(case, hit, error)
    facts = [seen] if (seen := _seen(case, signs, now)) else []
    if case.tool != "unknown":
        facts.append(title(case.tool))
    if case.is_repeated_mistake:
        facts.append("repeated mistake")
    if not case.harvested:
        facts.append("no longer harvested")
    if _is_of_team(case):
        facts.append("team")
    if case.use_count:
        facts.append(f"used {case.use_count}{signs.times}")
    parts: list[tuple[str, str] | Content] = [
        (f"{_note(standing)}\n" if standing else "", _tone(standing)),
        draw_key_line(line, masked_in(line, case.keys), hit, highlights, signs),
        ("\n", ""),
        (f"{status.sign} {status.words}", status.tone),
        ("" if in_column else "".join(f"  {signs.dot}  {fact}" for fact in facts), "$cb-dim"),
    ]
    if len(case.fingerprints) > 1:
        keys = signs.fill_keys(f", {splits} split") if splits and not signs.lacks(splits) else ""
        parts += [(f"  {signs.dot}  {len(case.fingerprints):,} variants{keys}", "$cb-dim")]
    if hit is not None:
        joined, match = in_column and len(case.fingerprints) < 2, draw_match(hit, signs)
        if joined and match.plain.startswith(f"{signs.dot} "):  # a dot is before it already
            match = match[len(signs.dot) + 1 :]
        parts += [(f"  {signs.dot}  " if joined else "\n", "$cb-dim"), match]
    return Content.assemble(*parts)


def _seen(case: Case, signs: Signs, now: datetime) -> str:
    """How often, and when the last time: `seen 4×, 40m ago`; of a lesson never seen here, when it was added."""
    last, often = ago(case.last_seen, now), case.occurrences
    when = "" if not last else "just now" if last == "now" else f"{last} ago"
    parts = (f"{often:,}{signs.times}" if often else "", when)
    return f"{'seen' if often else 'added'} {', '.join(filter(None, parts))}" if often or when else ""


def draw_facts(case: Case, fix: Fix | None, signs: Signs, now: datetime) -> Content:
    """What is known of a case, a fact a line: how often and when it was seen, where, and what its fix is worth."""
    status = signs.status(case.status if fix is None else fix.status)
    facts: list[tuple[str, str, str]] = []
    if case.tool != "unknown":
        facts.append(("tool", title(case.tool), "$cb-text"))
    if case.is_repeated_mistake:
        facts.append(("kind", "repeated mistake", "$cb-text"))
    if case.project:
        facts.append(("project", title(case.project_name or case.project), "$cb-text"))
    if case.occurrences:
        facts.append(("seen", f"{case.occurrences:,}{signs.times}", "$cb-text"))
    facts += [
        (name, f"{stamp(ts)[:10]}{f'  {age}' if (age := ago(ts, now)) else ''}", "$cb-soft")
        for name, ts in (("last", case.last_seen), ("first", case.first_seen))
        if ts and (name == "last" or ts != case.last_seen)
    ]
    if case.use_count:
        facts.append(("used", f"{case.use_count:,}{signs.times}", "$cb-text"))
    if len(case.fingerprints) > 1:
        facts.append(("variants", f"{len(case.fingerprints):,}", "$cb-text"))
    facts.append(("fix", f"{status.sign} {status.words}" if fix is not None else no_fix(case), status.tone))
    if fix is not None and fix.resolved_by:
        facts.append(("by", title(fix.resolved_by), "$cb-soft"))
    if fix is not None:
        facts.append(("session", short_id(fix.session) if fix.session else "none", "$cb-soft"))
        facts += [("messages", _messages(fix, signs), "$cb-soft")] if fix.session and fix.messages else []
    if not case.harvested:
        facts.append(("", "no longer harvested", "$cb-draft"))
    if _is_of_team(case):
        facts.append(("origin", "a lesson of your team", "$cb-soft"))
    parts = [part for name, value, tone in facts for part in ((f"{name:<10}", "$cb-dim"), (f"{value}\n", tone))]
    return Content.assemble(*parts).rstrip()


def draw_match(hit: Hit, signs: Signs) -> Content:
    """How a case matched, in one line: sign, words, confidence, and the core's reasons."""
    only_near = hit.tier == "vector" and not hit.accepted
    tier = signs.tier("similar" if only_near else hit.tier)
    browsed = hit.tier == "text"
    label = tier.words if browsed or only_near else f"{tier.words}, {hit.confidence} {hit.score:.2f}"
    from core.errors.fixes import WEAKNESSES

    reasons = (*(one for one in hit.why if one not in WEAKNESSES), "" if browsed else hit.reason)
    why = ", ".join(title(reason) for reason in reasons if reason)
    return Content.assemble((f"{tier.sign} {label}", tier.tone), (f"  {signs.dot}  {why}" if why else "", "$cb-dim"))


def draw_fix(fix: Fix | None, signs: Signs, case: Case | None = None, width: int = 0, heading: str = "") -> Content:
    """The card of its lesson, if it has one, and what the text of the fix says beyond it, else the text with its
    Markdown drawn; or that there is none, or why none of its `case` answers. `width`: the cells a line has, if known;
    `heading`: the error line of the head.
    """
    if fix is None:
        return Content.assemble(("No fix yet." if case is None else no_fix(case), "$cb-dim"))
    written = fix.text.strip("\n")
    text, left = block(written if fix.lesson is None else _beyond_card(written, fix.lesson))
    if fix.lesson is not None:
        rest = [_more(section, width, signs) for section in _SECTION.split(text) if section.strip()]
        body = Content("\n").join([draw_lesson(fix.lesson, width, heading), *rest])
    else:
        body = draw_fix_markdown(text, width, quote_bar(signs))
    if left:
        body = Content.assemble(body, (f"\n{signs.more} {left:,} more characters", "$cb-draft"))
    if fix.weakness:
        body = Content.assemble(body, (f"\n\nWhy weak: {fix.weakness.removeprefix('weak fix: ')}.", "$cb-draft"))
    if fix.tags:
        body = Content.assemble(body, ("\n\ntags  ", "$cb-faint"), (title(", ".join(fix.tags)), "$cb-soft"))
    return body


_SECTION: Final = re.compile(r"\n\n(?=\*\*[^*\n]+\*\*)")
"""Before a bold heading of a fix."""
_LISTED: Final = re.compile(r"\*\*([^*\n]{1,11})\*\*\n\n((?:- [^\n]+(?:\n|$))+)")
"""A section that is a short heading and a list."""
_WHY: Final = re.compile(r"\*\*Why\*\*(?: \((message \d{1,9})\))?\n\n((?:>[^\n]*(?:\n|$))+)")
"""The section of a harvested fix that quotes the message which explains it."""


def _more(section: str, width: int, signs: Signs) -> Content:
    """A section of the text below the card: a short list like a line of the card, else with its own heading."""
    written = section.strip("\n")
    if (why := _WHY.fullmatch(written)) is not None:
        quote = " ".join(line.removeprefix(">").strip() for line in why[2].strip("\n").split("\n"))
        label, items = "Why", f"{quote} ({why[1]})" if why[1] else quote
    elif (found := _LISTED.fullmatch(written)) is not None:
        label = found[1]
        items = "\n\n".join(line.removeprefix("- ") for line in found[2].rstrip("\n").split("\n"))
    else:
        return Content.assemble("\n", draw_fix_markdown(written, width, quote_bar(signs)))
    room = max(0, width - _LABEL)
    lines = [line for line in draw_fix_markdown(items, room, quote_bar(signs)).split("\n") if line.plain.strip()]
    drawn = [piece for line in lines for piece in (line.wrap(room) if room else [line])]
    return Content("\n").join(
        Content.assemble((f"{'' if at else label:<{_LABEL}}", "$cb-faint"), line) for at, line in enumerate(drawn)
    )


def _beyond_card(text: str, lesson: Lesson) -> str:
    from core.errors.lessons import beyond_card

    return beyond_card(text, lesson)


def draw_practice(practice: Practice | None, signs: Signs) -> Content:
    """What the repository did about such errors, counted; nothing where nothing is known."""
    if practice is None:
        return Content("")
    seen = f"{counted(practice.count, 'finding')} in {counted(practice.sessions, 'session')}"
    return Content.assemble(
        (inline(practice.line, _LINE, more=signs.more), "$cb-text"),
        (f"\n{title(practice.project)}  {signs.dot}  {seen}", "$cb-dim"),
    )


def no_fix(case: Case) -> str:
    """Why no fix of the case answers."""
    many = len(case.resolutions)
    if case.status == "noise":
        own = "" if not many else " Its fix below is not used." if many == 1 else " Its fixes below are not used."
        return f"Marked as noise.{own}"
    if not many:
        return "No fix yet."
    if all(one.status == "rejected" for one in case.resolutions):
        return "Its only fix was rejected." if many == 1 else f"All {many} of its fixes were rejected."
    return "Its fixes were rejected or replaced."


def _tone(standing: Standing | None) -> str:
    """Words that were found are no warning."""
    return "$cb-dim" if standing is not None and standing.error == "has" and standing.fix == "own" else "bold $cb-draft"


def _note(standing: Standing) -> str:
    """Return the line above a case that is not an answer: its fix must not look like one."""
    if standing.fix == "worded":
        return "Only the fix has these words, not the error."
    if standing.error == "like":
        return "Not a match. The closest case:"
    if standing.error == "has":
        return "Matches your words (not searched as an error)"
    if standing.fix == "own":
        return "Same words as this error"
    return "No fix for this error. The case has a fix for another variant."


_FIX_OF = {
    "own": "Fix for this error",
    "sibling": "Fix for another variant of this case",
    "worded": "Fix with these words",
    "other": "Fix for a different error",
}


def fix_name(standing: Standing | None) -> str:
    """What a fix is called that was copied."""
    if standing is None or (standing.error, standing.fix) == ("same", "own"):
        return "fix"
    return "fix for this error" if standing.fix == "own" else _FIX_OF[standing.fix].replace("Fix", "fix", 1)


def fix_title(fix: Fix | None, signs: Signs, at: Standing | None = None, more: str = "", width: int = 0) -> Content:
    """The heading over the fix: its status, and of which error it is, where that is no answer (`at`) to what was
    searched. Without the room for all (`width` in cells, 0: not known) what is least said there is left out."""
    if fix is None:
        return Content.assemble((" Fix ", "bold $cb-dim"))
    status, tool = signs.status(fix.status), f"fixed by {title(fix.resolved_by)}" if fix.resolved_by else ""
    every = ("unverified" if fix.status == "draft" else "", "weak" if fix.weakness else "", more, tool)
    heading = Content()
    for facts in (every, every[:3], every[1:3], (more,)):
        facts_text = f"  {signs.dot}  ".join(fact for fact in facts if fact)
        heading = Content.assemble(
            (f" {_FIX_OF[at.fix] if at else 'Fix'} ", "bold $cb-text"),
            (f" {status.sign} {status.words} ", f"bold {status.tone} on {_GROUNDS.get(fix.status, '$cb-sunk')}"),
            (f" {signs.dot}  {facts_text} " if facts_text else "", "not bold $cb-dim"),
        )
        if not width or heading.cell_length <= width:
            break
    return heading


_GROUNDS: Final = {"verified": "$cb-added", "rejected": "$cb-removed"}
"""The ground of a status over a fix."""


def draw_steps(tools: tuple[str, ...], signs: Signs) -> Content:
    """The tools used for the fix, in order."""
    names = [title(name) for name in tools[:40]] + ([signs.more] if len(tools) > 40 else [])
    parts: list[tuple[str, str]] = []
    for at, name in enumerate(names):
        parts += [(f" {signs.arrow} ", "$cb-faint")] if at else []
        parts.append((name, "$cb-soft"))
    return Content.assemble(*parts)


def draw_source(case: Case, fix: Fix | None, signs: Signs, *, in_column: bool = False, width: int = 0) -> Content:
    """Where it comes from: session and messages, project, first and last time, and the keys that name it.

    `in_column`: its facts have a column (`draw_facts`), so only the keys are drawn. `width`: the cells of a line."""
    parts = [] if in_column else _source_facts(case, fix, signs)
    prints = [finer.fingerprint for finer in case.fingerprints]
    parts += _listed("key", case.keys, 5) + _listed("fingerprint", prints, 8)
    return hanging(Content.assemble(*parts).rstrip(), width)


def _source_facts(case: Case, fix: Fix | None, signs: Signs) -> list[tuple[str, str]]:
    facts: list[tuple[str, str]] = []
    if fix is not None and fix.session:
        numbers = _messages(fix, signs)
        facts.append(("session", title(fix.session) + (f"  messages {numbers}" if numbers else "")))
    elif fix is not None:
        facts.append(("session", "none"))
    if case.project:
        facts.append(("project", "  ".join(title(one) for one in (case.project_name, case.project) if one)))
    first, last = stamp(case.first_seen), stamp(case.last_seen)
    seen = f"{last} UTC" if first == last else f"{first}  to  {last} UTC"
    facts.append(("seen" if case.occurrences else "added", seen))
    return [part for name, value in facts for part in ((f"{name:<9}", "$cb-faint"), (f"{value}\n", "$cb-soft"))]


def _messages(fix: Fix, signs: Signs) -> str:
    return ", ".join(str(number) for number in fix.messages[:12]) + (signs.more if fix.messages[12:] else "")


def _listed(name: str, values: Sequence[str], limit: int) -> list[tuple[str, str]]:
    """A name, and below it its values, one a line."""
    if not values:
        return []
    parts = [(f"{name if len(values) == 1 else name + 's'}\n", "$cb-faint")]
    parts += [("  " + inline(value, _LINE) + "\n", "$cb-soft") for value in values[:limit]]
    return parts + ([(f"  and {len(values) - limit} more\n", "$cb-faint")] if len(values) > limit else [])


def draw_occurrence(
    one: Occurrence | None,
    at: int,
    total: int,
    signs: Signs,
    now: datetime,
    of: str = "",
    case: Case | None = None,
    width: int = 0,
) -> Content:
    """Which time of how many (`of` what) the error below is of: when, in which project (the name that its `case` knows
    for the folder, else the end of its path), in which message of which session. `width`: the cells of a line."""
    if one is None:
        return Content("")
    age = ago(one.ts, now)
    facts = [f"{stamp(one.ts)} UTC{f' ({age})' if age else ''}"]
    known = case.project_name if case is not None and case.project == one.project else ""
    folder = known or (one.project or "").rstrip("/").rpartition("/")[2]
    facts += [title(name) for name in (one.tool, folder) if name]
    if one.session:
        facts.append(f"session {short_id(one.session)}{'' if one.message is None else f' message {one.message}'}")
    many = f"{at + 1:,} of {max(total, at + 1):,}{of}"
    return dotted([(many, "bold $cb-text"), *((part, "$cb-dim") for part in facts)], width, signs)


@dataclass(frozen=True, slots=True)
class Raw:
    """An error as it was printed, with the half-open span of its key line in code points, where that is known."""

    text: str
    start: int | None = None
    end: int | None = None


PREVIEW: Final = 8_192
"""Code points of the raw error drawn while a case is only pointed at: wrapping a long one takes more than a frame."""


_LEAD: Final = 8
"""Lines above the key line that are drawn of an output that has more than twice as many: it is a log."""


def draw_raw(raw: Raw, signs: Signs, *, limit: int = BLOCK, width: int = 0, whole: str = "case.all") -> Content:
    """Draw the error with its key line highlighted: it begins a few lines above that line, and says what is left out.

    `width`: the cells a line has, if known; what only fills a line is shortened to it. `whole`: the action that shows
    all of it, if it has a key here.
    """
    first = _window(raw, limit)
    key = signs.key(whole) if whole else ""
    hint = f" ({key} shows all)" if key else ""
    text, _ = block(raw.text[first : first + limit])
    after = max(0, len(raw.text) - first - limit)
    body = Content(text, [Span(0, len(text), "$cb-soft"), *source_spans(text), *frame_spans(text)])
    if raw.start is not None and raw.end is not None:
        start, end = (_drawn_at(raw.text[first : max(first, at)]) for at in (raw.start, raw.end))
        for begin, stop in _lines_in(text, start, min(end, len(text))):
            body = body.stylize("bold underline $cb-bad", begin, stop)
    parts: list[tuple[str, str] | Content] = [fit_fill(body.rstrip(), width)]
    if first:
        lines = raw.text.count("\n", 0, first)
        many = counted(lines, "line") if lines else counted(first, "character")
        parts.insert(0, (f"{signs.more} {many} before{hint}\n", "$cb-draft"))
    if after:
        parts.append((f"\n{signs.more} {after:,} more characters{hint}", "$cb-draft"))
    return Content.assemble(*parts)


def _lines_in(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The lines of a part of `text`, each without the blanks around it."""
    for line in text[start:end].split("\n"):
        if stripped := line.strip():
            begin = start + line.index(stripped)
            yield begin, begin + len(stripped)
        start += len(line) + 1


def colour_ahead(case: Case, fix: Fix | None, raw: str) -> None:
    """Colour the code of a case off the interface's thread: its colours are remembered."""
    draw_fix(fix, UNICODE, case)
    draw_raw(Raw(raw), UNICODE, limit=PREVIEW)


def _drawn_at(before: str) -> int:
    """Return the column after `before`: a tab reaches to the next stop."""
    return len(before) if "\t" not in before else len(before.expandtabs(4))


def is_clipped(raw: Raw, limit: int = BLOCK) -> bool:
    """Whether `draw_raw` leaves something out."""
    return _window(raw, limit) > 0 or len(raw.text) > limit


def _window(raw: Raw, limit: int) -> int:
    """Where to begin so that the key line is near the top: at the beginning of a line, if it can be."""
    if raw.start is None or raw.end is None:
        return 0
    above = raw.text.count("\n", 0, raw.start)
    if above <= 2 * _LEAD:
        return 0 if raw.end <= limit else max(0, min(raw.start - limit // 4, len(raw.text) - limit))
    first = raw.text.rfind("\n", 0, raw.start) + 1
    for _ in range(_LEAD):
        first = raw.text.rfind("\n", 0, first - 1) + 1
    return max(first, raw.start - limit // 4)


def rows_before(raw: Raw, limit: int, width: int) -> int:
    """Return about how many rows of `width` cells precede the key line in the text of `draw_raw`."""
    first = _window(raw, limit)
    if raw.start is None or width < 1:
        return 0
    above = raw.text[first : max(first, raw.start)].split("\n")[:-1]
    cells = (cell_len(line) - sum(end - start for start, end in surplus_fill(line, width)) for line in above)
    return sum(max(1, -(-many // width)) for many in cells) + (1 if first else 0)


_LABEL: Final = 12
_FIELD: Final = 2_000
"""Code points of one field that are shown."""
_LESSON_TONES: Final = {"Do": "bold $cb-text", "Not": "$cb-bad", "Workaround": "$cb-draft", "Recheck": "$cb-draft"}


def draw_lesson(lesson: Lesson, width: int = 0, heading: str = "") -> Content:
    """When, Do, Not, Check, Because, Scope: what is known of it. `heading`: the error line above it.

    A line that does not fit in `width` cells continues under its own start; 0: nothing is broken.
    """
    from core.errors.lessons import card

    lines: list[Content] = []
    for label, text in card(lesson, heading):
        heading, _ = block(text, _FIELD)
        drawn = list(_lesson_lines(label, heading.split("\n"), lesson, max(0, width - _LABEL)))
        lines += [
            Content.assemble((f"{'' if at else label:<{_LABEL}}", "$cb-faint"), line) for at, line in enumerate(drawn)
        ]
    return Content("\n").join(lines)


def _lesson_lines(label: str, lines: Sequence[str], lesson: Lesson, room: int) -> Iterator[Content]:
    """One field of the card in lines of `room` cells; 0: nothing is broken."""
    about = len(lines)
    if label == "Do" and lesson.do.kind == "hunk":
        about = 1 if lesson.do.file else 0
    for line in lines[:about]:
        tone = _LESSON_TONES.get(label, "$cb-soft")
        is_text = label == "Because" or (label == "Do" and lesson.do.kind == "words")
        drawn = draw_marks(line, tone) if is_text else Content.styled(line, tone)
        yield from drawn.wrap(room) if line and room else [drawn]
    yield from hunk_lines(lines[about:], room, language_of(lesson.do.file))


_MASKS = {"<STR>": "any quoted text", "<PATH>": "any path", "<N>": "any number", "<SECRET>": "a secret (never stored)"}
_MASKED = 40


def masked_in(key_line: str, keys: Sequence[str]) -> tuple[Masked, ...]:
    """What the first of `keys` that fits masks in `key_line`: a case may have several keys."""
    from core.errors import masked_parts

    return next((parts for key in keys if (parts := masked_parts(key_line, key))), ())


def dim_masked(content: Content, parts: Sequence[Masked]) -> Content:
    """The masked parts quieter and slanted: they are not what names the case."""
    length = len(content.plain)
    for part in parts:
        if part.start < length:
            content = content.stylize("not bold italic $cb-dim", part.start, min(part.end, length))
    return content


def draw_masked(key_line: str, parts: Sequence[Masked]) -> Content:
    """Each mark with the text in its place, in order: what may differ and still be the same kind of error."""
    if not parts:
        return Content.assemble(("The key is the full line. No part is masked.", "$cb-dim"))
    lines: list[tuple[str, str]] = [("Errors of the same kind may differ in these parts\n", "$cb-dim")]
    for part in parts[:_MASKED]:
        original = inline(key_line[part.start : part.end], 200)
        lines += [
            (f"  {part.mark:<9}", "bold $cb-accent"),
            (original, "italic $cb-text"),
            (f"  {_MASKS.get(part.mark, '')}\n", "$cb-dim"),
        ]
    if len(parts) > _MASKED:
        lines.append((f"  and {len(parts) - _MASKED} more\n", "$cb-dim"))
    return Content.assemble(*lines).rstrip()


_SHARED_FROM, _SHARED = 60, 28


def draw_like(like: CaseLike, width: int, signs: Signs, *, chosen: bool = False) -> Content:
    """The line in exactly `width` cells; what both say goes first where there is little room."""
    status = signs.status(like.row.status)
    head = [(signs.bar if chosen else " ", "$cb-accent"), (f"{like.similarity:.2f} ", "$cb-dim")]
    head.append((f"{status.sign} ", status.tone))
    room = max(0, width - sum(cell_len(text) for text, _ in head))
    tail = ""
    if width >= _SHARED_FROM and like.shared:
        tail = "  " + pad(inline(" ".join(like.shared), _SHARED, more=signs.more), _SHARED)
        room -= cell_len(tail)
    line = pad(inline(like.row.key_line, room, more=signs.more), room)
    return Content.assemble(*head, (line, "$cb-text bold" if chosen else "$cb-text"), (tail, "$cb-faint"))


_CITED_TONES = {"attached": "$cb-good", "moved": "$cb-draft", "detached": "$cb-bad"}
_STATUS = 9


def draw_cited(one: Cited, width: int, signs: Signs, *, chosen: bool) -> Content:
    """The state in a word, the place of today, and as much of the quote as there is room for."""
    mark = signs.bar if chosen else " "
    place = inline(one.place or one.uri, max(8, width - _STATUS - 4), more=signs.more)
    parts = [(mark, "$cb-accent"), (f"{one.status:<{_STATUS}}", _CITED_TONES[one.status]), (f" {place}", "$cb-text")]
    room = width - 1 - _STATUS - 1 - cell_len(place) - 2
    if room >= 8:
        parts.append(("  " + inline(one.quote, room, more=signs.more), "$cb-dim"))
    return Content.assemble(*parts)


def _is_of_team(case: Case) -> bool:
    """Whether the fix that answers came from the lessons file of a repository."""
    return any(one.current and one.author == "team" for one in case.resolutions)
