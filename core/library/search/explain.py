"""Why a hit stands where it stands: its place in each list, and how the two became one, as arithmetic."""

from __future__ import annotations

from core.base.trace import Fact, Outcome, Step, facts
from core.library.search.fusion import K
from core.library.search.hit import SearchHit, shown_score
from core.library.search.hybrid import BEHIND, COVER


def why_hit(hit: SearchHit) -> Step:
    """The step that explains one hit: its words, both ranks, the sum."""
    how = hit.retrieval
    steps: list[Step] = []
    if how.method != "vector":
        steps.append(_words(hit))
    if how.method != "lexical":
        steps.append(_meaning(hit))
    if how.method == "hybrid":
        steps.append(_fusion(hit))
    reason = f"number {hit.rank} of the hits, by {_BY[how.method]}"
    shown = round(shown_score(hit), 2) if hit.score_kind == "bm25" else None
    told = facts(score=round(hit.score, 4), kind=hit.score_kind, shown_as=shown, passage=hit.chunk_id)
    stale = facts(
        chunker=hit.chunker_version, read=hit.indexed_at, stale="read longer than 30 days ago" if hit.stale else None
    )
    return Step("this hit", "hit", reason, (*told, *stale), tuple(steps))


_BY = {"lexical": "its words", "vector": "its meaning", "hybrid": "words and meaning"}


def _words(hit: SearchHit) -> Step:
    how = hit.retrieval
    told: dict[str, Fact] = {"has": ", ".join(hit.words) or None, "lacks": ", ".join(hit.missing) or None}
    if how.lexical_rank is None or how.lexical_score is None:
        return Step("words", "miss", "not in the list of the words", facts(told))
    outcome: Outcome = "hit"
    reason = f"rank {how.lexical_rank:,} of the words' list"
    if how.lexical_rank > BEHIND:
        outcome, reason = "rejected", f"holds less than {COVER:.0%} of what the question weighs: it stands behind"
    return Step("words", outcome, reason, facts(told, bm25=round(how.lexical_score, 3)))


def _meaning(hit: SearchHit) -> Step:
    how = hit.retrieval
    if how.vector_rank is None or how.vector_score is None:
        return Step("meaning", "miss", "not among the nearest by meaning")
    told = facts(cosine=round(how.vector_score, 4), model=hit.embedding_model)
    return Step("meaning", "hit", f"rank {how.vector_rank:,} of the nearest", told)


def _fusion(hit: SearchHit) -> Step:
    """`(1/(60+3) + 1/(60+1)) / (2/61) = 0.98`: first in both lists is 1, in one alone 0.5."""
    how = hit.retrieval
    ranks = [rank for rank in (how.lexical_rank, how.vector_rank) if rank is not None]
    terms = " + ".join(f"1/({K}+{rank})" for rank in ranks)
    return Step("fusion", "hit", f"({terms}) / (2/{K + 1}) = {how.fusion_score or 0:.4f}", facts(k=K))
