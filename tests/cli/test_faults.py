"""Exit codes, and faults as one line or one object."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import agent_casebook
from cli.context import says_yes
from cli.progress import stoppable
from core.samples import sample_paths

ROOT = Path(__file__).resolve().parents[2]
Run = Callable[..., Any]


@pytest.mark.parametrize(
    "args",
    [
        ("nonsense",), ("errors",), ("config",), ("errors", "serch", "x"), ("errors", "list", "--bogus", "x"),
        ("errors", "search", "--tiers", "some", "x"),
        ("errors", "search", ""), ("errors", "search", " \n"), ("errors", "search"), ("errors", "normalize", "-"),
        ("errors", "record", "--error", "x"), ("errors", "show", "x"), ("import", "nowhere"), ("--db",),
        ("import",), ("import", ""),
        ("errors", "record", "--error", "x", "--resolution", "y", "--tool-sequence", '"Edit"'),
        ("errors", "record", "--error", "x", "--resolution", "y", "--tool-sequence", "[" * 99_999),
        ("errors", "record", "--error", "-", "--resolution", "-"), ("errors", "list", "--limit", "0"),
        ("errors", "list", "--since", "yesterday"),
        ("errors", "list"), ("errors", "show", "1"), ("errors", "export"), ("db", "backup", "x"),
        ("errors", "import", "nowhere.jsonl"), ("import", "auto", "/nowhere"),
        ("--config", "/nowhere", "config", "show"),
        ("--db", "", "errors", "list"), ("--db", "a\0b", "errors", "list"),
        ("schema", "nonsense.v1"), ("completion", "tcsh"),
    ],
    ids=lambda args: " ".join(args)[:40],
)  # fmt: skip
def test_a_fault_is_one_line_or_one_object_and_exit_2(run: Run, home: Path, args: tuple[str, ...]) -> None:
    plain = run(*args)
    assert (plain.code, plain.out) == (2, b"")
    assert plain.said.startswith("casebook: ")
    assert plain.said.count("\n") == 1
    machine = run("--json", *args)
    assert (machine.code, machine.out) == (2, b"")
    assert machine.fault()["message"]
    assert not (home / ".local").exists(), "a fault makes nothing"


@pytest.mark.parametrize("words", [(), ("errors",), ("errors", "search"), ("hook",)])
def test_help_and_a_command_is_the_help_of_the_command(run: Run, words: tuple[str, ...]) -> None:
    found = run("help", *words)
    assert found.text.startswith(f"usage: {' '.join(('casebook', *words))} [-h]")
    assert (found.code, found.text) == (0, run(*words, "--help").text)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("impotr",), "unknown command 'impotr'; did you mean 'import'? see casebook --help"),
        (("errors", "serach"), "unknown command 'serach'; did you mean 'search'? see casebook errors --help"),
        (("nonsense",), "unknown command 'nonsense'; see casebook --help"),
        (("ask",), "unknown command 'ask'; did you mean 'casebook library ask'? see casebook --help"),
        (("errors", "cite"),
         "unknown command 'cite'; did you mean 'casebook library cite'? see casebook errors --help"),
        (("errors", "export", "--remove"), "--remove needs --sync; add --sync FILE"),
        (("errors", "list", "--stauts=open"),
         "unrecognized arguments: --stauts=open; did you mean '--status'? see casebook errors list --help"),
        (("errors", "search", "a", "b", "--limit", "x"),
         "unrecognized arguments: b --limit x; see casebook errors search --help"),
        (("--bogus", "rules", "list"), "unrecognized arguments: --bogus; see casebook --help"),
        (("db",), "missing command for casebook db: backup, restore, salvage; see casebook db --help"),
        (("errors", "list", "--limit", "1.5"),
         "--limit: '1.5' is not an integer; see casebook errors list --help"),
        (("undo", "x"), "N: 'x' is not an integer; see casebook undo --help"),
        (("library", "cite", "a", "b"), "CASE: 'a' is not an integer; see casebook library cite --help"),
    ],
)  # fmt: skip
def test_a_slip_of_the_finger_is_told_what_was_meant(run: Run, args: tuple[str, ...], said: str) -> None:
    assert run(*args).said == f"casebook: {said}\n"


@pytest.mark.skipif(sys.platform == "win32", reason="a folder that somebody stands in stays there")
def test_a_folder_that_is_gone_is_told_as_such(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert run("rules", "list").said.endswith("the current folder no longer exists; change to another folder\n")
    assert "the current folder no longer exists; pass a folder" in run("library", "ingest", ".").said
    monkeypatch.chdir(tmp_path)


def test_a_word_without_end_makes_no_line_without_end(run: Run) -> None:
    said = run("errors", "import", "x" * 5000).said
    assert len(said) < 1_500
    assert said.endswith("x: File name too long; check the disk and the path\n")


def test_a_stream_takes_no_text(run: Run) -> None:
    found = run("errors", "search", "x", "--jsonl")
    assert (found.code, found.out) == (2, b"")
    assert found.fault()["code"] == "invalid_input"


@pytest.mark.parametrize(
    ("command", "form"),
    [
        ("errors normalize", '{"text": "…"}'),
        ("errors search", '{"text": "…"}'),
        ("rules match --no-model --rules rules.md", '{"tool_name": …, "tool_input": {…}}'),
        ("library search --mode lexical", '{"query": "…"}'),
    ],
)
@pytest.mark.parametrize("line", [b"{oops", b"[]", b'{"a": 1}', b"[" * 100_000, b" " * 200 + b"{}"])
def test_a_wrong_line_of_a_stream_is_told_the_form_of_that_command(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch, command: str, form: str, line: bytes
) -> None:
    from cli import stream

    monkeypatch.setattr(stream.capped_lines, "__defaults__", (100_000 if line.startswith(b"[") else 200,))
    monkeypatch.chdir(home)
    db = str(home / "c.db")
    assert run("errors", "record", "--error", "Error: x", "--resolution", "y", "--db", db).code == 0
    (home / "rules.md").write_text("### ERR-001: words\n\n**Problem**: words\n", encoding="utf-8")
    found = run(*command.split(), "--jsonl", "--db", db, stdin=line)
    assert found.code == 2
    told = json.loads(found.out)
    assert (told["code"], told["details"]) == ("invalid_input", {"line": 1})
    assert form in told["hint"]


def test_options_stand_before_or_after_the_command(run: Run, tmp_path: Path) -> None:
    db = str(tmp_path / "x.db")
    for args in (
        ("--db", db, "--json", "errors", "search", "boom"),
        ("errors", "--db", db, "search", "--json", "boom"),
        ("errors", "search", "boom", "--json", "--db", db),
    ):
        found = run(*args)
        assert found.code == 1
        assert found.json()["match"] is None
    assert not Path(db).exists()


def test_alone_off_a_terminal_it_prints_help_and_exits_2(run: Run) -> None:
    found = run()
    assert found.code == 2
    assert "examples:" in found.text


def test_alone_on_a_terminal_it_opens_the_workbench(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import tui.shell.app

    opened: list[tuple[Path, str, bool]] = []

    def fake(path: Path, *, title: str = "", ascii_only: bool = False, **more: object) -> int:
        assert more["config"]
        opened.append((path, title, ascii_only))
        return 0

    monkeypatch.setattr(tui.shell.app, "run", fake)
    assert run("--db", "x.db").code == 2
    monkeypatch.setenv("TERM", "dumb")
    assert run("--db", "x.db", terminal=True).code == 2
    monkeypatch.setenv("TERM", "xterm")
    assert run("--db", "x.db", "--ascii", terminal=True).code == 0
    assert opened == [(Path("x.db"), "", True)]


def test_ascii_signs_are_asked_for_before_or_after_the_command(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import cli.commands.demo
    import tui.shell.app

    drawn: list[bool] = []
    monkeypatch.setattr(tui.shell.app, "run", lambda *_, ascii_only, **more: drawn.append(ascii_only) or 0)
    for filled in ("fill_demo", "add_weeks"):
        monkeypatch.setattr(cli.commands.demo, filled, lambda *_: None)
    monkeypatch.setenv("TERM", "xterm")
    for args in (("--ascii", "demo"), ("demo", "--ascii"), ("demo",)):
        assert run(*args, terminal=True).code == 0
    monkeypatch.setenv("TERM", "linux")
    assert run("demo", terminal=True).code == 0
    assert drawn == [True, True, False, True], "the fonts of the Linux console lack the other signs"


def test_colour_is_for_terminals_that_want_it(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    args = ("errors", "search", "Error: \x1b[31mred")
    coloured = run(*args, terminal=True).text
    assert "\x1b[33mNo known fix.\x1b[0m" in coloured
    assert "\x1b[31m" not in coloured, "none of it is foreign"
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in run(*args, terminal=True).text


def test_text_is_asked_for_where_nobody_pipes_any(run: Run) -> None:
    found = run("errors", "search", terminal=True)
    assert found.code == 2
    assert found.said.startswith("casebook: no ")


@pytest.mark.parametrize("args", [("--help",), ("errors", "--help"), ("errors", "search", "--help"), ("db", "-h")])
def test_help_fits_and_exits_0(run: Run, args: tuple[str, ...]) -> None:
    found = run(*args)
    assert found.code == 0
    assert found.text.startswith("usage: casebook")
    assert "?." not in found.text
    assert found.err == b""


def test_version(run: Run) -> None:
    import tomllib

    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert run("--version").text == run("--json", "--version").text == f"casebook {wanted}\n"


def test_debug_shows_where_a_fault_came_from(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("[ui")
    found = run("--debug", "--config", str(tmp_path / "bad.toml"), "config", "show")
    assert found.code == 2
    assert "Traceback" in found.said
    assert found.said.strip().split("\n")[-1].startswith("casebook: ")


def test_a_damaged_file_is_named_and_left_alone(run: Run, tmp_path: Path) -> None:
    db = tmp_path / "x.db"
    db.write_bytes(b"not a database " * 1000)
    for args in (
        ("errors", "search", "x"),
        ("errors", "list"),
        ("errors", "record", "--error", "x", "--resolution", "y"),
    ):
        found = run("--json", "--db", str(db), *args)
        assert found.code == 2
        assert found.fault()["code"] == "db_damaged"
    assert db.read_bytes() == b"not a database " * 1000


def start(*args: str) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen([sys.executable, "-m", "cli", *args], stdin=pipe, stdout=pipe, stderr=pipe, env=env)


def test_ctrl_c_is_quiet(home: Path) -> None:
    process = start("errors", "normalize", "--jsonl")
    assert process.stdin and process.stdout
    process.stdin.write(b'{"text": "Error: x"}\n')
    process.stdin.flush()
    assert process.stdout.readline().startswith(b'{"schema_version": "error_id.v1"'), "each answer is flushed"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (130, b"")


def test_ctrl_c_is_quiet_before_a_command_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(agent_casebook, "_drop_foreign_paths", lambda: None)
    monkeypatch.setattr("cli.main.main", interrupted)
    assert agent_casebook.main() == 130


def test_ctrl_c_lets_a_long_run_end_well_and_pressed_twice_stops_it() -> None:
    with stoppable() as stopped:
        assert not stopped()
        os.kill(os.getpid(), signal.SIGINT)
        assert stopped()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_ends_a_question_within_a_long_run(monkeypatch: pytest.MonkeyPatch) -> None:
    class Pressing(io.StringIO):
        def readline(self, _size: int | None = -1, /) -> str:
            os.kill(os.getpid(), signal.SIGINT)
            return "y"

    monkeypatch.setattr(sys, "stdin", Pressing())
    with stoppable() as stopped:
        with pytest.raises(KeyboardInterrupt):
            says_yes("Apply?")
        assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    assert not stopped()


SLOW_REPLAY = """
import signal, sys, time
from cli.main import main
from core.flows import replay
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # the tests may run under nohup
replay._play = lambda *_: (print("+", flush=True), time.sleep(120))
sys.exit(main(["replay", sys.argv[1]]))
"""


@pytest.mark.skipif(os.name != "posix", reason="these signals are of POSIX")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_no_temporary_casebook(home: Path, tmp_path: Path, number: signal.Signals) -> None:
    (temporary := tmp_path / "tmp").mkdir()
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary)}
    argv = [sys.executable, "-c", SLOW_REPLAY, str(sample_paths()[0])]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env) as process:
        assert process.stdout and process.stdout.readline() == b"+\n"
        assert list(temporary.glob("casebook-replay-*/casebook.db"))
        process.send_signal(number)
        _, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (128 + number, b"")
    assert list(temporary.iterdir()) == []


def test_a_reader_that_leaves_is_no_fault(home: Path) -> None:
    process = start("errors", "normalize", "--jsonl")
    assert process.stdin and process.stdout and process.stderr
    process.stdout.close()
    process.stdin.write(b'{"text": "Error: x"}\n' * 5)
    process.stdin.close()
    assert process.stderr.read() == b""
    assert process.wait(120) == 0


@pytest.mark.parametrize(
    "args", [("library", "ask", "sessions"), ("evidence", "list", "--entries"), ("errors", "list"), ("library", "list")]
)
def test_a_reader_that_leaves_is_no_fault_of_the_casebook(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...]
) -> None:
    run("errors", "record", "--error", "Error: x", "--resolution", "y")
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")  # as if the output were longer than a buffer
    process = start(*args)
    assert process.stdin and process.stdout and process.stderr
    process.stdout.close()
    process.stdin.close()
    assert process.stderr.read() == b""
    assert process.wait(120) == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("args", [("completion", "bash"), ("--version",), ("--help",), ("errors", "--help"), ()])
def test_a_full_disk_under_stdout_is_told(home: Path, args: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "cli", *args], stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith(b"casebook: ")
    assert done.stderr.count(b"\n") == 1
