"""The places most like a quote: located by rapidfuzz, their edges made optimal, then set to whole words."""

from __future__ import annotations

from dataclasses import dataclass

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from core.align.edges import best_stretch
from core.align.view import View

LOCATE_CUTOFF = 50.0
"""Below this score of rapidfuzz (0 to 100) nothing is worth a closer look."""
LEAST_LETTERS = 8
"""A quote with fewer letters and digits is like too much: it is never aligned fuzzily."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A range of the original, and how like the quote it is: 1 - edits / the longer one's length, in folded form."""

    start: int
    end: int
    similarity: float


def likest(view: View, quote: View, most: int, cutoff: float = LOCATE_CUTOFF) -> list[Stretch]:
    """The places of a text most like the quote, apart from each other, the best first; at most `most`."""
    wanted = quote.folded.strip(" ")
    found: list[tuple[float, int, int]] = []
    gaps = [(0, len(view.folded))]
    while gaps and len(found) < most:
        best = max((place for gap in gaps if (place := _best(view.folded, wanted, gap, cutoff))), default=None)
        if best is None:
            break
        found.append(best)
        gaps = [rest for gap in gaps for rest in _around(gap, best) if rest[1] - rest[0] >= len(wanted) // 2]
    return [Stretch(*view.original_of_normal(start, end), similarity) for similarity, start, end in found]


def _around(gap: tuple[int, int], place: tuple[float, int, int]) -> list[tuple[int, int]]:
    _, start, end = place
    if end <= gap[0] or start >= gap[1]:
        return [gap]
    return [(gap[0], start), (end, gap[1])]


def _best(text: str, wanted: str, gap: tuple[int, int], cutoff: float) -> tuple[float, int, int] | None:
    """The likest place within `gap`: similarity, start, end."""
    low, high = gap
    part = text[low:high]
    if len(part) <= len(wanted):
        start, end = 0, len(part)
        if fuzz.ratio(wanted, part) < cutoff:
            return None
    else:
        located = fuzz.partial_ratio_alignment(wanted, part, score_cutoff=cutoff)
        if located is None:
            return None
        start, end = located.dest_start, located.dest_end
    pad = max(16, len(wanted) // 2)
    left = max(0, start - pad)
    window = part[left : end + pad]
    begin, stop, _ = best_stretch(wanted, window)
    begin, stop = _whole_words(part, left + begin, left + stop, wanted)
    if stop <= begin:
        return None
    return Levenshtein.normalized_similarity(wanted, part[begin:stop]), low + begin, low + stop


def _whole_words(text: str, start: int, end: int, wanted: str) -> tuple[int, int]:
    """A range moved to the nearer edge of a word that it cuts, unless the quote is cut there too."""
    while start < end and text[start] == " ":
        start += 1
    while end > start and text[end - 1] == " ":
        end -= 1
    if 0 < start < len(text) and text[start].isalnum() and text[start - 1].isalnum():
        left, right = start, start
        while left > 0 and text[left - 1].isalnum():
            left -= 1
        while right < end and text[right].isalnum():
            right += 1
        start = left if start - left <= right - start or right >= end else right
        while start < end and not text[start].isalnum() and text[start] != wanted[0]:
            start += 1
    if 0 < end < len(text) and text[end - 1].isalnum() and text[end].isalnum():
        left, right = end, end
        while left > start and text[left - 1].isalnum():
            left -= 1
        while right < len(text) and text[right].isalnum():
            right += 1
        end = right if right - end <= end - left or left <= start else left
        while end > start and not text[end - 1].isalnum() and text[end - 1] != wanted[-1]:
            end -= 1
    return start, end
