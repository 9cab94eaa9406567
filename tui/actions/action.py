"""What an action is, and what its being possible depends on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Scope = Literal[
    "app", "pane", "box", "list", "scroll", "whole", "case", "why", "session", "triage", "write", "history", "conflict",
    "evidence", "rules", "typed", "table", "drafts", "library", "passage", "ingest",
    "ask", "insights", "strip",
]  # fmt: skip
Focus = Literal[
    "box", "list", "case", "why", "session", "whole", "triage", "write", "history", "conflict", "evidence", "rules",
    "typed", "table", "drafts", "library", "passage", "ingest", "naming", "ask", "asking", "insights", "strip",
    "none",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Situation:
    """What the workbench is doing, as far as an action's being possible depends on it."""

    focus: Focus = "none"
    cases: int = 0
    rows: int = 0
    query: str = ""
    case_open: bool = False
    has_fix: bool = False
    raw_clipped: bool = False
    seen_older: bool = False
    seen_newer: bool = False
    history: bool = False
    trace_shown: bool = False
    zoomed: bool = False
    no_color: bool = False
    filtered: bool = False
    importing: bool = False
    imported: bool = False
    readonly: bool = False
    absent: bool = False
    waiting: int = 0
    marked: int = 0
    alike: int = 0
    unsaved: int = 0
    like: bool = False
    embedding: bool = False
    no_embedding: str = ""
    quote: bool = False
    places: int = 0
    numbered: bool = False
    blocked: str = ""
    rules: int = 0
    calls: bool = False
    call: bool = False
    call_kept: bool = False
    rule: bool = False
    rule_shown: bool = False
    flaws: int = 0
    leads: bool = False
    nothing: str = ""
    library: bool = False
    cited: bool = False
    hit: bool = False
    document: bool = False
    markdown: bool = False
    ingesting: bool = False
    citing: str = ""
    cites: int = 0
    answered: bool = False
    sources: int = 0
    lesson: bool = False


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a person can do.

    `scope` says where its keys hold: everywhere (`app`), in the pane outside inputs (`pane`), or in one part of it.
    `rank` orders the footer, lowest first; 0 keeps it out. `enabled` gives the reason why it is not possible now, or
    an empty string. `hint` is the short title for the footer. `passes` tells when its keys pass on to what they mean
    everywhere else. `words` are others that it is found by.
    """

    id: str
    title: str
    keys: tuple[str, ...]
    scope: Scope
    group: str
    hint: str = ""
    rank: int = 0
    palette: bool = True
    priority: bool = False
    enabled: Callable[[Situation], str] = lambda _: ""
    passes: Callable[[Situation], bool] | None = None
    words: str = ""
