"""What a team's server finds: by fingerprint, key, words and meaning, in one team, and never what was withdrawn."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from core.base.fault import Fault
from core.base.wire import canonical
from core.team.postgres import cases, log, schema
from core.team.postgres.cases import Found, Meaning, Question, mark_of
from core.team.postgres.log import WITHDRAWAL, Draft
from core.team.postgres.server import connected, faults
from tests.core.team.postgres.test_log import PROJECT, T1, T2, T3, draft
from tests.postgres import Server

Con = psycopg.Connection[Any]
EMBEDDER = "test-model@1 error/1+test"
DIM = 8


def lesson(id_: str, error: str, *, text: str = "", time: str = T1, project: str = PROJECT) -> Draft:
    named = [{"fingerprint": error, "line": error, "tool": "python"}]
    said = {"id": id_, "shared": time, "errors": named, "key": error.lower(), "text": text or f"what helps: {id_}"}
    return draft(id_, canonical(said), time, project=project)


@pytest.fixture
def team(postgres: Server) -> str:
    return postgres.team()


WAYS = pytest.mark.parametrize("vectors", [False, True], ids=["words", "vectors"])
"""With what needs no pgvector, then with pgvector."""


@pytest.fixture
def con(postgres: Server, team: str) -> Iterator[Con]:
    with connected(postgres.member(team)) as found:
        yield found


def by_mark(con: Con, team: str, *names: str) -> list[str]:
    return sorted(one.lesson for one in cases.find(con, team, Question(tuple(map(mark_of, names)))))


def by_words(con: Con, team: str, text: str) -> list[str]:
    return [one.lesson for one in cases.find(con, team, Question((), text))]


def by_vector(con: Con, team: str, vector: Sequence[float]) -> list[Found]:
    return cases.find(con, team, Question((), meaning=Meaning(EMBEDDER, vector)))


def test_words_of_ascii_text_are_those_of_any_text(postgres: Server, team: str) -> None:
    del team  # it makes the functions
    texts = [f"a{chr(one)}{chr(other)}b c{chr(other)}1" for one in range(1, 128) for other in range(1, 128, 3)]
    texts += ["", "https://user@x.example/a-b_c.py?d=1 -e 2.5e-3", "TypeError: x.y() " * 200]
    any_text = "ts_delete(casebook.words_of(t || ' é'), 'é')"
    differ = f"SELECT t FROM unnest(%s::text[]) t WHERE casebook.words_of(t) <> {any_text}"
    assert postgres.sql(differ, texts) == []


def test_what_is_appended_is_found_by_fingerprint_key_and_words(con: Con, team: str) -> None:
    sent = [
        lesson("a", "KeyError: 'sku'", text="load prices first"),
        lesson("b", "모듈을 찾을 수 없습니다: 결제", text="npm ci"),
        draft("c", "no JSON"),
        draft("d", '{"id":"d","text":"nul \\u0000 inside","errors":[{"line":"OSError: disk","fingerprint":"f"}]}'),
    ]
    log.append(con, team, "m", sent)
    assert by_mark(con, team, "KeyError: 'sku'") == ["a"]
    assert by_mark(con, team, "key keyerror: 'sku'") == ["a"]
    assert by_mark(con, team, "unknown", "f") == ["d"]
    assert by_words(con, team, "keyerror SKU") == ["a"]
    assert by_words(con, team, "keyerror other") == []
    assert by_words(con, team, "prices") == ["a"]
    assert by_words(con, team, "모듈이 없습니다") == ["b"], "another particle"
    assert by_words(con, team, "결제") == ["b"]
    assert by_words(con, team, "'); DROP TABLE x; -- & | !") == []
    (found,) = cases.find(con, team, Question((mark_of("KeyError: 'sku'"),), "keyerror"))
    assert (found.how, found.project, found.lines) == ("mark", PROJECT, (sent[0].line,))
    assert con.execute("SELECT count(*) FROM casebook.team_case").fetchone() == (3,), "no row of what is no lesson"


def test_the_error_counts_more_than_the_fix_and_each_lesson_is_found_once(con: Con, team: str) -> None:
    versions = [lesson("fix", "Error: one", text=f"pnpm {at}", time=T2) for at in range(2)]
    log.append(con, team, "m", [*versions, lesson("error", "Error: pnpm")])
    found = cases.find(con, team, Question((), "pnpm"))
    assert [one.lesson for one in found] == ["error", "fix"]
    assert {*found[1].lines} == {one.line for one in versions}, "each version that may count"


@WAYS
def test_what_was_withdrawn_is_in_no_table(postgres: Server, con: Con, team: str, vectors: bool) -> None:
    """Also where the text comes after its withdrawal, or in the same transaction."""
    log.append(con, team, "m", [lesson("a", "Error: gone"), lesson("b", "Error: stays")])
    if vectors:
        postgres.need_vectors()
        assert cases.make_vectors(con, team, EMBEDDER, DIM) == ""
        (batch,) = cases.unread_lines(con, team, EMBEDDER)
        cases.put_vectors(con, team, EMBEDDER, [(payload, _vector(at)) for at, (payload, _) in enumerate(batch)])
        assert len(by_vector(con, team, _vector(0))) == 2
    late = [lesson("a", "Error: gone too"), lesson("c", "Error: gone as well", time=T2)]
    log.append(con, team, "m", [draft("a", "{}", T2, WITHDRAWAL), late[1], draft("c", "{}", T3, WITHDRAWAL), late[0]])
    assert by_words(con, team, "gone") == by_mark(con, team, "Error: gone") == []
    assert [one.lesson for one in by_vector(con, team, _vector(0))] == (["b"] if vectors else [])
    held = [
        (name, row)
        for name in _tables(postgres)
        for row in postgres.sql(f"SELECT * FROM casebook.{name} WHERE team = %s", team)
    ]
    assert any("stays" in str(row) for _, row in held)
    assert not [name for name, row in held if "gone" in str(row)]
    assert not vectors or _count(con, "team_vector") == 1


@WAYS
def test_another_team_sees_no_row_and_is_answered_nothing(postgres: Server, con: Con, team: str, vectors: bool) -> None:
    log.append(con, team, "m", [lesson("a", "Error: ours")])
    if vectors:
        postgres.need_vectors()
        _embed(con, team)
    other = postgres.team()
    mark, asked = mark_of("Error: ours"), Question((), "ours")
    with connected(postgres.member(other)) as theirs:
        assert _count(theirs, "team_case") == 0
        assert not vectors or _count(theirs, "team_vector") == 0
        assert cases.find(theirs, other, Question((mark,), "ours", Meaning(EMBEDDER, _vector(0)))) == []
        for question in (Question((mark,)), asked, Question((), meaning=Meaning(EMBEDDER, _vector(0)))):
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="not a reader"):
                cases.find(theirs, team, question)
        for call in (
            lambda: cases.put_vectors(theirs, team, EMBEDDER, []),
            lambda: theirs.execute("SELECT casebook.make_vectors(%s, %s, %s)", (team, EMBEDDER, DIM)),
            lambda: [*cases.index_events(theirs, team, 1)],
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="not a member"):
                call()
    reader = postgres.address(postgres.login(schema.role_name(team, "reader")))
    with connected(reader) as read:
        assert by_words(read, team, "ours") == ["a"]
        assert [one.lesson for one in by_vector(read, team, _vector(0))] == (["a"] if vectors else [])
    for statement in ("DELETE FROM casebook.team_case", "SELECT casebook.index_event('', '', '', '')"):
        with pytest.raises(Fault, match="permission denied"), connected(reader) as read:
            read.execute(statement.encode())
    stranger = postgres.address(postgres.login())
    with pytest.raises(Fault, match="not a member"), connected(stranger) as read, faults(stranger, team):
        cases.find(read, team, asked)


def test_an_index_of_an_older_log_is_filled_and_continues(
    postgres: Server, con: Con, team: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.append(con, team, "m", [lesson(f"l{at}", f"Error: {at}") for at in range(7)])
    log.append(con, team, "m", [draft("l3", "{}", T2, WITHDRAWAL)])
    postgres.sql("DELETE FROM casebook.team_case WHERE team = %s", team)
    monkeypatch.setattr(cases, "STRETCH", 2)
    end = log.head(con, team).seq
    steps = cases.index_events(con, team, end)
    assert next(steps) == (2, 2)
    steps.close()
    assert [*cases.index_events(con, team, end)] == [(2, 0), (4, 1), (6, 2), (8, 1)]
    assert sum(added for _, added in cases.index_events(con, team, end)) == 0
    assert by_mark(con, team, *(f"Error: {at}" for at in range(8))) == ["l0", "l1", "l2", "l4", "l5", "l6"]


def test_the_nearest_come_first_and_embedders_are_apart(postgres: Server, con: Con, team: str) -> None:
    postgres.need_vectors()
    log.append(con, team, "m", [lesson(f"l{at}", f"Error: {at}") for at in range(4)])
    _embed(con, team)
    assert cases.without_vector(con, team, EMBEDDER) == 0
    assert cases.make_vectors(con, team, "other", DIM) == ""
    assert cases.without_vector(con, team, "other") == 4
    rows = con.execute("SELECT lesson, vector::text FROM casebook.team_vector JOIN casebook.team_case USING (payload)")
    stored = {str(name): [float(one) for one in text.strip("[]").split(",")] for name, text in rows}
    found = by_vector(con, team, stored["l2"])
    assert (found[0].lesson, len(found)) == ("l2", 4)
    assert found[0].score == pytest.approx(1, abs=0.01)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert cases.find(con, team, Question((), meaning=Meaning("other", stored["l2"]))) == []


def test_without_the_extension_words_answer_and_it_is_said_why(postgres: Server) -> None:
    """In a database where nobody installed it, by a login that may not; and on a server that does not have it."""
    missing = "the server has no pgvector"
    with plain_database(postgres) as (database, team):
        login = postgres.login(schema.role_name(team, "member"))
        with connected(postgres.address(login, dbname=database)) as con:
            log.append(con, team, "m", [lesson("a", "Error: plain")])
            why = cases.make_vectors(con, team, EMBEDDER, DIM)
            assert ("CREATE EXTENSION vector" if postgres.has_vectors() else missing) in why
            found = cases.find(con, team, Question((), "plain", Meaning(EMBEDDER, _vector(0))))
            assert [(one.how, one.lesson) for one in found] == [("words", "a")]
        with connected(postgres.address("", dbname=database)) as con:
            if con.info.server_version >= 180_000:
                con.execute("SET extension_control_path = '/nowhere'")  # as where it was never installed
                assert cases.make_vectors(con, team, EMBEDDER, DIM) == missing


@contextmanager
def plain_database(postgres: Server) -> Iterator[tuple[str, str]]:
    """A database with a team and without extensions: their names."""
    database, team = f"casebook_plain_{postgres.team()}", f"p{postgres.team()}"
    postgres.teams.append(team)
    postgres.sql(f"CREATE DATABASE {database}")
    try:
        with connected(postgres.address("", dbname=database)) as con:
            schema.create_team(con, team)
        yield database, team
    finally:
        postgres.sql(f"DROP DATABASE {database} WITH (FORCE)")


def _embed(con: Con, team: str) -> None:
    assert cases.make_vectors(con, team, EMBEDDER, DIM) == ""
    for batch in cases.unread_lines(con, team, EMBEDDER):
        cases.put_vectors(con, team, EMBEDDER, [(payload, _vector(payload[0])) for payload, _ in batch])


def _vector(seed: int) -> list[float]:
    chance = random.Random(seed)
    found = [chance.gauss(0, 1) for _ in range(DIM)]
    size = sum(one * one for one in found) ** 0.5
    return [one / size for one in found]


def _tables(postgres: Server) -> list[str]:
    columns = "information_schema.columns WHERE table_schema = 'casebook' AND column_name = 'team'"
    return [str(row[0]) for row in postgres.sql(f"SELECT table_name FROM {columns}")]


def _count(con: Con, table: str) -> int:
    row = con.execute(f"SELECT count(*) FROM casebook.{table}".encode()).fetchone()
    assert row is not None
    return row[0]
