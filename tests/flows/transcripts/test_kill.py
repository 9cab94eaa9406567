"""Kill -9 at any moment of an import: whole batches stay, and the next run completes what was begun."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest

from core.store import open_store
from tests.core.transcripts.builders import Claude, Codex
from tests.faults.kills import Program
from tests.flows.transcripts.support import run, stored

ROUNDS = 30
IMPORT = """
import os, sys
import core.flows.corrections.harvest, core.flows.harvest.session, core.text.secrets.scan  # else each child loads them
from pathlib import Path
from core.flows.transcripts import files as import_files
from core.flows.transcripts.api import import_transcripts
from core.store import open_store
import_files.BATCH_LINES = 4
with open_store(Path(sys.argv[1]), create=True) as store:
    os.write(1, b"+")
    import_transcripts(store, "auto", [Path(sys.argv[2])])
"""


def transcripts(folder: Path) -> Path:
    for number in range(6):
        log = Claude(session=f"session-{number}", prefix=f"s{number}")
        for n in range(60):
            log.user(f"question {number}.{n}")
            log.call(f"t{number}-{n}", "Bash", {"command": "python a.py"})
            if n % 9:
                log.works(f"t{number}-{n}", "fine")
            else:
                log.fails(f"t{number}-{n}", f"Traceback (most recent call last):\nKeyError: 'key_{n}'")
                log.call(f"e{number}-{n}", "Edit", {"file_path": "a.py"})
                log.result(f"e{number}-{n}", "The file a.py has been updated.")
        (folder / f"{number}.jsonl").write_bytes(log.bytes())
    rollout = Codex()
    rollout.meta()
    for n in range(120):
        rollout.call(f"call_with_a_long_id_{n:04d}", "make")
        rollout.ended(f"call_with_a_long_id_{n:04d}", f"make: *** No rule to make target 'x{n}'", 2)
        rollout.output(f"call_with_a_long_id_{n:04d}", "boom")
    (folder / "rollout-x.jsonl").write_bytes(rollout.bytes())
    return folder


def is_sound(db: Path) -> bool:
    """Whether the store holds whole batches only; True where everything was imported."""
    with open_store(db) as store:
        assert store.con.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        gaps = "SELECT session_id FROM message GROUP BY session_id HAVING count(*) <> max(idx) + 1 OR min(idx) <> 0"
        assert store.con.execute(gaps).fetchall() == []
        loose = (
            "SELECT count(*) FROM tool_call t LEFT JOIN message m ON m.session_id = t.session_id AND m.idx = t.call_idx"
        )
        assert store.con.execute(f"{loose} WHERE m.id IS NULL").fetchone() == (0,)
        due = store.con.execute("SELECT count(*) FROM meta WHERE key LIKE 'harvest:%'").fetchone()
        read = store.con.execute("SELECT count(*), sum(offset = size) FROM source_file").fetchone()
    return due == (0,) and read == (7, 7)


def everything(db: Path) -> dict[str, list[tuple[Any, ...]]]:
    """All that an import and its harvest have stored, save when."""
    with open_store(db) as store:
        return stored(db) | {
            "occurrence": store.con.execute(
                "SELECT fingerprint, session_id, message_idx, ts FROM occurrence ORDER BY 2, 3, 1"
            ).fetchall(),
            "resolution": store.con.execute(
                "SELECT session_id, message_ids, fingerprint, text FROM resolution ORDER BY 1, 2, 3"
            ).fetchall(),
            "error_kb": store.con.execute("SELECT error_normalized FROM error_kb ORDER BY 1").fetchall(),
        }


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no kill -9 here")
def test_thirty_kills_lose_nothing_and_double_nothing(tmp_path: Path) -> None:
    folder, db = tmp_path / "in", tmp_path / "db" / "casebook.db"
    folder.mkdir()
    transcripts(folder)
    once = tmp_path / "once" / "casebook.db"
    run(once, folder)
    expected, killed = everything(once), 0
    with Program(IMPORT) as program:
        steps = program.run(str(tmp_path / "counted.db"), str(folder)).steps
        for number in range(ROUNDS):
            killed += program.run(str(db), str(folder), kill_at=1 + number * 7 % ROUNDS * steps // (3 * ROUNDS)).killed
            if is_sound(db):
                run(db, folder)
                assert everything(db) == expected
                db = db.with_name(f"{killed}.db")
                with open_store(db, create=True):
                    pass
    assert killed > ROUNDS // 2
    run(db, folder)
    assert is_sound(db) and everything(db) == expected
