"""Sample transcripts shipped with casebook: invented sessions in the record shapes of Claude Code and Codex.

They feed `casebook demo` through the real importer: errors of a dozen tools in English and Korean, most of them fixed,
some open, one that only was slow for a moment; a resumed session, a subagent, a refused call, an invented password.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

_HERE: Final = Path(__file__).resolve().parent


def sample_paths() -> list[Path]:
    """The folders of the samples, one an agent, as an import takes them; also in an installed copy."""
    return [_HERE / "claude-code", _HERE / "codex"]


def sample_rules() -> tuple[Path, Path]:
    """A rule file, and calls labelled with its rules, as `casebook rules compare` takes them."""
    return _HERE / "rules.md", _HERE / "rule-calls.jsonl"


def _text(name: str) -> str:
    return (_HERE / name).read_text("utf-8")


DEMO_QUERIES: Final = tuple(map(_text, ("errors/1-same.txt", "errors/2-alike.txt", "errors/3-begins-alike.txt")))
"""Errors to paste: one that is the same case as a sample, one of the same kind (Korean), one that only begins alike."""

DEMO_IN_OTHER_WORDS: Final = _text("errors/other-words.txt")
"""A sample's error as an older release words it: only a model of meaning finds it."""

DEMO_SESSION: Final = "eee65f53-e942-4ce5-b211-670eae679f02"
"""The sample session that the demonstration's entries were extracted from."""

DEMO_EXTRACTED: Final = _text("entries/extracted.json")
"""What a model may have extracted: one quote is in the session word for word, the other lost its "not"."""

DEMO_TO_REVIEW: Final = (
    (DEMO_SESSION, _text("entries/to-review-1.json")),
    ("ca75c98c-070e-44a5-8131-d962bf403345", _text("entries/to-review-2.json")),
)
"""More of it, for the review: a number, slips, a wrong message, one word in two places, a denial, inventions."""


DEMO_LIBRARY: Final = ("which requests are safe to retry?", "환율")
"""Questions about the sample notes: one in English, one Korean word that occurs inside longer ones."""


def sample_notes() -> Path:
    """The folder of sample notes, in English and Korean, for the library."""
    return _HERE / "notes"
