"""`casebook config`."""

from __future__ import annotations

import json
import stat
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
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


def test_an_editor_finds_the_schema_of_the_settings(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "my.toml"
    assert run("--config", str(file), "config", "init").code == 0
    first = file.read_text().split("\n")[0]
    assert first == "#:schema ./my.schema.json"
    schema = json.loads((tmp_path / "my.schema.json").read_text())
    jsonschema.Draft7Validator.check_schema(schema)

    def faults(text: str) -> list[str]:
        found = jsonschema.Draft7Validator(schema).iter_errors(tomllib.loads(text))
        return [".".join(map(str, one.path)) for one in found]

    uncommented = "\n".join(line.removeprefix("# ") if " = " in line else line for line in file.read_text().split("\n"))
    assert faults(uncommented) == []
    assert faults('[models.llm]\nseed = "x"') == ["models.llm.seed"]
    assert faults("[log]\nkep = 1") == ["log"]
    assert faults("[hook]\ndeadline_ms = 1") == ["hook.deadline_ms"]
    assert faults('[keys]\n"case.why" = ["t", "f8"]\n"case.fix" = 1') == ["keys.case.fix"]


def test_init_keeps_a_schema_that_somebody_else_wrote(run: Run, tmp_path: Path) -> None:
    other = tmp_path / "my.schema.json"
    other.write_text("{}")
    config = ("--config", str(tmp_path / "my.toml"), "config", "init")
    assert run(*config).code == 2
    assert other.read_text() == "{}"
    assert not (tmp_path / "my.toml").exists()
    assert run(*config, "--force").code == 0
    (tmp_path / "my.toml").unlink()
    assert run(*config).code == 0
