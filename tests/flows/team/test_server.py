"""Colleagues who share through a server: what one verifies answers for the other, and each failure has one line."""

from __future__ import annotations

import io
import os
import re
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

import psycopg
import pytest

from cli.program import run as run_program
from core.errors.curation.decisions import edit, verify
from core.errors.curation.transaction import SeenVersion, Written, look
from core.flows.team.collect import replaced_fixes
from core.flows.team.export import PlannedLessons, plan_lessons
from core.flows.team.sync.mark import is_marked, mark_of
from core.flows.team.sync.setup import leave_team
from core.store import open_store
from core.team.postgres.schema import role_name
from tests.flows.team.conftest import Person
from tests.postgres import Server

People = Callable[..., list["Member"]]
KNOWN = "ModuleNotFoundError: No module named 'yaml'"
OTHER = "error TS2304: Cannot find name 'describe'."


class Member(Person):
    """A person whose commands run in this process: they are many, and starting Python is most of the time of one."""

    def run(self, *args: str, stdin: str = "", code: int | None = 0) -> str:
        out, err = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch:
            for name in os.environ.keys() - self.environ.keys():
                patch.delenv(name)
            for name, value in self.environ.items():
                patch.setenv(name, value)
            patch.chdir(self.tree)
            patch.setattr(sys, "stdin", io.StringIO(stdin))
            with redirect_stdout(out), redirect_stderr(err):
                found = run_program([*args])
        assert code is None or found == code, (args, found, out.getvalue(), err.getvalue())
        return out.getvalue() or err.getvalue()


@pytest.fixture
def members(people: Callable[..., list[Person]]) -> People:
    """People who share one bare repository."""
    return lambda *names: [Member(one.home, one.tree) for one in people(*names)]


@pytest.fixture
def team(postgres: Server) -> str:
    return postgres.team()


def joined(postgres: Server, team: str, *members: Member) -> None:
    for one in members:
        one.run("team", "join", postgres.member(team), "--yes")


def search(person: Person, error: str, code: int | None = 0) -> Any:
    return person.json("errors", "search", error, code=code)


def case_of(person: Person, error: str) -> str:
    return str(search(person, error)["match"]["id"])


def shared(person: Person) -> dict[str, str]:
    """The folded log."""
    with open_store(person.database) as store:
        return {str(row[0]): str(row[1]) for row in store.con.execute("SELECT lesson, line FROM team_lesson")}


def test_what_one_verifies_answers_for_the_other(postgres: Server, team: str, members: People) -> None:
    mina, joon = members("mina", "joon")
    mina.fix(KNOWN, "pip install pyyaml", check="pytest -q")
    url = postgres.member(team)
    assert "Joined" in mina.run("team", "join", url, "--yes", "--machine", "laptop")
    assert mina.json("team", "preview", "--server", code=1)["projects"][0]["unchanged"] == 1
    report = joon.json("team", "join", postgres.member(team), "--yes")
    assert report["projects"] == ["github.com/acme/shop"]
    found = search(joon, KNOWN)["match"]
    assert (found["origin"], found["status"], found["confidence"]) == ("team", "verified", "high")
    assert found["lesson"]["check"] == "pytest -q"
    assert search(mina, KNOWN)["match"]["origin"] == "here"
    login = re.search(r"user=(\w+)", url)
    assert login is not None
    assert f"{login[1]} (laptop)" in joon.run("undo", "--list")
    assert shared(mina) == shared(joon) != {}
    for one in (mina, joon):
        again = one.json("team", "sync")
        assert (again["sent"], again["received"], again["waiting"], again["kept"]) == (0, 0, 0, [])
    status = mina.json("team", "status", "--verify")
    assert (status["seq"], status["server_seq"], status["verified"], status["fault"]) == (1, 1, 1, "")


def test_an_edit_travels_and_the_later_one_answers(
    postgres: Server, team: str, members: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    mina, joon = members("mina", "joon")
    mina.fix(KNOWN, "pip install pyyaml")
    joined(postgres, team, mina, joon)
    real = time.time_ns
    with monkeypatch.context() as clock:
        clock.setattr("time.time_ns", lambda: real() + 10**17)
        joon.run("errors", "edit", case_of(joon, KNOWN), "--resolution", "**Run** `uv add pyyaml`", "--verify")
        assert joon.json("team", "sync")["sent"] == 1
    mina.run("team", "sync")
    assert "uv add" in search(mina, KNOWN)["match"]["resolution"]
    assert mina.json("team", "status")["replaced"] == [int(case_of(mina, KNOWN))]
    assert joon.json("team", "status")["replaced"] == []
    assert "replaced 1 fix of yours" in mina.run("team", "status")
    with open_store(mina.database, write=True) as store:
        (one,) = replaced_fixes(store.con)
        assert one.base is not None and one.theirs is not None
        verify(store, "mina", [SeenVersion(one.case_id, one.theirs.id, one.theirs.fingerprint)], pick=one.base.id)
    for who in (mina, joon):
        who.run("team", "sync")
        assert "pip install" in search(who, KNOWN)["match"]["resolution"], "who was overruled kept the first version"
    assert mina.json("team", "status")["replaced"] == []
    assert joon.json("team", "status")["replaced"] == [int(case_of(joon, KNOWN))]
    assert len(shared(mina)) == 1
    assert shared(mina) == shared(joon)
    joon.run("errors", "edit", case_of(joon, KNOWN), "--resolution", "**Run** `apt install`", "--verify")
    joon.run("team", "sync")
    mina.run("team", "sync")
    mina.run("errors", "edit", case_of(mina, KNOWN), "--resolution", "**Run** `newest`", "--verify")
    assert mina.json("team", "sync")["sent"] == 1, "an edit is later than what it edits, whatever the clock said"
    joon.run("team", "sync")
    for one in (mina, joon):
        assert "newest" in search(one, KNOWN)["match"]["resolution"], "also over several edits that were made here"
    joon.run("errors", "edit", case_of(joon, KNOWN), "--resolution", "**Run** `later`", "--verify")
    joon.run("team", "sync")
    mina.run("errors", "reject", case_of(mina, KNOWN), "--reason", "no")
    assert mina.json("team", "sync")["sent"] == 0, "what was rejected is not what the team has meanwhile"
    joon.run("team", "sync")
    for one in (mina, joon):
        assert "later" in search(one, KNOWN)["match"]["resolution"]


def test_the_later_of_two_versions_answers_after_several_edits(postgres: Server, team: str, members: People) -> None:
    """What a colleague sent meanwhile is older than the second edit, and later than the first."""
    mina, joon = members("mina", "joon")
    mina.fix(KNOWN, "pip install pyyaml")
    joined(postgres, team, mina, joon)
    for who, text in ((joon, "First."), (mina, "Second."), (joon, "Third.")):
        who.run("errors", "edit", case_of(who, KNOWN), "--resolution", text, "--verify")
        if text != "Third.":
            who.run("team", "sync")
        if text == "First.":
            mina.run("team", "sync")
    for who in (joon, mina):
        who.run("team", "sync")
        assert search(who, KNOWN)["match"]["resolution"] == "Third."
        assert len(shared(who)) == 1


def test_the_later_of_two_offline_edits_answers_whoever_shares_first(
    postgres: Server, team: str, members: People
) -> None:
    mina, joon = members("mina", "joon")
    mina.fix(KNOWN, "pip install pyyaml")
    joined(postgres, team, mina, joon)
    for who, text in ((joon, "Earlier."), (mina, "Later.")):
        who.run("errors", "edit", case_of(who, KNOWN), "--resolution", text, "--verify")
    for who in (joon, mina, joon):
        who.run("team", "sync")
    for who in (joon, mina):
        assert search(who, KNOWN)["match"]["resolution"] == "Later."
    assert (mina.json("team", "status")["replaced"], shared(mina)) == ([], shared(joon))
    assert joon.json("team", "status")["replaced"] == [int(case_of(joon, KNOWN))]


def test_offline_decisions_wait_and_are_sent_once(
    postgres: Server, team: str, members: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    mina, joon = members("mina", "joon")
    joined(postgres, team, mina, joon)
    with open_store(mina.database, write=True) as store, store.transaction() as con:
        address = con.execute("SELECT address FROM team_server").fetchone()
        con.execute("UPDATE team_server SET address = 'host=/nowhere dbname=acme'")
    mina.fix(KNOWN, "pip install pyyaml")
    refused = mina.run("team", "sync", code=2)
    assert "cannot be reached" in refused
    status = mina.json("team", "status", code=1)
    assert (status["state"], status["server_seq"]) == (f"team {team}, not in sync", None)
    with open_store(mina.database, write=True) as store, store.transaction() as con:
        con.execute("UPDATE team_server SET address = ?", address)
    assert mina.json("team", "sync")["sent"] == 1
    assert mina.json("team", "sync")["sent"] == 0
    assert joon.json("team", "sync")["added"] == 1


def test_a_withdrawn_lesson_is_deleted_everywhere(postgres: Server, team: str, members: People) -> None:
    mina, joon = members("mina", "joon")
    mina.fix(KNOWN, "pip install pyyaml", because="the image lacks libyaml")
    joined(postgres, team, mina, joon)
    (lesson,) = shared(joon)
    assert joon.json("team", "sync", "--withdraw", lesson[:6])["sent"] == 1
    search(joon, KNOWN, code=1)
    assert mina.json("team", "sync")["left_out"][0]["id"] == lesson
    assert "libyaml" not in str(shared(mina)) + str(shared(joon))
    rows = postgres.sql("SELECT body FROM casebook.team_payload WHERE team = %s", team)
    assert len(rows) == 1
    assert "withdrawn" in rows[0][0]
    with open_store(mina.database) as store:
        assert "libyaml" not in str(store.con.execute("SELECT line FROM team_outbox").fetchall())
    assert mina.json("team", "sync", "--restore", lesson)["sent"] == 1
    joon.run("team", "sync")
    assert search(joon, KNOWN)["match"]["origin"] == "team"


def test_an_undone_decision_is_withdrawn_and_its_redo_shared(postgres: Server, team: str, members: People) -> None:
    mina, joon = members("mina", "joon")
    joined(postgres, team, mina, joon)
    mina.fix(KNOWN, "pip install pyyaml")
    mina.run("team", "sync")
    joon.run("team", "sync")
    search(joon, KNOWN)
    mina.run("errors", "reject", case_of(mina, KNOWN))
    assert mina.json("team", "sync")["sent"] == 1
    joon.run("team", "sync")
    search(joon, KNOWN, code=1)
    mina.run("undo")
    assert mina.json("team", "sync")["sent"] == 1
    joon.run("team", "sync")
    assert search(joon, KNOWN)["match"]["origin"] == "team"


def test_a_rejection_in_a_repository_that_is_not_shared_stays_here(
    postgres: Server, team: str, members: People
) -> None:
    mina, joon = members("mina", "joon")
    mina.fix(KNOWN, "pip install pyyaml")
    joined(postgres, team, mina, joon)
    with open_store(joon.database, write=True) as store, store.transaction() as con:
        con.execute("DELETE FROM team_project")
    joon.run("errors", "reject", case_of(joon, KNOWN))
    assert joon.json("team", "sync")["sent"] == 0
    search(joon, KNOWN, code=1)
    assert search(mina, KNOWN)["match"] is not None


def test_a_lesson_of_a_colleague_is_shared_again_whole(postgres: Server, team: str, members: People) -> None:
    mina, joon = members("mina", "joon")
    mina.fix(KNOWN, "pip install pyyaml", check="pytest -q")
    joined(postgres, team, mina, joon)
    ((lesson, line),) = shared(joon).items()
    assert "no verified fix" in joon.run("team", "sync", "--restore", lesson, code=2), "it is not withdrawn"
    assert joon.json("team", "sync")["sent"] == 0
    mina.run("team", "sync", "--withdraw", lesson)
    (left,) = mina.json("team", "sync")["left_out"]
    assert "casebook team sync --restore" in left["reason"]
    joon.run("team", "sync")
    joon.run("undo")
    assert joon.json("team", "sync", "--restore", lesson)["sent"] == 1
    mina.run("team", "sync")
    assert shared(mina)[lesson].partition('"shared"')[0] == line.partition('"shared"')[0]


def test_nothing_waits_for_the_next_team_if_one_is_left_during_a_sync(
    postgres: Server, team: str, members: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    (mina,) = members("mina")
    joined(postgres, team, mina)
    mina.fix(KNOWN, "pip install pyyaml")

    def plan(*args: Any, **more: Any) -> PlannedLessons:
        with open_store(mina.database, write=True) as other:
            leave_team(other)
        return plan_lessons(*args, **more)

    with monkeypatch.context() as patch:
        patch.setattr("core.flows.team.sync.sharing.plan_lessons", plan)
        assert "has not joined a team" in mina.run("team", "sync", code=2)
    with open_store(mina.database) as store:
        assert store.con.execute("SELECT count(*) FROM team_outbox").fetchall() == [(0,)]


def test_only_the_chosen_repositories_leave(postgres: Server, team: str, members: People) -> None:
    (mina,) = members("mina")
    mina.fix(KNOWN, "pip install pyyaml")
    mina.fix(OTHER, "npm i -D @types/jest", repository="github.com/acme/secret", session="elsewhere")
    joined(postgres, team, mina)
    assert "jest" not in str(postgres.sql("SELECT body FROM casebook.team_payload WHERE team = %s", team))
    assert len(shared(mina)) == 1


def test_a_person_confirms_what_leaves_first(postgres: Server, team: str, members: People) -> None:
    (mina,) = members("mina")
    mina.fix(KNOWN, "pip install pyyaml")
    assert "pass --yes" in mina.run("team", "join", postgres.member(team), code=2)
    assert "has not joined a team" in mina.run("team", "status", code=2)
    assert postgres.sql("SELECT seq FROM casebook.team_head WHERE team = %s", team) == [(0,)]


def test_a_repository_that_only_a_home_folder_names_is_not_shared(postgres: Server, team: str, members: People) -> None:
    (mina,) = members("mina")
    mina.git("remote", "remove", "origin")
    assert "git remote add" in mina.run("team", "join", postgres.member(team), "--yes", code=2)


def test_a_casebook_that_was_copied_is_synced_in_the_background(postgres: Server, team: str, members: People) -> None:
    (mina,) = members("mina")
    joined(postgres, team, mina)
    for command in (["errors", "search", OTHER], ["team", "status"]):
        mark_of(mina.database).unlink()
        mina.run(*command, code=None)
        assert is_marked(mina.database)


def test_a_member_who_is_shut_out_is_told_and_can_leave(postgres: Server, team: str, members: People) -> None:
    (mina,) = members("mina")
    login = postgres.login(role_name(team, "member"))
    mina.run("team", "join", postgres.address(login), "--yes")
    postgres.sql(f"REVOKE {role_name(team, 'member')} FROM {login}")
    mina.fix(KNOWN, "pip install pyyaml")
    for command in ("sync", "status"):
        said = mina.run("team", command, code=2 if command == "sync" else 1)
        assert f"{login} is not a member of team {team}" in said
        assert "casebook team leave" in said
    postgres.sql(f"ALTER ROLE {login} NOLOGIN")
    assert "refuses the connection" in mina.run("team", "sync", code=2)
    assert "Left team" in mina.run("team", "leave")
    assert search(mina, KNOWN)["match"] is not None
    with open_store(mina.database) as store:
        for table in ("team_server", "team_project", "team_lesson", "team_outbox"):
            assert store.con.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


def test_a_reader_receives_and_sends_nothing(postgres: Server, team: str, members: People) -> None:
    mina, joon = members("mina", "joon")
    mina.fix(KNOWN, "pip install pyyaml")
    joon.fix(OTHER, "npm i -D @types/jest")
    joined(postgres, team, mina)
    joon.run("team", "join", postgres.address(postgres.login(role_name(team, "reader"))))
    report = joon.json("team", "sync")
    assert (report["sent"], "reader" in report["note"]) == (0, True)
    assert search(joon, KNOWN)["match"]["origin"] == "team"
    assert postgres.sql("SELECT seq FROM casebook.team_head WHERE team = %s", team) == [(1,)]


def test_a_password_is_refused_and_stored_nowhere(postgres: Server, team: str, members: People) -> None:
    (mina,) = members("mina")
    for command in ("init", "join"):
        said = mina.run("team", command, f"postgresql://mina:hunter2hunter2@localhost/{team}", code=2)
        assert "~/.pgpass" in said
        assert "hunter2hunter2" not in said
    for path in mina.home.rglob("*"):
        assert not path.is_file() or b"hunter2hunter2" not in path.read_bytes()


def test_an_owner_makes_a_team_in_one_command(postgres: Server, members: People) -> None:
    (mina,) = members("mina")
    name = "made_by_command"
    postgres.teams.append(name)
    address = postgres.address(owner := postgres.login())
    postgres.sql(f"ALTER ROLE {owner} SUPERUSER")
    for _ in range(2):
        found = mina.json("team", "init", address, "--team", name)
        assert (found["team"], found["grant"]) == (name, f"casebook_{name}_member")
    assert "not the name of a team" in mina.run("team", "init", address, "--team", "Not One", code=2)


def restore(postgres: Server, team: str, seq: int) -> None:
    """Put the server back to where its log ended at `seq`, as a backup does."""
    with psycopg.connect(postgres.admin) as con:
        con.execute("ALTER TABLE casebook.team_event DISABLE TRIGGER ALL")
        con.execute("DELETE FROM casebook.team_event WHERE team = %s AND seq > %s", (team, seq))
        con.execute(
            "DELETE FROM casebook.team_payload p WHERE team = %s AND NOT EXISTS"
            " (SELECT FROM casebook.team_event e WHERE e.team = p.team AND e.payload = p.hash)", (team,),
        )  # fmt: skip
        con.execute(
            "UPDATE casebook.team_head h SET seq = e.seq, hash = e.hash, epoch = e.epoch FROM casebook.team_event e"
            " WHERE h.team = %s AND e.team = h.team AND e.seq = %s", (team, seq),
        )  # fmt: skip
        con.execute("ALTER TABLE casebook.team_event ENABLE TRIGGER ALL")


def test_a_restored_server_is_refused_then_healed(postgres: Server, team: str, members: People) -> None:
    """The first who notices heals it by a command; the others then heal by themselves, and nothing is lost."""
    mina, joon, ana, sora = members("mina", "joon", "ana", "sora")
    joined(postgres, team, mina, joon, ana)
    sora.run("team", "join", postgres.address(postgres.login(role_name(team, "reader"))))
    mina.fix(KNOWN, "pip install pyyaml")
    mina.run("team", "sync")
    ana.run("team", "sync")  # ana is behind the loss, and has sent nothing
    joon.fix(OTHER, "npm i -D @types/jest")
    joon.run("team", "sync")
    mina.run("team", "sync")
    sora.run("team", "sync")
    restore(postgres, team, 1)
    for command in ("sync", "status"):
        said = mina.run("team", command, code=2 if command == "sync" else 1)
        assert "restored from a backup" in said
        assert "casebook team sync --again" in said
    assert mina.json("team", "sync", "--again")["healed"]
    assert mina.json("team", "status")["fault"] == ""
    report = joon.json("team", "sync")
    assert (report["healed"], report["sent"]) == (True, 1)
    assert sora.json("team", "sync")["healed"], "who may not write reads again"
    mina.run("team", "sync")
    restore(postgres, team, 1)  # the same backup again: it has the epoch before the first restore
    assert mina.json("team", "sync", "--again")["healed"]
    assert joon.json("team", "sync")["healed"]
    for one in (mina, joon, ana):
        one.run("team", "sync")
    assert shared(mina) == shared(joon) == shared(ana)
    assert len(shared(ana)) == 2
    assert search(ana, OTHER)["match"]["origin"] == "team"
    assert ana.json("team", "status", "--verify")["verified"] == 2


def test_a_log_with_a_gap_is_refused(postgres: Server, team: str, members: People) -> None:
    mina, joon = members("mina", "joon")
    mina.fix(KNOWN, "pip install pyyaml")
    mina.fix(OTHER, "npm i -D @types/jest")
    joined(postgres, team, mina)
    with psycopg.connect(postgres.admin) as con:
        con.execute("ALTER TABLE casebook.team_event DISABLE TRIGGER ALL")
        con.execute("DELETE FROM casebook.team_event WHERE team = %s AND seq = 1", (team,))
        con.execute("ALTER TABLE casebook.team_event ENABLE TRIGGER ALL")
    said = joon.run("team", "join", postgres.member(team), "--yes", code=2)
    assert "event 1 is missing" in said
    assert shared(joon) == {}


def test_an_older_casebook_reads_on_and_says_so(
    postgres: Server, team: str, members: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    mina, joon = members("mina", "joon")
    mina.fix(KNOWN, "pip install pyyaml")
    joined(postgres, team, mina, joon)
    monkeypatch.setattr("core.team.postgres.schema.VERSION", 0)
    joon.fix(OTHER, "npm i -D @types/jest")
    report = joon.json("team", "sync")
    assert report["sent"] == 0
    assert "newer version of casebook" in report["note"]
    assert search(joon, KNOWN)["match"]["origin"] == "team"


def test_who_edits_what_a_colleague_changes_meanwhile_is_asked(postgres: Server, team: str, members: People) -> None:
    """The fix that came from the team changes in its place: what was decided on the old text is a conflict."""
    mina, joon = members("mina", "joon")
    mina.fix(KNOWN, "pip install pyyaml")
    joined(postgres, team, mina, joon)
    case_id = int(case_of(joon, KNOWN))
    with open_store(joon.database) as store:
        seen = look(store.con, case_id)
    mina.run("errors", "edit", case_of(mina, KNOWN), "--resolution", "**Run** `uv add pyyaml`", "--verify")
    mina.run("team", "sync")
    joon.run("team", "sync")
    with open_store(joon.database, write=True) as store:
        (conflict,) = edit(store, "joon", [seen], Written("**Run** `apt install python3-yaml`")).conflicts
        assert conflict.reason == "changed"
        assert conflict.base is not None and "pip install" in conflict.base.text
        assert conflict.theirs is not None and "uv add" in conflict.theirs.text
        assert edit(store, "joon", [look(store.con, case_id)], Written("Use the image.")).conflicts == ()


def test_a_rejection_and_its_undo_are_shared(postgres: Server, team: str, members: People) -> None:
    """A fix that one rejects answers for nobody, whoever wrote it; without personal texts in the reason."""
    mina, joon, ana = members("mina", "joon", "ana")
    mina.fix(KNOWN, "pip install pyyaml")
    joined(postgres, team, mina, joon, ana)
    case = case_of(joon, KNOWN)
    joon.run("errors", "reject", case, "--reason", "it breaks the image, ask joon@example.com")
    (project,) = joon.json("team", "preview", "--server")["projects"]
    (leaving,) = project["lessons"]
    assert (leaving["act"], leaving["changed"]) == ("change", ["rejected"])
    assert leaving["fields"]["rejected"] == "it breaks the image, ask <email>"
    assert joon.json("team", "sync")["sent"] == 1
    assert joon.json("team", "sync")["sent"] == 0
    for one in (mina, ana):
        one.run("team", "sync")
        search(one, KNOWN, code=1)
        assert one.json("team", "sync")["sent"] == 0, "the rejection of another withdraws nothing"
    assert shared(mina) == shared(joon) == shared(ana)
    assert "pip install" in str(shared(ana))
    changed = next(one for one in ana.json("undo", "--list")["changes"] if "team lessons" in one["title"])
    ana.run("undo", "--change", str(changed["change"]))
    assert ana.json("team", "sync")["sent"] == 1, "an undo of a shared decision is a decision"
    for one in (joon, mina):
        one.run("team", "sync")
        assert "pip install" in search(one, KNOWN)["match"]["resolution"]
    assert shared(mina) == shared(joon) == shared(ana)
