"""Embedding texts of which some may fail: the bad ones are found, the good ones go on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import apsw

from core.base.fault import Fault
from core.embedding.index import backlog, stored
from core.embedding.index.backlog import Failure
from core.embedding.index.stored import Made, Place, sha_of
from core.embedding.index.vectors import unusable
from core.embedding.runtime.embedder import Embedder, Source, Vector

SLICE = 6_000
"""Characters, padding included, given to the model at once: between two slices a run can stop, after some 0.2 s."""

Outcome = tuple[Vector, ...] | str
"""The vectors of one text, or in plain words why it has none."""


def attempt(embedder: Embedder, texts: Sequence[str], between: Callable[[], None]) -> list[Outcome]:
    """The outcome of each text, in order. `between` is called before each slice and may raise to stop.

    Raises Fault where the model itself fails, whatever the text: that is no reason to give up on the texts.
    """
    out: list[Outcome] = []
    for part in _slices(texts):
        between()
        out += _embed(embedder, part)
    return out


def _slices(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    start, longest = 0, 0
    for at, text in enumerate(texts):
        longest = max(longest, len(text))
        if at > start and longest * (at + 1 - start) > SLICE:
            yield texts[start:at]
            start, longest = at, len(text)
    if start < len(texts):
        yield texts[start:]


def _embed(embedder: Embedder, texts: Sequence[str]) -> list[Outcome]:
    try:
        found = embedder.embed(texts, "document")
        if len(found) != len(texts):
            raise ValueError(f"the model returned {len(found)} results for {len(texts)} texts")
    except Fault as fault:
        if fault.code != "invalid_input":
            raise
        if len(texts) == 1:
            return [fault.message]
    except Exception as error:  # noqa: BLE001  a tokenizer or a runtime may raise anything at all
        if len(texts) == 1:
            _require_working(embedder, error)
            return [str(error) or type(error).__name__]
    else:
        return [_checked(windows, embedder.dim) for windows in found]
    half = len(texts) // 2
    return [*_embed(embedder, texts[:half]), *_embed(embedder, texts[half:])]


def _checked(windows: tuple[Vector, ...], dim: int) -> Outcome:
    if not windows:
        return "the model returned no vector"
    reason = next((why for vector in windows if (why := unusable(vector, dim))), None)
    return windows if reason is None else f"the model returned an invalid vector: {reason}"


def _require_working(embedder: Embedder, error: Exception) -> None:
    """Tell a bad text from a broken model, which would otherwise mark every text as bad."""
    try:
        embedder.embed(["error"], "document")
    except Fault:
        raise
    except Exception as again:  # noqa: BLE001
        raise Fault(
            "model_unreachable",
            f"The model {embedder.id} fails on every text ({again}).",
            "Choose another model: casebook models list",
        ) from error


Fate = Literal["gone", "kept", "failed", "blank", "new", "twin"]
"""`gone`: its row is; `kept`: its vector still holds; `failed`: it failed before; `new`: the model has to read it;
`twin`: what became of an equal text becomes of it."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text that waited, the hash of it, and what is to be done with it."""

    item_id: int
    text: str
    sha: str
    fate: Fate


@dataclass(frozen=True, slots=True)
class BatchResult:
    """What writing a batch did, in items; `copied` of those `reused` took the vectors of an equal text."""

    embedded: int = 0
    reused: int = 0
    copied: int = 0
    removed: int = 0
    failed: tuple[Failure, ...] = ()


def look(con: apsw.Connection, source: Source, place: Place, ids: Sequence[int]) -> list[Text]:
    """What there is to do with each of these items."""
    texts = source.texts(con, ids)
    have = stored.present(con, place, ids)
    failed = backlog.read_failures(con, place.kind, place.model, place.recipe, ids)
    return [_look(item, texts.get(item), have.get(item), failed.get(item)) for item in ids]


def equal_texts(
    con: apsw.Connection, place: Place, looked: Sequence[Text]
) -> tuple[list[Text], list[Text], dict[str, Outcome]]:
    """The `new` ones parted: each text once, its twins, and the vectors that are there already by hash of the text."""
    new = [one for one in looked if one.fate == "new"]
    known: dict[str, Outcome] = {**stored.of_texts(con, place, {one.sha for one in new})}
    first = {one.sha: one.item_id for one in reversed(new) if one.sha not in known}
    once = [one for one in new if first.get(one.sha) == one.item_id]
    return once, [replace(one, fate="twin") for one in new if first.get(one.sha) != one.item_id], known


def _look(item_id: int, text: str | None, have: str | None, failed: str | None) -> Text:
    if text is None:
        return Text(item_id, "", "", "gone")
    sha = sha_of(text)
    fate: Fate = "kept" if have == sha else "failed" if failed == sha else "new" if text.strip() else "blank"
    return Text(item_id, text, sha, fate)


def write(
    con: apsw.Connection, source: Source, place: Place, texts: Sequence[Text], tried: Mapping[str, Outcome]
) -> BatchResult:
    """Write what became of a batch, inside the caller's transaction.

    `tried` holds, by the text's hash, the outcome of each `new` text and each `twin`.
    """
    now = source.texts(con, [one.item_id for one in texts])
    same = [one for one in texts if (sha_of(now[one.item_id]) if one.item_id in now else "") == one.sha]
    lost = [one.item_id for one in same if one.fate == "gone"]
    kept = [one for one in same if one.fate == "kept"]
    made, failures = list[Made](), list[Failure]()
    for one in same:
        outcome = "it contains no words" if one.fate == "blank" else tried.get(one.sha)
        if one.fate in ("new", "twin") and isinstance(outcome, tuple):
            made.append(Made(one.item_id, one.sha, outcome))
        elif one.fate in ("new", "twin", "blank"):
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
    had = {one.item_id for one in same if one.fate == "twin"}
    copied = sum(one.item_id in had for one in made)
    return BatchResult(len(made) - copied, len(kept) + copied, copied, len(lost), tuple(failures))
