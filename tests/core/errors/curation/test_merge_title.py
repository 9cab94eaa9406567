"""A case that others were merged into goes by its own name everywhere, however old the others are."""

from __future__ import annotations

from pathlib import Path

from core.errors import list_cases, show_case
from core.errors.cases.browse import browse, case_rows
from core.errors.curation.history import case_history
from core.errors.curation.merging import fixes_of_merge, merge
from core.errors.curation.transaction import look, person
from core.errors.retrieval.embed_text import ErrorSource
from core.flows.system.history import take_back
from core.store import open_store
from tests.tui.support import put

OLD = "psql: error: connection to server failed: Connection refused"
NEW = "missing go.sum entry for module providing package ratelimit"


def test_the_case_on_the_screen_keeps_its_name_its_tool_and_its_vector(tmp_path: Path) -> None:
    with open_store(tmp_path / "c.db", write=True, create=True) as store:
        old = put(store, OLD, "psql", "start the server", last="2026-01-01T00:00:00.000Z")
        new = put(store, NEW, "go", "go mod tidy", last="2026-03-01T00:00:00.000Z")
        before = list_cases(store)
        text = ErrorSource().texts(store.con, [new])
        fixes = fixes_of_merge(store.con, new, [old])
        assert fixes.kept is not None
        assert (fixes.kept[0], fixes.kept[1].text) == (new, "go mod tidy")
        assert [(case_id, one.text) for case_id, one in fixes.past] == [(old, "start the server")]
        merge(store, person(), look(store.con, new), [look(store.con, old)])
        case = show_case(store, new)
        assert case is not None
        assert (case.key_lines[0], case.tool, case.resolution) == (NEW, "go", "go mod tidy")
        assert show_case(store, new, 1).key_lines == (NEW,)  # pyright: ignore[reportOptionalMemberAccess]
        assert set(case.key_lines) == {OLD, NEW}
        assert [(row.key_line, row.tool) for row in list_cases(store).cases] == [(NEW, "go")]
        assert [row.key_line for row in case_rows(store, (new,))] == [NEW]
        assert [hit.key_line for hit in browse(store, "go.sum ratelimit")] == [NEW]
        assert [hit.key_line for hit in browse(store, "psql refused")] == [OLD], "the words are those of another error"
        assert ErrorSource().texts(store.con, [new]) == text
        assert NEW in case_history(store, new).changes[0].title
        take_back(store, person())
        assert list_cases(store) == before


def test_a_fix_that_says_the_same_is_no_other_one(tmp_path: Path) -> None:
    with open_store(tmp_path / "c.db", write=True, create=True) as store:
        ids = [put(store, line, "go", "go mod tidy\n") for line in (OLD, NEW)]
        assert not fixes_of_merge(store.con, ids[0], ids[1:]).past
        none = [put(store, f"error: nothing known of {name}", "go", None) for name in ("this", "that one")]
        assert fixes_of_merge(store.con, none[0], none[1:]).kept is None
