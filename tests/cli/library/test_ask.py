"""`casebook library ask` as a person and a script meet it, against the double of a model's server."""

from __future__ import annotations

import io
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.format.layout import width
from core.samples import sample_notes
from tests.cli.conftest import Terminal
from tests.core.llm.llm_server import Reply, Script, Server, llm_server

Run = Callable[..., Any]
RETRY = "How long should a client wait between retries of a request?"
TRUE = "Wait 200 ms, then twice as long each time [1]."


@pytest.fixture
def filled(run: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command line on a library of the sample notes, without an embedding model."""
    monkeypatch.setenv("CASEBOOK_EMBEDDING_MODEL", "all-mpnet-base-v2")
    monkeypatch.setenv("CASEBOOK_MODELS_LLM_MODEL", "tiny")
    assert run("library", "ingest", str(sample_notes())).code == 0
    return run


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Server]]:
    from contextlib import ExitStack

    with ExitStack() as stack:

        def start(*script: Any) -> Server:
            replies: Script = script or (Reply((TRUE,)),)
            server = stack.enter_context(llm_server(replies))
            monkeypatch.setenv("CASEBOOK_MODELS_LLM_ENDPOINT", server.endpoint)
            return server

        yield start


def test_into_a_pipe_it_is_written_once_and_json_is_one_object(filled: Run, serve: Callable[..., Server]) -> None:
    serve()
    found = filled("library", "ask", RETRY)
    assert found.code == 0
    assert found.text.count("Wait 200 ms") == 1
    assert "[1] http-client.md#L13-L16" in found.text
    assert "grounded ✓ tiny rag-v3" in found.text
    answer = filled("library", "ask", RETRY, "--json").json()
    assert (answer["schema_version"], answer["grounded"]) == ("answer.v1", True)
    assert answer["claims"][0]["status"] == "supported"
    explained = filled("library", "ask", "--explain", RETRY).text
    assert "└ http-client.md#L15-L16" in explained
    assert "retrieval trace" in explained


def test_an_answer_that_the_check_does_not_bear_out_is_not_verified(filled: Run, serve: Callable[..., Server]) -> None:
    said = f"{TRUE} Tokyo waits for nine seconds."
    serve(Reply((said,)))
    found = filled("library", "ask", RETRY)
    assert found.code == 1
    assert "Tokyo waits for nine seconds." in found.text
    flat = " ".join(found.text.split())
    assert "Not verified: 1 sentence states a number, a name or a negation without a citation." in flat
    assert "grounded ✗ tiny rag-v3" in found.text
    assert found.text.rstrip().endswith("not verified")
    told = filled("library", "ask", RETRY, "--json")
    answer = told.json()
    assert (told.code, answer["grounded"], answer["refusal_reason"], answer["answer"]) == (1, False, None, said)
    assert [one["status"] for one in answer["claims"]] == ["supported", "uncited"]
    assert filled("library", "ask", RETRY, "--session", "s").code == 1
    assert "not verified" in filled("library", "ask", "sessions", "show", "s").text


def test_on_a_terminal_tokens_are_shown_inert_as_they_come(filled: Run, serve: Callable[..., Server]) -> None:
    serve(Reply(("Wait 200 ms, \x1b]52;c;eA==\x07", "then \u202etwice", " as long [1].")))
    found = filled("library", "ask", RETRY, terminal=True)
    assert found.text.count("Wait 200 ms") == 1 + found.text.count("! [1] Wait 200 ms") + found.text.count("? [1] Wait")
    assert not any(sign in found.text for sign in ("\x1b]", "\x07", "\u202e"))
    serve(Reply(("NOT EN", "OUGH EVIDENCE")))
    refused = filled("library", "ask", RETRY, terminal=True)
    assert refused.code == 1
    assert "NOT EN" not in refused.text
    assert "Not enough evidence" in refused.text


class Screen:
    """What stands on a terminal of 80 columns when a program has written to it."""

    def __init__(self, written: str) -> None:
        self.lines, self.row, self.column = [""], 0, 0
        for sign in re.findall(r"\x1b\[[0-9]*[A-Za-z]|.|\n", written):
            if sign == "\n":
                self.row, self.column = self.row + 1, 0
            elif sign == "\r":
                self.column = 0
            elif sign.startswith("\x1b[") and sign.endswith("A"):
                self.row -= int(sign[2:-1])
            elif sign == "\x1b[J":
                self.lines[self.row :] = [self.lines[self.row][: self.column]]
            elif not sign.startswith("\x1b"):
                self.put(sign, width(sign))

    def put(self, sign: str, cells: int) -> None:
        if self.column + cells > 80:
            self.row, self.column = self.row + 1, 0
        self.lines += [""] * (self.row + 1 - len(self.lines))
        self.lines[self.row] += sign
        self.column += cells


@pytest.mark.parametrize("thought", ["hm, 300 ms", "길게 생각한다 " * 30 + "\n\n" + "x" * 80, "a" * 160 + "\nb"])
def test_what_proves_to_be_thought_is_wiped_off_the_terminal(
    filled: Run, serve: Callable[..., Server], thought: str
) -> None:
    serve(Reply((thought[:5], thought[5:], "</think>\n\n", TRUE)))
    shown = Screen(filled("library", "ask", RETRY, terminal=True).text).lines
    assert shown[:3] == ["", TRUE, ""]
    assert not any(thought[:5] in line for line in shown)
    assert thought[:5] not in filled("library", "ask", RETRY).text, "into a pipe it is never written"
    serve(Reply(("x\n" * 40, "</think>", TRUE)))
    long = filled("library", "ask", RETRY, terminal=True).text
    assert f"(Reasoning removed.)\n\n{TRUE}\n" in long, "what has scrolled off cannot be wiped"
    serve(Reply((thought, "</think>")))
    nothing = filled("library", "ask", RETRY, terminal=True)
    assert nothing.code == 1
    assert not any(thought[:5] in line for line in Screen(nothing.text).lines)


@pytest.mark.parametrize("said", ["Wait **200 ms** [1].", "- Wait `200 ms` [1].\n- Then twice as long [1]."])
def test_markdown_of_an_answer_is_drawn_once_it_is_whole(
    filled: Run, serve: Callable[..., Server], monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    serve(Reply((said[:9], said[9:])))
    written = filled("library", "ask", RETRY, terminal=True).text
    assert said[:9] in written, "it was shown as it came"
    shown = Screen(written).lines
    assert shown[0] == "" and shown[1] != ""
    assert not any("**" in line or "`" in line for line in shown[: shown.index("") + 4])
    assert sum("200 ms" in line for line in shown[:3]) == 1
    monkeypatch.setenv("NO_COLOR", "1")
    plain = Screen(filled("library", "ask", RETRY, terminal=True).text).lines
    assert plain[1] == said.split("\n", maxsplit=1)[0]
    assert said.split("\n", maxsplit=1)[0] in filled("library", "ask", RETRY).text


def test_what_goes_on_is_told_on_stderr_until_the_model_speaks(filled: Run, serve: Callable[..., Server]) -> None:
    serve(Reply(('{"queries": ["retries"]}',)), Reply(('{"kind": "stop"}',)), Reply((TRUE, "\n")))
    found = filled("library", "ask", RETRY, "--multi-hop", terminal=True)
    told = ["searching for evidence…", "step 1: 1 searches", "step 2: 0 searches", "waiting for tiny…"]
    assert [found.said.find(one) for one in told] == sorted(found.said.find(one) for one in told)
    assert found.said.find(told[0]) > 0
    assert found.said.endswith("\r\x1b[K"), "nothing of it is left"
    assert found.said.count("\x1b[K") == 6, "the answer's line is left alone"
    serve(Reply(status=404, error="model 'tiny' not found"))
    assert "\r\x1b[Kcasebook: " in filled("library", "ask", RETRY, terminal=True).said
    serve()
    assert filled("library", "ask", RETRY).said == ""


def test_a_refusal_exits_1_and_a_fault_2(filled: Run, serve: Callable[..., Server]) -> None:
    server = serve()
    refused = filled("library", "ask", "How much coffee does the release manager drink on a Friday?")
    assert refused.code == 1
    assert "Nearest passages (all below the threshold 0.30)" in refused.text
    stranger = filled("library", "ask", "--explain", "Who may send release notes to the Zanzibar office?")
    assert stranger.code == 1
    assert "gate: no passage covers enough of the question" in stranger.text
    assert server.requests == []
    serve(Reply(status=404, error="model 'tiny' not found"))
    missing = filled("library", "ask", RETRY, "--json")
    assert (missing.code, missing.fault()["code"]) == (2, "model_not_pulled")
    assert missing.text == "", "JSON has the fault alone"
    unanswered = filled("library", "ask", RETRY)
    assert unanswered.code == 2
    assert unanswered.text.startswith("The LLM did not answer. Passages found:\n· "), "what was found is worth reading"
    assert filled("library", "ask", " ").code == 2


def test_what_was_found_without_a_model_does_not_go_on_in_the_line_of_the_progress(
    filled: Run, serve: Callable[..., Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    from cli.main import main

    serve(Reply(status=404, error="model 'tiny' not found"))
    screen = io.BytesIO()
    out, err = (Terminal(screen, encoding="utf-8", write_through=True) for _ in range(2))
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        assert main(("library", "ask", RETRY)) == 2
    written = screen.getvalue().decode()
    assert "waiting for tiny" in written
    assert "\r\x1b[KThe LLM did not answer. Passages found:" in written


def test_sessions_are_listed_shown_and_deleted(filled: Run, serve: Callable[..., Server]) -> None:
    serve()
    assert "No sessions." in filled("library", "ask", "sessions", "list").text
    assert filled("library", "ask", RETRY, "--session", "release").code == 0
    assert "release  1 turn" in filled("library", "ask", "sessions", "list").text
    assert filled("library", "ask", "sessions", "show", "release", "--json").json()["turns"][0]["question"] == RETRY
    assert TRUE in filled("library", "ask", "sessions", "show", "release").text
    assert filled("library", "ask", "sessions", "delete", "release", "--json").json()["turns"] == 1
    for act in ("show", "delete"):
        lost = filled("library", "ask", "sessions", act, "release", "--json")
        assert (lost.code, lost.out, lost.fault()["code"]) == (1, b"", "not_indexed")
    assert filled("library", "ask", "sessions", "delete").code == 2


def test_an_answer_that_cannot_be_kept_is_given_and_said(
    filled: Run, serve: Callable[..., Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    from core.base.fault import Fault
    from core.flows.ask import api

    def full(*_: object) -> None:
        raise Fault("io_error", "the disk is full")

    serve()
    monkeypatch.setattr(api, "keep", full)
    found = filled("library", "ask", RETRY)
    assert found.code == 0
    assert "not saved: the disk is full" in found.said


def test_ctrl_c_keeps_what_came(filled: Run, serve: Callable[..., Server], home: Path) -> None:
    server = serve(Reply(("Wait 200 ms", " more"), hang_after=1))

    def interrupt() -> None:
        assert server.asked.wait(120)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    found = filled("library", "ask", RETRY, "--session", "s", "--json")
    assert found.code == 130
    assert found.json()["refusal_reason"] == "llm_stream_aborted"
    assert server.gone.wait(120)
    shown = filled("library", "ask", "sessions", "show", "s", "--json").json()
    assert shown["turns"][0]["refusal_reason"] == "llm_stream_aborted"


def test_a_source_that_has_changed_since_it_was_read_is_told(
    run: Run, monkeypatch: pytest.MonkeyPatch, serve: Callable[..., Server], tmp_path: Path
) -> None:
    monkeypatch.setenv("CASEBOOK_EMBEDDING_MODEL", "all-mpnet-base-v2")
    monkeypatch.setenv("CASEBOOK_MODELS_LLM_MODEL", "tiny")
    (tmp_path / "notes").mkdir()
    for path in sample_notes().glob("*.md"):
        (tmp_path / "notes" / path.name).write_bytes(path.read_bytes())
    assert run("library", "ingest", str(tmp_path / "notes")).code == 0
    serve(*[Reply((TRUE,))] * 4)
    assert "changed" not in run("library", "ask", RETRY).text
    with (tmp_path / "notes" / "http-client.md").open("a") as note:
        note.write("\nNothing of that holds any more.\n")
    found = run("library", "ask", RETRY)
    assert found.code == 0
    assert "[1] http-client.md#L13-L16\nchanged since it was indexed\n" in found.text
    assert (
        "! [1] http-client.md: changed since it was indexed\n  to index the changes, run: casebook library ingest"
        in found.text
    )
    assert "some files have changed since" in found.text
    assert "! [1] http-client.md: changed since" in run("library", "ask", RETRY, "--explain").text
    answer = run("library", "ask", RETRY, "--json").json()
    assert [one["since_read"] for one in answer["citations"]] == ["changed"]
    assert answer["citations"][0]["citation"]["stale"] is False, "that tells how long ago it was read"


def test_without_a_library_no_model_is_named_and_the_next_step_is(run: Run) -> None:
    done = run("library", "ask", RETRY)
    assert (done.code, done.text.strip()) == (1, "The library is empty. Run: casebook library ingest FOLDER")
