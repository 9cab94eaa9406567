"""Secrets behind the name of a field, in whatever notation, and behind the options of a command line."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from core.base.lazy import lazy_pattern
from core.text.secrets.prose import Strength, spoken_spans, strength
from core.text.secrets.values import (
    Value,
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
)

Span = tuple[int, int]
_NAME_SIGNS: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$-")
_LONGEST_NAME: Final = 64

CLOSE: Final = r"""(?>(?:\\{0,3}["'`]|&quot;|\\u0022|[\])*?]){0,4})"""
"""Possible text between a name and its separator: quotes, brackets, emphasis, the `?` of an optional field."""

_TAIL = lazy_pattern(
    rf"""(?x)
    (?P<rest>[A-Za-z0-9_-]{{0,24}}+) (?P<close>{CLOSE})
    (?: (?P<xml>>)
      | (?P<pair> (?:(?:\r?\n|\\n)[^\n]{{0,60}}?|,?[ \t]{{0,8}}+) [\\"']{{0,4}}[vV]alue[\\"']{{0,4}}
                  [ \t]{{0,4}}[:=][ \t]{{0,4}})
      | (?P<wide>[ \t]{{0,8}}+) (?P<sep>=>|:=|[=!]==?|=|:(?!:)|：|%3[AaDd]|[,(]) (?P<gap>[ \t]{{0,8}}+)
      | (?P<blank>[ \t]{{1,8}}+)
    )
    """
)
_TYPED = lazy_pattern(r"[ \t]*[A-Za-z_][\w.\[\]|<> ?*&']{0,40}?[ \t]*=[ \t]*(?=[brufL]?\\{0,3}[\"'])")
_PHRASE = lazy_pattern(r"[\"']?(?P<words>[a-z]{2,12}(?:[ ][a-z]{2,12}){3,23})(?=[\"']?[ \t]*(?:[\n,}]|\Z))")
_XML_VALUE = lazy_pattern(r"[^<\n]{1,512}+(?=</)")


class Field(NamedTuple):
    """A name, what joins it to its value, and the value.

    `sep` is the sign between them, `tight` says that no blank stands there; `in_quotes` that the name alone is
    quoted; `leads` that it begins its line.
    """

    strength: Strength
    name: str
    sep: str
    tight: bool
    in_quotes: bool
    leads: bool
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
    found = _judged(text, start, name, kind, tail, tail.end())
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


def _judged(text: str, start: int, name: str, kind: Strength, tail: re.Match[str], at: int) -> tuple[Span, ...]:
    leads = is_line_start(text, start)
    value = read_value(text, at, whole_line=leads, spaced=bool(tail["gap"]))
    if value is None or text[max(0, start - 2) : start] == "::":
        return ()
    opened = text[start - 1 : start] if start else ""
    closing = not tail["close"] and value.quoted and opened in ('"', "'", "`") and text[value.start - 1] == opened
    if closing and (text[value.start - 2] != "\\" or text[start - 2 : start - 1] == "\\"):
        return ()  # 'Password: ' is a text of its own: the quote closes it
    tight = not tail["wide"] and not tail["gap"]
    field = Field(kind, name, tail["sep"] or "value", tight, bool(tail["close"]), leads, value)
    return (value.span,) if is_secret(field) else ()


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
    word = value.isalpha() and len(value) >= 5 and field.leads and field.value.ends_line
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
    "a": lazy_pattern(_COMMAND + r"redis-cli\b|(?:^|[\s$])https?\s"),
    "w": lazy_pattern(_COMMAND + r"(?:ldap\w+|rsync)\b"),
    "u": lazy_pattern(_COMMAND + r"(?:curl|wget|nexus|jf)\b"),
    "U": lazy_pattern(_COMMAND + r"(?:smbclient|rpcclient|net|curl)\b"),
}
_VALUE = lazy_pattern(r"""[ =]?(?:\\{0,3}["'](?P<quoted>[^"'\n\\]{1,200}+)|(?P<bare>[^\s"'|;&<>\\]{1,200}+))""")
_USER = lazy_pattern(r"[ =]++[\"']?[^\s:\"']{0,64}+[:%](?P<value>[^\s\"'|;&<>]{1,200}+)")


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


_USER_FLAG = lazy_pattern(
    r"--(?:user|auth|proxy-user|credentials)[ =][\"']?[^\s:\"'@/]{0,64}+:(?P<value>[^\s\"'|;&<>]{1,200}+)"
)


def user_flag_spans(text: str, at: int) -> tuple[Span, ...]:
    """The password of `--user name:password` at `at`."""
    match = _USER_FLAG.match(text, at)
    return (match.span("value"),) if match and not is_stand_in(match["value"]) and not match["value"].isdigit() else ()


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


_FLAG_WORD = lazy_pattern(r"(?i)(?:passphrase|token|secret|key|auth|credential)(?=[ ])")


def flag_spans(text: str, at: int) -> tuple[Span, ...]:
    """The value of `--token …` and its like, whose first dash is at `at`."""
    match = _FLAG_WORD.search(text, at, at + 48)
    return field_spans(text, *match.span()) if match else ()
