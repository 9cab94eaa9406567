"""The casebook's one SQLite file: opening, transactions, history with undo, long runs, copies and rescue.

What is rarely needed (backup, restore, salvage, seed, vectors, checks) lies in its own module: opening stays quick.
"""

from __future__ import annotations

from core.store.clock import now
from core.store.faults import as_fault, faults
from core.store.migrations import migrate
from core.store.opening import open_store
from core.store.store import Store

__all__ = ["Store", "as_fault", "faults", "migrate", "now", "open_store"]
