"""What a model reads of an error: not the key but its words, names kept, paths and wrappers cut (DESIGN 7).

The cases as texts to embed: each case's first key line, in words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

import apsw

from core.base.lazy import lazy_pattern
from core.errors.cases.derived import own_titles
from core.errors.identity.codes import ERRNO
from core.errors.identity.envelope import without_wrappers
from core.errors.identity.keylines.select import key_line
from core.store.sql import number
from core.text import MASK, clean, redact

if TYPE_CHECKING:
    from core.embedding.index.stored import Place
    from core.embedding.models.catalogue import Model

RECIPE: Final = "error/1"
"""The version of this text; it is stored with each vector. Any change of what `embed_text` returns changes it."""

LONGEST: Final = 4096
"""Code points of a key line that are read."""

_PLACEHOLDER = lazy_pattern(r"<[A-Z][A-Z0-9_]{0,30}>|…#[0-9a-f]{12}\Z")
_URL = lazy_pattern(r"[A-Za-z][A-Za-z0-9+.-]{0,19}://(?P<rest>[^\s'\"`<>]+)")
_POSITION = lazy_pattern(
    r"(?<=[\w\])'\"])(?::[0-9]+){1,3}(?![\w.])|\([0-9]+(?:[,:] ?[0-9]+)*\)"
    r"|\b(?:line|lines|column|col|char|position|offset|pos)[ :=]+[0-9]+(?:-[0-9]+)?\b(?!\.)",
    re.IGNORECASE,
)
# A token that lies in folders: rooted, dotted, on a drive, two folders deep, or a folder and a file with an extension.
_TOKEN = lazy_pattern(
    r"(?<![^\s'\"`<>|,;=()\[\]{}“”‘’])[^\s'\"`<>|,;=()\[\]{}“”‘’\\/]*+[\\/][^\s'\"`<>|,;=()\[\]{}“”‘’]*+"
)
_FOLDERS = lazy_pattern(
    r"(?:[A-Za-z]:)?[\\/]|\.{1,2}[\\/]|~[\\/]|[^\\/]+[\\/][^\\/]+[\\/]|[^\\/]+[\\/].*\.[A-Za-z]\w{0,9}:?\Z"
)
_HEX = lazy_pattern(
    r"\b(?:0x[0-9A-Fa-f]+|(?=[0-9a-fA-F]{7})(?=[0-9a-fA-F-]{0,160}[0-9])(?=[0-9a-fA-F-]{0,160}[a-fA-F])[0-9a-fA-F]{7,}(?:-[0-9a-fA-F]{4,}){0,5})\b"
)
# Long numbers, addresses, versions, quantities: what no other machine will say again.
_NUMBER = lazy_pattern(
    r"[0-9]{5,}(?:\.[0-9]+)?|\b[0-9]+(?:\.[0-9x*]+)+(?::[0-9]+)?\b"
    r"|\b[0-9]+(?:\.[0-9]+)? ?(?:ms|s|sec|seconds|milliseconds|minutes|m[0-9]+s|[kKMGT]i?B|bytes|px|%)(?!\w)"
    r"|(?<=port )[0-9]+|(?<=:::)[0-9]+"
)
_CAMEL = lazy_pattern(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORDS = lazy_pattern(r"[^\W_]+(?:\+\+|#(?!\w)|['’](?:t|s|d|m|re|ll|ve)(?![^\W_]))?", re.IGNORECASE)


def embed_text(key_line: str) -> str:
    """The words of an error as a model reads them; blank only for a text without letters or digits.

    Wrappers (`npm ERR!`, `error TS2307:`, `fatal:`) are cut, paths become base names, hexadecimal, positions,
    placeholders and numbers of five digits or more go, identifiers are split into words; quoted names stay. Pure,
    linear in the first 4096 code points; the result holds no lone surrogate. Source: DESIGN 7, recipe `RECIPE`.
    """
    line = " ".join(clean(key_line[:LONGEST]).replace(MASK, " ").split())
    text = _URL.sub(_place, without_wrappers(line))
    text = _POSITION.sub(" ", _PLACEHOLDER.sub(" ", text))
    if "/" in text or "\\" in text:
        text = _TOKEN.sub(_base, text)
    text = _split(_NUMBER.sub(" ", _HEX.sub(" ", text)))
    return _expand_errno(text) or _split(line)


def _expand_errno(text: str) -> str:
    """Replace each errno name by its meaning, once."""
    found = text.split()
    if not any(word in ERRNO for word in found):
        return text
    rest = " ".join(word for word in found if word not in ERRNO)
    meanings = dict.fromkeys(ERRNO[word] for word in found if word in ERRNO)
    return " ".join([*(one for one in meanings if one not in rest), rest]).strip()


def _split(text: str) -> str:
    return " ".join(_WORDS.findall(_CAMEL.sub(" ", text))).lower()


def _place(match: re.Match[str]) -> str:
    """The host of a URL and the last part of its path."""
    host, _, path = match["rest"].partition("/")
    last = path.partition("?")[0].partition("#")[0].rstrip("/.:,").rpartition("/")[2]
    return f" {host.rpartition('@')[2].partition(':')[0]} {last} "


def _base(match: re.Match[str]) -> str:
    token = match[0]
    if not _FOLDERS.match(token):
        return token
    return re.split(r"[\\/]", token.rstrip("\\/:."))[-1] or " "


def place_of(model: Model) -> Place:
    """Where the vectors lie that `model` made of errors."""
    from core.embedding.index.stored import Place

    return Place("error", f"{model.id}@{model.version}", f"{RECIPE}+{model.recipe}", model.dim)


_LINES = """
  SELECT e.id, e.error_normalized, e.error_raw,
    (SELECT key_line FROM fingerprint WHERE case_id = e.id ORDER BY first_seen, fingerprint LIMIT 1)
  FROM json_each(?) AS wanted CROSS JOIN error_kb AS e ON e.id = wanted.value
"""


@dataclass(frozen=True, slots=True)
class ErrorSource:
    """A case is embedded by its first key line, which stays while further ones are seen (DESIGN 7)."""

    kind: str = "error"
    recipe: str = RECIPE

    def texts(self, con: apsw.Connection, ids: Sequence[int]) -> dict[int, str]:
        """The texts by case id; a case that is gone is left out, one without any word gives an empty text."""
        rows = cast(
            "list[tuple[int, str, str | None, str | None]]", con.execute(_LINES, (json.dumps(list(ids)),)).fetchall()
        )
        own = {case_id: one.key_line for case_id, one in own_titles(con, ids).items()}
        return {case_id: embed_text(own.get(case_id) or line or _unnamed(key, raw)) for case_id, key, raw, line in rows}

    def window(self, con: apsw.Connection, after: int, limit: int) -> list[int]:
        """The first `limit` case ids above `after`."""
        rows = con.execute("SELECT id FROM error_kb WHERE id > ? ORDER BY id LIMIT ?", (after, limit)).fetchall()
        return [cast("int", row[0]) for row in rows]

    def count(self, con: apsw.Connection) -> int:
        """How many cases there are."""
        return number(con, "SELECT count(*) FROM error_kb")


def _unnamed(key: str, raw: str | None) -> str:
    """The line of a row that another program wrote and nothing here has named yet."""
    return key_line(redact(raw)) if raw and raw.strip() else redact(key)
