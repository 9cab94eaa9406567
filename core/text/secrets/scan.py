"""Where the scan for secrets stops: at which sign, with what around it, and which rule is asked there.

What follows a sign is tested before what precedes it: the engine skips such a branch without entering it. At one sign
only the first branch that holds is asked, so that branches of one sign must exclude each other. Before them, the rules
for secrets behind the name of a field, in whatever notation, and behind the options of a command line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Final, NamedTuple

from core.base.lazy import lazy_pattern
from core.text.secrets import context as places
from core.text.secrets import values
from core.text.secrets.prose import Strength, identified_spans, phrase_spans, spoken_spans, strength
from core.text.secrets.values import (
    Anchor,
    Value,
    anchors,
    has_digit,
    is_encoded_login,
    is_identifier,
    is_line_start,
    is_mixed,
    is_name,
    is_prose,
    is_random,
    is_reference,
    is_stand_in,
    read_value,
    token_pattern,
)

Span = tuple[int, int]
_NAME_SIGNS: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$-")
_LONGEST_NAME: Final = 64

CLOSE: Final = r"""(?>(?:\\{0,3}["'`]|&quot;|\\u0022|%22|[\])*?]){0,4})"""
"""Possible text between a name and its separator: quotes, brackets, emphasis, the `?` of an optional field."""

_TAIL = lazy_pattern(
    rf"""(?x)
    (?P<rest>[A-Za-z0-9_-]{{0,24}}+) (?P<close>{CLOSE})
    (?: (?P<xml>>)
      | (?P<pair> (?:(?:\r?\n|\\n)[^\n]{{0,60}}?|,?[ \t]{{0,8}}+) [\\"']{{0,4}}[vV]alue[\\"']{{0,4}}
                  [ \t]{{0,4}}[:=][ \t]{{0,4}})
      | (?P<wide>[ \t]{{0,8}}+) (?P<sep>=>|:=|[=!]==?|=|:(?!:)|：|%3[AaDd]|[,(|]) (?P<gap>[ \t]{{0,8}}+)
      | (?P<blank>[ \t]{{1,8}}+)
    )
    """
)
_TYPED = lazy_pattern(r"[ \t]*[A-Za-z_][\w.\[\]|<> ?*&']{0,40}?[ \t]*=[ \t]*(?=[brufL]?\\{0,3}[\"'])")
_PHRASE = lazy_pattern(r"[\"']?(?P<words>[a-z]{2,12}(?:[ ][a-z]{2,12}){3,23})(?=[\"']?[ \t]*(?:[\n,}]|\Z))")
_BLOCK = lazy_pattern(r"[|>][-+0-9]{0,2}[ \t]*(?:\r?\n|\\n)[ \t]{1,40}+")
_CELL = lazy_pattern(r"[ \t*`]{0,4}(?P<value>[^\s|`]{6,200}+)[*`]{0,3}[ \t]*\|")
_CELL_START = lazy_pattern(r"\|[^|\n]{0,40}$")
_XML_VALUE = lazy_pattern(r"[^<\n]{1,512}+(?=</)")


class Field(NamedTuple):
    """A name, what joins it to its value, and the value.

    `sep` is the sign between them, `tight` says that no blank stands there; `in_quotes` that the name alone is
    quoted; `at_line_start` that it begins its line.
    """

    strength: Strength
    name: str
    sep: str
    tight: bool
    in_quotes: bool
    at_line_start: bool
    value: Value


def field_spans(text: str, keyword_start: int, keyword_end: int) -> tuple[Span, ...]:
    """The value that the name around `keyword_start`..`keyword_end` announces, if it is a secret."""
    tail = _TAIL.match(text, keyword_end)
    if tail is None:
        return ()
    start = _name_start(text, keyword_start)
    name = text[start : tail.end("rest")]
    kind = strength(name, text[max(0, start - 16) : start])
    if kind == "none":
        return ()
    if tail["blank"]:
        return spoken_spans(text, start, tail.end(), name, kind)
    if (phrase := _PHRASE.match(text, tail.end())) and name.casefold().endswith("phrase"):
        return (phrase.span("words"),)
    if tail["xml"]:
        return _element_spans(text, start, tail, kind)
    if tail["sep"] == "|":
        return _cell_spans(text, start, tail, kind)
    block = _BLOCK.match(text, tail.end()) if tail["sep"] == ":" else None  # the lines below a YAML key
    found = _judged(text, start, name, kind, tail, block.end() if block else tail.end())
    if not found and tail["sep"] == ":" and (typed := _TYPED.match(text, tail.end())):
        found = _judged(text, start, name, kind, tail, typed.end())  # token: str = "…"
    return found


def _name_start(text: str, start: int) -> int:
    stop = max(0, start - _LONGEST_NAME)
    while start > stop and text[start - 1] in _NAME_SIGNS:
        start -= 1
    return start + 1 if start and text[start - 1] == "\\" and text[start] in "nrt" else start


def _element_spans(text: str, start: int, tail: re.Match[str], kind: Strength) -> tuple[Span, ...]:
    """`<password>…</password>` and `<entry key="password">…</entry>`."""
    match = _XML_VALUE.match(text, tail.end())
    opened = text[start - 1 : start]
    if match is None or not (opened in ("<", ":") or (tail["close"] and opened in ('"', "'"))):
        return ()
    value = match[0]
    if is_stand_in(value) or is_name(value) or is_prose(value):
        return ()
    sure = kind == "password" and not tail["close"]
    return (match.span(),) if sure or is_mixed(value) else ()


def _cell_spans(text: str, start: int, tail: re.Match[str], kind: Strength) -> tuple[Span, ...]:
    """The next cell of a Markdown table whose cell holds the name."""
    cell = _CELL.match(text, tail.end())
    if cell is None or not _CELL_START.search(text, max(0, start - 60), start):
        return ()
    value = cell["value"]
    if is_stand_in(value) or is_name(value) or is_reference(value) or is_identifier(value):
        return ()
    fits = is_mixed(value) and has_digit(value) if kind == "password" else is_random(value, 12)
    return (cell.span("value"),) if fits else ()


def _judged(text: str, start: int, name: str, kind: Strength, tail: re.Match[str], at: int) -> tuple[Span, ...]:
    at_line_start = is_line_start(text, start)
    value = read_value(text, at, whole_line=at_line_start, spaced=bool(tail["gap"]))
    if value is None or text[max(0, start - 2) : start] == "::":
        return ()
    opened = text[start - 1 : start] if start else ""
    closing = not tail["close"] and value.quoted and opened in ('"', "'", "`") and text[value.start - 1] == opened
    if closing and (text[value.start - 2] != "\\" or text[start - 2 : start - 1] == "\\"):
        return ()  # 'Password: ' is a text of its own: the quote closes it
    tight = not tail["wide"] and not tail["gap"]
    if field_name_follows(text, value, tail["sep"]):
        return ()
    field = Field(kind, name, tail["sep"] or "value", tight, bool(tail["close"]), at_line_start, value)
    return (value.span,) if is_secret(field) else ()


_NEXT_NAME = lazy_pattern(r"""\\{0,3}["'][ \t]{0,4}:""")


def field_name_follows(text: str, value: Value, sep: str) -> bool:
    """Whether quotes hold no value: they hold the name of the next field, or part one text from the next."""
    if not value.quoted:
        return False
    return value.text[:1].isspace() or (sep == "," and bool(_NEXT_NAME.match(text, value.end)))


def is_secret(field: Field) -> bool:
    """Whether the value of `field` is a secret, by how telling the name is and how the value looks."""
    value = field.value.text
    if value[:1] in ("/", "~") and field.name.casefold().endswith("pwd"):
        return False  # the working directory
    if is_stand_in(value) or is_name(value) or value.casefold() == field.name.casefold():
        return False
    if is_reference(value) or (not field.value.quoted and field.value.follows in ("(", "[")):
        return False
    if field.sep in (",", "("):  # get("api_key", "…"), but also lists of names and captions
        return _is_second(field)
    return _is_password(field) if field.strength == "password" else _is_token(field)


def _is_second(field: Field) -> bool:
    """A value that follows its name as the next item: an argument, a default."""
    value = field.value.text
    if not field.value.quoted or is_prose(value) or not (field.in_quotes or field.name.startswith("-")):
        return False
    if field.strength == "password":
        return len(value) >= 4 and (is_mixed(value) or field.name.isupper() or field.name.startswith("-"))
    return len(value) >= 6 and is_mixed(value) and not is_identifier(value)


def _is_password(field: Field) -> bool:
    value = field.value.text
    if field.value.quoted or field.sep == "value":
        return not is_prose(value) or (field.name.isupper() and field.tight and field.sep == "=")
    if value.isdigit():
        return len(value) >= 4 and not field.in_quotes
    if field.tight and field.sep in ("=", "%3D", "%3d"):
        return not (is_identifier(value) and field.value.follows in (",", ")") and not has_digit(value))
    if field.sep == "=" and field.value.follows == ";":
        return False  # a statement: its literals would be quoted
    if is_mixed(value):
        return len(value) >= 4 and not (is_identifier(value) and value.isupper())
    word = value.isalpha() and len(value) >= 5 and field.at_line_start and field.value.ends_line
    return field.sep in (":", "：") and not field.tight and word


def _is_token(field: Field) -> bool:
    value = field.value.text
    variable = field.name.isupper() and field.tight and field.sep == "="
    secret = field.strength == "compound" or "secret" in field.name.casefold()
    if len(value) < (4 if variable else 6 if secret else 8) or " " in value:
        return False
    if field.name.casefold().endswith("auth") and is_encoded_login(value):
        return True
    literal = field.value.quoted or field.sep == "value"
    if not literal and (is_identifier(value) or (field.sep == "=" and field.value.follows == ";" and not field.tight)):
        return variable and value.isalpha() and len(value) >= 12
    if is_random(value, 12):
        return True
    if not is_mixed(value) or not has_digit(value):
        return False
    if literal or (field.tight and field.sep != ":"):
        return not (is_identifier(value) and field.strength == "plain")
    return field.value.ends_line and not is_identifier(value)


_COMMAND = r"(?:\b|(?<=\\n))"
_OPTIONS = {
    "p": lazy_pattern(
        _COMMAND
        + r"(?:mysql\w*|mariadb\w*|sshpass|(?:docker|podman|buildah|skopeo|nerdctl|oc|az|az acr|helm registry) login"
        r"|twine upload|mongo\w*|rabbitmqadmin|cqlsh|vncviewer|7z\w*|ftp|lftp|sqlplus|isql)\b"
    ),
    "P": lazy_pattern(_COMMAND + r"(?:sqlcmd|bcp|zip|unzip|tsql|osql|mosquitto_\w+|ipmitool|pdftk)\b"),
    "a": lazy_pattern(_COMMAND + r"redis-cli\b|(?:^|[\s$])(?:https?|xhs?)\s"),
    "w": lazy_pattern(_COMMAND + r"(?:ldap\w+|rsync)\b"),
    "u": lazy_pattern(_COMMAND + r"(?:curl|wget|nexus|jf)\b"),
    "U": lazy_pattern(_COMMAND + r"(?:smbclient|rpcclient|net|curl)\b"),
}
_VALUE = lazy_pattern(r"""[ =]?(?:\\{0,3}["'](?P<quoted>[^"'\n\\]{1,200}+)|(?P<bare>[^\s"'|;&<>\\]{1,200}+))""")
_USER = lazy_pattern(
    r"[ =]*+(?:\\{0,3}[\"'][^\s:%\"']{0,64}+[:%](?P<quoted>[^\"'\n\\]{1,200}+)"
    r"|[^\s:%\"']{0,64}+[:%](?P<value>[^\s\"'|;&<>]{1,200}+))"
)


def option_spans(text: str, at: int) -> tuple[Span, ...]:
    """The value of the one-letter option whose dash is at `at`, behind a command that takes a password there."""
    letter = text[at + 1]
    line = text[max(0, text.rfind("\n", max(0, at - 300), at), at - 300) : at]
    command = re.split(r"[|;&]", line)[-1]
    if not _OPTIONS[letter].search(command):
        return ()
    match = (_USER if letter in "uU" or (letter == "a" and "redis" not in command) else _VALUE).match(text, at + 2)
    if match is None:
        return ()
    group = match.lastgroup or "value"
    value = match[group]
    separate = text[at + 2] == " "
    if is_stand_in(value) or value.startswith("-") or (separate and value.replace(":", "").isdigit()):
        return ()
    if letter == "p" and separate and ("mysql" in command or "mariadb" in command):
        return ()  # the password of `mysql -p` stands without a blank; what follows is a database
    return (match.span(group),)


_CURL = lazy_pattern(_COMMAND + r"curl(?:\.exe)?\s")
_BUNDLE = lazy_pattern(r"-[a-zA-Z#0-9]{0,8}(?P<letter>[ubU])(?=[ ='\"])")


def curl_spans(text: str, at: int) -> tuple[Span, ...]:
    """The password or the cookies behind options of curl written as one (`-sSu name:password`) at `at`."""
    bundle = _BUNDLE.match(text, at)
    line = text[max(0, text.rfind("\n", max(0, at - 300), at), at - 300) : at]
    if bundle is None or not _CURL.search(re.split(r"[|;&]", line)[-1]):
        return ()
    if bundle["letter"] == "b":
        return places.cookie_flag_spans(text, bundle.end())
    match = _USER.match(text, bundle.end())
    if match is None:
        return ()
    group = match.lastgroup or "value"
    return () if is_stand_in(match[group]) or match[group].startswith("//") else (match.span(group),)


_USER_FLAG = lazy_pattern(
    r"--(?:user|auth|proxy-user|credentials)[ =](?:[\"'][^\s:\"'@/]{0,64}+:(?P<quoted>[^\"'\n\\]{1,200}+)"
    r"|[^\s:\"'@/]{0,64}+:(?P<value>[^\s\"'|;&<>]{1,200}+))"
)


def user_flag_spans(text: str, at: int) -> tuple[Span, ...]:
    """The password of `--user name:password` at `at`."""
    match = _USER_FLAG.match(text, at)
    if match is None:
        return ()
    group = match.lastgroup or "value"
    return () if is_stand_in(match[group]) or match[group].isdigit() else (match.span(group),)


_ECHOED = lazy_pattern(
    r"(?:echo|printf)(?: -\w+)*[ ]+(?:[\"'](?:%s\\n[\"'] [\"'])?(?P<quoted>[^\"'\n]{2,200}+)[\"']"
    r"|(?P<bare>[^\s\"'|]{2,200}+))[ ]*$"
)


def piped_spans(text: str, at: int) -> tuple[Span, ...]:
    """What is echoed into the pipe at `at`, in front of a command that reads a password."""
    line = text[max(0, text.rfind("\n", max(0, at - 240), at) + 1, at - 240) : at]
    match = _ECHOED.search(line)
    if match is None:
        return ()
    group = match.lastgroup or "bare"
    begin, end = match.span(group)
    begin += match[group].replace("\\n", "  ").find(":") + 1 if "chpasswd" in text[at : at + 20] else 0
    offset = at - len(line)
    return () if is_stand_in(line[begin:end]) else ((offset + begin, offset + end),)


_PASS_ARGUMENT = lazy_pattern(r"-pass(?:in|out)?[ =][\"']?pass:(?P<value>[^\s\"'|;&<>]{3,200}+)")


def pass_argument_spans(text: str, at: int) -> tuple[Span, ...]:
    """openssl's `-passin pass:…` at `at`."""
    match = _PASS_ARGUMENT.match(text, at)
    return (match.span("value"),) if match and not is_stand_in(match["value"]) else ()


_FLAG_WORD = lazy_pattern(r"(?i)(?:passphrase|token|secret|key|auth|credential|bearer)(?=[ ])")


def flag_spans(text: str, at: int) -> tuple[Span, ...]:
    """The value of `--token …` and its like, whose first dash is at `at`."""
    match = _FLAG_WORD.search(text, at, at + 48)
    return field_spans(text, *match.span()) if match else ()


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
    yield Branch("identified by", r"(?=[ \t])", _from_end(identified_spans))
    for word in ("nemonic", "NEMONIC", "phrase", "PHRASE", "Phrase"):
        yield Branch(
            word,
            r"(?=[\w\\ \t\"'`(\])*]{0,24}(?:[:=]|\r?\n|\\n|[ ]is[ ]|[ ]was[ ]|[ ]for[ ]))",
            _from_start(phrase_spans),
        )


_ANNOUNCED = (
    rf"(?=[A-Za-z0-9_-]{{0,24}}+{CLOSE}"
    r"(?:[ \t]{0,8}+(?:[=:：|](?![A-Za-z_-]{1,24}=[A-Za-z])|!=|%3|[,(][ ]?\\{0,3}[\"'])|>"
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


_FOLLOWS = {
    "_": "(?:[A-Za-z0-9-]{10}|(?=[a-z_.+/=-]{0,24}[A-Z0-9])[\\w.+/=-]{10})",
    "-": "(?<=[A-Za-z0-9]-)(?=[a-z_.-]{0,12}[A-Z0-9])[\\w.%-]{10}",
}
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
    if prefix[0] == "A":
        return (match.span(), *places.aws_secret_spans(text, match.end()))
    return (
        (match.span(), *values.wrapped_spans(text, match.end())) if prefix in values.ENCODED_KEYS else (match.span(),)
    )


def _from_start(rule: Callable[[str, int], tuple[Span, ...]]) -> Rule:
    return lambda text, start, _: rule(text, start)


def _from_end(rule: Callable[[str, int], tuple[Span, ...]]) -> Rule:
    return lambda text, _, end: rule(text, end)


def _places() -> Iterator[Branch]:
    parameter = r"(?=[A-Za-z_-]{1,24}=[^\s&]{4})"
    key = r"(?=EY)(?:(?<=PRIVATE[ +]K)|(?<=PRIVATE%20K))"
    yield Branch("K", key, _from_start(values.pem_spans))
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
    yield Branch("-", named, _from_start(user_flag_spans))
    words = "(?:token|secret|key|auth|credential|passphrase|bearer)"
    yield Branch("-", rf"(?=-?[a-z][a-zA-Z0-9-]{{0,24}}?{words}[ ]){begin}", _from_start(flag_spans))
    yield Branch("-", rf"(?=pass(?:in|out)?[ =][\"']?pass:){begin}", _from_start(pass_argument_spans))
    yield Branch("-", rf"(?=-cookie[ =]){begin}", _from_start(lambda text, at: places.cookie_flag_spans(text, at + 8)))
    yield Branch("-", rf"(?=[pPawuU][ ='\"]?[^\s-]){begin}", _from_start(option_spans))
    yield Branch("-", rf"(?=[a-zA-Z#0-9]{{0,8}}[ubU][ ='\"]){begin}", _from_start(curl_spans))
    readers = r"sudo -|docker login|podman login|gh auth|helm registry|passwd|(?:sudo )?chpasswd|cryptsetup|oras login"
    yield Branch("|", rf"(?=[ ]?(?:{readers}))", _from_start(piped_spans))


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
        # By place, not by name: most texts are short, and have no such word.
        if scan[0] in text and (match := scan[1].search(text)):
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
    return tuple(
        Scan(word.sign, lazy_pattern(re.escape(word.sign) + word.around + "()"), (word.rule,)) for word in words()
    )
