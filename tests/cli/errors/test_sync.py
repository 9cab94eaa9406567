"""`errors export --sync`: a person allows the first block; a block edited by hand is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Run = Callable[..., Any]


def test_the_first_block_needs_a_person(run: Run, home: Path) -> None:
    assert run("errors", "record", "--error", "Error: x y", "--resolution", "z").code == 0
    path = home / "AGENTS.md"
    file = str(path)
    path.write_text("mine\n")
    refused = run("errors", "export", "--sync", file)
    assert refused.code == 2
    assert "the first casebook block of a file needs your confirmation" in refused.said
    assert path.read_text() == "mine\n"
    shown = run("errors", "export", "--sync", file, "--dry-run")
    assert b"## Known errors and fixes" in shown.out
    assert "unchanged, 0 fixes, 0 practices, 0 corrections, about " in shown.text
    assert "This project has no verified fixes yet." in shown.text
    assert path.read_text() == "mine\n"
    done = run("errors", "export", "--sync", file, "--yes", "--json")
    (report,) = json.loads(done.out)["files"]
    assert report["changed"]
    assert path.read_text().startswith("mine\n\n<!-- casebook:start fixes sha=")
    assert run("errors", "export", "--sync").code == 0
    path.write_text(path.read_text().replace("Written by", "Penned by"))
    edited = run("errors", "export", "--sync", file)
    assert edited.code == 2
    assert "edited by hand" in edited.said
    assert run("errors", "export", "--sync").code == 1
    assert run("errors", "export", "--sync", file, "--force").code == 0
    assert run("errors", "export", "--sync", file, "--remove").code == 0
    assert path.read_text() == "mine\n"
    assert run("errors", "export", "--sync", file, "--remove").code == 1
    first = run("errors", "export", "--sync", file, "--yes")
    assert f"casebook errors export --sync {file} --remove" in " ".join(first.text.split())
    assert "--remove" not in run("errors", "export", "--sync", file).text


def test_an_export_of_fixes_into_a_synced_file_writes_the_same_text(run: Run, home: Path) -> None:
    assert run("errors", "record", "--error", "Error: x y", "--resolution", "z").code == 0
    assert run("errors", "verify", "1").code == 0
    path = home / "shop" / "CLAUDE.md"
    path.parent.mkdir()
    assert run("errors", "export", "--fixes", "-o", str(path)).code == 0
    whole = path.read_text()
    assert "> z" in whole, "every verified fix, of any project"
    assert run("errors", "export", "--sync", str(path), "--yes", "--force").code == 0
    synced = path.read_text()
    assert "Written by casebook from verified records of this project" in synced
    done = run("errors", "export", "--fixes", "-o", str(path))
    assert (done.code, path.read_text()) == (0, synced)
    assert run("errors", "export", "--sync", str(path)).text.startswith(f"{path}: unchanged")
    assert run("errors", "export", "--sync", str(path), "--remove").code == 0
    assert run("errors", "export", "--fixes", "-o", str(path)).code == 0
    assert path.read_text() == whole, "no longer kept up to date"
