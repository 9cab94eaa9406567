"""A rule of a memory file, and what is wrong with a file of rules."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

from core.text.cleaning import normalized

Scope = Literal["global", "project"]
Cost = Literal["lost", "odd", "missing"]
"""What a flaw costs: `lost`: a rule, a field or a setting is lost, or is not read as it was meant; `odd`: everything is
read, but something of it is not as it should be; `missing`: a field that a rule can do without is not there."""
COSTS: tuple[Cost, ...] = ("lost", "odd", "missing")
_NAMED = 5
"""Rules named in a hint that stands for several."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One `ERR-nnn` rule. Fields that the file does not have are empty; `line` is the heading's, counted from 1.

    `notes` is text that stands under no field, `extra` fields under a label nobody knows: nothing of a rule is lost.
    `nth` is 0 but where an id comes again in the same file.
    """

    id: str
    title: str
    problem: str = ""
    root_cause: str = ""
    solution: str = ""
    prevention: str = ""
    date: str = ""
    project: str = ""
    category: str = ""
    notes: str = ""
    extra: Mapping[str, str] = field(default_factory=dict[str, str])
    path: str = ""
    line: int = 0
    nth: int = 0
    scope: Scope = "project"

    @property
    def content_hash(self) -> str:
        """SHA-256 of the rule's content, independent of its place."""
        values = [self.id, self.title, self.problem, self.root_cause, self.solution, self.prevention]
        values += [
            self.date,
            self.project,
            self.category,
            self.notes,
            *sorted(f"{k}\0{v}" for k, v in self.extra.items()),
        ]
        return hashlib.sha256(json.dumps(values).encode()).hexdigest()

    @property
    def key(self) -> tuple[str, str, int]:
        """Unique key: file, id, and the number of its occurrence."""
        return self.path, self.id, self.nth


def rule_text(rule: Rule) -> str:
    """What a rule's vector is made of: `id: title. problem. solution` (semantic-rule-matching 4.1), in NFC."""
    parts = (part.strip() for part in (rule.problem, rule.solution))
    text = ". ".join([f"{rule.id}: {rule.title}".strip(), *(part for part in parts if part)])
    return text if text.isascii() else normalized(text)


@dataclass(frozen=True, slots=True)
class Flaw:
    """Something in a rule file that a person should look at: where (`line` from 1, 0: the file itself) and what."""

    path: str
    line: int
    message: str
    rule: str = ""
    cost: Cost = "lost"


def dearest_first(flaws: Iterable[Flaw]) -> tuple[Flaw, ...]:
    """What costs most first; what costs the same by file, in their order, and line."""
    given = tuple(flaws)
    files = {path: at for at, path in enumerate(dict.fromkeys(one.path for one in given))}
    return tuple(sorted(given, key=lambda one: (COSTS.index(one.cost), files[one.path], one.line)))


def counted_flaws(flaws: Sequence[Flaw]) -> str:
    """How many problems and hints there are, as in `2 problems, 24 hints`. A hint: a field that a rule can do without
    is missing."""
    hints = sum(one.cost == "missing" for one in flaws)
    counts = ((len(flaws) - hints, "problem"), (hints, "hint"))
    return ", ".join(f"{count:,} {name}{'s'[: count != 1]}" for count, name in counts if count)


def folded(flaws: Iterable[Flaw]) -> tuple[Flaw, ...]:
    """The flaws with the hints of one kind as one, at the place of the first of them, behind the problems."""
    kinds: dict[str, list[Flaw]] = {}
    problems: list[Flaw] = []
    for one in flaws:
        if one.cost == "missing":
            kinds.setdefault(one.message.removeprefix(f"{one.rule} has "), []).append(one)
        else:
            problems.append(one)
    return (*problems, *(_as_one(kind, hints) for kind, hints in kinds.items()))


def _as_one(kind: str, hints: Sequence[Flaw]) -> Flaw:
    if len(hints) == 1:
        return hints[0]
    ids = ", ".join(one.rule for one in hints[:_NAMED]) + (", …" if len(hints) > _NAMED else "")
    return replace(hints[0], message=f"{len(hints):,} rules have {kind}: {ids}", rule="")


@dataclass(frozen=True, slots=True)
class RuleFile:
    """A file of rules as it was read; `sha256` is that of its bytes."""

    path: str
    rules: tuple[Rule, ...]
    flaws: tuple[Flaw, ...] = ()
    sha256: str = ""
    size: int = 0
    mtime_ns: int = 0


@dataclass(frozen=True, slots=True)
class Usage:
    """The counts of one rule of one file; `last` is when one of them last rose."""

    path: str
    rule_id: str
    shown: int
    helped: int
    dismissed: int
    last: str


@dataclass(frozen=True, slots=True)
class RuleList:
    """The rules of one or several files, in their order, what is wrong with them, and how often each was shown, helped
    or was dismissed, of those that ever were (`rule_list.v1`)."""

    SCHEMA: ClassVar[str] = "rule_list.v1"

    rules: tuple[Rule, ...]
    flaws: tuple[Flaw, ...] = ()
    files: tuple[str, ...] = ()
    usage: tuple[Usage, ...] = ()
