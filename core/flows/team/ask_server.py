"""What a search asks of a team: lessons that were received and are not in the cases yet, and, only where nothing here
answers, its server. Loads little."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import apsw

from core.base.fault import Fault
from core.base.trace import Step, Stopwatch
from core.embedding.runtime.query_model import VectorSearch
from core.errors.retrieval.answer import Hit, SearchAnswer
from core.flows.team.sync.mark import set_mark
from core.store import Store, faults, open_store


class TeamServer(NamedTuple):
    """Where a team's server is, without a password, and the team's name there."""

    address: str
    team: str


def with_team(
    target: Store | Path,
    answer: SearchAnswer,
    search: Callable[[Store], SearchAnswer],
    *,
    project: str = "",
    vectors: VectorSearch | None = None,
) -> SearchAnswer:
    """The answer with what the team's server knows, where nothing here answers. `search` asks the casebook again, once
    lessons were taken over. `vectors`: ask for the meaning too. Never raises; without a team the answer is unchanged.
    """
    if answer.match is not None or not answer.query.normalized:
        return answer
    watch = Stopwatch()
    try:
        if isinstance(target, Store):
            with faults(target.path):
                server = _server_of(target)
                return answer if server is None else _with_server_hits(target, server, answer, search, project, vectors)
        if not target.exists():
            return answer
        with open_store(target) as store, faults(target):
            server = _server_of(store)
        if server is None:
            return answer
        with open_store(target, write=True) as store, faults(target):
            return _with_server_hits(store, server, answer, search, project, vectors)
    except Fault as fault:
        return replace(answer, trace=(*answer.trace, Step("team", "failed", fault.message, elapsed_ms=watch.ms())))


def take_received(store: Store, marks: Sequence[str], where: str) -> Sequence[Hit]:
    """Take over what was received about errors with these fingerprints; the `received` of a search."""
    from core.flows.team.sync.received import take_errors

    return take_errors(store, marks, where)


def _with_server_hits(store: Store, *rest: Any) -> SearchAnswer:
    from core.flows.team.sync.server_search import add_server_hits

    return add_server_hits(store, *rest)


def _server_of(store: Store) -> TeamServer | None:
    """The server of a casebook; None without a team, and in a casebook of an older version."""
    try:
        row = store.con.execute("SELECT address, team FROM team_server").fetchone()
    except apsw.SQLError:  # an older schema that cannot be written
        return None
    if row is None:
        return None
    set_mark(store.path)  # a casebook that was copied to this machine has none
    return TeamServer(str(row[0]), str(row[1]))
