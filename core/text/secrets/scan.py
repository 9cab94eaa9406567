"""Where the scan for secrets stops: at which sign, with what around it, and which rule is asked there.

What follows a sign is tested before what precedes it: the engine skips such a branch without entering it. At one sign
only the first branch that holds is asked, so that branches of one sign must exclude each other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Final, NamedTuple

from core.base.lazy import lazy_pattern
from core.text.secrets import context as places
from core.text.secrets import fields, values
from core.text.secrets.fields import CLOSE, field_spans
from core.text.secrets.prose import identified_spans, phrase_spans
from core.text.secrets.values import Anchor, anchors, token_pattern

Span = tuple[int, int]
Rule = Callable[[str, int, int], tuple[Span, ...]]
"""Given the text and the span of the anchor (its sign and what was consumed behind it): the secrets there."""

COMMON_SIGNS: Final = "_vk-AMNP"
"""The signs that ordinary text holds most, in that order: tested first."""


class Branch(NamedTuple):
    """At `sign`, if `around` holds (a regular expression; lookbehinds see the sign), ask `rule`."""

    sign: str
    around: str
    rule: Rule


def branches() -> Iterator[Branch]:
    """All branches that begin with a rare sign."""
    yield from _names()
    yield from _places()
    yield from _commands()
    yield from _tokens()


def words() -> Iterator[Branch]:
    """Words that hold no rare sign, in lower case; `_names` has them with a capital."""
    yield Branch("pass", rf"(?![aei]){_ANNOUNCED}|[ \t]))", _field(0))
    yield Branch("secret", rf"(?![a-z]){_ANNOUNCED}|{_SPACED % 6}))", _field(0))
    yield Branch("credential", rf"s?{_ANNOUNCED}))", _field(0))
    yield Branch("auth", r"(?=\\{0,3}\"[ \t]{0,4}:)", _field(0))
    yield Branch("dapi", r"(?=[a-f0-9]{30})", _from_start(lambda text, start: _token_at(text, "dapi", start)))
    yield Branch("1//0", r"(?=[\w-]{30})", _from_start(lambda text, start: _token_at(text, "1//0", start)))
    yield Branch("dp.", r"(?=[a-z]{2,5}\.[\w.-]{40})", _from_start(lambda text, start: _token_at(text, "dp.", start)))
    for word in ("nemonic", "NEMONIC", "phrase", "PHRASE", "Phrase"):
        yield Branch(
            word,
            r"(?=[\w\\ \t\"'`(\])*]{0,24}(?:[:=]|\r?\n|\\n|[ ]is[ ]|[ ]was[ ]|[ ]for[ ]))",
            _from_start(phrase_spans),
        )


_ANNOUNCED = (
    rf"(?=[A-Za-z0-9_-]{{0,24}}+{CLOSE}"
    r"(?:[ \t]{0,8}+(?:[=:：](?![A-Za-z_-]{1,24}=[A-Za-z])|!=|%3|[,(][ ]?\\{0,3}[\"'])|>"
    r"|(?:\r?\n|\\n)[^\n]{0,60}?[vV]alue|,?[ \t]{0,8}+[\\\"']{0,4}[vV]alue"
)
"""What follows a name that announces a value, left open: each word adds when a mere blank is enough to ask."""

_SPACED = r"(?:(?<=_.{%d})|(?=[ ](?:is|was|provided|given|used|[\w.-]{20})))[ \t]"
"""A blank is enough behind `_`, as in a variable, before `is` and its like, and before a long word."""


def _any_case(word: str) -> str:
    return "".join(f"[{sign}{sign.upper()}]" if sign.isalpha() else re.escape(sign) for sign in word)


def _names() -> Iterator[Branch]:
    """The words in names that announce a secret, each met at one sign."""
    yield Branch("P", rf"(?:ass|ASS)(?![aeiAEI]){_ANNOUNCED}|[ \t]))", _field(0))
    for w in "wW":
        yield Branch(w, rf"(?<=[pP]{w})[dD]?(?![a-zA-Z]){_ANNOUNCED}|[ \t]))", _field(-1))
    for k in "kK":
        token = rf"[eE][nN](?<=[tT][oO]{k}..)(?![a-z]){_ANNOUNCED}|{_SPACED % 5}))"
        yield Branch(k, token, _field(-2))
        key = rf"[eE][yY](?![a-z])(?:(?<=[A-Za-z0-9_.-]{k}..)|(?<=[A-Za-z] {k}..)){_ANNOUNCED}|{_SPACED % 3}))"
        yield Branch(k, key, _field(0))
    yield Branch("S", rf"(?:ecret|ECRET)(?![a-z]){_ANNOUNCED}|{_SPACED % 6}))", _field(0))
    yield Branch("_", r"(?:auth|AUTH)(?=[\"']?[ \t]{0,4}[=:])", _field(1))


def _field(shift: int) -> Rule:
    def rule(text: str, start: int, end: int) -> tuple[Span, ...]:
        return field_spans(text, start + shift, end)

    return rule


def _tokens() -> Iterator[Branch]:
    """The prefixes of vendors; those met at the same sign share one branch, behind what nearly no word passes."""
    groups: dict[str, list[Anchor]] = {}
    found = anchors()
    prefixes = frozenset(anchor.before + anchor.after for anchor in found)
    for anchor in found:
        groups.setdefault(anchor.sign, []).append(anchor)
    for sign, group in groups.items():
        ends = sorted({(len(anchor.before), anchor.after) for anchor in group})
        around = "|".join(
            _behind(
                [a.before + a.after for a in group if (len(a.before), a.after) == end], end[1], _FOLLOWS.get(sign, "")
            )
            for end in ends
        )
        gate = f"{_FOLLOWS[sign]}(?:{around})" if sign in _FOLLOWS else f"(?:{around})(?=[\\w=+/.%-]{{10}})"
        yield Branch(sign, gate, _token(ends, prefixes))


_FOLLOWS = {"_": "[A-Za-z0-9-]{10}", "-": "(?<=[A-Za-z0-9]-)(?=[a-z-]{0,12}[A-Z0-9])[\\w.%-]{10}"}
"""What must follow where ordinary text often has the sign."""


def _behind(prefixes: list[str], after: str, consumed: str) -> str:
    words = "|".join(map(re.escape, prefixes))
    return f"(?<=(?:{words}).{{10}})" if consumed else f"{re.escape(after)}(?<={words})"


def _token(ends: list[tuple[int, str]], prefixes: frozenset[str]) -> Rule:
    longest_first = sorted(ends, reverse=True)

    def rule(text: str, start: int, _: int) -> tuple[Span, ...]:
        for width, after in longest_first:
            begin = start - width + 1
            prefix = text[max(0, begin) : start + 1 + len(after)]
            if prefix in prefixes and (spans := _token_at(text, prefix, begin)):
                return spans
        return ()

    return rule


def _token_at(text: str, prefix: str, begin: int) -> tuple[Span, ...]:
    match = token_pattern(prefix).match(text, begin)
    if match is None:
        return ()
    return (match.span(), *places.aws_secret_spans(text, match.end())) if prefix[0] == "A" else (match.span(),)


def _from_start(rule: Callable[[str, int], tuple[Span, ...]]) -> Rule:
    return lambda text, start, _: rule(text, start)


def _from_end(rule: Callable[[str, int], tuple[Span, ...]]) -> Rule:
    return lambda text, _, end: rule(text, end)


def _places() -> Iterator[Branch]:
    parameter = r"(?=[A-Za-z_-]{1,24}=[^\s&]{4})"
    yield Branch("K", r"(?=EY)(?<=PRIVATE K)", _from_start(values.pem_spans))
    yield Branch("P", r"rivate-Lines:(?=[ ]\d)", _from_end(values.putty_spans))
    for z in "zZ":
        word = rf"{_any_case('ation')}(?<={_any_case('authori')}{z}.{{5}})"
        yield Branch(z, rf"{word}(?=[\\\"'` \t]{{0,4}}[:=,])", _from_end(places.authorization_spans))
    word = f"(?:{_any_case('earer')}|{_any_case('asic')})"
    yield Branch("B", rf"{word}(?=[ \t]+[A-Za-z0-9._~+/=-]{{12}})", _from_end(places.scheme_spans))
    yield Branch("B", r"Y(?=[ \t])(?<=IDENTIFIED BY)", _from_end(identified_spans))
    for k in "kK":
        word = rf"[iI][eE](?<={_any_case('coo')}{k}..)"
        yield Branch(k, rf"{word}(?=[\\\"'` \t]{{0,4}}[:=])", _from_end(places.cookie_spans))
    yield Branch("k", r"(?=s\.slack\.com/|s?/\d{6}|b2/|s/catch/)(?<=[hH]ook)", _from_end(places.webhook_spans))
    for sign in "?&":
        yield Branch(sign, rf"(?:amp;)?{parameter}", _from_end(places.query_spans))
    kinds = r"(?=(?:2[abxy]?|[156y7]|gy|apr1|argon2[a-z]{1,2}|scrypt)\$)"
    yield Branch("$", kinds, _from_start(places.hash_spans))
    yield Branch("A", r"(?=[\w-]{32})(?<=\d:A)", _from_start(places.bot_spans))
    for capital in "MNO":
        around = r"[\w-]{22,27}+(?=\.[\w-]{6,7}\.[\w-]{27})"
        yield Branch(capital, around, _from_end(places.discord_spans))
    yield Branch("Q", r"~(?=[\w.~-]{30})(?<=\dQ~)", _from_start(places.azure_spans))


def _commands() -> Iterator[Branch]:
    begin = r"(?<=[\s\"']-)"
    named = rf"(?=-(?:user|auth|proxy-user|credentials)[ =]){begin}"
    yield Branch("-", named, _from_start(fields.user_flag_spans))
    words = "(?:token|secret|key|auth|credential|passphrase)"
    yield Branch("-", rf"(?=-?[a-z][a-zA-Z-]{{0,24}}?{words}[ ]){begin}", _from_start(fields.flag_spans))
    yield Branch("-", rf"(?=pass(?:in|out)?[ =][\"']?pass:){begin}", _from_start(fields.pass_argument_spans))
    yield Branch("-", rf"(?=[pPawuU][ ='\"]?[^\s-]){begin}", _from_start(fields.option_spans))
    readers = r"sudo -|docker login|podman login|gh auth|helm registry|passwd|(?:sudo )?chpasswd|cryptsetup|oras login"
    yield Branch("|", rf"(?=[ ]?(?:{readers}))", _from_start(fields.piped_spans))


_SEEN_BEHIND: Final = 320
_SEEN_AHEAD: Final = 480
_MOST_HARMLESS: Final = 200
"""Surroundings in which no rule found anything are not asked again: text that repeats itself stays cheap. The two
distances are more than any rule looks at before it says no."""


_SHORT: Final = 2_000
_FEW: Final = 3
"""So many texts that are short are scanned for the signs they hold: to compile the whole takes longer than to look one
error up. Whoever has more texts has it compiled."""


class Scan(NamedTuple):
    """A scan and the rule of each of its groups; a text without `needle` needs none of it."""

    needle: str
    pattern: re.Pattern[str]
    rules: tuple[Rule, ...]


def secret_spans(text: str) -> list[Span]:
    """The spans of all secrets of `text`; they may touch or overlap."""
    found: list[Span] = []
    for scan in _scans(text):
        if scan.needle in text and (match := scan.pattern.search(text)):
            _ask(scan, text, match, found)
    return found


def _ask(scan: Scan, text: str, first: re.Match[str], found: list[Span]) -> None:
    harmless: set[tuple[int, str]] = set()
    match: re.Match[str] | None = first
    while match:
        start, after = match.span()
        behind = max(0, start - _SEEN_BEHIND)
        around = (start - behind, text[behind : after + _SEEN_AHEAD])
        if around not in harmless:
            spans = scan.rules[(match.lastindex or 1) - 1](text, start, after)
            found += spans
            after = max(after, *(end for _, end in spans)) if spans else after
            if not spans and len(harmless) < _MOST_HARMLESS:
                harmless.add(around)
        match = scan.pattern.search(text, after)


def _scans(text: str) -> tuple[Scan, ...]:
    """The scan for all rare signs, or for those that `text` holds, which finds the same; and one for each word."""
    if len(text) >= _SHORT or len(_scans_made) >= _FEW:
        return _whole()
    return (_scan(tuple(sign for sign in _branches() if sign in text)), *_words())


@cache
def _whole() -> tuple[Scan, ...]:
    return (_scan(tuple(_branches())), *_words())


@cache
def _branches() -> dict[str, list[Branch]]:
    """The branches of each rare sign, the commonest sign first."""
    by_sign: dict[str, list[Branch]] = {}
    for branch in branches():
        by_sign.setdefault(branch.sign, []).append(branch)
    return {sign: by_sign[sign] for sign in sorted(by_sign, key=lambda sign: COMMON_SIGNS.find(sign) % 99)}


_scans_made: Final[dict[tuple[str, ...], Scan]] = {}


def _scan(signs: tuple[str, ...]) -> Scan:
    """The scan for these signs, compiled when it is first used."""
    if made := _scans_made.get(signs):
        return made
    known = _branches()
    parts = [f"{re.escape(sign)}(?:{'|'.join(branch.around + '()' for branch in known[sign])})" for sign in signs]
    rules = tuple(branch.rule for sign in signs for branch in known[sign])
    pattern = lazy_pattern("|".join(parts) or "(?!)")
    return _scans_made.setdefault(signs, Scan(signs[0] if len(signs) == 1 else "", pattern, rules))


@cache
def _words() -> tuple[Scan, ...]:
    """The scan for each word."""
    return tuple(
        Scan(word.sign, lazy_pattern(re.escape(word.sign) + word.around + "()"), (word.rule,)) for word in words()
    )
