"""Merging in the queue: what goes into what is on the screen before, what differs is asked, what was asked is done."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.events import Key
from textual.pilot import Pilot

from core.errors import Case, identify, list_cases, observe, search, show_case
from core.errors.cases.record import Name
from core.errors.curation.decisions import edit, verify
from core.errors.curation.history import whole_history
from core.errors.curation.merging import merge
from core.errors.curation.transaction import Written, look, person
from core.store import open_store
from tests.tui.corpus import assert_inert, few
from tests.tui.screens.queue_support import idle, opened, shown
from tests.tui.support import app_on, frame, put, until
from tui.panes.errors import triage
from tui.panes.errors.case_side import ConflictScreen
from tui.panes.errors.merge_split import MergeScreen, PickCase, PickErrors, WhoseFix
from tui.panes.errors.triage import TriageScreen
from tui.shell.app import CasebookApp

WIDE, SMALL = (120, 34), (80, 24)
REFUSED = "psql: error: connection to server failed: Connection refused"
AGAIN = "psql: error: connection to the server failed: Connection refused"
TABLE = "sqlite3.OperationalError: no such table: orders"
OTHER = "error: a spoon lies in the drawer"


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def waiting(tmp_path: Path, *cases: tuple[str, str, str | None]) -> tuple[Path, list[int]]:
    """A casebook whose queue has these cases in this order."""
    path = tmp_path / "merge.db"
    with open_store(path, write=True, create=True) as store:
        return path, [put(store, *one, seen=30 - at) for at, one in enumerate(cases)]


def read(path: Path, case_id: int) -> Case | None:
    with open_store(path) as store:
        return show_case(store, case_id)


def bottom(screen: TriageScreen) -> str:
    """What the frame of the queue says below."""
    return str(screen._view.border_subtitle)


async def stand_on(pilot: Pilot[None], screen: TriageScreen, case_id: int) -> None:
    at = screen.queue.index_of(case_id)
    assert at is not None
    screen.rows.choose(at)
    await until(pilot, lambda: shown(screen) and screen.queue.rows[screen.rows.chosen].row.id == case_id)


async def asked(pilot: Pilot[None], app: CasebookApp) -> str:
    await until(pilot, lambda: isinstance(app.screen, MergeScreen))
    return " ".join(frame(app).replace("│", " ").split())


async def test_cases_of_two_tools_are_asked_about_though_no_fix_differs(tmp_path: Path) -> None:
    path, (first, second, _) = waiting(
        tmp_path, (REFUSED, "psql", "start it"), (TABLE, "python", None), (OTHER, "shell", None)
    )
    app = app_on(path)
    async with app.run_test(size=SMALL) as pilot:
        screen = await opened(pilot, app)
        await pilot.press("space", "space", "k", "M")
        told = await asked(pilot, app)
        assert f"Merge #{first} into #{second}?" in told
        assert "The tools and key lines of the cases differ." in told
        assert "the error is from psql, not from python" in told
        assert "fixes differ" not in told
        assert "its fix" not in told
        await pilot.press("M")  # a held key is no answer
        assert isinstance(app.screen, MergeScreen)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, TriageScreen))
        assert read(path, first) is not None
        assert len(screen.queue.marked) == 2, "nothing was decided"


async def test_the_question_draws_the_markdown_of_fixes(tmp_path: Path) -> None:
    changed = "**Changed** `db.py`\n\n```diff\n-port = 1\n+port = 2\n```\n\n**Why**: it moved\n\nand so on"
    path, _ = waiting(tmp_path, (REFUSED, "psql", changed), (AGAIN, "psql", "restart it"))
    app = app_on(path)
    async with app.run_test(size=SMALL) as pilot:
        await opened(pilot, app)
        await pilot.press("space", "space", "M")
        told = await asked(pilot, app)
        assert "Changed db.py" in told
        assert "-port = 1 +port = 2" in told, told
        assert not any(mark in told for mark in ("**", "```", "and so on"))


async def test_fixes_alone_that_differ_are_told_alone(tmp_path: Path) -> None:
    path, (first, second) = waiting(tmp_path, (REFUSED, "psql", "start it"), (AGAIN, "psql", "restart it"))
    app = app_on(path)
    async with app.run_test(size=SMALL) as pilot:
        await opened(pilot, app)
        await pilot.press("space", "space", "k", "M")
        told = await asked(pilot, app)
        assert "The fixes of the cases differ." in told
        assert "an error of" not in told
        kept = told.index("Kept")
        assert kept < told.index(f"of #{first} start it", kept) < told.index("Replaced")
        assert f"of #{second} restart it" in told[told.index("Replaced") :]
        assert "in its history" in told


async def test_what_is_obviously_the_same_is_merged_at_once_and_said_when_it_is_done(tmp_path: Path) -> None:
    path, (first, second, _) = waiting(
        tmp_path, (REFUSED, "psql", "start it"), (AGAIN, "psql", "start it"), (OTHER, "shell", None)
    )
    app = app_on(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await pilot.press("A", "j", "j", "space", "k", "k")
        assert f"2 selected M merges #{second} into #{first}" in " ".join(bottom(screen).split())
        await pilot.press("M")
        await until(pilot, lambda: f"merged #{second} into #{first}" in bottom(screen))
        assert "u undoes" in bottom(screen)
        assert read(path, second) is None
        await until(pilot, lambda: idle(app) and shown(screen) and "2 variants, P split" in frame(app))
        assert not screen.queue.marked
        assert screen.case.read is not None
        assert screen.case.read.case.id == first


async def test_an_undone_merge_leaves_the_cursor_on_the_kept_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(triage, "_SOON", 60)  # undone before the queue was read again
    path, (first, second) = waiting(tmp_path, (REFUSED, "psql", "start it"), (AGAIN, "psql", "start it"))
    app = app_on(path)
    async with app.run_test(size=SMALL) as pilot:
        screen = await opened(pilot, app)
        await stand_on(pilot, screen, second)
        await pilot.press("M")
        await until(pilot, lambda: isinstance(app.screen, PickCase) and not app.jobs.busy("pick"))
        await pilot.press("enter")
        await until(pilot, lambda: f"merged #{first} into #{second}" in bottom(screen))
        await pilot.press("u")
        await until(pilot, lambda: idle(app) and bottom(screen).startswith("Undone: merge") and shown(screen))
        assert screen._chosen_id == second


async def test_the_output_beside_a_merged_case_is_of_the_error_in_its_key_line(tmp_path: Path) -> None:
    path, (first, second) = waiting(tmp_path, (REFUSED, "psql", None), (TABLE, "python", None))
    with open_store(path, write=True) as store:
        with store.transaction() as con:
            for day, line, key in ((2, REFUSED, "psql"), (3, TABLE, "python")):
                found = identify(line)
                observe(
                    con, Name(line, found.normalized, found.fingerprint, key), session_id=None, message_idx=None,
                    tool=key, project="shop", ts=f"2026-09-0{day}T10:00:00.000Z", raw=f"on day {day}\n{line}",
                    start=9, end=9 + len(line),
                )  # fmt: skip
        merge(store, "ana", look(store.con, first), [look(store.con, second)])
    app = app_on(path)
    async with app.run_test(size=SMALL) as pilot:
        screen = await opened(pilot, app)
        await stand_on(pilot, screen, first)
        await until(pilot, lambda: "on day 2" in frame(app))
        assert "on day 3" not in frame(app)


async def test_the_row_behind_a_marked_one_takes_no_part_in_a_merge(tmp_path: Path) -> None:
    path, (first, second, third, behind) = waiting(
        tmp_path, (REFUSED, "psql", "start it"), (AGAIN, "psql", "start it"),
        (f"{AGAIN} again", "psql", "start it"), (OTHER, "shell", None),
    )  # fmt: skip
    app = app_on(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await pilot.press("space", "space", "space")
        assert screen.queue.rows[screen.rows.chosen].row.id == behind
        assert f"3 selected M merges 2 into #{first} {REFUSED}"[:50] in " ".join(bottom(screen).split())
        rows = [line for line in frame(app).split("\n") if "psql: error" in line][:3]
        assert [line.partition("│")[2].partition("│")[0].strip()[-1] for line in rows] == ["=", "+", "+"]
        await pilot.press("k", "k")  # on the second of them: it is that one which stays
        assert f"3 selected M merges 2 into #{second}" in " ".join(bottom(screen).split())
        rows = [line for line in frame(app).split("\n") if "psql: error" in line][:3]
        assert [line.partition("│")[2].partition("│")[0].strip()[-1] for line in rows] == ["+", "=", "+"]
        await pilot.press("j", "j", "M")
        await until(pilot, lambda: f"merged 2 cases into #{first}" in bottom(screen))
        assert (read(path, second), read(path, third)) == (None, None)
        kept = read(path, behind)
        assert kept is not None
        assert kept.key_lines == (OTHER,)


async def test_one_marked_case_is_the_one_that_another_is_picked_for(tmp_path: Path) -> None:
    path, (first, second, _) = waiting(
        tmp_path, (REFUSED, "psql", "start it"), (TABLE, "python", None), (AGAIN, "psql", None)
    )
    app = app_on(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await pilot.press("space")
        await until(pilot, lambda: shown(screen))
        assert screen.queue.rows[screen.rows.chosen].row.id == second
        assert f"1 selected M merges another into #{first}" in " ".join(bottom(screen).split())
        await pilot.press("M")
        await until(pilot, lambda: isinstance(app.screen, PickCase) and "orders" not in bottom(screen))
        assert f"Merge another case into #{first}" in frame(app)
        assert "enter merges, esc cancels" in frame(app)
        await pilot.press("#", *str(second))
        await until(pilot, lambda: not app.jobs.busy("pick") and app.screen.rows.rows.total == 1)  # pyright: ignore[reportAttributeAccessIssue]
        await pilot.press("enter")
        assert f"Merge #{second} into #{first}?" in await asked(pilot, app)
        await pilot.press("enter")
        await until(pilot, lambda: idle(app) and f"merged #{second} into #{first}" in bottom(screen))
        kept = read(path, first)
        assert kept is not None
        assert set(kept.key_lines) == {REFUSED, TABLE}


async def test_what_reads_alike_is_offered_before_a_word_is_typed(tmp_path: Path) -> None:
    korean = "오류: 설정 파일을 찾을 수 없습니다 (config.toml)"
    path, (first, second, _) = waiting(
        tmp_path,
        (f"{korean} 다시 확인하세요", "shell", "복사한다"),
        (korean, "shell", "복사한다"),
        (OTHER, "shell", None),
    )
    app = app_on(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await pilot.press("M")
        await until(pilot, lambda: isinstance(app.screen, PickCase) and not app.jobs.busy("pick"))
        picker = app.screen
        assert isinstance(picker, PickCase)
        await until(pilot, lambda: picker.rows.rows.total)
        assert "오류: 설정 파일을" in frame(app).split("Merge another case")[1]
        await pilot.press("enter")
        await until(pilot, lambda: idle(app) and f"merged #{second} into #{first}" in bottom(screen))


async def test_a_number_and_enter_typed_at_once_merge_that_case(tmp_path: Path) -> None:
    path, (first, second, third) = waiting(
        tmp_path, (REFUSED, "psql", None), (AGAIN, "psql", None), (OTHER, "shell", None)
    )
    app = app_on(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await stand_on(pilot, screen, first)
        await pilot.press("M")
        await until(pilot, lambda: isinstance(app.screen, PickCase) and not app.jobs.busy("pick"))
        for key in (str(third), "enter"):
            app.post_message(Key(key, key if len(key) == 1 else "\r"))
        told = await asked(pilot, app)
        assert f"#{third}" in told
        assert f"#{second}" not in told
        await pilot.press("enter")
        await until(pilot, lambda: idle(app) and f"merged #{third} into #{first}" in bottom(screen))


@pytest.mark.parametrize("size", [SMALL, (200, 50)])
async def test_cases_whose_lines_begin_alike_are_told_apart_where_one_is_picked(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    long = "error: cannot read the settings of the collector service for stations in the harbour district, file {}"
    path, numbers = waiting(
        tmp_path, *((long.format(name), "shell", None) for name in ("harbour.toml", "부두.toml", "quay.yaml"))
    )
    app = app_on(path)
    async with app.run_test(size=size) as pilot:
        await opened(pilot, app)
        await pilot.press("M")
        await until(pilot, lambda: isinstance(app.screen, PickCase) and not app.jobs.busy("pick"))
        picker = app.screen
        assert isinstance(picker, PickCase)
        await until(pilot, lambda: picker.rows.rows.total == 2)
        rows = [line for line in frame(app).split("Merge another case")[1].split("\n") if "#" in line and "…" in line]
        assert sorted(one for one in ("부두.toml", "quay.yaml") if one in "".join(rows)) == ["quay.yaml", "부두.toml"]
        assert all(any(f"#{number} " in line for line in rows) for number in numbers[1:])


async def test_a_case_is_picked_by_the_error_that_has_the_words(tmp_path: Path) -> None:
    path, (first, second, third) = waiting(
        tmp_path, (REFUSED, "psql", None), (TABLE, "python", None), (OTHER, "shell", None)
    )
    with open_store(path, write=True) as store:
        merge(store, "ben", look(store.con, second), [look(store.con, third)])
    app = app_on(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await stand_on(pilot, screen, first)
        await pilot.press("M")
        await until(pilot, lambda: isinstance(app.screen, PickCase) and not app.jobs.busy("pick"))
        await pilot.press(*"spoon")
        await until(pilot, lambda: not app.jobs.busy("pick") and app.screen.rows.rows.total == 1)  # pyright: ignore[reportAttributeAccessIssue]
        assert OTHER in frame(app).split("Merge another case")[1], "not the first line of its case"


async def test_what_was_asked_is_merged_whatever_is_on_the_screen_by_then(tmp_path: Path) -> None:
    path, (first, second, third) = waiting(
        tmp_path, (REFUSED, "psql", "start it"), (TABLE, "python", None), (OTHER, "shell", None)
    )
    app = app_on(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await pilot.press("space", "space", "k", "k", "M")
        assert f"Merge #{second} into #{first}?" in await asked(pilot, app)
        await stand_on(pilot, screen, third)  # what others write moves the rows beneath the question
        await pilot.press("enter")
        await until(pilot, lambda: idle(app) and f"merged #{second} into #{first}" in bottom(screen))
        assert read(path, second) is None
        kept = read(path, third)
        assert kept is not None
        assert kept.key_lines == (OTHER,)


async def test_a_fix_that_came_after_the_question_is_no_part_of_the_answer(tmp_path: Path) -> None:
    path, (first, second) = waiting(tmp_path, (REFUSED, "psql", "start it"), (TABLE, "python", None))
    app = app_on(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await pilot.press("space", "space", "k", "k", "M")
        await asked(pilot, app)
        with open_store(path, write=True) as store:
            verify(store, "ben", [look(store.con, second)], Written("migrate"))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ConflictScreen))
        assert "migrate" in frame(app)
        assert f"#{second} not saved (changed elsewhere)" in bottom(screen)
        assert read(path, second) is not None
        await pilot.press("m")
        await until(pilot, lambda: idle(app) and f"merged #{second} into #{first}" in bottom(screen))
        kept = read(path, first)
        assert kept is not None
        assert kept.resolution == "migrate"


async def test_fixes_that_differ_are_named_before_a_merge_and_the_cursor_goes_to_the_case(tmp_path: Path) -> None:
    path, (first, second, _, kept) = waiting(
        tmp_path, (REFUSED, "psql", "start it"), (TABLE, "python", "migrate"), (OTHER, "shell", None),
        ("missing go.sum entry for module", "go", "go mod tidy"),
    )  # fmt: skip
    app = app_on(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        for case_id in (first, second, kept):
            await stand_on(pilot, screen, case_id)
            await pilot.press("space")
        await stand_on(pilot, screen, kept)
        await pilot.press("M")
        told = await asked(pilot, app)
        assert "The tools, key lines and fixes of the cases differ." in told
        assert f"The case keeps its key line: #{kept} missing go.sum entry" in told
        assert told.index("Kept") < told.index("go mod tidy", told.index("Kept")) < told.index("Replaced")
        assert all(text in told for text in ("start it", "migrate", f"of #{first}", f"of #{second}"))
        await pilot.press("enter")
        await until(pilot, lambda: idle(app) and f"merged 2 cases into #{kept}" in bottom(screen))
        await until(pilot, lambda: shown(screen) and "3 variants, P split" in frame(app))
        assert screen.case.read is not None
        assert (screen.case.read.case.id, screen.case.read.case.resolution) == (kept, "go mod tidy")
        await pilot.press("P")
        await until(pilot, lambda: "to split off" in frame(app))
        await pilot.press("enter")
        await until(pilot, lambda: idle(app) and "split off #" in bottom(screen))
        assert f"from #{kept}" in bottom(screen)


async def merged_and_opened(pilot: Pilot[None], app: CasebookApp) -> TriageScreen:
    """The first two cases of the queue are one, and what is to be split off is asked."""
    screen = await opened(pilot, app)
    await pilot.press("space", "space", "k", "M")
    await asked(pilot, app)
    await pilot.press("enter")
    await until(pilot, lambda: idle(app) and shown(screen) and "2 variants, P split" in frame(app))
    return screen


def fixes_of(path: Path, *errors: str) -> list[tuple[str | None, str | None]]:
    with open_store(path) as store:
        found = [search(store, error, count=False).match for error in errors]
    return [(None, None) if one is None else (one.resolution, one.status) for one in found]


async def test_a_split_gives_each_error_its_own_fix_back(tmp_path: Path) -> None:
    path, _ = waiting(tmp_path, (REFUSED, "psql", "start it"), (TABLE, "python", "migrate"))
    before = fixes_of(path, REFUSED, TABLE)
    assert before == [("start it", "draft"), ("migrate", "draft")]
    app = app_on(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = await merged_and_opened(pilot, app)
        await pilot.press("P")
        await until(pilot, lambda: "to split off" in frame(app))
        await pilot.press("space", "enter")
        await until(pilot, lambda: idle(app) and "split off #" in bottom(screen))
    assert fixes_of(path, REFUSED, TABLE) == before
    with open_store(path) as store:
        cases = [show_case(store, row.id) for row in list_cases(store).cases]
    told = {case.error_raw: [fix.text for fix in case.resolutions] for case in cases if case is not None}
    assert told == {REFUSED: ["start it"], TABLE: ["migrate"]}


@pytest.mark.parametrize("goes", [False, True])
async def test_a_fix_for_both_sides_is_asked_about(tmp_path: Path, goes: bool) -> None:
    path, (first, second) = waiting(tmp_path, (REFUSED, "psql", "start it"), (TABLE, "python", "migrate"))
    with open_store(path, write=True) as store:
        merge(store, person(), look(store.con, first), [look(store.con, second)])
        edit(store, person(), [look(store.con, first)], Written("both"), whole_case=True)
    app = app_on(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: idle(app) and shown(screen) and screen.case.read is not None)
        assert screen.case.read is not None
        leaving, staying = (one.key_line for one in screen.case.read.case.fingerprints)
        for answer in ("escape", "j" if goes else "home"):
            await pilot.press("P")
            await until(pilot, lambda: isinstance(app.screen, PickErrors))
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(app.screen, WhoseFix))
            assert "applies to errors on both sides" in frame(app)
            await pilot.press(answer)
            if answer == "escape":
                await until(pilot, lambda: isinstance(app.screen, TriageScreen))
                assert len((read(path, first) or screen.case.read.case).fingerprints) == 2, "nothing is split"
        await pilot.press("enter")
        await until(pilot, lambda: idle(app) and "split off #" in bottom(screen))
    own = {REFUSED: "start it", TABLE: "migrate"}
    told = [fix for fix, _ in fixes_of(path, staying, leaving)]
    assert told == ([own[staying], "both"] if goes else ["both", own[leaving]])


async def test_the_frame_says_what_was_decided_only_when_it_is_done(tmp_path: Path) -> None:
    path, (first, second, third) = waiting(
        tmp_path, (REFUSED, "psql", "start it"), (TABLE, "python", None), (OTHER, "shell", None)
    )
    app = app_on(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        with open_store(path, write=True) as store, store.transaction():  # what is decided has to wait
            await pilot.press("a")
            await until(pilot, lambda: screen.queue.remaining == 2)
            assert bottom(screen) == ""
        await until(pilot, lambda: f"verified #{first}  u undoes" in bottom(screen))
        await until(pilot, lambda: idle(app) and shown(screen))
        with open_store(path, write=True) as store, store.transaction():
            await pilot.press("N")
            await until(pilot, lambda: screen.queue.remaining == 1)
            assert bottom(screen) == "", "what was decided before is not the last decision any more"
        await until(pilot, lambda: idle(app) and f"marked as noise #{second}  u undoes" in bottom(screen))
        await pilot.press("u")
        await until(pilot, lambda: idle(app) and bottom(screen).startswith("Undone: mark as noise"))
        await stand_on(pilot, screen, third)
        await pilot.press("w")
        await until(pilot, lambda: not isinstance(app.screen, TriageScreen))
        await pilot.press(*"put it back", "ctrl+s")
        await until(pilot, lambda: idle(app) and f"saved #{third}  u undoes" in bottom(screen))
        with open_store(path) as store:
            assert whole_history(store).changes[0].actor == person()


async def test_a_long_question_is_read_to_its_end_by_keys_and_foreign_text_in_it_is_inert(tmp_path: Path) -> None:
    texts = [text for text in few(2) if text.strip() and len(text) < 10_000][:12]
    cases = [(f"Error {chr(97 + at)}: {text}", f"tool{at}", f"{text} [/x] {at}") for at, text in enumerate(texts)]
    path, _ = waiting(tmp_path, *cases, (REFUSED, "psql", "start it"))
    app = app_on(path)
    async with app.run_test(size=SMALL, notifications=True) as pilot:
        await opened(pilot, app)
        await pilot.press("A")
        assert_inert(app)
        await pilot.press("M")
        await asked(pilot, app)
        seen = set(frame(app).split("\n"))
        assert "Replaced" not in frame(app)
        for _ in range(60):
            assert_inert(app)
            seen |= set(frame(app).split("\n"))
            await pilot.press("pagedown")
        assert any("Kept" in line for line in seen)
        assert any("Replaced" in line for line in seen)
        assert any(one in frame(app) for one in ("in its history", "other fixes", "keeps the"))
        await pilot.press("g")
        assert "The tools" in frame(app)
        await pilot.press("enter")
        await until(
            pilot, lambda: idle(app) and isinstance(app.screen, TriageScreen) and "merged" in bottom(app.screen)
        )
        assert_inert(app)


async def test_what_could_not_be_decided_is_not_said_to_be_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, _ = waiting(tmp_path, (REFUSED, "psql", "start it"), (TABLE, "python", None))

    def full(*_args: object, **_more: object) -> None:
        from core.base.fault import Fault

        raise Fault("io_error", "the disk is full", "make room")

    monkeypatch.setattr("core.errors.curation.decisions.verify", full)
    app = app_on(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await pilot.press("a")
        await until(pilot, lambda: idle(app) and "not done: the disk is full" in bottom(screen))
        await until(pilot, lambda: screen.queue.remaining == 2)
        assert "verified" not in bottom(screen)


async def test_a_split_keeps_the_queue_still_and_the_new_case_comes_below(tmp_path: Path) -> None:
    path, ids = waiting(tmp_path, *((error, "shell", None) for error in (REFUSED, TABLE, OTHER)))
    with open_store(path, write=True) as store:
        second = put(store, "missing go.sum entry for module", "go", None, seen=40)
        merge(store, person(), look(store.con, ids[1]), [look(store.con, second)])
    app = app_on(path)
    async with app.run_test(size=SMALL) as pilot:
        screen = await opened(pilot, app)
        before = [one.row.id for one in screen.queue.rows]
        assert before[0] == ids[1], "it was seen most"
        await stand_on(pilot, screen, ids[1])
        await pilot.press("P")
        await until(pilot, lambda: isinstance(app.screen, PickErrors))
        assert isinstance(app.screen, PickErrors)
        goes = next(at for at, one in enumerate(app.screen._finer) if one.key_line.startswith("missing"))
        await pilot.press(*["j"] * goes, "enter")
        await until(pilot, lambda: idle(app) and "split off #" in bottom(screen) and screen.queue.total == 4)
        assert [one.row.id for one in screen.queue.rows] == [ids[1], second, *before[1:]]
        assert screen.rows.chosen == 0
        await pilot.press("f5")
        await until(pilot, lambda: idle(app) and screen.queue.rows[0].row.id == second)
        assert screen.queue.rows[screen.rows.chosen].row.id == ids[1], "the person is where they were"
