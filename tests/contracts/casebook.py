"""A small casebook with something of everything, made through the command line at a fixed time from fixed files."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any
from unittest.mock import patch

import apsw

from cli.main import main
from core.samples import DEMO_EXTRACTED, DEMO_SESSION, sample_notes, sample_paths, sample_rules
from core.store import open_store

NOON = int(datetime(2026, 12, 1, 12, 0, tzinfo=UTC).timestamp())
"""The time of the first command; each later one is a second after the one before. After the samples' own dates."""
_VARIES = re.compile(r'(\\*"(?:[a-z_]*ms|run_id|mark)\\*": ?)(?:[\d.]+|\\*"[0-9a-f]{16,32}\\*")')
"""How long something took, the name of a run, and the mark of a quote, which holds how long its search took."""
OTHER_EACH_TIME = {"run_id", "pid", "duration_ms"}
"""Columns."""
MODULE = '''"""Calls that may fail are tried again."""

from time import sleep

TRIES = 3


def retry(call, wait=0.5):
    """Call until it succeeds, at most three times."""
    for left in reversed(range(TRIES)):
        try:
            return call()
        except OSError:
            if not left:
                raise
            sleep(wait)


class Breaker:
    """Stops calling a service that failed too often."""

    def open(self) -> bool:
        return self.failures >= TRIES
'''
YAML = "Traceback (most recent call last):\n  File \"app.py\", line 3\nModuleNotFoundError: No module named 'yaml'"
PORT = "Error: listen EADDRINUSE: address already in use :::3000"
PORT_TOO = "OSError: [Errno 98] Address already in use: ('0.0.0.0', 3000)"
SLOW = "TimeoutError: the build took longer than 300 s"


@dataclass(frozen=True)
class Ran:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str


@dataclass
class Casebook:
    """Runs command lines on one casebook. No time passes while a command runs, one second between two."""

    folder: Path
    second: int = NOON

    @property
    def path(self) -> Path:
        return self.folder / "casebook.db"

    def __call__(self, *words: str | Path, stdin: str = "") -> Ran:
        self.second += 1
        out, err = io.BytesIO(), io.BytesIO()
        with (
            _stopped_clock(self.second),
            patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")),
            patch.object(sys, "stdout", io.TextIOWrapper(out, encoding="utf-8")),
            patch.object(sys, "stderr", io.TextIOWrapper(err, encoding="utf-8")),
        ):
            code = main(["--db", str(self.path), *map(str, words)])
            sys.stdout.flush()
            sys.stderr.flush()
            return Ran(code, self.plain(out.getvalue().decode()), self.plain(err.getvalue().decode()))

    def must(self, *words: str | Path, stdin: str = "") -> str:
        """What a command printed that succeeds."""
        ran = self(*words, stdin=stdin)
        assert ran.code == 0, (words, ran)
        return ran.out

    def plain(self, text: str) -> str:
        """A text without what differs from machine to machine."""
        return _VARIES.sub(r"\g<1>0", text.replace(str(self.folder), "/f").replace(sys.executable, "/python"))


@contextmanager
def _stopped_clock(second: int) -> Iterator[None]:
    with patch.object(time, "time", lambda: float(second)), patch.object(time, "time_ns", lambda: second * 10**9):
        yield


def files(folder: Path) -> None:
    """The files that the casebook is made from, all of one date."""
    claude, codex = sample_paths()
    shutil.copytree(claude / "-home-mina-work-orders-api", folder / "claude" / "-home-mina-work-orders-api")
    shutil.copytree(codex, folder / "codex")
    shutil.copytree(sample_notes(), folder / "notes")
    (folder / "notes" / "retry.py").write_text(MODULE, encoding="utf-8")
    (folder / "entries.json").write_text(DEMO_EXTRACTED, encoding="utf-8")
    shutil.copyfile(sample_rules()[0], folder / "rules.md")
    for path in [folder, *folder.rglob("*")]:
        os.utime(path, (NOON, NOON))


def built(folder: Path) -> Casebook:
    """The casebook: transcripts, cases in each state, a citation, quotes, rules, notes, a merge as its last change."""
    files(folder)
    book = Casebook(folder)
    book.must("import", folder / "claude", folder / "codex")
    book.must("library", "ingest", folder / "notes")
    for error, fix in ((YAML, "pip install pyyaml"), (PORT, "kill $(lsof -ti :3000)"), (PORT_TOO, "fuser -k 3000/tcp")):
        book.must("errors", "record", "--error", error, "--resolution", fix, "--resolved-by", "Bash")
    book.must("errors", "record", "--error", SLOW, "--resolution", "try again", "--tool-sequence", '["Bash", "Read"]')
    yaml, port, port_too, slow = (number(book, one) for one in (YAML, PORT, PORT_TOO, SLOW))
    book.must("errors", "verify", yaml, "--tag", "python", "--resolution", "pip install pyyaml\n\nNot `yaml`.")
    book.must("errors", "noise", slow, "--reason", "a slow machine")
    book.must("library", "cite", port, "retry.py#L8", "--quote", "Call until it succeeds")
    book.must("evidence", "add", folder / "entries.json", "--session", DEMO_SESSION)
    book.must("evidence", "promote", "rates-are-decimal")
    book.must("errors", "merge", port, port_too)
    return book


def number(book: Casebook, error: str) -> str:
    """The number of the case of an error."""
    found: Any = json.loads(book.must("errors", "search", error, "--json"))
    return str(found["match"]["id"])


def schema_text(folder: Path) -> str:
    """The definition of every table, index, trigger and view of a new casebook, and what marks its file."""
    with open_store(folder / "casebook.db", create=True) as store:
        marks = [f"PRAGMA {name} = {store.con.pragma(name)};" for name in ("application_id", "user_version")]
        found = store.con.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type, name")
        return "\n\n".join([*marks, *(f"{row[0]};" for row in found), ""])


def rows_text(folder: Path) -> str:
    """Every row of the casebook, by table: ids, fingerprints, normalized texts, states. Of a long value its SHA-256."""
    book = built(folder)
    con = apsw.Connection(str(book.path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return "".join(f"{line}\n" for line in _rows(con, book))
    finally:
        con.close()


def _rows(con: apsw.Connection, book: Casebook) -> Iterator[str]:
    tables = "SELECT name FROM pragma_table_list WHERE type = 'table' AND schema = 'main' AND name NOT LIKE 'sqlite_%'"
    for (name,) in sorted(con.execute(tables)):
        columns = [str(row[1]) for row in con.execute(f'PRAGMA table_info("{name}")')]
        rows = con.execute(f'SELECT {", ".join(columns)} FROM "{name}"')
        named = ([*zip(columns, row, strict=True)] for row in rows)
        lines = sorted(
            " | ".join("-" if of in OTHER_EACH_TIME else _short(book, one) for of, one in row) for row in named
        )
        yield f"# {name}: {', '.join(columns)}"
        yield from lines
        yield ""


def _short(book: Casebook, value: object) -> str:
    if isinstance(value, bytes):
        return f"<{len(value)} bytes>"
    text = book.plain(value) if isinstance(value, str) else json.dumps(value)
    if len(text) > 160:
        return f"<{len(text)} characters, {sha256(text.encode()).hexdigest()[:16]}>"
    return json.dumps(text, ensure_ascii=False) if isinstance(value, str) else text
