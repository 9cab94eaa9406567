"""Unicode normalization in linear time, also where somebody piled thousands of marks on one letter."""

from __future__ import annotations

import unicodedata
from itertools import groupby
from typing import Final, Literal

from core.base.lazy_pattern import lazy_pattern

Form = Literal["NFC", "NFD", "NFKC"]

_MANY: Final = 64
"""Code points without a plain letter among them: `unicodedata` sorts the marks of one letter in square time."""

# What holds no combining mark in long runs of real text (ASCII, Latin-1, CJK, kana, Hangul) ends a run.
_PILED = lazy_pattern(
    rf"[^\x00-\u02ff\u1100-\u11ff\u2000-\u20cf\u2100-\u2bff\u3030-\u3098\u309b-\ua66e\uac00-\ud7ff]{{{_MANY},}}+"
)


def normalized(text: str, form: Form = "NFC") -> str:
    """`text` in a Unicode normalization form; the same as `unicodedata.normalize`, in linear time."""
    return unicodedata.normalize(form, _sorted_marks(text, form))


def is_normalized(text: str, form: Form = "NFC") -> bool:
    """Whether `text` is in that form already; the same as `unicodedata.is_normalized`, in linear time."""
    if text.isascii():
        return True
    ordered = _sorted_marks(text, form)
    return unicodedata.is_normalized(form, text) if ordered is text else unicodedata.normalize(form, ordered) == text


def _sorted_marks(text: str, form: Form) -> str:
    """`text` with long piles of marks in the order that normalization gives them."""
    if text.isascii() or not _PILED.search(text):
        return text
    return _PILED.sub(lambda match: _ordered(match[0], form), text)


def _ordered(run: str, form: Form) -> str:
    # Apart letter by letter, marks in a stable order by class: what is left of the square work is nothing.
    apart = "".join(unicodedata.normalize("NFKD" if form == "NFKC" else "NFD", sign) for sign in run)
    pieces = groupby(apart, key=lambda sign: unicodedata.combining(sign) > 0)
    return "".join("".join(sorted(piece, key=unicodedata.combining) if marks else piece) for marks, piece in pieces)
