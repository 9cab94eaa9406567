"""What the Rules pane draws: the rules of one call in their order, and the reasons of one rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.rules.evaluation.label_file import Label
    from core.rules.evaluation.usage import Usage
    from core.rules.explanation.diff import Move
    from core.rules.explanation.explain import Explained
    from core.rules.explanation.highlight import LitText
    from core.rules.explanation.why_not import WhyNot
    from core.rules.format.rule import Flaw, Rule
    from core.rules.matching.answer import MatchedRule, RuleMatch
    from core.rules.matching.call import ToolCall
    from core.rules.vectors.cache_state import CacheState

RuleKey = tuple[str, str, int]
"""A rule by file, id and line."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """The rules of one call. `soon`: what the model says comes in a moment; `elsewhere`: another program makes vectors
    that lack; `moves` since the match before it, and `moved`, the same in words. `project`: whose own rules are among
    them; `texts`: the fields of the call; `every`: the rules there are, by file and id."""

    call: ToolCall
    match: RuleMatch
    files: tuple[str, ...]
    rules: int
    flaws: tuple[Flaw, ...]
    label: Label | None
    pinned: WhyNot | None = None
    moves: tuple[Move, ...] = ()
    moved: tuple[str, ...] = ()
    soon: bool = False
    elsewhere: bool = False
    project: str = ""
    texts: tuple[LitText, ...] = ()
    every: tuple[tuple[str, str], ...] = ()

    @property
    def unfinished(self) -> bool:
        """Whether the model could not answer just now."""
        return unfinished(self.match)


@dataclass(frozen=True, slots=True)
class Reasons:
    """All there is to say about one rule and one call; `cache` None: it cannot be read, and why is in `no_cache`.

    `why_not` only of a rule that is not shown.
    """

    key: RuleKey
    explained: Explained
    why_not: WhyNot | None
    cache: CacheState | None
    no_cache: str = ""
    usage: Usage | None = None


def key_of(one: MatchedRule | Rule) -> RuleKey:
    """What names a rule in the pane."""
    return one.path, one.id, one.line


def unfinished(match: RuleMatch) -> bool:
    """Whether the model could not answer just now."""
    return any(step.stage == "semantic" and step.outcome in ("failed", "timeout") for step in match.trace)
