"""The Library pane as a person uses it: browse, search, read at the cited lines, copy, edit, filter, see why."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from textual.events import Paste
from textual.pilot import Pilot

from core.store import open_store
from tests.tui.corpus import assert_inert, few
from tests.tui.panes.library.support import at_hit, idle, library_app, opened, paths, put_notes, read_notes, searched
from tests.tui.support import frame, settled, until
from tui.panes.library.hit_actions import PassageScreen
from tui.panes.library.ingest_screen import IngestScreen
from tui.panes.library.screen import LibraryScreen
from tui.render.hits import HIT
from tui.runtime.messages import PaneOpenCitation, PaneSearchLibrary
from tui.screens.export import CopyMenu

WIDE, SMALL, LARGE = (120, 34), (80, 24), (200, 50)


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STATE", "CONFIG", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return put_notes(tmp_path / "notes")


@pytest.fixture
def library(tmp_path: Path, notes: Path) -> Path:
    return read_notes(tmp_path / "library.db", notes)


async def choose_path(pilot: Pilot[None], screen: LibraryScreen, path: str) -> None:
    screen.hits.rows.choose(paths(screen).index(path))
    await until(pilot, lambda: screen.document.laid is not None and screen.document.laid.wanted.path == path)


async def test_an_empty_box_lists_the_documents_and_shows_the_chosen_one(library: Path) -> None:
    app = library_app(library)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        assert set(paths(screen)) == {"backup.md", "ko/야간백업.md", "src/cranes.py"}
        assert "1 of 3 " in frame(app)
        await choose_path(pilot, screen, "src/cranes.py")
        assert "def lift(weight: int)" in frame(app)
        assert screen.cited == "src/cranes.py#L1"


async def test_a_search_lights_the_words_and_opens_the_document_at_them(library: Path) -> None:
    app = library_app(library)
    async with app.run_test(size=LARGE) as pilot:
        screen = await searched(pilot, app, "morning copy")
        assert screen.hit is not None
        assert screen.hit.citation.uri.startswith("backup.md#L")
        told = frame(app)
        assert "Backups > When the night copy runs" in told
        shown = screen.document.laid
        assert shown is not None
        cited = [line for line in shown.lines if line.cited]
        said = " ".join(" ".join(line.body.plain for line in cited).split())
        assert "at two in the morning" in said, "drawn, without its marks"
        assert any(line.is_match for line in cited)
        assert "rank 1 in the keyword list" in told, "the trace of the hit stands beside it"
        await pilot.press("down", "r")
        await until(pilot, lambda: "**two**" in frame(app))
        assert "raw" in frame(app)


async def test_enter_shows_no_other_document_until_the_chosen_one_is_there(library: Path) -> None:
    app = library_app(library)
    async with app.run_test(size=SMALL) as pilot:
        screen = await opened(pilot, app)
        await choose_path(pilot, screen, "backup.md")
        screen.hits.rows.choose(paths(screen).index("src/cranes.py"))
        screen.search.open()
        view = screen.document
        assert view.laid is None
        assert "src/cranes.py" in str(view.border_title)
        await until(pilot, lambda: view.laid is not None and view.laid.wanted.path == "src/cranes.py")
        await until(pilot, lambda: "esc back" in frame(app).splitlines()[-1])


async def test_the_first_row_is_not_remembered_as_the_passage_one_was_at(library: Path) -> None:
    app = library_app(library)
    async with app.run_test(size=WIDE) as pilot:
        screen = await searched(pilot, app, "copy lift")
        await pilot.press("escape")
        assert screen.remembered()["query"] == "copy lift"
        assert screen.remembered()["passage"] is None
        await pilot.press("down")
        assert screen.hit is not None
        assert screen.remembered()["passage"] == screen.hit.chunk_id


async def test_what_is_pasted_outside_the_box_is_searched(library: Path) -> None:
    app = library_app(library)
    async with app.run_test(size=WIDE) as pilot:
        screen = await searched(pilot, app, "morning copy")
        await pilot.press("down")
        app.post_message(Paste("lift\rweight\r"))
        await until(pilot, lambda: screen.box.query_text == "lift\nweight" and "src/cranes.py" in paths(screen))


async def test_half_a_word_and_a_korean_word_inside_a_longer_one_are_found(library: Path) -> None:
    app = library_app(library)
    async with app.run_test(size=WIDE) as pilot:
        screen = await searched(pilot, app, "ledg")
        assert "src/cranes.py" in paths(screen)
        assert screen.hit is not None
        assert {screen.hit.snippet[start:end] for start, end in screen.hit.matched} == {"ledger"}
        shown = screen.document.laid
        assert shown is not None
        assert any(line.is_match and "ledger" in line.body.plain for line in shown.lines), "in the document too"
        await pilot.press("ctrl+l")
        await until(pilot, lambda: screen.hit is None and idle(app))
        screen.box.ask("백업")
        await until(pilot, lambda: screen.hit is not None and at_hit(screen))
        assert screen.hit is not None
        assert screen.hit.doc_path == "ko/야간백업.md"


async def test_n_goes_from_match_to_match_and_says_where_there_is_none(library: Path) -> None:
    app = library_app(library)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        screen = await searched(pilot, app, "ledger")
        screen.hits.rows.choose(paths(screen).index("backup.md"))
        await until(pilot, lambda: at_hit(screen) and idle(app))
        await pilot.press("enter", "n", "n")
        seen: list[int] = []
        for key in ("n", "N", "N", "n"):
            await pilot.press(key)
            assert screen.document.at_match is not None
            seen.append(screen.document.at_match)
        last, before, first, again = seen
        assert first < before < last
        assert again == before
        for _ in range(20):
            await pilot.press("n")
        await until(pilot, lambda: "below" in frame(app))


async def test_a_code_file_has_line_numbers_and_opens_in_the_editor_at_the_cited_one(
    library: Path, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[Path, int]] = []
    monkeypatch.setenv("VISUAL", "vim")

    def edit(_app: object, _words: list[str], path: Path, line: int) -> str:
        asked.append((path, line))
        return ""

    monkeypatch.setattr("tui.services.external_editor.edit_in", edit)
    app = library_app(library)
    async with app.run_test(size=LARGE) as pilot:
        screen = await searched(pilot, app, "restore_ledger")
        assert screen.hit is not None
        shown = screen.document.laid
        assert shown is not None
        assert shown.opened.cited is not None
        assert "9 " in frame(app)
        assert "def restore_ledger" in frame(app)
        await pilot.press("down", "e")
        assert asked == [(notes / "src" / "cranes.py", shown.opened.cited[0])]
        screen.document.wanted = replace(shown.wanted, path="backup.md")  # chosen, and not read yet
        app.action_perform("library.edit")
        assert len(asked) == 1, "the file of the row before is not what was meant"


def tones(screen: LibraryScreen, number: int) -> set[str]:
    """The tones of a line of the document."""
    lines = () if screen.document.laid is None else screen.document.laid.lines
    rows = [line for line in lines if line.number == number]
    return {str(span.style) for line in rows for span in line.body.spans}


async def test_code_is_coloured_where_one_is_and_further_down_when_one_comes_there(library: Path, notes: Path) -> None:
    lift = 'def lift(weight):\n    # the ledger knows\n    return f"lifted {weight}"\n\n\n'
    (notes / "src" / "cranes.py").write_text(lift * 3_000, encoding="utf-8")
    read_notes(library, notes)
    app = library_app(library)
    async with app.run_test(size=LARGE) as pilot:
        screen = await opened(pilot, app)
        screen.open_citation("src/cranes.py#L3")
        await until(pilot, lambda: screen.document.has_focus and len(tones(screen, 1)) > 1)
        await until(pilot, lambda: idle(app) and tones(screen, 8_001) == {"$cb-soft"})
        assert "bold $cb-text" in tones(screen, 1)
        assert "italic $cb-dim" in tones(screen, 2)
        screen.document.scroll_to(y=8_000, animate=False, force=True)
        await until(pilot, lambda: "bold $cb-text" in tones(screen, 8_001))
        assert screen.document.top_line == 8_001
        await until(pilot, lambda: len(screen.document.laid.lines) == 15_000)  # pyright: ignore[reportOptionalMemberAccess]
        await pilot.press("G")
        await until(pilot, lambda: "italic $cb-dim" in tones(screen, 14_997))
        assert "lifted" in frame(app)


async def test_the_citation_is_copied_and_other_forms_by_a_letter(library: Path) -> None:
    app = library_app(library)
    copied: list[str] = []
    async with app.run_test(size=WIDE) as pilot:
        app.copy_to_clipboard = copied.append  # pyright: ignore[reportAttributeAccessIssue]
        screen = await searched(pilot, app, "night copy")
        assert screen.hit is not None
        uri = screen.hit.citation.uri
        await pilot.press("down", "y")
        await until(pilot, lambda: copied == [uri])
        await pilot.press("Y")
        await until(pilot, lambda: isinstance(app.screen, CopyMenu))
        assert "quote with its citation  " in frame(app), "the size stands apart from the longest name"
        await pilot.press("q")
        await until(pilot, lambda: len(copied) == 2)
        assert copied[1].startswith("> ")
        assert copied[1].endswith(f"({uri})\n")


async def test_the_mode_is_switched_by_one_key_and_meaning_says_why_it_cannot_be_had(library: Path) -> None:
    app = library_app(library)
    async with app.run_test(size=LARGE) as pilot:
        screen = await searched(pilot, app, "night copy")
        assert "keywords only" in frame(app)
        await pilot.press("down", "m")
        await until(pilot, lambda: "keyword only" in frame(app) and idle(app))
        await pilot.press("m")
        await until(pilot, lambda: "Semantic search is disabled" in frame(app))
        await pilot.press("m")
        await until(pilot, lambda: screen.hits.total > 0 and idle(app))


async def test_only_this_document_and_back(library: Path) -> None:
    app = library_app(library)
    async with app.run_test(size=WIDE) as pilot:
        screen = await searched(pilot, app, "ledger")
        screen.hits.rows.choose(paths(screen).index("src/cranes.py"))
        await until(pilot, lambda: at_hit(screen))
        await pilot.press("down", "o")
        await until(pilot, lambda: set(paths(screen)) == {screen.searching.scope.doc} and idle(app))
        await pilot.press("o")
        await until(pilot, lambda: len(set(paths(screen))) > 1)


async def test_the_passage_is_shown_as_it_is_kept_with_those_beside_it(library: Path) -> None:
    app = library_app(library)
    async with app.run_test(size=WIDE) as pilot:
        screen = await searched(pilot, app, "night copy")
        assert screen.hit is not None
        await pilot.press("down", "p")
        await until(pilot, lambda: isinstance(app.screen, PassageScreen) and screen.hit.chunk_id in frame(app))  # pyright: ignore[reportOptionalMemberAccess]
        assert "none yet (run: casebook library embed" in frame(app)
        drawn = frame(app)
        assert drawn.index(screen.hit.snippet.split()[-1]) < drawn.index("passage id"), "what it says comes first"
        title = frame(app).split("\n")[0]
        await pilot.press("J")
        await until(pilot, lambda: frame(app).split("\n")[0] != title)
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen)


async def test_a_trace_in_a_small_terminal_is_closed_again_after_another_pane(library: Path) -> None:
    app = library_app(library)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await searched(pilot, app, "empty folder")
        await pilot.press("down", "t")
        await until(pilot, lambda: screen.has_class("-why"))
        app.action_perform("pane.errors")
        await until(pilot, lambda: len(app.screen_stack) == 1)
        app.action_perform("pane.library")
        await until(pilot, lambda: isinstance(app.screen, LibraryScreen) and app.screen is not screen)
        again = app.screen
        assert isinstance(again, LibraryScreen)
        await until(pilot, lambda: again.hit is not None)
        assert not again.has_class("-why")


async def test_where_one_was_is_there_again_after_another_pane(library: Path) -> None:
    app = library_app(library)
    async with app.run_test(size=WIDE) as pilot:
        screen = await searched(pilot, app, "empty folder")
        await pilot.press("down", "r", "t", "alt+1")
        await until(pilot, lambda: len(app.screen_stack) == 1)
        await pilot.press("alt+4")
        await until(pilot, lambda: isinstance(app.screen, LibraryScreen) and app.screen is not screen)
        again = app.screen
        assert isinstance(again, LibraryScreen)
        await until(pilot, lambda: again.hit is not None and at_hit(again))
        assert again.box.value == "empty folder"
        assert not again.document.rendered
        assert again.has_class("-why")


async def test_another_pane_can_ask_and_can_open_a_citation(library: Path) -> None:
    app = library_app(library)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        app.errors.post_message(PaneSearchLibrary("crane logs"))
        await until(pilot, lambda: isinstance(app.screen, LibraryScreen) and app.screen.hit is not None)
        screen = app.screen
        assert isinstance(screen, LibraryScreen)
        assert screen.box.value == "crane logs"
        assert not screen.box.has_focus, "the hits are to be looked at"
        app.errors.post_message(PaneOpenCitation("src/cranes.py#L9-L11"))
        await until(pilot, lambda: "restore_ledger" in frame(app) and screen.document.has_focus)
        assert screen.cited == "src/cranes.py#L9-L11"
        await pilot.press("J")
        await until(pilot, lambda: at_hit(screen))


async def test_a_line_beyond_the_end_is_told_and_the_last_one_is_shown(library: Path, notes: Path) -> None:
    (notes / "src" / "cranes.py").write_text("".join(f"crane_{number} = 1\n" for number in range(1, 701)))
    read_notes(library, notes)
    app = library_app(library)
    async with app.run_test(size=SMALL) as pilot:
        screen = await opened(pilot, app)
        screen.open_citation("src/cranes.py#L9999")
        await until(pilot, lambda: "line 9,999 not found: the file has 700 lines" in frame(app))
        await until(pilot, lambda: "crane_700 = 1" in frame(app) and idle(app))
        assert "of 700 " in frame(app)
        shown = screen.document.laid
        assert shown is not None
        assert [line.number for line in shown.lines if line.cited] == [700]
        assert shown.lines[-1].number == 700


async def test_a_file_that_changed_or_is_gone_says_so(library: Path, notes: Path) -> None:
    (notes / "backup.md").write_text("# Backups\n\nanother text\n", encoding="utf-8")
    (notes / "src" / "cranes.py").unlink()
    app = library_app(library)
    async with app.run_test(size=LARGE) as pilot:
        screen = await opened(pilot, app)
        await choose_path(pilot, screen, "src/cranes.py")
        await until(pilot, lambda: "casebook shows the stored passages" in frame(app))
        assert "def lift" in frame(app)
        await choose_path(pilot, screen, "backup.md")
        await until(pilot, lambda: "changed since it was indexed" in frame(app) and "another text" in frame(app))


def shown_text(screen: LibraryScreen) -> str:
    """The document as it is shown."""
    shown = screen.document.laid
    return "" if shown is None else "\n".join(line.body.plain for line in shown.lines)


async def test_what_is_read_in_meanwhile_appears(library: Path, notes: Path) -> None:
    app = library_app(library)
    async with app.run_test(size=WIDE) as pilot:
        screen = await searched(pilot, app, "lighthouse")
        assert "No results" in frame(app)
        (notes / "tower.md").write_text("# Tower\n\nThe lighthouse is painted each spring.\n", encoding="utf-8")
        read_notes(library, notes)
        await until(pilot, lambda: paths(screen) == ["tower.md"])
        await until(pilot, lambda: "painted each spring" in frame(app) and at_hit(screen))
        (notes / "tower.md").write_text("# Tower\n\nThe lighthouse is sold.\n", encoding="utf-8")
        read_notes(library, notes)
        await until(pilot, lambda: "lighthouse is sold" in shown_text(screen))
        assert "painted" not in shown_text(screen)


async def test_an_empty_library_says_what_to_do(tmp_path: Path) -> None:
    with open_store(tmp_path / "empty.db", write=True, create=True):
        pass
    app = library_app(tmp_path / "empty.db")
    async with app.run_test(size=SMALL) as pilot:
        screen = await opened(pilot, app)
        assert "The library is empty" in frame(app)
        assert "casebook library ingest" in frame(app)
        await pilot.press("slash", *"two words")
        await until(pilot, lambda: screen.query_text == "two words" and idle(app))
        await until(pilot, lambda: "─ Documents ─" in frame(app))
        assert "keywords only" not in frame(app), "nothing was searched"
        await pilot.press("escape", "i")
        await until(pilot, lambda: isinstance(app.screen, IngestScreen))


async def test_without_a_casebook_it_says_the_same(tmp_path: Path) -> None:
    app = library_app(tmp_path / "none.db")
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("alt+4")
        await until(pilot, lambda: "The library is empty" in frame(app))


@pytest.mark.parametrize("size", [SMALL, WIDE, LARGE, (20, 5), (9, 3)], ids=str)
async def test_it_can_be_walked_through_at_any_size(library: Path, size: tuple[int, int]) -> None:
    app = library_app(library)
    async with app.run_test(size=size) as pilot:
        screen = await searched(pilot, app, "ledger")
        await pilot.press("down", "j", "t", "t", "enter", "space", "G", "g", "z", "z", "r", "r", "escape", "J", "K")
        await settled(pilot, app)
        assert screen.hits.total
        await pilot.resize_terminal(*WIDE)
        await until(pilot, lambda: "backup.md" in frame(app))


async def test_the_mouse_goes_everywhere(library: Path) -> None:
    app = library_app(library)
    async with app.run_test(size=LARGE) as pilot:
        screen = await searched(pilot, app, "ledger")
        await pilot.click(screen.hits.rows, offset=(5, 5))
        assert screen.hits.rows.chosen == 1, "four lines a hit"
        await pilot.click(screen.document, offset=(5, 5))
        assert screen.document.has_focus
        await pilot.click(screen.hits.rows, offset=(5, 1), times=2)
        await until(pilot, lambda: screen.document.has_focus and screen.hits.rows.chosen == 0)


async def test_hostile_documents_are_inert_everywhere(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    texts = [text for text in few() if isinstance(text, str)]
    for at, text in enumerate(texts):
        table = f"| ledger | {text} |\n| --- | --- |\n| a | {text} |\n"
        body = f"# ledger {text}\n\nledger {text}\n\n- ledger `{text}`\n\n{table}"
        (folder / f"hostile{at}.md").write_text(body, encoding="utf-8", errors="replace")
        (folder / f"hostile{at}.py").write_text(f'sluice = "{text}"  # {text}\n', encoding="utf-8", errors="replace")
    app = library_app(read_notes(tmp_path / "hostile.db", folder))
    async with app.run_test(size=LARGE) as pilot:
        screen = await searched(pilot, app, "ledger")
        for words in ("ledger", "sluice"):
            screen.box.ask(words)
            await until(pilot, lambda said=words: screen.searching.text == said and screen.hits.total and idle(app))
            for _ in range(min(8, screen.hits.total - 1)):
                await pilot.press("J")
                await until(pilot, lambda: at_hit(screen) and idle(app))
                assert_inert(app)
            assert (screen.cited or "").partition("#")[0].endswith(".md" if words == "ledger" else ".py")
        await pilot.press("down", "r", "p")
        await until(pilot, lambda: isinstance(app.screen, PassageScreen))
        await settled(pilot, app)
        assert_inert(app)


async def test_slash_and_coming_back_begin_a_new_search(library: Path) -> None:
    app = library_app(library)
    async with app.run_test(size=WIDE) as pilot:
        screen = await searched(pilot, app, "ledger")
        await pilot.press("down", "slash")
        assert screen.box.has_focus
        assert screen.box.query_text == "ledger", "nothing is thrown away before something is typed"
        await pilot.press(*"crane")
        assert screen.box.query_text == "crane"
        await until(pilot, lambda: screen.searching.text == "crane" and idle(app))
        await pilot.press("down", "alt+1")
        screen = await opened(pilot, app)
        screen.set_focus(screen.box)
        assert screen.box.query_text == "crane"
        await pilot.press("end", *"s lift")
        assert screen.box.query_text == "cranes lift", "a key that moves goes on with it"
    again = library_app(library)
    async with again.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, again)
        screen.set_focus(screen.box)
        before = screen.box.query_text
        await pilot.press(*"ledger")
        assert screen.box.query_text == "ledger", before


async def test_the_editor_opens_the_cited_line_until_one_scrolls(
    library: Path, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    monkeypatch.setenv("VISUAL", "vim")
    monkeypatch.setattr(
        "tui.services.external_editor.edit_in", lambda _app, _words, _path, line: asked.append(line) or ""
    )
    lines = [f"line {number} of the log" for number in range(1, 400)]
    lines[299] = "the walrus sleeps here"
    (notes / "long.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    read_notes(library, notes)
    app = library_app(library)
    async with app.run_test(size=WIDE) as pilot:
        screen = await searched(pilot, app, "walrus")
        shown = screen.document.laid
        assert shown is not None
        assert shown.opened.cited is not None
        cited = shown.opened.cited[0]
        await pilot.press("down", "e", "enter")
        assert screen.document.has_focus
        assert screen.document.top_line not in (0, cited), "there are lines above it: else this shows nothing"
        await pilot.press("e")
        await pilot.resize_terminal(110, 30)
        await until(pilot, lambda: idle(app))
        await pilot.press("e")
        assert asked == [cited, cited, cited]
        await pilot.press("j", "j", "e")
        assert asked[-1] == screen.document.top_line


async def test_escape_closes_why_and_keeps_the_query(library: Path) -> None:
    app = library_app(library)
    async with app.run_test(size=WIDE) as pilot:
        screen = await searched(pilot, app, "ledger")
        await pilot.press("down", "t")
        await until(pilot, lambda: screen.why.region.area > 0)
        await pilot.press("escape")
        await until(pilot, lambda: screen.why.region.area == 0)
        assert screen.box.query_text == "ledger"
        assert screen.hits.rows.has_focus
        await pilot.press("t")
        await until(pilot, lambda: screen.why.region.area > 0)
        screen.why.focus()
        await pilot.press("escape")
        await until(pilot, lambda: screen.why.region.area == 0)
        assert screen.box.query_text == "ledger"
        assert screen.document.has_focus


async def test_hits_of_one_section_are_one_row(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    rows = "\n\n".join(
        f"Crane {number} lifts the tide gauge. " + "Its log is kept in the tower. " * 40 for number in range(6)
    )
    (notes / "cranes.md").write_text(f"# Cranes\n\n## Tide gauge\n\n{rows}\n\n## Others\n\nNo tide gauge here.\n")
    app = library_app(read_notes(tmp_path / "library.db", notes))
    async with app.run_test(size=WIDE) as pilot:
        screen = await searched(pilot, app, "tide gauge crane")
        assert paths(screen) == ["cranes.md", "cranes.md"]
        found = screen.searching.found
        assert found is not None
        assert len(found.response.hits) > 2, "the core answers with each passage"
        assert f"· {len(found.response.hits) - 1} passages" in frame(app)


@pytest.mark.parametrize(("query", "below"), [("weight", True), ("ledger", False)])
async def test_on_a_narrow_screen_the_document_is_below_one_or_two_hits(library: Path, query: str, below: bool) -> None:
    app = library_app(library)
    async with app.run_test(size=SMALL) as pilot:
        screen = await searched(pilot, app, query)
        await pilot.press("down")
        await until(pilot, lambda: screen.hits.rows.has_focus and (screen.document.region.area > 0) == below)
        if not below:
            return
        await until(pilot, lambda: screen.document.laid is not None)
        assert screen.hits.rows.tall == HIT, "a hit has all of its lines"
        assert screen.document.region.y == screen.hits.region.bottom
        await pilot.press("enter")
        await until(pilot, lambda: screen.document.has_focus and screen.hits.region.area == 0)
        await pilot.press("escape", "z")
        await until(pilot, lambda: screen.document.region.area == 0 and screen.hits.region.area > 0)


async def test_a_long_line_keeps_its_last_character_beside_the_scrollbar(tmp_path: Path, notes: Path) -> None:
    """The bar comes when the document is there, after the width was measured."""
    lines = [f"{'가' * (cells // 2)}{'a' * (cells % 2)}." for cells in range(50, 120)]
    (notes / "long.txt").write_text("\n".join(lines))
    app = library_app(read_notes(tmp_path / "library.db", notes))
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await choose_path(pilot, screen, "long.txt")
        document = screen.document
        await until(pilot, lambda: document.show_vertical_scrollbar and document.laid is not None)
        assert document.laid is not None
        bodies = [(row, line.body.plain) for row, line in enumerate(document.laid.lines) if line.body.plain.strip()]
        assert len(bodies) > len(lines)
        for row, text in bodies:
            assert text.strip() in document.render_line(row - document.scroll_offset.y).text
