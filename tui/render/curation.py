"""The queue, the history of decisions and a conflict, as they are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from rich.cells import cell_len
from textual.content import Content

from core.base.lazy import lazy_pattern
from tui.render.case import Fix, draw_steps
from tui.render.case_list import TOOL_CELLS, Row, draw_row
from tui.render.common.amounts import ago, stamp
from tui.render.common.glyphs import Signs
from tui.render.common.markdown import draw_fix_markdown, quote_bar
from tui.render.common.untrusted import block, inline, pad, title
from tui.render.history import draw_about, draw_quotes, draw_way

if TYPE_CHECKING:
    from core.errors import Resolution
    from core.errors.curation.decisions import Candidate
    from core.errors.curation.history import Changed, ChangedFix
    from core.errors.curation.merging import MergePreview
    from core.errors.curation.transaction import Written

State = Literal["done", "undone", "redone"]
"""What became of a decision."""

QueueMark = Literal["", "marked", "stays", "skipped"]
"""`stays`: marked, and the one that a merge of the marked ones keeps."""

_TEXT = 8_192
_LINE = 400
_FIX = 160
_FIX_LINES = 6
_MERGED = 20
_ACT_CELLS = 26
_STATES: dict[State, tuple[str, ...]] = {"done": (), "undone": ("undone",), "redone": ("redone",)}
_ACTS = {
    "verify": "verified", "write and verify": "verified", "accept": "verified", "reject": "rejected",
    "mark as noise": "noise", "write": "draft", "record": "draft",
}  # fmt: skip
"""How a title begins, and the status that the act gives."""
_LINK = lazy_pattern(r" (?:of|for|into)\Z")
_QUEUE_MARKS: dict[QueueMark, tuple[str, str]] = {
    "": (" ", ""),
    "marked": ("+", "bold $cb-accent"),
    "stays": ("=", "bold $cb-accent"),
    "skipped": ("-", "$cb-faint"),
}
_DIFFERING = {"tool": "tools", "key": "key lines", "fix": "fixes"}


def draw_entry(
    row: Row,
    width: int,
    signs: Signs,
    now: datetime,
    *,
    chosen: bool,
    mark: QueueMark,
    part: bool = False,
    lines: Sequence[str] = (),
    tool: int = TOOL_CELLS,
) -> Content:
    """A row of the queue: the row as every list has it, and its mark; another finding of the item above is indented."""
    if width < 12:
        return draw_row(row, width, signs, now, chosen=chosen, lines=lines, tool=tool)
    indent = "  " if part else ""
    drawn = draw_row(row, width - 2 - len(indent), signs, now, chosen=chosen, lines=lines, tool=tool)
    return Content.assemble(indent, drawn, _QUEUE_MARKS[mark], " ")


def draw_from(fix: Fix | None, signs: Signs) -> Content:
    """Where a draft comes from: session, messages, the tools in order; nothing for a draft from many sessions."""
    if fix is None:
        return Content("")
    lines: list[Content] = []
    if fix.session:
        numbers = ", ".join(map(str, fix.messages[:12])) + (signs.more if fix.messages[12:] else "")
        origin = (f"messages {numbers} of " if numbers else "from ") + inline(fix.session, 14, more=signs.more)
        opens = "" if signs.lacks("{case.fix_source}") else signs.fill_keys("  {case.fix_source} opens them")
        lines.append(Content.assemble((origin, "$cb-dim"), (opens, "$cb-faint")))
    if fix.tools and fix.tools != (fix.resolved_by,):  # the heading of the fix names that one
        lines.append(draw_steps(fix.tools, signs))
    return Content("\n").join(lines)


def draw_change(one: Changed, state: State, width: int, signs: Signs, now: datetime, *, chosen: bool) -> Content:
    """A line of the history: the sign of the act, what it is about, then the act or the place of a quote, and the age.

    One that was undone is dim. The details name the actor, and count fixes and cases.
    """
    bar = (signs.bar if chosen else " ", "$cb-accent")
    undone = state == "undone"
    act, about = act_of(one.title)
    sign, tone = _sign_of(act, signs, undone=undone)
    age = ago(one.ts, now).rjust(5) + " " if width >= 50 else ""
    column = min(_ACT_CELLS, width * 2 // 5) if width >= 40 else 0
    room = max(1, width - 3 - len(age) - column - bool(column))
    line = pad(inline(about or act, room, more=signs.more), room) + " " * bool(column)
    dot = f" {signs.dot} "
    done = dot.join((*_STATES[state], *(() if one.quotes else (act,))))
    done = inline(f"{done}{dot}" if done and one.quotes else done, column, more=signs.more)
    left = column - cell_len(done)
    place = draw_about(one, left, signs) if one.quotes and left > 0 else Content("")
    return Content.assemble(
        bar, (f"{sign} ", tone), (line, "$cb-faint" if undone else "$cb-text bold" if chosen else "$cb-text"),
        (done, "$cb-faint" if undone else "$cb-dim"), place, " " * (left - place.cell_length), (age, "$cb-dim"),
    )  # fmt: skip


def act_of(title: str) -> tuple[str, str]:
    """What a change did, and what it is about: `mark as noise`, and the error (empty if the title has none)."""
    act, _, about = title.partition(": ")
    return _LINK.sub("", act) if about else act, about


def _sign_of(act: str, signs: Signs, *, undone: bool) -> tuple[str, str]:
    """The sign of an act and its colour."""
    if undone:
        return "<" if signs.plain else "↶", "$cb-faint"
    status = next((name for words, name in _ACTS.items() if act.startswith(words)), None)
    if status is None:
        return signs.dot, "$cb-dim"
    mark = signs.status(status)
    return mark.sign, mark.tone


def draw_changed(
    one: Changed | None,
    state: State | None,
    signs: Signs,
    fixes: Sequence[ChangedFix] = (),
    width: int = 0,
) -> Content:
    """What a change did, whole; below it the `fixes` that it is about, as a case shows them in `width` cells."""
    if one is None or state is None:
        return Content.styled("No changes yet.", "$cb-dim")
    parts: list[tuple[str, str]] = [
        (inline(one.title, _LINE), "bold $cb-text"),
        (
            f"\nid {one.change}  {signs.dot}  {stamp(one.ts)} UTC  {signs.dot}  by {title(one.actor)}\n",
            "$cb-dim",
        ),
    ]
    if state != "done":
        label = "Undone. Press {history.undo} to redo it." if state == "undone" else "Undone, then redone."
        parts.append((f"{signs.fill_keys(label)}\n", "$cb-draft"))
    for line in one.what:
        label = next((line.removesuffix(f": {fix.line}") for fix in fixes if line.endswith(f": {fix.line}")), line)
        parts.append((f"\n{inline(label, _LINE)}", "$cb-soft"))
    drawn: list[Content] = []
    for fix in fixes:
        text, left = block(fix.text.strip("\n"), _TEXT)
        body = draw_fix_markdown(text, width, quote_bar(signs))
        more = f"\n{signs.more} {left:,} more characters" if left else ""
        drawn.append(Content.assemble((f"\n\nFix {fix.id}\n", "bold $cb-dim"), body, (more, "$cb-draft")))
    return Content.assemble(*parts, *drawn, draw_quotes(one, signs), draw_way(one, signs))


def draw_merge(preview: MergePreview, signs: Signs) -> Content:
    """What differs in cases that are to be merged, and what the merge makes of their fixes: the one that answers for
    all then, and those that become history."""
    case, fixes = preview.into, preview.fixes
    parts: list[tuple[str, str] | Content | str] = [
        (f"The {_listed([_DIFFERING[what] for what in preview.differing])} of the cases differ.\n", "bold $cb-draft"),
        ("The case keeps its key line: ", "$cb-dim"),
        (f"#{case.id} {inline(case.key_lines[0], _LINE, more=signs.more)}\n", "$cb-soft"),
    ]
    for other in preview.unlike[:_MERGED]:
        parts.append((f"\n#{other.case_id} {inline(other.key_line, _FIX, more=signs.more)}\n", "$cb-text"))
        for one in other.differences:
            parts += [(f"  {one.what:<6}", "$cb-dim"), (f"{inline(one.why, _LINE, more=signs.more)}\n", "$cb-soft")]
    if len(preview.unlike) > _MERGED:
        parts.append((f"\nand {len(preview.unlike) - _MERGED:,} more\n", "$cb-dim"))
    remaining = () if fixes.kept is None else (fixes.kept,)
    for name, found, tone in (("Kept", remaining, "$cb-text"), ("Replaced", fixes.past, "$cb-dim")):
        for case_id, one in found[:_MERGED]:
            status = signs.status(one.status)
            head = (f"  {status.sign} {status.words}  {signs.dot}  of #{case_id}\n", status.tone)
            parts += [(f"\n{name}", f"bold {tone}"), head, _fix_excerpt(one.text, signs), "\n"]
        if len(found) > _MERGED:
            parts.append((f"\nand {len(found) - _MERGED:,} more\n", "$cb-dim"))
    if remaining:
        parts.append(("\nAfter the merge, the kept fix applies to all errors.", "$cb-dim"))
    if fixes.past:
        parts.append((" The case keeps the other fixes in its history.", "$cb-dim"))
    return Content.assemble(*parts)


def _fix_excerpt(text: str, signs: Signs) -> Content:
    """The first lines of a fix, with its Markdown drawn, indented."""
    lines = text.strip("\n").split("\n")
    drawn = draw_fix_markdown(block("\n".join(lines[:_FIX_LINES]), _TEXT)[0])
    more = [Content.styled(signs.more, "$cb-dim")] if lines[_FIX_LINES:] else []
    return Content("\n").join(Content.assemble("  ", line) for line in [*drawn.split("\n"), *more])


def _listed(words: Sequence[str]) -> str:
    return " and ".join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else words[0]


def as_side(text: str) -> str:
    """A text as a side of a conflict shows it."""
    return block(text.strip("\n"), _TEXT)[0]


def draw_side(text: str, tone: str, highlights: Sequence[tuple[int, int]] | None = None) -> Content:
    """One side of a conflict: the text as written, with the `highlights` that the other side lacks, or with its
    Markdown drawn."""
    visible, left = block(text.strip("\n"), _TEXT)
    body = draw_fix_markdown(visible) if visible.strip() else Content.styled("(nothing)", "$cb-dim")
    if highlights is not None and visible.strip():
        body = _highlighted(visible, highlights, tone)
    more = f"\n{left:,} more characters" if left else ""
    return Content.assemble(body, (more, "$cb-draft"))


def _highlighted(text: str, ranges: Sequence[tuple[int, int]], tone: str) -> Content:
    parts: list[tuple[str, str]] = []
    at = 0
    for start, end in ranges:
        parts += [(text[at:start], "$cb-soft"), (f"[{text[start:end]}]", f"bold {tone}")]
        at = end
    return Content.assemble(*parts, (text[at:], "$cb-soft"))


def describe_fix(one: Resolution | None, signs: Signs, now: datetime) -> str:
    """Whose a fix is, of which status, and how old."""
    if one is None:
        return "no current fix"
    age = ago(one.ts, now)
    return f" {signs.dot} ".join(
        part for part in (signs.status(one.status).words, f"by {title(one.author)}", age) if part
    )


def draw_alike(found: Sequence[Candidate], signs: Signs, *, chosen: bool) -> Content:
    """The cases that wait and read alike, with the key that takes them along; only a suggestion."""
    if not found:
        return Content("")
    box = "[x]" if chosen else "[ ]"
    many = f"{len(found)} similar case{'' if len(found) == 1 else 's'}"
    parts: list[tuple[str, str]] = [
        (f"{box} ", "bold $cb-accent" if chosen else "$cb-dim"),
        (f"Also apply to {many}", "bold $cb-text" if chosen else "$cb-text"),
        (signs.fill_keys("  {write.also}"), "$cb-accent"),
    ]
    for one in found[:4]:
        meant = signs.tier("vector").sign if one.by == "meaning" else " "
        parts += [(f"\n  {meant} #{one.id} ", "$cb-faint"), (inline(one.key_line, 160, more=signs.more), "$cb-soft")]
    if len(found) > 4:
        parts.append((f"\n    and {len(found) - 4} more", "$cb-faint"))
    return Content.assemble(*parts)


def draw_preview(written: Written, width: int, signs: Signs) -> Content:
    """The text as it will be shown in lines of `width` cells."""
    text, left = block(written.text.strip("\n"), _TEXT)
    if not text.strip():
        return Content.styled("The preview of your fix appears here.", "$cb-faint")
    body = draw_fix_markdown(text, width, quote_bar(signs))
    return Content.assemble(body, (f"\n{left:,} more characters" if left else "", "$cb-draft"))
