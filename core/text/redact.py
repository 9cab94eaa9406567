"""Secrets masked in place: the same length, so that every span still agrees with the file the text came from."""

from __future__ import annotations

import re
from typing import Final

MASK: Final = "█"
"""One code point for one, in place of every code point of a secret."""

_KEY = r"(?:[A-Za-z0-9_.-]{0,40}(?:passw(?:or)?d|passphrase|pwd|secret|token|(?:api|access|private|account|secret)[_-]?key)|비밀번호|암호)"
_SECRETS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\b((?:AKIA|ASIA)[A-Z0-9]{16})\b",
        r"\b(AIza[\w-]{30,})",
        r"\b((?:gh[pousr]_|github_pat_)[A-Za-z0-9_]{20,})",
        r"\b((?:glpat-|xox[abeoprs]-|sk-ant-|sk-proj-|pypi-|dop_v1_|dapi|hf_|npm_|[sr]k_(?:live|test)_)[\w-]{16,})",
        r"\b(sk-[A-Za-z0-9]{20,})",
        r"\b(eyJ[\w-]{10,}\.[\w-]{10,}(?:\.[\w-]*)?)",
        r"(?i)\b(?:bearer|basic) ([\w.~+/=-]{16,})",
        r"://[^\s:/@]{0,64}:([^\s:/@]{1,256})@",
        r"-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----([^-]{1,20000})",
        rf"(?i){_KEY}[\"'\\]{{0,3}}\s?[=:]\s?[\"'\\]{{0,3}}([^\s\"'\\,;&<>${{}}()\[\]]{{6,256}})",
    )
)
_SURROGATE = re.compile("[\ud800-\udfff]")


def redact(text: str) -> str:
    """`text` with each secret masked by `MASK`, code point for code point; lone surrogates become U+FFFD."""
    for pattern in _SECRETS:
        text = pattern.sub(_masked, text)
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def is_masked(text: str) -> bool:
    """Whether a secret was masked in `text`."""
    return MASK in text


def _masked(match: re.Match[str]) -> str:
    start, end = match.start(1) - match.start(), match.end(1) - match.start()
    return match[0][:start] + MASK * (end - start) + match[0][end:]
