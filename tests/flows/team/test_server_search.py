"""What a team's server knows answers where nothing here does: marked, by the same rules, and never waited for long."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.base.trace import Step
from core.embedding.models.catalogue import CATALOGUE, MINILM
from core.embedding.runtime.query_model import ModelAtHand, VectorSearch
from core.errors import search
from core.errors.retrieval.answer import SearchAnswer
from core.errors.retrieval.embed_text import embed_text
from core.flows.hook import server as host
from core.flows.hook.dispatch import RULES_OFF, handle
from core.flows.team.ask_server import with_team
from core.flows.team.sync import server_search
from core.flows.team.sync.indexing import index_team
from core.flows.team.sync.mark import is_marked, is_quiet, note_contact
from core.flows.team.sync.mark import mark_of as mark_file
from core.flows.team.sync.replica import require_replica
from core.flows.team.sync.server_search import ServerSearch
from core.flows.team.sync.setup import join_team
from core.store import Store, open_store
from core.team.postgres import cases, log
from core.team.postgres.cases import Question, mark_of
from core.team.postgres.log import LESSON, Draft
from core.team.postgres.schema import Membership
from core.team.postgres.server import connected
from tests.core.embedding.exact_embedder import ExactEmbedder, at_distance, unit
from tests.flows.team.conftest import ROOT, Person
from tests.postgres import Server

People = Callable[..., list[Person]]
KNOWN = "ModuleNotFoundError: No module named 'yaml'"
GENERAL = "error TS2304: Cannot find name 'describe'."
SECRETS = [json.loads(line) for line in (ROOT / "tests/data/secrets.jsonl").read_text("utf-8").splitlines()]
PATIENT_S = 60.0
"""Far more than a server on this machine takes; what is tested to be quick is tested by what it does not wait for."""


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine that does much else is no reason for no answer."""
    monkeypatch.setattr(server_search, "WAIT_S", PATIENT_S)
    monkeypatch.setattr(ServerSearch.ask, "__defaults__", (PATIENT_S,))
    server_search.server_search.cache_clear()
    yield
    server_search.server_search.cache_clear()


@pytest.fixture
def pair(postgres: Server, people: People) -> list[Person]:
    """Two in one team, who are in step before anything is shared."""
    found, team = people("mina", "joon"), postgres.team()
    for one in found:
        one.run("team", "join", postgres.member(team), "--yes")
    return found


def asked(person: Person, error: str, code: int = 0) -> Any:
    return person.json("errors", "search", error, code=code)


def step_of(answer: Any) -> Any:
    return next(step for step in answer["trace"] if step["stage"] == "team")


def test_a_lesson_that_is_not_held_answers_and_is_held_from_then_on(pair: list[Person]) -> None:
    mina, joon = pair
    mina.fix(KNOWN, "pip install pyyaml", check="pytest -q")
    mina.run("team", "sync")
    found = asked(joon, KNOWN)
    match = found["match"]
    assert (match["origin"], match["status"], match["tier"], match["confidence"]) == (
        "team", "verified", "fingerprint", "high",
    )  # fmt: skip
    assert step_of(found)["outcome"] == "hit"
    assert "pytest -q" in joon.run("errors", "show", str(match["id"]))
    again = asked(joon, KNOWN)
    assert again["match"]["id"] == match["id"]
    assert not [step for step in again["trace"] if step["stage"] == "team"], "it is held: nobody is asked"
    lesson = mina.json("team", "status")["lessons"][0]
    mina.run("team", "sync", "--withdraw", lesson)
    joon.run("team", "sync")
    assert asked(joon, KNOWN, code=1)["match"] is None


def test_text_output_shows_what_is_known_here_first(pair: list[Person]) -> None:
    mina, joon = pair
    mina.fix(KNOWN, "pip install pyyaml")
    mina.run("team", "sync")
    shown = joon.run("errors", "search", KNOWN)
    assert shown.index("No known fix.") < shown.index("Known: the same error.")
    assert "pip install pyyaml" in shown


def test_words_find_lessons_that_are_no_answer(pair: list[Person]) -> None:
    mina, joon = pair
    mina.fix(KNOWN, "pip install pyyaml")
    mina.run("team", "sync")
    found = asked(joon, "yaml module", code=1)
    (candidate,) = found["candidates"]
    assert (candidate["id"], candidate["origin"], candidate["accepted"]) == (0, "team", False)
    assert candidate["key_line"] == KNOWN
    assert "pip install pyyaml" in candidate["resolution"]
    with open_store(joon.database) as store:
        assert store.con.execute("SELECT count(*) FROM team_lesson").fetchone() == (0,), "it is only shown"
    assert "team  text" in joon.run("errors", "search", "yaml module", code=1)


def test_a_lesson_of_another_repository_does_not_answer_here_unless_it_holds_everywhere(
    pair: list[Person], tmp_path: Path
) -> None:
    mina, joon = pair
    mina.fix(KNOWN, "pip install pyyaml")
    mina.fix(GENERAL, "npm i -D @types/jest", scope="general")
    mina.run("team", "sync")
    other = tmp_path / "other"
    other.mkdir()
    elsewhere = Person(joon.home, other)
    found = asked(elsewhere, KNOWN, code=1)
    assert found["match"] is None
    assert [(one["resolution"], one["accepted"]) for one in found["candidates"]] == [(None, False)]
    assert asked(elsewhere, GENERAL)["match"]["origin"] == "team"


def test_a_hook_of_the_host_answers_by_the_rules_for_answers(pair: list[Person]) -> None:
    mina, joon = pair
    mina.fix(KNOWN, "pip install pyyaml")
    mina.run("team", "sync")
    said = {
        "hook_event_name": "PostToolUse", "session_id": "s1", "cwd": str(joon.tree), "tool_name": "Bash",
        "tool_input": {"command": "python app.py 2>&1 | tail -5"},
        "tool_response": {"stdout": "", "stderr": f"Traceback (most recent call last):\n{KNOWN}", "exit_code": 1},
    }  # fmt: skip
    around, _ = host._around({"model": "none", "service": "0", "rules": RULES_OFF})
    data = json.dumps(said).encode()
    assert handle(data, joon.database, replace(around, team=False)).reply is None
    handled = handle(data, joon.database, around)
    assert handled.fault == ""
    reply = json.dumps(handled.reply)
    assert "a manually verified fix" in reply
    assert "pip install pyyaml" in reply
    with open_store(joon.database) as store:
        row = store.con.execute("SELECT via, author FROM answer_outcome JOIN resolution r ON r.id = resolution_id")
        assert row.fetchall() == [("hook", "team")], "it is followed like any answer"


def test_without_a_team_nothing_is_asked_or_loaded(people: People) -> None:
    (mina,) = people("mina")
    mina.fix(GENERAL, "npm i -D @types/jest")
    script = (
        "import sys; from cli.program import run; run(['errors', 'search', 'KeyError: none']);"
        "print([name for name in sys.modules if name.startswith(('psycopg', 'core.team'))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=mina.environ, cwd=mina.tree, check=True,
        timeout=120,
    )  # fmt: skip
    assert done.stdout.splitlines()[-1] == "[]"


@contextmanager
def silent_server() -> Iterator[tuple[str, list[socket.socket]]]:
    """A server that accepts and says nothing: its address, and who came."""
    came: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def accept() -> None:
            while True:
                try:
                    came.append(listening.accept()[0])
                except OSError:
                    return

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield f"postgresql://mina@127.0.0.1:{listening.getsockname()[1]}/acme?sslmode=disable", came
        for one in came:
            one.close()
        listening.shutdown(socket.SHUT_RDWR)
    thread.join(60)


def test_a_server_that_accepts_and_hangs_is_given_up_and_left_alone() -> None:
    question = Question((mark_of("x"),))
    with silent_server() as (address, came):
        server = ServerSearch(address, "acme")
        began = time.monotonic()
        assert server.ask(question, 0.3) == "no answer within 300 ms"
        assert "did not respond recently" in str(server.ask(question, PATIENT_S)), "it is not waited for again"
        assert time.monotonic() - began < PATIENT_S
        assert len(came) <= 1


def test_a_server_that_hangs_later_is_given_up_and_asked_again_after_a_while(
    postgres: Server,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The connection was good: a table that somebody locked keeps the question waiting."""
    import psycopg

    team, question = postgres.team(), Question((mark_of("x"),))
    server = ServerSearch(postgres.member(team), team)
    assert server.ask(question, PATIENT_S) == []
    with psycopg.connect(postgres.admin) as con:
        con.execute("LOCK casebook.team_case")
        assert "within" in str(server.ask(question, 0.3))
    assert "did not respond recently" in str(server.ask(question, PATIENT_S))
    monkeypatch.setattr(server, "_quiet_until", 0.0)
    until = time.monotonic() + PATIENT_S
    while isinstance(found := server.ask(question, PATIENT_S), str) and time.monotonic() < until:
        monkeypatch.setattr(server, "_quiet_until", 0.0)
        time.sleep(0.05)
    assert found == []


def test_lessons_of_odd_shapes_and_with_secrets_of_another_client_do_no_harm(
    postgres: Server, pair: list[Person]
) -> None:
    """A client of another make may send what ours never would."""
    _, joon = pair
    key = "AKIA" + "J3XQ7ZLMN2PWRTVB"
    do = {"kind": "command", "text": f"use {key}"}
    said: dict[str, dict[str, object]] = {
        "a": {"errors": 5, "error": "OddError: number", "text": ["odd"], "tags": 7},
        "b": {"errors": [5, {"line": "OddError: list", "fingerprint": "OddError: list"}], "do": do},
        "c": {
            "errors": [{"line": "OddError: list", "fingerprint": "OddError: list", "tool": 3}],
            "key": {},
            "text": {},
        },
    }
    with open_store(joon.database) as store:
        replica = require_replica(store)
    with connected(replica.address) as con:
        for id_, fields in said.items():
            line = json.dumps({"id": id_, "shared": "2026-11-01T09:00:00.000Z", "scope": "general", **fields})
            one = Draft(str(uuid.uuid4()), LESSON, "github.com/acme/odd", id_, "2026-11-01T09:00:00.000Z", line)
            log.append(con, replica.team, "m", [one])
    for error in ("OddError: number", "OddError: list", "odd"):
        shown = joon.run("errors", "search", error, code=None)
        assert "Traceback" not in shown
        assert key not in shown
    assert asked(joon, "OddError: list")["match"]["origin"] == "team"


def test_what_is_known_here_never_asks_and_a_silent_server_takes_nothing_away(
    people: People,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (mina,) = people("mina")
    mina.fix(GENERAL, "npm i -D @types/jest")
    monkeypatch.setattr(ServerSearch.ask, "__defaults__", (0.3,))
    with silent_server() as (address, came):
        with open_store(mina.database, write=True) as store, store.transaction() as con:
            con.execute(
                "INSERT INTO team_server(one, address, team, login, role, machine)"
                " VALUES (1, ?, 'acme', 'mina', 'member', 'laptop')",
                (address,),
            )
        with open_store(mina.database, write=True) as store:
            assert asked_here(store, GENERAL).match is not None
            assert not came
            alone = search(store, "describe name", count=False, words=True)
            found = asked_here(store, "describe name")
            assert found.candidates == alone.candidates
            assert (found.trace[-1].stage, found.trace[-1].outcome) == ("team", "timeout")


def test_a_server_that_failed_costs_no_other_process_a_wait(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    (mina,) = people("mina")
    mark = mark_file(mina.database)
    monkeypatch.setattr(ServerSearch.ask, "__defaults__", (0.3,))

    def outcome() -> str:
        server_search.server_search.cache_clear()  # as in a process of its own
        with open_store(mina.database, write=True) as store:
            return asked_here(store, "OddError: unknown").trace[-1].outcome

    with silent_server() as (address, came):
        with open_store(mina.database, write=True, create=True) as store:
            join_team(store, address, Membership("acme", "member", "mina"), [])
        assert outcome() == "timeout"
        asked_once = len(came)
        assert [outcome(), outcome()] == ["skipped", "skipped"]
        assert len(came) <= max(asked_once, 1)
        wait = float(mark.read_text().split()[1])
        mark.write_text(f"{time.time() - 1} {wait}")  # that time is over
        assert outcome() == "timeout"
        assert float(mark.read_text().split()[1]) == 2 * wait
        note_contact(mina.database, answered=True)  # a sync got through
        assert not is_quiet(mina.database)
        assert outcome() == "timeout"
        assert is_marked(mina.database)


def asked_here(store: Store, text: str) -> SearchAnswer:
    look: Callable[[Store], SearchAnswer] = lambda held: search(held, text, count=False, words=True)  # noqa: E731
    return with_team(store, look(store), look)


def test_the_index_is_built_in_steps_and_says_why_meaning_is_off(
    postgres: Server, pair: list[Person], monkeypatch: pytest.MonkeyPatch
) -> None:
    postgres.need_vectors()
    mina, joon = pair
    mina.fix(KNOWN, "pip install pyyaml")
    mina.fix(GENERAL, "npm i -D @types/jest", scope="general")
    mina.run("team", "sync")
    team = mina.json("team", "status")["team"]
    postgres.sql("DELETE FROM casebook.team_case WHERE team = %s", team)
    found = mina.json("team", "index")
    assert (found["events"], found["lessons"], found["vectors"]) == (2, 2, 0)
    assert "search by meaning is disabled" in found["note"]
    monkeypatch.setattr(cases, "BATCH", 1)
    query = "ImportError: yaml is missing"
    near = {
        embed_text(KNOWN): (unit(1),),
        embed_text(query): (at_distance(0.3),),
        embed_text(GENERAL): (unit(0, 0, 1),),
    }
    model = CATALOGUE[MINILM]
    embedder = ExactEmbedder(near, name=model.id, recipe=model.recipe)
    embedder.version = model.version
    vectors = VectorSearch(lambda: ModelAtHand(model, lambda: embedder))
    seen: list[str] = []
    with open_store(mina.database) as store:
        stopped = index_team(store, vectors, progress=lambda one: seen.append(one.kind), stop=lambda: len(seen) > 1)
        assert (stopped.canceled, stopped.vectors) == (True, 1)
        rest = index_team(store, vectors)
        assert (rest.canceled, rest.vectors, rest.note) == (False, 1, "")
        assert index_team(store, vectors).vectors == 0
    with open_store(joon.database, write=True) as store:
        answer = search(store, query, count=False)
        asked = Step("vector", "miss", "no similar case")  # as where the vectors here were asked
        found = with_team(store, replace(answer, trace=(*answer.trace, asked)), lambda _: answer, vectors=vectors)
    (candidate,) = found.candidates
    assert (candidate.tier, candidate.origin, candidate.accepted, candidate.key_line) == (
        "vector",
        "team",
        False,
        KNOWN,
    )
    assert candidate.score == pytest.approx(0.955, abs=0.01)


def test_what_is_not_held_is_asked_and_the_rest_is_here(pair: list[Person], postgres: Server, tmp_path: Path) -> None:
    mina, joon = pair
    api = tmp_path / "api"
    api.mkdir()
    subprocess.run(["git", "init", "-q", str(api)], check=True, timeout=60)
    there = Person(joon.home, api)
    shown = joon.json("team", "hold")
    assert (shown["everything"], shown["projects"]) == (True, [])
    with open_store(joon.database, write=True) as store, store.transaction() as con:
        con.execute("DELETE FROM team_project")  # joon works on other repositories
    joon.run("team", "hold", "--tool", "NPM")
    mina.fix(KNOWN, "pip install pyyaml")
    mina.fix(GENERAL, "npm i -D @types/jest", when={"tool": "npm"}, scope="general")
    mina.run("team", "sync")
    assert joon.json("team", "sync")["added"] == 1
    held = asked(there, GENERAL)
    assert held["match"]["origin"] == "team"
    assert not [step for step in held["trace"] if step["stage"] == "team"]
    assert step_of(asked(there, KNOWN, code=1))["outcome"] == "miss", "of another repository"
    assert "Held: every lesson of the team" in joon.run("team", "hold", "--everything")
    assert asked(joon, KNOWN)["match"]["origin"] == "team"


def test_no_secret_is_in_any_table_of_the_server(postgres: Server, pair: list[Person]) -> None:
    """Each secret of the corpus in the error, the fix and the rest of a lesson; then every row there is."""
    mina, _ = pair
    for number, row in enumerate(SECRETS):
        text = row["text"]
        more = {"said": f"Error: it failed\n{text}", "because": text, "check": text, "dead_ends": (text,)}
        mina.fix(f"Error: step{number} failed", f"deploy\n{text}\n", **more)
    mina.run("team", "sync")
    team = mina.json("team", "status")["team"]
    tables = postgres.sql(
        "SELECT table_name FROM information_schema.columns WHERE table_schema = 'casebook' AND column_name = 'team'"
    )
    assert ("team_case",) in tables
    rows = [
        str(row)
        for (name,) in tables
        for row in postgres.sql(f"SELECT t::text FROM casebook.{name} t WHERE team = %s", team)
    ]
    assert postgres.sql("SELECT count(*) FROM casebook.team_case WHERE team = %s", team)[0][0] > len(SECRETS) // 2
    text = "\n".join(rows)
    secrets = [row["secret"] for row in SECRETS if len(row["secret"]) >= 8]
    found = [one for one in secrets if one in text or any(len(part) >= 12 and part in text for part in one.split())]
    assert found == []
