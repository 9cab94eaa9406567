"""The casebook's one SQLite file: opening, transactions, history with undo, long runs, copies and rescue.

What is not needed to open and read (history, runs, backup, rescue, seed, vectors, checks) is loaded on first use.
"""

# pyright: reportUnusedImport=false

from __future__ import annotations

from typing import TYPE_CHECKING

from core.base.lazy import lazy_names
from core.store.schema.migrations import migrate
from core.store.sql import after, as_fault, faults, now
from core.store.store import Store, open_store

if TYPE_CHECKING:
    from core.store import jobs
    from core.store.backups import Restored, backup, restore
    from core.store.checks import Check, store_checks
    from core.store.journal import (
        Change,
        JournalEntry,
        RowChange,
        Undone,
        change,
        history,
        history_of,
        row_changes,
        undo,
    )
    from core.store.rescue import SalvageReport, salvage
    from core.store.seed import SeedRow, read_seed
    from core.store.vec import ensure_vec_table, load_vec

_LATER = {
    "backups": "Restored backup restore",
    "checks": "Check store_checks",
    "journal": "Change JournalEntry RowChange Undone change history history_of row_changes undo",
    "rescue": "SalvageReport salvage",
    "seed": "SeedRow read_seed",
    "vec": "ensure_vec_table load_vec",
}
__getattr__, __all__ = lazy_names(__name__, _LATER, "Store after as_fault faults jobs migrate now open_store")
