"""Which of its fixes a case answers a search with."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.errors.answer import Hit
    from core.errors.case import Case
    from core.errors.resolutions import Resolution


def fix_shown(case: Case, hit: Hit | None) -> Resolution | None:
    """The fix of the finer error that was asked for, which need not be the one that answers for the whole case.

    One that was decided or written anew since the search answered is still that one: whoever decides is told.
    None where the case was not asked for, or answers with none, or by a text without a history.
    """
    if hit is None or not hit.accepted or not (hit.resolution or "").strip():
        return None
    said = (one for one in case.resolutions if one.text == hit.resolution)
    return max(
        said,
        key=lambda one: (one.replaced_by is None, one.status == hit.status, one.source == hit.source, one.id),
        default=None,
    )
