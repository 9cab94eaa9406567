"""The fingerprint against a plain normaliser of four regexes, and its growth with the length of the text."""

from __future__ import annotations

import random
import re

from bench.errors.cases import message
from bench.table import Row, paired
from core.errors import fingerprint

_FOUR = (
    (re.compile(r"\"[^\"]{1,100}\"|'[^']{1,100}'"), "<STR>"),
    (re.compile(r"/\S+"), "<PATH>"),
    (re.compile(r"\./\S+"), "<PATH>"),
    (re.compile(r"\d{2,}"), "<N>"),
)


def plain(text: str) -> str:
    """What the simplest reading of REQ-RA-001 does: four substitutions and a cut."""
    for pattern, mark in _FOUR:
        text = pattern.sub(mark, text)
    return text[:200].strip()


def measure(*, quick: bool) -> list[Row]:
    """Cost per message as a ratio; time per character at 8 Ki characters against 1 Ki."""
    rng = random.Random(7)
    texts = [f"{message(rng)} in '/srv/app/{at}/main.py' at line {at}" for at in range(300)]
    rounds = 3 if quick else 9
    ratio, ours, control = paired(
        lambda: [fingerprint(text) for text in texts], lambda: [plain(text) for text in texts], rounds
    )
    rows = [
        Row(
            "fingerprint / four regexes",
            ratio,
            20.0,
            f"{ours / len(texts) * 1e6:.0f} µs / {control / len(texts) * 1e6:.1f} µs a message",
        )
    ]
    for name, piece in (
        ("words", "some words and /a/path:12 "),
        ("quotes", "'\"'\" "),
        ("dots", "a.a.a."),
        ("digits", "7"),
        ("slashes", "/"),
        ("hex", "deadbeef"),
    ):
        short, long = (piece * 1024)[:1024], (piece * 8192)[:8192]
        growth, *_ = paired(lambda long=long: fingerprint(long), lambda short=short: fingerprint(short), rounds)
        rows.append(Row(f"fingerprint of 8 Ki {name} / 8x that of 1 Ki", growth / 8, 2.0))
    return rows
