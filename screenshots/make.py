"""Draws the pictures: sample transcripts, the real importer, the real workbench, and time that stands still."""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from unittest.mock import patch

from textual.events import Paste
from textual.pilot import Pilot

from core.flows.demo import fill_demo, fill_demo_rules
from core.samples import DEMO_QUERIES
from screenshots.scenes import SCENES, Scene
from tui.app import CasebookApp
from tui.surroundings import Surroundings

HERE = Path(__file__).resolve().parent
TODAY = datetime(2026, 10, 20, 9, 0, tzinfo=UTC)

LANES = ("count", "rows", "search", "case", "rules-calls", "rules-page", "rules-call", "rules-rank", "rules-why",
         "rules-table")  # fmt: skip
SLOW = ("alt+3", "enter", "n", "f2", "v")
"""Keys after which other keys mean something else once what they open is there."""

# A picture in a README may load nothing from elsewhere.
_FONT_FACE = re.compile(r"\s*@font-face \{.*?\}\n", re.DOTALL)
_FONTS = "Fira Code, Cascadia Mono, Menlo, Consolas, DejaVu Sans Mono, Noto Sans Mono CJK KR, monospace"

_LANES = ("count", "rows", "search", "case", "evidence", "evidence-quote")


async def draw(scene: Scene, database: Path) -> str:
    """One scene as SVG, the same bytes every time."""
    around = Surroundings(rules=(database.with_name("rules.md"),))
    app = CasebookApp(database, title="sample casebook", theme=scene.theme, around=around, clock=lambda: TODAY)
    async with app.run_test(size=(scene.width, scene.height)) as pilot:
        await _quiet(pilot, app)
        if scene.paste is not None:
            app.errors.box.post_message(Paste(DEMO_QUERIES[scene.paste]))
            await _quiet(pilot, app)
        for key in scene.type:
            await pilot.press("space" if key == " " else key)
        await _quiet(pilot, app)
        for key in scene.keys:
            await pilot.press(key)
            await _quiet(pilot, app)
        svg = app.export_screenshot(title="casebook")
    svg = _FONT_FACE.sub("", svg).replace("font-family: Fira Code, monospace", f"font-family: {_FONTS}")
    return "\n".join(line.rstrip() for line in svg.split("\n"))


async def _quiet(pilot: Pilot[None], app: CasebookApp) -> None:
    """Wait until no job runs and every message is handled."""
    for _ in range(3):
        await pilot.pause(0.12)
        while any(app.jobs.busy(lane) for lane in _LANES):
            await pilot.pause(0.02)
    app.errors.box.cursor_blink = False
    await pilot.pause()


async def pictures() -> dict[str, str]:
    """Every picture by file name. Durations are fixed: they are the only thing that differs from run to run."""
    with (
        tempfile.TemporaryDirectory() as folder,
        patch("core.trace.Stopwatch.ms", return_value=0.4),
        patch("tui.panes.errors.results.ms_since", return_value=3.0),
    ):
        database = Path(folder) / "sample" / "sample.db"
        database.parent.mkdir()
        fill_demo(database)
        fill_demo_rules(database)
        return {f"{scene.name}.svg": await draw(scene, database) for scene in SCENES}


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
