"""The casebook's one SQLite file: opening, transactions, history with undo, long runs, copies and rescue.

What is rarely needed (backup, restore, salvage, seed, vectors, checks) is loaded on first use: opening stays quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.store import jobs
from core.store.clock import now
from core.store.faults import as_fault, faults
from core.store.journal import Change, JournalEntry, RowChange, change, history, history_of, row_changes
from core.store.migrations import migrate
from core.store.opening import open_store
from core.store.store import Store

if TYPE_CHECKING:
    from core.store.backups import Restored, backup, restore
    from core.store.checks import Check, store_checks
    from core.store.rescue import SalvageReport, salvage
    from core.store.reversal import Undone, undo
    from core.store.seed import SeedRow, read_seed
    from core.store.vec import ensure_vec_table, load_vec

_LATER = {
    "Check": "core.store.checks",
    "Restored": "core.store.backups",
    "SalvageReport": "core.store.rescue",
    "SeedRow": "core.store.seed",
    "Undone": "core.store.reversal",
    "backup": "core.store.backups",
    "ensure_vec_table": "core.store.vec",
    "load_vec": "core.store.vec",
    "read_seed": "core.store.seed",
    "restore": "core.store.backups",
    "salvage": "core.store.rescue",
    "store_checks": "core.store.checks",
    "undo": "core.store.reversal",
}


def __getattr__(name: str) -> object:
    module = _LATER.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(module), name)


__all__ = [
    "Change",
    "Check",
    "JournalEntry",
    "Restored",
    "RowChange",
    "SalvageReport",
    "SeedRow",
    "Store",
    "Undone",
    "as_fault",
    "backup",
    "change",
    "ensure_vec_table",
    "faults",
    "history",
    "history_of",
    "jobs",
    "load_vec",
    "migrate",
    "now",
    "open_store",
    "read_seed",
    "restore",
    "row_changes",
    "salvage",
    "store_checks",
    "undo",
]
