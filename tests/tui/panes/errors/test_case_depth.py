"""The case in depth, by keys: each time it was seen, its session, what is masked, every fix, copies, other programs."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from textual.pilot import Pilot

from cli.main import main
from core.errors import add_resolution, identify, observe
from core.errors.cases.record import Name
from core.errors.curation.autosave import Scratch
from core.errors.curation.decisions import mark_noise
from core.errors.curation.transaction import Written, look
from core.store import open_store
from tests.tui.support import app_on, frame, put, until
from tui.panes.errors.case_actions import command_of
from tui.panes.errors.case_view import AHEAD
from tui.screens.export import CopyMenu
from tui.screens.session import SessionScreen, Transcript
from tui.services import external_editor
from tui.shell.app import CasebookApp

WIDE, SMALL = (120, 40), (80, 24)
ERROR = "error TS2304: Cannot find name 'fetchOrders'."
MESSAGES = 200
AT, FIXED = 120, 124


@pytest.fixture
def told(tmp_path: Path) -> Path:
    """A case seen many times: last in message 120 of a session of 200, before that by hand."""
    path = tmp_path / "told.db"
    with open_store(path, write=True, create=True) as store, store.transaction() as con:
        con.execute("INSERT INTO session(id, agent, project) VALUES ('s-1', 'codex', '/home/mina/shop')")
        for number in range(MESSAGES):
            text = f"message number {number}\nsecond line of it"
            if number == AT:
                text = f"> tsc\nsrc/app.ts(3,1): {ERROR}\ndone"
            con.execute(
                "INSERT INTO message(session_id, idx, role, kind, text, uuid, block, ts, sha256)"
                " VALUES ('s-1', ?, ?, 'text', ?, '', 0, '2026-03-10T10:00:00.000Z', '')",
                (number, "assistant" if number % 2 else "user", text),
            )
        found = identify(ERROR)
        name = Name(found.key_line, found.normalized, found.fingerprint, "tsc")
        for number in range(AHEAD + 5):
            observe(
                con, name, session_id=None, message_idx=None, tool="tsc", project=f"shop-{number}",
                ts="2026-02-01T00:00:00.000Z", raw=f"by hand {number}\n{ERROR}",
            )  # fmt: skip
        start = len("> tsc\nsrc/app.ts(3,1): ")
        case_id = observe(
            con, name, session_id="s-1", message_idx=AT, tool="tsc", project="shop",
            ts="2026-03-10T10:00:00.000Z", start=start, end=start + len(ERROR),
        )  # fmt: skip
        for text, status in (("reinstall\neverything", "rejected"), ("import it from ./api", "verified")):
            add_resolution(
                con, case_id, None, text, status=status, author="mina", session_id="s-1", message_ids=(FIXED,),  # pyright: ignore[reportArgumentType]
                ts="2026-03-10T10:00:00.000Z",
            )  # fmt: skip
    return path


async def in_case(pilot: Pilot[None], app: CasebookApp) -> None:
    await until(pilot, lambda: app.errors.case.read)
    await pilot.press("down", "enter")
    await until(pilot, lambda: app.focused is app.errors.case)


def transcript(app: CasebookApp) -> Transcript:
    assert isinstance(app.screen, SessionScreen)
    return app.screen.query_one(Transcript)


async def test_every_time_it_was_seen_is_walked_one_by_one_and_none_is_missed(told: Path) -> None:
    app = app_on(told)
    async with app.run_test(size=WIDE) as pilot:
        await in_case(pilot, app)
        case, total = app.errors.case, AHEAD + 6
        assert f"1 of {total}" in frame(app)
        seen = [case.raw.text]
        for number in range(1, total):
            await pilot.press("n")
            await until(pilot, lambda number=number: case.seen.at == number)
            seen.append(case.raw.text)
        assert len(set(seen)) == total
        assert seen[-1].startswith("by hand 0")
        assert f"{total} of {total}" in frame(app)
        assert app.situation().seen_older is False  # pyright: ignore[reportAttributeAccessIssue]
        await pilot.press("p")
        await until(pilot, lambda: case.seen.at == total - 2)


async def test_the_session_opens_at_the_failing_message_with_its_key_line_lit_and_goes_on_both_ways(told: Path) -> None:
    app = app_on(told)
    async with app.run_test(size=SMALL) as pilot:
        await in_case(pilot, app)
        await pilot.press("o")
        await until(pilot, lambda: isinstance(app.screen, SessionScreen) and transcript(app).lines)
        screen = frame(app)
        assert "codex" in screen
        assert f"#{AT}  user" in screen
        assert "error TS2304" in screen
        assert any(line.text[slice(*line.highlight)] == ERROR for line in transcript(app).lines if line.highlight)
        assert transcript(app).lines[0].index > 0
        for _ in range(60):
            await pilot.press("pageup")
            await until(pilot, lambda: not app.jobs.busy("session"))
        assert "#0  user" in frame(app)
        indexes = list(dict.fromkeys(line.index for line in transcript(app).lines))
        assert indexes == list(range(indexes[-1] + 1))
        await pilot.press("G")
        await until(pilot, lambda: f"#{MESSAGES - 1}" in frame(app))
        await pilot.press("escape")
        await until(pilot, lambda: app.focused is app.errors.case)


async def test_scrolling_up_stays_where_one_was_when_earlier_messages_come(told: Path) -> None:
    app = app_on(told)
    async with app.run_test(size=SMALL) as pilot:
        await in_case(pilot, app)
        await pilot.press("o")
        await until(pilot, lambda: isinstance(app.screen, SessionScreen) and transcript(app).lines)
        own = transcript(app)
        first = own.lines[0].index
        here = own.lines[4].index
        own.scroll_to(y=4, animate=False)
        await until(pilot, lambda: own.lines[0].index < first)
        assert own.lines[round(own.scroll_y)].index == here


async def test_the_messages_of_the_fix_are_a_key_away(told: Path) -> None:
    app = app_on(told)
    async with app.run_test(size=WIDE) as pilot:
        await in_case(pilot, app)
        await pilot.press("O")
        await until(pilot, lambda: isinstance(app.screen, SessionScreen) and transcript(app).lines)
        assert transcript(app).chosen == FIXED
        assert any(line.endswith("fix") or "  fix " in line for line in frame(app).split("\n") if f"#{FIXED}" in line)
        await pilot.press("p")
        assert transcript(app).chosen == AT
        await pilot.press("y")
        await until(pilot, lambda: app.clipboard.startswith("> tsc"))
        await pilot.press("enter")
        await until(pilot, lambda: "Message 120" in frame(app))
        await pilot.press("escape", "escape")
        await until(pilot, lambda: app.focused is app.errors.case)


async def test_a_case_given_by_hand_says_that_there_is_no_session(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await in_case(pilot, app)
        await pilot.press("o")
        await until(pilot, lambda: "It was recorded" in frame(app))


async def test_what_is_masked_is_explained_on_demand(told: Path) -> None:
    app = app_on(told)
    async with app.run_test(size=WIDE) as pilot:
        await in_case(pilot, app)
        assert "any quoted text" not in frame(app)
        await pilot.press("m")
        await until(pilot, lambda: "any quoted text" in frame(app))
        await pilot.press("m")
        await until(pilot, lambda: "any quoted text" not in frame(app))


async def test_all_fixes_of_a_case_are_told_and_shown_whole_on_demand(told: Path) -> None:
    app = app_on(told)
    async with app.run_test(size=WIDE) as pilot:
        await in_case(pilot, app)
        await pilot.press("H")
        await until(pilot, lambda: "everything" in frame(app))
        assert "current" in frame(app)
        assert "rejected" in frame(app)


def printed(*argv: str) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main(list(argv)) == 0
    return out.getvalue()


@pytest.mark.parametrize(
    ("letter", "begins"),
    [
        ("f", "import it from"),
        ("k", "error TS2304"),
        ("r", "> tsc\nsrc"),
        ("m", "# `error TS2304"),
        ("c", "casebook errors show"),
    ],
)
async def test_a_case_is_copied_in_every_form(told: Path, letter: str, begins: str) -> None:
    app = app_on(told)
    async with app.run_test(size=SMALL) as pilot:
        await in_case(pilot, app)
        await pilot.press("Y")
        await until(pilot, lambda: isinstance(app.screen, CopyMenu))
        await pilot.press(letter)
        await until(pilot, lambda: app.clipboard.startswith(begins))


async def test_the_copied_json_is_what_the_command_prints(told: Path) -> None:
    with open_store(told, write=True) as store:
        hostile = put(
            store, "Error: zebra \x1b]52;c;x\x07 \u202e각\u1100\u1161\u11a8 'x'", "shell", "fix \x9b31m\u200b"
        )
    app = app_on(told)
    async with app.run_test(size=SMALL) as pilot:
        app.errors.box.ask("zebra")
        await until(pilot, lambda: app.errors.case.read and app.errors.case.read.case.id == hostile)
        await pilot.press("down", "Y")
        await until(pilot, lambda: isinstance(app.screen, CopyMenu))
        await pilot.press("j")
        await until(pilot, lambda: app.clipboard)
        assert app.clipboard + "\n" == printed("errors", "show", str(hostile), "--json", "--db", str(told))


def test_the_copied_command_survives_any_folder(tmp_path: Path) -> None:
    import shlex

    from core.errors import show_case

    path = tmp_path / "it's; rm -rf $HOME" / "a b.db"
    path.parent.mkdir()
    with open_store(path, write=True, create=True) as store:
        case = show_case(store, put(store, ERROR, "tsc", None))
    assert case is not None
    assert shlex.split(command_of(case, path)) == ["casebook", "errors", "show", str(case.id), "--db", str(path)]


# Pager and editor ---------------------------------------------------------------------------------------------------


def test_programs_are_taken_apart_without_a_shell() -> None:
    assert external_editor.pager_of({"PAGER": "less -S 'a b;c'"}) == (["less", "-S", "a b;c"], "")
    assert external_editor.editor_of({"VISUAL": "/usr/bin/vim", "EDITOR": "ed"})[0] == ["/usr/bin/vim", "-R"]
    assert external_editor.editor_of({"PATH": "/nowhere"})[0] == []
    assert "export EDITOR" in external_editor.editor_of({"PATH": "/nowhere"})[1]
    assert "export PAGER" in external_editor.pager_of({"PATH": "/nowhere"})[1]
    assert "not a valid command line" in external_editor.pager_of({"PAGER": "less 'open"})[1]


class Lent:
    """An app whose terminal can be lent."""

    def __init__(self) -> None:
        self.log: list[str] = []

    @contextlib.contextmanager
    def suspend(self):
        self.log.append("away")
        yield
        self.log.append("back")


def test_a_program_gets_a_private_file_that_is_gone_afterwards(tmp_path: Path) -> None:
    told = tmp_path / "told"
    script = (
        "import os,sys,pathlib;p=pathlib.Path(sys.argv[1]);"
        f"pathlib.Path({str(told)!r}).write_text(f'{{p}} {{p.stat().st_mode}} {{p.read_text()}}')"
    )
    app = Lent()
    said = external_editor.show_in(app, [sys.executable, "-c", script], "the text; $(touch x)", ".md")  # pyright: ignore[reportArgumentType]
    assert said == ""
    assert app.log == ["away", "back"]
    path, mode, text = told.read_text().split(" ", 2)
    assert text == "the text; $(touch x)"
    assert stat.S_IMODE(int(mode)) & 0o077 == 0
    assert not Path(path).exists()


def test_a_program_that_cannot_start_or_fails_is_told_and_the_workbench_is_back() -> None:
    app = Lent()
    told = external_editor.show_in(app, ["/no/such/program"], "x", ".txt")  # pyright: ignore[reportArgumentType]
    assert told.startswith("Cannot start /no/such/program: No such file") and "Set $EDITOR" in told
    failing = [sys.executable, "-c", "raise SystemExit(3)"]
    assert "exited with code 3" in external_editor.show_in(app, failing, "x", ".txt")  # pyright: ignore[reportArgumentType]
    assert app.log == ["away", "back"] * 2


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("raise SystemExit(3)", "exited with code 3."),
        ("import os; os.kill(os.getpid(), 9)", "was killed (signal 9)."),
        ("import sys; open(sys.argv[1], 'w').write('refused'); raise SystemExit(1)", "exited with code 1."),
        ("import os, sys; os.unlink(sys.argv[1])", "No such file or directory."),
    ],
)
def test_a_text_that_an_editor_did_not_save_well_stays_as_it_was(script: str, why: str) -> None:
    words = [sys.executable, "-c", script]
    text, told = external_editor.change_in(Lent(), words, "mine", ".md")  # pyright: ignore[reportArgumentType]
    assert text is None
    assert told.startswith("Your text was not changed. ") and told.endswith(why)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_what_an_editor_saved_is_read_in_its_encoding_and_without_its_mark(encoding: str) -> None:
    script = f"import sys; open(sys.argv[1], 'wb').write('<!-- 고침\\r\\n 2'.encode({encoding!r}))"
    assert external_editor.change_in(Lent(), [sys.executable, "-c", script], "1", ".md") == ("<!-- 고침\n 2", "")  # pyright: ignore[reportArgumentType]


def test_a_file_that_is_too_large_to_show_is_kept() -> None:
    script = "import sys; open(sys.argv[1], 'w').write('x\\n' * 600_000)"
    text, told = external_editor.change_in(Lent(), [sys.executable, "-c", script], "1", ".md")  # pyright: ignore[reportArgumentType]
    assert text is None
    start, _, kept = told.partition("The file is kept: ")
    assert start == f"Your text was not changed. {sys.executable} saved 1,200,000 bytes, the limit is 1,048,576. "
    assert Path(kept).stat().st_size == 1_200_000
    Path(kept).unlink()


def test_a_text_in_an_encoding_that_its_file_does_not_name_is_not_thrown_away() -> None:
    script = "import sys; open(sys.argv[1], 'wb').write('고침'.encode('cp949'))"
    text, told = external_editor.change_in(Lent(), [sys.executable, "-c", script], "1", ".md")  # pyright: ignore[reportArgumentType]
    assert text is None
    start, _, kept = told.partition("The file is kept: ")
    assert start.startswith("Your text was not changed. ")
    assert Path(kept).read_bytes().decode("cp949") == "고침"
    Path(kept).unlink()


def test_a_full_disk_ends_neither_a_pager_nor_an_editor(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(**_how: object) -> object:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.mkstemp", full)
    app = Lent()
    told = external_editor.show_in(app, ["less"], "x", ".txt")  # pyright: ignore[reportArgumentType]
    assert told == "Cannot write a file for less: No space left on device."
    text, told = external_editor.change_in(app, ["vim"], "x", ".md")  # pyright: ignore[reportArgumentType]
    assert text is None
    assert told == "Your text was not changed. Cannot write a file for vim: No space left on device."
    assert app.log == []


def test_what_a_killed_editor_had_saved_is_kept() -> None:
    script = "import os, sys; open(sys.argv[1], 'w').write('mine, and more'); os.kill(os.getpid(), 9)"
    text, told = external_editor.change_in(Lent(), [sys.executable, "-c", script], "mine", ".md")  # pyright: ignore[reportArgumentType]
    assert text == "mine, and more"
    assert told.endswith("was killed (signal 9). The text that it saved is kept.")


def test_a_signal_that_ends_the_workbench_ends_an_editor_and_keeps_what_it_had_saved() -> None:
    script = """
import os, signal, sys
signal.signal(signal.SIGTERM, lambda *_: os._exit(1))  # as vim does
open(sys.argv[1], "w").write("mine, and more")
os.kill(os.getppid(), signal.SIGTERM)
signal.alarm(60)
signal.pause()
"""
    heard: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _frame: heard.append(number))
    try:
        text, told = external_editor.change_in(Lent(), [sys.executable, "-c", script], "mine", ".md")  # pyright: ignore[reportArgumentType]
        signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert heard == [signal.SIGTERM] * 2
    assert text == "mine, and more"
    assert told.endswith("was killed (signal 15). The text that it saved is kept.")


def test_a_signal_while_an_editor_starts_ends_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    class Started(subprocess.Popen[bytes]):
        def __init__(self, argv: list[str]) -> None:
            super().__init__(argv)
            signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(subprocess, "Popen", Started)
    before = signal.signal(signal.SIGTERM, lambda _number, _frame: None)
    try:
        text, told = external_editor.change_in(Lent(), ["sleep", "60"], "mine", ".md")  # pyright: ignore[reportArgumentType]
    finally:
        signal.signal(signal.SIGTERM, before)
    assert text is None
    assert "sleep was killed (signal 15)" in told


async def test_a_text_from_an_editor_is_kept_until_it_is_in_the_casebook(
    told: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr("tui.panes.errors.curation.edit_outside", lambda *_given: ("From the editor.", ""))
    app = app_on(told)
    async with app.run_test(size=WIDE) as pilot:
        await in_case(pilot, app)
        read, curating = app.errors.case.read, app.errors.curating
        assert read is not None
        curating.writer.keep(Scratch(read.case.id, "", Written("Typed before.")))
        with open_store(told, write=True) as store, store.transaction():
            await pilot.press("e")
            await until(pilot, lambda: len(curating.writer.saved().free) == 2)
        await until(pilot, lambda: not app.jobs.busy("curate") and not app.jobs.busy("scratch"))
        assert [one.written.text for one in curating.writer.saved().free] == ["Typed before."]


async def test_without_an_editor_it_says_how_to_set_one(told: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("VISUAL", "EDITOR", "PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", "/no/such/folder")
    app = app_on(told)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await in_case(pilot, app)
        await pilot.press("V")
        await until(pilot, lambda: "No editor is set" in frame(app))
    assert os.environ.get("EDITOR") is None


# The trace ----------------------------------------------------------------------------------------------------------


async def test_steps_of_the_trace_fold_by_key_and_by_click(told: Path) -> None:
    app = app_on(told)
    async with app.run_test(size=(200, 50)) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        app.errors.box.ask(ERROR)
        await until(pilot, lambda: "Found" in str(app.errors.results.border_title) and not app.jobs.busy("search"))
        app.errors.why.focus()
        await pilot.pause()
        before = frame(app)
        assert "▾" in before
        fold_at = next(
            (x, y) for y, line in enumerate(before.split("\n")) for x, sign in enumerate(line) if sign == "▾"
        )
        await pilot.click(offset=fold_at)
        await until(pilot, lambda: frame(app).count("▾") == before.count("▾") - 1)
        await pilot.press("enter")
        await until(pilot, lambda: frame(app).count("▾") == before.count("▾"))


@pytest.mark.parametrize("size", [WIDE, SMALL])
async def test_a_case_of_noise_tells_of_its_fix_and_does_not_deny_it(tmp_path: Path, size: tuple[int, int]) -> None:
    path = tmp_path / "noise.db"
    with open_store(path, write=True, create=True) as store:
        case_id = put(store, ERROR, "tsc", "import it from ./api", "verified")
        mark_noise(store, "mina", [look(store.con, case_id)], "not ours")
    app = app_on(path)
    async with app.run_test(size=size) as pilot:
        await in_case(pilot, app)
        await until(pilot, lambda: "Marked as noise" in frame(app))
        told = " ".join(frame(app).replace("│", " ").split())
        assert "Its fix below is not used" in told and "No fix yet" not in told
        await pilot.press("G")
        await until(pilot, lambda: "import it from ./api" in frame(app))
        assert app.errors.case._history.border_title == " The only fix "
