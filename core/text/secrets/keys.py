"""Private keys: PEM and PuTTY blocks, whole or cut off, with whatever a tool put before each line."""

from __future__ import annotations

from typing import Final

from core.base.lazy_pattern import lazy_pattern
from core.text.secrets.values import is_stand_in

Span = tuple[int, int]

_BEGIN = lazy_pattern(r"KEY(?: BLOCK)?-----")
# A newline (also written as \\n), then a line number or whatever else a tool puts before a line.
_START = r"[\"' \t]{0,4}(?:\r?\n|(?:\\{1,3}r)?\\{1,3}n)(?:[^\n\\]{0,60}?[^A-Za-z0-9+/=\n\\])??"
_KEY_LINE = lazy_pattern(_START + r"(?P<run>[A-Za-z0-9+/=]{20,}+|[A-Za-z0-9+/]{1,19}+==?)(?=[\s\\\"',|]|\Z)")
_HEADER_LINE = lazy_pattern(_START + r"(?:[A-Za-z][A-Za-z-]+:[^\n\\]{0,80}+)?[ \t]*(?=\n|\r|\\)")
_RUN = lazy_pattern(r"\\{1,3}[nr]|[A-Za-z0-9+/=]{4,}+|[A-Za-z0-9+/]+=+")
_LINES = lazy_pattern(r"[ ](?P<count>\d{1,3})")
_PUTTY_LINE = lazy_pattern(_START + r"(?P<run>[A-Za-z0-9+/=]{4,80}+)(?=[\"',| \t]{0,4}(?:\r|\n|\\|\Z))")
_LONGEST: Final = 20_000


def pem_spans(text: str, key_at: int) -> tuple[Span, ...]:
    """The body of a private key whose `PRIVATE KEY` ends its BEGIN line at `key_at`, also when cut off before END."""
    begin = _BEGIN.match(text, key_at)
    if begin is None or text.rfind("-----BEGIN ", max(0, key_at - 40), key_at) < 0:
        return ()
    end = text.find("-----", begin.end(), begin.end() + _LONGEST)
    if end < 0 or not text.startswith("-----END", end):
        again = end if text.startswith("-----BEGIN", end) else begin.end() + _LONGEST
        return _cut_off(text, begin.end(), again)
    runs = _RUN.finditer(text, begin.end(), end)
    return tuple(run.span() for run in runs if not run[0].startswith("\\") and not is_stand_in(run[0]))


def _cut_off(text: str, at: int, stop: int) -> tuple[Span, ...]:
    """The body's lines from `at`; another key that begins at `stop` is read by itself."""
    found: list[Span] = []
    while at < stop:
        line = _KEY_LINE.match(text, at)
        if line:
            found.append(line.span("run"))
        elif found or not (line := _HEADER_LINE.match(text, at)):
            break
        at = line.end()
    return tuple(found)


def putty_spans(text: str, at: int) -> tuple[Span, ...]:
    """The lines of a PuTTY private key behind its `Private-Lines:` that ends at `at`, also in a comment or indented."""
    count = _LINES.match(text, at)
    if count is None:
        return ()
    found: list[Span] = []
    at = count.end()
    while len(found) < int(count["count"]) and (line := _PUTTY_LINE.match(text, at)):
        found.append(line.span("run"))
        at = line.end()
    return tuple(found)
