"""What the tests of the Evidence pane share: a casebook to review, and the way into it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from textual.pilot import Pilot

from core.evidence import add_entries, align_session, show_quote
from core.store import open_store
from tests.core.evidence.evidence_support import (
    ALIGNED,
    AMBIGUOUS,
    FAILED,
    FLAGGED,
    KOREAN,
    MESSAGES,
    NEAR,
    SESSION,
    add_messages,
    entry,
)
from tests.tui.support import until
from tui.panes.evidence.screen import EvidenceScreen
from tui.shell.app import CasebookApp

WIDE, SMALL = (120, 34), (80, 24)


def fill(path: Path, messages: Sequence[str], *entries: object) -> Path:
    with open_store(path, write=True, create=True) as store:
        add_messages(store, messages)
        add_entries(store, SESSION, entries)  # pyright: ignore[reportArgumentType]
        align_session(store, SESSION)
    return path


def one_of_each(path: Path) -> Path:
    """A casebook with one quote of each kind: 1 aligned, 2 near, 3 flagged, 4 ambiguous, 5 failed, 6 aligned."""
    return fill(
        path,
        MESSAGES,
        entry("port", ALIGNED, NEAR),
        entry("manifest", FLAGGED, kind="decision"),
        entry("retries", AMBIGUOUS),
        entry("memory", FAILED, KOREAN),
    )


def state(path: Path, evidence_id: int) -> str:
    with open_store(path) as store:
        found = show_quote(store, evidence_id)
    assert found is not None
    return found.row.state


async def opened(pilot: Pilot[None], app: CasebookApp) -> EvidenceScreen:
    await pilot.pause()
    await pilot.press("alt+2")
    await until(pilot, lambda: isinstance(app.screen, EvidenceScreen) and app.screen.quotes.read is not None)
    screen = app.screen
    assert isinstance(screen, EvidenceScreen)
    await until(pilot, lambda: screen.chosen_id is None or shown(screen))  # a key for a quote finds it there
    return screen


def shown(screen: EvidenceScreen) -> bool:
    """Whether the chosen quote is the one beside the list."""
    read = screen.view.read
    return read is not None and read.quote.row.id == screen.chosen_id


def idle(app: CasebookApp) -> bool:
    return not any(map(app.jobs.busy, ("curate", "evidence", "evidence-quote", "evidence-ready")))


async def at(pilot: Pilot[None], screen: EvidenceScreen, evidence_id: int) -> None:
    await until(pilot, lambda: screen.quotes.index_of(evidence_id) is not None)
    screen.list.rows.choose(screen.quotes.index_of(evidence_id) or 0)
    await until(pilot, lambda: screen.chosen_id == evidence_id and shown(screen))
