"""Why two messages are two errors: their codes, what fails, what they are about, the one word in which they differ."""

from __future__ import annotations

from collections.abc import Sequence

from core.errors.equivalence.failure_kinds import kinds_differ
from core.errors.equivalence.message_templates import told_apart
from core.errors.equivalence.opposites import opposed
from core.errors.identity.codes import differing_codes


def other_code(ours: frozenset[tuple[str, str]], theirs: frozenset[tuple[str, str]]) -> str:
    """That they have other codes, and which, both as `codes` reads them; empty if not."""
    differing = differing_codes(ours, theirs)
    named = (
        f"{kind} {min(value for at, value in side if at == kind)}" for kind in differing for side in (ours, theirs)
    )
    return f"the codes differ ({', '.join(named)})" if differing else ""


def other_failure(ours: frozenset[str], theirs: frozenset[str]) -> str:
    """That they fail in other ways, both as `failure_kinds` reads them; empty if not."""
    return f"one says that {min(ours)}, the other that {min(theirs)}" if kinds_differ(ours, theirs) else ""


def other_subject(ours: tuple[frozenset[str], ...], theirs: str) -> str:
    """That they are about what excludes each other, both as `opposed` takes them; empty if not."""
    differing = opposed(ours, theirs)
    return f"one is about {differing[0]}, the other about {differing[1]}" if differing else ""


def other_word(ours: Sequence[str], theirs: Sequence[str]) -> str:
    """That one word or the end of an equal sentence differs, both as `said` reads them; empty if not."""
    differing = told_apart(ours, theirs)
    return f"the same sentence, but one says “{differing[0]}”, the other “{differing[1]}”" if differing else ""
