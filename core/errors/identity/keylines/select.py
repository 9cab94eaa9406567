"""The key lines of an output: every entry of the registry is tried; the line that says most is the primary one.

An output inside an output (`make check failed: exit=2`, `logs:`) is read too. The registry's order matters: of two
entries that say as much about a line, the earlier names the tool."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import Final, Literal, NamedTuple

from core.base.lazy import lazy_pattern, text_tables
from core.errors.identity.envelope import single_line, unwrap
from core.errors.identity.keylines.entry import CAUSE, DETAIL, TEST, WRAPPER, Rule, Tool
from core.errors.identity.keylines.generic import best_line, is_hollow, is_noise
from core.errors.identity.keylines.lines import (
    KeyLineCandidate,
    Line,
    Page,
    Part,
    location,
    message,
    page,
    peel,
    quoted_lines,
)
from core.errors.identity.keylines.tools import (
    compilers,
    linters,
    packages,
    python,
    runtimes,
    services,
    shell,
    test_runners,
)

_MOST = 400
_GUTTER = lazy_pattern(r"E(?=\s|\Z)")
_HEADING = lazy_pattern(r".*:\s*\Z")
_ONE_WORD = lazy_pattern(r"\s*\w*:\s*\Z")
_LETTER = lazy_pattern(r"[^\W\d_]")


KeyLineRole = Literal["primary", "secondary"]


@dataclass(frozen=True, slots=True)
class KeyLine:
    """One line that names an error.

    `text` is the line without its location prefix, cleaned; `start` and `end` are the half-open code-point span of
    it in the raw text; `tool` is the entry that recognised it (`python`, `tsc`, …, `unknown`). `role` is `primary` for
    the line that names the output and for its peers, which are errors of their own (a compiler's next diagnosis, the
    next failing test); causes, wrappers and details are `secondary`. If nothing names the failure, all are secondary:
    the first is a trailer (`make: *** Error 1`) or a guess.
    """

    text: str
    start: int
    end: int
    tool: str
    role: KeyLineRole


class Nested(NamedTuple):
    """The lines below a message as a separate page. `numbers` and `cut`: for each line, its outer number and how many
    code points were removed in front."""

    page: Page
    numbers: tuple[int, ...]
    cut: tuple[int, ...]

    def outside(self, found: KeyLineCandidate, weight: int) -> KeyLineCandidate:
        """What was found inside, in places of the outer page."""
        return KeyLineCandidate(weight, tuple(self._outside(part) for part in found.parts))

    def _outside(self, part: Part) -> Part:
        cut = self.cut[part.number]
        return Part(self.numbers[part.number], part.start + cut, part.end + cut)


def nested_below(outer: Page, found: KeyLineCandidate) -> Nested | None:
    """The indented output below a message that only announces it; None if the message has its own content."""
    last = found.parts[-1]
    text = outer.text(last.number)
    message = text[last.start : last.end]
    if not (_HEADING.match(message) or is_hollow(message)):
        return None
    gutter = 1 if _GUTTER.match(text) else 0
    below = outer.lines[last.number + 1 : last.number + 1 + _MOST]
    if gutter:
        inside = list(takewhile(lambda line: _GUTTER.match(line.text) is not None, below))
        depth = 0
    else:
        depth = outer.lines[last.number].indent
        inside = list(takewhile(lambda line: not line.text.strip() or line.indent > depth, below))
    filled = [_indent(line, gutter) for line in inside if line.text[gutter:].strip()]
    if not filled:
        return None
    margin = min(filled) + gutter
    head = message.find(": ") + 2 + last.start if ": " in message else last.end
    lines = [(outer.lines[last.number], head, last.number)] if head < last.end else []
    lines += [(line, min(margin, len(line.text)), last.number + 1 + at) for at, line in enumerate(inside)]
    return Nested(
        page([Line(line.text[cut:], line.at + cut, line.chunk) for line, cut, _ in lines]),
        tuple(number for _, _, number in lines),
        tuple(cut for _, cut, _ in lines),
    )


def _indent(line: Line, gutter: int) -> int:
    text = line.text[gutter:]
    return len(text) - len(text.lstrip())


TOOLS: Final[tuple[Tool, ...]] = (
    *test_runners.PYTHON_TESTS,
    *test_runners.GO_TESTS,
    *test_runners.TEST_RUNNERS,
    *python.TOOLS,
    *compilers.RUST,
    *runtimes.NODE,
    *runtimes.JVM,
    *compilers.COMPILERS,
    *runtimes.RUNTIMES,
    *linters.TOOLS,
    *services.DATABASES,
    *packages.TOOLS,
    *services.CONTAINERS,
    *services.CLOUDS,
    *shell.VERSIONING,
    *compilers.BUILDERS,
    *shell.SHELLS,
    *shell.LOGS,
)
"""The registry. A new tool is one entry in one of these tables and one line in the corpus of the tests."""


MOST = 24
"""Key lines kept of one output."""
_PER_RULE = 200
_GUESS = WRAPPER + 1
_RUNNERS = frozenset(["go-test", "jest", "vitest", "pytest", "cargo-test"])
"""A run of tests whose messages are cut off is named by nothing: the rest is what the program under test printed."""
_LOGS = frozenset(["log", "logfmt", "json", "html", "unknown"])
_DIAGNOSES = frozenset(text_tables(__file__)["DIAGNOSES"].split())
"""Tools whose findings are errors of their own, also where one command ran several of them."""
_HEAD = 3
BROKEN_PIPE = lazy_pattern(
    r"(?:BrokenPipeError\b|(?:.{0,200}: )?(?:write )?EPIPE\b|.{0,200}\bBroken pipe\b)", re.IGNORECASE
)
"""What a program says whose reader had enough: `| head`."""
_DEEP = 3
"""How deep an output inside an output is looked for."""


class _Named(NamedTuple):
    """A key line with the entry that found it and the entry's place in the registry."""

    found: KeyLineCandidate
    tool: str
    order: int


def _by_needle() -> dict[str, list[tuple[int, str, int, Rule]]]:
    """For each needle the rules it calls for, with their tool, its place in the registry and a number of their own."""
    rules: dict[str, list[tuple[int, str, int, Rule]]] = {}
    numbered = ((order, tool.name, rule) for order, tool in enumerate(TOOLS) for rule in tool.rules)
    for number, (order, tool, rule) in enumerate(numbered):
        for needle in rule.needles:
            rules.setdefault(needle, []).append((order, tool, number, rule))
    return rules


_RULES = _by_needle()
_PLACES = {needle: place for place, needle in enumerate(_RULES)}


def _by_head() -> dict[str, list[str]]:
    """Every needle and every sign of a finder, by its first code points."""
    signs = (sign for tool in TOOLS if tool.find is not None for sign in tool.signs)
    heads: dict[str, list[str]] = {}
    for needle in dict.fromkeys((*_RULES, *signs)):
        heads.setdefault(needle[:_HEAD], []).append(needle)
    return heads


_HEADS = _by_head()
_SHORT = tuple(head for head in _HEADS if len(head) < _HEAD)
_LONG = frozenset(tuple(head) for head in _HEADS if len(head) == _HEAD)


def _present(whole: str) -> frozenset[str]:
    """Return the needles and signs that occur in `whole`; testing each of the hundreds takes far longer."""
    heads = (*map("".join, _LONG.intersection(zip(whole, whole[1:], whole[2:], strict=False))), *_SHORT)
    return frozenset(needle for head in heads for needle in _HEADS[head] if needle in whole)


def key_line(text: str) -> str:
    """The text of the primary key line of `text`; empty for blank text."""
    shown = single_line(text)
    if shown:
        start, end = peel(shown)
        return shown[start:end]
    lines = find_key_lines(text)
    return lines[0].text if lines else ""


def find_key_lines(text: str) -> tuple[KeyLine, ...]:
    """The key lines of `text`, the primary one first; empty for blank text.

    Where the first is secondary, nothing names the failure: it is a trailer, or a guess.
    """
    page = unwrap(text)
    filled = [number for number, line in enumerate(page.lines) if line.text.strip()]
    if not filled:
        return ()
    named = _named(page)
    if len(filled) == 1:
        best = min(named, key=lambda item: (-item.found.weight, item.order)) if named else None
        inside = best is not None and best.tool in ("json", "html")
        parts = best.found.parts if best and inside else (message(page, filled[0]),)
        named_it = _names_failure(best) if best else _may_be_message(page.text(filled[0]))
        return (_key_line(page, parts, best.tool if best else "unknown", primary=named_it),)
    quoted = quoted_lines(page)
    own = [item for item in named if item.found.parts[0].number not in quoted]
    ranked = _ranked(page, _unfolded(page, _without_wrapped(own)), quoted)
    if quoted and not ranked:  # nothing else is there: one of the quoted lines is a guess
        ranked = [_guessed(item) for item in _ranked(page, _without_wrapped(named), frozenset())]
    return tuple(_key_line(page, item.found.parts, item.tool, primary=_is_peer(item, ranked[0])) for item in ranked)


def _may_be_message(text: str) -> bool:
    return _LETTER.search(text) is not None and not is_noise(text)


def _is_peer(item: _Named, top: _Named) -> bool:
    """Return whether a line is the first or a peer error: the next diagnosis, the next failing test."""
    if item is top:
        return _names_failure(top)
    if item.found.weight < CAUSE:
        return False
    diagnoses = top.found.weight < TEST - 1 and item.tool in _DIAGNOSES and top.tool in _DIAGNOSES
    return diagnoses or (item.tool == top.tool and item.found.weight >= top.found.weight - 1)


def _guessed(item: _Named) -> _Named:
    return item._replace(found=item.found._replace(weight=min(item.found.weight, _GUESS)))


def _names_failure(item: _Named) -> bool:
    """Whether a line is more than a trailer or a guess."""
    return item.found.weight > _GUESS


def _named(page: Page) -> list[_Named]:
    """What every entry says of a page."""
    present = _present(page.whole)
    return [*_blocks(page, present), *_lines(page, present)]


def _unfolded(page: Page, named: list[_Named], deep: int = _DEEP) -> list[_Named]:
    """The same, but a test's message that only announces an output is what that output says; nothing where it is
    healthy."""
    found: list[_Named] = []
    for item in named:
        nested = (
            nested_below(page, item.found) if deep and item.tool in _RUNNERS and item.found.weight >= CAUSE else None
        )
        if nested is None:
            found.append(item)
            continue
        inner = _ranked(nested.page, _unfolded(nested.page, _named(nested.page), deep - 1), frozenset())
        if inner and _names_failure(inner[0]):
            outer = nested.outside(inner[0].found, item.found.weight)
            found.append(item._replace(found=outer))
        else:
            says_less = _ONE_WORD.match(_text(page, item.found.parts))  # than the name of its test
            weight = WRAPPER - 1 if says_less else DETAIL
            found.append(item._replace(found=item.found._replace(weight=weight)))
    return found


def _blocks(page: Page, present: frozenset[str]) -> Iterator[_Named]:
    """What the finders of blocks say."""
    for order, tool in enumerate(TOOLS):
        if tool.find is not None and not present.isdisjoint(tool.signs):
            for found in islice(tool.find(page), _PER_RULE):
                yield _Named(found, tool.name, order)


def _lines(page: Page, present: frozenset[str]) -> Iterator[_Named]:
    """What the rules for single lines say; each line is peeled once, each needle sought once."""
    bodies: dict[int, tuple[str, int, int]] = {}
    taken: Counter[int] = Counter()
    for needle in sorted(present & _PLACES.keys(), key=_PLACES.__getitem__):
        rules = _RULES[needle]
        for number in page.having((needle,)):
            body = bodies.get(number)
            if body is None:
                text = page.text(number)
                body = bodies[number] = text, *peel(text)
            text, start, end = body
            for order, tool, serial, rule in rules:
                match = rule.pattern.match(text, start, end)
                if match is None or taken[serial] == _PER_RULE:
                    continue
                if rule.located and not _placed(rule, location(text, start)):
                    continue
                taken[serial] += 1
                part = match.span("key") if "key" in rule.pattern.groupindex else (start, end)
                yield _Named(KeyLineCandidate(rule.weight, (Part(number, *part),)), tool, order)


def _placed(rule: Rule, place: str) -> bool:
    return bool(place) and any(part in place for part in rule.located)


def _ranked(page: Page, named: list[_Named], quoted: frozenset[int]) -> list[_Named]:
    """The primary first, then the others in their order in the text, each line and each text once."""
    if any(item.found.weight == WRAPPER and item.tool in _RUNNERS for item in named):
        named = [item for item in named if item.tool not in _LOGS]
    candidates = [_believed(page, item) for item in named if item.found.weight > WRAPPER]
    if not candidates or max(item.found.weight for item in candidates) <= DETAIL:
        cut = any(item.tool in _RUNNERS for item in named)
        taken = {part.number for item in named for part in item.found.parts} | quoted
        number, sure = (None, False) if cut else best_line(page, taken)
        if number is not None and (sure or not named):
            weight = DETAIL + 1 if sure else _GUESS
            candidates = [
                _Named(KeyLineCandidate(weight, (message(page, number),)), "unknown", len(TOOLS)),
                *candidates,
            ]
    named = [*candidates, *(item for item in named if item.found.weight <= WRAPPER)]
    best_first = sorted(named, key=lambda item: (-item.found.weight, item.found.parts[0].number, item.order))
    lines: set[int] = set()
    texts: set[str] = set()
    kept: list[_Named] = []
    for item in best_first:
        parts = item.found.parts
        text = _text(page, parts)
        if not text or text in texts or any(part.number in lines for part in parts):
            continue
        kept.append(item)
        texts.add(text)
        lines.update(part.number for part in parts)
        if len(kept) == MOST:
            break
    return [*kept[:1], *sorted(kept[1:], key=lambda item: item.found.parts[0].number)]


_LEVEL_WIDTH = 12
"""Code points in which the level of a log line ends; a colon further on names a reason."""


def _believed(page: Page, item: _Named) -> _Named:
    """An item at the weight that its words earn: a detail where it only says that something failed.

    So does a writer whose reader went away (a broken pipe), and a log line without a reason (`Build failed`).
    """
    text = _text(page, item.found.parts)
    hollow = BROKEN_PIPE.match(text) or (item.tool in _LOGS and ": " not in text[_LEVEL_WIDTH:] and is_hollow(text))
    if item.found.weight <= DETAIL or not hollow:
        return item
    return item._replace(found=item.found._replace(weight=DETAIL))


def _without_wrapped(named: list[_Named]) -> list[_Named]:
    """Without what catch-all entries say of a line that its own tool calls a wrapper."""
    wrappers = {item.found.parts[0].number for item in named if item.found.weight < DETAIL and item.tool not in _LOGS}
    if not wrappers:
        return named
    return [item for item in named if item.tool not in _LOGS or item.found.parts[0].number not in wrappers]


def _text(page: Page, parts: Iterable[Part]) -> str:
    return " ".join(page.text(part.number)[part.start : part.end].strip() for part in parts).strip()


def _key_line(page: Page, parts: tuple[Part, ...], tool: str, *, primary: bool) -> KeyLine:
    first, last = parts[0], parts[-1]
    start, _ = page.lines[first.number].span(first.start, first.end)
    _, end = page.lines[last.number].span(last.start, last.end)
    return KeyLine(_text(page, parts), start, max(start, end), tool, "primary" if primary else "secondary")
