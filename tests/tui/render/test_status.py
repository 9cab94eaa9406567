"""The status as text: counts that say what they count, runs that say how far they came."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from core.flows.ingest.api import ingest
from core.flows.system.capabilities import capabilities
from core.flows.system.doctor import Check, Diagnosis
from core.store import jobs, open_store
from core.store.jobs import Job
from tests.tui.support import put
from tui.render.common.glyphs import UNICODE
from tui.render.common.status import Facts, draw_checks, draw_facts
from tui.screens.status import _latest  # pyright: ignore[reportPrivateUsage]

RUN = Job(1, "ingest", "running", 8, 12, "", None, 1, None, "2026-03-14T08:20:11.000Z", "2026-03-14T08:20:12.000Z")


def drawn(*runs: Job) -> list[str]:
    lines = draw_facts(Facts("a.db", 1, "", "off", "defaults", "1", None, runs)).plain.split("\n")
    at = lines.index("Jobs")
    return lines[at + 1 : at + 1 + len(runs)]


def test_a_run_that_goes_on_says_how_far_it_is_and_in_what() -> None:
    assert drawn(RUN) == ["  ingest        running    2026-03-14 08:20 UTC  8 of 12 files"]
    assert drawn(replace(RUN, kind="import", done=1_500_000, total=4_000_000))[0].endswith("UTC  1.5 MB of 4.0 MB")


def test_a_run_that_ended_well_did_all_of_it() -> None:
    done = replace(RUN, status="succeeded", detail="13 files")
    assert drawn(done) == ["  ingest        succeeded  2026-03-14 08:20 UTC  13 files"]


def test_equal_runs_share_a_line() -> None:
    done = replace(RUN, kind="align", status="succeeded", done=0, total=None)
    failed = replace(done, status="failed", error="disk full")
    older = replace(done, started="2026-03-13T08:20:11.000Z")
    lines = [line for line in drawn(done, older, older, failed, done) if "2026" in line]
    assert [line.split("UTC")[1].strip() for line in lines] == ["(last of 3 runs)", "disk full", ""]
    assert "2026-03-14" in lines[0]


def test_a_value_is_wrapped_in_its_column() -> None:
    settings = "defaults (no file at the settings path of this user)"
    facts = Facts("a.db", 1, "", "off", settings, "1", None, ())
    lines = draw_facts(facts, 40).plain.split("\n")
    at = next(number for number, line in enumerate(lines) if line.startswith("  settings"))
    assert lines[at : at + 3] == [
        "  settings      defaults (no file at the",
        " " * 16 + "settings path of this",
        " " * 16 + "user)",
    ]
    assert f"  settings      {settings}" in draw_facts(facts).plain


def test_a_long_run_is_wrapped_behind_its_kind() -> None:
    failed = replace(RUN, status="failed", error="no space is left on the device that holds the casebook")
    facts = Facts("a.db", 1, "", "off", "defaults", "1", None, (failed,))
    lines = draw_facts(facts, 70).plain.split("\n")
    at = lines.index("Jobs")
    assert lines[at + 1] == "  ingest        failed     2026-03-14 08:20 UTC  8 of 12 files  no"
    assert lines[at + 2] == " " * 16 + "space is left on the device that holds the casebook"


def test_the_last_import_is_listed_behind_many_runs_of_embedding() -> None:
    embedded = [replace(RUN, id=9 - number, kind="embed", detail=f"{number} texts") for number in range(6)]
    assert [one.kind for one in _latest([*embedded, replace(RUN, kind="import")])] == ["embed"] * 3 + ["import"]


def test_a_run_without_steps_counts_none() -> None:
    assert drawn(replace(RUN, kind="align", done=0, total=None))[0].rstrip().endswith("08:20 UTC")


def test_a_run_that_failed_says_how_far_it_came_and_why() -> None:
    assert drawn(replace(RUN, status="failed", error="It is gone."))[0].endswith("8 of 12 files  It is gone.")


def test_files_left_out_are_no_part_of_how_far_an_ingest_is(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.md").write_text(f"# note {number}\n", encoding="utf-8")
        (folder / f"{number}.png").write_bytes(b"\x89PNG")
    with open_store(tmp_path / "a.db", write=True, create=True) as store:
        ingest(store, [folder])
        run = jobs.recent(store)[0]
    assert (run.status, run.done, run.total) == ("succeeded", 3, 3)


def test_one_of_a_thing_is_said_as_one(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with open_store(path, write=True, create=True) as store:
        put(store, "error: boom", "tsc", "Do it.", message="error: boom")
    shown = draw_facts(Facts("a.db", 1, "", "off", "defaults", "1", capabilities(path), ())).plain
    assert "1 case, 0 unresolved, 1 fix\n" in shown
    assert "1 error seen in 1 session, 1 message\n" in shown


def test_checks_are_named_in_words_and_wrapped_in_their_column() -> None:
    told = "not configured (only the command that answers questions needs one)"
    checks = (Check("llm_reachable", True, told, f"run: {told}"), Check("agent_hooks", True, "none"))
    lines = draw_checks(Diagnosis(True, checks), UNICODE, 60).plain.splitlines()
    assert lines[1].startswith("  ✓ LLM         not configured")
    assert lines[-1] == "  ✓ hooks       none"
    assert all(len(line) <= 60 and line[:16].strip() == "" for line in lines[2:-1])
