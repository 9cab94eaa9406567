"""What is shown of a case that was found: which of its errors and fixes, and the parts of the key line that matched."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from core.errors.retrieval.answer import Hit, Query
from core.errors.retrieval.tiers import PREFIX
from core.lexical import terms

if TYPE_CHECKING:
    from core.errors.cases.case import Case, CaseKeyLine
    from core.errors.cases.resolutions import Resolution


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


Spans = tuple[tuple[int, int], ...]
_WORD = re.compile(r"[^\W_]+")


def matched_spans(hit: Hit, query: Query) -> Spans:
    """Half-open code-point spans of `hit.key_line`, ordered and apart, that made it match.

    Fingerprint: the whole line. Exact: what it shares literally with the asked line, word by word. Prefix: the part
    that begins alike. Text: the words asked for, the last one as far as it was typed.
    """
    line = hit.key_line
    if hit.tier == "fingerprint":
        return ((0, len(line)),) if line else ()
    if hit.tier == "prefix":
        return _begins_alike(line, query.key_line)
    if hit.tier == "text":
        return _joined(_asked_words(line, query.raw))
    asked = {word.casefold() for word in _WORD.findall(query.key_line)}
    return _joined([found.span() for found in _WORD.finditer(line) if found[0].casefold() in asked])


def _begins_alike(line: str, asked: str) -> Spans:
    """The shared beginning, else (where masks hide other text) the first 30 characters."""
    shared = 0
    for ours, theirs in zip(line, asked, strict=False):
        if ours != theirs:
            break
        shared += 1
    end = shared or min(PREFIX, len(line))
    return ((0, end),) if end else ()


def _asked_words(line: str, text: str) -> list[tuple[int, int]]:
    asked = terms(text)
    spans: list[tuple[int, int]] = []
    for found in _WORD.finditer(line):
        word = found[0].casefold()
        if word in asked:
            spans.append(found.span())
        elif len(word) == len(found[0]):  # folding may lengthen a word, and then offsets would lie
            spans.extend(
                (found.start() + at, found.start() + at + len(term))
                for term in asked
                if (at := _inside(word, term)) is not None
            )
    return spans


def _inside(word: str, term: str) -> int | None:
    """Where a half-typed term stands in a word: at its beginning, and for Hangul anywhere (bigrams find it there)."""
    if word.startswith(term):
        return 0
    if len(term) > 1 and "가" <= term[0] <= "힣":
        at = word.find(term)
        return at if at >= 0 else None
    return None


def _joined(spans: list[tuple[int, int]]) -> Spans:
    """The same places, in order, overlaps joined."""
    out: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((start, end))
    return tuple(out)
