"""Quotes that strangers labelled blind: how many whose meaning changed are aligned, and how many honest ones are not.

`tests/data/align/meaning/open.jsonl` is the half that the aligner was worked on with. `reserved`, `third` and `fourth`
were each scored on a finished guard and read afterwards. Of `fifth` (240 quotes) only the
accepted terminal output was read.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.table import Row
from core.align import Aligned, AlignSettings, Session, align_quote

DATA = Path(__file__).resolve().parents[2] / "tests" / "data" / "align" / "meaning"
FALSE_ACCEPTS, FALSE_REFUSALS = 0.02, 0.08


def pairs(half: str) -> list[dict[str, Any]]:
    """The labelled quotes of a set: `open`, `reserved`, `third`, `fourth` or `fifth`."""
    plain = DATA / f"{half}.jsonl"
    text = (
        plain.read_text("utf-8")
        if plain.exists()
        else gzip.decompress((DATA / f"{half}.jsonl.gz").read_bytes()).decode()
    )
    return [json.loads(line) for line in text.splitlines()]


def align_pair(pair: dict[str, Any]) -> Aligned:
    """The outcome for one labelled quote."""
    return align_quote(Session(pair["messages"]), pair["message_index"], pair["quote"], AlignSettings())


def measure(*, quick: bool, only: str = "open") -> list[Row]:
    """Rates of one half: the share of quotes to refuse that are aligned, and of quotes to accept that are not."""
    del quick
    found = [(pair, align_pair(pair).status) for pair in pairs(only)]
    return [*_rates(found, "refuse", FALSE_ACCEPTS), *_rates(found, "accept", FALSE_REFUSALS)]


def _rates(found: list[tuple[dict[str, Any], str]], verdict: str, most: float) -> Iterator[Row]:
    rows = [
        (pair, (status == "aligned") == (verdict == "refuse")) for pair, status in found if pair["verdict"] == verdict
    ]
    name = "aligned though the meaning changed" if verdict == "refuse" else "honest, and not aligned"
    wrong = [pair["id"] for pair, is_wrong in rows if is_wrong]
    yield Row(name, len(wrong) / len(rows), most, f"{len(wrong)} of {len(rows)}: {' '.join(wrong)[:400]}")
    for lang in sorted({pair["lang"] for pair, _ in rows}):
        for family in sorted({pair["family"] for pair, _ in rows}):
            some = [is_wrong for pair, is_wrong in rows if (pair["lang"], pair["family"]) == (lang, family)]
            if some:
                yield Row(f"  {lang} {family}", sum(some) / len(some), None, f"{sum(some)} of {len(some)}")
