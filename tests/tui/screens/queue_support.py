"""The triage queue in a test: opened, and whether what it shows and does is done."""

from __future__ import annotations

from textual.pilot import Pilot

from tests.tui.support import until
from tui.panes.errors.triage import TriageScreen
from tui.shell.app import CasebookApp


def queue_of(app: CasebookApp) -> TriageScreen:
    screen = app.screen
    assert isinstance(screen, TriageScreen)
    return screen


async def opened(pilot: Pilot[None], app: CasebookApp) -> TriageScreen:
    """The queue is on the screen, and its first case beside it."""
    await until(pilot, lambda: app.errors.case.read)
    await pilot.press("escape", "T")
    await until(pilot, lambda: isinstance(app.screen, TriageScreen) and app.screen.case.read)
    return queue_of(app)


def shown(screen: TriageScreen) -> bool:
    """Whether the chosen case is the one beside the queue: a person does not decide on what they do not see."""
    one = screen.queue.get(screen.rows.chosen)
    return one is not None and screen.case.read is not None and screen.case.read.case.id == one.row.id


def idle(app: CasebookApp) -> bool:
    return not any(map(app.jobs.busy, ("curate", "triage", "triage-case")))
