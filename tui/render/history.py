"""The history of a case and of changes, each change in detail, and the report of harvesting again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from textual.content import Content

from tui.render.common.amounts import ago, counted, stamp
from tui.render.common.glyphs import Signs
from tui.render.common.lines import dotted, hanging
from tui.render.common.markdown import draw_fix_markdown
from tui.render.common.session import session_name
from tui.render.common.untrusted import block, inline, short_id, title

if TYPE_CHECKING:
    from core.errors import Resolution
    from core.errors.curation.history import Changed, ChangedQuote
    from core.flows.transcripts.report import ImportAgain
    from tui.render.case import Fix


_MAX_ENTRIES = 50
_INDENT: Final = "    "
_LINE = 160
"""Cells of a shortened fix."""
_MARKS = re.compile(r"^[ \t]*(?:```|~~~)\S*[ \t]*$|\*\*|`|^(?:#{1,6}|>|[-*]) ", re.MULTILINE)
"""Markdown's marks: in one line they are noise."""
_TEXT = 4_000
"""Code points of one fix in the history."""


def has_history(resolutions: Sequence[Resolution]) -> bool:
    """Whether there is more history than the current fix."""
    return len(resolutions) > 1 or any(not one.current for one in resolutions)


def history_title(resolutions: Sequence[Resolution]) -> Content:
    """The heading above them."""
    return Content(" The only fix " if len(resolutions) == 1 else f" All {len(resolutions)} fixes ")


def draw_history(
    resolutions: Sequence[Resolution],
    signs: Signs,
    now: datetime,
    *,
    whole: bool = False,
    width: int = 0,
    chosen: Fix | None = None,
) -> Content:
    """Every fix, the answering one first, then the newest; empty where there is only that one.

    Each has a line of its status, author, age and source, and below it its text: one line, or with `whole` all of it.
    Without `whole`, those of one status that do the same share these lines. `width`: the cells of a line, 0 if not
    known. `chosen`: the fix that is drawn above.
    """
    if not has_history(resolutions):
        return Content("")
    ordered = sorted(resolutions, key=lambda one: (one.current, one.ts, one.id), reverse=True)
    rows: list[Content] = []
    for group in [[one] for one in ordered[:_MAX_ENTRIES]] if whole else _groups(ordered)[:_MAX_ENTRIES]:
        one = group[0]
        same = not whole and chosen is not None and _deed(one) == _deed(chosen)
        note = [("same as above", "$cb-dim")] if same else []
        rows.append(dotted([*_facts(group, signs, now), *note], width, signs, _INDENT))
        if whole:
            text, left = block(one.text.strip("\n"), _TEXT)
            lines = [
                *draw_fix_markdown(text).split("\n"),
                *([f"{signs.more} {left:,} more characters"] if left else []),
            ]
            rows += [hanging(Content.assemble(_INDENT, line), width) for line in lines]
            continue
        if not same:
            summary = inline(_short(one), max(20, width - len(_INDENT)) if width else _LINE, more=signs.more)
            rows.append(Content.styled(_INDENT + summary, "$cb-soft" if one.current else "$cb-dim"))
    if len(ordered) > _MAX_ENTRIES and whole:
        rows.append(Content.styled(f"and {len(ordered) - _MAX_ENTRIES} more", "$cb-dim"))
    return Content("\n").join(rows).rstrip()


def _groups(ordered: Sequence[Resolution]) -> list[list[Resolution]]:
    """Those that have one status, one place in the history and do the same, in the order of their first."""
    found: dict[tuple[str, bool, str, object], list[Resolution]] = {}
    for one in ordered:
        found.setdefault((one.status, one.current, one.author, _deed(one)), []).append(one)
    return list(found.values())


def _deed(fix: Resolution | Fix) -> object:
    from core.errors.lessons import deed

    return deed(fix.text, fix.lesson)


def _short(one: Resolution) -> str:
    """A fix in one line: its command or sentence, or the file and the first new line of its change."""
    do = None if one.lesson is None else one.lesson.do
    if do is None:
        return _MARKS.sub("", one.text.strip())
    if do.kind != "hunk":
        return do.text
    lines = do.text.split("\n")
    line = next((line for sign in "+-" for line in lines if line.startswith(sign) and line[1:].strip()), do.text)
    return f"{do.file}  {line[:1]} {line[1:].strip()}".strip()


def _facts(group: Sequence[Resolution], signs: Signs, now: datetime) -> list[tuple[str, str]]:
    """The status of fixes that do the same, and how many, by whom, when and in which session or sessions."""
    one, status = group[0], signs.status(group[0].status)
    place = "current" if one.current else "" if one.status == "rejected" else "earlier"
    age = f" ({known})" if (known := ago(one.ts, now)) else ""
    facts = [place, f"by {title(one.author)}" if one.author else ""]
    sessions = {each.source.session for each in group if each.source.session}
    if len(group) > 1:
        days = dict.fromkeys((stamp(group[-1].ts)[:10], stamp(one.ts)[:10]))
        facts.append(f"{' to '.join(days)}{age}")
        facts += [counted(len(sessions), "session")] if sessions else []
    else:
        facts.append(f"{stamp(one.ts)}{age}")
        if one.source.session:
            numbers = ", ".join(map(str, one.source.messages[:6])) + (signs.more if one.source.messages[6:] else "")
            facts.append(f"session {short_id(one.source.session)}{f' messages {numbers}' if numbers else ''}")
    if one.status == "rejected" and one.reason:
        facts.append(title(one.reason))
    many = f" {signs.times}{len(group)}" if len(group) > 1 else ""
    parts = [(f"{status.sign} {status.words}{many}", f"bold {status.tone}")]
    return parts + [(part, "$cb-dim") for part in facts if part]


_SESSION = 27
"""Cells of a session's name in a row."""
_PLACE = 40
_QUOTED = 400
_GONE = "gone"


def draw_about(one: Changed, width: int, signs: Signs) -> Content:
    """One line: the place of the quote before and after, its entry, its session; or what was done to the case."""
    if not one.quotes:
        text = _arrows("; ".join(one.what), signs)
        return Content.styled(inline(text, width, more=signs.more), "$cb-dim")
    quote, many = one.quotes[0], len(one.quotes) + one.more_quotes
    place = inline(_arrows(quote.place, signs), min(_PLACE, width), more=signs.more)
    dot = f" {signs.dot} "
    if quote.gone:
        return Content.styled(inline(f"{_GONE}{dot}{place}", width, more=signs.more), "$cb-faint")
    left = width - cell_len(place) - 2 * len(dot)
    if many == 1:
        entry = inline(quote.entry or quote.entry_id, max(0, left), more=signs.more)
        name = _session(quote, min(_SESSION, max(left // 2, left - cell_len(entry))))
        parts = (place, inline(entry, max(0, left - cell_len(name)), more=signs.more), name)
    else:
        name, rest = _session(quote, min(_SESSION, left // 2)), f" and {many - 1:,} more"
        start = inline(quote.quote, max(0, left - cell_len(name) - len(rest) - 2), more=signs.more)
        parts = (f"{_quoted(start, signs)}{rest}" if start else f"{many:,} quotes", place, name)
    return Content.styled(inline(dot.join(part for part in parts if part), width, more=signs.more), "$cb-dim")


def draw_quotes(one: Changed, signs: Signs) -> Content:
    """Each quote that a change is about: the start of its text, the place before and after, entry and session."""
    parts: list[tuple[str, str]] = []
    for at, quote in enumerate(one.quotes):
        place = _arrows(quote.place, signs)
        parts.append(("\n\n" if at or one.what else "\n", ""))
        if quote.gone:
            parts.append((f"The quote and its entry {title(quote.entry_id)} were deleted.\n", "$cb-draft"))
            parts.append((inline(place, _QUOTED), "$cb-dim"))
            continue
        if not one.title.endswith(quote.quote):
            parts.append((f"{_quoted(inline(quote.quote, _QUOTED, more=signs.more), signs)}\n", "$cb-soft"))
        parts.append((inline(place, _QUOTED), "$cb-text"))
        about = f"  {signs.dot}  {title(quote.entry)} ({title(quote.entry_id)})"
        parts += [(about, "$cb-dim"), (f"\nsession {_session(quote, 80)}", "$cb-dim")]
    if one.more_quotes:
        parts.append((f"\n\nand {one.more_quotes:,} more quotes", "$cb-dim"))
    return Content.assemble(*parts)


def draw_way(one: Changed, signs: Signs) -> Content:
    """The key that opens the item of the change."""
    if signs.lacks("{list.open}") or not (one.quotes or one.cases):
        return Content("")
    there = any(not quote.gone for quote in one.quotes)
    where = "the first one" if len(one.quotes) > 1 else "the quote" if there else "the case"
    if one.quotes and not there:
        return Content("")
    return Content.styled(signs.fill_keys(f"\n\n{{list.open}} opens {where}."), "$cb-faint")


def _session(quote: ChangedQuote, cells: int) -> str:
    return session_name(quote.session, quote.started, quote.project_name or quote.project, cells)


def _arrows(text: str, signs: Signs) -> str:
    """Our own arrow, which plain ASCII lacks."""
    return text.replace("→", "->") if signs.plain else text


def _quoted(text: str, signs: Signs) -> str:
    return f'"{text}"' if signs.plain else f"“{text}”"


_NAMES: Final = ("cases", "errors", "occurrences", "drafts", "verified", "rejected")
_GONE_LINE: Final = 400


def draw_again(report: ImportAgain) -> Content:
    """The changes, as they are or would be."""
    drafts = report.drafts
    lines = [
        ("Drafts     ", f"{drafts.replaced:,} replaced, {drafts.removed:,} removed, {drafts.added:,} added"),
        ("Decisions  ", f"{counted(report.kept, 'fix')} kept"),
        ("Cases      ", f"{report.cases_removed:,} removed, {report.cases_added:,} added"),
    ]
    if report.no_longer_harvested:
        lines.append(("           ", f"{report.no_longer_harvested:,} kept, although no longer harvested"))
    parts = [part for name, text in lines for part in ((name, "$cb-faint"), (f"{text}\n", "$cb-text"))]
    parts.append((f"\n{'':<11}{'before':>10}{'after':>10}\n", "$cb-faint"))
    for name in _NAMES:
        before, after = getattr(report.before, name), getattr(report.after, name)
        tone = "$cb-dim" if before == after else "bold $cb-text"
        parts += [(f"{name:<11}", "$cb-faint"), (f"{before:>10,}{after:>10,}\n", tone)]
    if report.gone:
        parts.append(("\nRemoved cases\n", "$cb-faint"))
        parts += [(f"{inline(f'#{one.id}  {one.key_line}', _GONE_LINE)}\n", "$cb-soft") for one in report.gone]
    if report.cases_removed > len(report.gone):
        parts.append((f"and {report.cases_removed - len(report.gone):,} more\n", "$cb-faint"))
    return Content.assemble(*parts).rstrip()


def again_line(report: ImportAgain) -> str:
    """How it ended, in a sentence or two, with the undo key's place in braces."""
    if report.canceled and not report.applied:
        return "Harvesting again was stopped. The next run continues from there."
    if report.applied:
        changed = counted(report.drafts.replaced + report.drafts.removed + report.drafts.added, "draft")
        return f"Harvested {counted(report.sessions, 'session')} again: {changed} changed. {{undo.last}} undoes it."
    return f"Harvested {counted(report.sessions, 'session')} again. No changes."
