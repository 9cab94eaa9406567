"""Where casebook keeps what belongs to one casebook."""

from __future__ import annotations

from pathlib import Path

from core.base.paths import casebook_state
from core.errors.curation.autosave import scratch_folder
from core.flows.hook.spool import spool_folder
from tui.runtime.state import state_file


def test_what_belongs_to_a_casebook_is_kept_by_where_its_file_stands(tmp_path: Path) -> None:
    environ = {"XDG_STATE_HOME": str(tmp_path)}
    database = Path("/a/한글.db")
    name = casebook_state("asking", database, environ).name
    assert casebook_state("asking", database, environ) == tmp_path / "casebook" / "asking" / name
    assert scratch_folder(database, environ) == tmp_path / "casebook" / "scratch" / name
    assert spool_folder(str(database), environ) == tmp_path / "casebook" / "hooks" / name
    assert state_file(database, environ) == tmp_path / "casebook" / "workbench" / f"{name}.json"
    assert casebook_state("asking", Path("/a/b.db"), environ).name != name


def test_what_an_earlier_version_kept_is_found() -> None:
    assert casebook_state("hooks", "/a.db").name == "b640e8ca9fd8d0cadb92"
