"""What was typed and not saved is there after a crash, one text a writer, and gone once it is saved."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.base.fault import Fault
from core.errors import Source
from core.errors.curation.autosave import Scratch, discard_scratch, keep_scratch, read_scratches, scratch_folder
from core.errors.curation.transaction import Written


def test_what_was_typed_comes_back(tmp_path: Path) -> None:
    folder = scratch_folder(tmp_path / "casebook.db", {"XDG_STATE_HOME": str(tmp_path)})
    assert read_scratches(folder) == ()
    written = Written("반쯤 쓴 \x1b[31m글\n\n", "me", ("Edit",), ("t", "u"), Source("s", (1, 2)))
    keep_scratch(folder, Scratch(7, "a1", Written("older")))
    keep_scratch(folder, Scratch(7, "a1", written, 3, "mark"))
    keep_scratch(folder, Scratch(7, "b2", Written("another window")))
    keep_scratch(folder, Scratch(8, "a1", Written("")))
    found = {(one.case_id, one.writer): one for one in read_scratches(folder, 7)}
    assert set(found) == {(7, "a1"), (7, "b2")}
    one = found[7, "a1"]
    assert (one.written, one.base, one.fingerprint) == (written, 3, "mark")
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    discard_scratch(folder, 7, "a1")
    discard_scratch(folder, 7, "a1")
    assert {one.case_id for one in read_scratches(folder)} == {7, 8}


def test_what_is_no_scratch_counts_as_none(tmp_path: Path) -> None:
    for name, body in (
        ("1-a.json", "{"),
        ("2-a.json", '{"version": 9, "text": ""}'),
        ("3-a.json", "[" * 9999),
        ("x", ""),
    ):
        (tmp_path / name).write_text(body)
    (tmp_path / "4-a.json").mkdir()
    assert read_scratches(tmp_path) == ()
    with pytest.raises(Fault):
        keep_scratch(tmp_path, Scratch(1, "../x", Written("")))


def test_no_secret_is_kept(tmp_path: Path) -> None:
    secret = "ghp_" + "Zk3vQ9xW2m" * 3 + "AbCdEf"
    keep_scratch(tmp_path, Scratch(1, "a", Written(f"token {secret}", secret, (secret,), (secret,))))
    assert secret not in (tmp_path / "1-a.json").read_text()
