"""Runs of ingests as rows: what each did, and when."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import orjson

from core.library.ingest_report import IngestReport
from core.store import Store, now
from core.wire import dumps, to_wire

KEPT = 100
"""Runs that are remembered."""


def put_run(store: Store, report: IngestReport, started: str) -> IngestReport:
    """Remember a run; returns its report with the time it took. Raises Fault as `Store.transaction`."""
    finished = now()
    took = dt.datetime.fromisoformat(finished) - dt.datetime.fromisoformat(started)
    report = replace(report, duration_ms=max(0, int(took.total_seconds() * 1000)))
    items = None if report.items is None else orjson.dumps(to_wire(report.items)).decode()
    with store.transaction() as con:
        con.execute(
            "INSERT INTO ingest_runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(report.run_id, dumps(report.scope), report.scanned, report.new, report.updated + report.moved),
                *(report.skipped, report.errors, report.duration_ms, started, finished, items),
                *("aborted" if report.aborted else "completed", dumps(replace(report, items=None))),
            ),
        )
        con.execute(
            "DELETE FROM ingest_runs"
            " WHERE rowid <= (SELECT rowid FROM ingest_runs ORDER BY rowid DESC LIMIT 1 OFFSET ?)",
            (KEPT,),
        )
    return report
