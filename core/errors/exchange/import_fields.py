"""What one line of an import says, from whatever form it came in: a `case.v1`, a `fix.v1`, or a few fields by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from core.errors.cases.columns import parse_names
from core.errors.cases.derived import one_form
from core.errors.cases.record import Name
from core.errors.cases.resolutions import readable
from core.errors.curation.fix_input import LONGEST_TAG, MOST_TAGS
from core.errors.exchange.import_row import ImportedCase, ImportedFix, ImportedName
from core.errors.identity.api import identify
from core.errors.lessons.foreign import BadLesson, lesson_from
from core.errors.retrieval.answer import Source
from core.text import redact

Fields = Mapping[str, object]


def case_from(data: Fields) -> ImportedCase | str:
    """The case that the fields tell of, or the reason why they tell of none."""
    error, normalized = _text(data, "error") or _text(data, "error_raw"), _text(data, "error_normalized")
    if not (error or normalized or "").strip():
        return "no `error` and no `error_normalized`"
    names = tuple(
        ImportedName(Name(line, normalized or "", mark, _text(item, "tool") or "unknown"), _text(item, "first_seen"))
        for item in _objects(data, "fingerprints")
        if (mark := _text(item, "fingerprint")) and (line := _text(item, "key_line"))
    )
    uses = data.get("use_count")
    alone = data.get("schema_version") == "fix.v1" or "case_ts" in data
    try:
        fixes = _fix_alone(data) if alone else _fixes(data)
    except BadLesson as why:
        return f"no lesson.v1: {why}"
    return ImportedCase(
        raw=error,
        normalized=normalized,
        ts=_text(data, "case_ts" if alone else "ts"),
        uses=uses if isinstance(uses, int) and 0 <= uses < 1 << 53 else 0,
        last_used=_text(data, "last_used"),
        fixes=fixes,
        names=names,
        keys=tuple(redact(key) for key in _list(data, "keys") if isinstance(key, str)),
        noise=data.get("status") == "noise",
    )


def _fix_alone(data: Fields) -> tuple[ImportedFix, ...]:
    """The fix of a `fix.v1`."""
    found = _fix(data, "resolution")
    return () if found is None else (found,)


def _fixes(data: Fields) -> tuple[ImportedFix, ...]:
    """The fixes of a case, in the order in which they were written; else the one that a line by hand names."""
    found = [fix for item in reversed(_objects(data, "resolutions")) if (fix := _fix(item, "text")) is not None]
    if found:
        return tuple(sorted(found, key=lambda fix: fix.id)) if all(fix.id for fix in found) else tuple(found)
    text = _text(data, "resolution")
    if not text:
        return ()
    plain, original = readable(text)
    # `error` is the text that this fixed; a seed's `error_raw` may be another of the same key than the fix is of.
    error = _text(data, "error")
    mark = identify(error).fingerprint if error and error.strip() else None
    by, tools, tags = _text(data, "resolved_by"), _names(data, "tool_sequence"), _tags(data)
    return (ImportedFix(plain, resolved_by=by, tools=tools, fingerprint=mark, original=original, tags=tags),)


def _fix(data: Fields, text_of: str) -> ImportedFix | None:
    text, status = _text(data, text_of), _text(data, "status")
    if not text or status not in ("draft", "verified", "rejected"):
        return None
    source = data.get("source")
    place = cast("Fields", source) if isinstance(source, dict) else data
    session = _text(place, "session")
    numbers = tuple(one for one in _list(place, "messages") if isinstance(one, int) and 0 <= one < 1 << 53)
    return ImportedFix(
        text,
        status,
        _text(data, "resolved_by"),
        _names(data, "tool_sequence"),
        _text(data, "author") or "import",
        _text(data, "fingerprint"),
        _text(data, "ts"),
        _text(data, "original"),
        _tags(data),
        Source(session or None, numbers if session else ()),
        _text(data, "reason") or "",
        _number(data, "id"),
        _number(data, "replaced_by"),
        lesson_from(data.get("lesson")),
    )


def _text(data: Fields, key: str) -> str | None:
    """A text of the line, without secrets: what is no text for people becomes a key or a mark of the casebook."""
    value = data.get(key)
    return redact(value) if isinstance(value, str) else None


def _number(data: Fields, key: str) -> int:
    value = data.get(key)
    return value if isinstance(value, int) and value > 0 else 0


def _names(data: Fields, key: str) -> tuple[str, ...]:
    value = data.get(key)
    return parse_names(value) if isinstance(value, str) else tuple(str(item) for item in _list(data, key))


def _tags(data: Fields) -> tuple[str, ...]:
    return tuple(one_form(tag)[:LONGEST_TAG] for tag in _names(data, "tags")[:MOST_TAGS])


def _list(data: Fields, key: str) -> list[object]:
    value = data.get(key)
    return cast("list[object]", value) if isinstance(value, list) else []


def _objects(data: Fields, key: str) -> tuple[Fields, ...]:
    return tuple(cast("Fields", item) for item in _list(data, key) if isinstance(item, dict))
