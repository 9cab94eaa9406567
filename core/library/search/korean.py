"""How a Korean query is taken apart: as the index was, or not at all, and then it says why."""

from __future__ import annotations

import apsw

from core.base.installation import remedy
from core.base.trace import Step, facts
from core.lexical.hangul_bigrams import HANGUL_RUN
from core.library.search.fts import indexed_by
from core.library.search.morphemes import Analyse, installed

UNASKED = "this search does not take Korean apart; syllable pairs serve"


def reading(con: apsw.Connection, text: str, analysing: Analyse | None) -> tuple[Analyse | None, tuple[Step, ...]]:
    """`analysing`, where the index holds morphemes of the analyser that is installed here, and the step that tells.

    There is no step where nothing is to be told: no Korean in the query, or no morphemes in the index.
    """
    if HANGUL_RUN.search(text) is None or not (by := indexed_by(con)):
        return None, ()
    if analysing is None:
        return None, (Step("morphemes", "skipped", UNASKED),)
    if (here := installed()) != by:
        told = facts(remedy="casebook library ingest" if here else remedy("ko"))
        reason = f"the index holds morphemes of {by}, here is {here or 'none'}; syllable pairs serve"
        return None, (Step("morphemes", "failed", reason, told),)
    return analysing, (Step("morphemes", "hit", by),)


def korean_hint(steps: tuple[Step, ...]) -> list[str]:
    """What a person may want to know of it."""
    return [f"{step.reason} (mended by: {step.fact('remedy')})" for step in steps if step.outcome == "failed"]
