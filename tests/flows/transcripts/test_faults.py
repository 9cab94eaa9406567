"""Files and folders that cannot be read, or are not what they seem: a fault, or a line in the report."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import pytest

from core.base.fault import Fault
from core.flows.transcripts import files
from core.store import open_store
from core.transcripts import Agent, read_lines
from tests.core.transcripts.builders import Claude, Codex
from tests.flows.transcripts.support import Harvests, count_harvests, run, texts


@pytest.fixture(autouse=True)
def harvests(monkeypatch: pytest.MonkeyPatch) -> Harvests:
    return count_harvests(monkeypatch)


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "db" / "casebook.db"


def good(path: Path, session: str = "s-1") -> Path:
    log = Claude(session=session)
    log.user(f"hello from {session}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(log.bytes())
    return path


@pytest.mark.parametrize("name", ["gone.jsonl", "gone/deeper.jsonl", "nul\0byte", "x" * 5000, "good.jsonl/below"])
def test_a_path_that_is_not_there_is_a_fault_and_nothing_is_imported(db: Path, tmp_path: Path, name: str) -> None:
    there = good(tmp_path / "good.jsonl")
    with pytest.raises(Fault) as caught:
        run(db, there, tmp_path / name)
    assert caught.value.code == "invalid_input" and "not found" in caught.value.message
    assert "\0" not in caught.value.message
    assert texts(db) == []


def test_plain_without_a_path_is_a_fault(db: Path) -> None:
    with pytest.raises(Fault) as caught:
        run(db, agent="plain")
    assert caught.value.code == "invalid_input"


def test_without_paths_the_agents_folders_are_read(db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))  # whoever runs the tests has agents too
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    nothing = run(db)
    assert (nothing.files, {one.reason for one in nothing.skipped}) == (0, {"no such folder"})
    good(tmp_path / "claude" / "projects" / "-home" / "a.jsonl")
    log = Codex()
    log.meta()
    log.says("user", "from codex")
    rollout = tmp_path / "codex" / "archived_sessions" / "rollout-1.jsonl"
    rollout.parent.mkdir(parents=True)
    rollout.write_bytes(log.bytes())
    report = run(db)
    assert (report.files, report.sessions, report.skipped) == (2, 2, ())
    assert run(db, agent="codex").files == 1


def test_a_folder_without_transcripts_is_named_and_so_is_an_empty_file(db: Path, tmp_path: Path) -> None:
    empty, blank = tmp_path / "empty", tmp_path / "blank.jsonl"
    empty.mkdir()
    blank.write_text("\n")
    report = run(db, empty, blank)
    assert [(one.file, one.line, one.reason) for one in report.skipped] == [
        (str(empty), 0, "no transcripts in this folder"),
        (str(blank), 0, "empty file"),
    ]
    assert run(db, blank.parent).skipped == (), "but one that was not named may yet become a transcript"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_pipes_and_devices_are_never_waited_for(db: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "in" / "pipe.jsonl"
    good(tmp_path / "in" / "good.jsonl")
    os.mkfifo(pipe)
    report = run(db, tmp_path / "in", pipe, Path("/dev/null"))
    assert (report.files, report.messages) == (1, 1)
    assert [(one.file, one.line, one.reason) for one in report.skipped] == [
        (str(pipe), 0, "not a regular file"),
        ("/dev/null", 0, "not a regular file"),
    ]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_paths_inside_a_transcript_are_never_opened(db: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "trap"
    os.mkfifo(pipe)
    log = Claude(cwd=str(pipe))
    log.call("t1", "Bash", {"command": "make"})
    log.works("t1", f"<persisted-output>Full output saved to: {pipe}</persisted-output>")
    log.result("t2", "x", beside={"persistedOutputPath": str(pipe), "filePath": str(pipe)})
    path = tmp_path / "a.jsonl"
    path.write_bytes(log.bytes())
    assert run(db, path).messages == 3


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_skipped_among_others(db: Path, tmp_path: Path) -> None:
    locked = good(tmp_path / "in" / "locked.jsonl", "s-2")
    good(tmp_path / "in" / "good.jsonl")
    locked.chmod(0)
    report = run(db, tmp_path / "in")
    assert (report.messages, [(one.file, one.line) for one in report.skipped]) == (1, [(str(locked), 0)])
    assert report.skipped[0].reason.startswith("cannot be read: ")


@pytest.mark.parametrize("which", ["in/closed", "in"])
def test_a_folder_that_cannot_be_read_is_named(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, which: str
) -> None:
    good(tmp_path / "in" / "good.jsonl")
    good(tmp_path / "in" / "closed" / "more.jsonl", "s-2")
    closed, real = tmp_path / which, os.scandir

    def scan(path: str | Path = "."):
        if Path(path) == closed:
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    with monkeypatch.context() as patch:  # only for the run: to take the folder down uses it with a descriptor
        patch.setattr(os, "scandir", scan)  # root may read everything
        report = run(db, tmp_path / "in")
    assert report.messages == int(which != "in")
    assert [(one.file, one.line, one.reason) for one in report.skipped] == [
        (str(closed), 0, "the folder cannot be read: Permission denied")
    ]


def test_a_file_that_vanishes_or_fails_while_it_is_read_is_skipped(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good(tmp_path / "in" / "a.jsonl")
    good(tmp_path / "in" / "b.jsonl", "s-2")
    real = files.open_regular

    def failing(path: Path):
        if path.name == "a.jsonl":
            raise OSError(5, "Input/output error")
        return real(path)

    monkeypatch.setattr("core.flows.transcripts.api.open_transcript", failing)
    report = run(db, tmp_path / "in")
    assert texts(db) == ["hello from s-2"]
    assert [one.reason for one in report.skipped] == ["cannot be read: Input/output error"]


def test_files_that_are_no_transcripts_are_named_and_those_of_another_agent_left_alone(
    db: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "in"
    good(folder / "a.jsonl")
    log = Codex()
    log.meta()
    (folder / "rollout-x.jsonl").write_bytes(log.bytes())
    (folder / "data.jsonl").write_bytes(b'{"name": "row"}\n')
    (folder / "chat.jsonl").write_bytes(b'{"role": "user", "text": "hi"}\n')
    (folder / "junk.jsonl").write_bytes(os.urandom(3000))
    (folder / "empty.jsonl").write_bytes(b"")
    report = run(db, folder, agent="claude-code")
    assert (report.files, report.messages) == (1, 1)
    assert sorted(Path(one.file).name for one in report.skipped) == ["data.jsonl", "junk.jsonl"]
    report = run(db, folder)
    assert sorted(Path(one.file).name for one in report.skipped) == ["chat.jsonl", "data.jsonl", "junk.jsonl"]
    assert run(db, folder / "chat.jsonl").messages == 1
    assert [one.reason for one in run(db, folder / "data.jsonl").skipped] == ["the file contains no known records"]


def test_broken_lines_are_listed_with_their_numbers(db: Path, tmp_path: Path) -> None:
    log = Claude()
    log.user("one")
    log.add(b"{broken")
    log.add(b"17")
    log.user("two")
    path = tmp_path / "a.jsonl"
    path.write_bytes(log.bytes())
    report = run(db, path)
    assert [(one.file, one.line) for one in report.skipped] == [(str(path), 2), (str(path), 3)]
    assert texts(db) == ["one", "two"]


def test_a_line_beyond_the_cap_is_skipped_and_the_rest_is_read(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "read_lines", partial(read_lines, cap=2000))
    log = Claude()
    log.user("before")
    log.user("x" * 5000)
    log.user("after")
    path = tmp_path / "a.jsonl"
    path.write_bytes(log.bytes())
    report = run(db, path)
    assert texts(db) == ["before", "after"]
    assert [(one.line, one.reason) for one in report.skipped] == [(2, "longer than 16 MiB")]


def test_a_name_that_is_no_text_is_read_and_stored(db: Path, tmp_path: Path) -> None:
    odd = os.fsdecode(os.fsencode(str(tmp_path)) + b"/\xff\xfe.jsonl")
    try:
        path = good(Path(odd))
    except OSError:
        pytest.skip("no such names here")
    assert run(db, path).messages == 1
    assert run(db, path).messages == 0


def test_a_store_that_cannot_be_written_says_so_before_anything(db: Path, tmp_path: Path) -> None:
    path = good(tmp_path / "a.jsonl")
    run(db, path)
    from core.flows.transcripts.api import import_transcripts

    with open_store(db) as store, pytest.raises(Fault) as caught:
        import_transcripts(store, "auto", [path])
    assert caught.value.code == "db_readonly"


@pytest.mark.parametrize("size", [300_000, 3_000_000])
def test_a_first_message_longer_than_the_head_hides_no_session(db: Path, tmp_path: Path, size: int) -> None:
    log = Claude(session="s-long")
    log.user("a pasted log " + "x" * size)
    log.user("and a question")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "notes.jsonl").write_bytes(log.bytes())
    report = run(db, tmp_path / "in")
    assert (report.messages, report.skipped) == (2, ())


def test_a_transcript_of_the_other_agent_is_named_as_such(db: Path, tmp_path: Path) -> None:
    report = run(db, good(tmp_path / "a.jsonl"), agent="codex")
    assert report.files == 0
    assert ["claude-code" in line.reason for line in report.skipped] == [True]
    assert texts(db) == []


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
@pytest.mark.parametrize(
    ("held", "reason"),
    [
        (b"\0\xff\n\x80\n", "the file contains no known records"),
        (b"just words\n", "the file contains no known records"),
        (b'{"a": 1}\n', "the file contains no known records"),
        (b'{"role": "user", "text": "hi"}\n',
         "a plain transcript. To import it, omit the name of the agent"),
        (b'{"schema_version": "case.v1", "id": 1}\n', "an export of cases. Run: casebook errors import FILE"),
        (b"\n", "empty file"),
    ],
)  # fmt: skip
def test_a_named_file_that_is_none_of_that_agents_is_not_counted_as_read(
    db: Path, tmp_path: Path, agent: Agent, held: bytes, reason: str
) -> None:
    path = tmp_path / "notes.jsonl"
    path.write_bytes(held)
    for _ in range(2):
        report = run(db, path, agent=agent)
        assert (report.files, [one.reason for one in report.skipped]) == (0, [reason])


def test_a_named_session_of_titles_alone_says_so(db: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.jsonl").write_bytes(b'{"type": "summary", "summary": "A title", "leafUuid": "u"}\n')
    report = run(db, tmp_path / "notes.jsonl")
    assert (report.files, [one.reason for one in report.skipped]) == (0, ["the file contains no messages yet"])
