"""Three processes decide, write and record at once: every act is done or refused, and no text is lost."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from core.errors import record_resolution, show_case
from core.errors.curation.history import whole_history
from core.store import open_store, store_checks

ERRORS = [f"fatal: bad object number{name} in the pack" for name in ("one", "two", "three")]
WORKER = """
import json, sys
from pathlib import Path
from core.errors import record_resolution
from core.errors.curation.transaction import Written, look
from core.errors.curation.decisions import edit, mark_noise, unmark_noise, verify
from core.flows.system.history import take_back
from core.store import open_store
db, name, errors = Path(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3])
wrote, refused = [], 0
with open_store(db, write=True) as store:
    for at in range(60):
        case = at % 3 + 1
        seen = [look(store.con, case)]
        text = f"{name} {at}"
        if at % 4 == 0:
            record_resolution(store, errors[case - 1], text)
            wrote.append(text)
        elif at % 4 == 3:
            done = verify(store, name, seen)
            refused += len(done.conflicts)
        else:
            done = edit(store, name, seen, Written(text))
            refused += len(done.conflicts)
            assert bool(done.cases) is not bool(done.conflicts)
            assert all(one.mine == Written(text) for one in done.conflicts)
            if done.cases:
                wrote.append(text)
print(json.dumps([wrote, refused]))
"""


def test_nothing_is_lost_with_three_writers(tmp_path: Path) -> None:
    db = tmp_path / "casebook.db"
    for error in ERRORS:
        record_resolution(db, error, "the first")
    command = [sys.executable, "-c", WORKER, str(db)]
    workers = [
        subprocess.Popen([*command, name, json.dumps(ERRORS)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for name in ("one", "two", "three")
    ]
    wrote: list[str] = []
    for worker in workers:
        out, told = worker.communicate(timeout=300)
        assert worker.returncode == 0, told.decode()
        wrote += json.loads(out)[0]
    with open_store(db) as store:
        texts: list[str] = []
        for case_id in (1, 2, 3):
            case = show_case(store, case_id, most=-1)
            assert case is not None
            texts += [fix.text for fix in case.resolutions if fix.author != "record" or fix.text != "the first"]
            assert sum(fix.current for fix in case.resolutions) == 1
        assert set(wrote) <= set(texts)
        assert {one.actor for one in whole_history(store, 1000).changes} >= {"one", "two", "three", "record"}
    assert all(check.ok for check in store_checks(db) if check.name in ("sqlite_open", "counts_match"))
