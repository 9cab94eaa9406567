"""Where the service listens: private, short enough, the same for all who look; and when one is started."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.embedding.service import spawn
from core.embedding.service.client import Served, Unserved, connect
from core.embedding.service.spawn import AGAIN_S, FAILED_S, note_start, note_success, why_not_started
from core.process.connection import not_private
from core.process.endpoint import (
    Endpoint,
    make_private,
    peer_uid,
    proof_of,
    read_port,
    service_place,
)
from tests.core.embedding.service.support import PATIENCE, place_in, running, short_folder

posix = pytest.mark.skipif(os.name == "nt", reason="modes and sockets are for POSIX")


@pytest.fixture
def place() -> Iterator[Endpoint]:
    with short_folder() as folder:
        yield place_in(folder)


@posix
def test_the_runtime_folder_serves_if_it_is_ours(tmp_path: Path) -> None:
    with short_folder() as folder:
        env = {"XDG_RUNTIME_DIR": str(folder), "HOME": "/h"}
        assert service_place(env).socket == folder / "casebook" / "model.sock"
        for other in ("relative", str(folder / "missing"), "", "/h\0"):
            assert service_place({**env, "XDG_RUNTIME_DIR": other}).folder == Path("/h/.local/state/casebook/run")


@posix
def test_a_runtime_folder_of_another_user_does_not_serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As under sudo."""
    with short_folder() as folder:
        monkeypatch.setattr(os, "geteuid", lambda: 54321)
        env = {"XDG_RUNTIME_DIR": str(folder), "HOME": "/h"}
        assert service_place(env).folder == Path("/h/.local/state/casebook/run")


@posix
@settings(deadline=None)
@given(st.text("abc한글", min_size=1, max_size=120))
def test_every_path_is_short_enough_for_a_socket_and_its_own(name: str) -> None:
    place = service_place({"HOME": f"/home/{name}"})
    assert place.socket is not None
    assert len(os.fsencode(place.socket)) <= 103
    assert place == service_place({"HOME": f"/home/{name}"})
    assert place != service_place({"HOME": f"/home/{name}x"})


@posix
def test_a_service_at_a_moved_place_is_found(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 60) / ("e" * 60)
    place = service_place({"HOME": str(deep)})
    assert place.folder == Path(f"/tmp/casebook-{os.geteuid()}")
    try:
        with running(place):
            assert isinstance(connect("double", place=place, deadline_ms=PATIENCE * 1000), Served)
    finally:
        for file in place.folder.glob(f"{place.name}.*"):
            file.unlink()
        with contextlib.suppress(OSError):  # others may have a place there
            place.folder.rmdir()


def test_without_unix_sockets_a_port_file_is_the_entrance() -> None:
    place = service_place({"HOME": "/h"}, loopback=True)
    assert place.socket is None
    assert place.entrance.name == "model.port"


@posix
def test_only_a_folder_of_our_own_is_private(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert "cannot be read" in str(not_private(folder))
    make_private(folder)
    assert not_private(folder) is None
    folder.chmod(0o750)
    assert "accessible to other users" in str(not_private(folder))
    make_private(folder)
    assert not_private(folder) is None
    (tmp_path / "link").symlink_to(folder)
    assert "is not a folder" in str(not_private(tmp_path / "link"))


@pytest.mark.parametrize(
    "said", [b"", b"{", b"[]", b"\xff", b'{"port": 0, "token": "' + b"t" * 64 + b'"}', b'{"port": 8, "token": "t"}']
)
def test_a_port_file_that_is_none_is_no_port(tmp_path: Path, said: bytes) -> None:
    place = Endpoint(tmp_path, "model", None)
    assert read_port(place) is None
    place.port.write_bytes(said)
    assert read_port(place) is None


def test_a_proof_needs_the_token_and_the_nonce() -> None:
    assert len({proof_of(token, nonce) for token in "ab" for nonce in ("1", "2\ud800")}) == 4


@posix
def test_who_is_at_the_other_end_is_known_where_the_platform_tells() -> None:
    one, other = socket.socketpair()
    with one, other:
        assert peer_uid(one) in (None, os.geteuid())


def test_a_start_holds_back_further_ones_for_a_moment(place: Endpoint) -> None:
    assert why_not_started(place, "m", 0) is None
    make_private(place.folder)
    note_start(place, "m")
    began = place.note.stat().st_mtime
    assert why_not_started(place, "m", began + 1) == "the service is starting"
    assert why_not_started(place, "m", began + AGAIN_S) is None
    assert why_not_started(place, "m", began - 5) is None  # the clock was set back


def test_a_failed_start_holds_back_longer_and_says_why(place: Endpoint) -> None:
    make_private(place.folder)
    note_start(place, "m", "its weights are damaged \ud800")
    began = place.note.stat().st_mtime
    assert why_not_started(place, "m", began + 60) == "the service failed to start 60 s ago: its weights are damaged ?"
    assert why_not_started(place, "m", began + FAILED_S) is None
    assert why_not_started(place, "other", began + 60) is None
    note_success(place)
    note_success(place)
    assert why_not_started(place, "m", began + 1) is None


def test_a_service_is_started_once_for_all_who_ask_and_nobody_waits(
    place: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(spawn, "detach", lambda place, options: started.append(options))
    reasons = [connect("m", place=place, start=True) for _ in range(3)]
    assert started == [["--model", "m"]]
    assert [found.reason for found in reasons if isinstance(found, Unserved)] == [
        "no model service is running; casebook starts one for the next search",
        "no model service is running; the service is starting",
        "no model service is running; the service is starting",
    ]


def test_what_cannot_be_started_is_only_a_reason(place: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "")
    found = connect("m", place=place, start=True)
    assert isinstance(found, Unserved)
    assert "could not be started: no Python interpreter" in found.reason
    place.note.unlink()
    place.folder.rmdir()
    place.folder.write_text("a file")
    found = connect("m", place=place, start=True)
    assert isinstance(found, Unserved)
    assert "could not be started" in found.reason or "cannot be read" in found.reason


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        (("other", None, None), "the model service has double 1, not other"),
        (("double", "2", None), "the model service has double 1, not double 2"),
        (("double", "1", "words"), "the model service uses recipe letters, not words"),
    ],
)
def test_a_service_with_the_model_of_yesterday_gives_way_to_one_with_that_of_today(
    place: Endpoint, monkeypatch: pytest.MonkeyPatch, wanted: tuple[str, str | None, str | None], why: str
) -> None:
    """It would answer nobody, and keep another from starting until it has waited in vain for long enough."""
    started: list[list[str]] = []
    monkeypatch.setattr(spawn, "detach", lambda place, options: started.append(options))
    model, version, recipe = wanted
    patience = PATIENCE * 1000
    with running(place) as service:
        looked = connect(model, version=version, recipe=recipe, place=place, deadline_ms=patience)
        assert looked == Unserved("skipped", why), "who would not start one ends none"
        assert service.thread.is_alive()
        asked = connect(model, version=version, recipe=recipe, place=place, deadline_ms=patience, start=True)
        assert asked == Unserved("skipped", f"{why}; stopped, casebook starts one for the next search")
        assert service.wait().why == "stopped"
    assert started == [["--model", model]]


def test_the_service_that_holds_what_is_asked_for_is_let_be(place: Endpoint) -> None:
    with running(place) as service:
        found = connect("double", version="1", recipe="letters", place=place, deadline_ms=PATIENCE * 1000, start=True)
        assert isinstance(found, Served)
        found.close()
        assert service.thread.is_alive()
