"""The README's pictures are those of today; `python -m screenshots --check` looks at all of them."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from screenshots.make import HERE, pictures
from screenshots.scenes import SCENES
from tests.tui.quiet import drawn_when_quiet, nothing_slept_for_nothing, styles_parsed_once

ROOT = Path(__file__).resolve().parents[2]
_SHOWN = re.compile(r"\(screenshots/([\w-]+)\.svg\)")


def test_every_picture_has_its_scene_and_every_scene_its_picture() -> None:
    assert {path.stem for path in HERE.glob("*.svg")} == {scene.name for scene in SCENES}


def test_the_pictures_of_the_readme_are_fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "CASEBOOK_UI_THEME"):
        monkeypatch.delenv(name, raising=False)
    shown = set(_SHOWN.findall((ROOT / "README.md").read_text(encoding="utf-8")))
    scenes = [scene for scene in SCENES if scene.name in shown]
    assert {scene.name for scene in scenes} == shown
    with nothing_slept_for_nothing(), drawn_when_quiet(), styles_parsed_once():
        drawn = asyncio.run(pictures(scenes))
    # Names alone: to show how two pictures differ takes pytest most of a minute, and nobody reads it.
    stale = [name for name, svg in drawn.items() if (HERE / name).read_text(encoding="utf-8") != svg]
    assert stale == [], "draw them anew: python -m screenshots"
