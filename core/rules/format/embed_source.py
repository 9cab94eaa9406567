"""The rules as texts to embed, for the batch worker: `id: title. problem. solution`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import apsw

from core.rules.format.rule import Rule, rule_text
from core.rules.format.store import rule_of
from core.rules.matching.tables import Tables
from core.rules.matching.terms import in_english
from core.store.sql import number

RECIPE = "rule/2"


@dataclass(frozen=True, slots=True)
class RuleSource:
    """Rules as texts. For a model that reads English alone, `glossary` gives the English words of a text in Korean,
    Japanese or Chinese, and is part of the recipe: who adds a word has the rules embedded anew."""

    glossary: Mapping[str, str] | None = None
    kind: str = "rule"
    recipe: str = RECIPE

    def text(self, rule: Rule) -> str:
        """What is embedded of a rule."""
        said = rule_text(rule)
        return said if self.glossary is None else in_english(said, self.glossary)

    def texts(self, con: apsw.Connection, ids: Sequence[int]) -> dict[int, str]:
        """The texts by row id; a rule that is gone is left out."""
        rows = con.execute(
            "SELECT r.id, r.path, r.body FROM json_each(?) AS wanted CROSS JOIN rule AS r ON r.id = wanted.value",
            (json.dumps(list(ids)),),
        ).fetchall()
        found = cast("list[tuple[int, str, str]]", rows)
        return {item: self.text(rule_of(path, body)) for item, path, body in found}

    def window(self, con: apsw.Connection, after: int, limit: int) -> list[int]:
        """The first `limit` row ids above `after`."""
        rows = con.execute("SELECT id FROM rule WHERE id > ? ORDER BY id LIMIT ?", (after, limit)).fetchall()
        return [cast("int", row[0]) for row in rows]

    def count(self, con: apsw.Connection) -> int:
        """How many rules there are."""
        return number(con, "SELECT count(*) FROM rule")


def source_for(tables: Tables, *, english: bool) -> RuleSource:
    """The source for a model that reads English alone, or every language."""
    if not english:
        return RuleSource()
    return RuleSource(tables.glossary, recipe=f"{RECIPE}-en-{tables.glossary_hash}")
