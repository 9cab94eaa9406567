"""Asking in the workbench: how soon the first word of an answer is on the screen, and how soon Esc has ended it.

The words come from a double of a language model's server (`tests/core/llm/llm_server.py`), for what is measured is the
way from the server's socket to the screen: through the process that asks, a pipe, the interface. Textual draws 60 times
a second by a timer; the first word does not wait for it. Beside it is told how long it takes to draw all of it anew.
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from textual.app import App
from textual.pilot import Pilot

from bench.table import Row, p95
from core.base.config.settings import Value
from core.base.config.settings_sources import default_config
from core.flows.ingest.api import ingest
from core.library.ask.answer import AnswerEvent
from core.store import open_store
from tests.core.llm.llm_server import Reply, Server, llm_server
from tui.panes.library.ask_screen import AskScreen
from tui.panes.library.conversation import Answering
from tui.shell.app import CasebookApp

Times = tuple[float, float, float, float, float]
"""Seconds: the conversation drawn anew; the first word, from its arrival and from the server; Esc, here and there."""
QUESTION: Final = "How many retries does the client make?"
_NOTE: Final = "# Client\n\n## Retries\n\nThe client makes three retries, then it stops.\n"


class _Watch:
    """When the server sent, when the screen was drawn, both by one clock."""

    def __init__(self) -> None:
        self.sent = 0.0
        self.drawn: list[float] = []
        self.worded: list[float] = []  # with a word of the answer on the screen
        self.heard = 0.0

    def reply(self, _: dict[str, Any]) -> Reply:
        """One word, then silence; sent right away."""
        self.sent = time.monotonic()
        return Reply(("WORD",), hang_after=1)

    def hears(self, heard: Callable[..., None]) -> Callable[..., None]:
        """The screen's ear, noted."""

        def noted(screen: AskScreen, event: AnswerEvent) -> None:
            if event.kind == "token":
                self.heard = time.monotonic()
            heard(screen, event)

        return noted

    def display(self, shown: Callable[..., None]) -> Callable[..., None]:
        """The app's way to the terminal, noted."""

        def noted(app: App[Any], *given: Any) -> None:
            screen = app.screen
            has_word = isinstance(screen, AskScreen) and screen.last is not None and screen.last.text != ""
            shown(app, *given)
            self.drawn.append(time.monotonic())
            if has_word:
                self.worded.append(self.drawn[-1])

        return noted

    async def since(self, moment: float) -> float:
        """Seconds from `moment` to the next drawing."""
        while not self.drawn or self.drawn[-1] <= moment:
            await asyncio.sleep(0.001)
        return next(at for at in self.drawn if at > moment) - moment


def measure(*, quick: bool) -> list[Row]:
    """Rounds of question, first word, Esc, in one app."""
    watch = _Watch()
    with (
        tempfile.TemporaryDirectory() as folder,
        llm_server([watch.reply]) as server,
        patch.object(App, "_display", watch.display(App._display)),
        patch.object(AskScreen, "_on_answer_event", watch.hears(AskScreen._on_answer_event)),
    ):
        found = asyncio.run(_rounds(Path(folder), server, watch, 8 if quick else 30))
    again, first, sent, said, closed = zip(*found, strict=True)
    note = f"{_ms(first)}; from the server's socket {_ms(sent)}; all drawn anew {_ms(again)}"
    return [
        Row("first word of an answer, come to drawn (median)", statistics.median(first) * 1000, 16.7, note, " ms"),
        Row("Esc in an answer, until the screen says so (p95)", p95([*said]) * 1000, 100, _ms(said), " ms"),
        Row("Esc in an answer, until the server is left (p95)", p95([*closed]) * 1000, 100, _ms(closed), " ms"),
    ]


def _ms(times: Sequence[float]) -> str:
    return f"median {statistics.median(times) * 1000:.1f} ms, worst {max(times) * 1000:.1f} ms"


async def _rounds(folder: Path, server: Server, watch: _Watch, many: int) -> list[Times]:
    (folder / "notes").mkdir()
    (folder / "notes" / "client.md").write_text(_NOTE, encoding="utf-8")
    with open_store(folder / "c.db", write=True, create=True) as store:
        ingest(store, [folder / "notes"])
    values: dict[str, Value] = {"models.llm.endpoint": server.endpoint, "embedding.model": "all-mpnet-base-v2"}
    config = default_config({name: ("bench", value) for name, value in values.items()})
    app = CasebookApp(folder / "c.db")
    async with app.run_test(size=(120, 34)) as pilot:
        screen = AskScreen(Answering(app.jobs, folder / "c.db", config.values), app.signs, "")
        await app.push_screen(screen)
        await _round(pilot, screen, server, watch)  # the process begins
        return [await _round(pilot, screen, server, watch) for _ in range(many)]


async def _round(pilot: Pilot[None], screen: AskScreen, server: Server, watch: _Watch) -> Times:
    """One question, its first word, Esc."""
    server.gone.clear()
    screen.box.focus()
    screen.box.value = QUESTION
    watch.worded.clear()
    await pilot.press("enter")
    while not watch.worded:
        await asyncio.sleep(0.001)
    first, sent = watch.worded[0] - watch.heard, watch.worded[0] - watch.sent
    await pilot.pause(0.05)
    asked = time.monotonic()
    screen.conversation.draw()
    again = await watch.since(asked)
    await pilot.pause(0.05)
    pressed = time.monotonic()
    screen.perform("ask.stop")
    said = await watch.since(pressed)
    while not server.gone.is_set():
        await asyncio.sleep(0.001)
    closed = time.monotonic() - pressed
    while screen.last is not None and screen.last.open:
        await asyncio.sleep(0.005)
    screen.perform("ask.fresh")
    await pilot.pause(0.05)
    return again, first, sent, said, closed
