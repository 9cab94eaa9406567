"""Lessons that were received from the server and are not in the cases yet: taken over in batches, or as soon as a
search needs them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from core.base.fault import Fault
from core.flows.team.importing import Taken, take_records
from core.flows.team.place import TeamPlace
from core.flows.team.sync.replica import Waiting, mark_applied, projects_of, records_of, waiting_for
from core.store import Store, open_store

if TYPE_CHECKING:
    from core.errors.retrieval.answer import Hit

_WAIT_MS: Final = 300
"""Milliseconds that a search waits for another writer. After that it shows the lessons as candidates."""


def places_of_team(store: Store) -> dict[str, TeamPlace]:
    """The repositories that this casebook shares, by name."""
    return {place.repository: place for place in projects_of(store.con)}


def take_waiting(store: Store, waiting: Waiting, places: Mapping[str, TeamPlace]) -> Taken:
    """Bring the cases up to date with some lessons, in one change. Raises Fault."""
    name = waiting.repository
    place = places.get(name) or TeamPlace(Path("/"), name, frozenset((name,)))
    return take_records(
        store, place, records_of(waiting), waiting.decided_by, f"team lessons of {name.rpartition('/')[2]}",
        lambda con: mark_applied(con, waiting),
    )  # fmt: skip


def take_errors(store: Store, marks: Sequence[str], where: str) -> tuple[Hit, ...]:
    """Take over what was received about errors with these fingerprints. If the casebook cannot be written now, the
    lessons are returned as candidates, for a search in the repository `where`."""
    with suppress(Fault), ExitStack() as stack:
        held = store
        if not store.write or store.readonly is not None:
            held = stack.enter_context(open_store(store.path, write=True, timeout_ms=_WAIT_MS))
        places = places_of_team(held)
        while waiting := waiting_for(held.con, marks):
            take_waiting(held, waiting, places)
    left = waiting_for(store.con, marks)
    return () if left is None else _candidates(left, where)


def _candidates(waiting: Waiting, where: str) -> tuple[Hit, ...]:
    from core.flows.team.sync.server_search import read_lesson
    from core.team.postgres.cases import Found

    found = (Found("mark", waiting.repository, lesson, 1.0, (line,)) for lesson, line in waiting.lines.items())
    reason = "your team knows this error, but the lesson is not indexed yet"
    return tuple(one.hit(where, reason) for one in map(read_lesson, found) if one is not None)
