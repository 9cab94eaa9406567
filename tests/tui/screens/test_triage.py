"""The triage queue: one key a decision, true on disk, taken back without a trace; conflicts shown, nothing lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.transcripts.generated import write_transcript
from core.errors import add_resolution, show_case
from core.errors.curation.decisions import verify
from core.errors.curation.history import whole_history
from core.errors.curation.transaction import Written, look, person
from core.errors.curation.triage import count_waiting, triage_queue
from core.errors.exchange.case_export import export_cases, export_fixes
from core.flows.transcripts.api import import_transcripts
from core.store import open_store
from tests.tui.corpus import assert_inert, few
from tests.tui.screens.queue_support import idle, opened, queue_of, shown
from tests.tui.support import NOW, app_on, frame, put, toasts, until
from tui.panes.errors.case_side import ConflictScreen
from tui.panes.errors.curation import Decision
from tui.panes.errors.fix_editor import WritingScreen
from tui.panes.errors.history import HistoryScreen
from tui.panes.errors.merge_split import AskReason
from tui.panes.errors.triage import TriageScreen
from tui.render.common.glyphs import UNICODE
from tui.render.history import draw_history

WIDE, SMALL = (120, 34), (80, 24)


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture(scope="module")
def harvest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A casebook of fifty drafts and more, harvested from a transcript."""
    folder = tmp_path_factory.mktemp("harvest")
    path = folder / "harvested.db"
    with open_store(path, write=True, create=True) as store:
        import_transcripts(store, "auto", [write_transcript(folder / "session.jsonl", 24_000_000)])
        for table in ("result_verdict", "case_state"):  # its errors are slips, which never wait
            store.con.execute(f"UPDATE {table} SET worth = 'project' WHERE worth = 'slip'")
        store.con.execute("UPDATE case_state SET offer = 1 WHERE offer < 0")
        store.con.execute(
            "UPDATE resolution SET original = json_set(original, '$.harvest.worth', 'project')"
            " WHERE json_extract(original, '$.harvest.worth') = 'slip'"
        )
        assert count_waiting(store) >= 50
        store.con.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return path


@pytest.fixture
def harvested(harvest: Path, tmp_path: Path) -> Path:
    path = tmp_path / "harvested.db"
    path.write_bytes(harvest.read_bytes())
    return path


def exports(path: Path) -> list[str]:
    with open_store(path) as store:
        told = ["".join(export_cases(store, form)) for form in ("jsonl", "csv", "markdown")]
        return [*told, *("".join(export_fixes(store, form)) for form in ("jsonl", "csv", "markdown"))]


def waiting(path: Path) -> int:
    with open_store(path) as store:
        return count_waiting(store)


async def test_fifty_harvested_drafts_in_a_hundred_keys_and_all_of_it_taken_back(harvested: Path) -> None:
    before, start = exports(harvested), waiting(harvested)
    app = app_on(harvested)
    pressed = 0
    async with app.run_test(size=SMALL) as pilot:
        screen = await opened(pilot, app)
        pressed += 1
        while screen.queue.remaining > start - 50:
            await until(pilot, lambda: shown(screen))
            at = pressed % 7
            keys = ("X",) if at == 3 else ("N",) if at == 5 else ("space", "space", "a") if at == 6 else ("a",)
            chosen, left = screen.queue.get(screen.rows.chosen), screen.queue.remaining
            assert chosen is not None
            await pilot.press(*keys)
            pressed += len(keys)
            assert screen.queue.index_of(chosen.row.id) is None, "it leaves at once"
            assert screen.queue.remaining < left or chosen.part, "a part was counted with its incident"
        await until(pilot, lambda: idle(app))
        assert pressed <= 100
        assert f"{screen.queue.remaining:,} incidents left" in frame(app)
    assert waiting(harvested) <= start - 50
    decided = exports(harvested)
    assert decided != before

    app = app_on(harvested)  # the next day
    async with app.run_test(size=SMALL) as pilot:
        screen = await opened(pilot, app)
        with open_store(harvested) as store:
            changes = len(whole_history(store, 200).changes)
        for _ in range(changes):
            await pilot.press("u")
        await until(pilot, lambda: idle(app) and screen.queue.remaining == start)
    assert exports(harvested) == before


async def test_enter_reads_on_in_the_queue(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        screen = await opened(pilot, app)
        for key in ("enter", "l", "right"):
            await pilot.press(key)
            assert app.focused is screen.case, key
            await until(pilot, lambda: "space select" not in frame(app))
            await pilot.press("escape")
            await until(pilot, lambda: "space select" in frame(app))
            assert app.focused is screen.rows, key
        assert not toasts(app)


async def test_the_queue_opens_at_the_case_that_was_opened(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=SMALL) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: screen.queue.total > 1)
        first, other = (one.row.id for one in screen.queue.rows[:2])
        await pilot.press("q")
        await until(pilot, lambda: app.screen is app.errors)
        app.errors.reader.go_to(other)
        await until(pilot, lambda: app.errors.case.read and app.errors.case.read.case.id == other)
        for focused, chosen in ((app.errors.case, other), (app.errors.results.rows, first)):
            focused.focus()
            await pilot.press("T")
            await until(pilot, lambda: isinstance(app.screen, TriageScreen) and app.screen.case.read)
            assert queue_of(app).queue.rows[queue_of(app).rows.chosen].row.id == chosen
            await pilot.press("q")
            await until(pilot, lambda: app.screen is app.errors)


async def test_an_empty_queue_shows_no_headings_of_a_case(tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    with open_store(path, write=True, create=True) as store:
        put(store, "error: it is solved", "shell", "done", "verified")
    app = app_on(path)
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        await pilot.press("escape", "T")
        await until(pilot, lambda: isinstance(app.screen, TriageScreen) and "Triage is empty" in frame(app))
        assert "Output" not in frame(app)
        assert "fixes" not in frame(app)


async def test_marked_cases_are_decided_as_one_change(casebook: Path) -> None:
    with open_store(casebook, write=True) as store:
        put(store, "error: second draft", "shell", "Do this.", "draft", 3)
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        assert screen.queue.remaining == 4
        await pilot.press("A")
        assert "4 selected" in frame(app)
        await pilot.press("a")
        await until(pilot, lambda: idle(app) and screen.queue.remaining == 2)
        with open_store(casebook) as store:
            assert len(whole_history(store).changes) == 1
        await pilot.press("u")
        await until(pilot, lambda: idle(app) and screen.queue.remaining == 4)


async def test_the_cursor_stays_on_an_undecided_case_when_marked_ones_leave(casebook: Path) -> None:
    with open_store(casebook, write=True) as store:
        for at in range(3):
            put(store, f"error: draft {'abc'[at]} of three", "shell", f"Do {at}.", "draft", 3)
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        rows = [one.row.id for one in screen.queue.rows]
        await pilot.press("j", "space", "space")
        assert (screen.queue.marked, screen.rows.chosen) == (frozenset(rows[1:3]), 3)
        await pilot.press("N")
        await until(pilot, lambda: idle(app) and screen.queue.remaining == len(rows) - 2)
        chosen = screen.queue.get(screen.rows.chosen)
        assert chosen is not None
        assert chosen.row.id == rows[3]


async def test_a_skipped_case_stays_and_a_mark_can_be_dropped(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        first = screen.queue.rows[0].row.id
        await pilot.press("s")
        assert screen.rows.chosen == 1
        assert screen.queue.rows[0].row.id == first
        await pilot.press("s", "s", "space", "escape")
        assert not screen.queue.marked
        assert isinstance(app.screen, TriageScreen)
        await pilot.press("escape")
        await until(pilot, lambda: len(app.screen_stack) == 1)
    assert waiting(casebook) == 3


async def test_a_fix_that_came_meanwhile_is_shown_beside_the_decision(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=SMALL) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: shown(screen))
        case_id = screen.queue.rows[0].row.id
        app.jobs.cancel("triage-watch")
        with open_store(casebook, write=True) as store:
            verify(store, "ben", [look(store.con, case_id)], Written("Import it from './orders'."))
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen, ConflictScreen))
        told = frame(app)
        assert "fetchOrders } from './api'" in told
        assert "Import it from './orders'" in told
        assert "by ben" in told
        await pilot.press("m")
        await until(pilot, lambda: isinstance(app.screen, TriageScreen) and idle(app))
        with open_store(casebook) as store:
            case = show_case(store, case_id)
        assert case is not None
        assert "./api" in (case.resolution or "")
        assert case.status == "verified"
        assert any("./orders" in one.text for one in case.resolutions), "theirs is in the history"


async def test_a_key_for_a_case_that_others_decided_does_not_decide_the_next_one(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=SMALL) as pilot:
        screen = await opened(pilot, app)
        first, second = (screen.queue.rows[at].row.id for at in (0, 1))
        with open_store(casebook, write=True) as store:
            verify(store, "ben", [look(store.con, first)])
        await until(pilot, lambda: screen.queue.index_of(first) is None and shown(screen) and idle(app))
        await pilot.press("N")
        await until(pilot, lambda: f"Case {first} left the queue" in " ".join(toasts(app)))
        assert waiting(casebook) == 2 and screen.rows.chosen == screen.queue.index_of(second)
        await pilot.press("N")
        await until(pilot, lambda: waiting(casebook) == 1 and idle(app))


async def test_what_others_write_is_followed_and_the_case_on_the_screen_stays(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await pilot.press("j")
        await until(pilot, lambda: shown(screen))
        case = screen.case.read
        with open_store(casebook, write=True) as store:
            put(store, "fatal: it came from elsewhere", "git", None, seen=40)
        await until(pilot, lambda: screen.queue.remaining == 4 and "elsewhere" in frame(app))
        assert screen.case.read is case
        assert shown(screen)


async def test_a_read_only_casebook_says_so_and_decides_nothing(casebook: Path) -> None:
    with open_store(casebook, write=True) as store:  # as a newer casebook leaves it, so that it holds for root too
        store.con.execute("PRAGMA user_version = 999")
    app = app_on(casebook)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        screen = await opened(pilot, app)
        assert app.errors.top.place.readonly
        await until(pilot, lambda: "show all" in frame(app) or "q back" in frame(app))
        assert "a accept" not in frame(app)
        await pilot.press("a")
        await until(pilot, lambda: "You cannot save decisions" in frame(app))
        assert screen.queue.remaining == 3


@pytest.mark.parametrize(("size", "narrow"), [((80, 24), True), (WIDE, False)])
async def test_the_first_frame_has_the_layout_of_its_size(
    casebook: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int], narrow: bool
) -> None:
    seen: list[bool] = []
    mount = TriageScreen.on_mount

    def mounted(screen: TriageScreen) -> None:
        seen.append(screen.has_class("-narrow"))
        mount(screen)

    monkeypatch.setattr(TriageScreen, "on_mount", mounted)
    app = app_on(casebook)
    async with app.run_test(size=size) as pilot:
        await opened(pilot, app)
    assert seen == [narrow], "Textual sets the classes of a size behind the first frame"


async def test_the_history_tells_each_change_and_takes_any_back(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await pilot.press("a")
        await until(pilot, lambda: shown(screen) and idle(app))
        await pilot.press("N")
        await until(pilot, lambda: screen.queue.remaining == 1 and idle(app))
        await pilot.press("C")
        await until(pilot, lambda: isinstance(app.screen, HistoryScreen) and "2 changes" in frame(app))
        assert "mark as noise" in frame(app)
        assert "draft → verified" in frame(app) or "marked as noise" in frame(app)
        assert person()[:14] in frame(app)
        await pilot.press("j", "u")  # the older one
        await until(pilot, lambda: "undone · verify the fix" in frame(app))
        await pilot.press("u")
        await until(pilot, lambda: "redone · verify the fix" in frame(app))
        assert "Undone, then redone." in " ".join(frame(app).split())
        assert app.errors.curating.message.startswith("Redone: verify the fix")
        await pilot.press("u")
        await until(pilot, lambda: "undone · verify the fix" in frame(app))
        assert "2 changes" in frame(app), "one row a decision, whatever became of it"
        assert "undo: " not in frame(app)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, TriageScreen) and screen.queue.remaining == 2)
        assert "TS2304" in frame(app)


async def test_a_change_that_depends_on_a_later_one_leads_to_it(casebook: Path) -> None:
    with open_store(casebook, write=True) as store:
        first, other = (row.id for row in triage_queue(store).cases[:2])
        for text in ("one", "two"):
            verify(store, person(), [look(store.con, first)], Written(text))
        verify(store, person(), [look(store.con, other)], Written("elsewhere"))
    app = app_on(casebook)
    async with app.run_test(size=SMALL, notifications=True) as pilot:
        await opened(pilot, app)
        await pilot.press("C")
        await until(pilot, lambda: isinstance(app.screen, HistoryScreen) and "3 changes" in frame(app))
        await pilot.press("j", "j")
        await until(pilot, lambda: "│ id 1 " in frame(app))
        await pilot.press("u")
        await until(pilot, lambda: "cannot be undone" in "".join(toasts(app)))
        assert "resolution row" not in "".join(toasts(app))
        await until(pilot, lambda: "│ id 2 " in frame(app))
        await pilot.press("k", "c")
        await until(pilot, lambda: f"History of case {other}" in frame(app) and "1 change" in frame(app))


async def test_the_history_draws_the_fix_of_a_change_with_its_diff(tmp_path: Path) -> None:
    path = tmp_path / "diff.db"
    with open_store(path, write=True, create=True) as store:
        put(
            store,
            "Makefile:3: *** missing separator.  Stop.",
            "make",
            "**Changed** `Makefile`\n\n```diff\n-y:\n+x:\n```",
        )
    app = app_on(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await pilot.press("a")
        await until(pilot, lambda: screen.queue.remaining == 0 and idle(app))
        await pilot.press("C")
        await until(pilot, lambda: isinstance(app.screen, HistoryScreen) and "Changed Makefile" in frame(app))
        rows = frame(app).split("\n")
        at = [next(at for at, row in enumerate(rows) if text in row) for text in ("draft → verified", "-y:", "+x:")]
        assert at == sorted({*at}), "one below the other"
        assert "```" not in frame(app)


async def test_hostile_cases_are_inert_in_queue_editor_history_and_conflict(tmp_path: Path) -> None:
    path = tmp_path / "hostile.db"
    with open_store(path, write=True, create=True) as store:
        for at, text in enumerate(few(2)):
            if len(text) < 100_000 and text.strip():
                put(store, f"Error {chr(97 + at % 26)}: {text}", "shell", f"{text} [/x] {at}", "draft", 2 + at)
    app = app_on(path)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        screen = await opened(pilot, app)
        for at in range(screen.queue.total):
            await until(pilot, lambda: shown(screen))
            assert_inert(app)
            if at % 5 == 0:
                await pilot.press("w")
                await until(pilot, lambda: isinstance(app.screen, WritingScreen) and not app.jobs.busy("writing"))
                assert_inert(app)
                await pilot.press("escape")
                await until(pilot, lambda: isinstance(app.screen, TriageScreen) and shown(screen))
            await pilot.press("a" if at % 2 else "s")
            assert_inert(app)
        await until(pilot, lambda: idle(app))
        await pilot.press("C")
        await until(pilot, lambda: isinstance(app.screen, HistoryScreen) and not app.jobs.busy("history"))
        assert_inert(app)


@pytest.mark.parametrize("size", [(80, 24), (120, 34), (20, 5), (1, 1)])
async def test_every_size_is_lived_through(casebook: Path, size: tuple[int, int]) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await pilot.resize_terminal(*size)
        await until(pilot, lambda: shown(screen))
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, WritingScreen))
        await pilot.press("x", "escape", "C", "escape")
        await pilot.resize_terminal(*WIDE)
        await until(pilot, lambda: isinstance(app.screen, TriageScreen) and "Triage" in frame(app))


async def test_a_screen_over_a_conflict_has_the_layout_of_its_size_from_the_first(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=SMALL) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: shown(screen))
        app.jobs.cancel("triage-watch")
        with open_store(casebook, write=True) as store:
            verify(store, "ben", [look(store.con, screen.queue.rows[0].row.id)], Written("Import it from './orders'."))
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen, ConflictScreen))
        app.action_perform("conflict.write")
        await until(pilot, lambda: isinstance(app.screen, WritingScreen))
        assert app.screen.has_class("-narrow", "-tall"), "before it is told its size"


async def test_a_conflict_opens_over_no_text_that_is_typed(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=SMALL) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: shown(screen) and idle(app))
        app.jobs.cancel("triage-watch")
        with open_store(casebook, write=True) as store:
            verify(store, "ben", [look(store.con, screen.queue.rows[0].row.id)], Written("Import it from './orders'."))
        with open_store(casebook, write=True) as store, store.transaction():  # what is decided has to wait
            await pilot.press("a")
            await until(pilot, lambda: shown(screen))
            await pilot.press("w")
            await until(pilot, lambda: isinstance(app.screen, WritingScreen))
        await until(pilot, lambda: any("conflicts with another" in one for one in toasts(app)))
        writing = app.screen
        assert isinstance(writing, WritingScreen)
        await pilot.press(*"mtw")
        assert "mtw" in writing.area.text
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, ConflictScreen))


@pytest.mark.parametrize("key", ["m", ""])
async def test_a_text_of_a_conflict_is_kept_until_it_is_saved(casebook: Path, key: str) -> None:
    app = app_on(casebook)
    async with app.run_test(size=SMALL) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        with open_store(casebook, write=True) as store:
            seen = look(store.con, 2)
            verify(store, "ben", [seen], Written("Theirs."))
        app.errors.curating.decide(Decision("edit", (seen,), written=Written("Mine, from my own editor.")))
        await until(pilot, lambda: isinstance(app.screen, ConflictScreen))
        await pilot.press(*key)
        await until(pilot, lambda: not key or (len(app.screen_stack) == 1 and app.jobs.is_idle()))
    app.errors.curating.writer.ended()
    app = app_on(casebook)
    async with app.run_test(size=SMALL) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        app.errors.curating.left_over.look()
        await until(pilot, app.jobs.is_idle)
        assert app.errors.curating.left_over.count == (0 if key else 1)
    with open_store(casebook) as store:
        case = show_case(store, 2)
    assert case is not None
    assert case.resolution == ("Mine, from my own editor." if key else "Theirs.")


async def test_a_fix_recorded_by_a_hook_is_no_loss_when_it_is_left(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: shown(screen))
        case_id = screen.queue.rows[0].row.id
        app.jobs.cancel("triage-watch")
        with open_store(casebook, write=True) as store, store.transaction() as con:
            add_resolution(con, case_id, None, "theirs", status="draft", author="record", ts="2026-03-14T09:00:00Z")
        await pilot.press("x")
        await until(pilot, lambda: isinstance(app.screen, ConflictScreen))
        await pilot.press("t")
        await until(pilot, lambda: isinstance(app.screen, TriageScreen) and idle(app) and screen.queue.remaining == 3)
        with open_store(casebook) as store:
            case = show_case(store, case_id)
        assert case is not None
        assert case.resolution == "theirs"
        assert not any(one.status == "rejected" for one in case.resolutions)


async def test_the_heading_says_how_many_drafts_one_key_rejects(casebook: Path) -> None:
    with open_store(casebook) as store:
        case_id = triage_queue(store).cases[0].id
    with open_store(casebook, write=True) as store, store.transaction() as con:
        for at in (1, 2):
            add_resolution(con, case_id, None, f"{at}", status="draft", author="record", ts=f"2026-03-14T09:0{at}:00Z")
    app = app_on(casebook)
    async with app.run_test(size=SMALL) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: shown(screen) and "3 drafts, X rejects all ─" in frame(app))
        assert screen.queue.rows[0].row.id == case_id
        await pilot.press("x")
        await until(pilot, lambda: shown(screen) and "2 drafts, X rejects all ─" in frame(app))
        await until(pilot, lambda: f"rejected a draft of #{case_id}, 2 left" in frame(app))
        await pilot.press("X")
        await until(pilot, lambda: idle(app) and shown(screen) and screen.queue.index_of(case_id) is None)
        assert "rejects all" not in frame(app), "the next case has one draft"


async def test_a_bulk_rejection_says_how_many_drafts_are_left(casebook: Path) -> None:
    with open_store(casebook, write=True) as store:
        cases = [put(store, f"error: draft {at} of two", "shell", f"Do {at}.", "draft", 3) for at in "ab"]
        with store.transaction() as con:
            for at, case_id in enumerate(cases):
                add_resolution(con, case_id, None, f"{at}", status="draft", author="record", ts="2026-03-14T09:00:00Z")
    app = app_on(casebook)
    async with app.run_test(size=(200, 50)) as pilot:
        screen = await opened(pilot, app)
        start = screen.queue.remaining
        rows = [one.row.id for one in screen.queue.rows]
        await pilot.press(*"j" * min(map(rows.index, cases)), "space", "space", "x")
        await until(pilot, lambda: idle(app) and "rejected a draft of 2 cases, 2 left" in frame(app))
        await until(pilot, lambda: idle(app) and screen.queue.remaining == start)  # each with its next draft
        await pilot.press("s")
        assert "2 left" not in frame(app), "the message was about the decision before"
        await pilot.press("u")
        await until(pilot, lambda: idle(app) and "Undone: reject the fix · 2 cases" in frame(app))


async def test_a_fix_saved_from_triage_is_said_once(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: shown(screen))
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, WritingScreen))
        await pilot.press("x", "f2")
        await until(pilot, lambda: app.screen is screen and idle(app) and "u undoes" in frame(app))
        assert not toasts(app)


async def test_a_draft_is_rejected_with_a_reason_that_the_history_shows(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: shown(screen))
        read = screen.case.read
        assert read is not None
        case_id = read.case.id
        await pilot.press("r")
        await until(pilot, lambda: "Reject with a reason" in frame(app))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen)
        assert screen.queue.index_of(case_id) is not None, "esc rejects nothing"
        await pilot.press("r")
        await until(pilot, lambda: isinstance(app.screen, AskReason))
        await pilot.press(*"hides it", "enter")
        await until(pilot, lambda: app.screen is screen and idle(app))
    with open_store(casebook) as store:
        case = show_case(store, case_id)
    assert case is not None
    (fix,) = [one for one in case.resolutions if one.status == "rejected"]
    assert fix.reason == "hides it"
    assert draw_history(case.resolutions, UNICODE, NOW).plain.split("\n")[0].endswith("hides it")
