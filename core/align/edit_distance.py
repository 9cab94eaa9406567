"""The best place of a pattern in a text, to the character: the stretch with the fewest edits.

Bit-parallel approximate matching (Myers 1999) on Python's long integers: one step a character of the text, whatever the
pattern's length. By hand because no light library gives it: rapidfuzz answers with a window of the pattern's length,
and edlib tells only 256 symbols apart.
"""

from __future__ import annotations


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
