"""Raised and lowered figures, fractions and figures in circles, in the plain form that says the same.

NFKC alone reads `10²` as 102, `1½` as 11/2 and `20①` as 201. Here a raised run gets a `^`, a lowered one behind a
figure a `_`, a fraction behind a figure a blank, and a figure in a circle brackets. The tables are those of Unicode.
"""

from __future__ import annotations

import unicodedata
from typing import Final

_RAISED_SIGNS: Final = dict(zip("⁺⁻⁼⁽⁾", "+-=()", strict=True))
_LOWERED_SIGNS: Final = dict(zip("₊₋₌₍₎", "+-=()", strict=True))
_RAISED: Final = {
    **_RAISED_SIGNS,
    **{sign: str(unicodedata.digit(sign)) for sign in "⁰¹²³⁴⁵⁶⁷⁸⁹"},
    **dict(zip("ⁱⁿᵏᵐˣ", "inkmx", strict=True)),
}
"""The letters are those of exponents; others are ordinals (`4ᵗʰ`) or marks, and stay what NFKC makes of them."""
_LOWERED: Final = {**_LOWERED_SIGNS, **{sign: str(unicodedata.digit(sign)) for sign in "₀₁₂₃₄₅₆₇₈₉"}}
_CIRCLED: Final = frozenset(map(chr, (*range(0x2460, 0x2474), 0x24EA, *range(0x3251, 0x3260), *range(0x32B1, 0x32C0))))


def plain_script(text: str, at: int) -> str:
    """What `text[at]` says in plain figures and signs, or nothing where it is no such character."""
    sign, before = text[at], text[at - 1 : at]
    if sign in _RAISED:
        return _RAISED[sign] if before in _RAISED and before else f"^{_RAISED[sign]}"
    if sign in _LOWERED:
        return f"_{_LOWERED[sign]}" if before.isdecimal() else _LOWERED[sign]
    if sign in _CIRCLED:
        return f"({unicodedata.normalize('NFKC', sign)})"
    made = unicodedata.decomposition(sign)
    if made.startswith("<fraction>"):
        blank = " " if before.isdecimal() else ""
        return blank + unicodedata.normalize("NFKC", sign).replace("\u2044", "/")
    if made.startswith("<square>") and made.endswith(("00B2", "00B3")):
        return f"{unicodedata.normalize('NFKC', sign)[:-1]}^{'2' if made.endswith('2') else '3'}"
    return ""
