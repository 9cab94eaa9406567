"""Words that say the how-manieth: `fifth`, `twentieth`, `다섯번째`, `둘째`. A changed one is a changed number."""

from __future__ import annotations

from typing import Final

_UNITS: Final = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth"
)
_TENS: Final = "tenth twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth hundredth"
_KOREAN_UNITS: Final = (
    "첫", "두 둘", "세 셋", "네 넷", "다섯", "여섯", "일곱", "여덟", "아홉", "열", "열한 열하나", "열두 열둘",
    "열세 열셋", "열네 열넷", "열다섯", "열여섯", "열일곱", "열여덟", "열아홉", "스무 스물",
)  # fmt: skip
_KOREAN_TENS: Final = "열 스무 서른 마흔 쉰 예순 일흔 여든 아흔 백"
COUNTS: Final = {
    **{word: str(at) for at, words in enumerate(_KOREAN_UNITS, 1) for word in words.split()},
    **{word: str(10 * at) for at, word in enumerate(_KOREAN_TENS.split(), 1)},
}
"""Korean numerals that count, and stand before `번째`."""
ENGLISH: Final = {
    **{word: str(at) for at, word in enumerate(_UNITS.split(), 1)},
    **{word: str(10 * at) for at, word in enumerate(_TENS.split(), 1)},
    "thousandth": "1000",
}
ORDINALS: Final = {
    **ENGLISH,
    **{f"{word}{tail}": number for word, number in COUNTS.items() for tail in ("째", "번째")},
}
"""Each (lower case, no particle) with its number in digits."""


def same_ordinal(one: str, other: str) -> bool:
    """Whether two words say the same one: `첫째`, `첫번째`."""
    return one in ORDINALS and ORDINALS[one] == ORDINALS.get(other)


def other_ordinal(one: str, other: str) -> bool:
    """Whether two words are both ordinals, or both such numerals, and not of the same number."""
    return any(one in known and other in known and known[one] != known[other] for known in (ORDINALS, COUNTS))
