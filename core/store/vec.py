"""sqlite-vec, loaded into a connection when a vector is first needed."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import apsw

from core.fault import Fault

VEC_ERROR_KB = (
    "CREATE VIRTUAL TABLE IF NOT EXISTS vec_error_kb USING vec0(error_kb_id INTEGER PRIMARY KEY, embedding float[384])"
)
"""The seed's declaration: it names no metric, so distances are L2 (decision 5)."""


def load_vec(con: apsw.Connection) -> None:
    """Make `vec0` known to `con`; a second call does nothing.

    The library is loaded from the package's folder without importing the package, which would pull in numpy.
    Raises Fault generic where it is missing or does not load; the text tiers need none of it.
    """
    if any(row[0] == "vec0" for row in con.execute("PRAGMA module_list")):
        return
    spec = find_spec("sqlite_vec")
    folder = next(iter(spec.submodule_search_locations or ()), None) if spec else None
    if folder is None:
        raise Fault("generic", "The vector extension sqlite-vec is not installed.", "Install casebook again.")
    try:
        con.enable_load_extension(True)
        try:
            con.load_extension(str(Path(folder) / "vec0"))
        finally:
            con.enable_load_extension(False)
    except apsw.Error as error:
        raise Fault(
            "generic", f"The vector extension sqlite-vec does not load ({error}).", "Install casebook again."
        ) from error


def ensure_vec_table(con: apsw.Connection) -> None:
    """Load `vec0` and make `vec_error_kb` if it is missing. Raises Fault, and apsw errors where `con` only reads."""
    load_vec(con)
    con.execute(VEC_ERROR_KB)
