"""The open tellings of a session, settled by its results: those that hooks kept, or those of its transcript."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import apsw

from core.errors.fixes import OpenTelling, has_open, open_tellings, settle_telling
from core.flows.harvest.session_events import Result
from core.flows.outcomes.actions import actions_of
from core.flows.outcomes.settlement import Settled, settle


class Due(NamedTuple):
    """A telling with the outcome that it has by now."""

    telling: OpenTelling
    settled: Settled


def due_in(
    con: apsw.Connection, session_id: str, results: Callable[[], Iterable[object]], *, imported: bool = False
) -> list[Due]:
    """The tellings of a session whose outcome is known by now. Reads only.

    `results` is asked for only where something is open; of what it yields the `Result`s count. `imported`: they are
    those of the transcript, which knows better than hooks: what was found ignored is looked at again, as the session
    may have gone on.
    """
    if not has_open(con, session_id, ignored=imported):
        return []
    held = [one for one in results() if isinstance(one, Result)]
    due: list[Due] = []
    for telling in open_tellings(con, session_id, ignored=imported):
        actions = actions_of(telling.text, telling.lesson)
        settled = settle(telling.fingerprint, telling.told_at, actions, held, ended=imported)
        if settled is not None:
            due.append(Due(telling, settled))
    return due


def write_due(con: apsw.Connection, due: Iterable[Due], ts: str) -> None:
    """Write outcomes, inside the caller's transaction."""
    for telling, settled in due:
        settle_telling(con, telling, settled.outcome, ts, performed=settled.performed)
