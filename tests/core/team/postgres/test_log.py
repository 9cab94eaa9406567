"""The log of a team on a real server: numbers without a gap, hashes, texts that go, and who may do what."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from core.base.fault import Fault
from core.team.postgres import log, schema
from core.team.postgres.log import LESSON, WITHDRAWAL, BrokenLog, Draft, Position
from core.team.postgres.server import connected, faults
from tests.postgres import Server

PROJECT = "github.com/acme/shop"
START = Position()
T1, T2, T3 = (f"2026-11-0{day}T09:00:00.000Z" for day in (1, 2, 3))


def draft(lesson: str, line: str = "{}", time: str = T1, kind: str = LESSON, project: str = PROJECT) -> Draft:
    return Draft(str(uuid.uuid4()), kind, project, lesson, time, line)


@pytest.fixture
def team(postgres: Server) -> Iterator[str]:
    yield postgres.team()


def test_events_are_numbered_in_order_and_carry_who_wrote_them(
    postgres: Server, team: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mina, joon = postgres.login(schema.role_name(team, "member")), postgres.login(schema.role_name(team, "member"))
    sent = [draft("a", '{"id":"a","text":"안녕 \\u0000"}'), draft("b"), draft("c")]
    with connected(postgres.address(mina)) as con:
        log.append(con, team, "laptop", sent[:2])
    with connected(postgres.address(joon)) as con:
        log.append(con, team, "desk", [*sent[1:], sent[0]])  # two of them are there
        events = log.pull(con, team, Position())
        assert [(one.seq, one.id, one.actor, one.machine) for one in events] == [
            (1, sent[0].id, mina, "laptop"), (2, sent[1].id, mina, "laptop"), (3, sent[2].id, joon, "desk"),
        ]  # fmt: skip
        assert [(one.kind, one.project, one.lesson, one.time, one.line) for one in events] == [one[1:] for one in sent]
        assert log.after(events) == log.head(con, team)
        assert log.pull(con, team, log.after(events[:2])) == events[2:]
        assert [*log.read_all(con, team)] == events
        monkeypatch.setattr(log, "PAGE_BYTES", len(sent[0].line.encode()))
        assert [log.pull(con, team, Position()), log.pull(con, team, log.after(events[:1]))] == [events[:1], events[1:]]
        assert [*log.read_all(con, team)] == events


def test_many_writers_leave_no_gap(postgres: Server, team: str) -> None:
    """Each sends batches at once with the others; a writer that fails in between takes no number with it."""
    address = postgres.member(team)
    ready = threading.Barrier(4)

    def send(at: int) -> None:
        with connected(address) as con:
            ready.wait(300)
            for batch in range(5):
                with pytest.raises(psycopg.Error), con.transaction():
                    log.append(con, team, str(at), [draft("x")])
                    con.execute("SELECT 1 / 0")
                log.append(con, team, str(at), [draft(f"l{batch}") for _ in range(3)])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(send, range(4)))
    with connected(address) as con:
        assert [one.seq for one in log.read_all(con, team)] == [*range(1, 61)]


def test_a_withdrawal_deletes_the_text_and_the_row_stays(postgres: Server, team: str) -> None:
    secret = '{"text":"withdrawn later"}'
    late = draft("a", '{"text":"withdrawn later, sent late"}', T1)
    again = draft("a", '{"text":"shared again"}', T3)
    with connected(postgres.member(team)) as con:
        log.append(con, team, "m", [draft("a", secret), draft("b", '{"text":"other"}'), draft("a", secret, T1)])
        log.append(con, team, "m", [draft("a", secret, project="github.com/acme/other")])
        log.append(con, team, "m", [draft("a", '{"withdrawn":1}', T2, WITHDRAWAL), late, again])
        events = [*log.read_all(con, team)]
    assert [one.line for one in events] == [
        None, '{"text":"other"}', None, secret, '{"withdrawn":1}', None, '{"text":"shared again"}',
    ]  # fmt: skip
    assert "sent late" not in str(postgres.sql("SELECT * FROM casebook.team_payload"))


def test_a_gap_a_rewritten_row_and_a_changed_text_are_seen(postgres: Server, team: str) -> None:
    address = postgres.member(team)
    with connected(address) as con:
        log.append(con, team, "m", [draft(name, f'{{"id":"{name}"}}') for name in "abcd"])
        events = log.pull(con, team, Position())
    with pytest.raises(BrokenLog, match="event 2 is missing"):
        log.check_chain(team, Position(), [events[0], *events[2:]])

    def refused(change: str, back: str, position: Position = START) -> str:
        _meddle(postgres, change)
        with pytest.raises(BrokenLog) as found, connected(address) as con:
            log.check_position(con, team, position)
            list(log.read_all(con, team))
        _meddle(postgres, back)
        assert found.value.hint.endswith("casebook team sync --again")
        return found.value.message

    row = f"UPDATE casebook.team_event SET %s WHERE team = '{team}' AND seq = 2"
    assert "event 2" in refused(row % "lesson = 'z'", row % "lesson = 'b'")
    assert "event 2" in refused(row % "actor = 'mallory'", row % f"actor = '{events[1].actor}'")
    assert "event 2 was rewritten" in refused(
        row % "hash = '\\x00'", row % f"hash = '\\x{events[1].hash.hex()}'", log.after(events[:2])
    )
    text = f"UPDATE casebook.team_payload SET body = '%s' WHERE team = '{team}' AND body = '%s'"
    assert "text of event 1" in refused(text % ("{}", '{"id":"a"}'), text % ('{"id":"a"}', "{}"))
    ahead = Position(9, b"x", 1)
    assert "ends at event 4, but this casebook has read event 9" in refused("SELECT 1", "SELECT 1", ahead)
    end = f"UPDATE casebook.team_head SET seq = %d WHERE team = '{team}'"
    assert "ends at 4 of 5" in refused(end % 5, end % 4)
    with connected(address) as con:
        assert [*log.read_all(con, team)] == events


def _meddle(postgres: Server, statement: str) -> None:
    """A change that only an administrator of the server can make."""
    with psycopg.connect(postgres.admin) as con:
        con.execute("ALTER TABLE casebook.team_event DISABLE TRIGGER ALL")
        con.execute(statement.encode())
        con.execute("ALTER TABLE casebook.team_event ENABLE TRIGGER ALL")


def test_the_epoch_rises_only_where_events_were_lost(postgres: Server, team: str) -> None:
    with connected(postgres.member(team)) as con:
        log.append(con, team, "m", [draft("a")])
        end = log.head(con, team)
        log.raise_epoch(con, team, end)
        log.raise_epoch(con, team, Position())
        assert log.head(con, team).epoch == 1
        log.raise_epoch(con, team, Position(7, b"lost", 1))
        assert log.head(con, team).epoch == 2
        assert log.check_position(con, team, end).epoch == 2
        log.append(con, team, "m", [draft("b")])
        assert [one.epoch for one in log.read_all(con, team)] == [1, 2]


def test_another_team_and_a_stranger_see_nothing(postgres: Server, team: str) -> None:
    other = postgres.team()
    with connected(postgres.member(team)) as con:
        log.append(con, team, "m", [draft("a", '{"text":"ours"}')])
    theirs = postgres.member(other)
    with connected(theirs) as con:
        assert [row[0] for row in con.execute("SELECT team FROM casebook.team_head")] == [other]
        assert con.execute("SELECT count(*) FROM casebook.team_event").fetchone() == (0,)
        assert con.execute("SELECT count(*) FROM casebook.team_payload").fetchone() == (0,)
        assert schema.membership(con).team == other
    for address in (theirs, postgres.address(postgres.login())):
        with pytest.raises(Fault, match="not a member"), connected(address) as con, faults(address, team):
            log.append(con, team, "m", [draft("b")])
        with pytest.raises(Fault, match="is not a member of team"), connected(address) as con:
            schema.membership(con, team)


def test_a_reader_reads_and_nobody_writes_past_the_functions(postgres: Server, team: str) -> None:
    reader, member, owner = (
        postgres.address(postgres.login(schema.role_name(team, role))) for role in ("reader", "member", "owner")
    )
    with connected(owner) as con:
        assert schema.membership(con).role == "owner"
        log.append(con, team, "m", [draft("a")])
    with connected(reader) as con:
        held = schema.membership(con)
        assert (held.role, held.can_share) == ("reader", False)
        assert len(log.pull(con, team, Position())) == 1
    with pytest.raises(Fault, match="not a member"), connected(reader) as con:
        log.append(con, team, "m", [draft("b")])
    for statement in (
        "INSERT INTO casebook.team_payload VALUES ('x', '', '')",
        "UPDATE casebook.team_head SET seq = 9",
        "DELETE FROM casebook.team_event",
    ):
        with pytest.raises(Fault, match="permission denied"), connected(member) as con:
            con.execute(statement.encode())
    with pytest.raises(psycopg.Error, match="only grows"):
        postgres.sql("DELETE FROM casebook.team_event")


def test_a_member_is_shut_out_and_what_they_wrote_stays_signed(postgres: Server, team: str) -> None:
    login = postgres.login(schema.role_name(team, "member"))
    with connected(postgres.address(login)) as con:
        log.append(con, team, "m", [draft("a")])
    postgres.sql(f"REVOKE {schema.role_name(team, 'member')} FROM {login}")
    with pytest.raises(Fault) as found, connected(postgres.address(login)) as con:
        schema.membership(con, team)
    assert "is not a member" in found.value.message
    assert f"GRANT {schema.role_name(team, 'member')} TO {login}" in found.value.hint
    assert "team leave" not in found.value.hint
    with pytest.raises(Fault) as found, connected(postgres.address(login)) as con:
        schema.membership(con, team, joined=True)
    assert "casebook team leave" in found.value.hint
    with connected(postgres.member(team)) as con:
        assert [one.actor for one in log.read_all(con, team)] == [login]


def test_several_owners_make_a_team_at_once(postgres: Server) -> None:
    """Each finds the tables and the team made, whoever was first; a second call changes nothing."""
    name = "several"
    postgres.teams.append(name)
    ready = threading.Barrier(3)

    def make(_: int) -> schema.Membership:
        with connected(postgres.admin) as con:
            ready.wait(300)
            return schema.create_team(con, name)

    with ThreadPoolExecutor(3) as pool:
        assert {(one.team, one.role) for one in pool.map(make, range(3))} == {(name, "owner")}
    assert postgres.sql("SELECT count(*) FROM casebook.team_head WHERE team = %s", name) == [(1,)]


def test_an_owner_without_superuser_rights_makes_a_team_and_adds_members(postgres: Server) -> None:
    """On a server that others run, the owner of a database may make roles and tables, and is no superuser."""
    database, name = f"casebook_owned_{postgres.team()}", f"o{postgres.team()}"
    postgres.teams.append(name)
    owner, mina = postgres.login(), postgres.login()
    postgres.sql(f"ALTER ROLE {owner} CREATEROLE")
    postgres.sql(f"CREATE DATABASE {database} OWNER {owner}")
    try:
        with connected(postgres.address(owner, dbname=database)) as con:
            assert schema.create_team(con, name).role == "owner"
            con.execute(f"GRANT casebook_{name}_member TO {mina}".encode())
        with connected(postgres.address(mina, dbname=database)) as con:
            log.append(con, name, "m", [draft("a")])
            assert [one.actor for one in log.read_all(con, name)] == [mina]
        with connected(postgres.address(owner, dbname=database)) as con:
            assert len([*log.read_all(con, name)]) == 1
            con.execute(f"REVOKE casebook_{name}_member FROM {mina}".encode())
        with pytest.raises(Fault, match="is not a member"), connected(postgres.address(mina, dbname=database)) as con:
            schema.membership(con, name)
    finally:
        postgres.sql(f"DROP DATABASE {database} WITH (FORCE)")


def test_a_name_whose_roles_belong_to_another_database_is_refused(postgres: Server, team: str) -> None:
    database = f"casebook_second_{team}"
    postgres.sql(f"CREATE DATABASE {database}")
    try:
        address = postgres.address("", dbname=database)
        with pytest.raises(Fault, match="another database"), connected(address) as con:
            schema.create_team(con, team)
        with pytest.raises(Fault, match="this database has no team"), connected(address) as con:
            schema.membership(con)
    finally:
        postgres.sql(f"DROP DATABASE {database} WITH (FORCE)")


def test_a_database_that_cannot_hold_every_text_is_refused(postgres: Server, team: str) -> None:
    database = f"casebook_latin_{team}"
    postgres.sql(f"CREATE DATABASE {database} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    try:
        with pytest.raises(Fault, match="LATIN1"), connected(postgres.address("", dbname=database)) as con:
            schema.create_team(con, team)
    finally:
        postgres.sql(f"DROP DATABASE {database} WITH (FORCE)")


def test_a_later_server_is_read_and_an_older_one_is_named(
    postgres: Server, team: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with connected(postgres.member(team)) as con:
        monkeypatch.setattr(schema, "VERSION", schema.VERSION - 1)
        held = schema.membership(con, team)
        assert (held.newer, held.can_share) == (True, False)
        monkeypatch.setattr(schema, "VERSION", 99)
        with pytest.raises(Fault) as found:
            schema.membership(con, team)
    assert "casebook team init" in found.value.hint
