"""The queue of what a harvest judged: an item an incident, by what it cost and how often it came back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from core.errors.cases.derived import refresh_case
from core.errors.curation.decisions import edit, mark_noise, reject
from core.errors.curation.merging import merge, preview_merge
from core.errors.curation.transaction import Curated, Written, look
from core.errors.curation.triage import count_waiting, is_part_of, triage_queue
from core.errors.incidents import shares_of
from core.flows.system.history import take_back
from core.flows.transcripts.api import import_transcripts
from core.store import Store, history, open_store
from tests.casebooks import sql_steps
from tests.flows.harvest.chat import LOOKUP, NONE, python_error
from tests.flows.harvest.test_session import Transcript

UNDEFINED = "./a.go:3:2: undefined: errors\nFAIL\tshop [build failed]"
LOCKED = "fatal: Unable to create '/x/.git/index.lock': File exists."
KEY, NULL, FULL = "KeyError: 'currency'", "TypeError: 'NoneType' object is not iterable", "OSError: disk full"


@pytest.fixture
def store(tmp_path: Path):
    with open_store(tmp_path / "casebook.db", write=True, create=True) as opened:
        yield opened


def session(folder: Path, number: int) -> Transcript:
    return Transcript(folder, f"{number:08}-0000-4000-8000-000000000001")


def put(store: Store, *chats: Transcript) -> None:
    import_transcripts(store, "auto", [chat.save() for chat in chats])


def seen(folder: Path, command: str, output: str, sessions: int = 3) -> list[Transcript]:
    """Sessions in which the same error came up and nothing fixed it."""
    return [session(folder, 90 + at).bash(command, output, 1) for at in range(sessions)]


def lines(store: Store) -> list[str]:
    return [row.key_line for row in triage_queue(store).cases]


def findings(store: Store) -> list[str]:
    return [row.key_line for row in triage_queue(store).findings]


def states(store: Store) -> Sequence[tuple[Any, ...]]:
    sql = "SELECT case_id, worth, sessions, seconds, queue_case, queued, status FROM case_state ORDER BY case_id"
    return store.con.execute(sql).fetchall()


def two_findings(folder: Path, number: int = 1) -> Transcript:
    """One incident: the second finding takes the place of the first, until all is green."""
    chat = session(folder, number).bash("python app.py", LOOKUP, 1).edit().bash("python app.py", NONE, 1)
    return chat.edit("b.py").bash("python app.py", "fine")


def test_what_more_sessions_met_is_first_then_what_cost_more(store: Store, tmp_path: Path) -> None:
    once = session(tmp_path, 1).bash("git commit -m a", LOCKED, 128).bash("python b.py", python_error(FULL), 1).edit()
    again = session(tmp_path, 2).bash("python app.py", LOOKUP, 1).edit().bash("python app.py", "fine")
    put(store, once.bash("python b.py", "fine"), again, session(tmp_path, 3).bash("python app.py", LOOKUP, 1))
    long = session(tmp_path, 4).bash("python c.py", NONE, 1).edit("c.py").bash("python c.py", NONE, 1).edit("d.py")
    put(store, long.bash("python c.py", "fine"))
    assert lines(store) == [KEY, NULL, FULL]
    rows = triage_queue(store).cases
    assert [(row.sessions, row.seconds) for row in rows] == [(2, 4.0), (1, 8.0), (1, 4.0)]
    page, found = triage_queue(store, limit=1), []
    while page.next:
        found += page.cases
        page = triage_queue(store, limit=1, after=page.next)
    assert (*found, *page.cases) == rows


def test_of_as_many_sessions_a_command_comes_before_an_edit_and_no_fix_last(store: Store, tmp_path: Path) -> None:
    missing = "/bin/bash: line 1: python: command not found"
    for at in range(3):
        edited = session(tmp_path, at).bash("python app.py", LOOKUP, 1).edit().bash("python app.py", "fine")
        run = session(tmp_path, at + 10).bash("python b.py", missing, 127).bash("python3 b.py", "fine")
        put(store, edited, run)
    put(store, *seen(tmp_path, "git commit -m a", LOCKED))
    name = missing.partition("1: ")[2]
    assert [(row.key_line[-len(name) :], row.status) for row in triage_queue(store).cases] == [
        (name, "draft"), (KEY, "draft"), (LOCKED[-len(name) :], "unresolved"),
    ]  # fmt: skip
    rejected(store, ids(store)[KEY])
    take_back(store, "kim")
    assert [row.status for row in triage_queue(store).cases] == ["draft", "draft", "unresolved"]
    command = next(row.id for row in triage_queue(store).cases if row.key_line.endswith(name))
    edit(store, "kim", [look(store.con, ids(store)[KEY])], Written("a person knows better"))
    assert [row.key_line for row in triage_queue(store).cases if row.id != command] == [KEY, LOCKED]
    offers = dict(store.con.execute("SELECT s.case_id, s.offer FROM case_state s"))
    assert sorted(offers.values()) == [0, 4, 4]


def test_a_strong_fix_comes_before_a_weak_one_and_a_workaround_has_no_item(store: Store, tmp_path: Path) -> None:
    for at, (old, new) in enumerate([("python", "python3"), ("pip", "pip3")], 1):
        missing = f"/bin/bash: line 1: {old}: command not found"
        put(store, session(tmp_path, at).bash(f"{old} b.py", missing, 127).bash(f"{new} b.py", "fine"))
    first, second = (row.id for row in triage_queue(store).cases)
    for change, order in (
        ("original = json_set(original, '$.harvest.strength', 'weak')", [second, first]),
        ("lesson = json_set(lesson, '$.workaround', json('true'))", [second]),
    ):
        with store.transaction() as con:
            con.execute(f"UPDATE resolution SET {change} WHERE case_id = ?", (first,))
            refresh_case(con, first)
        assert [row.id for row in triage_queue(store).cases] == order
        assert count_waiting(store) == len(order)


@pytest.mark.parametrize("sessions", [1, 2, 3])
def test_an_error_without_a_fix_is_an_item_once_three_sessions_met_it(
    store: Store, tmp_path: Path, sessions: int
) -> None:
    put(store, *seen(tmp_path, "git commit -m a", LOCKED, sessions))
    assert (lines(store), count_waiting(store)) == (([LOCKED], 1) if sessions == 3 else ([], 0))
    assert [status for *_, status in states(store)] == ["unresolved"]


@pytest.mark.parametrize(
    ("sessions", "attempts", "file", "items"),
    [(1, 1, "app.py", 0), (2, 1, "app.py", 0), (3, 1, "app.py", 1), (1, 2, "app.py", 1), (1, 1, "b.py", 1)],
)
def test_a_fix_that_the_message_tells_is_an_item_once_three_sessions_made_it(
    store: Store, tmp_path: Path, sessions: int, attempts: int, file: str, items: int
) -> None:
    for at in range(sessions):
        chat = session(tmp_path, at)
        for _ in range(attempts):
            chat.bash("python app.py", LOOKUP, 1).edit(file)
        put(store, chat.bash("python app.py", "fine"))
    assert count_waiting(store) == items
    assert [status for *_, status in states(store)] == ["draft"]


def test_cases_that_nobody_judged_come_behind_in_their_old_order(store: Store, tmp_path: Path) -> None:
    put(store, *seen(tmp_path, "python app.py", LOOKUP))
    from core.errors import identify, observe

    error, rare = identify("fatal: bad object here"), identify("OSError: disk full")
    with store.transaction():
        for at in range(3):
            observe(
                store.con, error, session_id=None, message_idx=None, tool=None, project=None, ts=f"2027-01-0{at + 1}"
            )
        observe(store.con, rare, session_id=None, message_idx=None, tool=None, project=None, ts="2027-02-01")
    assert lines(store) == [KEY, "fatal: bad object here", FULL]


def ids(store: Store) -> dict[str, int]:
    return {row.key_line: row.id for row in (*triage_queue(store).cases, *triage_queue(store).findings)}


def verified(store: Store, case_id: int) -> Curated:
    return edit(store, "kim", [look(store.con, case_id)], Written("done"), status="verified")


def rejected(store: Store, case_id: int) -> Curated:
    return reject(store, "kim", [look(store.con, case_id)], all_of_it=True)


def noise(store: Store, case_id: int) -> Curated:
    return mark_noise(store, "kim", [look(store.con, case_id)])


@pytest.mark.parametrize("decide", [verified, rejected, noise])
def test_an_incident_is_one_item_and_leaves_with_all_its_findings(
    store: Store, tmp_path: Path, decide: Callable[[Store, int], Curated]
) -> None:
    put(store, two_findings(tmp_path), *seen(tmp_path, "git commit -m a", LOCKED))
    assert (lines(store), findings(store), count_waiting(store)) == ([LOCKED, KEY], [NULL], 2)
    ((_, item), (other,)) = triage_queue(store).cases, triage_queue(store).findings
    assert other.queue_case == item.id
    assert is_part_of(other, item)
    before = states(store)
    decided = decide(store, item.id)
    assert (lines(store), findings(store), count_waiting(store)) == ([LOCKED], [], 1)
    assert decided.parts == (other.id,)
    assert history(store, 1)[0].title.endswith(f"{KEY} and 1 more of its incident")
    for case_id in (item.id, other.id):
        with store.transaction():
            refresh_case(store.con, case_id)
    assert (lines(store), count_waiting(store)) == ([LOCKED], 1)
    take_back(store, "kim", decided.change)
    assert states(store) == before
    assert (lines(store), findings(store), count_waiting(store)) == ([LOCKED, KEY], [NULL], 2)


def test_a_draft_of_an_item_leaves_its_findings_where_they_are(store: Store, tmp_path: Path) -> None:
    put(store, two_findings(tmp_path))
    done = edit(store, "kim", [look(store.con, ids(store)[KEY])], Written("try this"))
    assert (lines(store), findings(store), done.parts) == ([KEY], [NULL], ())


def test_a_finding_without_a_fix_is_not_listed_under_an_item_with_one(store: Store, tmp_path: Path) -> None:
    put(store, session(tmp_path, 1).bash("python app.py", LOOKUP, 1).edit().bash("python app.py", NONE, 1))
    assert [(row.key_line, row.status) for row in triage_queue(store).cases] == [(KEY, "draft")]
    assert [status for *_, status in states(store)] == ["draft", "unresolved"]
    assert (findings(store), count_waiting(store)) == ([], 1)


def test_a_finding_may_be_decided_alone_before_its_item(store: Store, tmp_path: Path) -> None:
    chat = session(tmp_path, 1)
    for at, output in enumerate((LOOKUP, NONE, python_error(FULL))):
        chat.bash("python app.py", output, 1).edit(f"{at}.py")
    put(store, chat.bash("python app.py", "fine"), *seen(tmp_path, "git commit -m a", LOCKED))
    assert (lines(store), findings(store)) == ([LOCKED, KEY], [NULL, FULL])
    cases = ids(store)
    alone = rejected(store, cases[NULL])
    assert (lines(store), findings(store), alone.parts) == ([LOCKED, KEY], [FULL], ())
    decided = rejected(store, cases[KEY])
    assert (lines(store), findings(store), decided.parts) == ([LOCKED], [], (cases[FULL],))
    take_back(store, "kim", decided.change)
    assert (lines(store), findings(store)) == ([LOCKED, KEY], [FULL])
    take_back(store, "kim", alone.change)
    assert (lines(store), findings(store)) == ([LOCKED, KEY], [NULL, FULL])


def test_what_is_found_again_in_a_decided_incident_stays_out_and_alone_comes_back(store: Store, tmp_path: Path) -> None:
    put(store, two_findings(tmp_path))
    verified(store, ids(store)[KEY])
    put(store, two_findings(tmp_path, 2))
    assert (lines(store), count_waiting(store)) == ([], 0)
    put(store, session(tmp_path, 3).bash("python app.py", NONE, 1))
    assert lines(store) == [NULL]


def test_a_finding_that_was_first_elsewhere_has_its_own_item(store: Store, tmp_path: Path) -> None:
    put(store, two_findings(tmp_path), session(tmp_path, 2).bash("python app.py", NONE, 1))
    assert (lines(store), findings(store)) == ([NULL, KEY], [])


def test_slips_stay_out_and_hide_nothing(store: Store, tmp_path: Path) -> None:
    slip = session(tmp_path, 1).bash("go build ./...", UNDEFINED, 1).edit("a.go").bash("go build ./...", "")
    put(store, slip)
    assert states(store)[0][1] == "slip"
    assert (lines(store), count_waiting(store)) == ([], 0)


def test_merging_and_its_undo_keep_the_items_right(store: Store, tmp_path: Path) -> None:
    put(store, two_findings(tmp_path), *seen(tmp_path, "python b.py", python_error(FULL)))
    before = states(store)
    cases = ids(store)
    into, *others = preview_merge(store, cases[FULL], [cases[KEY]]).seen
    done = merge(store, "kim", into, others)
    assert findings(store) == [NULL]
    assert triage_queue(store).findings[0].queue_case == cases[FULL]
    assert (triage_queue(store).cases[0].sessions, count_waiting(store)) == (4, 1)
    take_back(store, "kim", done.change)
    assert states(store) == before


def test_what_is_kept_on_write_is_what_the_rows_say(store: Store, tmp_path: Path) -> None:
    chat = two_findings(tmp_path)
    put(store, chat, session(tmp_path, 2).bash("python app.py", NONE, 1).bash("python app.py", LOOKUP, 1))
    put(store, session(tmp_path, 3).bash("python app.py", LOOKUP, 1).bash("python app.py", "fine"))
    put(store, chat.bash("python app.py", LOOKUP, 1).edit().bash("python app.py", "fine"))
    kept = states(store)
    with store.transaction():
        for row in kept:
            refresh_case(store.con, row[0])
    assert states(store) == kept
    assert [row[2] for row in kept] == [3, 2]


def test_a_session_is_summed_in_one_pass_over_its_verdicts(store: Store, tmp_path: Path) -> None:
    few, many = session(tmp_path, 1), session(tmp_path, 2)
    for chat, runs in ((few, 20), (many, 160)):
        for number in range(runs):
            letters = f"{chr(97 + number % 26)}{chr(97 + number // 26)}"
            chat.bash(f"python {letters}.py", python_error(f"KeyError: 'of{letters}'"), 1)
    put(store, few, many)
    assert _visited(store, many) < 16 * _visited(store, few), "the sum grows with the verdicts, not with their square"


def _visited(store: Store, chat: Transcript) -> int:
    return sql_steps(store, lambda: shares_of(store.con, [chat.session]))


def test_a_page_walks_the_index_and_sorts_nothing(store: Store) -> None:
    plan = store.con.execute(
        "EXPLAIN QUERY PLAN SELECT s.case_id FROM case_state s INDEXED BY case_state_triage"
        " WHERE s.status IN ('unresolved', 'draft') AND queued = 1"
        " AND (s.sessions, s.offer, s.seconds, s.seen, s.last_seen, s.case_id) < (1, 1, 1.0, 1, 'x', 1)"
        " ORDER BY s.sessions DESC, s.offer DESC, s.seconds DESC, s.seen DESC, s.last_seen DESC, s.case_id DESC"
        " LIMIT 50"
    ).fetchall()
    assert len(plan) == 1
    assert "SEARCH s USING INDEX case_state_triage (" in str(plan[0][3])
