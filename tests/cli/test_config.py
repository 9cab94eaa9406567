"""`casebook config`."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


def test_every_value_is_shown_with_its_origin(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "my.toml"
    file.write_text("[log]\nkeep = 7\nkep = 8\n")
    monkeypatch.setenv("CASEBOOK_LOG_LEVEL", "debug")
    args = ("--config", str(file), "--db", "/tmp/other.db", "config", "show")
    found = run(*args, "--json").json()
    origins = {s["name"]: (s["value"], s["origin"], s["where"]) for s in found["settings"]}
    assert origins["log.keep"] == (7, "file", f"{file}:2")
    assert origins["log.level"] == ("debug", "environment", "CASEBOOK_LOG_LEVEL")
    assert origins["store.path"] == ("/tmp/other.db", "flag", "--db")
    assert origins["log.max_bytes"][1] == "default"
    assert f"{file}:3" in found["warnings"][0]
    plain = run(*args)
    assert "keep = 7  # from " in plain.text
    assert f"unknown setting log.kep in {file}:3" in plain.said


def test_init_writes_once(run: Run, home: Path) -> None:
    path = Path(run("config", "path").text.strip())
    assert path == home / ".config" / "casebook" / "config.toml"
    assert run("config", "path", "--json").json() == {
        "schema_version": "config_file.v1", "path": str(path), "exists": False
    }  # fmt: skip
    assert run("config", "init").code == 0
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.write_text("# mine\n")
    again = run("config", "init", "--json")
    assert again.code == 2
    assert "--force" in again.fault()["hint"]
    assert path.read_text() == "# mine\n"
    assert run("config", "init", "--force", "--json").json()["exists"] is True
    assert "[store]" in path.read_text()
    assert run("config", "show").code == 0


def test_init_and_path_work_where_the_settings_are_broken(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "broken.toml"
    file.write_text("[")
    assert run("--config", str(file), "config", "show").code == 2
    assert run("--config", str(file), "config", "path").text == f"{file}\n"
    assert run("--config", str(file), "config", "init", "--force").code == 0
    assert run("--config", str(file), "config", "show").code == 0
