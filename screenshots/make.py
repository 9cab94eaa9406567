"""Draws the pictures: sample transcripts, the real importer, the real workbench, and time that stands still."""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from unittest.mock import patch

from textual.events import Paste
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from core.base.config.settings import Value
from core.base.config.settings_sources import Config, default_config
from core.errors.curation.decisions import verify
from core.errors.curation.transaction import Written, look
from core.flows.ingest.api import ingest
from core.flows.system.demo import fill_demo, fill_demo_rules
from core.flows.system.demo_weeks import add_weeks
from core.samples import DEMO_QUERIES, sample_notes
from core.store import open_store
from screenshots.scenes import SCENES, Scene
from tests.core.llm.llm_server import Reply, llm_server
from tests.tui.quiet import quiet
from tui.panes.errors.fix_editor import WritingScreen
from tui.panes.library.ask_screen import AskScreen
from tui.panes.rules.screen import RulesScreen
from tui.services.environment import Surroundings
from tui.shell.app import CasebookApp

HERE = Path(__file__).resolve().parent
TODAY = datetime(2026, 10, 20, 9, 0, tzinfo=UTC)
DECIDED = "2026-10-20T08:55:00.000Z"
LEFT_OUT = {
    ".gitignore": b"drafts/\n*.log\n",
    "drafts/ideas.md": b"# not yet\n",
    "server.log": b"started\n",
    "photo.png": b"\x89PNG",
    "empty.md": b"",
    "a#b.md": b"# a place that cannot be cited\n",
    "node_modules/left-pad/index.js": b"module.exports = 1\n",
    "uv.lock": b"version = 1\n",
}

# A picture in a README may load nothing from elsewhere.
_FONT_FACE = re.compile(r"\s*@font-face \{.*?\}\n", re.DOTALL)
_FONTS = "Fira Code, Cascadia Mono, Menlo, Consolas, DejaVu Sans Mono, Noto Sans Mono CJK KR, monospace"

_LANES = (
    *("count", "rows", "search", "case", "evidence", "evidence-quote"),
    *("curate", "triage", "triage-case", "writing", "history", "history-fixes", "scratch", "unsaved", "like"),
    *("ingest", "ingest-known"),
    *("rules-calls", "rules-page", "rules-call", "rules-rank", "rules-why", "rules-table"),
    *("library", "library-page", "library-doc", "library-meaning"),
    "insights",
)


_SETTINGS = default_config({"embedding.model": ("", "all-MiniLM-L6-v2")})
"""The model of a plain install, whatever else is installed where the pictures are drawn."""


async def draw(scene: Scene, database: Path) -> str:
    """One scene as SVG, the same bytes every time."""
    with ExitStack() as stack:
        endpoint = stack.enter_context(llm_server([Reply(scene.asks[1:])])).endpoint if scene.asks else ""
        return await _drawn(scene, database, endpoint)


async def _drawn(scene: Scene, database: Path, endpoint: str) -> str:
    """The scene, with a language model's server at `endpoint`, if it asks one."""
    rules = (database.with_name("rules.md"),)
    settings = _asking(endpoint) if endpoint else _SETTINGS if scene.meaning else None
    around = Surroundings(settings, rules=rules) if settings is not None else Surroundings(rules=rules)
    if scene.asks:
        with open_store(database, write=True) as store:
            ingest(store, [sample_notes()])
    if scene.reads:
        _read_folder(database)
    app = CasebookApp(database, title="sample casebook", theme=scene.theme, around=around, clock=lambda: TODAY)
    frames: list[str] = []
    async with app.run_test(size=(scene.width, scene.height)) as pilot:
        await _quiet(pilot, app)
        if scene.seconds:
            frames.append(_picture(app))
        if scene.paste is not None:
            app.errors.box.post_message(Paste(DEMO_QUERIES[scene.paste]))
            await _quiet(pilot, app)
            if scene.seconds:
                frames.append(_picture(app))
        for key in scene.type:
            await pilot.press("space" if key == " " else key)
        await _quiet(pilot, app)
        for number, key in enumerate(scene.keys, 1):
            last = number == len(scene.keys)
            if scene.meanwhile and last:
                _decide(database, app, scene.meanwhile)
            if scene.meaning and last:
                await _compared(pilot, app)
            if scene.edits[0] and last:
                await _edited(pilot, app, rules[0], *scene.edits)
            await pilot.press(key)
            await _quiet(pilot, app)
            if scene.seconds:
                frames.append(_picture(app))
        if scene.asks:
            await _answered(pilot, app, scene.asks[0])
        return _moving(frames, scene.seconds) if scene.seconds else _picture(app)


def _picture(app: CasebookApp) -> str:
    """The screen as SVG."""
    svg = app.export_screenshot(title="casebook")
    svg = _FONT_FACE.sub("", svg).replace("font-family: Fira Code, monospace", f"font-family: {_FONTS}")
    return "\n".join(line.rstrip() for line in svg.split("\n"))


def _moving(frames: Sequence[str], seconds: Sequence[float]) -> str:
    """The pictures one after the other, over and over, as one SVG without a script."""
    whole, start = sum(seconds), 0.0
    head = frames[0][: frames[0].index(">") + 1]
    rules = [".frame { visibility: hidden }", "#frame-0 { visibility: visible }"]
    shown = list[str]()
    for number, (frame, length) in enumerate(zip(frames, seconds, strict=True)):
        if not length:
            continue
        steps = ((0.0, "hidden"), (start, "visible"), (start + length, "hidden"))
        said = " ".join(f"{100 * at / whole:.3f}% {{ visibility: {how} }}" for at, how in steps)
        rules.append(f"@keyframes frame-{number} {{ {said} }}")
        rules.append(f"#frame-{number} {{ animation: frame-{number} {whole:g}s step-end infinite }}")
        shown.append(f'<g class="frame" id="frame-{number}">{frame}</g>')
        start += length
    return "\n".join([head, "<style>", *rules, "</style>", *shown, "</svg>", ""])


async def _compared(pilot: Pilot[None], app: CasebookApp) -> None:
    """Wait until the model has spoken."""
    screen = next(screen for screen in app.screen_stack if isinstance(screen, RulesScreen))
    while (ranked := screen.rank.ranked) is None or ranked.soon:
        await pilot.pause(0.05)
    await _quiet(pilot, app)


async def _edited(pilot: Pilot[None], app: CasebookApp, rules: Path, old: str, new: str) -> None:
    """Edit the rule file, and wait until the ranking has followed."""
    said = rules.read_text("utf-8")
    assert old in said
    rules.write_text(said.replace(old, new), "utf-8")
    assert isinstance(app.screen, RulesScreen)
    while (ranked := app.screen.rank.ranked) is None or not ranked.moved:
        await pilot.pause(0.05)
    await _quiet(pilot, app)


def _asking(endpoint: str) -> Config:
    """Settings with a language model and no model of meaning."""
    values: dict[str, Value] = {
        "models.llm.endpoint": endpoint,
        "embedding.model": "all-mpnet-base-v2",
        "embedding.auto": False,
        "embedding.service": False,
    }
    return default_config({name: ("", value) for name, value in values.items()})


async def _answered(pilot: Pilot[None], app: CasebookApp, question: str) -> None:
    """Ask, and wait for the answer."""
    screen = app.screen
    assert isinstance(screen, AskScreen)
    screen.box.value = question
    await pilot.press("enter")
    while screen.last is None or screen.last.open:
        await pilot.pause(0.05)
    await _quiet(pilot, app)


def _read_folder(database: Path) -> None:
    """A folder of the sample notes and of what is left out, read at a fixed time from a place of a fixed name."""
    folder = database.with_name("wiki")
    shutil.copytree(sample_notes(), folder)
    for name, text in LEFT_OUT.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text)
    with open_store(database, write=True) as store:
        ingest(store, [folder])
        with store.transaction() as con:
            con.execute("UPDATE sources SET root = '/home/mina/' || source_id")
            con.execute(
                "UPDATE ingest_runs SET finished_at = ?,"
                " report_json = json_set(replace(report_json, ?, '/home/mina/wiki'), '$.duration_ms', 1200)",
                (DECIDED, str(folder.resolve())),
            )


def _decide(database: Path, app: CasebookApp, fix: str) -> None:
    """Somebody else is faster about the case that is being written."""
    screen = app.screen
    if isinstance(screen, WritingScreen) and screen.case.read is not None:
        with open_store(database, write=True) as store:
            verify(store, "ben", [look(store.con, screen.case.read.case.id)], Written(fix))


async def _quiet(pilot: Pilot[None], app: CasebookApp) -> None:
    """Wait until no job runs and every message is handled."""
    for _ in range(3):
        await pilot.pause(None if quiet(0.12) else 0.12)
        while any(app.jobs.busy(lane) for lane in _LANES):
            await pilot.pause(0.02)
    app.errors.box.cursor_blink = False
    for box in app.screen.query(Input):
        box.cursor_blink = False
    for area in app.screen.query(TextArea):
        area.cursor_blink = False
    await pilot.pause()


async def pictures(scenes: Sequence[Scene] = SCENES) -> dict[str, str]:
    """The pictures by file name. Durations, times and names are fixed: they are all that differs from run to run."""
    with (
        tempfile.TemporaryDirectory() as folder,
        patch("core.base.trace.Stopwatch.ms", return_value=0.4),
        patch("core.library.search.api.now", return_value=DECIDED),
        patch("core.store.journal.now", return_value=DECIDED),
        patch("core.errors.curation.transaction.now", return_value=DECIDED),
        patch("tui.render.answer.seconds", return_value="1.8 s"),
        patch.dict(os.environ, {"LOGNAME": "mina", "XDG_STATE_HOME": folder, "XDG_CONFIG_HOME": folder}),
    ):
        database = Path(folder) / "sample" / "sample.db"
        database.parent.mkdir()
        fill_demo(database)
        add_weeks(database)
        with open_store(database, write=True) as store:
            store.con.execute("UPDATE documents SET indexed_at = ?", (DECIDED,))
        made: dict[str, str] = {}
        for scene in scenes:
            own = Path(shutil.copyfile(database, database.with_name(f"{scene.name}.db")))
            fill_demo_rules(own)  # a scene may have edited them
            made[f"{scene.name}.svg"] = await draw(scene, own)
        return made


def main() -> int:
    """Write the pictures, or with `--check` say which are out of date (exit code 1)."""
    parser = argparse.ArgumentParser(prog="python -m screenshots", description="Draw the pictures of the README.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a picture is out of date")
    check = parser.parse_args().check
    stale = 0
    for name, svg in asyncio.run(pictures()).items():
        path = HERE / name
        fresh = path.exists() and path.read_text(encoding="utf-8") == svg
        stale += not fresh
        sys.stdout.write(f"{'fresh' if fresh else 'stale' if check else 'drawn'}  {name}\n")
        if not check and not fresh:
            path.write_text(svg, encoding="utf-8")
    return 1 if check and stale else 0
