"""The finer key ("the same case"): what changes from run to run is masked, names and codes stay (DESIGN 6.2)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from core.base.lazy_pattern import lazy_pattern
from core.errors.identity.keylines.select import key_text
from core.errors.identity.mask_numbers import NUMBER, mask_number
from core.errors.identity.mask_paths import mask_paths, mask_placed_files
from core.text import MASK

LIMIT: Final = 300
"""The most code points a fingerprint has, the hash of a long one included."""

_HASH_BYTES = 6
_HASHED = lazy_pattern(r"…#[0-9a-f]{12}\Z")
_KEPT = LIMIT - len("…#") - 2 * _HASH_BYTES

# Quote styles differ between locales and versions of one tool, never between two errors.
_QUOTE = lazy_pattern('[‘’‚‛“”„‟`´"«»]')

_SECRET = lazy_pattern(f"{MASK}+")
_URL = lazy_pattern(r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s'<>]*[^\s'<>.,;:!?)\]}]:?")
_REMOTE = lazy_pattern(r"(?<![\w.@/-])[\w.-]{1,64}@[\w.-]{1,255}:(?![0-9])[\w./~-]+(?<!\.)")
# Each begins with a plain character class, which the engine can skip to, and looks back only from there.
_UUID = lazy_pattern(
    r"[0-9A-Fa-f](?<!\w[0-9A-Fa-f])[0-9A-Fa-f]{7}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}(?!\w)"
)
_TIME = lazy_pattern(
    r"[0-9](?<![\w.][0-9])"
    r"(?:[0-9]{3}[-/.][0-9]{2}[-/.][0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2})?(?:[.,][0-9]++)?)?"
    r"|[0-9]?:[0-9]{2}:[0-9]{2}(?:[.,][0-9]++)?)"
    r"(?: ?(?:Z|UTC|GMT|[KJ]ST|[+-][0-9]{2}:?[0-9]{2}))?(?![\w:])"
)
_MONTH = lazy_pattern(
    r"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?(?:[0-9]{1,2} )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) "
    r"(?:[0-9]{1,2},? )?(?:[0-9]{4} )?<TIME>"
)
_IP4 = lazy_pattern(r"[0-9](?<![\w.][0-9])[0-9]{0,2}\.(?:[0-9]{1,3}\.){2}[0-9]{1,3}(?::[0-9]{1,5})?(?!\w|\.[0-9])")
_IP6 = lazy_pattern(
    r"[0-9A-Fa-f:\[](?<![\w:>][0-9A-Fa-f:\[])(?<![\w:]\[)(?=[0-9A-Fa-f:]*[0-9]|(?<=[0-9]))"
    r"(?=(?:(?<=:)|[0-9A-Fa-f]*:)(?:[0-9A-Fa-f]+:)*:)"
    r"(?:(?<=:)|[0-9A-Fa-f]{0,4}:)(?:[0-9A-Fa-f]{0,4}:){1,7}[0-9A-Fa-f]{0,5}(?:\]:[0-9]{1,5}|\])?(?![\w:])"
)
_CHECKSUM = lazy_pattern(r"(?<!\w)(sha(?:1|224|256|384|512)|md5)([-:])[A-Za-z0-9+/=_-]{16,}")
# 0x8…… and 0xC0…… of eight digits are Windows result codes.
_ADDRESS = lazy_pattern(
    r"0x(?<!\w0x)(?!(?:8[0-9A-Fa-f]{7}|[cC]0[0-9A-Fa-f]{6})(?![0-9A-Fa-f]))[0-9A-Fa-f]++(?![A-Za-z0-9_])"
)
_HASH = lazy_pattern(
    r"[0-9a-f](?<![A-Za-z0-9_#][0-9a-f])(?=[0-9a-f]{6})(?:(?<=[0-9])(?=[0-9]*[a-f])|"
    r"(?<=[a-f])(?=[a-f]*[0-9]))[0-9a-f]{6,63}+(?![A-Za-z0-9_])"
    r"|[0-9A-F](?<![A-Za-z0-9_#][0-9A-F])(?=[0-9A-F]{11})(?:(?<=[0-9])(?=[0-9]*[A-F])|"
    r"(?<=[A-F])(?=[A-F]*[0-9]))[0-9A-F]{11,63}+(?![A-Za-z0-9_])"
)
_POD = lazy_pattern(r"-(?:<N>|[bcdfghjklmnpqrstvwxz2456789]{8,10})-[bcdfghjklmnpqrstvwxz2456789]{5}(?![\w-])")
_DIGIT = lazy_pattern(r"[0-9]")

_Mask = tuple[str, re.Pattern[str], "str | Callable[[re.Match[str]], str]"]
# Each with a sign that must be in the text for the pattern to match at all.
_LINKS: tuple[_Mask, ...] = (
    ("://", _URL, "<URL>"),
    ("@", _REMOTE, "<URL>"),
)
_NUMBERS: tuple[_Mask, ...] = (
    ("-", _UUID, "<UUID>"),
    (":", _TIME, "<TIME>"),
    ("-", _TIME, "<TIME>"),
    ("/", _TIME, "<TIME>"),
    ("<TIME>", _MONTH, "<TIME>"),
    ("::", _IP6, "<IP>"),
    (".", _IP4, "<IP>"),
    ("sha", _CHECKSUM, r"\1\2<N>"),
    ("md5", _CHECKSUM, r"\1\2<N>"),
    ("0x", _ADDRESS, "<N>"),
    ("", _HASH, "<N>"),
    ("", NUMBER, mask_number),
    ("-", _POD, "-<N>"),
)


def fingerprint(text: str) -> str:
    """The fingerprint of any output: its key line with paths, URLs, ids, times, addresses and plain numbers masked.

    Identifiers, quoted names, error codes, HTTP statuses, exit codes and versions stay; quote styles and blanks are
    made one; a masked secret is `<SECRET>`. At most 300 code points: a longer one is cut and ends with `…#` and a hash
    of the whole, so that differences after the cut still count. Source: DESIGN 6.2.
    """
    return fingerprint_line(key_text(text))


def fingerprint_line(line: str) -> str:
    """The fingerprint of a key line that is already known."""
    text = " ".join(line.split())
    if len(text) == LIMIT and _HASHED.search(text):
        return text
    text = text.replace('"', "'").replace("`", "'") if text.isascii() else _QUOTE.sub("'", text)
    text = _masked(text, _LINKS)
    if "/" in text or "\\" in text:
        text = mask_paths(text)
    if MASK in text:
        text = _SECRET.sub("<SECRET>", text)
    if _DIGIT.search(text):
        text = _masked(mask_placed_files(text), _NUMBERS)
    if len(text) <= LIMIT:
        return text
    import hashlib  # slow to load, and few are so long

    digest = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=_HASH_BYTES).hexdigest()
    return f"{text[:_KEPT]}…#{digest}"


def mask_counts(line: str) -> str:
    """A line with its counts, times and ids masked; the files that it names stay."""
    text = " ".join(line.split())
    return _masked(text, _NUMBERS) if _DIGIT.search(text) else text


def _masked(text: str, masks: tuple[_Mask, ...]) -> str:
    for sign, pattern, stand_in in masks:
        if sign in text:
            text = pattern.sub(stand_in, text)
    return text
