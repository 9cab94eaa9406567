"""A small casebook of every schema version that was shipped, in `tests/data/casebooks`.

    uv run --group dev python -m tests.casebook_versions

makes the file of a version that has none yet, from the shipped SQL and the rows of `rows.sql`. A file that exists is
never made again: it is what a user of that version has.
"""

from __future__ import annotations

import gzip
import re
import tempfile
from pathlib import Path

import apsw
import sqlite_vec

from core.store.schema.migrations import APPLICATION_ID, shipped

FOLDER = Path(__file__).parent / "data" / "casebooks"


def versions() -> dict[int, Path]:
    """The packed casebooks by their schema version."""
    return {int(path.name[1:].partition(".")[0]): path for path in sorted(FOLDER.glob("v*.db.gz"))}


def unpack(version: int, target: Path) -> Path:
    """Write the casebook of a version to `target`, which is returned."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(gzip.decompress(versions()[version].read_bytes()))
    return target


def make(version: int, target: Path) -> None:
    """Make a casebook of a version from the shipped SQL and the rows that the program of this version wrote."""
    con = apsw.Connection(str(target))
    try:
        con.enable_load_extension(True)
        con.load_extension(sqlite_vec.loadable_path())
        con.execute("PRAGMA journal_mode = WAL")
        for script in shipped()[:version]:
            con.execute(f"BEGIN; {script.sql}; COMMIT")
        con.execute(f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {version}")
        with con:
            for rows in _sections()[:version]:
                con.execute(rows)
        con.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        con.close()


def _sections() -> list[str]:
    text = (FOLDER / "rows.sql").read_text(encoding="utf-8")
    return re.split(r"(?m)^-- version \d+$", text)[1:]


def main() -> None:
    """Make what is missing."""
    for version in range(1, len(shipped()) + 1):
        packed = FOLDER / f"v{version}.db.gz"
        if packed.exists():
            continue
        with tempfile.TemporaryDirectory() as folder:
            made = Path(folder) / "casebook.db"
            make(version, made)
            packed.write_bytes(gzip.compress(made.read_bytes(), 9, mtime=0))


if __name__ == "__main__":
    main()
