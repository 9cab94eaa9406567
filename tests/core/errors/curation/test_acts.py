"""What each act means for the search, and that nobody's work is lost where two decide at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.base.fault import Fault
from core.errors import Filters, Source, add_resolution, list_cases, record_resolution, search, show_case
from core.errors.cases.resolutions import answering
from core.errors.curation.autosave import both_versions, three_way
from core.errors.curation.decisions import apply_also, edit, mark_noise, reject, unmark_noise, verify
from core.errors.curation.history import case_history
from core.errors.curation.merging import merge
from core.errors.curation.splitting import split
from core.errors.curation.transaction import SeenVersion, Written, look, version_of
from core.errors.curation.triage import count_waiting, triage_queue
from core.errors.identity.fingerprint import identify
from core.errors.lessons import Do, Lesson, When
from core.flows.system.history import bring_back, take_back, take_back_several
from core.store import Store, open_store

ALPHA = "error TS2304: Cannot find name 'alpha'."
BETA = "error TS2304: Cannot find name 'beta'."
PACK = "fatal: bad object in the pack"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "casebook.db", create=True) as made:
        yield made


def answer(store: Store, text: str) -> tuple[str | None, str | None]:
    found = search(store, text, count=False).match
    return (None, None) if found is None else (found.resolution, found.status)


def harvest(store: Store, error: str, text: str, session: str = "s") -> int:
    """A draft as an import makes it."""
    record = record_resolution(store, error, "x")
    assert record.case_id is not None
    take_back(store, "test")
    with store.transaction():
        from core.errors import observe

        case = observe(
            store.con, identify(error), session_id=None, message_idx=None, tool=None, project=None, ts="2026"
        )
        add_resolution(
            store.con, case, identify(error).fingerprint, text, author="harvest", session_id=session, ts="2026",
            message_ids=[1],
        )  # fmt: skip
    return case


def test_a_rejected_fix_never_answers_again(store: Store) -> None:
    case = harvest(store, PACK, "rm -rf .git")
    assert reject(store, "kim", [look(store.con, case)], "it deletes everything").cases == (case,)
    assert answer(store, PACK) == (None, None)
    with store.transaction():  # another session tells the same
        add_resolution(
            store.con, case, identify(PACK).fingerprint, "rm -rf .git", author="harvest", session_id="t", ts="2027"
        )
    assert answer(store, PACK) == (None, None)
    found = show_case(store, case)
    assert found is not None
    assert (found.status, {fix.status for fix in found.resolutions}) == ("rejected", {"rejected"})
    assert found.resolutions[-1].reason == "it deletes everything"
    assert [row.id for row in list_cases(store, Filters(status="rejected")).cases] == [case]
    assert count_waiting(store) == 0


def test_a_replaced_draft_does_not_come_back_when_its_successor_is_rejected(store: Store) -> None:
    record_resolution(store, PACK, "old words")
    edit(store, "kim", [look(store.con, 1)], Written("new words"))
    assert answer(store, PACK) == ("new words", "draft")
    reject(store, "kim", [look(store.con, 1)])
    assert answer(store, PACK) == (None, None)
    assert [one.undid.title for one in (take_back(store, "kim"), take_back(store, "kim"))]
    assert answer(store, PACK) == ("old words", "draft")


def test_what_a_hook_recorded_meanwhile_is_shown_and_kept(store: Store) -> None:
    record_resolution(store, PACK, "base")
    case = show_case(store, 1)
    assert case is not None
    seen = version_of(case)
    record_resolution(store, PACK, "theirs", author="hook")
    mine = Written("mine", tags=("mine",))
    for done in (
        edit(store, "kim", [seen], mine),
        verify(store, "kim", [seen]),
        reject(store, "kim", [seen]),
        mark_noise(store, "kim", [seen]),
        merge(store, "kim", seen, [SeenVersion(2, None)]),
        split(store, "kim", seen, ["x"]),
    ):
        assert (done.change, done.cases) == (None, ())
        (conflict,) = (one for one in done.conflicts if one.case_id == 1)
        assert conflict.reason == "changed"
        assert conflict.base is not None
        assert conflict.theirs is not None
        assert (conflict.base.text, conflict.theirs.text) == ("base", "theirs")
        if done.act == "edit":
            assert conflict.mine == mine
    assert edit(store, "kim", [look(store.con, 1)], mine).conflicts == ()


def test_what_someone_verified_meanwhile_is_not_rejected_unseen(store: Store) -> None:
    record_resolution(store, PACK, "base")
    seen = look(store.con, 1)
    verify(store, "lee", [seen])
    for done in (reject(store, "kim", [seen]), edit(store, "kim", [seen], Written("mine"))):
        (conflict,) = done.conflicts
        assert conflict.theirs is not None
        assert (conflict.theirs.text, conflict.theirs.status) == ("base", "verified")
    agreed = verify(store, "kim", [seen])
    assert (agreed.unchanged, agreed.conflicts) == ((1,), ())
    case = show_case(store, 1)
    assert case is not None
    assert version_of(case) == look(store.con, 1)


def test_one_conflict_leaves_the_rest_of_a_selection_done(store: Store) -> None:
    for error in (ALPHA, PACK, "오류: 파일이 없습니다"):
        record_resolution(store, error, "a fix")
    seen = [look(store.con, case) for case in (1, 2, 3)]
    record_resolution(store, PACK, "theirs")
    done = verify(store, "kim", seen)
    assert (done.cases, [one.case_id for one in done.conflicts]) == ((1, 3), [2])
    assert take_back(store, "kim").undid.id == done.change
    assert count_waiting(store) == 3


def test_a_case_that_was_merged_says_where_it_went(store: Store) -> None:
    record_resolution(store, ALPHA, "a")
    record_resolution(store, PACK, "b")
    seen = look(store.con, 2)
    merge(store, "lee", look(store.con, 1), [seen])
    (conflict,) = edit(store, "kim", [seen], Written("mine")).conflicts
    assert (conflict.reason, conflict.moved_to) == ("gone", 1)
    with pytest.raises(Fault) as told:
        look(store.con, 2)
    assert "merged into case 1" in told.value.hint
    assert any("case 2 merged into case 1" in one.what for one in case_history(store, 1).changes)


def test_an_undo_does_not_stumble_over_what_others_wrote_since(store: Store) -> None:
    record_resolution(store, PACK, "base")
    edit(store, "kim", [look(store.con, 1)], Written("mine"), status="verified")
    record_resolution(store, PACK, "theirs", author="hook")
    taken = take_back(store, "kim", by="kim")
    assert taken.undid.actor == "kim"
    assert answer(store, PACK) == ("theirs", "draft")
    case = show_case(store, 1)
    assert case is not None
    assert {fix.text for fix in case.resolutions} == {"base", "theirs"}
    bring_back(store, "kim")
    assert answer(store, PACK) == ("theirs", "draft")


def test_a_fix_written_while_merged_follows_its_error_back(store: Store) -> None:
    record_resolution(store, ALPHA, "a")
    record_resolution(store, PACK, "b")
    merge(store, "kim", look(store.con, 1), [look(store.con, 2)])
    record_resolution(store, PACK, "written while merged")
    take_back(store, "kim", by="kim")
    assert answer(store, PACK) == ("written while merged", "draft")
    assert answer(store, ALPHA) == ("a", "draft")


def test_what_was_written_to_a_case_that_an_undo_removes_moves_or_stops_it(store: Store) -> None:
    record_resolution(store, ALPHA, "a")
    record_resolution(store, BETA, "b")
    split(store, "kim", look(store.con, 1), [identify(BETA).fingerprint])
    record_resolution(store, BETA, "written while apart")
    take_back(store, "kim", by="kim")
    assert answer(store, BETA) == ("written while apart", "draft")
    assert store.con.execute("SELECT count(*) FROM error_kb").fetchone() == (1,)
    bring_back(store, "kim")
    assert answer(store, BETA) == ("written while apart", "draft")
    take_back(store, "kim", by="kim")
    made = split(store, "kim", look(store.con, 1), [identify(BETA).fingerprint])
    assert made.made is not None
    edit(store, "lee", [look(store.con, made.made)], Written("for the whole case"), whole_case=True)
    with pytest.raises(Fault, match="cannot be undone"):
        take_back(store, "kim", made.change)
    assert answer(store, BETA) == ("for the whole case", "draft")


def test_noise_answers_nothing_and_comes_back_as_it_was(store: Store) -> None:
    record_resolution(store, PACK, "a fix", status="verified")
    mark_noise(store, "kim", [look(store.con, 1)], "harness text")
    for text in (PACK, f"{PACK} x"):
        assert answer(store, text) == (None, None)
    record_resolution(store, PACK, "recorded on noise")
    assert answer(store, PACK) == (None, None)
    assert [row.status for row in list_cases(store, Filters(status="noise")).cases] == ["noise"]
    assert unmark_noise(store, "kim", [look(store.con, 1)]).cases == (1,)
    assert answer(store, PACK) == ("recorded on noise", "draft")


def test_a_finer_case_can_have_a_fix_of_its_own_or_leave(store: Store) -> None:
    record_resolution(store, ALPHA, "declare it")
    record_resolution(store, BETA, "declare it too")
    edit(store, "kim", [look(store.con, 1)], Written("for all"), status="verified", whole_case=True)
    beta = identify(BETA).fingerprint
    edit(store, "kim", [look(store.con, 1, beta)], Written("import beta"), status="verified")
    assert (answer(store, ALPHA), answer(store, BETA)) == (("for all", "verified"), ("import beta", "verified"))
    made = split(store, "kim", look(store.con, 1), [beta], Written("beta's own")).made
    assert made == 2
    assert answer(store, BETA)[1] == "verified"
    found = search(store, BETA, count=False).match
    assert found is not None
    assert found.id == made
    with pytest.raises(Fault, match="would be empty"):
        split(store, "kim", look(store.con, 1), [identify(ALPHA).fingerprint])


def test_a_row_of_the_seeds_own_programs_keeps_its_text_in_the_history(store: Store) -> None:
    with store.transaction() as con:
        con.execute(
            "INSERT INTO error_kb(ts, error_normalized, resolution) VALUES ('2026', 'boom at dawn', 'seed text')"
        )
    edit(store, "kim", [look(store.con, 1)], Written("better"), status="verified")
    case = show_case(store, 1)
    assert case is not None
    assert [(fix.text, fix.status) for fix in case.resolutions] == [("better", "verified"), ("seed text", "draft")]
    take_back(store, "kim")
    assert store.con.execute("SELECT resolution FROM error_kb").fetchone() == ("seed text",)


def test_the_queue_shows_the_most_frequent_first_and_goes_round(store: Store) -> None:
    errors = [f"fatal: bad object number{chr(97 + at)} here" for at in range(7)]
    for at, error in enumerate(errors):
        for day in range(1 + at % 3):
            with store.transaction():
                from core.errors import observe

                observe(
                    store.con, identify(error), session_id="s", message_idx=at * 10 + day, tool=None, project="/p",
                    ts=f"2026-01-{at + 10}",
                )  # fmt: skip
    page = triage_queue(store, limit=3)
    rows = list(page.cases)
    assert page.left == 7
    while page.next:
        page = triage_queue(store, limit=3, after=page.next)
        rows += page.cases
    assert [(row.seen, row.last_seen) for row in rows] == sorted(((r.seen, r.last_seen) for r in rows), reverse=True)
    ids = [row.id for row in rows]
    assert len(set(ids)) == 7
    page = triage_queue(store, limit=3, also=(ids[6], ids[1], ids[4], 999))
    assert ([row.id for row in page.cases], page.left) == ([*ids[:3], ids[4], ids[6]], 7)
    assert [row.id for row in triage_queue(store, limit=3, after=page.next).cases] == ids[3:6]
    edit(store, "kim", [look(store.con, rows[2].id)], Written("done"), status="verified")
    assert [row.id for row in triage_queue(store).cases] == [row.id for row in rows if row is not rows[2]]
    assert len(triage_queue(store, limit=1, also=ids).cases) == 6
    assert count_waiting(store) == 6


def test_like_cases_are_offered_and_no_others(store: Store) -> None:
    told = (
        "ModuleNotFoundError: No module named requests_toolbelt here",
        "ModuleNotFoundError: No module named requests_toolbelt there",
        "error TS2307: Cannot find module requests_toolbelt",
        "fatal: bad object in the pack",
        "설정 파일을 찾을 수 없어서 서버를 시작하지 못했습니다",
        "설정 파일을 찾을 수 없어 서버를 시작하지 못했습니다 다시",
    )
    with store.transaction():
        from core.errors import observe

        for at, error in enumerate(told):
            observe(store.con, identify(error), session_id="s", message_idx=at, tool=None, project=None, ts="2026")
    assert [one.id for one in apply_also(store.con, 1)] == [2]
    assert [one.id for one in apply_also(store.con, 5)] == [6]
    (other,) = apply_also(store.con, 1)
    done = edit(store, "kim", [look(store.con, 1), other.seen], Written("pip install it"), status="verified")
    assert done.cases == (1, 2)
    assert apply_also(store.con, 1) == ()


def test_several_steps_back_and_forth(store: Store) -> None:
    record_resolution(store, PACK, "a")
    for text in ("b", "c", "d"):
        edit(store, "kim", [look(store.con, 1)], Written(text))
    assert len(take_back_several(store, "kim", 2).undone) == 2
    assert answer(store, PACK)[0] == "b"
    bring_back(store, "kim")
    bring_back(store, "kim")
    assert answer(store, PACK)[0] == "d"
    with pytest.raises(Fault):
        bring_back(store, "kim")
    assert [one.changes for one in (take_back_several(store, "kim", 9),)] != []
    assert answer(store, PACK) == (None, None)
    with pytest.raises(Fault, match="nothing to undo"):
        take_back_several(store, "kim", 1)


@pytest.mark.parametrize(
    ("base", "mine", "theirs", "verdict"),
    [
        ("a", "a\n", "a", "same"),
        ("a", "b\n", "a", "mine"),
        ("a", "a\n", "c", "theirs"),
        ("a", "b\n", "b", "agreed"),
        ("a", "b", "c", "conflict"),
    ],
)
def test_a_text_that_comes_back_from_an_editor(base: str, mine: str, theirs: str, verdict: str) -> None:
    found = three_way(base, mine, theirs)
    assert found.verdict == verdict
    assert found.text == (mine if verdict in ("mine", "conflict") else theirs)


@pytest.mark.parametrize(
    ("mine", "theirs", "both"),
    [
        ("Mine.\n\nShared.\n", "Theirs.\n\nShared.", "Mine.\n\nTheirs.\n\nShared."),
        ("A.\n\nB.", "C.\n\nD.", "A.\n\nB.\n\nC.\n\nD."),
        ("A.\n \nB.", "A.\n\nNew.\n\nB.", "A.\n\nNew.\n\nB."),
        ("", "C.", "C."),
    ],
)
def test_both_versions_have_each_paragraph_once(mine: str, theirs: str, both: str) -> None:
    assert both_versions(mine, theirs) == both


def test_a_conflict_with_a_merged_case_has_the_fix_of_its_target(store: Store) -> None:
    record_resolution(store, PACK, "a")
    record_resolution(store, "fatal: bad object HEAD", "b")
    old, target = look(store.con, 1), look(store.con, 2)
    merge(store, "kim", target, [old])
    (conflict,) = edit(store, "ana", [old], Written("mine")).conflicts
    assert (conflict.reason, conflict.moved_to) == ("gone", 2)
    now = answering(store.con, 2)
    assert now is not None and conflict.theirs == now


def test_what_cannot_be_stored_is_refused(store: Store) -> None:
    record_resolution(store, PACK, "a")
    seen = [look(store.con, 1)]
    for written in (
        Written(" \n"),
        Written("x" * 65_537),
        Written("x", tags=("t" * 65,)),
        Written("x", tags=("a",) * 1 + tuple(map(str, range(40)))),
    ):
        with pytest.raises(Fault) as told:
            edit(store, "kim", seen, written)
        assert told.value.code == "invalid_input"
    secret = "ghp_" + "Zk3vQ9xW2m" * 3 + "AbCdEf"
    edit(store, "kim", seen, Written(f"use {secret}", f"me {secret}", (secret,), (secret,), Source(None)))
    reject(store, "kim", [look(store.con, 1)], f"has {secret}")
    held = b"".join(file.read_bytes() for file in store.path.parent.iterdir())
    assert secret.encode() not in held


def test_a_draft_that_does_the_same_is_rejected_with_it_now_and_after_an_import(store: Store) -> None:
    case = harvest(store, PACK, "Run `git fsck` (message 1)")
    same, other = Lesson(When(PACK), Do("command", "git fsck")), Lesson(When(PACK), Do("command", "git gc"))

    def draft(text: str, lesson: Lesson, session: str) -> None:
        with store.transaction():
            add_resolution(
                store.con, case, None, text, author="harvest", session_id=session, ts="2027", message_ids=[2],
                lesson=lesson,
            )  # fmt: skip

    draft("Run `git gc` (message 2)", other, "o")
    draft("Run `git fsck` (message 7)", same, "a")
    draft("Run `git fsck` (message 9)", same, "b")
    assert reject(store, "kim", [look(store.con, case)]).cases == (case,)
    draft("Run `git fsck` (message 3)", same, "c")
    draft("Run `git gc` (message 3)", other, "d")

    def status() -> dict[str, str]:
        found = show_case(store, case)
        assert found is not None
        return {one.source.session or "": one.status for one in found.resolutions}

    assert status() == {
        "s": "draft", "o": "draft", "a": "rejected", "b": "rejected", "c": "rejected", "d": "draft"
    }  # fmt: skip
