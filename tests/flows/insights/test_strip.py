"""One session as a strip: its results in order, the time in red and the programs it went to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.base.fault import Fault
from core.flows.insights.pictures import marks_in, sign_of
from core.flows.insights.strip import session_strip
from core.flows.transcripts.api import import_transcripts
from core.store import Store, open_store
from tests.flows.harvest.chat import HOME, LOOKUP
from tests.flows.harvest.test_session import Transcript


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "casebook.db", write=True, create=True) as opened:
        yield opened


def _worked(folder: Path, session: str = "11111111-0000-4000-8000-000000000001") -> Transcript:
    chat = Transcript(folder, session).bash("ls", "a.py").bash("pytest -q", LOOKUP, 1).edit("a.py")
    return chat.bash("pytest -q", "3 passed").bash("git status", "clean").bash("npm test", "FAIL sum.test.ts\nx", 1)


def test_the_results_in_order_with_what_failed_and_what_passed(store: Store, tmp_path: Path) -> None:
    chat = _worked(tmp_path / "in")
    import_transcripts(store, "auto", [chat.save()])
    found = session_strip(store, "11111111")
    assert found.session == chat.session
    assert [(cell.mark, cell.what) for cell in found.cells] == [
        ("other", "ls"), ("failed", "pytest -q"), ("other", f"{HOME}/a.py"), ("passed", "pytest -q"),
        ("other", "git status"), ("failed", "npm test"),
    ]  # fmt: skip
    assert (found.failed, found.passed) == (2, 1)
    assert found.cells[1].key_line and found.cells[1].case_id is not None


def test_time_in_red_is_what_lies_between_failure_and_green_once(store: Store, tmp_path: Path) -> None:
    chat = Transcript(tmp_path / "in").bash("pytest -q", LOOKUP, 1).bash("npm test", "Error: listen EADDRINUSE: x", 1)
    chat.edit("a.py").bash("pytest -q", "3 passed").bash("npm test", "4 passed").bash("ls", "a.py")
    for at, row in enumerate(chat.rows):
        row["timestamp"] = f"2026-09-01T10:{at:02}:00.000Z"
    import_transcripts(store, "auto", [chat.save()])
    found = session_strip(store, chat.session)
    assert [(one.program, one.minutes, one.runs) for one in found.red] == [("npm", 6, 1), ("pytest", 6, 1)]
    assert (found.minutes_red, found.minutes) == (8, 11)


def test_a_session_is_named_by_the_beginning_of_its_id(store: Store, tmp_path: Path) -> None:
    files = [_worked(tmp_path / "in", f"1111111{n}-0000-4000-8000-000000000001").save() for n in range(2)]
    import_transcripts(store, "auto", files)
    assert session_strip(store, "11111110").failed == 2
    for name, why in (("1111", "several sessions"), ("9", "no session"), ("\x1b[2J", "no session")):
        with pytest.raises(Fault, match=why) as fault:
            session_strip(store, name)
        assert "\x1b" not in fault.value.message


def test_buckets_keep_a_failure_visible(store: Store, tmp_path: Path) -> None:
    import_transcripts(store, "auto", [_worked(tmp_path / "in").save()])
    cells = session_strip(store, "11111111").cells
    assert "".join(sign_of(mark) for *_, mark in marks_in(cells, 80)) == "·█·▄·█"
    assert "".join(sign_of(mark, ascii_only=True) for *_, mark in marks_in(cells, 3)) == "#+#"
    assert [(start, end) for start, end, _ in marks_in(cells, 4)] == [(0, 2), (2, 4), (4, 6)]
    assert marks_in((), 10) == ()
