"""Kill -9, a locked casebook and other ends in the middle of an answer: the question and every word of it stay."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.config.settings import LlmSettings
from core.base.fault import Fault
from core.flows.ask.api import AskOptions, ask
from core.flows.ask.draft_file import MOST_FILES, Unfinished, _folder, _read, take_up, written_down
from core.flows.ingest.api import ingest
from core.library.ask.answer import AnswerEvent
from core.library.ask.store import keep, list_sessions, show_session
from core.library.ingest.write import reset_library
from core.llm.factory import language_model
from core.store import Store, open_store
from core.text import redact
from tests.core.llm.llm_server import Reply, Server, llm_server
from tests.schemas import check_schema

ROOT = Path(__file__).resolve().parents[3]
RETRY = "How long should a client wait between retries of a request?"
TRUE = "Wait 200 ms, then twice as long each time [1]."
NOTE = "# Client\n\n## Retries\n\nA client that retries a request: wait 200 ms, then twice as long each time.\n"
SESSION = AskOptions(session="release")


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A library of one note, and a folder of its own for what waits."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "client.md").write_text(NOTE, encoding="utf-8")
    with open_store(tmp_path / "c.db", create=True) as store:
        ingest(store, [tmp_path / "notes"])
    return tmp_path / "c.db"


@pytest.fixture
def store(database: Path) -> Iterator[Store]:
    with open_store(database, write=True, timeout_ms=1) as store:
        yield store


def waiting(database: Path) -> list[Path]:
    return sorted(_folder(database).glob("*"))


def asked(store: Store, server: Server, options: AskOptions = SESSION, **more: Any) -> Any:
    model = language_model(LlmSettings(model="tiny", endpoint=server.endpoint))
    return ask(store, RETRY, options, model, None, **more)


class Broken:
    """Whoever asked is gone after so many words: the second Ctrl-C, or a pipe that nobody reads any more."""

    def __init__(self, words: int, error: type[BaseException] = KeyboardInterrupt) -> None:
        self.left, self.error = words, error

    def __call__(self, event: AnswerEvent) -> None:
        self.left -= event.kind == "token"
        if self.left <= 0:
            raise self.error


def kept(store: Store) -> Any:
    """The one answer that is stored, which must satisfy its schema."""
    ((wire,),) = store.con.execute("SELECT answer_json FROM answers").fetchall()
    found = json.loads(str(wire))
    check_schema(found, "answer.v1")
    return found


def test_what_proves_to_be_thought_is_neither_told_nor_kept(database: Path, store: Store) -> None:
    heard: list[AnswerEvent] = []

    def hear(event: AnswerEvent) -> None:
        heard.append(event)
        if event.anew:
            (line,) = waiting(database)
            assert _read(line.read_bytes())[1] == "", "nor is it taken up"  # type: ignore[index]

    with llm_server([Reply(("hm, [9] says 300 ms", "</think>", TRUE[:9], TRUE[9:]))]) as server:
        found = asked(store, server, on_event=hear)
    assert (found.grounded, found.answer, found.invented) == (True, TRUE, ())
    assert kept(store)["answer"] == TRUE
    told = [(event.text, event.anew) for event in heard if event.kind == "token"]
    assert told == [("hm, [9] says 300 ms", False), ("", True), (TRUE[:9], False), (TRUE[9:], False)]


def test_kill_9_in_the_middle_loses_neither_the_question_nor_a_word(database: Path) -> None:
    env = {
        **os.environ, "PYTHONPATH": str(ROOT), "CASEBOOK_EMBEDDING_MODEL": "all-mpnet-base-v2",
        "CASEBOOK_EMBEDDING_SERVICE": "false", "CASEBOOK_MODELS_LLM_MODEL": "tiny",
    }  # fmt: skip
    casebook = [sys.executable, "-m", "cli", "library", "ask", "--db", str(database)]
    with llm_server([Reply(("Wait 200 ms, then", " twice [1] ", "never"), hang_after=2)]) as server:
        env["CASEBOOK_MODELS_LLM_ENDPOINT"] = server.endpoint
        process = subprocess.Popen(
            [*casebook, RETRY, "--session", "release"], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        try:
            end = time.monotonic() + 120
            while not any(b"twice [1]" in one.read_bytes() for one in waiting(database)):
                assert time.monotonic() < end and process.poll() is None, "nothing was written down"
                time.sleep(0.02)
            assert take_up(database) == (), "its process lives"
            with open_store(database) as store:
                assert list_sessions(store.con).sessions == ()
            assert [one.stat().st_mode & 0o777 for one in waiting(database)] == [0o600]
        finally:
            process.kill()
            process.communicate()
    shown = subprocess.run([*casebook, "sessions", "show", "release"], env=env, capture_output=True, check=True)
    assert RETRY in shown.stdout.decode()
    assert "Wait 200 ms, then twice [1]" in shown.stdout.decode()
    assert "interrupted" in shown.stdout.decode()
    assert "client.md#L" in shown.stdout.decode()
    assert waiting(database) == []
    with open_store(database) as store:
        answer = kept(store)
    assert (answer["refusal_reason"], answer["grounded"], answer["turn_index"]) == ("llm_stream_aborted", False, 0)
    stages = ["retrieval", "gate", "packing", "model", "citations", "ask"]
    assert [one["stage"] for one in answer["trace"]] == stages


@pytest.mark.parametrize("multi_hop", [False, True])
def test_the_words_that_had_come_are_checked_like_any_others(store: Store, multi_hop: bool) -> None:
    said = Reply(("Wait 900 ms, then twice as long each time [1].", " The moon is hollow [9].", " never"))
    steps = [Reply(('{"queries": ["retries"]}',)), Reply(('{"kind": "stop"}',))] if multi_hop else []
    with llm_server([*steps, said]) as server, pytest.raises(KeyboardInterrupt):
        asked(store, server, AskOptions(session="release", multi_hop=multi_hop), on_event=Broken(2))
    (one,) = take_up(store.path)
    answer = kept(store)
    assert one.answer == answer["answer"] == "Wait 900 ms, then twice as long each time [1]. The moon is hollow."
    claim, hollow = answer["claims"]
    assert (hollow["marker"], hollow["status"]) == (None, "uncited")
    assert (claim["marker"], claim["status"], claim["concerns"][0]["kind"]) == ("[1]", "flagged", "number")
    assert [one["marker"] for one in answer["invented"]] == ["[9]"]
    assert [one["marker"] for one in answer["citations"]] == ["[1]"]
    assert [hop["kind"] for hop in answer["hops"] or ()] == (["decompose", "decide"] if multi_hop else [])


def test_words_about_a_passage_that_is_gone_are_kept_and_held_against_none(store: Store) -> None:
    with llm_server([Reply((TRUE, " never"))]) as server, pytest.raises(KeyboardInterrupt):
        asked(store, server, on_event=Broken(1))
    reset_library(store)
    take_up(store.path)
    answer = kept(store)
    assert (answer["answer"], answer["claims"]) == (TRUE, [])
    assert [one["marker"] for one in answer["citations"]] == ["[1]"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, BrokenPipeError])
def test_who_ends_in_the_middle_of_the_words_leaves_them_to_the_next_question(
    store: Store, error: type[BaseException]
) -> None:
    with llm_server([Reply(("Wait 200 ms", ", then", " twice")), Reply((TRUE,))]) as server:
        with pytest.raises(error):
            asked(store, server, on_event=Broken(2, error))
        assert store.con.execute("SELECT count(*) FROM answers").fetchone() == (0,)
        assert asked(store, server).turn_index == 1
        assert len(server.requests[1]["messages"]) == 2, "what was broken off is no history"
    turns = show_session(store.con, "release").turns
    assert [(one.answer, one.refusal_reason) for one in turns] == [
        ("Wait 200 ms, then", "llm_stream_aborted"), (TRUE, None),
    ]  # fmt: skip
    assert waiting(store.path) == []


def test_an_answer_that_was_kept_and_that_nobody_heard_is_told_another_time(store: Store) -> None:
    def gone(event: AnswerEvent) -> None:
        if event.kind == "final":
            raise BrokenPipeError

    with llm_server([Reply(("Wait 200 ms",), hang_after=1)]) as server, pytest.raises(BrokenPipeError):
        asked(store, server, on_event=gone, cancelled=server.asked.is_set)
    before = kept(store)
    (one,) = take_up(store.path)
    assert (one.question, one.session, one.whole) == (RETRY, "release", False)
    assert kept(store) == before
    assert len(show_session(store.con, "release").turns) == 1
    assert waiting(store.path) == []


def test_before_the_first_word_the_question_stays(store: Store) -> None:
    with llm_server([Reply((TRUE,))]) as server, pytest.raises(KeyboardInterrupt):
        asked(store, server, on_event=Broken(0))
    (one,) = take_up(store.path)
    assert (one.question, one.answer, one.session) == (RETRY, "Stopped before the first word.", "release")
    assert kept(store)["refusal_reason"] == "llm_stream_aborted"


def test_a_fault_before_the_first_word_leaves_nothing(store: Store) -> None:
    with llm_server([Reply(status=404, error="model 'tiny' not found")]) as server, pytest.raises(Fault):
        asked(store, server)
    assert waiting(store.path) == []


def test_a_locked_casebook_costs_neither_the_answer_nor_its_place_in_it(store: Store) -> None:
    holder = apsw.Connection(str(store.path))
    holder.execute("BEGIN IMMEDIATE")
    heard: list[str] = []
    with llm_server([Reply((TRUE,))]) as server:
        found = asked(store, server, on_event=lambda event: heard.append(event.kind))
    assert found.grounded
    assert heard == ["retrieval_done", "token", "final"]
    assert "saved in a file" in found.trace[-1].reason
    assert take_up(store.path) == ()
    assert len(waiting(store.path)) == 1, "it is locked still"
    holder.execute("ROLLBACK")
    assert [(one.answer, one.whole) for one in take_up(store.path)] == [(TRUE, True)]
    answer = kept(store)
    assert (answer["grounded"], answer["turn_index"], len(answer["claims"])) == (True, 0, 1)
    assert take_up(store.path) == ()


def test_what_is_kept_twice_is_one_answer_and_one_turn(store: Store) -> None:
    with llm_server([Reply((TRUE,))]) as server:
        found = asked(store, server)
    assert keep(store, found, ()).turn_index == 0
    assert len(show_session(store.con, "release").turns) == 1
    kept(store)


def test_a_session_begun_again_after_the_library_was_emptied_has_only_its_own_turns(store: Store) -> None:
    with llm_server([Reply((TRUE,))]) as server:
        asked(store, server)
        reset_library(store)
        ingest(store, [store.path.parent / "notes"])
        assert asked(store, server).turn_index == 0
        assert [one.turn_index for one in show_session(store.con, "release").turns] == [0]
        asked(store, server)
        assert len(server.requests[-1]["messages"]) == 4, "one turn goes along, not the one of before"


def test_a_secret_that_comes_in_pieces_is_not_written_down_whole(store: Store) -> None:
    token = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    with llm_server([Reply(("It is ", token[:20], token[20:], " then", " more"))]) as server:
        with pytest.raises(KeyboardInterrupt):
            asked(store, server, on_event=Broken(5))
        (path,) = waiting(store.path)
        assert token[20:] not in path.read_text("utf-8")
    (one,) = take_up(store.path)
    assert one.answer.endswith("then more")
    assert token[:20] not in one.answer


def test_files_of_others_are_dropped_and_one_just_begun_is_left_alone(store: Store) -> None:
    folder = _folder(store.path)
    folder.mkdir(parents=True)
    for number, junk in enumerate(
        (b"\xff\x00\n", b"[]\n", b'{"answer": 1, "packed": [], "whole": true}\n', b"{", b'"')
    ):
        (folder / f"{number}.jsonl").write_bytes(junk)
    (folder / "new.jsonl").touch()
    assert take_up(store.path) == ()
    assert [one.name for one in waiting(store.path)] == ["new.jsonl"]
    for number in range(MOST_FILES):
        (folder / f"{number}.jsonl").touch()
    with llm_server([Reply((TRUE,))]) as server:
        assert asked(store, server).grounded, "there is no room to write it down, and it is given all the same"


def test_where_nothing_can_be_written_down_it_is_answered(store: Store, tmp_path: Path) -> None:
    (tmp_path / "state").write_text("no folder")
    with llm_server([Reply((TRUE,))]) as server:
        assert asked(store, server).grounded
    assert kept(store)["answer"] == TRUE
    with written_down(None) as unfinished:
        unfinished.word("a")
        assert not unfinished.wait()


_WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
_SECRETS = st.sampled_from(["password: ", "hunter2 ", "sk-", "A1b2C3d4E5f6G7h8I9j0K1l2", "AKIA", "IOSFODNN7EXAMPLE"])


@given(st.lists(_WORDS | _SECRETS, max_size=30), st.integers(0, 400))
@settings(max_examples=50)
def test_what_was_written_down_reads_as_it_was_said(words: list[str], cut: int) -> None:
    reading, writing = os.pipe()
    unfinished = Unfinished(writing)
    unfinished._put(json.dumps({"answer": {"packed": [], "trace": [], "usage": {}}, "packed": [], "whole": False}))
    for word in words:
        unfinished.word(word)
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        data = file.read()
    found = _read(data)
    whole = redact("".join(words))
    assert found is not None
    assert found[1] == whole
    part = _read(data[: max(0, len(data) - cut)])  # torn anywhere, it is what came before
    assert part is None or len(part[1]) <= len(whole)
