"""A list of rules made ready for matching: its keyword index, its languages, its tables. Built once, then only read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.rules import languages
from core.rules.call import READ
from core.rules.keyword import KeywordIndex, keyword_index
from core.rules.rule import Rule, rule_text
from core.rules.snippets import Shown, shown_by
from core.rules.tables import Tables, load_tables
from core.text import tokens

_FIELDS = ("title", "problem", "root_cause", "solution", "prevention", "category", "notes", "project")


@dataclass(frozen=True, slots=True)
class Book:
    """Rules that can be matched; places in `rules` name them."""

    rules: tuple[Rule, ...]
    tables: Tables
    index: KeywordIndex
    languages: tuple[frozenset[str], ...]
    words: tuple[frozenset[str], ...]
    shown: tuple[Shown, ...]
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
    said = [f"{rule_text(rule)}\n{rule.root_cause}\n{rule.category}" for rule in read]
    return Book(
        kept,
        known,
        keyword_index(read, known.glossary),
        tuple(languages.named_in(text) for text in said),
        tuple(frozenset(tokens(text)) for text in said),
        tuple(map(shown_by, read)),
        tuple(once),
        tuple(dict.fromkeys(rule.path for rule in kept)),
    )


def _cut(rule: Rule) -> Rule:
    """As much of each field as is compared with calls: nobody waits for a rule that holds a whole log."""
    long: dict[str, Any] = {name: text[:READ] for name in _FIELDS if len(text := getattr(rule, name)) > READ}
    if any(len(text) > READ for text in rule.extra.values()):
        long["extra"] = {name: text[:READ] for name, text in rule.extra.items()}
    return replace(rule, **long) if long else rule
