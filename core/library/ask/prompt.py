"""What a model is told: the templates, and passages as fenced data that cannot pass for instructions.

Source: kebab-frozen-design 3.8 (rag-v1 to v3, rag-multi-hop-v1). A template is a file in `prompts/`; its version is
part of every answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from core.base.fault import Fault
from core.base.lazy_pattern import lazy_pattern
from core.library.search.rows import Passage, citation_of
from core.llm.language_model import Message
from core.text import estimate_tokens, visible

TEMPLATES: Final = ("rag-v1", "rag-v2", "rag-v3")
MULTI_HOP: Final = "rag-multi-hop-v1"
NOT_ENOUGH: Final = "NOT ENOUGH EVIDENCE"
_TOLD_TO = lazy_pattern(r"(?i)\W*(?:not enough evidence|근거가 부족하다)([\W0-9]*)")
_FENCE = lazy_pattern(r"(?i)<(?=\s*/?\s*(?:passage|question|system|user|assistant|\|))|\[(?=\s*/?\s*(?:INST|SYS)\b)")
_RUNS = lazy_pattern("[`~]{3,}")


def template(name: str) -> str:
    """The text of a template. Raises Fault invalid_input for a name nobody knows."""
    known = (*TEMPLATES, MULTI_HOP, f"{MULTI_HOP}.decompose", f"{MULTI_HOP}.decide")
    if name not in known:
        raise Fault("invalid_input", f"there is no template {name[:80]}", f"one of: {', '.join(TEMPLATES)}")
    from importlib.resources import files

    return (files("core.library.ask") / "prompts" / f"{name}.txt").read_text("utf-8").strip()


def tokens(text: str) -> int:
    """About how many tokens a text has, as the library counts everywhere."""
    return estimate_tokens(text)


def fenced(number: int, passage: Passage, trust: str) -> str:
    """One passage with its label, in a fence that its text cannot close."""
    label = (
        f'<passage {number} source="{_attribute(citation_of(passage).uri)}" trust="{trust}"'
        f' doc="{_attribute(passage.title or "")}" heading="{_attribute(" > ".join(passage.heading_path))}">'
    )
    return f"{label}\n{inert(passage.text)}\n</passage {number}>"


def inert(text: str) -> str:
    """Text as data: controls become signs, what looks like a fence or a role of the conversation is broken up."""
    return _RUNS.sub(lambda found: " ".join(found[0]), _FENCE.sub(lambda found: f"{found[0]} ", visible(text)))


def question_message(question: str, passages: Sequence[str]) -> Message:
    """The last message: the passages, then the question."""
    return Message("user", "\n\n".join(("[근거 / passages]", *passages, f"<question>\n{inert(question)}\n</question>")))


def refuses(answer: str) -> bool:
    """Whether it is the line that a model is told to refuse with, whatever follows that, with or without citations."""
    said = answer.strip()
    found = _TOLD_TO.match(said)
    return found is not None and (found.end() == len(said) or any(sign in found[1] for sign in ".!:。\n"))


def only_refuses(answer: str) -> bool:
    """Whether it is that line and nothing else."""
    said = answer.strip()
    return (found := _TOLD_TO.match(said)) is not None and found.end() == len(said)


def may_refuse(begun: str) -> bool:
    """Whether an answer that begins so may still become the one line that refuses."""
    said = begun.strip().casefold()
    return refuses(begun) or any(line.startswith(said) for line in (NOT_ENOUGH.casefold(), "근거가 부족하다"))


def _attribute(text: str) -> str:
    return inert(" ".join(text.split())).replace('"', "'")[:300]
