"""What each picture shows: its size, its theme, and the keys that lead there."""

from __future__ import annotations

from dataclasses import dataclass

from tui.shell.appearance import DARK, LIGHT


@dataclass(frozen=True, slots=True)
class Scene:
    """One picture. `paste` is the number of a demonstration query to paste first, or None; then come the keys.

    `meanwhile`: the fix that somebody else verifies just before the last key. `asks`: a question for the library of the
    sample notes, and what the double of a language model says to it (no model exists where pictures are drawn).
    `reads`: a folder is read into the library before. `meaning`: with the model, and the last key once it has spoken.
    `edits`: what is written in the rule file for what, before the last key. `seconds`: the picture moves; how long the
    screen is shown at the start, after the paste, and after each key (0: not at all).
    """

    name: str
    width: int
    height: int
    theme: str = DARK
    paste: int | None = None
    type: str = ""
    keys: tuple[str, ...] = ()
    meanwhile: str = ""
    reads: bool = False
    asks: tuple[str, ...] = ()
    meaning: bool = False
    edits: tuple[str, str] = ("", "")
    seconds: tuple[float, ...] = ()


_QUEUE = ("escape", "T")
_WRITING = (*_QUEUE, "j", "j", "w")
_RETRIES = (
    "What may be retried, and when do we give up?",
    "Retry only what is safe to repeat: GET, PUT, DELETE, and POST with an idempotency key [1]. ",
    "Wait 200 ms, then twice as long each time [1]. ",
    "Give up after five tries [1].",
)
_A_CALL = ("alt+3", "slash", *"git", *("down",) * 20)
_EDIT = (
    "**Root Cause**: history was rewritten by a rebase\n",
    "**Root Cause**: `git pull --allow-unrelated-histories` had joined what nobody shares, then a rebase\n",
)
_TYPED = ("alt+4", *"wait", "space", *"for", "space", *"tests")


_TOUR = ("down", "t", "T", "a", "x", "a", "escape", "alt+5")

SCENES: tuple[Scene, ...] = (
    Scene("tour-120x34-dark", 120, 34, paste=0, keys=_TOUR, seconds=(2, 4, 0, 4, 3, 2, 2, 2, 0, 5)),
    Scene("errors-120x34-dark", 120, 34, paste=0, keys=("down", "t")),
    Scene("errors-120x34-light", 120, 34, theme=LIGHT, paste=0, keys=("down", "t")),
    Scene("errors-200x50-dark", 200, 50, paste=0, keys=("down",)),
    Scene("errors-80x24-dark", 80, 24, type="cannot", keys=("down", "down")),
    Scene("case-80x24-dark", 80, 24, paste=0, keys=("enter",)),
    Scene("evidence-120x34-dark", 120, 34, keys=("alt+2", "a")),
    Scene("evidence-200x50-dark", 200, 50, keys=("alt+2", "a")),
    Scene("evidence-80x24-dark", 80, 24, keys=("alt+2", "a")),
    Scene("rules-200x50-dark", 200, 50, keys=_A_CALL),
    Scene("rules-120x34-light", 120, 34, theme=LIGHT, keys=(*_A_CALL, "enter", "j", "j")),
    Scene("rules-80x24-dark", 80, 24, keys=_A_CALL),
    Scene("rules-typed-120x34-dark", 120, 34, keys=("alt+3", "n", "f2")),
    Scene("rules-meaning-200x50-dark", 200, 50, keys=(*_A_CALL, "enter"), meaning=True),
    Scene("rules-edit-120x34-dark", 120, 34, keys=(*_A_CALL, "enter", "g"), meaning=True, edits=_EDIT),
    Scene("rules-whynot-120x34-dark", 120, 34, keys=(*_A_CALL, "w", *"backup", "enter"), meaning=True),
    Scene("rules-clusters-120x34-dark", 120, 34, keys=("alt+3", "c"), meaning=True),
    Scene("rules-compare-120x34-dark", 120, 34, keys=("alt+3", "v", "j", "j", "j", "j")),
    Scene("library-200x50-dark", 200, 50, keys=(*_TYPED, "down")),
    Scene("library-120x34-dark", 120, 34, keys=(*_TYPED, "down", "enter", "n")),
    Scene("library-80x24-dark", 80, 24, keys=(*_TYPED, "down", "J")),
    Scene("insights-200x50-dark", 200, 50, keys=("escape", "alt+5")),
    Scene("insights-120x34-dark", 120, 34, keys=("escape", "alt+5", "v")),
    Scene("insights-80x24-dark", 80, 24, keys=("escape", "alt+5")),
    Scene("deciding-120x34-dark", 120, 34, keys=(*_QUEUE, "a", "j")),
    Scene("deciding-80x24-light", 80, 24, theme=LIGHT, keys=(*_QUEUE, "space", "space")),
    Scene("writing-120x34-light", 120, 34, theme=LIGHT, keys=_WRITING),
    Scene("writing-200x50-dark", 200, 50, keys=_WRITING),
    Scene(
        "conflict-120x34-dark",
        120,
        34,
        keys=(*_WRITING, "O", "r", "colon", "space", "ctrl+s"),
        meanwhile="Import `won` from where it is now:\n\n- `../shared/format`, in `receipt.ts` too",
    ),
    Scene("history-120x34-dark", 120, 34, keys=(*_QUEUE, "a", "s", "x", "N", "u", "C")),
    Scene("asking-120x34-dark", 120, 34, keys=("alt+4", "escape", "a"), asks=_RETRIES),
    Scene("ingest-120x34-dark", 120, 34, keys=("alt+4", "escape", "I"), reads=True),
    Scene("help-120x34-dark", 120, 34, keys=("f1",)),
)
