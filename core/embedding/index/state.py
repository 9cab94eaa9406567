"""Which model the vectors of a kind are of, and how far a change of the model has come. Kept in the file (`meta`)."""

from __future__ import annotations

import json
from typing import NamedTuple, cast

import apsw

from core.store.sql import value


class VectorState(NamedTuple):
    """The model (`id@version`), the recipe and the dimension that a kind's vectors are made with.

    `complete`: everything there was when the model was taken up has been embedded; until then nothing is searched.
    `after`: items with a higher id have still to be put into the backlog, about `left` of them; None: none has.
    """

    model: str
    recipe: str
    dim: int
    complete: bool = True
    after: int | None = None
    left: int = 0

    def is_of(self, model: str, recipe: str, dim: int) -> bool:
        """Whether these are vectors of that model, made that way."""
        return (self.model, self.recipe, self.dim) == (model, recipe, dim)


def read_state(con: apsw.Connection, kind: str) -> VectorState | None:
    """Return the state of a kind; None if nothing was ever embedded (or the note is damaged, which rebuilds it)."""
    found = value(con, "SELECT value FROM meta WHERE key = ?", (f"vectors:{kind}",))
    try:
        fields = json.loads(str(found)) if found else None
        state = VectorState(**cast("dict[str, str | int | bool | None]", fields)) if fields else None  # pyright: ignore[reportArgumentType]
    except (ValueError, TypeError):
        return None
    return state if state is not None and list(map(type, state[:3])) == [str, str, int] else None


def write_state(con: apsw.Connection, kind: str, state: VectorState) -> None:
    """Note the state, inside the caller's transaction."""
    con.execute(
        "INSERT INTO meta(key, value) VALUES (?1, ?2) ON CONFLICT(key) DO UPDATE SET value = ?2",
        (f"vectors:{kind}", json.dumps(state._asdict())),
    )


def why_off(con: apsw.Connection, kind: str, model: str, recipe: str) -> str | None:
    """Why vectors of that model cannot be searched now, in plain words; None if they can."""
    state = read_state(con, kind)
    if state is None:
        return "nothing is embedded yet"
    if (state.model, state.recipe) != (model, recipe):
        return f"the stored embeddings are from {state.model.partition('@')[0]}"
    return None if state.complete else "the model changed and its embeddings are incomplete"
