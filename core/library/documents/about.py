"""What is known of a document beside its words: title, language, tags, times, trust (frozen design 3.6)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from core.base.lazy_pattern import lazy_pattern
from core.library.documents.blocks import Parsed
from core.library.documents.rows import SOURCE_TYPES, TRUST_LEVELS, Media, Source, SourceType, TrustLevel
from core.text import hangul_share

_TITLE: Final = 80
_SAMPLE: Final = 4_000
_KOREAN: Final = 0.2
"""The share of Hangul among the letters from which a text is Korean: technical Korean is full of English words."""
_PLAIN: Final = 0.9
"""The share of Latin letters from which a text is English, and of both from which it is neither's but mixed."""
_SOME: Final = 0.02
"""The share of Hangul below which a text has only names and examples in Korean."""
_MOST_TAGS: Final = 100
_LETTER = lazy_pattern(r"[^\W\d_]")
_LATIN = lazy_pattern("[A-Za-z]")
_KNOWN = (
    *("title", "tags", "aliases", "id", "lang", "language", "source_type", "trust_level"),
    *("created_at", "created", "date", "updated_at", "updated", "modified"),
)
_BY_MEDIA: Mapping[Media, SourceType] = {
    "markdown": "markdown",
    "text": "note",
    "pdf": "paper",
    "code": "reference",
    "manifest": "reference",
}


@dataclass(frozen=True, slots=True)
class About:
    """`metadata` is what `documents.metadata_json` holds; times are ISO 8601 in UTC."""

    title: str
    lang: str
    source_type: SourceType
    trust_level: TrustLevel
    tags: tuple[str, ...]
    created_at: str
    updated_at: str
    metadata: Mapping[str, Any]


def about(parsed: Parsed, relative: str, media: Media, source: Source, mtime_ns: int) -> About:
    """What a document says of itself, and what is true of it where it says nothing or something that cannot be."""
    said = parsed.said
    changed = utc(dt.datetime.fromtimestamp(mtime_ns / 1e9, dt.UTC).isoformat()) or "1970-01-01T00:00:00Z"
    created, updated = _first(said, "created_at", "created", "date"), _first(said, "updated_at", "updated", "modified")
    type_said, trust_said = str(said.get("source_type", "")), str(said.get("trust_level", ""))
    tags = _texts(said.get("tags"))
    source_type = type_said if type_said in SOURCE_TYPES else source.source_type or _BY_MEDIA[media]
    metadata = {
        "aliases": list(_texts(said.get("aliases"))),
        "tags": list(tags),
        "user_id_alias": None if said.get("id") is None else str(said["id"]),
        "user": {name: value for name, value in said.items() if name not in _KNOWN},
        "times": {name: said[name] for name in _KNOWN[8:] if said.get(name) is not None},
    }
    return About(
        title=title_of(parsed, relative),
        lang=_lang(parsed),
        source_type=source_type,
        trust_level=trust_said if trust_said in TRUST_LEVELS else source.trust_level,
        tags=tags,
        created_at=(utc(created) if created else None) or changed,
        updated_at=(utc(updated) if updated else None) or changed,
        metadata=metadata,
    )


def title_of(parsed: Parsed, relative: str) -> str:
    """The title: of the frontmatter, the first H1, the first H2, the first paragraph (80 code points), the file."""
    said = parsed.said.get("title")
    if isinstance(said, (str, int, float)) and str(said).strip():
        return _one_line(str(said))
    for level in (1, 2):
        for block in parsed.blocks:
            if block.kind == "heading" and block.payload.get("level") == level and block.text.strip():
                return _one_line(block.text)
    if any(block.payload.get("level") for block in parsed.blocks) or parsed.said or _is_prose(relative):
        for block in parsed.blocks:
            if block.kind == "paragraph" and block.text.strip():
                return _one_line(block.text[: _TITLE * 2])[:_TITLE]
    name = relative.rpartition("/")[2]
    stem = name.rpartition(".")[0] if _is_prose(relative) else name
    return stem or name or "untitled"


def utc(said: str) -> str | None:
    """An ISO 8601 time or date in UTC, or None for what is none. One without a zone counts as UTC."""
    try:
        time = dt.datetime.fromisoformat(said.strip())
        time = time.replace(tzinfo=dt.UTC) if time.tzinfo is None else time.astimezone(dt.UTC)
    except (ValueError, OverflowError):
        return None
    return time.isoformat(timespec="seconds").replace("+00:00", "Z")


def _is_prose(relative: str) -> bool:
    return relative.lower().endswith((".md", ".markdown", ".mdown", ".mkd", ".mdx", ".txt", ".rst", ".adoc", ".org"))


def _one_line(text: str) -> str:
    return " ".join(text.split())[:200]


def _lang(parsed: Parsed) -> str:
    for name in ("lang", "language"):
        said = parsed.said.get(name)
        if isinstance(said, str) and 2 <= len(said.strip()) <= 12:
            return said.strip().lower()
    sample: list[str] = []
    size = 0
    for block in parsed.blocks:
        if block.kind != "code":
            sample.append(block.text[:_SAMPLE])
            size += len(sample[-1])
        if size > _SAMPLE:
            break
    text = "\n".join(sample)
    if hangul_share(text) >= _KOREAN:
        return "ko"
    letters = len(_LETTER.findall(text))
    latin = len(_LATIN.findall(text))
    if letters and latin >= _PLAIN * letters:
        return "en"
    hangul = hangul_share(text)
    return "mixed" if hangul >= _SOME and latin >= (_PLAIN - hangul) * letters else "und"


def _first(said: Mapping[str, Any], *names: str) -> str | None:
    return next((str(said[name]) for name in names if isinstance(said.get(name), str)), None)


def _texts(value: object) -> tuple[str, ...]:
    """A list of short texts, however it is written: a list, or words between commas."""
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, list):
        return ()
    given: Iterable[object] = cast("list[object]", value)
    texts = (_one_line(str(one)).lstrip("#") for one in given if isinstance(one, (str, int, float)))
    return tuple(dict.fromkeys(text for text in texts if text))[:_MOST_TAGS]
