"""Time stamps from elsewhere: what is a time is kept as it was given, everything else is not given."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import list_cases
from core.errors.exchange.case_import import import_cases
from core.store import open_store
from core.transcripts.fields import timestamp


@pytest.mark.parametrize(
    "given",
    ["2026-02-07", "2026-02-07T09:30:00.125Z", "2026-02-07 09:30:00", "1970-01-01T00:00:00+09:00", "2025-12-31T23:59Z"],
)
def test_a_time_is_kept_as_it_was_given(given: str) -> None:
    assert timestamp(given) == given


@pytest.mark.parametrize(
    "given",
    [
        "9999-12-31", "0000-00-00", "-5", "٢٠٢٦-01-01", "1969-12-31", "2026-13-01", "2026-02-32", "2026-02-07T25:00Z",
        "2026-02-07T09:30:00Z\n", "2026-02-07; DROP TABLE", "", 5, None, ["2026-02-07"], "2026-02-07" * 9,
    ],
)  # fmt: skip
def test_what_cannot_be_a_time_is_not_given(given: object) -> None:
    assert timestamp(given) == ""


def test_tomorrow_may_be_and_the_day_after_may_not() -> None:
    now = datetime.now(UTC)
    assert timestamp((now + timedelta(hours=20)).isoformat())
    assert timestamp((now + timedelta(days=3)).isoformat()) == ""


@given(st.text(max_size=40))
def test_any_text_is_a_time_or_nothing(given: str) -> None:
    assert timestamp(given) in ("", given)


def test_impossible_times_neither_head_nor_end_the_list(tmp_path: Path) -> None:
    source = tmp_path / "cases.jsonl"
    stamps = ("9999-12-31", "٢٠٢٦-01-01", "-5", "0000-00-00", "2026-01-02T00:00:00Z")
    words = ("alpha", "beta", "gamma", "delta", "kappa")
    rows = (
        {"error": f"Error: part {word} is missing", "resolution": "install it", "ts": ts, "last_used": ts}
        for word, ts in zip(words, stamps, strict=True)
    )
    source.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    with open_store(tmp_path / "casebook.db", create=True) as store:
        import_cases(store, source)
        cases = list_cases(store).cases
        assert len(cases) == len(words)
        today = datetime.now(UTC).date().isoformat()
        assert sorted(case.last_seen[:10] for case in cases) == ["2026-01-02", *[today] * 4]
        used = store.con.execute("SELECT last_used FROM error_kb WHERE last_used IS NOT NULL").fetchall()
        assert used == [(stamps[-1],)]
