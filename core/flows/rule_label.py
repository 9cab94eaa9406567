"""What a person says of a rule that was shown for a call: kept as a label, and counted as helped or dismissed."""

from __future__ import annotations

from pathlib import Path

from core.fault import Fault
from core.rules.call import ToolCall
from core.rules.label_file import Label, Verdict, label_file, label_of, put_label
from core.rules.usage import count_back, count_use
from core.store import open_store

COUNT_WAIT_MS = 500
"""How long counting waits for another writer: the label is kept all the same."""


def label_call(
    database: Path, call: ToolCall, rule: str | None, verdict: Verdict, *, shown_from: str | None = None
) -> tuple[Label | None, str]:
    """Say something of a call, as `put_label` does; its label now, and why it could not be counted (or "").

    `shown_from` is the file of a rule that is shown for the call: only such a rule can have helped, or be dismissed.
    Saying the same again takes it back, from the counts too. Raises Fault as `put_label`.
    """
    path = label_file(database)
    before = label_of(path, call) if rule is not None else None
    now = put_label(path, call, rule, verdict)
    if rule is None or shown_from is None:
        return now, ""
    try:
        _count(database, shown_from, rule, before or Label(), now or Label())
    except Fault as fault:
        return now, fault.message
    return now, ""


def _count(database: Path, path: str, rule: str, before: Label, now: Label) -> None:
    """One use more for what is said now and was not before, one less the other way round."""
    with open_store(database, write=True, timeout_ms=COUNT_WAIT_MS) as store:
        if store.readonly is not None:
            raise Fault("db_readonly", store.readonly)
        if rule in now.applies and rule not in before.applies:
            count_use(store, [(path, rule)], "helped")
        if rule in before.applies and rule not in now.applies:
            count_back(store, path, rule, "helped")
        if rule in now.not_these and rule not in before.not_these:
            count_use(store, [(path, rule)], "dismissed")
        if rule in before.not_these and rule not in now.not_these:
            count_back(store, path, rule, "dismissed")
