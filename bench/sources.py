"""Fetch the files that a table of sources names (`sources.tsv`) with git, each at its commit.

    python -m bench.sources TABLE FOLDER [PROJECT …]

A table has the columns `repository`, `commit`, `path` and `sha256`, and `project` where files of several repositories
belong together. A file is stored under the name of its project or repository. One that is there is not fetched again.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

Source = Mapping[str, str]


def fetch(table: Path, folder: Path, projects: Sequence[str] = ()) -> Path:
    """Store the files of these projects (none: all) in the folder, and return it. Raises SystemExit if one is missing
    or has another content than the table says."""
    with table.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if not projects or _name(row) in projects]
    missing = [row for row in rows if not _place(folder, row).exists()]
    missing.sort(key=_version)
    for (repository, commit), files in groupby(missing, key=_version):
        print(f"fetching {repository}", file=sys.stderr)
        for row, data in _contents(repository, commit, list(files)):
            place = _place(folder, row)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
    changed = [row for row in rows if hashlib.sha256(_place(folder, row).read_bytes()).hexdigest() != row["sha256"]]
    if changed:
        raise SystemExit(f"{_place(folder, changed[0])} and {len(changed) - 1} others are not as {table} says")
    return folder


def _name(row: Source) -> str:
    return row.get("project") or row["repository"].rpartition("/")[2]


def _place(folder: Path, row: Source) -> Path:
    return folder / _name(row) / row["path"]


def _version(row: Source) -> tuple[str, str]:
    return row["repository"].removeprefix("https://github.com/"), row["commit"]


def _contents(repository: str, commit: str, rows: Sequence[Source]) -> Iterator[tuple[Source, bytes]]:
    """The content of each file. Only the files that are named are transferred."""
    with tempfile.TemporaryDirectory() as copy:
        url = f"https://github.com/{repository}"
        for words in (
            ("init", "-q"),
            ("remote", "add", "origin", url),
            ("config", "remote.origin.promisor", "true"),
            ("fetch", "-q", "--depth", "1", "--filter=blob:none", "origin", commit),
            ("checkout", "-q", commit, "--", *(row["path"] for row in rows)),
        ):
            subprocess.run(("git", "-C", copy, *words), check=True)
        for row in rows:
            yield row, (Path(copy) / row["path"]).read_bytes()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("projects", nargs="*")
    given = parser.parse_args()
    fetch(given.table, given.folder, given.projects)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
