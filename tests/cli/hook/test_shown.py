"""A hook counts a rule as shown only after its reply was written, and a give-up at the deadline is always logged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path

import pytest

from core.rules.format.store import usage
from core.store import open_store
from tests.cli.hook.test_rules import Home

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="hosts listen on Unix sockets")


@pytest.fixture
def home(tmp_path: Path) -> Generator[Home]:
    made = Home(tmp_path)
    yield made
    made.close()


def shown(home: Home) -> int:
    database = home.path / ".local" / "share" / "casebook" / "casebook.db"
    if not database.exists():
        return 0
    with open_store(database) as store:
        return sum(one.shown for one in usage(store).values())


def shown_in_time(home: Home, count: int) -> bool:
    """Whether the count comes to be so; the host counts after the hook has ended."""
    end = time.monotonic() + 120
    while shown(home) != count and time.monotonic() < end:
        time.sleep(0.05)
    return shown(home) == count


def log_lines(home: Home) -> list[dict[str, object]]:
    log = home.path / ".local" / "state" / "casebook" / "casebook.log"
    return [json.loads(line) for line in log.read_text("utf-8").splitlines()] if log.exists() else []


def hook_into(home: Home, out: int, **variables: str) -> int:
    command = [sys.executable, "-m", "cli.main", "hook"]
    env = home.env | variables
    return subprocess.run(command, input=home.payload(), stdout=out, env=env, timeout=120, check=False).returncode


def broken_pipe() -> int:
    read, write = os.pipe()
    os.close(read)
    return write


@pytest.mark.parametrize("host", [False, True], ids=["alone", "through the host"])
def test_a_reply_that_could_not_be_written_counts_nothing(home: Home, host: bool) -> None:
    setting = str(host).lower()
    assert home.hook(CASEBOOK_HOOK_HOST=setting).stdout
    assert shown(home) == 1
    if host:
        home.wait_for_host()
    out = broken_pipe()
    try:
        assert hook_into(home, out, CASEBOOK_HOOK_HOST=setting) == 0
    finally:
        os.close(out)
    assert home.hook(CASEBOOK_HOOK_HOST=setting).stdout
    assert shown_in_time(home, 2)
    time.sleep(0.3)
    assert shown(home) == 2


def test_a_reply_that_nobody_reads_is_given_up_logged_and_not_counted(home: Home) -> None:
    read, write = os.pipe()
    try:
        os.set_blocking(write, False)
        with pytest.raises(BlockingIOError):
            while True:
                os.write(write, b"x" * 4096)
        os.set_blocking(write, True)
        assert hook_into(home, write, CASEBOOK_HOOK_HOST="false", CASEBOOK_HOOK_DEADLINE_MS="2500") == 0
    finally:
        os.close(read)
        os.close(write)
    assert shown(home) == 0
    assert [one["level"] for one in log_lines(home) if "timeout after" in str(one.get("fault"))] == ["warning"]


def test_a_give_up_is_logged_though_keeping_the_event_takes_too_long(home: Home) -> None:
    script = (
        "import time, core.flows.hook.spool as spool\n"
        "spool.put = lambda *given: time.sleep(60)\n"
        "from cli.commands.hook import _Watchdog\n"
        "watchdog = _Watchdog(10)\n"
        "watchdog.keep = b'', 'x.db'\n"
        "time.sleep(60)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], env=home.env, timeout=120, check=False)
    assert done.returncode == 0
    (line,) = log_lines(home)
    assert (line["level"], line["event"]) == ("warning", "hook")
    assert "10 ms" in str(line["fault"])
