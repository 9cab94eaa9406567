"""Sessions where a person reads of them: by day and project, a short id behind."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from core.flows.system.demo import fill_demo
from tests.tui.corpus import assert_inert_text
from tests.tui.support import app_on, frame, until
from tui.render.common.session import session_name
from tui.render.common.untrusted import short_id

ID = "01946826-160b-7ffb-b369-65efa8380167"
DAY = "2026-10-12T23:14:00.000Z"


@pytest.mark.parametrize(
    ("started", "project", "cells", "told"),
    [
        (DAY, "/home/mina/work/weather", 60, "2026-10-12 weather 01946826"),
        (DAY, "C:\\work\\weather\\", 60, "2026-10-12 weather 01946826"),
        (DAY, "/home/mina/a-very-long-name-indeed", 30, "2026-10-12 a-very-lo… 01946826"),
        ("", "", 60, "01946826"),
        ("", "/x/weather", 60, "weather 01946826"),
        (DAY, "", 60, "2026-10-12 01946826"),
        (DAY, "/x/weather", 12, "01946826"),
    ],
)
def test_a_session_is_named_by_its_day_and_project(started: str, project: str, cells: int, told: str) -> None:
    assert session_name(ID, started, project, cells) == told


def test_an_id_that_a_person_gave_is_told_whole() -> None:
    assert short_id("deploy-friday") == "deploy-friday"
    assert short_id(ID) == "01946826"


def test_a_session_of_an_agent_s_own_helper_is_told_from_that_of_the_agent() -> None:
    assert short_id(f"{ID}/a7f3c91d0") == "01946826/a7f3c91d"


@given(st.text(max_size=60), st.text(max_size=60), st.integers(1, 80))
def test_a_name_fits_and_is_inert(session: str, project: str, cells: int) -> None:
    told = session_name(session, DAY, project, cells)
    assert_inert_text(told)
    assert cell_len(told) <= cells


@pytest.fixture
def samples(tmp_path: Path) -> Path:
    path = tmp_path / "demo.db"
    fill_demo(path)
    return path


async def test_the_filter_the_session_and_the_case_name_sessions_for_people(samples: Path) -> None:
    app = app_on(samples)
    async with app.run_test(size=(140, 60)) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        await pilot.press("down", "o")
        await until(pilot, lambda: "─ 2026-10-12 weather 01946826 · codex ─" in frame(app))
        await pilot.press("escape")
        await until(pilot, lambda: "01946826 message 27" in frame(app) and "Source" in frame(app))
        await pilot.press("alt+2")
        await until(pilot, lambda: "6 left" in frame(app))
        await pilot.press("f")
        await until(pilot, lambda: "2026-10-12 weather 01946826" in frame(app))
        assert ID not in frame(app)
        await pilot.press(*ID[-12:])
        await until(pilot, lambda: " orders-api " not in frame(app) and "2026-10-12 weather" in frame(app))
