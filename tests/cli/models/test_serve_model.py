"""`casebook serve-model` as a process of its own, with the real MiniLM: started, asked, stopped, killed, idle."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from core.embedding.index.vectors import cosine
from core.embedding.models.catalogue import MINILM
from core.embedding.runtime.embedder import Embedder, Kind
from core.embedding.service.client import Served, Unserved, connect, look
from core.process.endpoint import Endpoint, holder, service_place
from tests.core.embedding.service.support import PATIENCE, short_folder, until

ROOT = Path(__file__).resolve().parents[3]
LONG = PATIENCE * 1000
Run = Callable[..., Any]


@pytest.fixture
def place(home: Path, minilm: Embedder, minilm_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    """A home with the model in its cache, and a runtime folder; whatever service is left there is ended."""
    models = home / ".cache" / "casebook" / "models"
    models.mkdir(parents=True)
    (models / MINILM).symlink_to(minilm_folder)
    with short_folder() as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
        monkeypatch.setenv("PYTHONPATH", str(ROOT))
        where = service_place()
        assert where.folder.parent == folder
        yield where
        left = look(where, LONG)
        if not isinstance(left, Unserved):
            os.kill(left.pid, signal.SIGKILL)


@pytest.fixture
def serve(place: Endpoint, home: Path) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Start one in the foreground of a process, and return when it can be asked."""
    begun: list[subprocess.Popen[bytes]] = []

    def start(*args: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "cli", "serve-model", *args]
        process = subprocess.Popen(command, cwd=home, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        begun.append(process)
        until(lambda: process.poll() is not None or isinstance(connect(MINILM, deadline_ms=LONG), Served))
        return process

    yield start
    for process in begun:
        process.kill()
        process.communicate(timeout=PATIENCE)


def test_started_on_demand_it_embeds_as_the_model_here_and_ends_when_idle(
    place: Endpoint, home: Path, minilm: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CASEBOOK_EMBEDDING_SERVICE_IDLE", "4")
    texts = ["Cannot find module 'react'", "포트가 이미 사용 중입니다", "a long text of many words " * 150]
    kinds: tuple[Kind, ...] = ("document", "query")
    here = [
        (kind, minilm.embed(texts, kind)) for kind in kinds
    ]  # before: on a busy machine it takes longer than idling
    first = connect(MINILM, start=True)
    assert isinstance(first, Unserved), "the first one never waits"
    assert "casebook starts one for the next search" in first.reason
    until(lambda: isinstance(connect(MINILM, deadline_ms=LONG, start=True), Served))
    client = connect(MINILM, version=minilm.version, deadline_ms=LONG)
    assert isinstance(client, Served)
    assert (client.id, client.version, client.recipe, client.dim) == (
        minilm.id, minilm.version, minilm.recipe, minilm.dim,
    )  # fmt: skip
    for kind, ours in here:
        theirs = client.embed(texts, kind)
        assert list(map(len, theirs)) == list(map(len, ours))
        assert len(theirs[2]) > 1
        pairs = zip(chain(*ours), chain(*theirs), strict=True)
        assert min(cosine(one, other) for one, other in pairs) > 0.9999
    pid = holder(place)
    assert pid is not None
    if sys.platform == "linux":
        assert os.getsid(pid) == pid, "a session of its own"
        assert Path(f"/proc/{pid}/cwd").readlink() == place.folder
        assert {Path(f"/proc/{pid}/fd/{n}").readlink() for n in range(3)} == {Path("/dev/null")}
    until(lambda: isinstance(look(place, LONG), Unserved))
    until(lambda: not place.entrance.exists())
    log = home / ".local/state/casebook/casebook.log"
    until(lambda: "model service ended" in log.read_text())
    assert "model service ready" in {json.loads(line)["event"] for line in log.read_text().splitlines()}


def test_by_hand_it_says_where_it_listens_and_ends_at_a_signal(serve: Run, run: Run, place: Endpoint) -> None:
    process = serve("--idle", "900")
    status = run("serve-model", "--status")
    assert status.code == 0
    assert f"(process {process.pid}) is running with {MINILM}" in status.text
    assert "900 s" in status.text
    assert run("serve-model", "--status", "--json").json()["pid"] == process.pid
    assert f"(process {process.pid}) is running with {MINILM}" in run("doctor").text.replace("\n" + " " * 25, " ")
    process.send_signal(signal.SIGSTOP)
    hangs = run("doctor", "--json")
    assert hangs.code == 3
    service = next(one for one in hangs.json()["checks"] if one["name"] == "model_service")
    assert service["detail"] == "the model service does not respond"
    process.send_signal(signal.SIGCONT)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert out.decode() == f"Serving {MINILM} at {place.entrance}. The service stops after 900 s without a request.\n"
    assert err == b""
    assert not place.entrance.exists()


def test_a_second_one_leaves_and_a_killed_one_is_replaced(serve: Run, place: Endpoint) -> None:
    first = serve()
    second = serve("--foreground")
    out, _ = second.communicate(timeout=PATIENCE)
    assert (second.returncode, out.decode()) == (0, f"A model service is already listening on {place.entrance}.\n")
    first.kill()
    first.wait(PATIENCE)
    assert place.entrance.exists()
    third = serve()
    assert holder(place) == third.pid
    client = connect(MINILM, deadline_ms=LONG)
    assert isinstance(client, Served)
    assert client.embed(["still there"], "query")


def test_in_the_background_and_stopped(run: Run, place: Endpoint) -> None:
    started = run("serve-model", "--background", "--idle", "900")
    assert started.code == 0
    assert "is loading" in started.text or "is running with" in started.text
    assert run("serve-model", "--background").code == 0
    stopped = run("serve-model", "--stop")
    assert stopped.code == 0
    assert "Stopped the model service" in stopped.text
    assert not place.entrance.exists()


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="there is no stopping a process")
def test_one_that_hangs_is_ended_all_the_same(serve: Run, run: Run) -> None:
    process = serve()
    process.send_signal(signal.SIGSTOP)
    stopped = run("serve-model", "--stop")
    assert (stopped.code, stopped.text) == (0, f"Stopped the model service (process {process.pid}).\n")
    assert process.wait(PATIENCE) == -signal.SIGKILL
    assert run("serve-model", "--stop").code == 1
    assert serve().poll() is None


def test_where_none_runs_it_says_so(run: Run) -> None:
    for flag in ("--status", "--stop"):
        assert run("serve-model", flag).text == "No model service is running.\n"
        found = run("serve-model", flag, "--json")
        assert found.code == 1
        assert not found.json()["answers"]


def test_without_the_model_it_says_what_to_do_and_is_not_started_again_at_once(place: Endpoint, run: Run) -> None:
    missing = run("serve-model", "--model", "all-mpnet-base-v2", "--json")
    assert missing.code == 2
    assert missing.fault()["code"] == "model_not_pulled"
    assert "pull" in missing.fault()["hint"]
    found = connect("all-mpnet-base-v2", start=True)
    assert isinstance(found, Unserved)
    assert "the service failed to start" in found.reason


@pytest.mark.parametrize("args", [("--idle", "0"), ("--idle", "soon"), ("--idle", "١"), ("--status", "--stop")])
def test_what_makes_no_sense_is_refused(run: Run, args: tuple[str, ...]) -> None:
    refused = run("serve-model", *args, "--json")
    assert refused.code == 2
    assert refused.fault()["code"] == "invalid_input"
