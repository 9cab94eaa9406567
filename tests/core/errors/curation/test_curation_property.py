"""Any history of curation, recordings and undos leaves what a plain model says; undoing all of it leaves no trace."""

from __future__ import annotations

import tempfile
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from core.base.fault import Fault
from core.errors import observe, record_resolution, show_case
from core.errors.cases.browse import browse
from core.errors.curation.decisions import edit, mark_noise, reject, unmark_noise, verify
from core.errors.curation.history import case_history, whole_history
from core.errors.curation.merging import merge
from core.errors.curation.splitting import shared_fixes, split
from core.errors.curation.transaction import Curated, Written, look
from core.errors.curation.triage import triage_queue
from core.errors.exchange.case_export import export_cases
from core.errors.identity.fingerprint import identify
from core.flows.system.history import bring_back, take_back
from core.store import Store, open_store, store_checks
from tests.casebooks import new_casebook

ERRORS = (
    "app.ts(3,1): error TS2304: Cannot find name 'alpha'.",
    "app.ts(9,4): error TS2304: Cannot find name 'beta'.",
    "lib.ts(1,2): error TS2304: Cannot find name 'gamma'.",
    "fatal: bad object in the pack of the remote",
    "오류: 설정 파일을 찾을 수 없습니다",
)
TEXTS = ("do this", "그렇게 하세요", "do [/that] \x1b[31m`now`", "do this\n\n- and that\n")
MARKS = tuple(identify(text).fingerprint for text in ERRORS)
KEYS = tuple(identify(text).normalized for text in ERRORS)


@dataclass
class Fix:
    case: int
    mark: str | None
    text: str
    status: str
    author: str
    reason: str = ""
    tags: tuple[str, ...] = ()
    replaced: int | None = None


@dataclass
class World:
    """Cases by number with their marks, keys, count; fixes by number; where merged cases went."""

    cases: dict[int, int] = field(default_factory=dict)
    marks: dict[str, int] = field(default_factory=dict)
    fixes: dict[int, Fix] = field(default_factory=dict)
    noise: set[int] = field(default_factory=set)
    merged: dict[int, int] = field(default_factory=dict)

    def answering(self, case: int, mark: str | None = None) -> int | None:
        if case in self.noise:
            return None
        may = [
            (number, one)
            for number, one in self.fixes.items()
            if one.case == case and one.status != "rejected" and one.replaced is None
            and (mark is None or one.mark in (None, mark))
        ]  # fmt: skip
        own = mark is not None
        return min(may, key=lambda at: (own and at[1].mark is None, -at[0]), default=(None, None))[0]

    def status(self, case: int) -> str:
        if case in self.noise:
            return "noise"
        number = self.answering(case)
        if number is not None:
            return self.fixes[number].status
        turned_down = any(one.case == case and one.status == "rejected" for one in self.fixes.values())
        return "rejected" if turned_down else "unresolved"


@dataclass
class Model:
    now: World = field(default_factory=World)
    past: list[World] = field(default_factory=list)
    undone: list[World] = field(default_factory=list)
    last_fix: int = 0
    last_case: int = 0

    def add(self, **values: Any) -> int:
        self.last_fix += 1
        self.now.fixes[self.last_fix] = Fix(**values)
        return self.last_fix

    def write(
        self, case: int, mark: str | None, text: str, status: str, tags: tuple[str, ...], base: int | None
    ) -> int:
        made = self.add(case=case, mark=mark, text=text, status=status, author="kim", tags=tags)
        before = self.now.fixes[base] if base is not None else None
        if before is not None and (mark is None or before.mark == mark):
            for number, one in self.now.fixes.items():
                alike = one.mark == before.mark or (mark is None and one.status == "draft")
                same = one.case == case and alike and one.status != "rejected"
                if number == base or (same and one.replaced is None and number != made):
                    one.replaced = made
        return made

    def record(self, mark: str, text: str) -> None:
        case = self.now.marks[mark]
        self.now.cases[case] += 1
        self.add(case=case, mark=mark, text=text, status="draft", author="record")

    def edit(self, case: int, mark: str | None, text: str, status: str, tags: tuple[str, ...], whole: bool) -> bool:
        base = self.now.answering(case, mark)
        scope = None if whole else mark or (self.now.fixes[base].mark if base else None)
        if base is not None:
            one = self.now.fixes[base]
            if (one.text, one.tags, one.mark) == (text, tags, scope):
                if one.status == "verified" or status == "draft":
                    return False
                return self.verify(case, mark, base)
        self.now.noise.discard(case)
        self.write(case, scope, text, status, tags, base)
        return True

    def verify(self, case: int, mark: str | None, pick: int | None) -> bool:
        before = self.now.answering(case, mark)
        target = before if pick is None else pick
        if target is None:
            return False
        one = self.now.fixes[target]
        if one.status == "verified" and before == target:
            return False
        self.now.noise.discard(case)
        kept = (one.status, one.reason, one.replaced)
        one.status, one.reason, one.replaced = "verified", "", None
        if self.now.answering(case, mark) != target:
            made = self.write(case, one.mark, one.text, "verified", one.tags, before)
            one.status, one.reason, _ = kept
            one.replaced = made
        return True

    def reject(self, case: int, mark: str | None, why: str, everything: bool) -> bool:
        done = False
        while (number := self.now.answering(case, mark)) is not None and (everything or not done):
            for one in self.now.fixes.values():
                if one.case == case and one.text == self.now.fixes[number].text:
                    one.status, one.reason = "rejected", why
            done = True
        return done

    def merge(self, into: int, others: list[int]) -> bool:
        found = [number for case in (into, *others) if (number := self.now.answering(case)) is not None]
        kept = min(found, key=lambda number: self.now.fixes[number].status != "verified", default=None)
        for other in others:
            for table in (self.now.marks, self.now.merged):
                table.update({at: into for at, case in table.items() if case == other})  # type: ignore[arg-type]
            for one in self.now.fixes.values():
                one.case = into if one.case == other else one.case
            self.now.noise.discard(other)
            self.now.cases[into] += self.now.cases.pop(other)
            self.now.merged[other] = into
        if kept is None:
            return True
        best = self.now.fixes[kept]
        if best.mark is not None:
            stands = self.add(
                case=into, mark=None, text=best.text, status=best.status, author=best.author, tags=best.tags
            )
            best.replaced = stands
            kept = stands
        while (first := self.now.answering(into)) not in (None, kept):
            self.now.fixes[first].replaced = kept  # type: ignore[index]
        return True

    def split(self, case: int, marks: list[str], made: int) -> bool:
        """Which errors go; what becomes of the fixes is told by the store (`parted`)."""
        self.last_case = max(self.last_case, made)
        self.now.cases[made] = 0
        for mark in marks:
            self.now.marks[mark] = made
        return True


def parted(before: World, after: World, text: str | None) -> None:
    """What a split may do to fixes: nothing is lost but what a merge wrote twice, and nothing is new but `text`."""
    for number, one in after.fixes.items():
        assert one.mark is None or after.marks[one.mark] == one.case, "with its error"
        assert one.replaced is None or after.fixes[one.replaced].case == one.case, "replaced by one beside it"
        was = before.fixes.get(number)
        if was is None:
            assert (one.text, one.status, one.author, one.mark) == (text, "verified", "kim", None)
        else:
            assert (one.text, one.mark, one.author, one.tags) == (was.text, was.mark, was.author, was.tags)
    for number in before.fixes.keys() - after.fixes.keys():
        gone = before.fixes[number]
        assert gone.mark is None
        copied = [one for one in before.fixes.values() if (one.replaced, one.text) == (number, gone.text)]
        assert [one for one in copied if one.mark is not None]


def state(store: Store) -> World:
    con = store.con
    world = World(
        cases=dict(con.execute("SELECT id, use_count FROM error_kb").fetchall()),
        marks=dict(con.execute("SELECT fingerprint, case_id FROM fingerprint").fetchall()),
        noise={row[0] for row in con.execute("SELECT case_id FROM noise")},
        merged=dict(con.execute("SELECT case_id, into_id FROM merged").fetchall()),
    )
    for case in world.cases:
        found = show_case(store, case, most=-1)
        assert found is not None
        for one in found.resolutions:
            world.fixes[one.id] = Fix(
                case, one.fingerprint, one.text, one.status, one.author, one.reason, one.tags, one.replaced_by
            )
    return world


def exports(store: Store) -> tuple[str, ...]:
    return tuple("".join(export_cases(store, format)) for format in ("jsonl", "csv", "markdown"))


case = st.integers(0, 4)
text = st.sampled_from(TEXTS)
flag = st.booleans()
step = st.one_of(
    st.tuples(st.just("record"), st.sampled_from(range(len(ERRORS))), text),
    st.tuples(st.just("verify"), case, flag, flag),
    st.tuples(st.just("reject"), case, flag, flag),
    st.tuples(st.just("edit"), case, text, st.sampled_from([(), ("a", "태그")]), flag, flag, flag),
    st.tuples(st.just("merge"), case, case),
    st.tuples(st.just("split"), case, st.integers(1, 2), st.none() | text),
    st.tuples(st.just("noise"), case, flag),
    st.tuples(st.just("undo")),
    st.tuples(st.just("undo")),
    st.tuples(st.just("redo")),
)


def act(store: Store, model: Model, what: str, given_to: tuple[Any, ...]) -> tuple[Curated | None, bool]:
    """Do it to both; what the store said, and whether the model says that anything changed."""
    numbers = sorted(model.now.cases)
    one = numbers[given_to[0] % len(numbers)]
    marks = sorted(mark for mark, owner in model.now.marks.items() if owner == one)
    match what:
        case "record":
            record_resolution(store, ERRORS[given_to[0]], given_to[1])
            model.record(MARKS[given_to[0]], given_to[1])
            return None, True
        case "verify":
            pick = min((number for number, fix in model.now.fixes.items() if fix.case == one), default=None)
            mark = marks[0] if given_to[1] and marks else None
            pick = pick if given_to[2] else None
            return verify(store, "kim", [look(store.con, one, mark)], pick=pick), model.verify(one, mark, pick)
        case "reject":
            mark = marks[-1] if given_to[1] and marks else None
            said = reject(store, "kim", [look(store.con, one, mark)], "why", all_of_it=given_to[2])
            return said, model.reject(one, mark, "why", given_to[2])
        case "edit":
            _, words, tags, checked, own, whole = given_to
            mark = marks[0] if own and marks else None
            status = "verified" if checked else "draft"
            said = edit(
                store, "kim", [look(store.con, one, mark)], Written(words, tags=tags), status=status, whole_case=whole
            )
            return said, model.edit(one, mark, words, status, tags, whole)
        case "merge":
            other = numbers[given_to[1] % len(numbers)]
            if other == one:
                with pytest.raises(Fault):
                    merge(store, "kim", look(store.con, one), [look(store.con, other)])
                return None, False
            return merge(store, "kim", look(store.con, one), [look(store.con, other)]), model.merge(one, [other])
        case "split":
            going = marks[: given_to[1]]
            mine = None if given_to[2] is None else Written(given_to[2])
            if len(going) >= len(marks):
                with pytest.raises(Fault):
                    split(store, "kim", look(store.con, one), going, mine)
                return None, False
            keep = [fix.id for fix in shared_fixes(store, one, going)]
            said = split(store, "kim", look(store.con, one), going, mine, keep=keep)
            assert said.made is not None
            model.split(one, going, said.made)
            now = state(store)
            parted(model.now, now, given_to[2])
            model.now.fixes, model.now.noise, model.now.merged = now.fixes, now.noise, now.merged
            model.last_fix = max(model.last_fix, *now.fixes)
            return said, True
        case _:
            seen = [look(store.con, one)]
            if given_to[1]:
                fresh = one not in model.now.noise
                model.now.noise.add(one)
                return mark_noise(store, "kim", seen), fresh
            there = one in model.now.noise
            model.now.noise.discard(one)
            return unmark_noise(store, "kim", seen), there


def sound(store: Store) -> None:
    """Nothing refers to what is gone, and all that is derived agrees with what it is derived from."""
    con = store.con
    assert con.execute("PRAGMA foreign_key_check").fetchall() == []
    for table, column in (("case_state", "case_id"), ("answer_key", "case_id"), ("case_fts", "rowid")):
        assert con.execute(f"SELECT 1 FROM {table} WHERE {column} NOT IN (SELECT id FROM error_kb)").fetchall() == []
    for table in ("vector", "backlog"):
        orphans = f"SELECT 1 FROM {table} WHERE kind = 'error' AND item_id NOT IN (SELECT id FROM error_kb)"
        assert con.execute(orphans).fetchall() == []
    owners = dict(con.execute("SELECT error_normalized, case_id FROM case_key").fetchall())
    marks = dict(con.execute("SELECT fingerprint, case_id FROM fingerprint").fetchall())
    for key in set(KEYS):  # a key leads to a case that has an error of this key
        assert owners[key] in {marks[mark] for mark, of in zip(MARKS, KEYS, strict=True) if of == key}
    assert con.execute(
        "SELECT 1 FROM error_kb WHERE error_normalized NOT IN (SELECT error_normalized FROM case_key)"
    ).fetchall() == []  # fmt: skip


def _record(store: Store) -> None:
    for at, error in enumerate(ERRORS):
        record_resolution(store, error, f"draft {at % 3}")
    with store.transaction():
        for at in range(12):
            observe(
                store.con, identify(ERRORS[at * 3 % len(ERRORS)]), session_id=None, message_idx=None, tool="Bash",
                project=f"/home/me/{at % 4}", ts=f"2027-01-{at % 5 + 10}T00:00:00.000Z", raw=ERRORS[at % 5],
            )  # fmt: skip


@example([("edit", 1, TEXTS[0], (), True, False, True), ("record", 4, TEXTS[1]), ("merge", 0, 2), ("merge", 0, 1)])
@example([("edit", 0, TEXTS[0], (), True, False, True), ("record", 3, TEXTS[1]), ("merge", 0, 1), ("undo",), ("redo",)])
@example([("merge", 0, 1), ("split", 0, 1, None), ("split", 0, 2, TEXTS[0]), ("merge", 1, 0), ("undo",), ("undo",)])
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(step, min_size=1, max_size=12))
def test_any_history_agrees_with_the_model(steps: list[tuple[Any, ...]]) -> None:
    with tempfile.TemporaryDirectory() as folder, new_casebook(Path(folder) / "casebook.db", _record) as store:
        model = Model()
        model.now = state(store)
        model.last_fix, model.last_case = max(model.now.fixes), max(model.now.cases)
        before, first = exports(store), deepcopy(model.now)
        start = whole_history(store).changes[0].change
        for what, *given_to in steps:
            past = deepcopy(model.now)
            if what == "undo":
                if not model.past:
                    continue
                take_back(store, "kim")
                model.undone.append(model.now)
                model.now = model.past.pop()
            elif what == "redo":
                if not model.undone:
                    with pytest.raises(Fault):
                        bring_back(store, "kim")
                    continue
                bring_back(store, "kim")
                model.past.append(model.now)
                model.now = model.undone.pop()
            else:
                said, changed = act(store, model, what, tuple(given_to))
                if said is not None:
                    assert (said.change is not None, bool(said.cases), said.conflicts) == (changed, changed, ())
                if changed:
                    model.past.append(past)
                    model.undone.clear()
            assert state(store) == model.now
            statuses = dict(store.con.execute("SELECT case_id, status FROM case_state").fetchall())
            assert statuses == {number: model.now.status(number) for number in model.now.cases}
            mirror = dict(store.con.execute("SELECT id, resolution FROM error_kb").fetchall())
            wanted = {number: model.now.answering(number) for number in model.now.cases}
            assert mirror == {at: None if fix is None else model.now.fixes[fix].text for at, fix in wanted.items()}
            queue = triage_queue(store)
            assert {row.id for row in queue.cases} == {
                at for at, one in statuses.items() if one in ("unresolved", "draft")
            }
            assert queue.left == len(queue.cases)
            sound(store)
        while model.past:
            take_back(store, "kim")
            model.past.pop()
        assert state(store) == first
        assert exports(store) == before
        assert whole_history(store, 1).changes[0].change >= start


@pytest.mark.parametrize("word", ["alpha", "설정"])
def test_what_was_merged_and_parted_is_found_again(tmp_path: Path, word: str) -> None:
    with open_store(tmp_path / "casebook.db", create=True) as store:
        for error in ERRORS:
            record_resolution(store, error, "a fix")
        found = [hit.id for hit in browse(store, word)]
        merge(store, "kim", look(store.con, 2), [look(store.con, 1), look(store.con, 3)])
        assert [case.id for case in triage_queue(store).cases] == [2]
        assert {change.change for change in case_history(store, 2).changes} >= {1, 2}
        take_back(store, "kim")
        again = [hit.id for hit in browse(store, word)]
        assert again == found != []
        assert all(check.ok for check in store_checks(tmp_path / "casebook.db") if check.name == "counts_match")
