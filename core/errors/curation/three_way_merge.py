"""A text comes back from an editor: what changed meanwhile, here or there?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["same", "mine", "theirs", "agreed", "conflict"]


@dataclass(frozen=True, slots=True)
class ThreeWay:
    """What to do with three texts.

    `same`: nobody changed it; `mine`, `theirs`: one side did; `agreed`: both did the same; `conflict`: both did, and a
    person must choose. `text` is what stands then; at a conflict it is mine, so that saving it loses nothing typed.
    """

    verdict: Verdict
    text: str


def three_way(base: str, mine: str, theirs: str) -> ThreeWay:
    """Compare what the editor was given (`base`), what it gave back (`mine`), and what stands now (`theirs`).

    Editors add a last line break: a difference in trailing line breaks alone counts as none.
    """
    ours, started, other = (text.rstrip("\r\n") for text in (mine, base, theirs))
    if ours == started:
        return ThreeWay("same" if other == started else "theirs", theirs)
    if other == started:
        return ThreeWay("mine", mine)
    return ThreeWay("agreed", theirs) if ours == other else ThreeWay("conflict", mine)
