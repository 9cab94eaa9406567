"""The review from the shell: entries in, quotes listed and decided about, promotion, exit codes, inert output."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.store import open_store
from tests.core.evidence.evidence_support import (
    ALIGNED,
    AMBIGUOUS,
    FAILED,
    FLAGGED,
    KOREAN,
    MESSAGES,
    NEAR,
    SESSION,
    add_messages,
)

Run = Callable[..., Any]


def extracted(*entries: tuple[str, tuple[tuple[object, str], ...]]) -> bytes:
    made = [
        {
            "entryId": name,
            "type": "fact",
            "title": f"about {name}",
            "evidence": [{"messageIndex": at, "quote": text} for at, text in quotes],
        }
        for name, quotes in entries
    ]
    return json.dumps({"entries": made}).encode()


@pytest.fixture
def filled(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A casebook with one session and an entry a kind of quote, given by `--db`."""
    monkeypatch.setenv("LOGNAME", "mina")
    db = tmp_path / "casebook.db"
    with open_store(db, create=True) as store:
        add_messages(store, MESSAGES)

    def call(*args: str, stdin: bytes = b"") -> Any:
        return run("evidence", *args, "--db", str(db), stdin=stdin)

    quotes = (ALIGNED, FLAGGED, AMBIGUOUS, NEAR, FAILED)
    done = call(
        "add",
        "-",
        "--session",
        SESSION[:8],
        "--json",
        stdin=extracted(*((f"e{at}", (one,)) for at, one in enumerate(quotes))),
    )
    assert done.code == 0
    assert done.json()["alignment"]["quotes"] == 5
    return call


def test_entries_are_taken_once_and_their_lengths_only_warned_of(filled: Run) -> None:
    again = filled("add", "-", "--session", SESSION, stdin=extracted(("e0", (ALIGNED,)), ("e9", ((0, "short"),))))
    assert again.code == 0
    assert "Added 1 entry with 1 quote" in again.text
    assert "30 to 200 are recommended" in again.text
    assert filled("add", "-", "--session", SESSION, stdin=extracted(("e0", (FAILED,)))).code == 1
    assert filled("add", "-", "--session", "nope", stdin=extracted()).code == 2
    assert filled("add", "-", "--session", SESSION, stdin=b"[1").code == 2


def test_the_queue_is_listed_filtered_and_paged(filled: Run) -> None:
    page = filled("list", "--json").json()
    assert [row["state"] for row in page["quotes"]] == ["aligned", "flagged", "ambiguous", "near", "failed"]
    assert (page["counts"]["left"], page["counts"]["failed"]) == (4, 2)
    left = filled("list", "--open", "--limit", "2", "--json").json()
    assert ([row["id"] for row in left["quotes"]], left["next"]) == ([2, 3], 3)
    assert [row["id"] for row in filled("list", "--status", "failed", "--json").json()["quotes"]] == [4, 5]
    assert "4 of 5 undecided." in filled("list").text
    assert filled("list", "--type", "none").code == 1
    assert filled("list", "--after", "x").code == 2
    entries = filled("list", "--entries", "--json").json()["entries"]
    assert [(row["id"], row["blocking"]) for row in entries] == [("e0", 0), ("e1", 1), ("e2", 1), ("e3", 1), ("e4", 1)]


def test_a_flagged_quote_is_shown_with_what_differs_and_accepted_on_confirmation(filled: Run) -> None:
    shown = filled("show", "2")
    assert "[-staging-] {+production+}" in shown.text
    refused = filled("accept", "2")
    assert refused.code == 1
    assert "--confirm" in refused.text
    assert "because" in refused.text
    assert filled("promote", "e1").code == 1
    assert filled("accept", "2", "--confirm", "--json").json()["state"] == "accepted"
    done = filled("promote", "e1", "--json")
    assert (done.code, done.json()["promotion"]["stage"]) == (0, "verified")
    assert filled("promote", "e1").code == 0
    assert filled("promote", "e1", "--back").code == 0


def test_places_are_chosen_moved_taken_and_rejected(filled: Run) -> None:
    assert filled("accept", "3").code == 1
    assert filled("accept", "3", "--place", "2").code == 0
    assert filled("accept", "3", "--place", "9").code == 2
    mark = filled("show", "4", "--json").json()["mark"]
    asked = filled("accept", "4")
    assert (asked.code, "only 61% similar: below the threshold" in asked.text, "--confirm" in asked.text) == (
        1,
        True,
        True,
    )
    assert "only 61% similar: below the threshold" in filled("accept", "4", "--verbose").text
    assert filled("accept", "4", "--confirm", "--json").json()["promotion"]["promotionBlocked"] is False
    assert filled("accept", "4", "--end", "-1").code == 1
    assert filled("accept", "4", "--end", "-1", "--confirm").code == 0
    late = filled("reject", "4", "--reason", "x", "--expect", mark, "--json")
    assert (late.code, late.json()["refused"]) == (1, "changed_meanwhile")
    words = filled("accept", "4", "--words", "--json").json()["words"]
    assert filled("show", "4", "--json").json()["quote"] == words[0]
    little = filled("accept", "5", "--at", "3:0-9", "--confirm")
    assert (little.code, "the selection is too short for this quote" in little.text) == (1, True)
    assert filled("accept", "5", "--at", "3:0-9", "--words").code == 1
    assert filled("show", "5", "--json").json()["row"]["state"] == "failed"
    assert filled("accept", "5", "--at", "3:0-30", "--confirm").code == 0
    assert filled("accept", "5", "--at", "9:0-9").code == 2
    assert filled("accept", "5", "--at", "nonsense").code == 2
    assert filled("reject", "5", "--reason", "없는 말").code == 0
    assert "없는 말" in filled("show", "5").text
    assert filled("reject", "99", "--reason", "x").code == 1


def test_the_history_names_the_quote_and_its_places(filled: Run, run: Run, tmp_path: Path) -> None:
    filled("accept", "4", "--confirm")
    filled("reject", "5", "--reason", "x")
    history = ("undo", "--list", "--db", str(tmp_path / "casebook.db"))
    told = " ".join(run(*history).text.split())
    assert f"quote 4 “{NEAR[1]}”: not found → message 1, entry e3, session {SESSION}" in told
    assert f"quote 5 “{FAILED[1]}”: not found → rejected: x, entry e4" in told
    (quote,) = run(*history, "--json").json()["changes"][1]["quotes"]
    assert (quote["id"], quote["before"], quote["after"], quote["gone"]) == (4, None, 1, False)


def test_promotion_says_what_blocks_it(filled: Run) -> None:
    blocked = filled("promote", "e4", "--json")
    assert blocked.code == 1
    found = blocked.json()["promotion"]
    assert found["promotionBlocked"] is True
    assert found["promotionBlockReason"].startswith("Evidence alignment failed")
    assert found["failedQuotes"] == [FAILED[1]]
    assert "blocked" in filled("show", "e4").text
    assert filled("promote", "nobody").code == 1
    assert filled("show", "nobody").code == 1


def test_a_session_is_aligned_again(filled: Run) -> None:
    done = filled("align", "--session", SESSION[:6], "--json")
    assert (done.code, done.json()["looked"]) == (1, 0)
    assert filled("align", "--session", SESSION, "--again", "--json").json()["looked"] == 5
    assert filled("align", "--session", SESSION, "--messages", "x").code == 2


def test_one_quote_is_looked_for_in_a_session_and_nothing_is_stored(filled: Run) -> None:
    before = filled("list", "--json").json()
    for index, quote in (ALIGNED, KOREAN):
        done = filled("align", "--session", SESSION[:6], "--quote", quote, "--json")
        (one,) = done.json()["entries"][0]["evidence"]
        assert (done.code, one["status"], one["messageIndex"], one["relocatedFrom"]) == (0, "aligned", index, None)
    done = filled("align", "--session", SESSION, "--quote", "-", stdin=FLAGGED[1].encode() + b"\n")
    assert done.code == 1
    assert "[-staging-] {+production+}" in done.text
    assert filled("align", "--session", SESSION, "--quote", FAILED[1]).code == 1
    assert filled("align", "--quote", "no session").code == 2
    assert filled("list", "--json").json() == before
    assert filled("align").code == 2


def test_texts_that_break_programs_do_no_harm(filled: Run, run: Run, nasty: str, tmp_path: Path) -> None:
    stdin = extracted((f"n{nasty[:20]}", ((0, nasty), (1, nasty))))
    assert filled("add", "-", "--session", SESSION, stdin=stdin).code == 0
    filled("reject", "6", "--reason", nasty.replace("\0", ""))
    for args in (
        ("list",),
        ("show", "6"),
        ("show", "7", "--verbose"),
        ("list", "--entries"),
        ("align", "--session", SESSION),
        ("undo", "--list"),
    ):
        done = run(*args, "--db", str(tmp_path / "casebook.db")) if args[0] == "undo" else filled(*args)
        assert done.code in (0, 1)
        assert not {byte for byte in done.out + done.err if byte < 32 or byte == 127} - {9, 10}
        assert "\u202e" not in done.text


def test_every_ready_entry_is_promoted_at_once_and_undone_at_once(filled: Run, run: Run, tmp_path: Path) -> None:
    assert filled("accept", "2", "--confirm").code == 0
    assert [row["id"] for row in filled("list", "--ready", "--json").json()["quotes"]] == [1, 2]
    assert [row["id"] for row in filled("list", "--entries", "--ready", "--json").json()["entries"]] == ["e0", "e1"]
    dry = filled("promote", "--ready", "--dry-run")
    assert dry.code == 0
    assert "Would verify 2 entries.\n  e0  about e0\n  e1  about e1\nNo change written (--dry-run)." in dry.text
    assert filled("list", "--entries", "--stage", "verified").code == 1
    done = filled("promote", "--ready", "--json")
    assert done.code == 0
    found = done.json()
    assert found["schema_version"] == "evidence_promotions.v1"
    assert [one["entry_id"] for one in found["promoted"]] == ["e0", "e1"]
    assert (found["blocked"], found["dry_run"]) == ([], False)
    none = filled("promote", "--ready")
    assert (none.code, "No entry is ready." in none.text) == (1, True)
    assert run("undo", "--db", str(tmp_path / "casebook.db")).code == 0
    assert filled("list", "--entries", "--stage", "verified").code == 1


def test_an_entry_that_is_blocked_is_named_with_the_reason(filled: Run, tmp_path: Path) -> None:
    filled("accept", "2", "--confirm")
    with open_store(tmp_path / "casebook.db", write=True) as store, store.transaction() as con:
        con.execute("UPDATE message SET text = 'rewritten' WHERE idx = 4")
    done = filled("promote", "--ready")
    assert done.code == 1
    assert "Verified 1 entry." in done.text
    assert "Blocked: 1 entry.\n  e1  Evidence alignment failed: of 1 quote, 1 missing from its location" in done.text


@pytest.mark.parametrize("args", [(), ("--dry-run",), ("e0", "--ready"), ("--ready", "--back"), ("e0", "--dry-run")])
def test_a_promotion_that_names_nothing_or_too_much_is_an_error(filled: Run, args: tuple[str, ...]) -> None:
    failed = filled("promote", *args)
    assert (failed.code, failed.text) == (2, "")
    assert failed.said.count("\n") == 1
