"""Fixtures for the workbench's tests; what they are made of is in `support`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from textual._compositor import Compositor
from textual.notifications import Notification

from tests.tui.quiet import (
    DRAW,
    drawn_when_quiet,
    looked_up_once,
    nothing_gives_way,
    nothing_slept_for_nothing,
    styles_parsed_once,
)
from tests.tui.services.import_children import Forked
from tests.tui.support import make_casebook


@pytest.fixture(scope="session")
def made_casebook(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file of a casebook of five cases, English and Korean."""
    return make_casebook(tmp_path_factory.mktemp("made") / "sample.db").read_bytes()


@pytest.fixture
def casebook(made_casebook: bytes, tmp_path: Path) -> Path:
    """A casebook of five cases, English and Korean, of the test's own."""
    path = tmp_path / "sample.db"
    path.write_bytes(made_casebook)
    return path


@pytest.fixture(scope="session", autouse=True)
def pilots_that_go_on() -> Iterator[None]:
    """No key waits longer than the app needs, nothing is drawn that nobody sees, no style sheet is parsed twice."""
    with nothing_slept_for_nothing(), drawn_when_quiet(), styles_parsed_once(), looked_up_once():
        yield


@pytest.fixture(autouse=True)
def children_as_others() -> Iterator[None]:
    """The processes of a workbench do not give way here."""
    with nothing_gives_way():
        yield


@pytest.fixture(autouse=True)
def children_forked(request: pytest.FixtureRequest) -> Iterator[None]:
    """The processes of a workbench have their modules already; those of `services` begin as everywhere."""
    with pytest.MonkeyPatch.context() as patch:
        if sys.platform == "linux" and request.path.parent.name != "services":
            names = ("PIPE", "DEVNULL", "TimeoutExpired")
            forked = SimpleNamespace(Popen=Forked, **{name: getattr(subprocess, name) for name in names})
            patch.setattr("core.process.child.subprocess", forked)
        yield


@pytest.fixture(autouse=True)
def toasts_stay() -> Iterator[None]:
    """A toast stays until something replaces it: its seconds would pass while a busy machine draws the next screen."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Notification, "time_left", 3_600.0)
        yield


@pytest.fixture(autouse=True)
def keys_wait() -> Iterator[None]:
    """Keys wait for what one before them has asked for, and for its way through the app, however long it takes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tui.terminal.keyboard._PATIENCE", 60.0)
        patch.setattr("tui.terminal.keyboard._LOST", 30.0)
        yield


@pytest.fixture
def every_change_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each change is drawn by itself, as on a terminal: for tests of what is drawn anew."""
    monkeypatch.setattr(Compositor, "render_update", DRAW)
