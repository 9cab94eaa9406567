"""The sign that stands for each code point of a secret."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final

from core.base.lazy import lazy_pattern
from core.text.cleaning import apply

MASK: Final = "\u25ae"
"""One visible, narrow, unlikely sign (black vertical rectangle), one for each code point taken."""


def is_masked(text: str) -> bool:
    return MASK in text


def count_masked(text: str) -> int:
    """How many secrets `redact` masks in `text`; secrets side by side count as one."""
    return len(_MASKS.findall(redact(text))) - len(_MASKS.findall(text))


Span = tuple[int, int]
Finder = Callable[[str], list[Span]]

_COLOUR = lazy_pattern(r"\x1b\[[0-?]*+[ -/]*+[@-~]")
_SURROGATE = lazy_pattern("[\ud800-\udfff]")
_MASKS = lazy_pattern(f"{MASK}+")
_MOST_PASSES = 6
_LEAD_BYTES: Final = tuple(bytes((first,)) for first in range(0xE3, 0xEE))
"""First bytes in UTF-8 of kana, Han and Hangul: without one, no label of a secret in these scripts is there. A byte is
found ten times as fast as a label."""


def redact(text: str) -> str:
    """`text` with each secret masked, one `MASK` for one code point, so that the length and all spans stay.

    Nothing else changes, save that a lone surrogate becomes U+FFFD. Masked is the value, never the name that announces
    it; placeholders, types, references and hashes that identify (git, sha256, UUID) stay. Idempotent.
    """
    labelled = False
    if not text.isascii():
        try:
            data = text.encode()
        except UnicodeEncodeError:
            text = _SURROGATE.sub("\ufffd", text)
            data = text.encode()
        labelled = any(lead in data for lead in _LEAD_BYTES)
    for _ in range(_MOST_PASSES):
        spans = _spans(text, labelled=labelled)
        if not spans:
            return text
        masked = _masked(text, spans)
        if masked == text:
            return text
        text = masked
    return text


def _spans(text: str, *, labelled: bool) -> list[Span]:
    if "\x1b" not in text:  # one sign is found five times as fast as two
        return _plain_spans(text, labelled=labelled)
    # Colours may part a name from its value: look at the text without them.
    plain, layer = apply(text, ((match.start(), match.end(), "") for match in _COLOUR.finditer(text)))
    return [
        (layer.start(start), layer.end(end)) for start, end in _plain_spans(plain, labelled=labelled) if end > start
    ]


def _plain_spans(text: str, *, labelled: bool) -> list[Span]:
    signs_and_words, urls, pgpass = _finders()
    spans = signs_and_words(text)
    if "@" in text and "://" in text:
        spans += urls(text)
    if ":5432:" in text:
        spans += pgpass(text)
    if labelled:
        from core.text.secrets.prose import label_spans

        spans += label_spans(text)
    return spans


@cache
def _finders() -> tuple[Finder, Finder, Finder]:
    """Imported with the first text that is redacted: `clean` and `visible` need none of it."""
    from core.text.secrets.context import pgpass_spans, url_spans
    from core.text.secrets.scan import secret_spans

    return secret_spans, url_spans, pgpass_spans


def _masked(text: str, spans: list[Span]) -> str:
    pieces: list[str] = []
    taken = 0
    for start, end in sorted(spans):
        if end > taken:
            begin = max(start, taken)
            pieces += (text[taken:begin], MASK * (end - begin))
            taken = end
    pieces.append(text[taken:])
    return "".join(pieces)
