"""From an output to its key lines: every entry is asked, the line that says most is the primary one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from core.errors.envelope import single_line, unwrap
from core.errors.identity import KeyLine
from core.errors.keylines.entry import CAUSE, DETAIL, Found, Part, Rule, Tool, message
from core.errors.keylines.generic import best_line
from core.errors.keylines.lines import Page
from core.errors.keylines.peel import located, peel
from core.errors.keylines.registry import TOOLS

MOST = 24
"""Key lines kept of one output."""
_PER_TOOL = 200

_Named = tuple[Found, str]


def key_text(text: str) -> str:
    """The text of the primary key line of `text`; empty for blank text."""
    shown = single_line(text)
    if shown:
        start, end = peel(shown)
        return shown[start:end]
    lines = find_key_lines(text)
    return lines[0].text if lines else ""


def find_key_lines(text: str) -> tuple[KeyLine, ...]:
    """The key lines of `text`, the primary one first; empty for blank text."""
    page = unwrap(text)
    filled = [number for number, line in enumerate(page.lines) if line.text.strip()]
    if not filled:
        return ()
    named = list(_asked(page))
    if len(filled) == 1:
        alone = message(page, filled[0])
        tool = max(named, key=lambda item: item[0].weight)[1] if named else "unknown"
        return (_key_line(page, (alone,), tool, primary=True),)
    ranked = _ranked(page, named)
    return tuple(
        _key_line(page, found.parts, tool, primary=rank == 0 or _is_peer(found, tool, *ranked[0]))
        for rank, (found, tool) in enumerate(ranked)
    )


def _is_peer(found: Found, tool: str, top: Found, top_tool: str) -> bool:
    """Whether a line is an error of its own beside the first: the next diagnosis, the next failing test."""
    return tool == top_tool and found.weight >= max(CAUSE, top.weight - 1)


def _asked(page: Page) -> Iterator[_Named]:
    for tool in TOOLS:
        taken = 0
        for found in _answers(tool, page):
            if found.parts:
                yield found, tool.name
                taken += 1
            if taken >= _PER_TOOL:
                break


def _answers(tool: Tool, page: Page) -> Iterator[Found]:
    if tool.find is not None and any(sign in page.whole for sign in tool.signs):
        yield from tool.find(page)
    for rule in tool.rules:
        yield from _matches(rule, page)


def _matches(rule: Rule, page: Page) -> Iterator[Found]:
    seen = -1
    for number in page.having(rule.needles):
        if number == seen:
            continue
        seen = number
        text = page.text(number)
        start, end = peel(text)
        if rule.located and not located(text):
            continue
        if match := rule.pattern.match(text, start, end):
            part = Part(number, *match.span("key")) if "key" in rule.pattern.groupindex else Part(number, start, end)
            yield Found(rule.weight, (part,))


def _ranked(page: Page, named: Sequence[_Named]) -> list[_Named]:
    """The primary first, then the others in their order in the text, each line and each text once."""
    if not named or max(found.weight for found, _ in named) <= DETAIL:
        number, sure = best_line(page, {part.number for found, _ in named for part in found.parts})
        if number is not None and (sure or not named):
            named = [(Found(DETAIL + 1, (message(page, number),)), "unknown"), *named]
    best_first = sorted(named, key=lambda item: (-item[0].weight, item[0].parts[0].number))
    lines: set[int] = set()
    texts: set[str] = set()
    kept: list[_Named] = []
    for found, tool in best_first:
        text = _text(page, found.parts)
        if not text or text in texts or any(part.number in lines for part in found.parts):
            continue
        kept.append((found, tool))
        texts.add(text)
        lines.update(part.number for part in found.parts)
        if len(kept) == MOST:
            break
    return [*kept[:1], *sorted(kept[1:], key=lambda item: item[0].parts[0].number)]


def _text(page: Page, parts: Iterable[Part]) -> str:
    return " ".join(page.text(part.number)[part.start : part.end].strip() for part in parts).strip()


def _key_line(page: Page, parts: tuple[Part, ...], tool: str, *, primary: bool) -> KeyLine:
    first, last = parts[0], parts[-1]
    start, _ = page.lines[first.number].span(first.start, first.end)
    _, end = page.lines[last.number].span(last.start, last.end)
    return KeyLine(_text(page, parts), start, max(start, end), tool, "primary" if primary else "secondary")
