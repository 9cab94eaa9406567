"""A fix as a person writes it, and as it may be stored."""

from __future__ import annotations

from dataclasses import dataclass

from core.base.fault import Fault
from core.errors.cases.derived import one_form
from core.errors.cases.resolutions import TEXT_KEPT, Resolution
from core.errors.retrieval.answer import Source
from core.text import redact

LONGEST_TAG = 64
MOST_TAGS = 32
NO_SOURCE = Source(None)


@dataclass(frozen=True, slots=True)
class Written:
    """A fix as a person writes it: Markdown, who or what fixed it, tools in order, tags, the messages it is from."""

    text: str
    resolved_by: str | None = None
    tool_sequence: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    source: Source = NO_SOURCE


def checked(written: Written) -> Written:
    """The same, as it will be stored. Raises Fault invalid_input for an empty or overlong text, or bad tags."""
    text = redact(written.text)
    if not text.strip():
        raise Fault("invalid_input", "the resolution is empty", "say what fixed the error, or reject the fix")
    if len(text) > TEXT_KEPT:
        raise Fault("invalid_input", f"the resolution has {len(text):,} characters", f"keep it under {TEXT_KEPT:,}")
    by = redact(written.resolved_by).strip() if written.resolved_by else ""
    tools = tuple(redact(name) for name in written.tool_sequence if name.strip())
    source = Source(written.source.session or None, written.source.messages if written.source.session else ())
    return Written(text, by or None, tools, tags_of(written.tags), source)


def tags_of(tags: tuple[str, ...]) -> tuple[str, ...]:
    """Tags as they are stored: trimmed, on one line, each once, in the given order. Raises Fault invalid_input."""
    found = tuple(dict.fromkeys(one_form(" ".join(redact(tag).split())) for tag in tags if tag.strip()))
    long = next((tag for tag in found if len(tag) > LONGEST_TAG), None)
    if long is not None:
        raise Fault("invalid_input", f"a tag has {len(long)} characters", f"keep it under {LONGEST_TAG}")
    if len(found) > MOST_TAGS:
        raise Fault("invalid_input", f"there are {len(found)} tags", f"give at most {MOST_TAGS}")
    return found


def written_of(one: Resolution) -> Written:
    """A resolution as something to edit."""
    return Written(one.text, one.resolved_by, one.tool_sequence, one.tags, one.source)
