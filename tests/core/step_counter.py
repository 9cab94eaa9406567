"""How many steps a regular expression takes on a text: a backtracking matcher over the standard library's parse tree.

It does what `re` does, in the same order, and counts; a clock would measure the machine. A bound over 256 signs counts
as none (nobody can tell it from quadratic), a smaller one as 8: what is asked is growth, and a bound is a constant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]
from typing import Any, Final

Step = Callable[[int], bool]
_Way = tuple[Callable[[str], bool] | None, Step]
"""Whether a character can begin it, where it begins with one, and the way itself."""
_NONE: Final = 256
_FEW: Final = 8
_CHARACTER_FLAGS: Final = int(re.IGNORECASE | re.ASCII | re.DOTALL | re.UNICODE)
_SHORT: Final = 16
"""Code points: what never reads more takes no time that grows."""
_CHARACTER: Final = frozenset(("LITERAL", "NOT_LITERAL", "IN", "ANY"))
_REPEATS: Final = frozenset(("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"))


class UnknownConstructError(Exception):
    """A construct that this counter does not know: teach it, or do not use it."""


class _Node:
    """A construct on its way into a cache that goes by its text."""

    def __init__(self, node: Any) -> None:
        self.node = node

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Node)

    def __hash__(self) -> int:
        return 0


class _Fitting(dict[str, bool]):
    """Whether a character fits a construct, as the engine itself says."""

    def __init__(self, engine: re.Pattern[str]) -> None:
        super().__init__()
        self._engine = engine

    def __missing__(self, sign: str) -> bool:
        found = self[sign] = self._engine.fullmatch(sign) is not None
        return found


@cache
def _fits(said: str, flags: int, construct: _Node) -> Callable[[str], bool]:
    """Whether a character fits a construct; asked once for each, whatever the pattern."""
    state = _parser.State()
    state.flags = flags
    return _Fitting(_compiler.compile(_parser.SubPattern(state, [construct.node]), 0)).__getitem__


@cache
def _said(sign: str) -> tuple[bool, ...]:
    """What places such as `$` and `\\b` can tell about a character."""
    return sign == "\n", bool(re.match(r"\w", sign)), bool(re.match(r"\w", sign, re.ASCII))


class StepCounter:
    """One pattern. `scan` and `match` say how many steps they took; both stop counting at `most`."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        tree = _parser.parse(pattern, flags)
        self._flags: int = tree.state.flags | flags
        self.is_short = tree.getwidth()[1] <= _SHORT
        self._text = ""
        self._steps = 0
        self._end = 0
        self._groups: dict[int, tuple[int, int]] = {}
        self._asked: list[Callable[[str], bool]] = []
        self.refers = False
        self._run = self._sequence(list(tree), self._flags, self._ended)
        begins = self._begins(list(tree), self._flags)
        self.first = None if begins is None else cache(begins)

    def scan(self, text: str, most: int = 10**7) -> int:
        """The steps of finding every match, one behind the other, as `finditer` and `sub` do."""
        self._text, self._steps = text, 0
        at = 0
        while at <= len(text) and self._steps < most:
            self._steps += 1
            if self.first is not None and not (at < len(text) and self.first(text[at])):
                at += 1
                continue
            self._groups.clear()
            at = max(self._end, at + 1) if self._run(at) else at + 1
        return self._steps

    def match(self, text: str) -> int:
        """The steps of one match from the start of the text."""
        self._text, self._steps = text, 0
        self._groups.clear()
        self._run(0)
        return self._steps

    def end_of_match(self, text: str) -> int | None:
        """Where a match from the start of the text ends."""
        self._text = text
        self._groups.clear()
        return self._end if self._run(0) else None

    def may_begin(self, unit: str) -> bool:
        """Whether any character of `unit` can begin a match."""
        return self.first is None or any(map(self.first, unit))

    def kind(self, sign: str) -> tuple[bool, ...]:
        """What the pattern can tell about a character: two of one kind are one to it."""
        return (*_said(sign), *(asked(sign) for asked in self._asked))

    def _ended(self, at: int) -> bool:
        self._end = at
        return True

    def _sequence(self, nodes: Iterable[Any], flags: int, then: Step) -> Step:
        for node in reversed(list(nodes)):
            then = self._node(node, flags, then)
        return then

    def _node(self, node: Any, flags: int, then: Step) -> Step:
        name, value = str(node[0]), node[1]
        if name in _CHARACTER:
            return self._character(self._test(node, flags), then)
        if name == "SUBPATTERN":
            group, added, removed, inner = value
            return self._group(group, inner, (flags | added) & ~removed, then)
        if name == "BRANCH":
            return self._branch([self._way(list(one), flags, then) for one in value[1]])
        if name in _REPEATS:
            return self._repeat(name, value, flags, then)
        if name == "ATOMIC_GROUP":
            return self._alone(self._sequence(value, flags, self._ended), then)
        if name in ("ASSERT", "ASSERT_NOT"):
            return self._assertion(value, flags, then, wanted=name == "ASSERT")
        if name == "AT":
            return self._place(str(value), flags, then)
        if name == "GROUPREF":
            return self._reference(value, then)
        if name == "GROUPREF_EXISTS":
            return self._if_group(value, flags, then)
        if name == "FAILURE":
            return self._fails
        raise UnknownConstructError(name)

    def _fails(self, at: int) -> bool:
        self._steps += 1
        return False

    def _test(self, node: Any, flags: int) -> Callable[[str], bool]:
        fits = _fits(str(node), flags & _CHARACTER_FLAGS, _Node(node))
        if fits not in self._asked:
            self._asked.append(fits)
        return fits

    def _character(self, fits: Callable[[str], bool], then: Step) -> Step:
        def run(at: int) -> bool:
            self._steps += 1
            return at < len(self._text) and fits(self._text[at]) and then(at + 1)

        return run

    def _group(self, group: int | None, inner: Any, flags: int, then: Step) -> Step:
        if group is None:
            return self._sequence(inner, flags, then)
        starts: list[int] = []

        def close(at: int) -> bool:
            before = self._groups.get(group)
            start = starts.pop()
            self._groups[group] = (start, at)
            if then(at):
                return True
            starts.append(start)
            if before is None:
                self._groups.pop(group, None)
            else:
                self._groups[group] = before
            return False

        body = self._sequence(inner, flags, close)

        def run(at: int) -> bool:
            depth = len(starts)
            starts.append(at)
            if body(at):
                return True
            del starts[depth:]
            return False

        return run

    def _way(self, nodes: list[Any], flags: int, then: Step) -> _Way:
        first = self._test(nodes[0], flags) if nodes and str(nodes[0][0]) in _CHARACTER else None
        return first, self._sequence(nodes, flags, then)

    def _branch(self, ways: list[_Way]) -> Step:
        def plan_of(sign: str) -> tuple[list[tuple[int, Step]], int]:
            """The ways that may be gone from a character, each with the steps of those that end there before it: one
            for the way, one for its character. And the steps of those after the last."""
            may: list[tuple[int, Step]] = []
            ended = 0
            for first, way in ways:
                if first is None or (sign and first(sign)):
                    may.append((ended + 1, way))
                    ended = 0
                else:
                    ended += 2
            return may, ended

        plans: dict[str, tuple[list[tuple[int, Step]], int]] = {}

        def run(at: int) -> bool:
            sign = self._text[at : at + 1]
            plan = plans.get(sign)
            if plan is None:
                plan = plans[sign] = plan_of(sign)
            for steps, way in plan[0]:
                self._steps += steps
                if way(at):
                    return True
            self._steps += plan[1]
            return False

        return run

    def _repeat(self, name: str, value: Any, flags: int, then: Step) -> Step:
        least, most, inner = value
        most = _ENDLESS if most == _constants.MAXREPEAT or most > _NONE else min(most, _FEW)
        least = min(least, _FEW)
        if len(inner) == 1 and str(inner[0][0]) in _CHARACTER:
            return self._run_of(self._test(inner[0], flags), least, most, name, then)
        if name == "POSSESSIVE_REPEAT":
            once = self._sequence(inner, flags, self._ended)
            return self._kept(once, least, most, then)
        return self._loop(inner, flags, (least, most, name == "MAX_REPEAT"), then)

    def _run_of(self, fits: Callable[[str], bool], least: int, most: int, name: str, then: Step) -> Step:
        def longest(at: int, limit: int) -> int:
            end = at
            while end < limit and fits(self._text[end]):
                end += 1
            self._steps += end - at + 1
            return end

        def greedy(at: int) -> bool:
            end = longest(at, min(len(self._text), at + most))
            if end - at < least:
                return False
            if name == "POSSESSIVE_REPEAT":
                return then(end)
            return any(then(stop) for stop in range(end, at + least - 1, -1))

        def lazy(at: int) -> bool:
            end = longest(at, min(len(self._text), at + least))
            if end - at < least:
                return False
            while not then(end):
                self._steps += 1
                if end - at >= most or end >= len(self._text) or not fits(self._text[end]):
                    return False
                end += 1
            return True

        return lazy if name == "MIN_REPEAT" else greedy

    def _kept(self, once: Step, least: int, most: int, then: Step) -> Step:
        def run(at: int) -> bool:
            count = 0
            while count < most and once(at):
                count += 1
                if self._end == at:
                    break
                at = self._end
            return count >= least and then(at)

        return run

    def _loop(self, inner: Any, flags: int, limits: tuple[int, int, bool], then: Step) -> Step:
        least, most, greedy = limits
        now = (0, -1)

        def again(at: int) -> bool:
            nonlocal now
            kept = now
            now = (kept[0] + 1, at)
            if body(at):
                return True
            now = kept
            return False

        def leave(at: int) -> bool:
            nonlocal now
            kept = now
            if then(at):
                return True
            now = kept
            return False

        def turn(at: int) -> bool:
            self._steps += 1
            count, last = now
            if count < least:
                return again(at)
            may = count < most and at != last
            if greedy:
                return (may and again(at)) or leave(at)
            return leave(at) or (may and again(at))

        body = self._sequence(inner, flags, turn)

        def enter(at: int) -> bool:
            nonlocal now
            kept = now
            now = (0, -1)
            if turn(at):
                return True
            now = kept
            return False

        return enter

    def _alone(self, body: Step, then: Step) -> Step:
        return lambda at: body(at) and then(self._end)

    def _assertion(self, value: Any, flags: int, then: Step, *, wanted: bool) -> Step:
        direction, inner = value
        body = self._sequence(inner, flags, self._ended)
        back = inner.getwidth()[0] if direction < 0 else 0

        def run(at: int) -> bool:
            self._steps += 1
            kept = self._end
            holds = at >= back and body(at - back)
            self._end = kept
            return holds is wanted and then(at)

        return run

    def _place(self, where: str, flags: int, then: Step) -> Step:
        source = {
            "AT_BEGINNING": "^",
            "AT_BEGINNING_STRING": r"\A",
            "AT_BOUNDARY": r"\b",
            "AT_NON_BOUNDARY": r"\B",
            "AT_END": "$",
            "AT_END_STRING": r"\Z",
        }.get(where)
        if source is None:
            raise UnknownConstructError(where)
        engine = re.compile(source, flags & (re.MULTILINE | re.ASCII))
        text, places = "", frozenset(one.start() for one in engine.finditer(""))

        def run(at: int) -> bool:
            nonlocal text, places
            self._steps += 1
            if text is not self._text:
                text, places = self._text, frozenset(one.start() for one in engine.finditer(self._text))
            return at in places and then(at)

        return run

    def _reference(self, group: int, then: Step) -> Step:
        self.refers = True

        def run(at: int) -> bool:
            start, end = self._groups.get(group, (0, -1))
            self._steps += 1 + max(0, end - start)
            return end >= start and self._text.startswith(self._text[start:end], at) and then(at + end - start)

        return run

    def _if_group(self, value: Any, flags: int, then: Step) -> Step:
        group, there, else_ = value
        yes = self._sequence(there, flags, then)
        no = self._sequence(else_ or (), flags, then)
        return lambda at: yes(at) if group in self._groups else no(at)

    def _begins(self, nodes: list[Any], flags: int) -> Callable[[str], bool] | None:
        """Whether a character can begin a match, where a match must begin with one."""
        ways: list[Callable[[str], bool]] = []
        for name, value in ((str(one[0]), one[1]) for one in nodes):
            if name in ("AT", "ASSERT", "ASSERT_NOT"):
                continue
            inner, may_lack, within = value, False, flags
            if name == "SUBPATTERN":
                inner, within = value[3], (flags | value[1]) & ~value[2]
            elif name in _REPEATS:
                inner, may_lack = value[2], value[0] == 0
            if name in _CHARACTER:
                first = self._test((getattr(_constants, name), value), flags)
            elif name == "BRANCH":
                first = self._either([self._begins(list(one), flags) for one in value[1]])
            elif name in ("SUBPATTERN", "ATOMIC_GROUP") or name in _REPEATS:
                first = self._begins(list(inner), within)
            else:
                return None
            if first is None:
                return None
            ways.append(first)
            if not may_lack:
                return self._either(ways)
        return None

    def _either(self, ways: Sequence[Callable[[str], bool] | None]) -> Callable[[str], bool] | None:
        known = [one for one in ways if one is not None]
        return (lambda sign: any(one(sign) for one in known)) if len(known) == len(ways) else None


_ENDLESS: Final = 10**9
