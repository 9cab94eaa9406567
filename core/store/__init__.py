"""The casebook's one SQLite file: opening, transactions, history with undo, long runs, copies and rescue.

What is rarely needed (backup, restore, salvage, seed, vectors, checks) is loaded on first use: opening stays quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.store.clock import now
from core.store.faults import as_fault, faults
from core.store.journal import Change, JournalEntry, RowChange, change, history, row_changes
from core.store.migrations import migrate
from core.store.opening import open_store
from core.store.store import Store

if TYPE_CHECKING:
    from core.store.reversal import Undone, undo
    from core.store.seed import SeedRow, read_seed

_LATER = {
    "SeedRow": "core.store.seed",
    "Undone": "core.store.reversal",
    "read_seed": "core.store.seed",
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
    "JournalEntry",
    "RowChange",
    "SeedRow",
    "Store",
    "Undone",
    "as_fault",
    "change",
    "faults",
    "history",
    "migrate",
    "now",
    "open_store",
    "read_seed",
    "row_changes",
    "undo",
]
