"""One batch into the casebook, in one transaction; what changed since it was read goes on waiting."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import apsw

from core.embedding import backlog, stored
from core.embedding.attempt import Outcome
from core.embedding.backlog import Failure
from core.embedding.source import Source
from core.embedding.stored import Made, Place

Fate = Literal["gone", "kept", "failed", "blank", "new"]
"""`gone`: its row is; `kept`: its vector still holds; `failed`: it failed before; `new`: the model has to read it."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text that waited, the hash of it, and what is to be done with it."""

    item_id: int
    text: str
    sha: str
    fate: Fate


@dataclass(frozen=True, slots=True)
class Done:
    """What writing a batch did, in items."""

    embedded: int = 0
    reused: int = 0
    removed: int = 0
    failed: tuple[Failure, ...] = ()


def look(con: apsw.Connection, source: Source, place: Place, ids: Sequence[int]) -> list[Text]:
    """What there is to do with each of these items."""
    texts = source.texts(con, ids)
    have = stored.present(con, place, ids)
    failed = backlog.known_failures(con, place.kind, place.model, place.recipe, ids)
    return [_look(item, texts.get(item), have.get(item), failed.get(item)) for item in ids]


def _look(item_id: int, text: str | None, have: str | None, failed: str | None) -> Text:
    if text is None:
        return Text(item_id, "", "", "gone")
    sha = _sha(text)
    fate: Fate = "kept" if have == sha else "failed" if failed == sha else "new" if text.strip() else "blank"
    return Text(item_id, text, sha, fate)


def write(
    con: apsw.Connection, source: Source, place: Place, texts: Sequence[Text], tried: Mapping[int, Outcome]
) -> Done:
    """Write what became of a batch, inside the caller's transaction; `tried` holds the outcome of each `new` text."""
    now = source.texts(con, [one.item_id for one in texts])
    same = [one for one in texts if (_sha(now[one.item_id]) if one.item_id in now else "") == one.sha]
    lost = [one.item_id for one in same if one.fate == "gone"]
    kept = [one for one in same if one.fate == "kept"]
    made, failures = list[Made](), list[Failure]()
    for one in same:
        outcome = tried.get(one.item_id) if one.fate == "new" else "there is no word in it"
        if one.fate == "new" and isinstance(outcome, tuple):
            made.append(Made(one.item_id, one.sha, outcome))
        elif one.fate in ("new", "blank"):
            failures.append(Failure(one.item_id, one.sha, str(outcome)))
    stored.forget(con, place.kind, [*lost, *(one.item_id for one in failures)])
    stored.put(con, place, made)
    con.executemany(
        "DELETE FROM embed_failure WHERE kind = ? AND item_id = ?", ((place.kind, one.item_id) for one in made)
    )
    for failure in failures:
        backlog.note_failure(con, place.kind, place.model, place.recipe, failure)
    again = [Made(one.item_id, one.sha, stored.windows_of(con, place, one.item_id)) for one in kept]
    stored.put_searchable(con, place, [one for one in again if not stored.is_searchable(con, place, one.item_id)])
    backlog.settle(con, place.kind, [one.item_id for one in same])
    return Done(len(made), len(kept), len(lost), tuple(failures))


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
