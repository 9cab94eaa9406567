"""How an ingest stands: folded from the events that a real one tells."""

from __future__ import annotations

from pathlib import Path

from core.flows.ingest.api import ingest
from core.library.ingest.report import IngestEvent, IngestPace, paced
from core.store import open_store


def folded(events: list[IngestEvent], step_s: float = 1.0) -> list[IngestPace]:
    """The pace after each event, so many seconds apart."""
    paces = [IngestPace()]
    for number, event in enumerate(events, 1):
        paces.append(paced(paces[-1], event, number * step_s))
    return paces


def test_it_follows_a_real_ingest_to_its_report(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for number in range(8):
        (docs / f"{number}.md").write_text(f"# Part {number}\n\nWater flows.\n")
    (docs / "empty.md").write_text("")
    events: list[IngestEvent] = []
    with open_store(tmp_path / "one.db", write=True, create=True) as store:
        report = ingest(store, [docs], on_event=events.append)
    paces = folded(events)
    assert [pace.phase for pace in (paces[0], paces[2], paces[-2], paces[-1])] == [
        "looking", "reading", "tidying", "completed",
    ]  # fmt: skip
    last = paces[-1]
    assert (last.done, last.total, last.counts["new"], last.passages) == (9, 9, report.new, report.chunks_indexed)
    assert last.counts["skipped"] == 1
    assert len(last.slowest) == 5
    assert sorted(last.slowest, key=lambda one: -one[0]) == list(last.slowest), "two may take as long"
    assert {pace.path for pace in paces if pace.path} == {f"{number}.md" for number in range(8)} | {"empty.md"}


def test_rate_and_time_left_are_those_of_reading_not_of_looking() -> None:
    events = [IngestEvent("scan_started", ""), IngestEvent("scan_completed", "", total=10)]
    for number in range(1, 6):
        events.append(IngestEvent("asset_started", "", idx=number, total=10, path="a"))
        events.append(IngestEvent("asset_finished", "", idx=number, total=10, path="a", result="new", ms=1.0))
    pace = folded(events)[-1]
    assert pace.reading_s == 10.0, "the two seconds before are no reading"
    assert (pace.rate, pace.remaining_s) == (0.5, 10.0)
    assert folded(events[:2])[-1].remaining_s is None, "nothing is known yet"


def test_nothing_to_read_and_a_stop_are_told_apart() -> None:
    start = [IngestEvent("scan_started", ""), IngestEvent("scan_completed", "", total=0)]
    assert folded([*start, IngestEvent("completed", "")])[-1].phase == "completed"
    assert folded([*start, IngestEvent("aborted", "")])[-1].phase == "aborted"
