"""A second process that reads ahead gives the same rows as reading here, and its death costs nothing."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from core.base.fault import Fault
from core.flows.harvest import session, session_events
from core.flows.system import parallel
from core.flows.system.parallel import NoWorkerError, Question, Second, shared
from core.flows.transcripts import api, files, rows
from core.flows.transcripts.api import import_transcripts
from core.flows.transcripts.report import ImportReport
from core.process.child import ChildExitedError, Reply
from core.process.frames import FrameReader
from core.process.values import loads, pack, unpack
from core.samples import sample_paths
from core.store import Store, open_store
from core.store.store import data_version
from core.transcripts import SessionStart, Skipped
from tests.core.process import handlers


def imported(db: Path, files: list[Path]) -> tuple[ImportReport, list[object]]:
    with open_store(db, write=True, create=True) as store:
        report = import_transcripts(store, "auto", files)
        sql = "SELECT session_id, idx, role, kind, text, uuid, sha256, chain FROM message ORDER BY session_id, idx"
        rows: list[object] = list(store.con.execute(sql))
        rows += store.con.execute("SELECT fingerprint, session_id, message_idx FROM occurrence ORDER BY 1, 2, 3")
        rows += store.con.execute("SELECT * FROM tool_call ORDER BY session_id, tool_use_id")
        rows += store.con.execute("SELECT * FROM result_verdict ORDER BY session_id, message_idx, tool_use_id")
        rows += store.con.execute("SELECT id, text, message_ids, lesson FROM resolution ORDER BY id")
    return report, rows


def awake(second: Second) -> bool:
    """In the place of `ready`: waits until it is."""
    waking, second._waking = second._waking, None
    if waking is not None:
        with suppress(Fault, ChildExitedError):
            waking.result()
    return True


@pytest.fixture
def ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second process even for small files, however few cores there are."""
    monkeypatch.setattr(parallel, "_cores", lambda: 2)
    monkeypatch.setattr(rows, "WORTH_IT", 0)
    monkeypatch.setattr(session, "WORTH_IT", 0)
    monkeypatch.setattr(Second, "ready", property(awake))
    monkeypatch.setattr(files, "BATCH_LINES", 7)
    monkeypatch.setattr(session_events, "_PIECE", 3)


@pytest.mark.parametrize("batch", [api.BATCH, 20_000])
def test_reading_ahead_gives_the_same_rows(
    tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    monkeypatch.setattr(api, "BATCH", batch)
    here = imported(tmp_path / "here.db", sample_paths())
    request.getfixturevalue("ahead")
    assert imported(tmp_path / "ahead.db", sample_paths()) == here


@pytest.mark.usefixtures("ahead")
@pytest.mark.parametrize("lived", [0, 1, 2, 9, 30])
def test_a_process_that_dies_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lived: int) -> None:
    whole = imported(tmp_path / "whole.db", sample_paths())
    real, killed, answers = Second.take, list[int](), [0]

    def kill_it(self: Second, reply: Reply[Any]) -> Any:
        answers[0] += 1
        if answers[0] > lived and self._child is not None and self._child.pid is not None and not killed:
            killed.append(self._child.pid)
            os.kill(self._child.pid, signal.SIGKILL)
        return real(self, reply)

    monkeypatch.setattr(Second, "take", kill_it)
    assert imported(tmp_path / "killed.db", sample_paths()) == whole
    assert killed or answers[0] <= lived  # this process does what it would wait for, so the other one may have few


@pytest.mark.usefixtures("ahead")
def test_a_process_that_cannot_be_started_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = imported(tmp_path / "whole.db", sample_paths())
    monkeypatch.setattr(sys, "executable", str(tmp_path / "nothing-here"))
    assert imported(tmp_path / "alone.db", sample_paths()) == whole


@pytest.mark.parametrize("text", ["plain", "한국어 \U0001f600 \0", "lone \ud800"])
def test_rows_arrive_as_they_were_sent(text: str) -> None:
    base = rows.MessageRow("s", "user", "text", text, "u", 0, "", "sha", "main", False, None, False, None, None)
    call = base._replace(tool_use_id="t", call=rows.CallRow("Bash", '{"command":"ls"}'))
    result = base._replace(block=2, result=rows.ResultRow("error", 1, {"files": ["a", text], "background": True}))
    start = SessionStart("s", "claude-code", project="/p")
    made = rows.Rows({"s": start}, [base, call, result], [Skipped(3, "why")])
    sent = rows._packed(made)
    assert isinstance(sent, rows.PackedRows) is ("\ud800" not in text)
    back = rows.unpacked(unpack(FrameReader(loads=loads).feed(pack({}, sent))[0]))
    assert back == made
    assert all(type(one) is rows.MessageRow for one in back.messages)
    assert type(back.messages[1].call) is rows.CallRow
    assert type(back.messages[2].result) is rows.ResultRow


@pytest.mark.usefixtures("ahead")
def test_a_file_that_was_replaced_meanwhile_is_read_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second process opens the file by its name; the rows must be of the file that the first one reads."""
    log = tmp_path / "a.jsonl"
    log.write_bytes(next(path for folder in sample_paths() for path in sorted(folder.rglob("*.jsonl"))).read_bytes())
    whole = imported(tmp_path / "whole.db", [log])
    real = rows._rows_elsewhere
    (tmp_path / "other").write_bytes(log.read_bytes().replace(b"a", b"e"))

    def replaced(self: Second, question: Any) -> Reply[Any]:
        if question[0] is real and (tmp_path / "other").exists():
            (tmp_path / "other").replace(log)
        return ask(self, question)

    ask = Second.ask
    monkeypatch.setattr(Second, "ask", replaced)
    assert imported(tmp_path / "ahead.db", [log]) == whole
    assert not (tmp_path / "other").exists()


@pytest.mark.usefixtures("ahead")
def test_answers_come_in_order_without_a_usable_standard_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class Captured:
        def fileno(self) -> int:
            return -1  # as a full-screen application's

    monkeypatch.setattr(sys, "stderr", Captured())
    with Second() as other:
        replies = [other.ask((handlers.divide, (number, 2))) for number in (1, 2, 3)]
        assert [other.take(reply) for reply in replies] == [(0, 1), (1, 0), (1, 1)]


@pytest.mark.usefixtures("ahead")
def test_no_process_is_left_behind_whatever_it_does() -> None:
    with Second() as other:
        other.ask((handlers.sleep, (60,)))
        process = other._child
        assert process is not None and process.wait(0) is None
    assert process.wait(0) is not None


@pytest.mark.usefixtures("ahead")
def test_a_process_with_more_answers_than_there_is_room_for_ends_too() -> None:
    with Second() as other:
        replies = [other.ask((handlers.zeros, (300_000,))) for _ in range(20)]
        assert len(other.take(replies[0])) == 300_000
        process = other._child
    assert process is not None and process.wait(0) is not None


@pytest.mark.usefixtures("ahead")
def test_work_that_fails_is_the_end_of_the_process() -> None:
    with Second() as other:
        reply = other.ask((handlers.divide, (1, 0)))
        with pytest.raises(NoWorkerError):
            other.take(reply)
        with pytest.raises(NoWorkerError):
            other.ask((handlers.divide, (1, 1)))


@pytest.mark.usefixtures("ahead")
def test_work_that_is_left_half_way_leaves_no_answer_to_the_next() -> None:
    with Second() as other:
        begun = shared(other, range(9), lambda piece: (handlers.divide, (piece, 2)), lambda piece: divmod(piece, 2))
        assert next(begun) == (0, (0, 0))
        begun.close()
        whole = shared(other, range(7, 70), lambda piece: (handlers.divide, (piece, 3)), lambda piece: divmod(piece, 3))
        assert list(whole) == [(piece, divmod(piece, 3)) for piece in range(7, 70)]


@pytest.mark.usefixtures("ahead")
def test_other_work_is_begun_while_an_answer_is_awaited(tmp_path: Path) -> None:
    def halve(piece: int) -> tuple[int, int]:
        (tmp_path / "part").write_text("yes", "utf-8")
        (tmp_path / "part").replace(tmp_path / "begun")  # who sees the file sees the word
        return divmod(piece, 2)

    def here(piece: object) -> str:
        raise AssertionError(piece)

    with Second() as other:

        def elsewhere(piece: int) -> Question | None:
            return (handlers.divide, (piece, 2)) if piece else None

        # More than the one piece that the second process can get before it waits is begun here.
        halves = shared(other, range(300), elsewhere, halve, depth=1, most=100)
        first = next(halves)
        (tmp_path / "begun").unlink()
        answer = shared(other, [tmp_path / "begun"], lambda path: (handlers.until, (path,)), here)
        assert list(answer) == [(tmp_path / "begun", "yes")]
        assert [first, *halves] == [(piece, divmod(piece, 2)) for piece in range(300)]


@pytest.mark.usefixtures("ahead")
@pytest.mark.parametrize("depth", [1, 4, 100])
def test_the_second_process_has_the_heaviest_pieces(depth: int) -> None:
    asked = list[int]()

    def elsewhere(piece: int) -> Question | None:
        asked.append(piece)
        return (handlers.divide, (piece, 7)) if piece % 3 else None

    def ahead(piece: int) -> tuple[int, int] | None:
        return divmod(piece, 7) if piece % 3 else None

    with Second() as other:
        for _ in range(2):
            found = shared(other, range(60), elsewhere, lambda n: divmod(n, 7), ahead, weight=lambda n: n, depth=depth)
            assert list(found) == [(piece, divmod(piece, 7)) for piece in range(60)]
            assert asked[0] == 59 and asked == sorted(asked, reverse=True)
            asked.clear()
        assert other.running, "nothing is left over"


@pytest.mark.usefixtures("ahead")
def test_a_piece_that_must_wait_is_done_at_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_cores", lambda: 1)
    done: list[int] = []

    def here(piece: int) -> int:
        assert done == list(range(piece))  # all before it was taken
        return piece

    with Second() as nobody:
        for piece, _ in shared(nobody, range(30), lambda piece: None, here, lambda piece: None):
            done.append(piece)
    assert done == list(range(30))


def test_nothing_waits_for_a_process_that_still_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_cores", lambda: 2)
    with Second() as other:
        other.wake(handlers.__name__)
        waking = other._waking
        assert waking is not None and other.running
        monkeypatch.setattr(type(waking), "arrived", False)
        assert not other.ready
        divided = shared(other, range(9), lambda piece: (handlers.divide, (0, 0)), lambda piece: divmod(piece, 2))
        assert list(divided) == [(piece, divmod(piece, 2)) for piece in range(9)]
        monkeypatch.setattr(type(waking), "arrived", True)
        assert other.ready
        asked = shared(other, range(9), lambda piece: (handlers.divide, (piece, 3)), lambda piece: divmod(piece, 2))
        assert next(asked) == (0, (0, 0))
        asked.close()


def test_what_was_found_ahead_counts_until_somebody_else_writes(tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    imported(db, sample_paths())
    with open_store(db, write=True) as store:
        found = store.con.execute("SELECT session_id FROM result_verdict WHERE fingerprints <> '[]'").fetchall()
        name = str(found[0][0])
        nothing = session.Folded((name,), (), (), data_version(store))
        session.harvest_session(store, name, folded=nothing)
        assert verdicts(store, name) == 0
        with open_store(db, write=True) as other:
            other.con.execute("UPDATE session SET project = project || 'x' WHERE id = ?", (name,))
        session.harvest_session(store, name, folded=nothing)
        assert verdicts(store, name) > 0


def verdicts(store: Store, name: str) -> int:
    row = store.con.execute("SELECT count(*) FROM result_verdict WHERE session_id = ?", (name,)).fetchone()
    return int(str(row[0])) if row else 0
