"""The rules of one call in their order: rows, labels, bars and notices of the Rules pane."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content

from core.base.fault import Fault
from tui.render.common.amounts import ago
from tui.render.common.empty_states import Notice
from tui.render.common.glyphs import Mark, Signs
from tui.render.common.untrusted import fault_text, in_sight, inline, light, pad, short_path, title

if TYPE_CHECKING:
    from core.rules.calls import CallRow
    from core.rules.evaluation.labels import Label
    from core.rules.explanation import Explained, HighlightedText, WhyNot
    from core.rules.format.rule import Flaw, Rule
    from core.rules.format.store import Usage
    from core.rules.matching.api import MatchedRule, RuleMatch
    from core.rules.matching.call import ToolCall
    from core.rules.matching.semantic import CacheState
    from core.rules.ranking_diff import Move


RuleKey = tuple[str, str, int]
"""A rule by file, id and line."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """The rules of one call. `soon`: what the model says comes in a moment; `elsewhere`: another program makes vectors
    that lack; `moves` since the match before it, and `moved`, the same in words. `project`: whose own rules are among
    them; `texts`: the fields of the call; `every`: the rules there are, by file and id; `used`:
    how often rules were shown to agents, by file and id; `forbidden`: rules about forbidden code; `instructions`: the
    files where these were looked for, if there is no rule at all."""

    call: ToolCall
    match: RuleMatch
    files: tuple[str, ...]
    rules: int
    flaws: tuple[Flaw, ...]
    label: Label | None
    pinned: WhyNot | None = None
    moves: tuple[Move, ...] = ()
    moved: tuple[str, ...] = ()
    soon: bool = False
    elsewhere: bool = False
    project: str = ""
    texts: tuple[HighlightedText, ...] = ()
    every: tuple[tuple[str, str], ...] = ()
    used: Mapping[tuple[str, str], Usage] = field(default_factory=dict[tuple[str, str], "Usage"])
    forbidden: int = 0
    instructions: tuple[str, ...] = ()

    @property
    def every_rule(self) -> int:
        """How many rules there are, those about forbidden code among them."""
        return self.rules + self.forbidden

    @property
    def unfinished(self) -> bool:
        """Whether the model could not answer just now."""
        return unfinished(self.match)


@dataclass(frozen=True, slots=True)
class Reasons:
    """All there is to say about one rule and one call; `cache` None: it cannot be read, and why is in `no_cache`.

    `why_not` only of a rule that is not shown.
    """

    key: RuleKey
    explained: Explained
    why_not: WhyNot | None
    cache: CacheState | None
    no_cache: str = ""
    usage: Usage | None = None


def key_of(one: MatchedRule | Rule) -> RuleKey:
    """What names a rule in the pane."""
    return one.path, one.id, one.line


def unfinished(match: RuleMatch) -> bool:
    """Whether the model could not answer just now."""
    return any(step.stage == "semantic" and step.outcome in ("failed", "timeout") for step in match.trace)


MEANING, WORDS = "$cb-accent", "$cb-draft"
"""The tones of the two tiers, wherever one is drawn."""
_TOOL, _AGE = 6, 5
_MORE_FOR_TOOL = ((88, 16), (64, 12), (50, 9))
"""From which width of a row on the tool has how many cells."""
_SHORT = {"shell_command": "shell", "local_shell": "shell", "exec_command": "exec", "container.exec": "exec",
          "apply_patch": "patch", "update_plan": "plan", "write_stdin": "stdin"}  # fmt: skip
"""Tools that agents name at length, as they are named where there is little room."""
_AGE_FROM = 44
_BARS_FROM, _NAMED_FROM, _LONG_BARS_FROM, _LONGEST_BARS_FROM = 40, 54, 70, 100
"""Cells from which on a row has bars, bars as wide as their names, and longer ones."""
_PLACE, _TIMES, _LAST = 24, 6, 6
"""Cells of the last columns of a wide row: the place of the rule, how often it was shown to agents, and when last."""
_MOVES = {
    "shown": ("▲", "^", "$cb-good"),
    "up": ("▲", "^", "$cb-good"),
    "new": ("+", "+", "$cb-good"),
    "hidden": ("▼", "v", "$cb-bad"),
    "down": ("▼", "v", "$cb-bad"),
    "gone": ("-", "-", "$cb-bad"),
    "score": ("±", "~", "$cb-draft"),
}
_STANDING = {
    "shown": ("●", "*", "$cb-good", "shown"),
    "below": ("○", ".", "$cb-dim", "not shown"),
    "pinned": ("?", "?", "$cb-accent", "selected"),
}
_LABELS = {
    "right": ("✓", "+", "$cb-good", "right"),
    "wrong": ("✕", "x", "$cb-bad", "wrong"),
    "missing": ("+", "m", "$cb-draft", "missing"),
}


@dataclass(frozen=True, slots=True)
class RankRow:
    """One rule of the ranking. `standing`: `shown`, `below` or `pinned`; `label`: the user's label, if any."""

    rule: MatchedRule
    standing: str
    label: str = ""
    move: Move | None = None
    used: Usage | None = None


@dataclass(frozen=True, slots=True)
class CutoffRow:
    """The cut-off, between what is shown and what is not."""

    cutoff: float
    listed: int
    below: int
    fallback: bool
    best: float = 0.0
    loading: bool = False


def standing(name: str, signs: Signs) -> Mark:
    """The sign of a rule: shown, not shown, or pinned."""
    return signs.mark(_STANDING, name)


def label_mark(name: str, signs: Signs) -> Mark:
    """The sign of what a person said."""
    return signs.mark(_LABELS, name)


def standing_marks(signs: Signs) -> tuple[Mark, ...]:
    """Return every state of a rule, for the legend."""
    return tuple(standing(name, signs) for name in _STANDING)


def label_marks(signs: Signs) -> tuple[Mark, ...]:
    """Everything a person may say of a rule, for the legend."""
    return tuple(label_mark(name, signs) for name in _LABELS)


def place_of(path: str, line: int) -> str:
    """The place of a rule: the file's folder and name, the line; `~` for the folder of the user, so that their own
    `.claude/memory.md` is not taken for that of a project."""
    parts = path.replace("\\", "/").split("/")
    file, home = Path(path), Path.home()
    inside = file.relative_to(home).parts if file.is_relative_to(home) else ()
    named = ("~", *inside) if 0 < len(inside) <= 2 else parts[-2:]
    return f"{title('/'.join(named))}:{line}"


def label_of(label: Label | None, rule: MatchedRule, *, is_shown: bool) -> str:
    """What a person said of a rule: `right`, `wrong`, `missing`, or nothing."""
    if label is None:
        return ""
    name = label.name_of(rule)
    if name in label.applies:
        return "right" if is_shown else "missing"
    return "wrong" if name in label.not_these else ""


def bar(value: float, width: int, signs: Signs) -> str:
    """A share 0..1 as a bar of exactly `width` cells."""
    value = max(0.0, min(1.0, value))
    if signs.plain:
        full = round(value * width)
        return "#" * full + "." * (width - full)
    halves = round(value * width * 2)
    return ("━" * (halves // 2) + "╸" * (halves % 2)).ljust(width)


def tool_cells(width: int) -> int:
    """How many cells the name of a tool has in a row of this width."""
    return next((cells for least, cells in _MORE_FOR_TOOL if width >= least), _TOOL)


def short_tool(name: str) -> str:
    """A tool's name in a few letters: what agents name at length, and one of a server of tools without the server."""
    own = name.rpartition("__")[2] if name.startswith("mcp__") else name
    return _SHORT.get(own, own or name)


def draw_call_row(row: CallRow, width: int, signs: Signs, now: datetime, *, chosen: bool = False) -> Content:
    """Draw one call: its tool, content and age; query words are highlighted."""
    sign = ("!" if row.failed else " ", "$cb-bad")
    lead = [(signs.bar if chosen else " ", "$cb-accent"), sign, (" ", "")]
    tail = [(ago(row.ts, now).rjust(_AGE) + " ", "$cb-dim")] if width >= _AGE_FROM else []
    cells = tool_cells(width)
    name = row.tool if row.tool_highlights else short_tool(row.tool)
    tool = pad(inline(name, cells, more=signs.more), cells) + " "
    room = max(0, width - 3 - cell_len(tool) - sum(cell_len(text) for text, _ in tail))
    line, spans = in_sight(row.about, row.highlights, room, signs.more)
    about = Content.styled(pad(inline(line, room, more=signs.more), room), "$cb-text" if chosen else "$cb-soft")
    named = light(Content.styled(tool, "$cb-accent"), row.tool_highlights, MEANING, cells + 1)
    return Content.assemble(*lead, named, light(about, spans, MEANING, room + 1), *tail)


def bar_cells(width: int) -> int:
    """How many cells each of the two bars has in a row of this width; 0: there is no room for them."""
    if width < _BARS_FROM:
        return 0
    return 5 if width < _NAMED_FROM else 7 if width < _LONG_BARS_FROM else 8 if width < _LONGEST_BARS_FROM else 12


def _has_place(width: int) -> bool:
    return width >= _LONGEST_BARS_FROM


def draw_rank_head(width: int, signs: Signs) -> Content:
    cells = bar_cells(width)
    parts = [("   score ", "$cb-dim")]
    if cells:
        parts += [(" " + pad(inline("meaning", cells, more=signs.more), cells), MEANING)]
        parts += [(" " + pad(inline("words", cells, more=signs.more), cells) + " ", WORDS)]
    parts.append(("rule", "$cb-dim"))
    if _has_place(width):
        room = width - sum(cell_len(text) for text, _ in parts) - _PLACE - _TIMES - _LAST - 4
        parts.append((" " * room + f" {'file':<{_PLACE}} {'shown':>{_TIMES}} {'last':>{_LAST}} ", "$cb-dim"))
    return Content.assemble(*parts)


def _wide_columns(row: RankRow, signs: Signs, now: datetime | None) -> list[tuple[str, str]]:
    """Where the rule is written, how often it was shown to agents, and when the last time."""
    place = place_of(row.rule.path, row.rule.line)
    if cell_len(place) > _PLACE:  # the name of the file says more than that of its folder
        place = place.rpartition("/")[2]
    place = pad(inline(place, _PLACE, more=signs.more), _PLACE)
    times = f"{row.used.shown:,}{signs.times}" if row.used else signs.dot
    last = ago(row.used.last, now) if row.used and now else ""
    return [(f" {place} {times:>{_TIMES}} {last:>{_LAST}} ", "$cb-faint")]


def draw_rank_row(
    row: RankRow, width: int, signs: Signs, now: datetime | None = None, *, chosen: bool = False
) -> Content:
    """One rule: whether it is shown, its score, a bar a tier, its id and title, what moved, what a person said; in a
    wide row its place and its use, too."""
    one, mark, label = row.rule, standing(row.standing, signs), label_mark(row.label, signs)
    below = row.standing != "shown"
    quiet = "$cb-faint" if below else ""
    parts = [
        (signs.bar if chosen else " ", "$cb-accent"),
        (f"{mark.sign} ", f"bold {mark.tone}"),
        (f" {one.relevance_score:.2f} ", "$cb-dim" if below else "bold $cb-text"),
    ]
    if cells := bar_cells(width):
        meaning = signs.dot.ljust(cells) if one.similarity is None else bar(one.similarity, cells, signs)
        parts += [(" " + meaning, quiet or MEANING), (" " + bar(one.keyword_score, cells, signs) + " ", quiet or WORDS)]
    tail = _tail(row, signs)
    tail_cells = cell_len(tail[0]) + 1 if tail[0] else 0
    sign = f" {label.sign}" if row.label else ""
    last = _wide_columns(row, signs, now) if _has_place(width) else []
    room = max(0, width - sum(cell_len(text) for text, _ in (*parts, *last)) - tail_cells - len(sign))
    name = f"{one.id}  {one.title}"
    tone = "$cb-dim" if below else "bold $cb-text" if chosen else "$cb-text"
    parts.append((pad(inline(name, room, more=signs.more), room), tone))
    if tail[0]:
        parts.append((f" {tail[0]}", tail[1]))
    if sign:
        parts.append((sign, f"bold {label.tone}"))
    return Content.assemble(*parts, *last)


def _tail(row: RankRow, signs: Signs) -> tuple[str, str]:
    if row.move is None:
        return "", ""
    sign, plain, tone = _MOVES[row.move.kind]
    by = row.move.score - row.move.score_before
    change = "" if abs(by) < 0.005 or row.move.kind == "new" else f"{by:+.2f}"
    if row.move.kind == "score" and change:
        return change, f"bold {tone}"
    return f"{plain if signs.plain else sign}{change or f' {row.move.kind}'}", f"bold {tone}"


def draw_cutoff(row: CutoffRow, width: int, signs: Signs, *, chosen: bool = False) -> Content:
    """The line between what is shown and what is not."""
    from core.rules.matching.keyword import format_scores  # loaded once a call is matched

    line = "-" if signs.plain else "─"
    label = f" cut-off {row.cutoff:.2f} "
    if row.loading:
        message = f" keywords only, model loading{signs.more} "
    elif row.listed:
        message = " not shown: "
    else:
        message = f" no rule applies (best {format_scores(row.best, row.cutoff)[0]}) "
    lead = signs.bar if chosen else line
    rest = max(0, width - 4 - cell_len(label) - cell_len(message))
    text = inline(f"{line * 2}{label}{line * rest}{message}{line}", max(0, width - 1), more=line)
    return Content.assemble((lead, "$cb-accent"), (pad(text, max(0, width - 1)), "$cb-draft"))


def hidden_rule_label(match: RuleMatch, label: Label | None, rule: MatchedRule) -> str:
    """What a person said of a rule that is not shown; where the label names an id alone, and a rule of that id is
    shown, it is that one which applies."""
    verdict = label_of(label, rule, is_shown=False)
    if verdict != "missing" or label is None:
        return verdict
    return "" if any(label.name_of(one) == label.name_of(rule) for one in match.rules) else verdict


def rows_of(ranked: Ranked) -> tuple[object, ...]:
    """A match as rows: the rules shown, the cut-off, those below."""
    match, label, loading = ranked.match, ranked.label, ranked.soon
    moves = {(one.path, one.id, one.line): one for one in ranked.moves}

    def row(one: MatchedRule, standing: str, verdict: str) -> RankRow:
        return RankRow(one, standing, verdict, moves.get(key_of(one)), ranked.used.get((one.path, one.id)))

    listed = [row(one, "shown", label_of(label, one, is_shown=True)) for one in match.rules]
    below = [row(one, "below", hidden_rule_label(match, label, one)) for one in match.below]
    best = max((one.relevance_score for one in (*match.rules, *match.below)), default=0.0)
    return (*listed, CutoffRow(match.cutoff, len(listed), len(below), match.fallback_used, best, loading), *below)


_FLAWS = 5


def reading() -> Notice:
    """The first match takes a moment."""
    return Notice("Loading the rules")


def no_files(places: Sequence[Path], project: str = "") -> Notice:
    """No rule file is where one was looked for. `project`: the folder of the call, empty for the workbench's own."""
    looked = ", ".join(short_path(path) for path in places[:4])
    where = f"Searched: {looked}." if looked else "Set rules.files in the settings."
    return Notice(
        f"No rule files for {short_path(Path(project))}" if project else "No rule files",
        f'A rule file is Markdown with rules like "### ERR-001: title". {where}'
        " casebook also applies sentences of CLAUDE.md and AGENTS.md that forbid code,"
        " such as: Never use `npm`.",
        (
            *((("{rules.edit}", "create one in your editor"),) if places else ()),
            ("casebook config init", "create a settings file (set rules.files)"),
            ("casebook demo", "open sample rules"),
        ),
    )


def no_rules(ranked: Ranked) -> Notice:
    """There are files, and not one rule in them."""
    paths = [*dict.fromkeys((*ranked.files, *ranked.instructions))]
    more = f" and {len(paths) - 3} more" if paths[3:] else ""
    files = ", ".join(short_path(Path(path)) for path in paths[:3]) + more
    read = "was read" if len(paths) == 1 else "were read"
    flaws = ", ".join(f"line {one.line}: {title(one.message)}" for one in ranked.flaws[:_FLAWS])
    rule = 'A rule begins with "### ERR-001: title", or forbids code without a condition: Never use `npm`.'
    advice = f"{flaws}." if flaws else rule
    edit = "open it in your editor" if ranked.files else "create a rule file in your editor"
    return Notice("No rules in the rule files", f"{files} {read}. {advice}", (("{rules.edit}", edit),))


def no_call(ranked: Ranked, searched: str = "", tool: str = "") -> Notice:
    """Rules, and no call to ask them about; `searched`, `tool`: what was searched, and no call is like that."""
    rules = "One rule was" if ranked.every_rule == 1 else f"{ranked.every_rule:,} rules were"
    if searched or tool:
        of_tool = f" of {inline(tool, 40)}" if tool else ""
        words = f' has "{inline(searched, 60)}"' if searched else " is there"
        back = (("{find.clear}", "show all calls"),) if searched else ()
        of_all = (("{rules.unfilter}", "show all tools"),) if tool else ()
        return Notice(
            "No matching calls",
            f"No call{of_tool}{words}. {rules} loaded.",
            (*back, *of_all, ("{rules.type}", "type a call")),
        )
    return Notice(
        "No tool call selected",
        f"{rules} loaded. Select a call in the list or type one.",
        (("{rules.type}", "type a call"), ("{rules.clusters}", "show similar rules")),
    )


def unreadable(fault: Fault) -> Notice:
    """The rules could not be read, or not matched."""
    steps = (("{rules.edit}", "open the rule file"), ("{view.reload}", "retry"))
    return Notice("Cannot match the rules", fault_text(fault), steps, "$cb-bad")
