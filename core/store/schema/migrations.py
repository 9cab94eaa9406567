"""The schema: its migrations, and the guard that refuses a file whose schema another program altered."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

import apsw

from core.base.fault import Fault
from core.base.lazy import lazy_pattern
from core.store.files import copy_database, sweep_parts
from core.store.sql import digest, number, stamp, value

APPLICATION_ID = 0x4353424B  # "CSBK"
BACKUPS_KEPT = 3


class Script(NamedTuple):
    """One step of the schema: `number` becomes the file's user_version once `sql` has run."""

    number: int
    name: str
    sql: str


class Schema(NamedTuple):
    """The newest `version` and where its steps come from; they are read only when there is something to do."""

    version: int
    scripts: Callable[[], tuple[Script, ...]]


def shipped() -> tuple[Script, ...]:
    """The SQL files of this version, in order."""
    from importlib.resources import files

    folder = files("core.store.schema")
    found = sorted((item for item in folder.iterdir() if item.name.endswith(".sql")), key=lambda item: item.name)
    return tuple(Script(int(item.name[:4]), item.name, item.read_text("utf-8")) for item in found)


SHIPPED = Schema(version=18, scripts=shipped)


def version_of(con: apsw.Connection) -> int:
    """The schema version written in the file; 0 in a new one."""
    return number(con, "PRAGMA user_version")


def is_blank(con: apsw.Connection) -> bool:
    """Whether the file holds nothing at all, so that it may become a casebook."""
    marks = number(con, "PRAGMA application_id") or version_of(con)
    return not marks and value(con, "SELECT 1 FROM sqlite_schema LIMIT 1") is None


def migrate(con: apsw.Connection, path: Path | None, schema: Schema = SHIPPED) -> None:
    """Bring the database up to `schema.version`, one transaction a step.

    `path` is where it lies: one that already holds a casebook is backed up beside it first. None: no backup is wanted.
    Several processes may do this at once; the later ones find it done. Raises apsw errors, or Fault db_damaged where a
    step leaves a reference to a row that is not there.
    """
    found = version_of(con)
    if found >= schema.version:
        return
    con.execute("PRAGMA foreign_keys = OFF")  # a step may rebuild a table; the references are checked before its commit
    try:
        kept = path is None or found == 0
        for script in schema.scripts():
            with _transaction(con):
                before = version_of(con)
                if before >= script.number:
                    continue
                if path is not None and not kept:
                    _keep(path, before)
                    kept = True
                _apply(con, script)
    finally:
        con.execute("PRAGMA foreign_keys = ON")


@contextmanager
def _transaction(con: apsw.Connection) -> Generator[None]:
    """One step. `with con` would hold the GIL while it waits for the write lock: no other thread could release it."""
    con.execute("BEGIN IMMEDIATE")
    try:
        yield
        con.execute("COMMIT")
    except BaseException:
        with suppress(apsw.Error):  # SQLite may have rolled back by itself
            con.execute("ROLLBACK")
        raise


def _apply(con: apsw.Connection, script: Script) -> None:
    for _ in con.execute(script.sql):
        pass
    broken = con.execute("PRAGMA foreign_key_check").fetchone()
    if broken:
        raise Fault("db_damaged", f"{script.name} was not applied: a row of {broken[0]} refers to a missing row")
    con.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    con.execute(f"PRAGMA user_version = {script.number}")


def _keep(path: Path, version: int) -> None:
    """Back up what is committed now. The caller holds the write lock, so this is the state that the steps change."""
    sweep_parts(path)
    made = path.with_name(f"{path.name}.backup-v{version}-{stamp()}")
    copy_database(path, made)
    # A clock that went back names the newest backup as the oldest. What a killed copy left (`.part`) is no backup.
    others = {*path.parent.glob(f"{_escaped(path.name)}.backup-v*-*Z")} - {made}
    for old in sorted(others, key=lambda found: found.name.rpartition("-")[2])[: 1 - BACKUPS_KEPT]:
        with suppress(OSError):  # not worth the update
            old.unlink()


def _escaped(name: str) -> str:
    return "".join(f"[{sign}]" if sign in "*?[" else sign for sign in name)


DIGESTS: Final = {
    1: "2720854c2c59bf063d227371be917ff6aab5e67907a131c72f763114ecfc9ff1",
    2: "62681400bc2347c45d37ca3b469f194f5a6593250202c4e980b384aab5291ac5",
    3: "17352cdd38cea66019760d699312a2e5bcad553a0aeb29fa35ae8a39db703065",
    4: "5721d9720e3b0b8d9957c9aedc27b610919058f3e0c1cd2ecddd37faccade0ae",
    5: "ecc303618a6e3245bdedf9a0a91bc372561abc5c6fedcf44db77d57fb9cb5105",
    6: "e4775505469a50eaa2c7659f2c8f314cc48aac3f1f31ba92935b1686ba20917b",
    7: "5038eb206986272fd306e9296d5c1db2b9d0277dc1c21e843aa16a6ab5ac302a",
    8: "8dc24b1f095d70ffa9b989ed9e862c3bf1daed78856ea1b741b68326c4429e34",
    9: "3f4a28b68d0ec5d32202e5b14eec43771c2f51f77e07c3229c7418d69fcf8bb8",
    10: "e50d87b4cdef6ab751ba024eaf3789d7764f821a96e9138b82a89f1e489ff0a4",
    11: "ad0aac3f948d4d9901474d21f5ff9ee368695e45489d06d835e4410128f308ed",
    12: "09988cb2be5843ccca960aa21472ed4eb952043cd8a1de0f148e17e2fdd37023",
    13: "c126fd457863659f614d84f327884bfcb880a6db6c9be6408a5fe1bdf237c4f6",
    14: "668f28a6cea2545c36e7d4227c04407ef5da7195037b9d2137142c1465b441fb",
    15: "a7b3939c7abaaf21d4d1b3e782a3623b243041d24e5ee58e5d23060a5a859e34",
    16: "ab7f3d6063d6778126612cca0126e41a930817c43b4e1fe83583a567d9812c99",
    17: "2f3762c58e190c780cdd5191eec4fc34adb23383e4fc81cae86ea2739c17d9bb",
    18: "f879f4936c836234526481b539c21ee77f12414a86577ba33083fdb8742a2b25",
}
"""BLAKE2b of the schema that the shipped scripts make, by version: what nearly every casebook has. A test holds them.

In the order in which the scripts make it. A casebook with another digest is compared statement by statement.
"""

_LATER: Final = "(name GLOB 'vec_*' OR name GLOB 'sqlite_stat*')"
"""The names of tables that no script makes."""
_TEXT: Final = f"""
  SELECT (SELECT user_version FROM pragma_user_version), count(*) FILTER (WHERE {_LATER}),
         group_concat(type || char(0) || name || char(0) || sql, char(0)) FILTER (WHERE NOT {_LATER})
  FROM sqlite_schema WHERE sql IS NOT NULL
"""
_ROWS: Final = "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL"
_VECTORS: Final = lazy_pattern(
    r'CREATE VIRTUAL TABLE "?vec_[a-z0-9_]+"? USING vec0\(\w+ INTEGER PRIMARY KEY, embedding float\[[0-9]+\]\)',
    re.ASCII,
)
"""As `core.store.vec` declares its tables, which are made when they are needed."""
_PLAIN: Final = lazy_pattern(
    r"""CREATE TABLE (?:\w+|"\w+"|'\w+') ?\([\w\s,()]*\)(?: (?:WITHOUT ROWID|STRICT))?""", re.ASCII
)
_TABLE: Final = lazy_pattern(r"CREATE TABLE \S+ ?\(", re.ASCII)
_CODE: Final = lazy_pattern(r"\b(?:as|check|collate|conflict|default|generated|references|select)\b", re.ASCII | re.I)
"""What makes a table more than columns: expressions, and actions on rows of other tables."""
_NAMED: Final = 3
"""How many statements a refusal names."""

Statement = tuple[str, str, str]
"""Type, name and SQL of a row of `sqlite_schema`."""


def refuse_altered(con: apsw.Connection, path: Path, schema: Schema = SHIPPED) -> None:
    """Raise Fault db_damaged if a trigger, view, index or table is not the shipped one of the file's schema version.

    Left alone are tables of plain columns (SQLite's statistics, the ones that FTS5 and vec0 keep, a user's own), vec0
    tables, and a newer version, which is only read. A statement or a column that is missing is left to `doctor`.
    """
    version, digest, others = digest_of(con)
    if version > schema.version:
        return
    is_shipped = schema is SHIPPED and digest == DIGESTS.get(version)
    if is_shipped and not others:
        return
    found = _statements(con, f"{_ROWS} AND {_LATER}" if is_shipped else _ROWS)
    coded = [one for one in found if not _is_harmless(one[2])]
    shipped = made_by(schema, version) if coded else ()
    known = frozenset(map(_spaced, shipped))
    tables = {name: _definitions(sql) for kind, name, sql in shipped if kind == "table"}
    foreign = sorted(
        f"{kind} {name}"
        for kind, name, sql in coded
        if _spaced((kind, name, sql)) not in known
        and not (_TABLE.match(sql) and _definitions(sql) <= tables.get(name, frozenset()))
    )
    if not foreign:
        return
    from core.text import visible

    named = ", ".join(visible(one[:80]) for one in foreign[:_NAMED])
    more = f" and {len(foreign) - _NAMED} more" if len(foreign) > _NAMED else ""
    raise Fault(
        "db_damaged",
        f"{path} has SQL in its schema that casebook did not write: {named}{more}",
        "save its rows in a new file with `casebook db salvage`",
        path=str(path),
    )


def digest_of(con: apsw.Connection) -> tuple[int, str, int]:
    """The schema version, the digest of what the scripts make, and how many statements it leaves out."""
    row = con.execute(_TEXT).fetchone()
    version, others, text = row if row else (0, 0, "")
    return (
        int(str(version)),
        digest(str(text)).hex(),
        int(str(others)),
    )


@lru_cache(maxsize=2)
def made_by(schema: Schema, version: int) -> tuple[Statement, ...]:
    """The statements of a new casebook of this version; takes 10 ms, and is needed where VACUUM changed the order."""
    model = apsw.Connection(":memory:")
    try:
        for script in schema.scripts():
            if script.number <= version:
                model.execute(script.sql)
        return tuple(_statements(model, _ROWS))
    finally:
        model.close()


def _statements(con: apsw.Connection, query: str) -> list[Statement]:
    return [(str(kind), str(name), str(sql)) for kind, name, sql in con.execute(query)]


def _is_harmless(sql: str) -> bool:
    plain = _PLAIN.fullmatch(sql) is not None and _CODE.search(sql) is None
    return plain or _VECTORS.fullmatch(sql) is not None


def _spaced(statement: Statement) -> Statement:
    """The same with one form of white space: versions of SQLite join an added column in their own way."""
    kind, name, sql = statement
    return kind, name, " ".join(sql.split())


def _definitions(sql: str) -> frozenset[str]:
    """The columns and constraints of a table, and what follows them; a shipped string has no bracket or dash in it."""
    depth, parts = 0, [""]
    for sign in re.sub(r"--[^\n]*", "", sql[sql.find("(") + 1 :]):
        depth += (sign == "(") - (sign == ")")
        if (sign == "," and depth == 0) or depth < 0:
            parts.append("")
            depth = 0
        else:
            parts[-1] += sign
    return frozenset(" ".join(part.split()) for part in parts)
