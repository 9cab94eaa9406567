"""What the casebook keeps of a rule: when its file was read, what was embedded of it, by which model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from core.embedding.index.stored import sha_of
from core.rules.format.embed_source import source_for
from core.rules.format.rule import Rule
from core.rules.format.store import row_id
from core.rules.matching.tables import load_tables
from core.store import Store, faults
from core.store.sql import storable


@dataclass(frozen=True, slots=True)
class KeptVector:
    """A vector that is kept of a rule: its model (`id@version`), the recipe, the SHA-256 of the embedded text.

    `older`: that is not what the rule says now, so it is not compared.
    """

    model: str
    recipe: str
    text_sha: str
    older: bool = False


@dataclass(frozen=True, slots=True)
class CacheState:
    """The cache of one rule. `looked`: Unix time at which its file was last read for it, None: never.

    `current`: the row says what the file says; `waiting`: it is to be embedded; `failure`: why it could not be.
    """

    looked: float | None
    file_sha: str
    content_hash: str
    current: bool
    waiting: bool
    vectors: tuple[KeptVector, ...]
    failure: str = ""


def cache_state(store: Store, rule: Rule) -> CacheState:
    """What is kept of this rule. Raises Fault."""
    path, tables = storable(rule.path), load_tables()
    said = {sha_of(storable(source_for(tables, english=english).text(rule))) for english in (True, False)}
    with faults(store.path):
        file = store.con.execute("SELECT looked, sha256 FROM rule_file WHERE path = ?", (path,)).fetchone()
        row = store.con.execute(
            "SELECT id, content_hash FROM rule WHERE path = ? AND rule_id = ?", (path, row_id(rule))
        ).fetchone()
        looked, file_sha = cast("tuple[float, str]", file) if file is not None else (None, "")
        if row is None:
            return CacheState(looked, file_sha, rule.content_hash, False, False, ())
        item, kept = cast("tuple[int, str]", row)
        vectors = store.con.execute(
            "SELECT model, recipe, text_sha FROM vector WHERE kind = 'rule' AND item_id = ? ORDER BY model, recipe",
            (item,),
        ).fetchall()
        waits = store.con.execute("SELECT 1 FROM backlog WHERE kind = 'rule' AND item_id = ?", (item,)).fetchone()
        failed = store.con.execute(
            "SELECT reason FROM embed_failure WHERE kind = 'rule' AND item_id = ?", (item,)
        ).fetchone()
    return CacheState(
        looked,
        file_sha,
        rule.content_hash,
        kept == rule.content_hash,
        waits is not None,
        tuple(KeptVector(*one, older=one[2] not in said) for one in cast("list[tuple[str, str, str]]", vectors)),
        "" if failed is None else str(failed[0]),
    )
