"""Merges of cases that a team shares: one machine merges, the others have one case; an undo parts it everywhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from core.flows.team.sync import replica
from core.store import open_store
from core.team.postgres.log import read_all
from core.team.postgres.server import connected
from tests.flows.team.conftest import Person
from tests.postgres import Server

People = Callable[..., list[Person]]
ONE = "ModuleNotFoundError: No module named 'yaml'"
OTHER = "src/app.ts(3,7): error TS2304: Cannot find name 'describe'."
THIRD = "KeyError: 'name one'"


@pytest.fixture
def team(postgres: Server, people: People) -> tuple[str, list[Person]]:
    """A team of three, each with the lessons of two errors."""
    name = postgres.team()
    members = people("mina", "joon", "ana")
    members[0].fix(ONE, "pip install pyyaml")
    members[0].fix(OTHER, "npm i -D @types/jest")
    for one in members:
        one.run("team", "join", postgres.member(name), "--machine", "laptop", "--yes")
    return name, members


def case_of(person: Person, error: str) -> int:
    """The case that answers an error."""
    return int(person.json("errors", "search", error)["match"]["id"])


def merge(person: Person, into: str, other: str) -> None:
    person.run("errors", "merge", str(case_of(person, into)), str(case_of(person, other)))


def sync(*people: Person) -> None:
    for one in people:
        one.run("team", "sync")


def are_one(people: Sequence[Person]) -> list[bool]:
    return [case_of(one, ONE) == case_of(one, OTHER) for one in people]


def test_a_merge_and_its_undo_are_shared(team: tuple[str, list[Person]]) -> None:
    _, members = team
    mina, joon, ana = members
    merge(joon, ONE, OTHER)
    (project,) = joon.json("team", "preview", "--server")["projects"]
    (leaving,) = [one for one in project["lessons"] if one["id"].startswith("merge-")]
    assert (leaving["act"], sorted(leaving["fields"])) == ("add", ["into", "other"])
    assert leaving["fields"]["other"]["errors"][0]["line"].endswith("Cannot find name 'describe'.")
    sync(joon, mina, ana)
    assert are_one(members) == [True, True, True]
    shown = [one.json("errors", "show", str(case_of(one, ONE)))["resolution"] for one in (joon, ana)]
    assert shown == ["**Run** `pip install pyyaml`"] * 2, "the fix of the case that was kept"
    (change,) = [one for one in ana.json("undo", "--list")["changes"] if one["title"].startswith("merge")]
    assert "(laptop)" in change["actor"]
    address = mina_address(mina)
    mina.run("team", "leave")
    ana.run("undo", "--change", str(change["change"]))
    assert [one["act"] for one in ana.json("team", "preview", "--server")["projects"][0]["lessons"]] == ["withdraw"]
    sync(ana, joon)
    mina.run("team", "join", address, "--yes")  # a merge of joon, undone meanwhile
    assert are_one(members) == [False, False, False]
    assert [one.json("team", "sync")["sent"] for one in members] == [0, 0, 0]
    merge(mina, OTHER, ONE)
    sync(mina, joon, ana)
    assert are_one(members) == [True, True, True], "merged again, the other way round"


def test_an_undo_leaves_other_merges(team: tuple[str, list[Person]]) -> None:
    """Two merges joined three cases; the undo of one leaves two of them joined, on every machine."""
    _, members = team
    mina, joon, ana = members
    mina.fix(THIRD, "export name=1")
    sync(mina, joon, ana)
    merge(ana, OTHER, THIRD)
    sync(ana, joon)
    merge(joon, ONE, OTHER)
    sync(joon, mina, ana)
    assert [len({case_of(one, error) for error in (ONE, OTHER, THIRD)}) for one in members] == [1, 1, 1]
    change = next(one for one in mina.json("undo", "--list")["changes"] if "'yaml'" in one["title"])
    mina.run("undo", "--change", str(change["change"]))
    sync(mina, joon, ana, mina, joon)
    assert are_one(members) == [False, False, False]
    assert [case_of(one, OTHER) == case_of(one, THIRD) for one in members] == [True, True, True]


def test_an_older_casebook_leaves_merges_out_and_reads_them_once_it_is_updated(
    team: tuple[str, list[Person]], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, (mina, joon, ana) = team
    merge(joon, ONE, OTHER)
    sync(joon)
    with pytest.MonkeyPatch.context() as older:
        older.setattr(replica, "MERGE", "of a later version")
        report = mina.json("team", "sync")
        assert (report["received"], report["unread"]) == (1, 1)
        assert "newer version of casebook" in report["note"]
        assert are_one([mina]) == [False]
        mina.fix(THIRD, "export name=1")
        assert mina.json("team", "sync")["sent"] == 1, "it still shares what it knows"
    with open_store(mina.database, write=True) as store, store.transaction() as con:
        con.execute("DELETE FROM meta WHERE key = 'team_kinds'")  # the older version noted none
    sync(mina, ana)
    assert are_one([mina, ana]) == [True, True]


def test_what_leaves_of_a_merge_is_redacted_and_of_this_repository(team: tuple[str, list[Person]]) -> None:
    name, (mina, joon, _) = team
    foreign = "fatal: unable to access 'https://git.acme.example/': Could not resolve host"
    joon.fix(foreign, "vpn up", repository="github.com/acme/private", session="elsewhere")
    with open_store(joon.database, write=True) as store, store.transaction() as con:
        ((mark,),) = con.execute("SELECT fingerprint FROM fingerprint WHERE key_line LIKE 'fatal%'").fetchall()
        con.execute("DELETE FROM occurrence WHERE fingerprint = ?", (mark,))
        con.execute(
            "INSERT INTO occurrence(fingerprint, session_id, message_idx, project, ts)"
            " VALUES (?, 'elsewhere', 1, '/home/joon/private', '2026-11-01T00:00:00.000Z')",
            (mark,),
        )
        ((case_id,),) = con.execute("SELECT case_id FROM fingerprint WHERE fingerprint = ?", (mark,)).fetchall()
    joon.run("errors", "merge", str(case_of(joon, ONE)), str(case_id))
    sync(joon, mina)
    with connected(mina_address(mina)) as con:
        said = " ".join(f"{one.kind} {one.line}" for one in read_all(con, name))
    assert "merge" not in said, "one of the two errors was never seen in a shared repository"
    assert "git.acme.example" not in said


def mina_address(person: Person) -> str:
    with open_store(person.database) as store:
        return str(store.con.execute("SELECT address FROM team_server").fetchall()[0][0])
