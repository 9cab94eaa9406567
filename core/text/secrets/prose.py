"""Secrets with nothing but a blank before them: flags, settings, .netrc, SQL, and sentences that tell a password."""

from __future__ import annotations

from core.base.lazy_pattern import lazy_pattern
from core.text.secrets.names import Strength
from core.text.secrets.value_span import Value, leads_line, read_value
from core.text.secrets.values import has_digit, is_mixed, is_name, is_prose, is_random, is_reference, is_stand_in

Span = tuple[int, int]

_FLAG_VALUE = lazy_pattern(r"[^\s\"'`<>|\\&;]{1,512}+")
_IS = lazy_pattern(r"(?:(?:is|was|provided|given|used)(?:[ \t]?:)?|for [^\s:]{1,40}:)[ \t]{1,4}")
_BY = lazy_pattern(r"[ \t]+(?:PASSWORD[ \t]+)?")
_SETTING = lazy_pattern(r"(?i)(?:(?<![a-z])|(?<=\\n))(?:env|arg|set|setx|setenv|export|config(?:ure)? set)[ \t]+$")
_LOGIN = lazy_pattern(r"(?:machine|login)[ \t]+[^\s\\]{1,80}(?:\s+|(?:\r?\n|\\n)[^\n]{0,60})$")
_TOLD = lazy_pattern(r"(?i)\b(?:with|using|my|the|new|old|this|root|admin|your)[ \t]$")


def spoken_spans(text: str, start: int, at: int, name: str, kind: Strength) -> tuple[Span, ...]:
    """The value at `at`, which only blanks part from the name that begins at `start`, if it is a secret."""
    before = text[max(0, start - 160) : start]
    if name.startswith("-"):
        return _flag_spans(text, at, kind)
    if told := _IS.match(text, at):
        value = read_value(text, told.end(), spaced=True)
        return (value.span,) if value and _is_told(value.text) else ()
    value = read_value(text, at, spaced=True)
    if value is None or not _may_be(value):
        return ()
    mixed = is_mixed(value.text) and has_digit(value.text)
    if value.quoted:
        sql = kind == "password" and name.isupper() and text[start - 1 : start] not in ('"', "'", "`")
        return (value.span,) if sql else ()
    if _LOGIN.search(before) or name in ("requirepass", "masterauth"):
        return (value.span,)
    if _SETTING.search(before):
        return (value.span,) if is_random(value.text, 12) or (kind == "password" and mixed) else ()
    if kind != "password":
        return (value.span,) if is_random(value.text, 20) and mixed else ()
    if not mixed or len(value.text) < 6:
        return ()
    alone = leads_line(text, start) and value.ends_line
    return (value.span,) if alone or _TOLD.search(before) else ()


def identified_spans(text: str, at: int) -> tuple[Span, ...]:
    """SQL's `IDENTIFIED BY '…'`; `at` is behind its last word."""
    match = _BY.match(text, at)
    value = read_value(text, match.end()) if match else None
    return (value.span,) if value and value.quoted and not is_stand_in(value.text) else ()


def _flag_spans(text: str, at: int, kind: Strength) -> tuple[Span, ...]:
    value = read_value(text, at)
    if value is None or value.text.startswith("-") or not _may_be(value):
        return ()
    if not value.quoted:
        match = _FLAG_VALUE.match(text, at)
        if match is None or (value.text.isalpha() and (value.text.isupper() or len(value.text) < 5)):
            return ()  # --password PASSWORD, in a usage text; --token via …, in a sentence
        end = at + len(match[0].rstrip(".,;:)]"))
        return ((at, end),) if kind == "password" or is_mixed(match[0]) else ()
    return (value.span,) if kind == "password" or is_mixed(value.text) else ()


def _may_be(value: Value) -> bool:
    text = value.text
    if is_stand_in(text) or is_name(text) or is_prose(text):
        return False
    return value.quoted or (not is_reference(text) and value.follows not in ("(", "["))


def _is_told(value: str) -> bool:
    if is_stand_in(value) or is_name(value) or is_reference(value) or len(value) < 6:
        return False
    return is_mixed(value) and has_digit(value)
