"""Runs of ingests as rows: what each did, and when."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import Any, cast

import apsw
import orjson

from core.base.wire import dumps, to_wire
from core.library.ingest.report import IngestReport, Item, Scope
from core.store import Store, now

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


def last_run(con: apsw.Connection) -> tuple[IngestReport, str] | None:
    """The newest run that is remembered, and when it ended (ISO 8601); None where nothing was ever ingested."""
    row = con.execute(
        "SELECT report_json, items_json, finished_at FROM ingest_runs ORDER BY rowid DESC LIMIT 1"
    ).fetchone()
    if row is None:
        return None
    said, items, finished = cast("tuple[str, str | None, str]", row)
    value = cast("dict[str, Any]", orjson.loads(said))
    return report_of({**value, "items": orjson.loads(items) if items else None}), finished


def report_of(value: dict[str, Any]) -> IngestReport:
    """A report from its JSON object. Raises KeyError and TypeError for what is none."""
    whole = dict(value)
    scope, items = whole["scope"], whole["items"]
    whole["scope"] = Scope(
        scope["root"], tuple(scope["roots"]), include=tuple(scope["include"]), exclude=tuple(scope["exclude"])
    )
    whole["skip_examples"] = {name: tuple(paths) for name, paths in whole["skip_examples"].items()}
    whole["removed_link_examples"] = tuple(whole.get("removed_link_examples", ()))
    whole["items"] = None if items is None else tuple(_item(one) for one in items)
    whole.pop("schema_version", None)
    return IngestReport(**whole)


def _item(value: dict[str, Any]) -> Item:
    whole = dict(value)
    whole["warnings"] = tuple(whole["warnings"])
    return Item(**whole)
