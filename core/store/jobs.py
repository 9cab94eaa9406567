"""Long runs (import, embed, ingest) as rows: their progress, how they ended, and a lease so that one runs at a time."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

import apsw

from core.store.files import has_exited
from core.store.sql import Value, now, storable
from core.store.store import Store

Status = Literal["pending", "running", "succeeded", "failed", "canceled"]

LEASE_S = 60.0
"""Seconds without a sign of life after which another process may take a run over."""
_KEPT = 200  # finished runs kept

_COLUMNS = "id, kind, status, done, total, detail, error, pid, lease, started, updated"


@dataclass(frozen=True, slots=True)
class Job:
    """One run of a `kind`. `done` of `total` steps (None: not known); `error` says why it failed.

    `lease`: Unix time in seconds until which `pid` holds it; `started` and `updated` are ISO 8601.
    """

    id: int
    kind: str
    status: Status
    done: int
    total: int | None
    detail: str
    error: str | None
    pid: int | None
    lease: float | None
    started: str
    updated: str


def begin(store: Store, kind: str, lease_s: float = LEASE_S, total: int | None = None) -> Job | None:
    """Start a run of `kind`, or None while another one of that kind runs.

    A run whose lease ran out, or whose process is gone, is marked failed and does not stand in the way.
    Raises what `Store.transaction` raises.
    """
    with store.transaction() as con:
        for job in _select(con, "WHERE kind = ? AND status = 'running'", (kind,)):
            if _alive(job):
                return None
            _close(con, job.id, "failed", "the run was interrupted (its process ended)")
        ts = now()
        con.execute(
            "INSERT INTO jobs(kind, status, total, pid, lease, started, updated) VALUES (?, 'running', ?, ?, ?, ?, ?)",
            (kind, total, os.getpid(), time.time() + lease_s, ts, ts),
        )
        made = con.last_insert_rowid()
        con.execute(
            "DELETE FROM jobs WHERE status NOT IN ('pending', 'running')"
            " AND id <= (SELECT id FROM jobs ORDER BY id DESC LIMIT 1 OFFSET ?)",
            (_KEPT,),
        )
        return _select(con, "WHERE id = ?", (made,))[0]


def progress(
    store: Store, job: Job, done: int, total: int | None = None, detail: str | None = None, lease_s: float = LEASE_S
) -> bool:
    """Note how far the run is and renew its lease. False: it was canceled or taken over, so it must stop.

    Within a transaction of the caller it is part of that: the count and the work then stand or fall together.
    """
    with store.transaction() as con:
        con.execute(
            "UPDATE jobs SET done = ?, total = coalesce(?, total), detail = coalesce(?, detail), lease = ?, updated = ?"
            " WHERE id = ? AND status = 'running' AND pid = ?",
            (done, total, _text(detail), time.time() + lease_s, now(), job.id, job.pid),
        )
        return con.changes() > 0


def heartbeat(store: Store, job: Job, lease_s: float = LEASE_S) -> bool:
    """Renew the lease only. False: the run was canceled or taken over, so it must stop."""
    with store.transaction() as con:
        con.execute(
            "UPDATE jobs SET lease = ?, updated = ? WHERE id = ? AND status = 'running' AND pid = ?",
            (time.time() + lease_s, now(), job.id, job.pid),
        )
        return con.changes() > 0


def finish(store: Store, job: Job, detail: str | None = None) -> bool:
    """The run ended well. False: it was canceled or taken over before."""
    with store.transaction() as con:
        return _close(con, job.id, "succeeded", None, detail)


def fail(store: Store, job: Job, error: str) -> bool:
    """The run ended with `error`. False: it was canceled or taken over before."""
    with store.transaction() as con:
        return _close(con, job.id, "failed", error)


def cancel(store: Store, job_id: int) -> bool:
    """Ask a run, possibly of another process, to stop at its next sign of life. False: it had ended already."""
    with store.transaction() as con:
        return _close(con, job_id, "canceled", None)


def recent(store: Store, limit: int = 50, kind: str | None = None) -> tuple[Job, ...]:
    """The newest runs, newest first."""
    return _select(store.con, "WHERE ?1 IS NULL OR kind = ?1 ORDER BY id DESC LIMIT ?2", (kind, limit))


def find(store: Store, job_id: int) -> Job | None:
    """The run with that id."""
    return next(iter(_select(store.con, "WHERE id = ?", (job_id,))), None)


def running(store: Store, kind: str) -> Job | None:
    """Return the active run of `kind`, possibly in another process; None if there is none."""
    return next(
        (job for job in _select(store.con, "WHERE kind = ? AND status = 'running'", (kind,)) if _alive(job)), None
    )


def _close(con: apsw.Connection, job_id: int, status: Status, error: str | None, detail: str | None = None) -> bool:
    con.execute(
        "UPDATE jobs SET status = ?, error = ?, detail = coalesce(?, detail), lease = NULL, updated = ?"
        " WHERE id = ? AND status IN ('pending', 'running')",
        (status, _text(error), _text(detail), now(), job_id),
    )
    return con.changes() > 0


def _text(text: str | None) -> str | None:
    return None if text is None else storable(text)


def _alive(job: Job) -> bool:
    if job.lease is None or job.lease < time.time():
        return False
    return job.pid is None or sys.platform == "win32" or not has_exited(job.pid)


def _select(con: apsw.Connection, where: str, bindings: Sequence[Value]) -> tuple[Job, ...]:
    rows = con.execute(f"SELECT {_COLUMNS} FROM jobs {where}", tuple(bindings)).fetchall()
    return tuple(
        Job(*cast("tuple[int, str, Status, int, int | None, str, str | None, int, float, str, str]", row))
        for row in rows
    )
