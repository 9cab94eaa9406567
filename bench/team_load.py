"""Very many lessons on a team's server: COPY into its tables writes what `team sync` and `team index` of a member would
write, with the same numbers and hashes. `differing_rows` compares it with lessons that a member did send."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

import psycopg

from bench.embedding.knn import _vectors  # pyright: ignore[reportPrivateUsage]
from bench.table import Row, seconds
from core.base.wire import canonical
from core.errors import identify
from core.team.lessons_file import Record, Stamped, line_of
from core.team.postgres import cases
from core.team.postgres.log import LESSON, Draft, Event, append
from core.team.postgres.server import connected
from tests.postgres import Server

if TYPE_CHECKING:
    from core.team.postgres.server import Session

PROJECTS: Final = 20
DIM: Final = 384
EMBEDDER: Final = "bench"
_TIME: Final = "2026-11-01T00:00:00.000Z"
_WORDS: Final = [
    f"{first}{last}" for first in ("pay", "load", "stock", "ship", "order") for last in ("er", "ing", "able", "s")
]
_SAME: Final = {
    "team_event": "kind, project, lesson, time, payload",
    "team_payload": "hash, body",
    "team_case": "payload, project, lesson, tool, line, marks, words",
    "team_vector": "embedder, payload, vector",
}
"""The columns that depend on the lesson alone."""


def word_of(number: int) -> str:
    """A word of letters alone, a different one for each number."""
    letters = ""
    while number:
        number, rest = divmod(number, 26)
        letters += chr(97 + rest)
    return f"field{letters}"


def error_of(at: int) -> str:
    """The error of a lesson: words that many share, and one that only it has."""
    return f"TypeError: {' '.join(random.Random(at).choices(_WORDS, k=4))} of {word_of(at + 1)} is not a function"


def some_words(chance: random.Random, lessons: int) -> str:
    """What is searched by words: those that many lessons share, or one that only one lesson has."""
    if chance.random() < 0.5:
        return " ".join(chance.sample(_WORDS, 3))
    return f"{word_of(chance.randrange(lessons) + 1)} function"


def draft(number: int, project: str, line: str) -> Draft:
    """A lesson as `team sync` sends it: its own error, with the names that the sender found. The same for the same
    number."""
    found = identify(line)
    return _drafted(number, project, lambda id_: _line(id_, line, found.fingerprint, found.normalized, word_of(number)))


def drafts(lessons: int) -> Iterator[Draft]:
    """What `draft` gives for so many lessons of some projects, without a look at each error: these name no number and
    no path, so that their fingerprint and key are the error itself."""
    model = _line("ID", "ERROR", "ERROR", "ERROR", "WORD")
    for at in range(lessons):
        told = model.replace("ERROR", error_of(at)).replace("WORD", word_of(at + 1))
        yield _drafted(at + 1, project_of(at), lambda id_, told=told: told.replace('"ID"', f'"{id_}"'))


def project_of(at: int) -> str:
    return f"github.com/acme/service{at % PROJECTS}"


def _drafted(number: int, project: str, line: Callable[[str], str]) -> Draft:
    chance = random.Random(number)
    lesson, id_ = f"{chance.getrandbits(64):016x}", str(UUID(int=chance.getrandbits(128)))
    return Draft(id_, LESSON, project, lesson, _TIME, line(lesson))


def _line(id_: str, error: str, mark: str, key: str, word: str) -> str:
    do = f"- a.{word}()\n+ a?.{word}()"
    said = {
        "error": error, "errors": [{"fingerprint": mark, "line": error, "tool": "unknown"}], "key": key,
        "tool": "unknown", "version": "20.1.0", "scope": "project", "check": "npm test",
        "do": {"kind": "hunk", "text": do, "file": f"src/{word}.ts"}, "because": f"{word} may be missing",
        "text": f"**Edit** `src/{word}.ts`\n\n```diff\n{do}\n```\n\n**Check** `npm test`",
    }  # fmt: skip
    return line_of(id_, Record(_TIME, "", {name: Stamped(_TIME, canonical(value)) for name, value in said.items()}))


def load(server: Server, team: str, login: str, lessons: int) -> Iterator[Row]:
    """Lessons and their vectors in an empty team, indexed."""
    with psycopg.connect(server.admin, autocommit=True) as con:
        con.execute("SET session_replication_role = replica")  # COPY without the triggers that index each row
        con.execute("SET maintenance_work_mem = '3GB'")
        yield Row(
            f"COPY of {lessons:,} lessons", seconds(lambda: _copy_log(server, team, login, lessons)), None, "", "s"
        )
        con.execute("ANALYZE")
        took = seconds(lambda: _index(server.address(login), team, lessons))
        yield Row("team index without vectors, 1,000 lessons", took / lessons * 1e6, None, f"{took:.0f} s", " ms")
        cases.make_vectors(con, team, "none", DIM)  # the table; the index of the embedder is made once it is full
        yield Row(f"COPY of {lessons:,} vectors", seconds(lambda: _copy_vectors(con, team, lessons)), None, "", "s")
        took = seconds(lambda: cases.make_vectors(con, team, EMBEDDER, DIM))
        yield Row(f"HNSW over {lessons:,} vectors", took, None, "", "s")
        con.execute("VACUUM ANALYZE")
        for name, size in sizes(con):
            yield Row(f"size of {name}", size / 1e6, None, "", "MB")


def _index(address: str, team: str, lessons: int) -> None:
    with connected(address) as con:
        for _ in cases.index_events(con, team, lessons):
            pass


def sizes(con: Session) -> list[tuple[str, int]]:
    """Bytes of the tables and of the indexes that a search uses."""
    rows = con.execute(
        "SELECT relname, CASE relkind WHEN 'i' THEN pg_relation_size(oid) ELSE pg_total_relation_size(oid) END"
        " FROM pg_class WHERE relnamespace = 'casebook'::regnamespace AND (relkind = 'r' OR relname ~"
        " '^team_(case_(marks|words)|vector_[0-9a-f]{16})$') AND pg_relation_size(oid) > 1000000 ORDER BY relname"
    )
    return [(str(name), int(size)) for name, size in rows]


def _copy_log(server: Server, team: str, login: str, lessons: int) -> None:
    """Events in one chain and their texts. Two connections: two COPYs run at once."""
    began, before = datetime(2026, 11, 1, tzinfo=UTC), b""
    with psycopg.connect(server.admin) as texts, psycopg.connect(server.admin) as con:
        for one in (texts, con):
            one.execute("SET session_replication_role = replica")
        with (
            texts.cursor().copy("COPY casebook.team_payload FROM STDIN") as payloads,
            con.cursor().copy("COPY casebook.team_event FROM STDIN") as events,
        ):
            for seq, one in enumerate(drafts(lessons), 1):
                payload = hashlib.sha256(f"{one.project}\n{one.line}".encode()).digest()
                at = f"{began + timedelta(milliseconds=seq):%Y-%m-%dT%H:%M:%S.%fZ}"
                row = (seq, 1, one.id, one.kind, login, "bench", one.project, one.lesson, one.time, payload, at)
                before = Event(*row, b"", None).hash_after(before)
                payloads.write_row((team, payload, one.line))
                events.write_row((team, *row, before))
        con.execute("UPDATE casebook.team_head SET seq = %s, hash = %s WHERE team = %s", (lessons, before, team))


def vectors_of(lessons: int) -> tuple[Any, Any]:
    """A vector for each lesson, and those to search with."""
    return _vectors(lessons)


def _copy_vectors(con: Session, team: str, lessons: int) -> None:
    """As halfvec is sent: the dimension, zero, then half floats."""
    vectors, _ = vectors_of(lessons)
    head = DIM.to_bytes(2, "big") + bytes(2)
    payloads = con.execute(
        "SELECT payload FROM casebook.team_case WHERE team = %s ORDER BY payload", (team,)
    ).fetchall()
    copied = b"COPY casebook.team_vector (team, embedder, payload, vector) FROM STDIN (FORMAT BINARY)"
    with con.cursor().copy(copied) as copy:
        copy.set_types(["text", "text", "bytea", "bytea"])
        for (payload,), vector in zip(payloads, vectors, strict=True):
            copy.write_row((team, EMBEDDER, payload, head + vector.astype(">f2").tobytes()))


def differing_rows(server: Server, loaded: str, lessons: int) -> int:
    """Send the first lessons of a loaded team to a team of their own, as a member does; how many rows differ."""
    sent = server.team()
    with connected(server.member(sent)) as con:
        held = [draft(at + 1, project_of(at), error_of(at)) for at in range(lessons)]
        for at in range(0, lessons, 500):
            append(con, sent, "bench", held[at : at + 500])
        cases.make_vectors(con, sent, EMBEDDER, DIM)
        ids = [hashlib.sha256(f"{one.project}\n{one.line}".encode()).digest() for one in held]
        found = server.sql(
            "SELECT payload, vector::real[] FROM casebook.team_vector WHERE team = %s AND payload = ANY(%s)",
            loaded,
            ids,
        )
        cases.put_vectors(con, sent, EMBEDDER, [(bytes(payload), vector) for payload, vector in found])
    return sum(_differing(server, loaded, sent, table, ids) for table in _SAME)


def _differing(server: Server, loaded: str, sent: str, table: str, ids: list[bytes]) -> int:
    hashed = "hash" if table == "team_payload" else "payload"
    rows = [
        f"SELECT {_SAME[table]} FROM casebook.{table} WHERE team = '{team}' AND {hashed} = ANY(%s)"
        for team in (loaded, sent)
    ]
    both = " UNION ALL ".join(f"(({one}) EXCEPT ALL ({other}))" for one, other in (rows, rows[::-1]))
    missing = server.sql(f"SELECT abs(count(*) - %s) FROM ({rows[1]}) one", len(ids), ids)[0][0]
    return int(missing) + int(server.sql(f"SELECT count(*) FROM ({both}) one", ids, ids, ids, ids)[0][0])
