"""Another name in quotes is another error of the same kind: it answers with low confidence and says which name."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import record_resolution, search
from core.errors.curation.decisions import reject
from core.errors.curation.transaction import look
from core.errors.equivalence import OtherName
from core.flows.hook.reply import reply_to
from core.store import open_store
from tui.render.case import draw_match
from tui.render.common.glyphs import UNICODE

COLUMN = 'ERROR: column "{}" of relation "billing_account" already exists'


@pytest.mark.parametrize(
    ("known", "searched", "named"),
    [
        (COLUMN.format("vat_id"), COLUMN.format("iban"), "vat_id / iban"),
        ("e: Unresolved reference 'Dispatchers'.", "e: Unresolved reference 'Retrofit'.", "Dispatchers / Retrofit"),
        ("KeyError: 'user_17'", "KeyError: 'user_18'", "user_17 / user_18"),
        ("Error: Cannot find module './x'", "Error: Cannot find module './y'", "./x / ./y"),
        ("error: no package 'foo@1.2.3'", "error: no package 'bar@1.2.3'", "foo@1.2.3 / bar@1.2.3"),
        ("open failed: 'a.toml'", "open failed: 'b.toml'", "a.toml / b.toml"),
        ("오류: 모듈 '결제'를 찾을 수 없습니다", "오류: 모듈 '주문'를 찾을 수 없습니다", "결제 / 주문"),
        ("ERROR: relation 'a' lacks 'b'", "ERROR: relation 'c' lacks 'd'", "a / c, b / d"),
        ("error: column 'vat_id' of this table is not null", "error: column 'iban' of this table is not null now",
         "vat_id / iban"),
    ],
)  # fmt: skip
def test_another_name_is_low_and_is_named(tmp_path: Path, known: str, searched: str, named: str) -> None:
    db = tmp_path / "casebook.db"
    record_resolution(db, known, "a fix", status="verified")
    match = search(db, searched).match
    assert match is not None
    assert (match.confidence, match.why[-1]) == ("low", f"names differ: {named}")
    first, _, second = named.partition(", ")[0].partition(" / ")
    assert match.other_names[0] == OtherName(first, second)
    assert any("names differ" in step.reason for step in search(db, searched).trace)
    assert reply_to("PostToolUseFailure", search(db, searched)) is None, "a hook says nothing of it"
    assert f"names differ: {named}" in draw_match(match, UNICODE).plain, "the pane says it"
    again = search(db, known).match
    assert again is not None
    assert (again.confidence, again.other_names) == ("high", ())
    assert reply_to("PostToolUseFailure", search(db, known)) is not None


@pytest.mark.parametrize(
    ("known", "searched"),
    [
        ("error: no version '3.11' of it", "error: no version '3.12' of it"),
        ("error: no package 'foo@1.2.3'", "error: no package 'foo@2.0.0-rc1'"),
        ("error: invalid value '17' for '--port'", "error: invalid value '9000' for '--port'"),
        ("PermissionError: [Errno 13] Permission denied: '/srv/a.db'",
         "PermissionError: [Errno 13] Permission denied: '/home/me/b.db'"),
        ("Error: Cannot find module '/srv/main.js'", "Error: Cannot find module '/home/me/index.js'"),
        ("error: image 'web:3.11-slim' is not there", "error: image 'web:3.12-slim' is not there"),
    ],
)  # fmt: skip
def test_numbers_versions_and_paths_are_no_names(tmp_path: Path, known: str, searched: str) -> None:
    db = tmp_path / "casebook.db"
    record_resolution(db, known, "a fix")
    match = search(db, searched).match
    assert match is not None
    assert (match.confidence, match.other_names) == ("high", ())


def test_any_error_of_the_case_may_have_the_name_unless_the_fix_is_of_another(tmp_path: Path) -> None:
    db = tmp_path / "casebook.db"
    with open_store(db, write=True, create=True) as store:
        record_resolution(store, COLUMN.format("vat_id"), "fake it")
        record_resolution(store, COLUMN.format("iban"), "drop it")
        own = search(store, COLUMN.format("iban")).match
        assert own is not None
        assert (own.tier, own.confidence, own.resolution) == ("fingerprint", "high", "drop it")
        reject(store, "kim", [look(store.con, 1)], "wrong")
        other = search(store, COLUMN.format("iban")).match
        assert other is not None
        assert (other.resolution, other.confidence) == ("fake it", "low")
        assert other.other_names == (OtherName("vat_id", "iban"),)


def test_a_module_seen_under_both_names_is_high(tmp_path: Path) -> None:
    db = tmp_path / "casebook.db"
    for path in ("./x", "./y"):
        record_resolution(db, f"Error: Cannot find module '{path}'", "npm ci")
    with open_store(db, write=True) as store, store.transaction():
        from core.errors import observe
        from core.errors.identity.fingerprint import identify

        observe(
            store.con, identify("Error: Cannot find module './y'"), session_id=None, message_idx=None, tool=None,
            project=None, ts="2026-01-01T00:00:00.000Z", raw="Error: Cannot find module './y'",
        )  # fmt: skip
    match = search(db, "Error: Cannot find module './y'").match
    assert match is not None
    assert match.confidence == "high"
