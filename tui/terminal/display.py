"""When and how Textual draws: garbage is collected at rest, toasts do not stack, wide characters stay whole.

The styles of a widget: what Textual works out again at every class that changes is worked out once. A class that
changes on a screen, or a focus that moves, restyles all of its widgets: a third of what a key costs. Everything
that is replaced here does the same as Textual's own with less work; tests compare the two.
"""

from __future__ import annotations

import gc
from bisect import bisect_left
from functools import lru_cache
from operator import itemgetter
from time import monotonic, time
from typing import Any, Final, cast

from rich.console import RenderableType
from textual import events
from textual._compositor import ChopsUpdate
from textual._styles_cache import StylesCache
from textual.app import App
from textual.color import Color
from textual.css import stylesheet
from textual.css.model import CombinatorType, RuleSet, Selector
from textual.css.styles import RulesMap
from textual.css.stylesheet import Stylesheet
from textual.css.types import Specificity3, Specificity6
from textual.dom import DOMNode
from textual.geometry import Region
from textual.notifications import Notify
from textual.screen import Screen
from textual.style import Style
from textual.widget import Widget

from core.text import visible

_OWN_APPLY: Final = Stylesheet.apply
_OWN_REFRESH: Final = Widget.refresh
_OWN_COMPONENTS: Final = Stylesheet._process_component_classes
_OWN_REPLACE: Final = Stylesheet.replace_rules.__func__  # pyright: ignore[reportFunctionMemberAccess]
_OWN_MATCH: Final = stylesheet._check_selectors  # pyright: ignore[reportPrivateImportUsage]
_ORDER: Final = frozenset({"first-of-type", "last-of-type", "first-child", "last-child", "empty"})
_MANY: Final = 4_096
"""Combinations of rules whose values are kept; one casebook on all panes has some hundreds."""

_first = itemgetter(0)

Candidates = tuple[list[RuleSet], set[str]]
"""The rules that may apply to a node by its names, in the order of their weight, and their pseudo-classes."""

_values: dict[tuple[tuple[int, Specificity3], ...], tuple[list[RuleSet], RulesMap]] = {}
"""The values of rules that apply together, by the rules' identities; the rules are kept so that these stay theirs."""


def find_styles_once() -> None:
    """Let Textual set only the styles of a widget that differ, and find those of equal widgets once."""
    RuleSet.__hash__ = object.__hash__  # pyright: ignore[reportAttributeAccessIssue]  as theirs, by identity
    Stylesheet.replace_rules = classmethod(_replace_rules)  # pyright: ignore[reportAttributeAccessIssue]
    Stylesheet.apply = _apply
    Stylesheet._process_component_classes = _style_components
    stylesheet._check_selectors = _matches  # pyright: ignore[reportPrivateImportUsage]


def measure_again() -> None:
    """Let a text be as high as what it says.

    Textual keeps the height of a widget until its next layout. While a screen opens, a change of a text asks for the
    text's place, and so measures the old one as if it was the new one: its last lines were cut off.
    """
    Widget.refresh = _refresh


def _refresh(
    self: Widget, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False
) -> Widget:
    """As `Widget.refresh`, with nothing kept of what was measured before."""
    if layout:
        self._layout_updates += 1
        self._layout_cache.clear()
        self.clear_cached_dimensions()
    return _OWN_REFRESH(self, *regions, repaint=repaint, layout=layout, recompose=recompose)


def _replace_rules(cls: type[Stylesheet], node: DOMNode, rules: RulesMap, animate: bool = False) -> None:
    """As `Stylesheet.replace_rules`: most widgets have most values already, and few have a `transition` to animate."""
    if animate and "transitions" in rules:
        _OWN_REPLACE(cls, node, rules, animate)
        return
    base = node.styles.base
    has, given = base._rules.get, rules.get
    changed = not animate
    for name in base._rules.keys() | rules.keys():
        if has(name) is not (value := given(name)):
            changed = True
            setattr(base, name, value)
    if changed:
        node.notify_style_update()


def _matches(selectors: list[Selector], path: list[DOMNode]) -> bool:
    """As `_check_selectors`: the last selector must match the node itself, and most fail there."""
    if not selectors or not (last := selectors[-1]).check(path[-1]):
        return False
    return (len(selectors) == 1 and last.combinator is CombinatorType.DESCENDENT) or _OWN_MATCH(selectors, path)


def _apply(
    self: Stylesheet, node: DOMNode, *, animate: bool = False, cache: dict[tuple[Any, ...], RulesMap] | None = None
) -> None:
    """As `Stylesheet.apply`; `cache`: the values found for equal nodes of the same parent in this pass."""
    rules, pseudo_classes = _candidates(self, node)
    node._has_hover_style = "hover" in pseudo_classes
    node._has_focus_within = "focus-within" in pseudo_classes
    node._has_order_style = not pseudo_classes.isdisjoint(_ORDER)
    node._has_odd_or_even = "odd" in pseudo_classes or "even" in pseudo_classes
    key: tuple[Any, ...] | None = None
    found: RulesMap | None = None
    if cache is not None and pseudo_classes.isdisjoint(self._EXCLUDE_PSEUDO_CLASSES_FROM_CACHE):
        known_id = node._id is not None and f"#{node._id}" in self.rules_map
        key = (
            node._parent, node._id if known_id else None, node.classes, node._pseudo_classes_cache_key,
            node._css_type_name,
        )  # fmt: skip
        found = cache.get(key)
    if found is None:
        path, check = node.css_path_nodes, self._check_rule
        found = _values_of([(rule, weight) for rule in rules for weight in check(rule, path)])
        if found and cache is not None and key is not None:
            cache[key] = found
    if found:
        self.replace_rules(node, found, animate=animate)
    self._process_component_classes(node)


def _candidates(sheet: Stylesheet, node: DOMNode) -> Candidates:
    rules_map = sheet.rules_map
    cached: tuple[dict[str, list[RuleSet]], dict[frozenset[str], Candidates]] | None
    cached = sheet.__dict__.get("_casebook_candidates")
    if cached is None or cached[0] is not rules_map:  # other rules were read
        cached = (rules_map, {})
        sheet.__dict__["_casebook_candidates"] = cached
    names = frozenset(rules_map.keys() & node._selector_names)
    found = cached[1].get(names)
    if found is None:
        matching = {rule for name in names for rule in rules_map[name]}
        rules = list(filter(matching.__contains__, reversed(sheet.rules)))
        found = cached[1][names] = (rules, set[str]().union(*(rule.pseudo_classes for rule in rules)))
    return found


def _values_of(matched: list[tuple[RuleSet, Specificity3]]) -> RulesMap:
    """The values of these rules, each of the rule with the most weight; a value that is `initial` is looked up."""
    key = tuple((id(rule), weight) for rule, weight in matched)
    cached = _values.get(key)
    if cached is None:
        if len(_values) >= _MANY:
            _values.clear()
        cached = _values[key] = ([rule for rule, _ in matched], _weigh(matched))
    return cached[1]


def _weigh(matched: list[tuple[RuleSet, Specificity3]]) -> RulesMap:
    given: dict[str, list[tuple[Specificity6, object]]] = {}
    unset, unset_defaults = set[str](), set[str]()
    for rule, weight in matched:
        for name, full, value in rule.styles.extract_rules(weight, rule.is_default_rules, rule.tie_breaker):
            if value is None:
                (unset_defaults if rule.is_default_rules else unset).add(name)
            given.setdefault(name, []).append((full, value))
    values = {name: max(each, key=_first)[1] for name, each in given.items()}
    for name in unset:
        if values[name] is None:
            if defaults := [one for one in given[name] if not one[0][0]]:
                values[name] = max(defaults, key=_first)[1]
            else:
                unset_defaults.add(name)
    for name in unset_defaults:
        if values[name] is None:
            own = [one for one in given[name] if one[0][0]]
            values[name] = max(own, key=_first)[1] if own else getattr(stylesheet._DEFAULT_STYLES, name)
    return cast("RulesMap", values)


def _style_components(self: Stylesheet, node: DOMNode) -> None:
    """As `Stylesheet._process_component_classes`: the node that stands for a component is kept, not made again."""
    changed = False
    for name in sorted(node._get_component_classes()):
        styles = node._component_styles.get(name)
        before = None if styles is None else styles.base._rules.copy()
        part = DOMNode(classes=name) if styles is None or styles.node is None else styles.node
        part._attach(node)
        self.apply(part, animate=False)
        node._component_styles[name] = part.styles
        changed = changed or part.styles.base._rules != before
    if changed:
        node.refresh()


_YOUNG: Final = 1_000
"""Objects made between two looks at the youngest: well under a millisecond each."""
_NEVER: Final = 1 << 30
_LOOK_S: Final = 0.5
_REST_S: Final = 0.4
"""Seconds without a key or the mouse: the answer to the last one is drawn by then."""
_SOON, _AT_LAST = 3, 40
"""Numbers of middle collections from which a full one is worthwhile, and from which it is due even while typing."""


_PAIRS: Final = 256
"""Pairs of colours whose styles are kept."""


def keep_colours_only() -> None:
    """Let Textual remember styles by their colours alone, at most `_PAIRS` of them.

    Textual's own memory of 1,024 pairs is one of a method, so it holds the widgets' caches of drawn lines: panes that
    were left stayed in memory, some 75 MB. The name is Textual's own; a test holds it.
    """
    own = StylesCache.get_inner_outer
    made = getattr(own, "__wrapped__", None)
    if made is None:
        return  # done already

    def styles(base: Color, background: Color) -> tuple[Style, Style]:
        return made(StylesCache, base, background)

    remembered = lru_cache(_PAIRS)(styles)
    own.cache_clear()
    StylesCache.get_inner_outer = lambda _cache, base, background: remembered(base, background)  # pyright: ignore[reportAttributeAccessIssue]


def forget_closed(app: App[None]) -> None:
    """Remove closed watchers from `app`; Textual does so only when the watched value changes.

    A text area watches the theme, so each that was left stayed in memory. The names are Textual's own; a test holds
    them.
    """
    watchers: dict[str, list[tuple[Widget, object]]] = getattr(app, "__watchers", {})
    for watching in watchers.values():
        watching[:] = [one for one in watching if not one[0]._closing]


class CollectsAtRest(App[None], inherit_bindings=False):
    """An app that runs full garbage collections while it is idle."""

    _touched = 0.0
    _settled = False

    def on_load(self) -> None:
        """Before the first frame."""
        keep_colours_only()
        find_styles_once()
        measure_again()

    async def on_event(self, event: events.Event) -> None:
        """Note when someone was there last."""
        if isinstance(event, events.Key | events.Paste | events.MouseEvent):
            self._touched = monotonic()
        await super().on_event(event)

    def collect_at_rest(self) -> None:
        """Exclude the loaded objects from garbage collection. The app's entry point has deferred it until now;
        otherwise the caller has decided."""
        if gc.isenabled():
            return
        gc.freeze()
        gc.set_threshold(_YOUNG, 10, _NEVER)
        gc.enable()
        self.set_interval(_LOOK_S, self._look)

    def _look(self) -> None:
        waited = gc.get_count()[2]
        at_rest = monotonic() - self._touched > _REST_S
        if waited < _SOON or not (at_rest or waited > _AT_LAST):
            return
        forget_closed(self)
        gc.collect()
        if not self._settled:  # the first rows and the rest of the modules: they stay, too
            self._settled = True
            gc.freeze()


_GRAVE: Final = ("information", "warning", "error")


class OneToast(App[None], inherit_bindings=False):
    """An app whose toasts do not stack: the toast of a key or click replaces the one before, unless that one was
    more severe. Toasts without user action stay as well, each once."""

    signals_by = "off"
    """How `signal_end` notifies the terminal (`ui.notify`)."""
    _acted = 0.0  # when the person pressed a key or a button last, as `time` says it
    _refused = ""  # why the last key did nothing, while that may be on the screen

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, (events.Key, events.MouseDown)):
            self._acted = time()
        await super().on_event(event)

    def signal_end(self, text: str) -> None:
        """Notify the terminal that a long run has ended, while another window has the focus."""
        if self.app_focus or self.signals_by == "off" or self._driver is None:
            return
        message = visible(text[:120]).replace("\n", " ")
        self._driver.write(f"\x1b]9;casebook: {message}\a" if self.signals_by == "osc9" else "\a")

    def refuse(self, why: str) -> None:
        """Say why a key does nothing now; the next one that does something takes it away."""
        self._refused = why
        self.notify(why, severity="warning", markup=False, timeout=4)

    def take_refusal_back(self) -> None:
        refused, self._refused = self._refused, ""
        self.take_back(refused)

    def take_back(self, text: str) -> None:
        """Remove this line from the toasts: what it says is over."""
        for one in [one for one in self._notifications if text and text in one.message.split("\n")]:
            left = [line for line in one.message.split("\n") if line != text]
            self._unnotify(one, refresh=not left)
            if left:
                self.notify("\n".join(left), markup=False, severity=one.severity, timeout=one.time_left)

    def notify_below(self, text: str, *, timeout: float) -> None:
        """Say this in one toast with what was said in this tone since the last key: it gets a line below that."""
        before = [one for one in self._notifications if one.severity == "information" and one.raised_at >= self._acted]
        lines = [line for one in before for line in one.message.split("\n") if line != text]
        for one in before:
            self._unnotify(one, refresh=False)
        self.notify("\n".join([*lines, text]), markup=False, timeout=timeout)

    def _on_notify(self, event: Notify) -> None:
        new = event.notification
        for old in list(self._notifications):
            equal = (old.message, old.severity) == (new.message, new.severity)
            before = old.raised_at < self._acted and _GRAVE.index(old.severity) <= _GRAVE.index(new.severity)
            if equal or before:
                self._unnotify(old, refresh=False)
        super()._on_notify(event)


class WholeLetters(App[None], inherit_bindings=False):
    """An app that draws a widget's part of a line to its end.

    Textual stops where the changed region ends, and puts a blank for the half of a wide letter there, which the
    terminal then lacks. Such a region may be left of a layout before, in which the widget was narrower."""

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        if isinstance(renderable, ChopsUpdate):
            ends = renderable.chop_ends
            renderable.spans = [(y, start, _end(ends[y], stop)) for y, start, stop in renderable.spans]
        super()._display(screen, renderable)


def _end(ends: list[int], stop: int) -> int:
    """Where the part ends in which the region ends."""
    at = bisect_left(ends, stop)
    return ends[at] if at < len(ends) else stop
