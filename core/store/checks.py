"""What `doctor` asks of the store: can it be written, is it sound, do the derived tables agree with the true ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import apsw

from core.base.fault import Fault
from core.store import files
from core.store.files import sweep_parts
from core.store.schema.migrations import SHIPPED
from core.store.sql import RESCUE, as_fault, number, value
from core.store.store import Store, open_store
from core.store.vec import load_vec

# A key belongs to the case that case_key names, else to the case that bears it (as the schema's triggers keep it).
_ANSWERING = """
  SELECT owned.k, owned.case_id FROM (
    SELECT error_normalized AS k, case_id FROM case_key
    UNION ALL
    SELECT error_normalized, id FROM error_kb WHERE error_normalized NOT IN (SELECT error_normalized FROM case_key)
  ) AS owned JOIN error_kb ON error_kb.id = owned.case_id WHERE trim(coalesce(resolution, '')) <> ''
"""
_KEYS = "SELECT error_normalized, case_id FROM answer_key"
_REBUILD = "to rebuild the tables in a new file, run: casebook db salvage"


@dataclass(frozen=True, slots=True)
class Check:
    """One check of `doctor.v1`: what was found in `detail`, and in `hint` what to do where it is not `ok`."""

    name: str
    ok: bool
    detail: str
    hint: str = ""


def store_checks(path: Path, vectors: Callable[[apsw.Connection], list[str]] | None = None) -> tuple[Check, ...]:
    """data_dir_writable, sqlite_open, vec_loaded and counts_match for the casebook at `path`. Never raises a Fault.

    `vectors` says what is wrong with the tables derived from the vectors. A casebook that does not exist yet is
    healthy: recording makes it. What killed copies left beside it is removed.
    """
    path = path.absolute()
    sweep_parts(path)
    checks = [_guarded("data_dir_writable", path, lambda: _writable(path))]
    try:
        store = None if files.look(path) is None else open_store(path)
    except Exception as error:  # noqa: BLE001  whatever it is, a doctor reports it
        return (*checks, _failed("sqlite_open", error, path), _vec(path), Check("counts_match", False, "not read"))
    if store is None:
        return (
            *checks,
            Check("sqlite_open", True, "no casebook found"),
            _vec(path),
            Check("counts_match", True, "nothing to count"),
        )
    with store:
        checks.append(_guarded("sqlite_open", path, lambda: _sound(store)))
        checks.append(_vec(path))
        checks.append(_guarded("counts_match", path, lambda: _counts(store, vectors)))
    return tuple(checks)


def _guarded(name: str, path: Path, check: Callable[[], Check]) -> Check:
    try:
        return check()
    except (Fault, apsw.Error, OSError) as error:
        return _failed(name, error, path)


def _failed(name: str, error: Exception, path: Path) -> Check:
    fault = as_fault(error, path)
    return Check(name, False, fault.message, fault.hint)


def _writable(path: Path) -> Check:
    folder = path.resolve().parent
    above = folder
    while not above.exists():
        above = above.parent
    reason = files.blocked(path) if path.exists() else None
    if reason is None and not files.writable_folder(above):
        reason = f"the folder {above} is read-only"
    if reason:
        return Check("data_dir_writable", False, reason, "fix the permissions, or pass another file with --db")
    if files.is_full(above / path.name):
        return Check("data_dir_writable", False, f"the disk of {above} is full", "free some space")
    return Check("data_dir_writable", True, str(folder))


def _sound(store: Store) -> Check:
    found = value(store.con, "PRAGMA quick_check(1)")
    if found != "ok":
        return Check("sqlite_open", False, f"{store.path} is damaged ({found})", RESCUE)
    lacking = _lacking(store.con)
    if lacking and not store.newer:
        return Check("sqlite_open", False, f"{store.path} lacks {', '.join(lacking)}", RESCUE)
    broken = store.con.execute("PRAGMA foreign_key_check").fetchone()
    if broken:
        return Check("sqlite_open", False, f"a row of {broken[0]} refers to a missing row of {broken[2]}", RESCUE)
    state = (
        f"opened read-only: {store.readonly}"
        if store.readonly
        else f"schema {SHIPPED.version}, SQLite {apsw.sqlite_lib_version()}"
    )
    return Check("sqlite_open", True, state)


def _lacking(con: apsw.Connection) -> list[str]:
    """Tables, columns and triggers of this version that the file does not have."""
    model = apsw.Connection(":memory:")
    for script in SHIPPED.scripts():
        model.execute(script.sql)
    return sorted(_parts(model) - _parts(con))


def _parts(con: apsw.Connection) -> set[str]:
    parts = {f"{row[0]} {row[1]}" for row in con.execute("SELECT type, name FROM sqlite_schema WHERE sql IS NOT NULL")}
    columns = con.execute(
        "SELECT m.name || '.' || c.name FROM sqlite_schema m, pragma_table_info(m.name) c"
        " WHERE m.type = 'table' AND m.sql NOT LIKE 'CREATE VIRTUAL%'"
    )
    return parts | {f"column {row[0]}" for row in columns}


def _vec(path: Path) -> Check:
    def check() -> Check:
        con = apsw.Connection(":memory:")
        load_vec(con)
        return Check("vec_loaded", True, f"sqlite-vec {value(con, 'SELECT vec_version()')}")

    return _guarded("vec_loaded", path, check)


def _counts(store: Store, vectors: Callable[[apsw.Connection], list[str]] | None) -> Check:
    con = store.con
    cases = number(con, "SELECT count(*) FROM error_kb")
    pairs = (
        ("case_state", number(con, "SELECT count(*) FROM case_state"), cases),
        ("case_fts", number(con, "SELECT count(*) FROM case_fts_docsize"), cases),
        (
            "answer_key",
            number(con, "SELECT count(*) FROM answer_key"),
            number(con, f"SELECT count(*) FROM ({_ANSWERING})"),
        ),
    )
    if not store.newer:
        passages = number(con, "SELECT count(*) FROM chunks")
        pairs += (("chunks_fts", number(con, "SELECT count(*) FROM chunks_fts_docsize"), passages),)
    wrong = [f"{name} has {found} rows, not {expected}" for name, found, expected in pairs if found != expected]
    astray = number(con, f"SELECT count(*) FROM ({_ANSWERING}) WHERE (k, case_id) NOT IN ({_KEYS})")
    if astray and not wrong:
        wrong.append(f"answer_key lacks {astray} keys")
    if vectors is not None and not store.newer:
        wrong += vectors(con)
    if wrong:
        return Check("counts_match", False, "; ".join(wrong), _REBUILD)
    return Check("counts_match", True, f"{cases:,} {'case' if cases == 1 else 'cases'}")
