"""Fuzzy matches of a quote: located by rapidfuzz, their edges made optimal by edit distance, then set to whole words.

Edit distance is bit-parallel approximate matching (Myers 1999) on Python's long integers: one step a character of the
text, whatever the pattern's length. By hand because no light library gives it: rapidfuzz answers with a window of the
pattern's length, and edlib tells only 256 symbols apart."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from core.align.guard.tokens import number_of
from core.align.guard.word_forms import plain_dates, same_spelling
from core.align.normalized_view import View


def best_end(pattern: str, text: str, *, anchored: bool = False) -> tuple[int, int]:
    """The end of a stretch of `text` that is fewest edits from `pattern`, and that number; the last of several.

    `anchored`: only stretches that begin where the text does; then the first of several.
    """
    size = len(pattern)
    masks: dict[str, int] = {}
    for at, letter in enumerate(pattern):
        masks[letter] = masks.get(letter, 0) | 1 << at
    whole, top, step = (1 << size) - 1, 1 << (size - 1), int(anchored)
    plus, minus, score = whole, 0, size
    best, end = size, 0
    for at, letter in enumerate(text, 1):
        mask = masks.get(letter, 0)
        vertical = mask | minus
        horizontal = (((mask & plus) + plus) ^ plus) | mask
        up = minus | ~(horizontal | plus) & whole
        down = plus & horizontal
        if up & top:
            score += 1
        elif down & top:
            score -= 1
        up, down = (up << 1 | step) & whole, down << 1 & whole
        plus = down | ~(vertical | up) & whole
        minus = up & vertical
        if score < best or (score == best and not anchored):
            best, end = score, at
    return end, best


def best_stretch(pattern: str, text: str) -> tuple[int, int, int]:
    """`start`, `end` of the stretch of `text` that is fewest edits from `pattern`, and that number of edits."""
    end, edits = best_end(pattern, text)
    if end == 0:
        return 0, 0, len(pattern)
    length, _ = best_end(pattern[::-1], text[:end][::-1], anchored=True)
    return end - length, end, edits


LOCATE_CUTOFF = 60.0
"""Below this score of rapidfuzz (0 to 100) nothing is worth a closer look."""
CERTAIN = 0.85
"""From this similarity a place is good enough to be the quote's, and near misses no longer matter."""
_LOOSE = 8.0
"""How much lower (0 to 100) rapidfuzz may score a place than its similarity says: its windows have other edges."""
_NEARBY = 24
"""Characters beyond an end that are searched for the quote's first or last word."""
_STRETCHED = 4
"""Further edits that it may cost to reach it."""
_WORD = re.compile(r"[^ ]+")
_DIGITS = re.compile(r"\d[\d,.]*(?<=\d)(?![\w-])|\d+(?=[가-힣])")
_WORDS = re.compile(r"[a-z]+|[가-힣]+")
_NUMBERS = re.compile(r"(\d) +(?=[가-힣%])")
_PERCENT: dict[str, str] = dict.fromkeys(("percent", "pct", "퍼센트", "프로"), "%")
_WORTH_COUNTING = 0.6
"""From this similarity on it is worth to compare the numbers as numbers."""
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
    needle = quote.folded.strip(" ")
    found: list[tuple[float, int, int]] = []
    gaps = [(0, len(view.folded))]
    while gaps and len(found) < most:
        best = max((place for gap in gaps if (place := _best(view.folded, needle, gap, cutoff))), default=None)
        if best is None:
            break
        found.append(best)
        if best[0] >= CERTAIN:
            # Only a place just as good matters now, and to look for no other is much faster.
            cutoff = max(cutoff, 100 * best[0] - _LOOSE)
        gaps = [rest for gap in gaps for rest in _around(gap, best) if rest[1] - rest[0] >= len(needle) // 2]
    return [Stretch(*view.original_of_normal(start, end), similarity) for similarity, start, end in found]


def _around(gap: tuple[int, int], place: tuple[float, int, int]) -> list[tuple[int, int]]:
    _, start, end = place
    if end <= gap[0] or start >= gap[1]:
        return [gap]
    return [(gap[0], start), (end, gap[1])]


def _best(text: str, needle: str, gap: tuple[int, int], cutoff: float) -> tuple[float, int, int] | None:
    """The likest place within `gap`: similarity, start, end."""
    low, high = gap
    part = text[low:high]
    if len(part) <= len(needle):
        start, end = 0, len(part)
        if fuzz.ratio(needle, part) < cutoff:
            return None
    else:
        located = fuzz.partial_ratio_alignment(needle, part, score_cutoff=cutoff)
        if located is None:
            return None
        start, end = located.dest_start, located.dest_end
    pad = max(16, len(needle) // 2)
    left = max(0, start - pad)
    window = part[left : end + pad]
    begin, stop, _ = best_stretch(needle, window)
    begin, stop = _whole_words(part, left + begin, left + stop, needle)
    if stop <= begin:
        return None
    begin, stop = _with_end_words(part, begin, stop, needle)
    return _similarity(needle, part[begin:stop]), low + begin, low + stop


def _similarity(quote: str, there: str) -> float:
    """Return 1 - edits / length of the longer text, verbatim or with numbers as digits."""
    plain = Levenshtein.normalized_similarity(quote, there)
    if plain >= CERTAIN or plain < _WORTH_COUNTING:
        return plain
    return max(plain, Levenshtein.normalized_similarity(_counted(quote), _counted(there)))


def _counted(text: str) -> str:
    """A text with its dates in one form, its number words as digits, and without a blank behind them."""
    return _NUMBERS.sub(r"\1", _WORDS.sub(lambda match: number_of(_PERCENT.get(match[0], match[0])), plain_dates(text)))


def _first(word: str) -> str:
    """A word as it is compared at the edge of a place: the number it names or begins with, else as it is."""
    found = _DIGITS.match(counted := number_of(word))
    return found[0] if found else counted


def _with_end_words(text: str, start: int, end: int, quote: str) -> tuple[int, int]:
    """Return a range extended to the quote's first and last word if they are near. By edits alone, omitting a short
    word costs no more than skipping a longer one behind it."""
    head, tail = quote.partition(" ")[0], quote.rpartition(" ")[2]
    most = Levenshtein.distance(quote, text[start:end]) + _STRETCHED
    if text[start:end].partition(" ")[0] != head:
        left = max(0, start - _NEARBY)
        words = [(left + match.start(), match[0]) for match in _WORD.finditer(text[left:start])]
        first = _first(head)
        at = next((at for at, word in reversed(words) if _first(word) == first), start)
        if at == start and words and same_spelling(words[-1][1], head):
            at = words[-1][0]
        if Levenshtein.distance(quote, text[at:end]) <= most:
            start = at
    if text[start:end].rpartition(" ")[2] != tail:
        ends = [(end + match.end(), match[0]) for match in _WORD.finditer(text[end : end + _NEARBY])]
        stop = next((at for at, word in ends if number_of(word) == number_of(tail)), end)
        if Levenshtein.distance(quote, text[start:stop]) <= most:
            end = stop
    return start, end


def _whole_words(text: str, start: int, end: int, quote: str) -> tuple[int, int]:
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
        while start < end and not text[start].isalnum() and text[start] != quote[0]:
            start += 1
    if 0 < end < len(text) and text[end - 1].isalnum() and text[end].isalnum():
        left, right = end, end
        while left > start and text[left - 1].isalnum():
            left -= 1
        while right < len(text) and text[right].isalnum():
            right += 1
        end = right if right - end <= end - left or left <= start else left
        while end > start and not text[end - 1].isalnum() and text[end - 1] != quote[-1]:
            end -= 1
    return start, end
