"""sqlite-vec is loaded on demand, without the package that would pull in numpy."""

from __future__ import annotations

import struct
import subprocess
import sys
from typing import Any

import pytest

from core.base.fault import Fault
from core.store import Store, ensure_vec_table, load_vec, open_store


def blob(*values: float) -> bytes:
    return struct.pack("<384f", *values, *[0.0] * (384 - len(values)))


def test_a_vector_is_found_by_its_distance(store: Store) -> None:
    with store.transaction() as con:
        ensure_vec_table(con)
        con.execute("INSERT INTO vec_error_kb VALUES (7, ?), (8, ?)", (blob(1.0), blob(0.0, 1.0)))
    ensure_vec_table(store.con)  # again is no harm
    found = store.con.execute(
        "SELECT error_kb_id, distance FROM vec_error_kb WHERE embedding MATCH ? AND k = 2", (blob(1.0),)
    ).fetchall()
    assert found == [(7, 0.0), (8, pytest.approx(2**0.5))]  # L2 on unit vectors


def test_a_store_without_vectors_never_needs_the_extension(store: Store, case: Any) -> None:
    with store.transaction() as con:
        ensure_vec_table(con)
    with open_store(store.path, write=True) as other:
        case(other, "an error")
        load_vec(other.con)
        assert other.con.execute("SELECT count(*) FROM vec_error_kb").fetchone() == (0,)


def test_a_missing_extension_is_a_fault(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.store.vec.find_spec", lambda name: None)
    with pytest.raises(Fault) as caught:
        load_vec(store.con)
    assert "sqlite-vec" in caught.value.message


def test_extensions_cannot_be_loaded_by_sql_afterwards(store: Store) -> None:
    load_vec(store.con)
    with pytest.raises(Exception, match=r"not authorized|no such function"):
        store.con.execute("SELECT load_extension('x')")


def test_numpy_is_not_loaded() -> None:
    code = (
        "import sys, apsw; from core.store import ensure_vec_table; ensure_vec_table(apsw.Connection(':memory:'));"
        "print([name for name in ('numpy', 'sqlite_vec') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
