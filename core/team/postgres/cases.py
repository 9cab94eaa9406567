"""The lessons of a team as its server finds them: by fingerprint and key, by words, by meaning; and their indexes.

What is found are lines of a lessons file. The server holds them in an order of its own: who asks joins the versions of
a lesson, and judges them as if they were here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from core.lexical import syllable_pairs, terms
from core.text.tokenizing import without_particle

if TYPE_CHECKING:
    from core.embedding.index.stored import Place
    from core.team.postgres.server import Session

How = Literal["mark", "words", "meaning"]
MOST: Final = 8
"""Lessons that one way of searching finds at most."""
STRETCH: Final = 2_000
"""Events that are indexed in one transaction."""
BATCH: Final = 64
"""Lessons whose vectors are sent at once."""


class Meaning(NamedTuple):
    """The vector of what is searched, what made it, and the least cosine of what is like it."""

    embedder: str
    vector: Sequence[float]
    least: float = -1.0


@dataclass(frozen=True, slots=True)
class Question:
    """What is searched: errors by their marks (`mark_of`), a text whose every word must be there, a vector."""

    marks: tuple[str, ...]
    text: str = ""
    meaning: Meaning | None = None


class Found(NamedTuple):
    """A lesson that the server holds, by which way it was found; `lines`: its versions. `score`: the cosine of a
    meaning, the rank of words."""

    how: How
    project: str
    lesson: str
    score: float
    lines: tuple[str, ...]


def mark_of(name: str) -> str:
    """The hash under which the server keeps the fingerprint of an error, and `key KEY` for a normalized key."""
    return hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:32]


def embedder_of(place: Place) -> str:
    """The name of a way to make vectors: those of two names are never compared."""
    return f"{place.model} {place.recipe}"[:200]


def words_query(text: str) -> str:
    """The query of PostgreSQL that needs every word of a text; '' without one. A word of Hangul also matches by its
    pairs of syllables, whatever particle follows it."""
    return " & ".join(map(_term, terms(text)))


def _term(word: str) -> str:
    pairs = syllable_pairs(without_particle(word))
    return f"({word} | ({' & '.join(pairs)}))" if pairs else word


def find(con: Session, team: str, question: Question) -> list[Found]:
    """What the server finds, of each lesson once: by mark, else by meaning, else by words. Raises psycopg errors."""
    found: dict[tuple[str, str], Found] = {}
    for how, query, values in _queries(team, question):
        for project, lesson, score, lines in con.execute(query, values):
            if how == "meaning" and question.meaning is not None and score < question.meaning.least:
                break
            found.setdefault((project, lesson), Found(how, project, lesson, float(score), tuple(lines)))
    return [*found.values()]


def _queries(team: str, question: Question) -> Iterator[tuple[How, bytes, tuple[object, ...]]]:
    if question.marks:
        yield "mark", b"SELECT * FROM casebook.find_marks(%s, %s::uuid[], %s)", (team, [*question.marks], MOST)
    if question.meaning is not None:
        embedder, vector, _ = question.meaning
        query = b"SELECT * FROM casebook.find_vector(%s, %s, %s, %s, %s)"
        yield "meaning", query, (team, embedder, len(vector), vector_text(vector), MOST)
    if words := words_query(question.text):
        yield "words", b"SELECT * FROM casebook.find_words(%s, %s, %s)", (team, words, MOST)


def vector_text(vector: Iterable[float]) -> str:
    """A vector as pgvector reads it."""
    return f"[{','.join(f'{one:.5g}' for one in vector)}]"


def index_events(con: Session, team: str, end: int) -> Generator[tuple[int, int]]:
    """Index what is not indexed of the log up to `end`, one transaction a step: the position, and how many rows were
    added. Stopped, it continues where it was."""
    for after in range(0, end, STRETCH):
        until = min(after + STRETCH, end)
        row = con.execute("SELECT casebook.index_events(%s, %s, %s)", (team, after, until)).fetchone()
        yield until, 0 if row is None else int(row[0])


def make_vectors(con: Session, team: str, embedder: str, dim: int) -> str:
    """Make ready for vectors; why not, '' if they can be stored. Installs pgvector where the login may do it."""
    import psycopg

    if not _has_vectors(con):
        try:
            con.execute("CREATE EXTENSION IF NOT EXISTS vector")
        except psycopg.errors.InsufficientPrivilege:
            return "pgvector is not installed in the database, an administrator runs: CREATE EXTENSION vector"
        except psycopg.Error:  # the server does not have it
            return "the server has no pgvector"
        if not _has_vectors(con):
            return "the server's pgvector is older than 0.7"
    con.execute("SELECT casebook.make_vectors(%s, %s, %s)", (team, embedder, dim))
    return ""


def _has_vectors(con: Session) -> bool:
    row = con.execute("SELECT casebook.vector_schema()").fetchone()
    return row is not None and row[0] is not None


def without_vector(con: Session, team: str, embedder: str) -> int:
    """How many indexed lessons have no vector of this embedder."""
    row = con.execute(_WITHOUT % b"count(*)", (team, b"", embedder)).fetchone()
    return 0 if row is None else int(row[0])


_WITHOUT: Final = (
    b"SELECT %s FROM casebook.team_case c WHERE c.team = %%s AND c.payload > %%s AND c.line <> '' AND NOT EXISTS"
    b" (SELECT FROM casebook.team_vector v WHERE v.team = c.team AND v.payload = c.payload AND v.embedder = %%s)"
)


def unread_lines(con: Session, team: str, embedder: str) -> Iterator[list[tuple[bytes, str]]]:
    """The first errors of the lessons that have no vector, in batches, each with the hash of its lesson."""
    after, query = b"", _WITHOUT % b"c.payload, c.line" + b" ORDER BY c.payload LIMIT %s"
    while rows := con.execute(query, (team, after, embedder, BATCH)).fetchall():
        yield [(bytes(row[0]), str(row[1])) for row in rows]
        after = bytes(rows[-1][0])


def put_vectors(con: Session, team: str, embedder: str, vectors: Sequence[tuple[bytes, Sequence[float]]]) -> None:
    """Store vectors; those of lessons that were withdrawn meanwhile are left out."""
    con.execute(
        "SELECT casebook.put_vectors(%s, %s, %s::bytea[], %s::text[])",
        (team, embedder, [one[0] for one in vectors], [vector_text(one[1]) for one in vectors]),
    )
