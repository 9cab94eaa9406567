"""A decision as a value: what is to be done, on what the person saw. Jobs do it, and it can be made again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from tui.runtime.jobs import Job

if TYPE_CHECKING:
    from core.errors.curation.decisions import Saved
    from core.errors.curation.transaction import Conflict, Curated, Seen, Written
    from core.store import Store
    from tui.panes.errors.queries import Read

Act = Literal["verify", "reject", "edit", "noise", "merge", "split", "general", "project"]

DONE: dict[Act, str] = {
    "verify": "Verified",
    "reject": "Rejected",
    "edit": "Saved",
    "noise": "Marked as noise",
    "merge": "Merged",
    "split": "Split off",
    "general": "Kept for every project",
    "project": "Kept for its project",
}


@dataclass(frozen=True, slots=True)
class Decision:
    """One act on the cases that were `seen` so, and on the `unseen` ones, of which only a row was before the person.

    `written`: the text for `edit`, `verify` or `split`; `status`: what `edit` makes of it; `pick`: the fix that is
    meant instead of the one that answers; `fingerprints`: what `split` moves, without the fixes `keep`, with the fixes
    `take`; `all_of_it`: `reject` every fix that could answer. `merge` keeps the first case.
    """

    act: Act
    seen: tuple[Seen, ...]
    unseen: tuple[int, ...] = ()
    written: Written | None = None
    status: Saved = "draft"
    pick: int | None = None
    fingerprints: tuple[str, ...] = ()
    keep: tuple[int, ...] = ()
    take: tuple[int, ...] = ()
    all_of_it: bool = False

    @property
    def cases(self) -> tuple[int, ...]:
        """The cases it is about."""
        return (*(one.case_id for one in self.seen), *self.unseen)

    def again(self, conflict: Conflict) -> Decision | None:
        """The same for the case of the conflict, now that the person has seen what stands there; None if it is gone.

        The fix that they decided on is meant, not the one that has come meanwhile.
        """
        from core.errors.curation.transaction import Seen

        base, theirs = conflict.base, conflict.theirs
        if conflict.reason == "gone":
            if conflict.moved_to is None:
                return None
            if self.act == "merge":
                return self._merging(conflict.case_id, Seen(conflict.moved_to, base.id if base else None))
            return replace(self, seen=(), unseen=(conflict.moved_to,), pick=base.id if base else None)
        mark = next((one.fingerprint for one in self.seen if one.case_id == conflict.case_id), None)
        now = Seen(conflict.case_id, theirs.id if theirs else None, mark, theirs.status if theirs else None)
        if self.act == "merge":
            return self._merging(conflict.case_id, now)
        pick = base.id if base is not None and self.written is None else self.pick
        return replace(self, seen=(now,), unseen=(), pick=pick)

    def _merging(self, case_id: int, now: Seen) -> Decision | None:
        """All or nothing: the others are still to be merged; None where the one that is left was merged already."""
        cases = {one.case_id: one for one in (now if one.case_id == case_id else one for one in self.seen)}
        return replace(self, seen=tuple(cases.values())) if len(cases) > 1 else None


def decision_on(act: Act, cases: Sequence[int], read: Callable[[int], Read | None]) -> Decision:
    """The act on these cases as they were shown; one of which only the row was shown is looked at again."""
    from core.errors.curation.transaction import seen_of

    whole = {case_id: one for case_id in cases if (one := read(case_id)) is not None}
    seen = tuple(seen_of(one.case) for one in whole.values())
    return Decision(act, seen, tuple(case_id for case_id in cases if case_id not in whole))


def scope_of_lesson(read: Read) -> Decision | None:
    """Where the lesson of the fix that is shown holds, changed; None where it has none."""
    from core.errors.curation.transaction import seen_with

    fix = read.shown or next((one for one in read.case.resolutions if one.current), None)
    if fix is None or fix.lesson is None:
        return None
    act: Act = "project" if fix.lesson.scope == "general" else "general"
    return Decision(act, (seen_with(read.case, read.shown, read.at),), pick=fix.id)


def decided(decision: Decision) -> Callable[[Job[Curated]], Curated]:
    """Do it, as one change in the history."""

    def work(job: Job[Any]) -> Curated:
        from core.errors.curation.transaction import look
        from core.store import faults, open_store

        with open_store(job.lane.path, write=True) as store, faults(job.lane.path):
            seen = [*decision.seen, *(look(store.con, case_id) for case_id in decision.unseen)]
            return _act(store, decision, seen)

    return work


def _act(store: Store, decision: Decision, seen: list[Seen]) -> Curated:
    from core.errors.curation.decisions import edit, mark_noise, reject, set_scope, verify
    from core.errors.curation.merging import merge
    from core.errors.curation.splitting import split
    from core.errors.curation.transaction import person

    me, written = person(), decision.written
    if decision.act == "verify":
        return verify(store, me, seen, written, pick=decision.pick)
    if decision.act == "reject":
        return reject(store, me, seen, pick=decision.pick, all_of_it=decision.all_of_it)
    if decision.act in ("general", "project"):
        return set_scope(store, me, seen, decision.act, pick=decision.pick)
    if decision.act == "noise":
        return mark_noise(store, me, seen)
    if decision.act == "merge":
        return merge(store, me, seen[0], seen[1:])
    if decision.act == "split":
        return split(store, me, seen[0], decision.fingerprints, written, keep=decision.keep, take=decision.take)
    assert written is not None
    return edit(store, me, seen, written, status=decision.status)
