"""The Rules pane: each call with its rules and the reasons; edits followed live; calls typed, labelled, compared."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from core.base.config.settings import RuleSettings
from core.rules.evaluation.labels import label_file, read_labelled
from core.rules.format.store import Usage, usage
from core.store import open_store
from tests.tui.corpus import assert_inert, few
from tests.tui.panes.rules.support import CALLS, PUSH, RULES, answered, idle, ids, opened, put_calls, rules_app
from tests.tui.support import NOW, frame, told, until
from tui.actions.action import Around
from tui.actions.registry import BY_NAME
from tui.panes.rules.actions import RulesNow
from tui.panes.rules.rule_actions import PickRule
from tui.panes.rules.tables import TableScreen
from tui.render.explanation import draw_usage
from tui.render.ranking import no_files
from tui.services.environment import Sources, Surroundings
from tui.services.external_editor import at_line
from tui.shell.app import CasebookApp

WIDE, SMALL, LARGE = (120, 34), (80, 24), (200, 50)


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STATE", "CONFIG", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))


@pytest.fixture
def casebook_of_calls(tmp_path: Path) -> Path:
    return put_calls(tmp_path / "calls.db", *CALLS)


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "memory.md"
    path.write_text(RULES, encoding="utf-8")
    return path


def save(path: Path, text: str) -> None:
    """As editors save: a new file in the place of the old one."""
    part = path.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


async def test_each_call_has_its_rules_and_each_rule_its_reasons(casebook_of_calls: Path, rules: Path) -> None:
    app = rules_app(casebook_of_calls, rules)
    async with app.run_test(size=LARGE) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: answered(screen, PUSH) and idle(app))
        assert ids(screen)[0] == "ERR-001"
        told = frame(app)
        assert "Tool calls · 3" in told
        assert "cut-off" in told, "the cut-off is a line of the ranking"
        await until(pilot, lambda: "What it" not in frame(app) and "Shared words" in frame(app))
        told = frame(app)
        assert "Reasons" in told
        assert "keyword" in told
        assert "git push --force origin main" in told, "the call stands beside the rule"
        assert "none (compared by keywords only)" in told, "the cache says what it keeps"
        await pilot.press("j")
        await until(pilot, lambda: answered(screen, "ls -la") and idle(app))
        assert ids(screen) == []
        assert "no rule applies" in frame(app)
        assert "no rule applies" in frame(app)


async def test_what_fell_below_says_what_it_would_have_needed(casebook_of_calls: Path, rules: Path) -> None:
    app = rules_app(casebook_of_calls, rules)
    async with app.run_test(size=LARGE) as pilot:
        screen = await opened(pilot, app)
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, PickRule))
        await pilot.press(*"retry", "enter")
        await until(pilot, lambda: screen.rank.chosen is not None and screen.rank.chosen.id == "ERR-003" and idle(app))
        await until(pilot, lambda: "Missing requirements" in frame(app))
        assert "keyword score" in frame(app)
        assert "these" in frame(app), "the words that would do are named"
        await pilot.press("enter", "escape")  # to the ranking, and the rule that was asked about goes
        await until(pilot, lambda: screen.asking.pinned is None and idle(app))


async def test_the_rules_to_pick_stand_in_the_order_of_the_ranking(casebook_of_calls: Path, rules: Path) -> None:
    from tui.panes.rules.rule_actions import PickRule

    app = rules_app(casebook_of_calls, rules)
    async with app.run_test(size=LARGE) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: "ERR-001" in ids(screen) and idle(app))
        assert screen.rank.ranked is not None
        match = screen.rank.ranked.match
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, PickRule) and bool(app.screen._found))
        assert isinstance(app.screen, PickRule)
        listed = [one.id for one in (*match.rules, *match.below)]
        assert [one.id for one in app.screen._found][: len(listed)] == listed
        assert app.screen._lines.highlighted == 0


async def test_an_edit_of_the_rule_file_moves_the_ranking_by_itself(casebook_of_calls: Path, rules: Path) -> None:
    app = rules_app(casebook_of_calls, rules)
    async with app.run_test(size=LARGE) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: "ERR-001" in ids(screen) and idle(app))
        worse = RULES.replace("Force push over a shared branch", "Something else").replace(
            "`git push --force origin main` overwrote the branch and removed the commits of colleagues",
            "letters fell",
            1,
        )
        worse = worse.replace("use `--force-with-lease` on a branch of your own, revert on a shared one", "glue", 1)
        save(rules, worse)
        await until(pilot, lambda: "ERR-001" not in ids(screen))
        await until(pilot, lambda: "ERR-001 fell below the cut-off" in frame(app))
        save(rules, RULES)
        await until(pilot, lambda: "ERR-001 is shown now" in frame(app))


async def test_a_rule_file_that_is_gone_for_a_while_leaves_nothing_stale(casebook_of_calls: Path, rules: Path) -> None:
    app = rules_app(casebook_of_calls, rules)
    async with app.run_test(size=LARGE) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: ids(screen)[:1] == ["ERR-001"] and "Reasons" in frame(app) and idle(app))
        save(rules, RULES.replace("### ERR-003", "\n### ERR-003"))
        await until(pilot, lambda: "reloaded, no changes" in frame(app))
        rules.unlink()
        await until(pilot, lambda: "Cannot match" in frame(app))
        assert "Reasons" not in frame(app), "there is no rule to give reasons for"
        save(rules, RULES.replace("### ERR-001: Force push", "### ERR-011: Force push"))
        await until(pilot, lambda: ids(screen)[:1] == ["ERR-011"] and idle(app))
        assert "ERR-011 is new" in frame(app), "what moved is told from before it was gone"
        rules.unlink()
        await until(pilot, lambda: "Cannot match" in frame(app))
        save(rules, RULES.replace("### ERR-001: Force push", "### ERR-011: Force push"))
        await until(pilot, lambda: ids(screen)[:1] == ["ERR-011"] and "no changes" in frame(app))
        assert "ERR-011 is new" not in frame(app), "that was the time before"


async def test_e_opens_the_rule_at_its_line_and_the_ranking_follows(
    casebook_of_calls: Path, rules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[Path, int]] = []
    monkeypatch.setenv("EDITOR", "vim")
    monkeypatch.delenv("VISUAL", raising=False)

    def edit(_app: object, _words: list[str], path: Path, line: int) -> str:
        asked.append((path, line))
        save(path, RULES.replace("### ERR-001", "\n### ERR-001"))
        return ""

    monkeypatch.setattr("tui.panes.rules.rule_actions.edit_in", edit)
    app = rules_app(casebook_of_calls, rules)
    async with app.run_test(size=LARGE) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: ids(screen)[:1] == ["ERR-001"] and idle(app))
        await pilot.press("e")
        await until(pilot, lambda: "reloaded, no changes" in frame(app))
        assert asked == [(rules, 3)]
    assert at_line(["/usr/bin/vim"], rules, 3) == ["/usr/bin/vim", "+3", str(rules)]
    assert at_line(["code", "--wait"], rules, 3) == ["code", "--wait", "--goto", f"{rules}:3"]
    assert at_line(["ed"], rules, 3) == ["ed", str(rules)]


async def test_on_a_small_screen_a_typed_call_gives_its_lines_to_the_reasons(
    casebook_of_calls: Path, rules: Path
) -> None:
    app = rules_app(casebook_of_calls, rules)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot, app)
        await pilot.press("n", *PUSH)
        await until(pilot, lambda: answered(screen, PUSH) and screen.why.size.height > 0)
        typing = screen.why.size.height
        await pilot.press("f3")
        await until(pilot, lambda: screen.rank.rows.has_focus and screen.why.size.height > typing)


async def test_a_typed_call_is_checked_at_every_key_and_asked_once_it_is_one(
    casebook_of_calls: Path, rules: Path
) -> None:
    app = rules_app(casebook_of_calls, rules)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        screen = await opened(pilot, app)
        await pilot.press("n")
        await until(pilot, lambda: screen.calls.typed.has_focus_within)
        await pilot.press(*"Bash", "tab", *'{"command": ')
        await until(pilot, lambda: "Line 1, column" in frame(app) and "shown · of the previous call" in frame(app))
        await pilot.press(*f'"{PUSH}"', "}")
        await until(pilot, lambda: answered(screen, PUSH) and "Showing the ranking for this call" in frame(app))
        assert "of the previous call" not in frame(app)
        assert ids(screen)[0] == "ERR-001"
        await pilot.press("f2")
        await until(
            pilot,
            lambda: screen.asking.call is not None and screen.asking.call.tool_input.get("description") is not None,
        )
        await pilot.press("f3")
        await until(pilot, lambda: screen.rank.rows.has_focus)
        await pilot.press("escape", "escape")
        await until(pilot, lambda: not screen.calls.typing and answered(screen, PUSH))
        await pilot.press("n", *"{")
        await until(pilot, lambda: "of the previous call" in frame(app))
        await pilot.press("f3")
        await until(pilot, lambda: screen.rank.rows.has_focus)
        await pilot.press("r")
        await until(pilot, lambda: told(app, "Complete the typed call"))
        assert not label_file(casebook_of_calls).exists(), "nobody labels what is not in view"
        await pilot.press("escape", "escape")
        await until(pilot, lambda: "of the previous call" not in frame(app))


def counts(casebook: Path) -> dict[str, tuple[int, int]]:
    """How often each rule helped and was dismissed."""
    with open_store(casebook) as store:
        return {rule: (one.helped, one.dismissed) for (_, rule), one in usage(store).items()}


async def test_one_key_labels_a_call_and_that_is_a_case_to_compare(casebook_of_calls: Path, rules: Path) -> None:
    labels = label_file(casebook_of_calls)
    app = rules_app(casebook_of_calls, rules)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: ids(screen)[:1] == ["ERR-001"] and idle(app))
        await pilot.press("r")
        await until(pilot, lambda: "ERR-001 right here" in frame(app))
        assert [one.expected for one in read_labelled(labels)] == [("ERR-001",)]
        assert counts(casebook_of_calls) == {"ERR-001": (1, 0)}
        await pilot.press("x")
        await until(pilot, lambda: "ERR-001 wrong here" in frame(app))
        assert counts(casebook_of_calls) == {"ERR-001": (0, 1)}
        await pilot.press("r")
        await until(pilot, lambda: "ERR-001 right here" in frame(app) and idle(app))
        await pilot.press("j")
        await until(pilot, lambda: answered(screen, "ls -la") and idle(app))
        await pilot.press("r")
        await until(pilot, lambda: "no rule applies (repeat" in frame(app))
        await pilot.press("m")
        await until(pilot, lambda: isinstance(app.screen, PickRule))
        await pilot.press(*"retry", "enter")
        await until(pilot, lambda: "ERR-003 missing here" in frame(app))
        assert [one.expected for one in read_labelled(labels)] == [("ERR-001",), ("ERR-003",)]
        assert counts(casebook_of_calls) == {"ERR-001": (1, 0)}, "what was not shown cannot have helped"
        await pilot.press("v")
        await until(pilot, lambda: isinstance(app.screen, TableScreen) and "1 of 2 labeled calls right" in frame(app))
        assert "hybrid" in frame(app)
        await pilot.press("G")
        await until(pilot, lambda: "expected" in frame(app))
        await pilot.press("o")
        await until(pilot, lambda: screen.calls.typing and screen.is_current)


async def test_a_comparison_without_labels_says_where_labelling_is_done(casebook_of_calls: Path, rules: Path) -> None:
    app = rules_app(casebook_of_calls, rules)
    async with app.run_test(size=(120, 34)) as pilot:
        await opened(pilot, app)
        await pilot.press("v")
        await until(pilot, lambda: "select a call and label" in frame(app))
        assert "r x m  label the selected rule" in frame(app)


def test_how_a_rule_fared_is_told() -> None:
    told = draw_usage(Usage("memory.md", "ERR-001", 1_200, 3, 1, NOW.isoformat()), NOW).plain
    assert "shown to agents 1,200 times" in told and "right 3, wrong 1" in told and "just now" in told


async def test_a_call_meets_the_rules_of_the_project_it_was_made_in(
    tmp_path: Path, rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop, own = (
        tmp_path / "shop",
        "### ERR-101: Force push of the shop\n**Problem**: `git push --force shop release` stops the shop\n",
    )
    (shop / ".claude").mkdir(parents=True)
    (shop / ".claude" / "memory.md").write_text(own + "**Solution**: ask the shop\n", encoding="utf-8")
    casebook = put_calls(tmp_path / "two.db", ("Bash", {"command": PUSH}))
    put_calls(casebook, ("Bash", {"command": "git push --force shop release"}), project=str(shop))
    settings = RuleSettings(files=str(rules))
    monkeypatch.setattr(Surroundings, "sources", property(lambda _: Sources(settings, folder=tmp_path)))
    app = CasebookApp(casebook, around=Surroundings(), clock=lambda: NOW)
    async with app.run_test(size=LARGE) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: "ERR-101" in ids(screen) and idle(app))
        assert "including shop" in frame(app)
        await pilot.press("j")
        await until(pilot, lambda: answered(screen, PUSH) and idle(app))
        assert "ERR-001" in ids(screen) and "ERR-101" not in ids(screen)
        assert "those of" not in frame(app)
        await pilot.press("k")
        await until(pilot, lambda: "ERR-101" in ids(screen) and idle(app))
        save(shop / ".claude" / "memory.md", own.replace("ERR-101", "ERR-102"))
        await until(pilot, lambda: "ERR-102" in ids(screen))


async def test_clusters_are_a_table_with_details(casebook_of_calls: Path, rules: Path) -> None:
    app = rules_app(casebook_of_calls, rules)
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, app)
        await pilot.press("c")
        await until(pilot, lambda: isinstance(app.screen, TableScreen) and "compared by words" in frame(app))
        assert "ERR-001, ERR-004" in frame(app)
        assert "merge" in frame(app), "the detail says what one might do"
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, TableScreen))


async def test_a_long_list_of_calls_is_read_where_one_looks(tmp_path: Path, rules: Path) -> None:
    path = put_calls(tmp_path / "many.db", *((("Bash", {"command": f"echo {at}"})) for at in range(3_000)))
    app = rules_app(path, rules)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await pilot.press("G")
        await until(pilot, lambda: answered(screen, "echo 0") and "echo 9 " in frame(app))
        await pilot.press("g")
        await until(pilot, lambda: answered(screen, "echo 2999"))
        put_calls(path, ("Write", {"file_path": "new.py"}))
        await until(pilot, lambda: "Tool calls · 3,001" in frame(app))
        assert answered(screen, "echo 2999"), "what came in moves nobody"
        chosen = screen.calls.rows.chosen
        screen.calls.load(lambda: None)
        await until(pilot, lambda: not app.jobs.busy("rules-calls"))
        assert screen.calls.calls.get(chosen) is not None, "what was read stands until it is read anew"
        await pilot.press("f")
        await until(pilot, lambda: "Bash calls · 3,000" in frame(app))


async def test_empty_states_say_what_why_and_the_next_key(tmp_path: Path) -> None:
    app = rules_app(tmp_path / "none.db", tmp_path / "none.md")
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await opened(pilot, app)
        await until(pilot, lambda: "No tool calls yet" in frame(app) and "Cannot match" in frame(app))
        (tmp_path / "none.md").write_text("# nothing\n### ERR-1\n", encoding="utf-8")
        await until(pilot, lambda: "No tool call selected" in frame(app))
        await pilot.press("p")
        await until(pilot, lambda: "in the rule files" in frame(app))


@pytest.mark.parametrize("size", [SMALL, WIDE, LARGE])
async def test_the_frame_at_each_size(casebook_of_calls: Path, rules: Path, size: tuple[int, int]) -> None:
    app = rules_app(casebook_of_calls, rules)
    async with app.run_test(size=size) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: answered(screen, PUSH) and idle(app))
        told = frame(app)
        assert "Rules" in told.split("\n", 1)[0]
        assert "ERR-001" in told
        assert "why not" in told.rsplit("\n", 1)[-1]
        await pilot.press("enter", "enter")
        await until(pilot, lambda: screen.why.has_focus)
        await until(pilot, lambda: "Force push over a shared branch" in frame(app) and "≥ 0.30" in frame(app))
        await pilot.press("escape")
        await until(pilot, lambda: screen.rank.rows.has_focus)
        await pilot.press("escape")
        await until(pilot, lambda: screen.calls.rows.has_focus)
        await pilot.press("alt+1")
        await until(pilot, lambda: len(app.screen_stack) == 1)


async def test_hostile_rules_and_calls_are_inert(tmp_path: Path) -> None:
    texts = [text for text in few(2) if text.strip() and len(text) < 50_000]
    heads = [text.replace("\n", " ").replace("\r", " ")[:200] for text in texts]
    path = tmp_path / "hostile.md"
    parts = (f"### ERR-{at:03}: [/x] {one}\n**Problem**: push {one}\n" for at, one in enumerate(heads))
    path.write_text("\n".join(parts), encoding="utf-8")
    calls = [("Bash [b", {"command": f"push {text[:400]}", "x[/]": text[:300]}) for text in texts]
    app = rules_app(put_calls(tmp_path / "hostile.db", *calls, ("Odd", "\x1b]0;no json")), path)
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        screen = await opened(pilot, app)
        for at in range(0, screen.calls.calls.total, 3):
            screen.calls.rows.choose(at)
            await until(pilot, lambda: idle(app))
            assert_inert(app)
        await pilot.press("N")
        await until(pilot, lambda: idle(app))
        assert_inert(app)


async def test_alt_and_a_digit_go_from_pane_to_pane(casebook_of_calls: Path, rules: Path) -> None:
    app = rules_app(casebook_of_calls, rules)
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, app)
        for key, name in (("alt+2", "Evidence"), ("alt+3", "Rules"), ("alt+3", "Rules"), ("alt+1", "Errors")):
            await pilot.press(key)
            await until(pilot, lambda: name in frame(app).split("\n", 1)[0])  # noqa: B023
            assert len(app.screen_stack) == (1 if name == "Errors" else 2)


@pytest.mark.parametrize("size", [(20, 5), (1, 1)])
async def test_tiny_sizes_and_ascii_are_lived_through(
    casebook_of_calls: Path, rules: Path, size: tuple[int, int]
) -> None:
    app = rules_app(casebook_of_calls, rules, ascii_only=True)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await pilot.resize_terminal(*size)
        await pilot.press("j", "enter", "t", "t", "n", "escape", "w")
        await until(pilot, lambda: isinstance(app.screen, PickRule))
        await pilot.press("escape")
        await pilot.resize_terminal(*WIDE)
        await until(pilot, lambda: screen.rank.ranked is not None and "cut-off" in frame(app))


def test_what_is_not_possible_says_why() -> None:
    label = BY_NAME["rules.wrong"].enabled
    here = RulesNow("rules", rules=3, call=True, rule=True)
    assert label(here) == ""
    assert "read-only" in label(replace(here, around=Around(readonly=True)))
    assert "Select a tool call" in label(replace(here, call=False))
    assert "rules.files" in label(replace(here, rules=0))
    assert label(replace(here, rules=0, loading=True)) == "The rules are still loading."
    assert BY_NAME["rules.edit"].enabled(replace(here, rules=0)) == "", "it begins the first file"
    assert "{rules.edit}" in dict(no_files([Path("/a/memory.md")]).steps)
    assert "{rules.edit}" not in dict(no_files([]).steps), "nothing is offered that cannot be done"
    assert "Rules pane" in label(RulesNow("list", rules=3, call=True, rule=True))
    assert "rules.missing" in BY_NAME["rules.right"].enabled(here), "what is not shown is missing, not right"


def test_the_editor_is_told_the_line_of_no_other_file() -> None:
    assert at_line(["nano"], Path("/x y/a.md"), 1) == ["nano", f"{os.sep}x y{os.sep}a.md"]


@pytest.mark.parametrize("size", [SMALL, WIDE, LARGE])
async def test_a_short_ranking_is_as_tall_as_its_rows_and_the_reasons_are_below(
    casebook_of_calls: Path, rules: Path, size: tuple[int, int]
) -> None:
    app = rules_app(casebook_of_calls, rules)
    async with app.run_test(size=size) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: answered(screen, PUSH) and idle(app))
        rows = screen.rank.rows.rows.total
        await until(pilot, lambda: screen.rank.rows.size.height == rows and screen.why.region.area > 0)
        assert screen.why.region.y == screen.rank.region.bottom
        assert "shown first" in frame(app)
        await pilot.press("t")
        await until(pilot, lambda: screen.why.has_focus if size == SMALL else screen.why.region.area == 0)
        if size == SMALL:
            assert screen.rank.region.area == 0, "the reasons have the whole room"
        else:
            await until(pilot, lambda: screen.rank.region.bottom == size[1] - 1)
