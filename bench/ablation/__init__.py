"""What each part of matching, of the gate and of the checks of an answer is worth on sets it was not made from.

    python -m bench ablation [--only rules|gate|checks] [--quick]

Each part is left out alone. Printed is the change of every figure, with the 95 % interval of the paired difference.
`--quick` measures without models. The documents of the sets are fetched once into `~/.cache/casebook-bench` (or the
folder `CASEBOOK_ASK_CORPORA`). Vectors are kept in `bench/out/vectors-MODEL.db`, so a second run takes minutes.
"""

from __future__ import annotations

from typing import Final

from bench.ablation import checks, gate, rules
from bench.table import Row
from core.base.config.settings import EmbeddingSettings
from core.embedding.models.models import Absent, current

MODELS: Final = ("all-MiniLM-L6-v2", "multilingual-e5-small-q4")


def measure(*, quick: bool, only: str = "") -> list[Row]:
    """Print the tables. There is no budget."""
    models: list[str | None] = [None]
    models += [] if quick else [one for one in MODELS if not isinstance(current(EmbeddingSettings(model=one)), Absent)]
    if only in ("", "rules"):
        rules.show(models)
    if only in ("", "gate"):
        gate.show(models)
    if only in ("", "checks"):
        checks.show()
    return []
