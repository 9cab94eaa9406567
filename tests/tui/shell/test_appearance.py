"""What it looks like: the documented theme, NO_COLOR, plain ASCII down to the headings that Textual cuts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from textual.color import Color
from textual.filter import Monochrome, NoColor
from textual.theme import BUILTIN_THEMES, Theme
from textual.widget import Widget
from textual.widgets import TextArea

from core.store import open_store
from tests.tui.panes.evidence.support import one_of_each, opened
from tests.tui.support import NOW, app_on, frame, offered, put, screen_rows, settled, until
from tui.actions.registry import PANES
from tui.screens.palette import keys_here
from tui.shell.app import CasebookApp
from tui.shell.appearance import ANSI, DARK, own_themes, read_theme, tokens
from tui.widgets.workbench import LATER_SHEETS

DOCS = Path(__file__).parents[3] / "docs" / "guide" / "workbench.md"


def test_the_theme_in_the_documentation_is_one(tmp_path: Path, casebook: Path) -> None:
    (example,) = re.findall(r"```toml\n(# themes/harbor\.toml\n.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    file = tmp_path / "harbor.toml"
    file.write_text(example, encoding="utf-8")
    theme = read_theme(file)
    assert (theme.name, theme.dark, theme.primary, theme.panel) == ("harbor", True, "#6fb3c8", "#1b2930")
    assert theme.variables["input-selection-background"] == "#6fb3c8 30%"
    app = app_on(casebook)
    app.register_theme(theme)
    app.theme = "harbor"
    variables = app.get_css_variables()
    assert variables["cb-draft"] != CasebookApp(casebook).get_css_variables()["cb-draft"]
    assert variables["cb-line"].casefold() == "#2c404a"


@pytest.mark.parametrize(("value", "colours"), [(None, True), ("", True), ("1", False), ("0", False)])
def test_no_color_forbids_colours_only_where_it_says_something(
    casebook: Path, monkeypatch: pytest.MonkeyPatch, value: str | None, colours: bool
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    if value is not None:
        monkeypatch.setenv("NO_COLOR", value)
    app = app_on(casebook)
    greying = [one for one in app.get_line_filters() if isinstance(one, (Monochrome, NoColor))]
    assert bool(greying) is not colours
    assert app.no_color is not colours
    assert not any(isinstance(one, Monochrome) for one in greying), "greys are colours too"


def reversed_lines(app: CasebookApp) -> list[str]:
    """What the terminal is told to draw reversed: a line of text that is so in large part, each."""
    strips = screen_rows(app)
    texts = ["".join(one.text for one in strip if one.style and one.style.reverse).strip() for strip in strips]
    return [text for text in texts if len(text) > 3]


async def test_without_colours_the_cursor_is_seen_in_every_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = app_on(one_of_each(tmp_path / "review.db"))
    async with app.run_test(size=(120, 34)) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: len(reversed_lines(app)) == 1)
        before = reversed_lines(app)
        assert "\u258c" in before[0], "by a sign too"
        await pilot.press("j")
        await until(pilot, lambda: screen.chosen_id == 3 and len(reversed_lines(app)) == 1)
        assert reversed_lines(app) != before
        await pilot.press("f")
        await until(pilot, lambda: any("to decide" in line for line in reversed_lines(app)))
        await pilot.press("down")
        await until(pilot, lambda: not any("to decide" in line for line in reversed_lines(app)))
        assert len(reversed_lines(app)) == 2, "the row of the quotes, and the one of the menu"
        await pilot.press("escape", "ctrl+p")
        await until(pilot, lambda: offered(app) and any(offered(app)[:20] in line for line in reversed_lines(app)))


def carets(app: CasebookApp, part: Widget) -> str:
    """What is drawn reversed, and in no colours, within this part."""
    strips = screen_rows(app)[part.region.y : part.region.bottom]
    cells = (one for strip in strips for one in strip.crop(part.region.x, part.region.right))
    plain = ("default", None)
    return "".join(
        one.text for one in cells
        if (style := one.style) and style.reverse
        and all((None if colour is None else colour.name) in plain for colour in (style.color, style.bgcolor))
    )  # fmt: skip


@pytest.mark.parametrize(("no_color", "theme"), [("1", DARK), ("1", ANSI), ("", ANSI)])
async def test_where_one_types_is_seen_without_colours(
    casebook: Path, monkeypatch: pytest.MonkeyPatch, no_color: str, theme: str
) -> None:
    monkeypatch.setenv("NO_COLOR", no_color)
    app = CasebookApp(casebook, theme=theme, clock=lambda: NOW)
    async with app.run_test(size=(120, 34)) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        await pilot.press(*"abc", "left")
        await until(pilot, lambda: carets(app, app.errors.box) == "c")
        await pilot.press("shift+left", "shift+left")
        await until(pilot, lambda: carets(app, app.errors.box) == "ab")
        await pilot.press("ctrl+u", "delete", "escape")
        await until(pilot, lambda: app.errors.case.read and app.focused is app.errors.results.rows)
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.focused, TextArea))
        await pilot.press(*"xyz", "left")
        await until(pilot, lambda: carets(app, app.screen.query_one(TextArea)) == "z")


async def test_the_chosen_row_is_reversed_in_the_terminal_s_own_colours(
    casebook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    app = CasebookApp(casebook, theme=ANSI, clock=lambda: NOW)
    async with app.run_test(size=(120, 34)) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        await pilot.press("down")
        await until(pilot, lambda: "ModuleNotFound" in carets(app, app.errors.results.rows))
        assert carets(app, app.errors.results.rows).startswith("\u258c"), "the bar, in no colour of its own"
        await pilot.press("enter")
        await until(pilot, lambda: not carets(app, app.errors.results.rows))
        row = screen_rows(app)[app.errors.results.rows.region.y]
        grounds = [
            (style.color, style.bgcolor) for one in row if (style := one.style) and style.bgcolor and style.color
        ]
        assert [colour for colour, ground in grounds if colour == ground and not colour.is_default] == []
        bar = {ground for one in row if (style := one.style) and "Module" in one.text and (ground := style.bgcolor)}
        assert all(ground.is_default for ground in bar), "no other ground: its colours may be illegible on it"
        app.theme = DARK
        await pilot.press("escape")
        await until(pilot, lambda: app.focused is app.errors.results.rows)
        assert carets(app, app.errors.results.rows) == ""


HEIGHTS = (8, 14)


async def rooms(path: Path, *, ascii_only: bool) -> dict[str, object]:
    """How much room each part of each pane has at each height, while it has the focus and while it has not."""
    app, found = app_on(path, ascii_only=ascii_only), dict[str, object]()
    async with app.run_test(size=(80, HEIGHTS[0])) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        for pane in ("alt+1", "alt+2", "alt+3", "alt+4"):
            await pilot.press(pane)
            await settled(pilot, app)
            for _step in range(3):
                for height in (app.size.height, *(one for one in HEIGHTS if one != app.size.height)):
                    await pilot.resize_terminal(80, height)
                    await settled(pilot, app)
                    parts = [one for one in app.screen.query("*") if one.id and one.region.area]
                    found |= {f"{height} {pane} {app.focused} {one.id}": one.content_size for one in parts}
                await pilot.press("tab")
                await settled(pilot, app)
    return found


async def test_few_lines_have_as_much_room_in_ascii_and_without_colours(
    casebook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    usual = await rooms(casebook, ascii_only=False)
    for height in HEIGHTS:
        assert any(name.startswith(f"{height} ") and " box" in name for name in usual), height
        assert any(name.startswith(f"{height} ") and " library-box" in name for name in usual), height
    assert await rooms(casebook, ascii_only=True) == usual
    monkeypatch.setenv("NO_COLOR", "1")
    assert await rooms(casebook, ascii_only=False) == usual


SCREENS = (
    ("down",), ("enter",), ("t",), ("escape", "escape", "f"), ("escape", "Y"), ("escape", "i"), ("escape", "S"),
    ("escape", "f1"), ("escape", "ctrl+p"), ("escape", "ctrl+o"), ("escape", "enter", "o"),
)  # fmt: skip


async def test_plain_ascii_holds_where_headings_are_cut(tmp_path: Path) -> None:
    """At each width; the keys of each screen are pressed at the width that was looked at last on the one before."""
    path = tmp_path / "ascii.db"
    with open_store(path, write=True, create=True) as store:
        raw = "error: unit aa failed to load"
        put(store, raw, "shell", "x " * 90, message=f"before\n{raw}\nafter\n" + "long line " * 60)
    app = app_on(path, ascii_only=True, name="a casebook with a name that is far too long for it")
    widths = [24, 40, 80, 200]
    async with app.run_test(size=(widths[0], 24), notifications=True) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        for keys in SCREENS:
            await pilot.press(*keys)
            await settled(pilot, app)
            for width in widths:
                if width != app.size.width:
                    await pilot.resize_terminal(width, 24)
                    await settled(pilot, app)
                assert [line for line in frame(app).split("\n") if not line.isascii()] == [], (keys, width)
            widths = [widths[-1], *widths[:-1]]


async def test_an_ellipsis_of_the_error_itself_stays_in_plain_ascii(tmp_path: Path) -> None:
    path = tmp_path / "ascii.db"
    with open_store(path, write=True, create=True) as store:
        put(store, "error: waiting for the lock…", "shell", "- wait…")
    app = app_on(path, ascii_only=True)
    async with app.run_test(size=(120, 24)) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        assert "waiting for the lock…" in frame(app)
        assert "- wait…" in frame(app)


async def test_later_sheets_are_parsed_before_a_screen_asks_for_them_one_a_turn(
    casebook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = app_on(casebook)
    async with app.run_test(size=(120, 24)) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        known, parse, sizes = app.stylesheet, app.stylesheet.parse, list[int]()
        monkeypatch.setattr(known, "parse", lambda: (sizes.append(len(known.source)), parse()))
        before = len(known.source)
        missing = sum(not known.has_source(str(path)) for path in LATER_SHEETS)  # the app may have begun by itself
        app.read_sheets(LATER_SHEETS)
        await until(pilot, lambda: len(sizes) == missing)
        assert sizes == list(range(before + 1, before + 1 + missing))
        assert {"#evidence-list", "#ask-box"} <= known.rules_map.keys()


async def test_without_colours_frames_of_plain_ascii_stay_plain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What has the focus has a thick frame without colours, and the signs of that are none of ASCII."""
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    app = CasebookApp(tmp_path / "empty.db", ascii_only=True, clock=lambda: NOW)
    async with app.run_test(size=(120, 34)) as pilot:
        await settled(pilot, app)
        for pane in ("alt+1", "alt+2", "alt+3", "alt+4", "alt+5"):
            await pilot.press(pane)
            await settled(pilot, app)
            for part in (one for one in app.screen.focus_chain if one.display):
                app.screen.set_focus(part)
                await settled(pilot, app)
                assert frame(app).isascii(), (pane, part)


async def test_without_colours_what_has_the_focus_has_a_thick_frame_in_each_pane(
    casebook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = app_on(casebook)
    async with app.run_test(size=(120, 34)) as pilot:
        await until(pilot, lambda: "\u250f" in frame(app))
        for number, pane in enumerate(PANES, 1):
            await pilot.press(f"alt+{number}")
            await until(pilot, lambda pane=pane: app._panes.pane == pane and frame(app).count("\u250f") == 1)
        await pilot.press("alt+1", "T")
        await until(pilot, lambda: "Triage" in frame(app) and frame(app).count("\u250f") == 1)


async def test_the_palette_names_keys_that_there_are(casebook: Path) -> None:
    app = CasebookApp(casebook, clock=lambda: NOW)
    async with app.run_test(size=(120, 34)) as pilot:
        await pilot.press(*"abc", "escape", "ctrl+p", *"Clear the search")
        await until(pilot, lambda: "Clear the search" in offered(app))
        assert "unbound" not in frame(app)
        assert all(key != "unbound" for keys in keys_here(app.screen_stack[0]).values() for key in keys)


def _luminance(color: Color) -> float:
    parts = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in color.normalized]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))


def _contrast(one: str, other: str) -> float:
    low, high = sorted((_luminance(Color.parse(one)), _luminance(Color.parse(other))))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [*own_themes(), *BUILTIN_THEMES.values()], ids=lambda theme: theme.name)
def test_text_has_a_contrast_of_4_5_on_every_ground(theme: Theme) -> None:
    if theme.name.startswith("ansi") or theme.name.endswith("-ansi"):
        return  # the terminal's own colours
    variables = theme.to_color_system().generate()
    found = tokens(variables, ansi=False)
    grounds = [
        variables["background"],
        found["cb-sunk"],
        *(found[f"cb-{one}"] for one in ("cursor", "cursor-idle", "added", "removed")),
    ]
    for name in ("text", "soft", "dim", "faint", "accent", "good", "draft", "bad"):
        least = min(_contrast(found[f"cb-{name}"], ground) for ground in grounds)
        assert least >= 4.5, (name, found[f"cb-{name}"], least)


@pytest.mark.parametrize("key", ["f1", "ctrl+p"])
async def test_in_the_colours_of_the_terminal_a_dialog_leaves_the_screen_below_visible(
    casebook: Path, key: str
) -> None:
    app = CasebookApp(casebook, theme=ANSI, clock=lambda: NOW)
    async with app.run_test(size=(120, 34)) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        await pilot.press(key)
        await until(pilot, lambda: "Go to the search box" in frame(app))
        assert "─ Cases ─" in frame(app)
