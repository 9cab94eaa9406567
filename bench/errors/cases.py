"""A casebook of any size for measuring: error-shaped messages, a fix each, one wide bucket of equal beginnings."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

from core.store import Store, open_store

_VOCABULARY = """
open read write parse load find resolve bind start stop mount fetch push decode render compile link
module package file socket port volume network table column index branch remote commit token header cookie session
worker queue thread buffer stream image layer container service plugin driver schema migration
"""
_VERBS = _VOCABULARY.split()[:17]
_NOUNS = _VOCABULARY.split()[17:]
WIDE = "Error response from daemon: "
"""One message in 45 begins so: at a million cases that is a bucket of 22,000."""


def message(rng: random.Random) -> str:
    """One error message, its words invented, so that keys differ."""
    name = "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=7))
    verb, noun, other = rng.choice(_VERBS), rng.choice(_NOUNS), rng.choice(_NOUNS)
    if rng.random() < 1 / 45:
        return f"{WIDE}cannot {verb} {noun} {name}: the {other} of {rng.choice(_NOUNS)} was {rng.choice(_VERBS)}ed"
    kind = rng.choice(("TypeError", "ValueError", "OSError", "fatal", "error", "RuntimeError", "panic", "IoError"))
    return f"{kind}: could not {verb} the {noun} {name} while the {other} did {rng.choice(_VERBS)} it"


def build(path: Path, size: int) -> Path:
    """A casebook of `size` cases with a fix each, made once and kept; an older one is brought up to date."""
    if path.exists():
        with open_store(path, write=True):
            pass
        for backup in path.parent.glob(f"{path.name}.backup-*"):
            backup.unlink()
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    making = path.with_suffix(".making")
    making.unlink(missing_ok=True)
    rng = random.Random(size)
    with open_store(making, write=True, create=True) as store:
        done = 0
        while done < size:
            step = min(20_000, size - done)
            _add(store, [message(rng) for _ in range(step)], done)
            done += step
        store.con.execute("ANALYZE")
        store.con.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    making.rename(path)
    return path


def _add(store: Store, texts: list[str], at: int) -> None:
    ts = "2026-10-01T00:00:00.000Z"
    ids = range(at + 1, at + 1 + len(texts))
    rows = list(zip(ids, texts, strict=True))
    with store.transaction():
        con = store.con
        con.executemany(
            "INSERT OR IGNORE INTO error_kb(id, ts, error_normalized, error_raw, resolution, use_count)"
            " VALUES (?, ?, ?, ?, 'a fix', 0)",
            ((key, ts, text, text) for key, text in rows),
        )
        con.executemany(
            "INSERT OR IGNORE INTO case_key SELECT ?1, id FROM error_kb WHERE error_normalized = ?1",
            ((text,) for text in texts),
        )
        con.executemany(
            "INSERT OR IGNORE INTO fingerprint(fingerprint, case_id, key_line, tool, first_seen)"
            " SELECT ?1, id, ?1, 'unknown', ?2 FROM error_kb WHERE error_normalized = ?1",
            ((text, ts) for text in texts),
        )
        con.executemany(
            "INSERT INTO resolution(case_id, fingerprint, text, status, author, ts)"
            " SELECT id, ?1, 'a fix', 'verified', 'bench', ?2 FROM error_kb WHERE error_normalized = ?1",
            ((text, ts) for text in texts),
        )
        con.executemany(
            "INSERT OR REPLACE INTO case_fts(rowid, key_line, raw, resolution, bigrams)"
            " SELECT id, ?1, '', 'a fix', '' FROM error_kb WHERE error_normalized = ?1",
            ((text,) for text in texts),
        )


def unembedded(source: Path, target: Path) -> Path:
    """A copy of a casebook in which every case waits to be embedded, whatever was embedded in the kept one."""
    shutil.copyfile(source, target)
    with open_store(target, write=True) as store, store.transaction() as con:
        con.execute("DELETE FROM vector; DELETE FROM vector_bits; DELETE FROM meta WHERE key = 'vectors:error'")
        con.execute("DELETE FROM backlog; INSERT INTO backlog SELECT 'error', id FROM error_kb")
    return target
