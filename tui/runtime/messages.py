"""Messages from any pane to the app."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from textual.message import Message

from core.base.fault import Fault
from tui.runtime.jobs import Jobs


class CiteSource(Protocol):
    """The library, as it is cited from."""

    jobs: Jobs

    @property
    def passage(self) -> str | None:
        """The name of what is chosen."""
        ...

    @property
    def query_text(self) -> str:
        """What was searched."""
        ...

    def say(self, text: str, severity: str = "information") -> None:
        """A toast."""
        ...

    def say_fault(self, fault: Fault) -> None:
        """A fault, in a toast."""
        ...

    def leave(self) -> None:
        """Back to where one came from, unless something is open over it."""
        ...


class CiteTarget(Protocol):
    """An item that can cite the library: `label` is its short name, empty for none."""

    @property
    def label(self) -> str: ...

    def cite(self, source: CiteSource) -> None:
        """Cite what is chosen there."""
        ...


class PaneChanged(Message):
    """What one can do here has changed."""


class PaneImportBegan(Message):
    """A person began an import: the Errors pane, which shows its progress, is to come to the front."""


@dataclass
class PaneCounted(Message):
    """The casebook was counted: how many cases it holds, and why it cannot be written, if so. None: it is missing."""

    cases: int | None
    readonly: str


@dataclass
class PaneTroubled(Message):
    """The core could not answer, and the pane still shows what it had."""

    fault: Fault


@dataclass
class PaneCopied(Message):
    """A text is to go to the clipboard: what it is, in a word, and the text itself.

    It is cleaned on its way, unless it is `exact`: inert already, and not a sign of it may change.
    """

    what: str
    text: str
    exact: bool = False


@dataclass
class PaneShowAll(Message):
    """Show a long text in full, under a heading; it opens at the range `highlights`.

    `wrapped`: it is prose, its long lines are broken.
    """

    heading: str
    text: str
    highlights: Sequence[tuple[int, int]] = ()
    wrapped: bool = False


@dataclass
class PaneMessage(Message):
    """Show a toast; `severity` is Textual's."""

    text: str
    severity: str = "information"
    replaces: str = ""
    """A text that was shown before and is no longer true."""


@dataclass
class PaneSearchLibrary(Message):
    """Search the library for this: its pane opens with the query. `target`: the citing item."""

    query: str
    target: CiteTarget | None = None


@dataclass
class PaneOpenCitation(Message):
    """The library is to show what is cited, by its URI (`path#L12-L34`)."""

    uri: str


@dataclass
class PaneOpenCase(Message):
    """The Errors pane is to show this case; with None, to search for the words of `query`."""

    case_id: int | None
    query: str = ""
