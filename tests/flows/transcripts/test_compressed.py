"""Codex's compressed rollouts: read like the plain ones, once, and told of where they are damaged."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import pytest

from core.transcripts import discover
from tests.core.transcripts.builders import Codex
from tests.flows.transcripts.support import calls, count_harvests, rows, run, texts

zstd = import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")


@pytest.fixture(autouse=True)
def _harvests(monkeypatch: pytest.MonkeyPatch) -> None:
    count_harvests(monkeypatch)


def session() -> Codex:
    log = Codex()
    log.meta()
    log.says("user", "Run the tests.")
    log.call("call_0123456789abcdef", "make test")
    log.output("call_0123456789abcdef", "Process exited with code 2\nOutput:\nboom: it broke")
    log.says("assistant", "It broke.")
    return log


def name(log: Codex) -> str:
    return f"rollout-2026-04-01T10-00-00-{log.session}.jsonl"


def test_a_compressed_rollout_gives_what_the_plain_one_gives(tmp_path: Path) -> None:
    log = session()
    plain, packed = tmp_path / "plain" / name(log), tmp_path / "packed" / f"{name(log)}.zst"
    for path, data in ((plain, log.bytes()), (packed, zstd.compress(log.bytes()))):
        path.parent.mkdir()
        path.write_bytes(data)
    one, other = tmp_path / "one.db", tmp_path / "other.db"
    assert not run(one, plain).skipped
    report = run(other, packed.parent)
    assert (report.files, report.sessions, report.skipped) == (1, 1, ())
    for table in ("session", "message", "tool_call"):
        assert rows(other, table) == rows(one, table)
    assert calls(other)["call_0123456789abcdef"][3] == 2


def test_what_was_read_is_not_read_again_nor_stored_twice(tmp_path: Path) -> None:
    log, db = session(), tmp_path / "c.db"
    plain = tmp_path / "sessions" / name(log)
    plain.parent.mkdir()
    plain.write_bytes(log.bytes())
    run(db, plain.parent)
    before = texts(db)
    packed = plain.with_name(f"{plain.name}.zst")
    packed.write_bytes(zstd.compress(plain.read_bytes()))
    assert discover("codex", [plain.parent]) == [plain], "the plain file wins"
    plain.unlink()
    assert run(db, packed.parent).messages == 0
    assert texts(db) == before
    size = packed.stat().st_size
    assert [row[1] for row in rows(db, "source_file") if row[0].endswith(".zst")] == [size], "read to its end"
    assert run(db, packed.parent).messages == 0


def test_a_compressed_rollout_that_grew_gives_only_what_is_new(tmp_path: Path) -> None:
    log, db = session(), tmp_path / "c.db"
    packed = tmp_path / f"{name(log)}.zst"
    packed.write_bytes(zstd.compress(log.bytes()))
    first = run(db, packed).messages
    log.says("assistant", "And now it works.")
    packed.write_bytes(zstd.compress(log.bytes()))
    assert run(db, packed).messages == 1
    assert len(texts(db)) == first + 1


@pytest.mark.parametrize("damage", ["cut", "flipped", "plain text", "empty"])
def test_damage_is_named_and_what_lies_before_is_kept(tmp_path: Path, damage: str) -> None:
    log, db = session(), tmp_path / "c.db"
    for number in range(3000):
        log.says("assistant", f"line {number} of many, {number * 7919 % 1000}")
    data = zstd.compress(log.bytes())
    data = {
        "cut": data[: len(data) // 2],
        "flipped": data[: len(data) // 2] + b"\xff" * 64 + data[len(data) // 2 + 64 :],
        "plain text": log.bytes(),
        "empty": b"",
    }[damage]
    packed = tmp_path / f"{name(log)}.zst"
    packed.write_bytes(data)
    report = run(db, packed)
    assert len(report.skipped) == 1, report.skipped
    assert report.skipped[0].file == str(packed)
    if damage == "cut":
        assert "damaged or incomplete" in report.skipped[0].reason
        assert report.messages > 100
