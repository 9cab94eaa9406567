"""Names of Korean people: three syllables before a title, where one other syllable is another person."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from core.align.guard.tokens import Token

_SURNAMES: Final = frozenset(
    "김이박최정강조윤장임한오서신권황안송류홍전고문양손배백허유남심노하곽성차주우구민진지엄채원천방공현함변염여추"
)
_TITLES: Final = re.compile(
    "(?:님|씨|팀장|과장|부장|차장|대리|대표|이사|사원|주임|선임|책임|수석|교수|박사|기자|의원|위원|장관|사장|회장|실장|본부장|매니저|선생|강사|"
    "연구원|변호사|판사|감독|선수|작가|개발자|담당자|관리자)[가-힣]{0,3}"
)


def people(tokens: Sequence[Token]) -> frozenset[int]:
    """Where the tokens begin that are a person's name."""
    found = {
        one.start
        for one, after in pairwise(tokens)
        if 2 <= len(one.canon) <= 4 and one.canon[0] in _SURNAMES and _TITLES.fullmatch(after.canon)
    }
    return frozenset(found)
