"""What every part's tests share: the real model, converted once a test run whatever the number of test processes."""

from __future__ import annotations

import faulthandler
import gc
import os
import signal
import sys
import tempfile
from collections.abc import Generator, Iterator
from contextlib import suppress
from pathlib import Path
from threading import get_ident
from typing import TYPE_CHECKING

import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key
from _pytest.unraisableexception import gc_collect_iterations_key
from hypothesis import HealthCheck, settings

from core.base.paths import make_folder
from core.embedding.models.catalogue import CATALOGUE, MINILM
from core.embedding.models.models import LocalModel
from core.embedding.runtime.embedder import LocalEmbedder
from core.store import open_store
from core.store.files import create_empty

if TYPE_CHECKING:
    from tests.postgres import Server

# How long an example takes says how busy the machine is; what is fast enough is told by `bench/`.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

# Each test process, and each of the hundreds that the tests start, would compile every module again.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# What pytest and hypothesis hold is no garbage, and was looked through again and again: a quarter of a pane's test. So
# is what an app of a test holds for as long as it runs: to look four times less often saves another tenth.
gc.set_threshold(2_000_000, 10, 10)


def pytest_configure(config: pytest.Config) -> None:
    """At the end pytest looks for garbage five times: one look takes half a second, and each process ends."""
    config.stash[gc_collect_iterations_key] = 1


def pytest_collection_finish() -> None:
    """The modules and the collected tests stay until the end: never look through them again."""
    gc.collect()
    gc.freeze()


_LONGEST_TEST = 600.0
"""Seconds after which a test hangs: the longest takes a twentieth of it on a quiet machine."""


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """A test that hangs ends its process, with the stack of every thread; pytest-xdist then fails it and goes on."""
    faulthandler.dump_traceback_later(_LONGEST_TEST, exit=True, file=item.config.stash[fault_handler_stderr_fd_key])
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Where nobody watches, a failure is printed as it happens: a run that is stopped has said what it found."""
    if report.failed and "CI" in os.environ and "PYTEST_XDIST_WORKER" not in os.environ:
        print(f"\n{report.nodeid} ({report.when})\n{report.longreprtext}", flush=True)


_LONGEST_NAME = 200


def pytest_make_parametrize_id(val: object) -> str | None:
    """The name of a long text is its beginning: some have megabytes, and processes exchange each name several times."""
    if isinstance(val, bytes):
        val = val[: _LONGEST_NAME + 1].decode("ascii", "backslashreplace")
    return f"{val[:_LONGEST_NAME]}..." if isinstance(val, str) and len(val) > _LONGEST_NAME else None


# Thousands of casebooks are made and thrown away: in memory none waits for a disk, which was most of the time of a test
# on a busy machine, and longer than a casebook's lock is waited for.
_MEMORY, _ROOM = "/dev/shm", 4 << 30
if "TMPDIR" not in os.environ and os.access(_MEMORY, os.W_OK | os.X_OK):
    _there = os.statvfs(_MEMORY)  # in many containers it is small, and runs no programs: the wheel's tests make some
    if _there.f_bavail * _there.f_frsize > _ROOM and not _there.f_flag & os.ST_NOEXEC:
        tempfile.tempdir = _MEMORY


# In the background of a script Ctrl+C is ignored, and children inherit that; the tests of Ctrl+C are of no use then.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


_POSTGRES = os.environ.get("CASEBOOK_TEST_POSTGRES", "")
"""The address of a superuser of an installed server; read before the settings are taken out of the environment."""


@pytest.fixture(scope="session", autouse=True)
def folders_of_nobody(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Settings, casebook and log of whoever runs the tests are neither read nor written, where a test names none."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("CASEBOOK_")]:
            patch.delenv(name)
        for kind in ("config", "data", "state"):
            patch.setenv(f"XDG_{kind.upper()}_HOME", str(tmp_path_factory.mktemp(kind)))
        yield


@pytest.fixture(scope="session", autouse=True)
def new_casebooks_copied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A new casebook is a copy of one that the steps of the schema have made: they take ten times as long."""
    path = tmp_path_factory.mktemp("new") / "casebook.db"
    open_store(path, create=True).close()
    made = path.read_bytes()

    def create_copy(path: Path) -> None:
        part = path.with_name(f".{path.name}.{os.getpid()}.{get_ident()}")
        try:
            make_folder(path.parent)
            part.touch(0o600)
            part.write_bytes(made)
            os.link(part, path)
        except OSError:  # it is there, or may not be made
            create_empty(path)
        finally:
            with suppress(OSError):
                part.unlink()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("core.store.store.create_empty", create_copy)
        yield


@pytest.fixture
def new_casebooks_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new casebook is made by the steps of the schema, as everywhere but in these tests."""
    monkeypatch.setattr("core.store.store.create_empty", create_empty)


@pytest.fixture(scope="session")
def minilm_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where MiniLM is, or will be made by whoever loads it first; shared by all test processes of the run."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if base.name.startswith("popen-") else base
    return shared / "models" / MINILM


@pytest.fixture(scope="session")
def minilm(minilm_folder: Path) -> Iterator[LocalEmbedder]:
    """The real MiniLM, loaded."""
    from core.embedding.runtime.local import load

    embedder = load(LocalModel(CATALOGUE[MINILM], minilm_folder, ready=False))
    yield embedder
    embedder.close()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A real PostgreSQL, one for each test process that asks for it."""
    from tests.postgres import running

    with running(_POSTGRES) as server:
        yield server
