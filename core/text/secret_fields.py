"""Secrets that a name announces: `password=…`, `"apiKey": "…"`, `--token …`, `<password>…`, `비밀번호: …`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from core.text.secret_names import Strength, strength
from core.text.secret_values import (
    is_identifier,
    is_mixed,
    is_name,
    is_prose,
    is_random,
    is_reference,
    is_stand_in,
)

Span = tuple[int, int]
_NAME_SIGNS: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$-")
_LONGEST_NAME: Final = 64
_LONGEST: Final = 20_000

CLOSE: Final = r"""(?:\\{0,3}["'`]|&quot;|\\u0022|[\])*?]){0,4}+"""
_TAIL = re.compile(
    rf"""(?x)
    (?P<rest>[A-Za-z0-9_-]{{0,24}}+) (?P<close>{CLOSE})
    (?: (?P<xml>>)
      | (?P<pair>,?\s{{0,40}}+["']?(?:value|Value|VALUE)["']?[ \t]{{0,4}}[:=][ \t]{{0,4}})
      | (?P<wide>[ \t]{{0,8}}+) (?P<sep>=>|:=|[=!]==?|=|:(?!:)|：|%3[AaDd]|[,(]) (?P<gap>[ \t]{{0,8}}+)
      | (?P<blank>[ \t]{{1,8}}+)
    )
    """
)
_TYPED = re.compile(r"[ \t]*[A-Za-z_][\w.\[\]|<> ?*&']{0,40}?[ \t]*=[ \t]*(?=[brufL]?[\"'])")
_QUOTED = re.compile(
    r"""(?x) [brufL@$]{0,2}
    (?: (?P<escaped>\\{1,3}["']) (?P<a>[^"'\\\n]{0,512}+)
      | "(?P<b>(?:[^"\\\n]|\\.){0,512}+)
      | '(?P<c>(?:[^'\\\n]|\\.){0,512}+)
      | `(?P<d>[^`\n]{0,512}+)
      | &quot;(?P<e>[^&\n]{0,512}+)
      | \\u0022(?P<f>[^\\\n]{0,512}+)
    )"""
)
_BARE = re.compile(r"[^\s\"'`<>\\,;&(){}\[\]|\u25ae][^\s\"'`<>\\,;&(){}\[\]|]{0,511}+")
_WHOLE = re.compile(r"[^\s\"'`<>\\]{1,512}+(?=[ \t]*(?:#[^\n]*)?(?:\n|\r|\Z))")
_MORE_FIELDS = re.compile(r"[&;,][A-Za-z_ ]{1,30}=")
_LINE_HEAD = re.compile(
    r"[\s>|+\-#$*%0-9]{0,24}(?:(?:export|set|setx|ENV|ARG|declare -x|readonly|local) )?[\"']?(?:\$env:)?$"
)


@dataclass(frozen=True, slots=True)
class Field:
    """A name, what joins it to its value, and the value; `sep` is `" "` for a flag, `=`/`:`… else."""

    strength: Strength
    name: str
    sep: str
    tight: bool
    quoted: bool
    value: str
    leads: bool
    alone: bool
    follows: str


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
        return _after_blank(text, start, tail.end(), name, kind)
    if tail["xml"]:
        if text[start - 1 : start] not in ("<", ":", '"', "'"):
            return ()
    span = _value_span(text, tail.end(), start, name, kind, tail)
    if span or tail["sep"] != ":":
        return span
    typed = _TYPED.match(text, tail.end())
    return _value_span(text, typed.end(), start, name, kind, tail) if typed else ()


def _name_start(text: str, start: int) -> int:
    stop = max(0, start - _LONGEST_NAME)
    while start > stop and text[start - 1] in _NAME_SIGNS:
        start -= 1
    if start and text[start - 1] == "\\" and text[start] in "nrt":
        start += 1
    return start


def _value_span(
    text: str, at: int, name_start: int, name: str, kind: Strength, tail: re.Match[str]
) -> tuple[Span, ...]:
    leads = _leads_line(text, name_start)
    if quoted := _QUOTED.match(text, at):
        group = quoted.lastgroup or "b"
        begin, end = quoted.span(group)
    else:
        bare = _BARE.match(text, at)
        if bare is None:
            return ()
        begin, end = bare.span()
        whole = _WHOLE.match(text, at) if leads else None
        if whole and not _MORE_FIELDS.search(whole[0]) and text[end : end + 1] not in ("(", "["):
            begin, end = whole.span()
        end -= len(text[begin:end]) - len(text[begin:end].rstrip(".,;:!" if tail["gap"] else ",;"))
    sep = tail["sep"] or (">" if tail["xml"] else "value")
    rest = text[end : end + 40]
    field = Field(
        kind, name, sep, not tail["wide"] and not tail["gap"], bool(quoted), text[begin:end], leads,
        bool(re.match(r"[\"'`,;)}\]\\]{0,3}[ \t]*(?:\n|\r|\Z|#|\\n)", rest)), rest[:1],
    )  # fmt: skip
    return ((begin, _whole_run(text, begin, end, bool(quoted))),) if is_secret(field) else ()


def _whole_run(text: str, begin: int, end: int, quoted: bool) -> int:
    """The end of a value that was only read up to a limit."""
    if end - begin < 511:
        return end
    match = re.compile(r"[^\"'`\n]*" if quoted else r"[^\s\"'`,;&<>]*").match(text, end, end + _LONGEST)
    return match.end() if match else end


def _leads_line(text: str, start: int) -> bool:
    line = text.rfind("\n", max(0, start - 60), start) + 1
    return (line > 0 or start <= 60) and bool(_LINE_HEAD.match(text[line:start]))


def _after_blank(text: str, start: int, at: int, name: str, kind: Strength) -> tuple[Span, ...]:
    """A value after nothing but blanks: only behind a flag, a setting verb, in .netrc, or quoted after PASSWORD."""
    before = text[max(0, start - 60) : start]
    flag = name.startswith("-")
    quoted = _QUOTED.match(text, at)
    if quoted:
        begin, end = quoted.span(quoted.lastgroup or "b")
        if not (flag or (kind == "password" and text[start - 1 : start] not in ('"', "'", "`"))):
            return ()
    else:
        bare = re.compile(r"[^\s\"'`<>|\\&;]{1,512}+").match(text, at)
        if bare is None or bare[0].startswith("-"):
            return ()
        begin, end = bare.span()
        end -= len(bare[0]) - len(bare[0].rstrip(".,;:)"))
        if not (flag or _SETTING.search(before)):
            return ()
        if flag and bare[0].isupper() and bare[0].replace("_", "").isalpha():
            return ()  # --password PASSWORD, of a usage text
    value = text[begin:end]
    if is_stand_in(value) or is_name(value) or is_prose(value) or (is_reference(value) and not quoted):
        return ()
    if kind != "password" and not (is_mixed(value) or is_random(value, 12)):
        return ()
    if not flag and not is_mixed(value) and not _NETRC.search(before):
        return ()
    return ((begin, end),)


_SETTING = re.compile(
    r"(?i)(?:(?:^|[\n;$ ])(?:env|arg|set|setx|setenv|configure set|config set|login \S{1,40}|user \S{1,40}|account \S{1,40}"
    r"|with|using|export|my|new|old|username \S{1,40})[ \t\n]+|(?:machine|login)[ \t]\S{1,40}\s+)$|^requirepass|^\s*$"
)
_NETRC = re.compile(r"(?:login|user|machine)[ \t]\S{1,40}\s+$")


def is_secret(field: Field) -> bool:
    """Whether the value of `field` is a secret, by the strength of the name and the shape of the value."""
    value = field.value
    if is_stand_in(value) or is_name(value):
        return False
    if not field.quoted and (field.follows in ("(", "[") or is_reference(value)):
        return False
    if is_reference(value) and not is_mixed(value.replace(".", "").replace("/", "").replace(":", "")):
        return False
    if field.sep in (",", "("):
        return (
            field.quoted
            and field.strength != "plain"
            and len(value) >= 8
            and is_mixed(value)
            and not is_identifier(value)
        )
    if field.strength == "password":
        return _is_password(field)
    return _is_token(field)


def _is_password(field: Field) -> bool:
    value = field.value
    if field.quoted or field.sep in (">", "value"):
        return not is_prose(value) and not re.match(r"[가-힣 ]+$", value)
    if value.isdigit():
        return len(value) >= 4
    if field.tight and field.sep in ("=", "%3D", "%3d", ":="):
        return not (is_identifier(value) and value.replace("_", "").isalpha() and field.follows in (",", ")"))
    if is_mixed(value):
        return len(value) >= 4
    return field.sep in (":", "：") and field.leads and field.alone and value.isalpha() and len(value) >= 5


def _is_token(field: Field) -> bool:
    value = field.value
    least = 6 if field.strength == "compound" or "ecret" in field.name or "ECRET" in field.name else 8
    if len(value) < least or " " in value:
        return False
    if is_random(value, 12):
        return True
    has_digit = any(map(str.isdigit, value))
    if field.quoted or field.sep in (">", "value") or (field.tight and field.sep != ":"):
        if field.name.isupper() and not field.quoted and value.isalnum() and len(value) >= 12:
            return True
        return is_mixed(value) and has_digit and not (is_identifier(value) and field.strength == "plain")
    return is_mixed(value) and has_digit and field.alone and not is_identifier(value)
