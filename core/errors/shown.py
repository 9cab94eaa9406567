"""Which of its fixes a case answers a search with."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.errors.answer import Hit
    from core.errors.case import Case
    from core.errors.resolutions import Resolution


def fix_shown(case: Case, hit: Hit | None) -> Resolution | None:
    """The fix of the finer error that was asked for, which need not be the one that answers for the whole case.

    None where the case was not asked for, or answers with none, or by a text without a history.
    """
    if hit is None or not hit.accepted or not (hit.resolution or "").strip():
        return None
    said = (one for one in case.resolutions if (one.text, one.status) == (hit.resolution, hit.status))
    still = (one for one in said if one.replaced_by is None)
    return max(still, key=lambda one: (one.source == hit.source, one.current, one.id), default=None)
