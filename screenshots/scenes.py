"""What each picture shows: its size, its theme, and the keys that lead there."""

from __future__ import annotations

from dataclasses import dataclass

from tui.themes import DARK, LIGHT


@dataclass(frozen=True, slots=True)
class Scene:
    """One picture. `paste` is the number of a demonstration query to paste first, or None; then come the keys."""

    name: str
    width: int
    height: int
    theme: str = DARK
    paste: int | None = None
    type: str = ""
    keys: tuple[str, ...] = ()


SCENES: tuple[Scene, ...] = (
    Scene("errors-120x34-dark", 120, 34, paste=0, keys=("down", "t")),
    Scene("errors-120x34-light", 120, 34, theme=LIGHT, paste=0, keys=("down", "t")),
    Scene("errors-200x50-dark", 200, 50, paste=0, keys=("down",)),
    Scene("errors-80x24-dark", 80, 24, type="cannot", keys=("down", "down")),
    Scene("case-80x24-dark", 80, 24, paste=0, keys=("enter",)),
    Scene("evidence-120x34-dark", 120, 34, keys=("alt+2", "a")),
    Scene("evidence-200x50-dark", 200, 50, keys=("alt+2", "a")),
    Scene("evidence-80x24-dark", 80, 24, keys=("alt+2", "a")),
    Scene("rules-200x50-dark", 200, 50, keys=("alt+3", *("j",) * 36)),
    Scene("rules-120x34-light", 120, 34, theme=LIGHT, keys=("alt+3", *("j",) * 36, "enter", "j", "j")),
    Scene("rules-80x24-dark", 80, 24, keys=("alt+3", *("j",) * 36)),
    Scene("rules-typed-120x34-dark", 120, 34, keys=("alt+3", "n", "f2")),
    Scene("rules-compare-120x34-dark", 120, 34, keys=("alt+3", "v")),
    Scene("help-120x34-dark", 120, 34, keys=("f1",)),
)
