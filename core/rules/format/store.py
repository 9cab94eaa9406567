"""Rules in the casebook: rows that follow their files, the text of each that is embedded, and how often each was shown.

Source: semantic-rule-matching REQ-SEM-001, 005, 007; decision 15. Uses are counted in one transaction each, so that
nothing is lost."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, cast

import apsw

from core.rules.format.rule import Rule, RuleFile, Usage, rule_text
from core.rules.matching.tables import Tables
from core.rules.matching.terms import in_english
from core.store import Store, faults, now
from core.store.sql import number, storable

MAX_AGE_S = 24 * 3600.0
"""After so long a file is read again even if neither size nor time of it changed (REQ-SEM-007)."""

_KEPT = tuple(one.name for one in fields(Rule) if one.name != "path")

RECIPE = "rule/2"


def row_id(rule: Rule) -> str:
    """The rule's id within its file: `#1`, `#2`, … where the same id comes again."""
    return f"{rule.id}#{rule.nth}" if rule.nth else rule.id


def is_fresh(con: apsw.Connection, path: str, size: int, mtime_ns: int, at: float | None = None) -> bool:
    """Whether the rows are those of the file as it is: same size and time, and read less than 24 h ago.

    A reading in the future (a clock was set back) counts as none.
    """
    row = con.execute("SELECT size, mtime_ns, looked FROM rule_file WHERE path = ?", (storable(path),)).fetchone()
    if row is None:
        return False
    known_size, known_mtime, looked = cast("tuple[int, int, float]", row)
    age = (time.time() if at is None else at) - looked
    return (known_size, known_mtime) == (size, mtime_ns) and 0 <= age < MAX_AGE_S


def read_at(con: apsw.Connection, paths: Sequence[str]) -> float | None:
    """Unix time at which the first of these files was read, of those that were; None where none was (decision 15)."""
    row = con.execute(
        "SELECT min(looked) FROM rule_file WHERE path IN (SELECT value FROM json_each(?))",
        (json.dumps([storable(path) for path in paths]),),
    ).fetchone()
    return None if row is None else cast("float | None", row[0])


def forget_freshness(store: Store, paths: Sequence[str]) -> None:
    """Read these files again next time (`rules refresh`)."""
    with store.transaction() as con:
        con.executemany("UPDATE rule_file SET looked = 0 WHERE path = ?", ((storable(path),) for path in paths))


def invalidate_vectors(store: Store, paths: Sequence[str]) -> None:
    """Have every rule of these files embedded again, whatever vector it has."""
    of_these = "SELECT id FROM rule WHERE path IN (SELECT value FROM json_each(?))"
    wanted = json.dumps([storable(path) for path in paths])
    with store.transaction() as con:
        con.execute(f"DELETE FROM vector WHERE kind = 'rule' AND item_id IN ({of_these})", (wanted,))
        con.execute(
            f"INSERT INTO backlog SELECT 'rule', id FROM ({of_these}) WHERE NOT EXISTS"
            " (SELECT 1 FROM backlog WHERE kind = 'rule' AND item_id = id)",
            (wanted,),
        )


def drop_removed(store: Store, read: Sequence[str]) -> None:
    """Take out the rows of files that are not there any more: nothing will ask for their vectors. `read`: files that
    are there."""
    known = cast("list[tuple[str]]", store.con.execute("SELECT path FROM rule_file").fetchall())
    there = set(map(storable, read))
    gone = [(path,) for (path,) in known if path not in there and not os.path.lexists(path)]
    if gone:
        with store.transaction() as con:
            con.executemany("DELETE FROM rule WHERE path = ?", gone)
            con.executemany("DELETE FROM rule_file WHERE path = ?", gone)


def sync(store: Store, files: Sequence[RuleFile], at: float | None = None) -> int:
    """Bring the rows up to date with these files, in one transaction; returns how many rules changed.

    A row that stays as it is keeps its vector; one that changed waits for the batch worker, and one that is gone too.
    Raises Fault as `Store.transaction`.
    """
    changed = 0
    with store.transaction() as con:
        for file in files:
            path = storable(file.path)
            known = dict(
                cast(
                    "list[tuple[str, str]]",
                    con.execute("SELECT rule_id, content_hash FROM rule WHERE path = ?", (path,)).fetchall(),
                )
            )
            for rule in file.rules:
                name, content_hash = row_id(rule), rule.content_hash
                if known.pop(name, None) == content_hash:
                    continue
                changed += 1
                con.execute(
                    "INSERT INTO rule(path, rule_id, title, body, content_hash) VALUES (?, ?, ?, ?, ?)"
                    " ON CONFLICT(path, rule_id) DO UPDATE SET title = excluded.title, body = excluded.body,"
                    " content_hash = excluded.content_hash",
                    (path, name, storable(rule.title), _body(rule), content_hash),
                )
            for name in known:
                changed += 1
                con.execute("DELETE FROM rule WHERE path = ? AND rule_id = ?", (path, name))
            con.execute(
                "INSERT OR REPLACE INTO rule_file VALUES (?, ?, ?, ?, ?)",
                (path, file.size, file.mtime_ns, file.sha256, time.time() if at is None else at),
            )
    return changed


def ids_of(con: apsw.Connection, rules: Sequence[Rule], hashes: Sequence[str] = ()) -> dict[int, int]:
    """The row ids of rules whose row says what they say, by their place in `rules`; `hashes`: theirs, where known."""
    wanted = hashes or [rule.content_hash for rule in rules]
    found: dict[tuple[str, str], tuple[int, str]] = {}
    for path in dict.fromkeys(rule.path for rule in rules):
        rows = con.execute("SELECT rule_id, id, content_hash FROM rule WHERE path = ?", (storable(path),)).fetchall()
        for name, item, content_hash in cast("list[tuple[str, int, str]]", rows):
            found[path, name] = (item, content_hash)
    out: dict[int, int] = {}
    for at, rule in enumerate(rules):
        known = found.get((rule.path, row_id(rule)))
        if known is not None and known[1] == wanted[at]:
            out[at] = known[0]
    return out


def rule_of(path: str, body: str) -> Rule:
    fields = cast("dict[str, Any]", json.loads(body))
    fields["path"] = path
    return Rule(**fields)


def _body(rule: Rule) -> str:
    fields = {name: getattr(rule, name) for name in _KEPT}
    fields["extra"] = dict(rule.extra)
    return storable(json.dumps(fields, ensure_ascii=False))


@dataclass(frozen=True, slots=True)
class RuleSource:
    """Rules as texts. For a model that reads English alone, `glossary` gives the English words of a text in Korean,
    Japanese or Chinese, and is part of the recipe: who adds a word has the rules embedded anew."""

    glossary: Mapping[str, str] | None = None
    kind: str = "rule"
    recipe: str = RECIPE

    def text(self, rule: Rule) -> str:
        text = rule_text(rule)
        return text if self.glossary is None else in_english(text, self.glossary)

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


Verdict = Literal["shown", "helped", "dismissed"]


def count_use(store: Store, rules: Iterable[tuple[str, str]], verdict: Verdict) -> None:
    """Count one use of each rule (file, id). Only what was shown counts, never what was only scored. Raises Fault."""
    with store.transaction() as con:
        con.executemany(
            f"INSERT INTO rule_use(path, rule_id, {verdict}, last) VALUES (?, ?, 1, ?)"
            f" ON CONFLICT(path, rule_id) DO UPDATE SET {verdict} = {verdict} + 1, last = excluded.last",
            [(storable(path), storable(rule_id), now()) for path, rule_id in rules],
        )


def count_back(store: Store, path: str, rule_id: str, verdict: Verdict) -> None:
    """Take one use back: what a person said of a rule and took back never happened. Raises Fault."""
    with store.transaction() as con:
        con.execute(
            f"UPDATE rule_use SET {verdict} = max(0, {verdict} - 1) WHERE path = ? AND rule_id = ?",
            (storable(path), storable(rule_id)),
        )


def usage_of(store: Store, path: str, rule_id: str) -> Usage | None:
    """The counts of one rule; None where it was never used. Raises Fault."""
    with faults(store.path):
        row = store.con.execute(
            "SELECT path, rule_id, shown, helped, dismissed, last FROM rule_use WHERE path = ? AND rule_id = ?",
            (storable(path), storable(rule_id)),
        ).fetchone()
    return None if row is None else Usage(*cast("tuple[str, str, int, int, int, str]", row))


def usage(store: Store) -> dict[tuple[str, str], Usage]:
    """The counts by file and id. Raises Fault."""
    with faults(store.path):
        rows = store.con.execute("SELECT path, rule_id, shown, helped, dismissed, last FROM rule_use").fetchall()
    found = (Usage(*row) for row in cast("list[tuple[str, str, int, int, int, str]]", rows))
    return {(one.path, one.rule_id): one for one in found}
