"""Every folder that casebook makes for itself is its owner's alone, whoever makes it first and under any umask."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from core.base.log import Log
from core.base.paths import make_folder
from core.embedding.models.choose_model import choose_model
from core.errors.curation.autosave import Scratch, keep_scratch
from core.errors.curation.transaction import Written
from core.flows.hook.spool import put
from core.process.endpoint import make_private
from tests.flows.hook.test_hook_spool import payload

MAKERS: dict[str, Callable[[Path], object]] = {
    "make_folder": make_folder,
    "a socket": make_private,
    "the log": lambda folder: Log(folder / "casebook.log").write("info", "made"),
    "a half-written fix": lambda folder: keep_scratch(folder, Scratch(1, "w", Written("half"))),
    "a setting": lambda folder: choose_model(folder / "config.toml", "none"),
}


@pytest.fixture
def open_umask():
    before = os.umask(0o022)
    yield
    os.umask(before)


def modes(folder: Path, top: Path) -> list[int]:
    below = [folder, *folder.parents][: len(folder.relative_to(top).parts)]
    return [stat.S_IMODE(one.stat().st_mode) for one in below]


@pytest.mark.usefixtures("open_umask")
@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_a_folder_and_what_lacks_above_it_are_private(tmp_path: Path, make: Callable[[Path], object]) -> None:
    folder = tmp_path / "state" / "casebook" / "more"
    make(folder)
    assert modes(folder, tmp_path) == [0o700] * 3


@pytest.mark.usefixtures("open_umask")
def test_so_they_are_when_a_hook_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert put(payload(), tmp_path / "a.db")
    (folder,) = (tmp_path / "state" / "casebook" / "hooks").iterdir()
    assert modes(folder, tmp_path) == [0o700] * 4


def test_a_folder_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir(mode=0o755)
    make_folder(tmp_path / "mine" / "new")
    assert stat.S_IMODE((tmp_path / "mine").stat().st_mode) == 0o755
