"""The shipped JSON Schemas are what the types say, and the commands that only tell satisfy them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from core.base.installation import remedy
from core.flows.system.capabilities import generated, schema_names
from core.store import open_store

Run = Callable[..., Any]
SCHEMAS = Path(__file__).resolve().parents[2] / "core" / "schemas"


def test_the_shipped_schemas_are_fresh() -> None:
    there = {path.name: path.read_text(encoding="utf-8") for path in SCHEMAS.glob("*.json")}
    assert there == generated(), "run: python -m core.flows.system.capabilities --write"
    for text in there.values():
        jsonschema.Draft202012Validator.check_schema(json.loads(text))


def test_schema_lists_what_is_written_and_what_is_to_come(run: Run) -> None:
    found = run("schema", "--json").json()
    assert set(found["wire"]) == set(schema_names()) >= {"error_search.v1", "error.v1", "doctor.v1", "progress.v1"}
    assert found["stats"] is None
    status = {c["name"]: c["status"] for c in found["capabilities"]}
    assert status["errors"] == "ready"
    assert status["evidence"] == "ready"
    assert status["library"] == "ready"
    assert status["ask"] == "ready"
    run("errors", "record", "--error", "Error: x y", "--resolution", "z")
    assert run("schema", "--json").json()["stats"]["cases"] == 1
    assert "features" in run("schema").text


def test_the_extra_for_agents_is_named_where_it_is_missing_and_is_no_failure(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "mcp_extra" not in run("doctor").text, "nothing is said of what is there"
    assert remedy("mcp") not in run("schema").text
    monkeypatch.setattr("core.flows.system.capabilities.PACKAGE", "no_such_package_anywhere")
    found = run("doctor", "--json")
    assert found.code == 0
    check = found.json()["checks"][-1]
    assert (check["name"], check["ok"], check["hint"]) == ("mcp_extra", True, f"run: {remedy('mcp')}")
    mcp = next(one for one in run("schema", "--json").json()["capabilities"] if one["name"] == "mcp")
    assert (mcp["status"], mcp["needs"]) == ("missing", remedy("mcp"))
    assert "not installed\n" in run("schema").text
    assert f"a stdio MCP server for agents; {remedy('mcp')}" in run("schema").text


def test_one_schema_on_demand(run: Run) -> None:
    assert json.loads(run("schema", "error.v1").text)["title"] == "error.v1"


def test_doctor_is_content_with_nothing(run: Run, home: Path) -> None:
    found = run("doctor", "--json")
    assert found.code == 0
    names = [check["name"] for check in found.json()["checks"]]
    assert names == [
        "config_loaded", "data_dir_writable", "sqlite_open", "vec_loaded", "counts_match", "embedding_model",
        "model_service", "llm_reachable", "llm_model",
    ]  # fmt: skip
    assert not (home / ".local").exists()
    assert "All checks passed" in run("doctor").text


def test_doctor_finds_what_is_wrong_and_exits_3(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("[ui]\nascii = 3\n")
    found = run("doctor", "--json", "--config", str(tmp_path / "bad.toml"))
    assert found.code == 3
    first = found.json()["checks"][0]
    assert not first["ok"]
    assert "bad.toml:2" in first["detail"]
    (tmp_path / "x.db").write_bytes(b"nonsense" * 1000)
    plain = run("doctor", "--db", str(tmp_path / "x.db"))
    assert plain.code == 3
    assert "FAIL  sqlite_open" in plain.text


def test_doctor_mends_what_is_derived(run: Run, tmp_path: Path) -> None:
    database = tmp_path / "x.db"
    db = ("--db", str(database))
    run("errors", "record", "--error", "Error: x y broke", "--resolution", "z", *db)
    with open_store(database, write=True) as store, store.transaction() as con:
        con.execute(
            "DELETE FROM answer_key; DELETE FROM case_state; INSERT INTO case_fts(case_fts) VALUES ('delete-all')"
        )
    ill = run("doctor", *db)
    assert ill.code == 3
    assert "--repair" in ill.text
    assert run("doctor", "--repair", *db).code == 0
    assert run("errors", "list", *db).code == 0
    assert run("errors", "search", "Error: x y broke", *db).code == 0
