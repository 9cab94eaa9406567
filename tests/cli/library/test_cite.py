"""`casebook library cite`, and what `errors show` says of it afterwards."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

Run = Callable[..., Any]


def test_a_fix_cites_a_passage_and_show_says_what_became_of_it(run: Run, tmp_path: Path) -> None:
    root = tmp_path / "notes"
    root.mkdir()
    (root / "valve.md").write_text("# Valve\n\nIt opens \x1b[31mat noon.\n\nNever before.\n", encoding="utf-8")
    assert run("library", "ingest", str(root)).code == 0
    run("errors", "record", "--error", "ValveError: shut", "--resolution", "wait for noon")
    case = run("errors", "list", "--json").json()["cases"][0]["id"]
    cited = run("library", "cite", str(case), "valve.md#L3", "--quote", "Never before.", "--json")
    assert cited.code == 0
    (one,) = cited.json()["citations"]
    assert (one["status"], one["uri"], one["quote"]) == ("attached", "valve.md#L1-L5", "Never before.")
    (root / "valve.md").write_text("# Valve\n\nIt opens at noon.\n\nAlways before.\n", encoding="utf-8")
    run("library", "ingest")
    shown = run("errors", "show", str(case))
    assert "Cites valve.md#L1-L5" in shown.text
    assert "detached" in shown.text
    assert "\x1b" not in shown.text
    assert run("undo").code == 0
    assert run("errors", "show", str(case), "--json").json()["citations"] == []
    assert run("library", "cite", "999", "valve.md#L3").code == 1
    assert run("library", "cite", str(case), "nowhere.md#L3").code == 1
    assert run("library", "cite", str(case), "valve.md#L3", "--quote", "not there").code == 2
