"""Sessions in order of time, each asked against those before it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.base.fault import Fault
from core.flows.replay import replay
from core.flows.transcripts.report import Progress
from tests.flows.replay.chats import bash, missing, write


def test_a_failure_is_asked_against_the_sessions_before_its_own(tmp_path: Path) -> None:
    write(tmp_path, "late", 3, missing("yaml", "pip install pyyaml"))
    write(tmp_path, "early", 1, missing("yaml", "pip install pyyaml"))
    write(tmp_path, "other", 2, missing("yaml", "pip install ruamel.yaml"))
    found = replay([tmp_path])
    assert [item.session for item in found.items] == ["early", "other", "late"]
    first, second, third = found.items
    assert (first.known, first.match, first.agreed) == (False, None, None)
    assert second.match is not None and second.match.session == "early"
    assert (second.known, second.agreed) == (True, False)
    assert third.match is not None and third.match.session in ("early", "other")
    assert third.agreed is (third.match.session == "early")
    assert (found.sessions, found.failures, found.known_before) == (3, 3, 2)
    assert found.answered.high + found.answered.low == 2
    assert found.agreed + found.disagreed == 2
    assert found.minutes_spent_on_known == 4


def test_an_incident_counts_once_a_session(tmp_path: Path) -> None:
    calls = missing("yaml", "pip install pyyaml")
    write(tmp_path, "one", 1, [calls[0], calls[0], *calls, *calls])
    assert [item.line for item in replay([tmp_path]).items] == [2, 12]


def test_what_a_resumed_session_repeats_is_not_asked_again(tmp_path: Path) -> None:
    calls = missing("yaml", "pip install pyyaml")
    file = write(tmp_path, "one", 1, calls)
    more = [one for at, call in enumerate(missing("toml", "pip install toml"), 4) for one in bash("two", 1, at, call)]
    text = file.read_text(encoding="utf-8").replace('"sessionId": "one"', '"sessionId": "two"')
    (tmp_path / "two.jsonl").write_text(text + "".join(json.dumps(one) + "\n" for one in more), encoding="utf-8")
    assert [item.key_line[-6:] for item in replay([tmp_path]).items] == ["'yaml'", "'toml'"]


def test_it_stops_between_two_transcripts_and_says_how_far_it_is(tmp_path: Path) -> None:
    for day in (1, 2, 3):
        write(tmp_path, f"s{day}", day, missing("yaml", "pip install pyyaml"))
    told: list[Progress] = []
    asked = iter((False, True))
    found = replay([tmp_path], on_progress=told.append, cancelled=lambda: next(asked))
    assert (found.canceled, found.sessions, len(found.items)) == (True, 1, 1)
    assert told[-1].kind == "replay" and 0 < told[-1].done < told[-1].total


def test_what_is_no_transcript_is_listed(tmp_path: Path) -> None:
    write(tmp_path, "s1", 1, missing("yaml", "pip install pyyaml"))
    (tmp_path / "bad.jsonl").write_text("no json\n", encoding="utf-8")
    found = replay([tmp_path / "bad.jsonl", tmp_path / "s1.jsonl"])
    assert found.failures == 1
    assert [Path(gap.file).name for gap in found.skipped] == ["bad.jsonl"]
    with pytest.raises(Fault, match="not found"):
        replay([tmp_path / "gone"])
