"""What is shown of a case that was searched for: at which of its errors, with which fix, and what both are to the
question."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from core.errors.cases.case import Case, CaseKeyLine
    from core.errors.cases.resolutions import Resolution
    from core.errors.retrieval.answer import Hit


@dataclass(frozen=True, slots=True)
class Standing:
    """What a case that does not answer is to what was searched.

    `error`: the error that is shown is the `same`, it `has` every word and more, or it only looks `like` it. `fix`: the
    fix that is shown is this error's `own`, that of a `sibling` in the same case, or of some `other` error; or it is
    the fix which has the words (`worded`), itself or in its tags, and the error has not.
    """

    error: Literal["same", "has", "like"]
    fix: Literal["own", "sibling", "worded", "other"]


def standing(hit: Hit | None) -> Standing:
    """What a case that no tier answers with is to the question; without a hit it was not even found by its words."""
    place = None if hit is None else hit.place
    if place is None or place.part != "error" or place.says == "some":
        return Standing("like", "worded" if place is not None and place.part in ("fix", "tag") else "other")
    return Standing("same" if place.says == "exactly" else "has", "own" if place.own_fix else "sibling")


def says_it(hit: Hit | None) -> bool:
    """Whether an error of the case is what was searched, word for word, and its fix is known."""
    return hit is not None and bool((hit.resolution or "").strip()) and standing(hit) == Standing("same", "own")


def has_every_word(hit: Hit | None) -> bool:
    """Whether the case has every word that was searched: in one of its errors, beside it, or here and there."""
    place = None if hit is None else hit.place
    if hit is None or place is None:
        return False
    from core.errors.retrieval.match_location import SCATTERED

    return place.says != "some" or SCATTERED in hit.why


def with_words(hit: Hit, words: Hit) -> Hit:
    """A hit that is no answer, at the error of its case that has the words, with the fix of that, as `words` has it."""
    return replace(
        hit, key_line=words.key_line, resolution=words.resolution, status=words.status, resolved_by=words.resolved_by,
        tool_sequence=words.tool_sequence, source=words.source, place=words.place, why=(*words.why, *hit.why),
        fix_strength=words.fix_strength, worth=words.worth, resolution_id=words.resolution_id, lesson=words.lesson,
    )  # fmt: skip


def fix_shown(case: Case, hit: Hit | None) -> Resolution | None:
    """The fix of the finer error that was asked for, which need not be the one that answers for the whole case.

    One that was decided or written anew since the search answered is still that one: whoever decides is told.
    None where the case was not asked for, or has none for that error, or by a text without a history.
    """
    if hit is None or not (hit.resolution or "").strip() or not (hit.accepted or standing(hit).fix == "own"):
        return None
    said = (one for one in case.resolutions if one.text == hit.resolution)
    mark = None if hit.place is None else hit.place.fingerprint

    def rank(one: Resolution) -> tuple[bool, bool, bool, bool, int]:
        mine = mark is None or one.fingerprint in (mark, None)
        return one.replaced_by is None, mine, one.status == hit.status, one.source == hit.source, one.id

    return max(said, key=rank, default=None)


def error_shown(case: Case, hit: Hit | None) -> CaseKeyLine | None:
    """The one of its errors that was asked for; None where that is the whole case."""
    place = None if hit is None else hit.place
    if place is None or place.fingerprint is None or place.says == "some" or len(case.fingerprints) < 2:
        return None
    return next((one for one in case.fingerprints if one.fingerprint == place.fingerprint), None)
