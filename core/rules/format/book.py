"""A list of rules made ready for matching: its keyword index, its languages, its tables. Built once, then only read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar, overload

from core.rules.format.rule import Rule, rule_text
from core.rules.format.snippets import RuleCode, rule_code
from core.rules.matching.call import READ
from core.rules.matching.keyword import KeywordIndex, keyword_index
from core.rules.matching.languages import named_in
from core.rules.matching.tables import Tables, load_tables
from core.rules.matching.terms import Glossary, terms
from core.text.cleaning import normalized

T = TypeVar("T")
_FIELDS = ("title", "problem", "root_cause", "solution", "prevention", "category", "notes", "project")


@dataclass(frozen=True, slots=True)
class Book:
    """Rules that can be matched; places in `rules` name them. `titles` are the terms of each title."""

    rules: tuple[Rule, ...]
    tables: Tables
    index: KeywordIndex
    languages: Sequence[frozenset[str]]
    shown: Sequence[RuleCode]
    titles: Sequence[frozenset[str]]
    hashes: tuple[str, ...]
    paths: tuple[str, ...]


def book_of(rules: Sequence[Rule], tables: Tables | None = None) -> Book:
    """The rules, ready. Rules that say the same under the same id are one (REQ-SEM-012). Raises Fault config_invalid
    where the user's own tables are wrong."""
    known = load_tables() if tables is None else tables
    once: dict[str, Rule] = {}
    for rule in rules:
        once.setdefault(rule.content_hash, rule)
    kept = tuple(once.values())
    read = [_cut(rule) for rule in kept]
    return Book(
        kept,
        known,
        keyword_index(read, known.glossary),
        LazyFeatures(read, _languages),
        LazyFeatures(read, rule_code),
        LazyFeatures(read, partial(_title, known.glossary)),
        tuple(once),
        tuple(dict.fromkeys(rule.path for rule in kept)),
    )


class LazyFeatures(Sequence[T]):
    """What each rule says of itself, found out when it is first asked for: a call asks of few, and rules are many."""

    def __init__(self, rules: Sequence[Rule], found: Callable[[Rule], T]) -> None:
        self._rules = rules
        self._found = found
        self._known: dict[int, T] = {}

    def __len__(self) -> int:
        return len(self._rules)

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[T]: ...
    def __getitem__(self, at: int | slice) -> T | Sequence[T]:
        if isinstance(at, slice):
            return [self[one] for one in range(*at.indices(len(self)))]
        if at not in self._known:
            self._known[at] = self._found(self._rules[at])
        return self._known[at]


def _title(glossary: Glossary, rule: Rule) -> frozenset[str]:
    return frozenset(terms(rule.title, glossary))


def _languages(rule: Rule) -> frozenset[str]:
    return named_in(f"{rule_text(rule)}\n{rule.root_cause}\n{rule.category}")


def _cut(rule: Rule) -> Rule:
    """Return as much of each field as is compared with calls: a rule that holds a whole log must not delay. In NFC,
    since one letter may be written in two ways."""
    texts = ((name, getattr(rule, name)) for name in _FIELDS)
    changed: dict[str, Any] = {name: cut for name, text in texts if (cut := _nfc(text[:READ])) != text}
    if rule.extra:
        changed["extra"] = {name: _nfc(text[:READ]) for name, text in rule.extra.items()}
    return replace(rule, **changed) if changed else rule


def _nfc(text: str) -> str:
    return text if text.isascii() else normalized(text)
