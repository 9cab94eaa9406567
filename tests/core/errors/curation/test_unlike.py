"""What two cases differ in: told with its reason by the preview of a merge, and by the merge itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.base.fault import Fault
from core.errors import show_case
from core.errors.curation.merging import merge, preview_merge
from core.errors.curation.splitting import split
from core.errors.curation.transaction import look, person, unlike
from core.flows.system.history import take_back
from core.store import Store, open_store
from tests.tui.support import put

PSQL = ("psql: error: connection to server failed: Connection refused", "psql", "start it")


def differing(store: Store, ours: int, theirs: int) -> dict[str, str]:
    one, other = show_case(store, ours), show_case(store, theirs)
    assert one is not None
    assert other is not None
    found = unlike(one, other)
    assert found is None or (found.case_id, found.key_line) == (theirs, other.key_lines[0])
    return {} if found is None else {one.what: one.why for one in found.differences}


@pytest.mark.parametrize(
    ("ours", "theirs", "reasons"),
    [
        (PSQL, ("psql: error: connection to server was lost: Connection refused", "psql", "start it"), {}),
        (PSQL, (f"{PSQL[0]} again", "unknown", None), {}),
        (PSQL, (f"{PSQL[0]} again", "python", None), {"tool": "the error is from python, not from psql"}),
        (PSQL, (f"{PSQL[0]} again", "psql", "restart it"), {"fix": "the fixes differ"}),
        (PSQL, (f"{PSQL[0]} again", "psql", " start it\n"), {}),
        (PSQL, ("psql: error: no such table: orders", "psql", None), {"key": "that the connection was refused"}),
        (
            ("error TS2304: Cannot find the name of it", "tsc", None),
            ("error TS2307: Cannot find the name of it here", "tsc", None),
            {"key": "the codes differ (TS 2304, TS 2307)"},
        ),
        (
            ("the curtain rod is bent on the left", "shell", None),
            ("an apple fell from the lorry", "shell", None),
            {"key": "in common"},
        ),
        (
            ("빌드 실패: 설정 파일을 읽는 중입니다", "shell", None),
            ("오류: 서버가 응답하지 않습니다", "shell", None),
            {"key": "the errors have no words in common"},
        ),
        (
            ("빌드 실패: 설정 파일 config.toml 읽기 오류", "shell", None),
            ("빌드 실패: 설정 파일 config.toml 읽기 오류 다시", "shell", None),
            {},
        ),
    ],
    ids=["alike", "no-tool", "tool", "fix", "blanks", "kind", "code", "words", "korean", "korean-alike"],
)
def test_what_differs_is_told_with_its_reason(
    tmp_path: Path, ours: tuple[str, str, str | None], theirs: tuple[str, str, str | None], reasons: dict[str, str]
) -> None:
    with open_store(tmp_path / "c.db", write=True, create=True) as store:
        ids = [put(store, *one) for one in (ours, theirs)]
        assert ids[0] != ids[1]
        told = differing(store, *ids)
        assert set(told) == set(reasons), told
        assert all(words in told[what] for what, words in reasons.items()), told
        assert set(differing(store, *ids[::-1])) == set(reasons)
        preview = preview_merge(store, ids[0], ids[1:])
        assert preview.differing == tuple(what for what in ("tool", "key", "fix") if what in reasons)
        assert merge(store, person(), preview.seen[0], preview.seen[1:]).differed == preview.unlike


def test_what_is_merged_is_as_good_as_the_best_of_its_lines_and_what_was_split_is_the_same_again(
    tmp_path: Path,
) -> None:
    with open_store(tmp_path / "c.db", write=True, create=True) as store:
        psql, table = put(store, *PSQL), put(store, "sqlite3.OperationalError: no such table: orders", "python", None)
        again = put(store, "sqlite3.OperationalError: there is no such table: orders", "python", None)
        assert set(differing(store, psql, again)) == {"tool", "key"}
        merge(store, person(), look(store.con, psql), [look(store.con, table)])
        assert differing(store, psql, again) == {}
        take_back(store, person())
        alpha = put(store, "error TS2304: Cannot find name 'alpha'.", "tsc", None)
        assert put(store, "error TS2304: Cannot find name 'betamax'.", "tsc", None) == alpha
        case = show_case(store, alpha)
        assert case is not None
        made = split(store, person(), look(store.con, alpha), [case.fingerprints[1].fingerprint]).made
        assert made is not None
        assert differing(store, alpha, made) == {}


def test_the_fix_of_a_row_without_a_history_counts_and_is_named(tmp_path: Path) -> None:
    with open_store(tmp_path / "c.db", write=True, create=True) as store:
        one, other = put(store, *PSQL), put(store, f"{PSQL[0]} again", "psql", None)
        with store.transaction() as con:
            con.execute("UPDATE error_kb SET resolution = 'restart it' WHERE id = ?", (other,))
        preview = preview_merge(store, one, [other])
        assert preview.differing == ("fix",)
        kept = preview.fixes.kept
        assert kept is not None
        assert (kept[0], kept[1].text) == (other, "restart it")
        assert [(case_id, fix.text) for case_id, fix in preview.fixes.past] == [(one, "start it")]
        merge(store, person(), look(store.con, one), [look(store.con, other)])
        case = show_case(store, one)
        assert case is not None
        assert case.resolution == "restart it"
        assert {fix.text for fix in case.resolutions} == {"start it", "restart it"}


def test_a_case_that_is_gone_is_named_before_anything_is_asked(tmp_path: Path) -> None:
    with open_store(tmp_path / "c.db", write=True, create=True) as store:
        one = put(store, *PSQL)
        with pytest.raises(Fault, match="case 77 not found"):
            preview_merge(store, one, [77])
