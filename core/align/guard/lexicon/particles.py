"""Korean words that differ by their particles alone: losing a light one says the same, swapping two does not."""

from __future__ import annotations

from typing import Final

from core.text.tokenizing import without_particle

HEAVY: Final = ("만", "까지", "부터", "보다", "밖에", "마다", "조차", "뿐")
"""Particles that turn the sense: neither lost nor gained nor swapped."""
_LIGHT_ONES: Final = (
    "은 는 이 가 을 를 의 에 에서 에게 한테 로 으로 와 과 랑 도 께 에는 에서는 에도 으로는 로는 에게는 와는 과는"
)
_LIGHT: Final = frozenset(_LIGHT_ONES.split())
_SAME: Final = {
    "은": "이", "는": "이", "가": "이", "를": "을", "으로": "로", "과": "와", "랑": "와", "한테": "에게", "께": "에게",
    "에는": "에", "에서는": "에서", "으로는": "로", "로는": "로", "에게는": "에게", "와는": "와", "과는": "와",
    "에도": "에",
}  # fmt: skip


def heavy_tail(word: str) -> str:
    """The particle at the end of a word that turns its sense, or nothing."""
    return next((tail for tail in HEAVY if word == tail or (len(word) > 2 and word.endswith(tail))), "")


def tails_of(one: str, other: str) -> tuple[str, str] | None:
    """What two Korean words have after what they share, where that is a word of its own and both are particles."""
    if not ("가" <= one[-1:] <= "힣" and "가" <= other[-1:] <= "힣"):
        return None
    for stem in sorted(
        {one, other, without_particle(one), without_particle(other)}, key=lambda stem: (len(stem), stem)
    ):
        if len(stem) > 0 and one.startswith(stem) and other.startswith(stem):
            tails = one[len(stem) :], other[len(stem) :]
            if all(tail == "" or tail in _LIGHT or tail in HEAVY for tail in tails):
                return tails
    shared = 0
    while shared < min(len(one), len(other)) and one[shared] == other[shared]:
        shared += 1
    tails = one[shared:], other[shared:]
    if shared and all(tail in _LIGHT or tail in HEAVY for tail in tails):
        return tails
    return None


def say_the_same(tails: tuple[str, str]) -> bool:
    """Whether words that differ by these particles say the same."""
    one, other = tails
    if one in HEAVY or other in HEAVY:
        return one == other
    return one == "" or other == "" or _SAME.get(one, one) == _SAME.get(other, other)
