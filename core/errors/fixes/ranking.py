"""The order in which the fixes of a case answer, as SQL over `resolution`.

A fix written down on purpose goes before a harvested draft, however new that is; of those the newest answers. Drafts
are ranked by scope (of this very error, of this repository, general), strength, how often they helped where they were
told, and fewest steps; recency decides last. A slip of the moment goes behind them all.
"""

from __future__ import annotations

from typing import Final

DRAFTED: Final = "(author = 'harvest' AND status = 'draft')"
_SAID: Final = "iif(json_valid(original), json_extract(original, '$.harvest.{name}'), NULL)"
_STEPS: Final = "iif(json_valid(original), json_array_length(original, '$.harvest.links'), NULL)"
_SCOPE: Final = (
    "CASE WHEN EXISTS (SELECT 1 FROM session WHERE session.id = resolution.session_id AND session.repository = ?)"
    f" THEN 0 WHEN {_SAID.format(name='worth')} = 'general' THEN 1 ELSE 2 END"
)
HELPED_SHARE: Final = (
    "(SELECT (coalesce(sum(o.outcome = 'helped'), 0) + 1.0) / (count(*) + 2) FROM answer_outcome o"
    " WHERE o.resolution_id = resolution.id AND o.outcome IN ('helped', 'failed_again') AND o.withheld = 0)"
)
"""How often a fix helped of the times it was told and settled; ignored ones do not count."""


def answer_order(*, own: bool = False, repository: bool = False) -> str:
    """The terms of an ORDER BY. `own`: those of the searched error first; `repository`: binds it as a last value."""
    drafted = [_SCOPE] if repository else []
    drafted += [
        f"coalesce({_SAID.format(name='strength')}, '') <> 'strong'",
        f"-{HELPED_SHARE}",
        f"coalesce(nullif({_STEPS}, 0), 1000)",
    ]
    slip = f"coalesce({_SAID.format(name='worth')}, '') = 'slip'"
    terms = [
        DRAFTED,
        f"iif({DRAFTED}, {slip}, 0)",
        *(["fingerprint IS NULL"] if own else []),
        *(f"iif({DRAFTED}, {term}, 0)" for term in drafted),
        "id DESC",
    ]
    return ", ".join(terms)
