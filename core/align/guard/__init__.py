"""The guard: whether a quote that stands almost so still says the same (decision 11)."""

from __future__ import annotations

from core.align.guard.compare import Verdict, compare
from core.align.guard.cut import cut_off
from core.align.guard.frames import framed
from core.align.guard.outside import negated_outside
from core.align.guard.signs import cut_signs, is_diff

__all__ = ["Verdict", "compare", "cut_off", "cut_signs", "framed", "is_diff", "negated_outside"]
