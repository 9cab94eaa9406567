"""Signs: what carries a meaning besides colour, in Unicode or plain ASCII; and the keys in force, by their names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from tui.actions.registry import BY_NAME, Keys, key_name, types_text

_NAMED = re.compile(r"\{([a-z]+\.[a-z_]+)\}")


@dataclass(frozen=True, slots=True)
class Mark:
    """A sign one cell wide, the token that colours it, and what it says in words."""

    sign: str
    tone: str
    words: str


MarkTable = Mapping[str, tuple[str, str, str, str]]
"""By name: the sign in Unicode and in ASCII, its token, and what it says."""


@dataclass(frozen=True, slots=True)
class Signs:
    """The signs in use. `tiers`, `statuses` and `quotes` are keyed by the core's own names, `outcomes` by a trace's.

    `plain` is whether they are ASCII; `keys` are the user's own.
    """

    tiers: Mapping[str, Mark]
    statuses: Mapping[str, Mark]
    quotes: Mapping[str, Mark]
    outcomes: Mapping[str, Mark]
    bar: str
    more: str
    times: str
    dot: str
    arrow: str
    branch: str
    last_branch: str
    stem: str
    continued: str
    unread: str
    opened: str
    closed: str
    plain: bool = False
    keys: Keys = field(default_factory=Keys)

    def mark(self, table: MarkTable, name: str) -> Mark:
        """The mark of a row of a table; a blank one where it has none."""
        sign, plain, tone, words = table.get(name, (" ", " ", "", ""))
        return Mark(plain if self.plain else sign, tone, words)

    def tier(self, name: str | None) -> Mark:
        """The mark of a search tier; a blank one for none."""
        return self.tiers.get(name or "", _BLANK)

    def status(self, name: str | None) -> Mark:
        """The mark of a case's status; `unresolved` for none."""
        return self.statuses.get(name or "unresolved", _BLANK)

    def quote(self, state: str) -> Mark:
        return self.quotes.get(state, _BLANK)

    def outcome(self, name: str) -> Mark:
        """The mark of a trace step's outcome."""
        return self.outcomes.get(name, _BLANK)

    def key(self, action_id: str) -> str:
        """The key to name for an action, one that works while typing if it has one; blank where it has none."""
        held = self.keys.of(action_id, BY_NAME[action_id].keys)
        named = next((key for key in held if not types_text(key)), held[0] if held else "")
        return key_name(named, ascii_only=self.plain) if named else ""

    def fill_keys(self, text: str) -> str:
        """A text of our own, never a foreign one, with the key in the place of each `{action}`."""
        return _NAMED.sub(lambda match: self.key(match[1]) or "(no key)", text)

    def lacks(self, text: str) -> bool:
        """Whether `text` names the key of an action that has none."""
        return any(not self.key(action_id) for action_id in _NAMED.findall(text))


_BLANK = Mark(" ", "", "")

_TIERS = {
    "fingerprint": ("=", "=", "$cb-good", "same case"),
    "exact": ("≈", "#", "$cb-good", "same kind"),
    "prefix": ("…", ">", "$cb-draft", "same beginning"),
    "vector": ("~", "~", "$cb-draft", "similar meaning"),
    "similar": ("?", "?", "$cb-dim", "similar, not a match"),
    "text": ("·", ".", "$cb-faint", "matches your words"),
}
_STATUSES = {
    "verified": ("●", "v", "$cb-good", "verified"),
    "draft": ("◐", "d", "$cb-draft", "draft"),
    "unresolved": ("○", "-", "$cb-dim", "unresolved"),
    "rejected": ("✕", "x", "$cb-bad", "rejected"),
    "noise": ("⊘", "n", "$cb-dim", "noise"),
}
_QUOTES = {
    "aligned": ("●", "v", "$cb-good", "aligned"),
    "accepted": ("✓", "+", "$cb-good", "accepted"),
    "flagged": ("!", "!", "$cb-draft", "flagged"),
    "ambiguous": ("?", "?", "$cb-draft", "ambiguous"),
    "near": ("~", "~", "$cb-bad", "near miss"),
    "failed": ("✕", "x", "$cb-bad", "failed"),
    "waiting": ("○", "-", "$cb-dim", "not aligned yet"),
    "rejected": ("–", "n", "$cb-dim", "rejected"),
}
_OUTCOMES = {
    "hit": ("✓", "+", "$cb-good", "hit"),
    "miss": ("·", ".", "$cb-dim", "miss"),
    "skipped": ("–", "-", "$cb-dim", "skipped"),
    "rejected": ("✕", "x", "$cb-draft", "rejected"),
    "failed": ("!", "!", "$cb-bad", "failed"),
    "timeout": ("!", "!", "$cb-bad", "timed out"),
}


def _marks(table: MarkTable, column: int) -> dict[str, Mark]:
    return {name: Mark(row[column], row[2], row[3]) for name, row in table.items()}


UNICODE = Signs(
    tiers=_marks(_TIERS, 0),
    statuses=_marks(_STATUSES, 0),
    quotes=_marks(_QUOTES, 0),
    outcomes=_marks(_OUTCOMES, 0),
    bar="▌",
    more="…",
    times="×",
    dot="·",
    arrow="→",
    branch="├ ",
    last_branch="└ ",
    stem="│ ",
    continued="↪",
    unread="⋯",
    opened="▾",
    closed="▸",
)
ASCII = Signs(
    tiers=_marks(_TIERS, 1),
    statuses=_marks(_STATUSES, 1),
    quotes=_marks(_QUOTES, 1),
    outcomes=_marks(_OUTCOMES, 1),
    bar=">",
    more="~",
    times="x",
    dot="-",
    arrow="->",
    branch="|-",
    last_branch="`-",
    stem="| ",
    continued=">",
    unread=":",
    opened="-",
    closed="+",
    plain=True,
)
