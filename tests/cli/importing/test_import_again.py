"""`casebook import --again`: shows the changes, asks, applies them as one change."""

from __future__ import annotations

import gzip
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.flows.system import evidence
from tests.cli.conftest import Result
from tests.contracts.old_casebook import PACKED

Run = Callable[..., Result]


@pytest.fixture
def book(tmp_path: Path) -> str:
    path = tmp_path / "casebook.db"
    path.write_bytes(gzip.decompress(PACKED.read_bytes()))
    return str(path)


def test_the_counts_before_and_after(run: Run, book: str) -> None:
    shown = run("import", "--again", "--dry-run", "--json", "--db", book).json()
    assert shown["schema_version"] == "import_again.v1" and not shown["applied"]
    done = run("import", "--again", "--yes", "--json", "--db", book).json()
    assert done["applied"] and done["before"] == shown["before"] and done["after"] == shown["after"]
    text = run("import", "--again", "--yes", "--db", book).text
    assert "No changes." in text
    assert run("undo", "--db", book).text.startswith("Undone: harvest again: 4 sessions")


def test_on_a_terminal_it_asks(run: Run, book: str) -> None:
    refused = run("import", "--again", "--db", book, stdin=b"n\n", terminal=True)
    assert refused.code == 1 and "No change." in refused.text
    assert "before" in refused.said and "Apply? [y/N]" in refused.said and "replaced" in refused.said
    agreed = run("import", "--again", "--db", book, stdin=b"y\n", terminal=True)
    assert agreed.code == 0 and "casebook undo" in agreed.text


def test_ctrl_c_while_quotes_are_aligned_is_said(run: Run, book: str, monkeypatch: pytest.MonkeyPatch) -> None:
    align = evidence.align_session

    def pressed(*args: Any, **named: Any) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        return align(*args, **named)

    monkeypatch.setattr(evidence, "align_session", pressed)
    stopped = run("import", "--again", "--yes", "--db", book)
    assert stopped.code == 130
    assert "casebook undo" in stopped.text and "Stopped. The next import aligns the other quotes." in stopped.text


def test_where_nobody_can_be_asked_it_changes_nothing(run: Run, book: str) -> None:
    refused = run("import", "--again", "--db", book, "--json")
    assert refused.code == 2 and "--yes" in refused.fault()["hint"]


def test_a_case_that_stays_for_a_decision_alone_says_so(run: Run, book: str, spawn: Run) -> None:
    code = (
        "import sys; from pathlib import Path; from core.store import open_store\n"
        "with open_store(Path(sys.argv[1]), write=True) as store:\n"
        "    store.con.execute(\"UPDATE fingerprint SET missed = '2026-11-01' WHERE case_id = 19\")\n"
    )
    assert spawn(book, code=code).code == 0
    assert run("errors", "show", "19", "--db", book).text.startswith("Case 19, verified, no longer harvested")
    listed = run("errors", "list", "--tag", "no longer harvested", "--db", book).text.splitlines()
    assert len(listed) == 2 and "(no longer harvested)" in listed[1]


def test_its_options_need_it(run: Run, book: str) -> None:
    assert run("import", "auto", "--yes", "--db", book).code == 2


def test_a_home_folder_of_nobody_is_refused(run: Run, tmp_path: Path) -> None:
    fault = run("import", "--again", "~nobody-here/x", "--json", "--db", str(tmp_path / "k.db")).fault()
    assert (fault["code"], fault["message"]) == ("invalid_input", "unknown user in ~nobody-here/x")
