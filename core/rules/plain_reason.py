"""One plain sentence that says why a rule is shown for a tool call, or why it is not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from core.rules.format.snippets import FULL
from core.rules.matching.api import MatchedRule, RuleMatch

_FACTOR: Final = re.compile(r"^(.{1,300}): x (\d\.\d\d)$", re.DOTALL)
"""A reason of a match with its factor, as `core.rules.matching.score.Context.times` writes it."""
_CURE: Final = re.compile(r"^the call already contains (\d{1,3})% of the fix (.*)$", re.DOTALL)
_SHARES = "shares "
_LOOKS_LIKE = "the call looks like "
_NEAR = 0.5
"""The similarity from which call and rule are called close in meaning: there it outweighs shared words."""
_JUST = 0.03
"""A score that is less than this above the cut-off is called weak: by so much two runs of the model may differ."""
_WORDS, _LONG = 3, 60

FACTORS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "the call is read-only": "The call only reads, and the rule is about changing something.",
        "the call writes prose": "The call writes prose, and the rule is about code.",
        "the call describes itself as read-only": "The call's description says that it only reads.",
        "few of the rule's code snippets are in the call": "The call has little of the rule's example code.",
        "none of the rule's code snippets are in the call": "The call has none of the rule's example code.",
        "another rule shares more words with the call": "{words} shares more words with the call.",
        "another rule is closer in meaning": "{meaning} is closer to the call in meaning.",
        "behind the first rule": "{first} matches the call much better.",
    }
)
"""The beginning of a reason that lowers a score, and its sentence; the braces name another rule of the match."""


def plain_reason(one: MatchedRule, match: RuleMatch) -> str:
    """Why this rule of the match is shown, or why it is not: one sentence."""
    if any(other is one or _key(other) == _key(one) for other in match.rules):
        return _shown(one, match.cutoff)
    if one.relevance_score >= match.cutoff:
        if any(other.id == one.id for other in match.rules):
            return "Another rule with this id matches the call better."
        count = len(match.rules)
        return f"The rule applies, but at most {count} rule{'s'[: count != 1]} can be shown."
    factors = sorted(_factors(one.why), key=lambda factor: factor[1])
    lowered = one.context > 0 and one.relevance_score / one.context >= match.cutoff
    if factors and factors[0][1] < 1 and (lowered or not one.context):
        return _lowered(factors[0][0], one, match)
    words = _shared(one)
    if not words:
        return "The call and the rule have no words in common."
    return f"The call and the rule share too little: only {_listed(words)}."


def _key(one: MatchedRule) -> tuple[str, str, int]:
    return one.path, one.id, one.line


def _shown(one: MatchedRule, cutoff: float) -> str:
    """What speaks for the rule: its code, else a pattern, else the meaning, else shared words."""
    if one.match_type == "exact":
        return f"{one.why[0][0].upper()}{one.why[0][1:]}."
    code = next((hit for hit in one.hits if hit.source == "code"), None)
    pattern = next((why.removeprefix(_LOOKS_LIKE) for why in one.why if why.startswith(_LOOKS_LIKE)), "")
    if code is not None and len(code.term) <= _LONG:
        part = "" if code.score >= FULL else "part of "
        reason = f"the call contains {part}the rule's example `{code.term}`"
    elif code is not None:
        reason = f"the call contains {'the' if code.score >= FULL else 'part of the'} code that the rule shows"
    elif pattern:
        reason = f"the call looks like {pattern}, which the rule is about"
    elif one.similarity is not None and one.similarity >= _NEAR:
        reason = "the call and the rule are close in meaning"
    elif words := _shared(one):
        reason = f"the call and the rule share {_listed(words)}"
    else:
        reason = "the call and the rule are similar in meaning"
    weak = one.relevance_score < cutoff + _JUST
    return f"Weak match: {reason}." if weak else f"{reason[0].upper()}{reason[1:]}."


def _lowered(reason: str, one: MatchedRule, match: RuleMatch) -> str:
    """The sentence of the reason that lowered the score most; the reason itself where it has none."""
    if cure := _CURE.match(reason):
        share = "all" if cure[1] == "100" else "most" if int(cure[1]) >= 50 else "part"
        fix = f": `{cure[2]}`" if len(cure[2]) <= _LONG else ""
        return f"The call already contains {share} of the rule's fix{fix}."
    sentence = next((text for start, text in FACTORS.items() if reason.startswith(start)), "")
    if not sentence:
        return f"{reason[0].upper()}{reason[1:]}."
    others = [other for other in (*match.rules, *match.below) if _key(other) != _key(one)]
    first = others[0].id if others else "Another rule"
    most = max(others, key=lambda other: other.keyword_score, default=None)
    nearest = max(others, key=lambda other: other.similarity or 0.0, default=None)
    words = most.id if most is not None and most.keyword_score > one.keyword_score else "Another rule"
    meaning = nearest.id if nearest is not None and (nearest.similarity or 0) > (one.similarity or 0) else words
    return sentence.format(words=words, meaning=meaning, first=first)


def _factors(why: Iterable[str]) -> Iterable[tuple[str, float]]:
    """The reasons that changed the score, each with its factor."""
    for reason in why:
        if found := _FACTOR.match(reason):
            yield found[1], float(found[2])


def _shared(one: MatchedRule) -> Sequence[str]:
    """The shared words, as they are written."""
    shared = next((why.removeprefix(_SHARES) for why in one.why if why.startswith(_SHARES)), "")
    return [word for word in shared.split(", ") if word]


def _listed(words: Sequence[str]) -> str:
    named = [f"“{word}”" for word in words[:_WORDS]]
    more = ["more"] if len(words) > _WORDS else []
    return " and ".join(part for part in (", ".join([*named, *more][:-1]), [*named, *more][-1]) if part)
