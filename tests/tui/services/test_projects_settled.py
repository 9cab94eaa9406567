"""A casebook of an older version gets its projects while the workbench is open, without an import."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.base.fault import Fault
from core.errors import list_cases
from core.store import open_store
from tests.casebook_versions import unpack
from tests.tui.support import app_on, until


@pytest.mark.asyncio
async def test_the_workbench_works_out_the_projects_of_an_older_casebook(tmp_path: Path) -> None:
    path = unpack(9, tmp_path / "book.db")
    async with app_on(path).run_test() as pilot:

        def named() -> bool:
            try:
                with open_store(path) as store:
                    return "shop" in {one.project_name for one in list_cases(store).cases}
            except Fault as fault:  # it is brought up to date just now
                assert fault.code == "db_locked"
                return False

        await until(pilot, named)
