"""How long a search took: one number, wherever it is told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from core.base.trace import Step
from tests.tui.support import app_on, frame, until
from tui.render.common.trace import duration, took

WORDS = (Step("identify", "hit", "", elapsed_ms=3.4), Step("exact", "miss", "", elapsed_ms=0.6))


@pytest.mark.parametrize(
    ("ms", "told"), [(0.06, "0.1 ms"), (9.94, "9.9 ms"), (9.96, "10 ms"), (24.4, "24 ms"), (999.6, "1.0 s")]
)
def test_a_duration_is_as_short_as_it_can_be_told(ms: float, told: str) -> None:
    assert duration(ms) == told


def test_all_steps_together_are_the_time_of_a_search() -> None:
    assert took(WORDS) == "4.0 ms"
    assert took(()) == ""


def test_a_step_that_is_the_whole_is_not_counted_twice() -> None:
    assert took((*WORDS, Step("search", "hit", "", elapsed_ms=24.1))) == "24 ms"


async def test_list_and_trace_name_the_same_time(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=(200, 40)) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        app.errors.box.ask("ModuleNotFoundError: No module named 'yaml'")
        await until(pilot, lambda: "same case" in frame(app))
        await until(pilot, lambda: "1 of " in frame(app) and "identify  hit" in frame(app))
        times = re.findall(r"\d[\d.]* m?s(?= ─)", frame(app))
        assert len(times) == 2, frame(app)
        assert times[0] == times[1]


async def test_a_step_that_only_took_another_time_is_drawn_anew(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=(200, 40)) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        app.errors.add_class("-why")
        app.errors.why.explain((Step("vector", "hit", "", elapsed_ms=1975.7),))
        await until(pilot, lambda: "vector  hit  2.0 s" in frame(app))
        app.errors.why.explain((Step("vector", "hit", "", elapsed_ms=21.0),))
        await until(pilot, lambda: "vector  hit  21 ms" in frame(app))
        assert "2.0 s" not in frame(app)
