"""The guard: whether a quote that stands almost so still says the same (decision 11)."""

from __future__ import annotations

from core.align.guard.compare import Verdict, compare
from core.align.guard.cut import cut_off
from core.align.guard.outside import negated_outside

__all__ = ["Verdict", "compare", "cut_off", "negated_outside"]
