"""How Textual finds the styles of a widget: what it works out again at every class that changes is worked out once.

A class that changes on a screen, or a focus that moves, has all of its widgets styled anew: a third of what a key
costs. Everything that is replaced here does the same as Textual's own with less work; tests compare the two.
"""

from __future__ import annotations

from operator import itemgetter
from typing import Any, Final, cast

from textual.css import stylesheet
from textual.css.model import CombinatorType, RuleSet, Selector
from textual.css.styles import RulesMap
from textual.css.stylesheet import Stylesheet
from textual.css.types import Specificity3, Specificity6
from textual.dom import DOMNode

_OWN_APPLY: Final = Stylesheet.apply
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


def _replace_rules(cls: type[Stylesheet], node: DOMNode, rules: RulesMap, animate: bool = False) -> None:
    """As `Stylesheet.replace_rules`: most widgets have most values already, and few have a `transition` to animate."""
    if animate and "transitions" in rules:
        _OWN_REPLACE(cls, node, rules, animate)
        return
    base = node.styles.base
    has, wanted = base._rules.get, rules.get
    changed = not animate
    for name in base._rules.keys() | rules.keys():
        if has(name) is not (value := wanted(name)):
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
    kept: tuple[dict[str, list[RuleSet]], dict[frozenset[str], Candidates]] | None
    kept = sheet.__dict__.get("_casebook_candidates")
    if kept is None or kept[0] is not rules_map:  # other rules were read
        kept = (rules_map, {})
        sheet.__dict__["_casebook_candidates"] = kept
    names = frozenset(rules_map.keys() & node._selector_names)
    found = kept[1].get(names)
    if found is None:
        wanted = {rule for name in names for rule in rules_map[name]}
        rules = list(filter(wanted.__contains__, reversed(sheet.rules)))
        found = kept[1][names] = (rules, set[str]().union(*(rule.pseudo_classes for rule in rules)))
    return found


def _values_of(matched: list[tuple[RuleSet, Specificity3]]) -> RulesMap:
    """The values of these rules, each of the rule with the most weight; a value that is `initial` is looked up."""
    key = tuple((id(rule), weight) for rule, weight in matched)
    kept = _values.get(key)
    if kept is None:
        if len(_values) >= _MANY:
            _values.clear()
        kept = _values[key] = ([rule for rule, _ in matched], _weigh(matched))
    return kept[1]


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
