"""Decisions on cases: done in turn, conflicts shown, texts that could not be saved kept; what can be gone on with."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal

from core.base.fault import Fault
from core.text.redaction import count_masked
from tui.actions.action import Acts, Performs
from tui.panes.common.decisions import Decisions, Returned, writing
from tui.panes.common.pane_screen import push_when_free
from tui.panes.errors.queries import Meaning, Read, read_case
from tui.panes.errors.unsaved import AFTER, UnsavedTexts
from tui.render.common.amounts import counted
from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import fault_text, inline
from tui.runtime.jobs import Job, Jobs, job_work
from tui.runtime.messages import PaneChanged, PaneShowAll
from tui.services.external_editor import edit_outside

if TYPE_CHECKING:
    from core.errors.curation.autosave import Writer
    from core.errors.curation.decisions import Saved
    from core.errors.curation.transaction import Conflict, Curated, SeenVersion, Written
    from core.store import Store
    from tui.panes.errors.history import HistoryScreen
    from tui.panes.errors.screen import ErrorsScreen


Act = Literal["verify", "reject", "edit", "noise", "merge", "split", "general", "project"]

DRAFT_KEPT = "Draft kept. {fix.write} resumes."
"""Said of a text that was not saved; names the key by its action."""

DONE: dict[Act, str] = {
    "verify": "Verified",
    "reject": "Rejected",
    "edit": "Saved",
    "noise": "Marked as noise",
    "merge": "Merged",
    "split": "Split off",
    "general": "Lesson applied to all projects",
    "project": "Lesson applied to its project",
}


@dataclass(frozen=True, slots=True)
class Decision:
    """One act on the cases that were `seen` so, and on the `unseen` ones, of which only a row was before the person.

    `written`: the text for `edit`, `verify` or `split`; `status`: what `edit` makes of it; `pick`: the fix that is
    meant instead of the one that answers; `fingerprints`: what `split` moves, without the fixes `keep`, with the fixes
    `take`; `all_of_it`: `reject` every fix that could answer, `reason`: why. `merge` keeps the first case.
    """

    act: Act
    seen: tuple[SeenVersion, ...]
    unseen: tuple[int, ...] = ()
    written: Written | None = None
    status: Saved = "draft"
    pick: int | None = None
    fingerprints: tuple[str, ...] = ()
    keep: tuple[int, ...] = ()
    take: tuple[int, ...] = ()
    all_of_it: bool = False
    reason: str = ""

    @property
    def cases(self) -> tuple[int, ...]:
        return (*(one.case_id for one in self.seen), *self.unseen)

    def again(self, conflict: Conflict) -> Decision | None:
        """Return the same decision for the case of the conflict, on the version just shown; None if it is gone.

        The fix that they decided on is meant, not the one that has come meanwhile.
        """
        from core.errors.curation.transaction import SeenVersion

        base = conflict.base
        if conflict.reason == "gone":
            if conflict.moved_to is None:
                return None
            if self.act == "merge":
                return self._merging(conflict.case_id, SeenVersion(conflict.moved_to, base.id if base else None))
            return replace(self, seen=(), unseen=(conflict.moved_to,), pick=base.id if base else None)
        now = self.version_in(conflict)
        if self.act == "merge":
            return self._merging(conflict.case_id, now)
        pick = base.id if base is not None and self.written is None else self.pick
        return replace(self, seen=(now,), unseen=(), pick=pick)

    @property
    def first_seen(self) -> SeenVersion:
        """What was seen of the first case; nothing of one of which only a row was."""
        from core.errors.curation.transaction import SeenVersion

        return self.seen[0] if self.seen else SeenVersion(self.unseen[0], None)

    def version_in(self, conflict: Conflict) -> SeenVersion:
        """What a person sees of its case who has the conflict before them."""
        from core.errors.curation.transaction import SeenVersion

        theirs, unseen = conflict.theirs, SeenVersion(conflict.case_id, None)
        seen = next((one for one in self.seen if one.case_id == conflict.case_id), unseen)
        return replace(
            seen,
            resolution_id=theirs.id if theirs else None,
            status=theirs.status if theirs else None,
            text=None,
        )

    def _merging(self, case_id: int, now: SeenVersion) -> Decision | None:
        """All or nothing: the others are still to be merged; None where the one that is left was merged already."""
        cases = {one.case_id: one for one in (now if one.case_id == case_id else one for one in self.seen)}
        return replace(self, seen=tuple(cases.values())) if len(cases) > 1 else None


def decision_on(act: Act, cases: Sequence[int], read: Callable[[int], Read | None]) -> Decision:
    """The act on these cases as they were shown; one of which only the row was shown is looked at again."""
    from core.errors.curation.transaction import version_of

    whole = {case_id: one for case_id in cases if (one := read(case_id)) is not None}
    seen = tuple(version_of(one.case) for one in whole.values())
    return Decision(act, seen, tuple(case_id for case_id in cases if case_id not in whole))


def scope_of_lesson(read: Read) -> Decision | None:
    """Where the lesson of the fix that is shown holds, changed; None where it has none."""
    from core.errors.curation.transaction import version_with

    fix = read.chosen or next((one for one in read.case.resolutions if one.current), None)
    if fix is None or fix.lesson is None:
        return None
    act: Act = "project" if fix.lesson.scope == "general" else "general"
    return Decision(act, (version_with(read.case, read.chosen, read.at),), pick=fix.id)


@dataclass(frozen=True, slots=True)
class Done:
    """What a decision did, how many secrets of its text were masked, and how many drafts a rejection left to decide."""

    curated: Curated
    masked: int = 0
    left: int = 0


@writing
def decided(store: Store, decision: Decision) -> Done:
    """Do it, as one change in the history."""
    from core.errors.curation.decisions import drafts_left
    from core.errors.curation.transaction import look

    seen = [*decision.seen, *(look(store.con, case_id) for case_id in decision.unseen)]
    done = _act(store, decision, seen)
    masked = count_masked(decision.written.text) if done.cases and decision.written else 0
    return Done(done, masked, drafts_left(store, done.cases) if decision.act == "reject" else 0)


def _act(store: Store, decision: Decision, seen: list[SeenVersion]) -> Curated:
    from core.errors.curation.decisions import edit, mark_noise, reject, set_scope, verify
    from core.errors.curation.merging import merge
    from core.errors.curation.splitting import split
    from core.errors.curation.transaction import person

    me, written = person(), decision.written
    if decision.act == "verify":
        return verify(store, me, seen, written, pick=decision.pick)
    if decision.act == "reject":
        return reject(store, me, seen, decision.reason, pick=decision.pick, all_of_it=decision.all_of_it)
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


@job_work
def read_replaced(job: Job[Any]) -> tuple[Conflict, ...]:
    """The fixes in whose place the team put another."""
    from core.flows.team.collect import replaced_fixes

    return replaced_fixes(job.store().con)


@writing
def _agree(store: Store, conflict: Conflict) -> None:
    from core.flows.team.collect import agree_replaced

    if conflict.base is not None:
        agree_replaced(store, conflict.base.id)


def outcome(decision: Decision, made: Done) -> str:
    """What was done, to which case or how many, and what was left as it was, and why."""
    done, masked = made.curated, made.masked
    parts = [_did(decision, done, made.left)] if done.cases else []
    if done.unchanged:
        parts.append(f"{_case_names(done.unchanged)} unchanged")
    if done.conflicts:
        parts.append(f"{_case_names([one.case_id for one in done.conflicts])} not saved (changed elsewhere)")
    if masked:
        parts.append(f"{counted(masked, 'secret')} masked")
    return ", ".join(parts) or "no changes"


def _did(decision: Decision, done: Curated, left: int) -> str:
    done_so = DONE[decision.act].casefold()
    if decision.act == "merge":
        return f"{done_so} {_case_names(decision.cases[1:])} into #{done.cases[0]}"
    if decision.act == "split":
        return f"{done_so} #{done.made} from #{done.cases[0]}"
    if left:
        return f"{done_so} a draft of {_case_names(done.cases)}, {left:,} left"
    more = f" ({len(done.parts):,} more {'leaves' if len(done.parts) == 1 else 'leave'} triage)" if done.parts else ""
    verified = " as verified" if (decision.act, decision.status) == ("edit", "verified") else ""
    return f"{done_so} {_case_names(done.cases)}{verified}{more}"


def _case_names(cases: Sequence[int]) -> str:
    return f"#{cases[0]}" if len(cases) == 1 else f"{len(cases):,} cases"


Reply = Callable[[Returned, str], object]
"""What hears that something was taken or brought back, and how to say it."""

Then = Callable[["Curated | None"], object]
"""What is called once a decision is on disk; None: it could not be made."""


class Curating(Decisions, Performs):
    """Decides, takes back, and opens the screens for it. Used from the interface's thread only."""

    def __init__(
        self,
        jobs: Jobs,
        signs: Signs,
        clock: Callable[[], datetime],
        host: ErrorsScreen,
        meaning: Meaning,
    ) -> None:
        super().__init__(jobs)
        self.meaning = meaning
        self.signs = signs
        self.clock = clock
        self.replaced: tuple[Conflict, ...] = ()  # fixes in whose place the team put another
        self.message = ""  # what became of the last decision, once it is on disk
        self._host = host
        self._making = Lock()
        self._made: Writer | None = None
        self.left_over = UnsavedTexts(
            jobs,
            lambda: self.writer,
            signs,
            self._notify_unsaved,
            self.write_case,
            self._show_text,
            self._notify_changed,
        )

    @property
    def writer(self) -> Writer:
        """This window among those that write; made on first use, in any thread: what it needs takes time to load."""
        from core.errors.curation.autosave import Writer, scratch_folder

        with self._making:
            self._made = self._made or Writer(scratch_folder(self.jobs.path))
            return self._made

    def actions(self) -> Acts:
        """What starts from the case on the screen, by the ids of the registry."""
        read = self._host.case.read
        return {
            "triage.open": self.open_queue,
            "fix.write": lambda: self.write(read),
            "fix.editor": lambda: self.write_outside(read),
            "fix.general": lambda: self.keep_lesson(read),
            "fix.unsaved": self.left_over.go_on,
            "fix.replaced": self.compare_replaced,
            "undo.last": self.take_back,
            "undo.redo": self.bring_back,
            "history.open": lambda: self.open_history(read),
        }

    # Deciding --------------------------------------------------------------------------------------------------------

    def decide(
        self,
        decision: Decision,
        then: Then = lambda _done: None,
        *,
        toast: bool = True,
        about: Iterable[int] = (),
    ) -> None:
        """Carry it out in order; `then` gets the result before a conflict is shown. `toast`: show one at the end.

        `about`: the cases that are pending until then.
        """
        self.message = ""

        def ended(made: Done) -> None:
            done, became = made.curated, outcome(decision, made)
            self.message = became + (self.signs.fill_keys("  {undo.last} undoes") if done.cases else "")
            then(done)
            self._host.watching.renew()  # a decision shows at once, even while others write
            if toast and (done.cases or done.unchanged):
                undo = self.signs.fill_keys(" {undo.last} undoes.") if done.cases else ""
                self.say(f"{became[:1].upper()}{became[1:]}.{undo}")
            self._conflicts(decision, list(done.conflicts), then)

        def failed(fault: Fault) -> None:
            self.message = f"not done: {fault.message}"
            then(None)
            hint = f" {self.signs.fill_keys(DRAFT_KEPT)}" if decision.written else ""
            self.say(f"{fault_text(fault)}{hint}", "error")

        self.make(decided(decision), ended, failed, about)

    def keep_lesson(self, read: Read | None, then: Then = lambda _done: None, *, toast: bool = True) -> None:
        """Let the lesson of the fix hold in every project, or only in its own again."""
        if read is not None and (decision := scope_of_lesson(read)) is not None:
            self.decide(decision, then, toast=toast)

    def take_back(
        self, change: int | None = None, then: Reply | None = None, refused: Callable[[Fault], object] | None = None
    ) -> None:
        """Take back a change, or what the person decided last; `then` hears it and what to say, else a toast does.
        `refused` hears why not, besides a toast."""

        def not_returned(fault: Fault) -> None:
            self._not_returned(fault)
            if refused is not None:
                refused(fault)

        self.undo(self._returned(then), not_returned, change)

    def bring_back(self, then: Reply | None = None) -> None:
        """Bring back what was taken back last."""
        self.redo(self._returned(then), self._not_returned)

    def _returned(self, then: Reply | None) -> Callable[[Returned], None]:
        def ended(returned: Returned) -> None:
            from tui.render.curation import act_of

            word = "Redone" if returned.redone else "Undone"
            dot, (act, about) = f" {self.signs.dot} ", act_of(returned.title)
            message = f"{word}: {dot.join(filter(None, (act, about)))}"
            self.message = f"{word}: {act}{dot}{_case_names(returned.cases)}" if returned.cases else message
            if then is None:
                self.say(message)
            else:
                then(returned, message)
            self._host.watching.renew()

        return ended

    def _not_returned(self, fault: Fault) -> None:
        self.say(fault_text(fault), "warning")

    # Conflicts -------------------------------------------------------------------------------------------------------

    def look_replaced(self) -> None:
        """Look which fixes the team replaced; of one that is new, show a toast."""

        def on_replaced(found: tuple[Conflict, ...], _final: bool) -> None:
            before, self.replaced = {one.case_id for one in self.replaced}, found
            if {one.case_id for one in found} - before:
                what = f"your fix of #{found[0].case_id}" if len(found) == 1 else f"{len(found)} of your fixes"
                self.say(
                    self.signs.fill_keys(f"Your team replaced {what}. In Errors, press {{fix.replaced}} to compare.")
                )
            if len(before) != len(found):
                self._notify_changed()

        self.jobs.run("replaced", read_replaced(), on_replaced, lambda _fault: None, delay=AFTER)

    def compare_replaced(self) -> None:
        """Show each fix that the team replaced, and the team's."""
        from core.errors.curation.transaction import SeenVersion

        pairs = [(one.case_id, one.theirs) for one in self.replaced if one.theirs is not None]
        seen = tuple(SeenVersion(case_id, team.id, team.fingerprint, team.status) for case_id, team in pairs)
        self._conflicts(Decision("verify", seen), [*self.replaced], lambda _done: self.look_replaced(), _agree)

    def _conflicts(
        self, decision: Decision, conflicts: list[Conflict], then: Then, agree: Callable[[Conflict], Any] | None = None
    ) -> None:
        """Show each side by side, one after the other. `agree`: they came from the team, and what ends one."""
        while conflicts and _agreed(decision, conflicts[0]):
            conflicts.pop(0)
            self.say("The same fix was already saved elsewhere.")
        if not conflicts:
            return
        from tui.panes.errors.case_side import ConflictScreen

        conflict = conflicts.pop(0)
        saved = then
        if conflict.mine is not None:  # the workbench may be left before the person has chosen
            saved = self._keep_text(conflict.mine, decision.version_in(conflict), then)

        def chosen(choice: str | None) -> None:
            if choice == "mine" and (again := decision.again(conflict)) is not None:
                self.decide(again, saved)
            elif choice == "write" and (conflict.moved_to or conflict.reason != "gone"):
                self._write_both(conflict)
            elif agree is not None:
                self.make(agree(conflict), then, self._not_returned)
            elif conflict.mine is not None:
                self.say(self.signs.fill_keys(DRAFT_KEPT))
            self._conflicts(decision, conflicts, then, agree)

        dialog = ConflictScreen(decision.act, conflict, self.signs, self.clock(), of_team=agree is not None)
        push_when_free(self._host, dialog, chosen, "A decision conflicts with another. Finish here to compare both.")

    def _write_both(self, conflict: Conflict) -> None:
        from core.errors.curation.autosave import both_versions
        from core.errors.curation.transaction import Written, written_of

        mine = conflict.mine or (written_of(conflict.base) if conflict.base is not None else Written(""))
        theirs = conflict.theirs.text if conflict.theirs is not None else ""
        both = replace(mine, text=both_versions(mine.text, theirs) if theirs else mine.text)
        self.write_case(conflict.moved_to or conflict.case_id, both)

    # Writing ---------------------------------------------------------------------------------------------------------

    def write(self, read: Read | None, start: Written | None = None, *, toast: bool = True) -> None:
        """Open the editor next to the case. `toast`: say what was saved."""
        if read is not None:
            from tui.panes.errors.fix_editor import WritingScreen

            self._host.app.push_screen(WritingScreen(self, read, start, toast=toast), lambda _ended: self._changed())

    def write_case(self, case_id: int, start: Written | None = None) -> None:
        """The same, of a case that is still to be read."""

        def opened(read: Read | None, _final: bool) -> None:
            if read is None:
                self.say("This case was deleted.", "warning")
            else:
                self.write(read, start)

        self.jobs.run("curate-case", read_case(case_id), opened, lambda fault: self.say(fault.message, "error"))

    def write_outside(self, read: Read | None, then: Then = lambda _done: None, *, toast: bool = True) -> None:
        """Edit the fix in the user's editor and save it, unless another change came first. `toast`: say what."""
        if read is None:
            return
        from core.errors.curation.autosave import three_way
        from core.errors.curation.transaction import Written, version_with, written_of

        seen = version_with(read.case, read.chosen, read.at)
        base = next((one for one in read.case.resolutions if one.id == seen.resolution_id), None)
        before = written_of(base) if base is not None else Written(read.case.resolution or "")
        text, why = edit_outside(self._host.app, os.environ, before.text, read.case)
        if text is None:
            self.say(why, "warning")
            return
        if three_way(before.text, text, before.text).verdict == "same":
            self.say("No changes to save.")
        elif not text.strip():
            self.say("The fix is empty, so it was not saved. Use reject to discard a fix.", "warning")
        else:
            written = replace(before, text=text)
            ended = self._keep_text(written, seen, then, apart=True)
            if why:  # the person did not end it: no decision
                self.say(self.signs.fill_keys(f"{why} {{fix.write}} opens it."), "warning")
            else:
                status = base.status if base is not None and base.status == "verified" else "draft"
                self.decide(Decision("edit", (seen,), written=written, status=status), ended, toast=toast)

    def _keep_text(self, written: Written, seen: SeenVersion, then: Then, *, apart: bool = False) -> Then:
        """Keep a text next to the casebook until a decision has saved it: what comes then, and after it `then`.

        `seen`: what the person compared it with. `apart`: an earlier draft of the case stays.
        """

        def work(_job: Job[Any]) -> None:
            from core.errors.curation.autosave import Scratch

            one = Scratch(seen.case_id, "", written, seen.resolution_id, seen.fingerprint, key=seen.key)
            self.writer.keep(one, apart=apart)

        def ended(done: Curated | None) -> None:
            then(done)
            if done is not None and not done.conflicts:
                self.in_scratch(lambda _job: self.writer.drop(seen.case_id), self._not_returned)

        self.in_scratch(work, lambda fault: self.say(fault.message))
        return ended

    def in_scratch(self, work: Callable[[Job[None]], None], failed: Callable[[Fault], None]) -> None:
        """Save or delete an unfinished draft in order, then look for drafts to resume."""
        self.jobs.run("scratch", work, lambda _done, _final: self.left_over.look(), failed, keep=True)

    # Screens ---------------------------------------------------------------------------------------------------------

    def open_queue(self) -> None:
        """Open triage on the cases that match the filter, at the case that was opened or found."""
        from tui.panes.errors.triage import TriageScreen

        filters = self._host.results.scope.filters()
        if filters.status not in (None, "draft", "unresolved"):
            filters = replace(filters, status=None)
        self._host.app.push_screen(TriageScreen(self, filters, _sought(self._host)), lambda _ended: self._changed())

    def open_history(self, read: Read | None) -> None:
        """Show changes, authors and times."""
        from tui.panes.errors.history import HistoryScreen

        self.show_history(HistoryScreen(self, None if read is None else read.case.id))

    def show_history(self, history: HistoryScreen) -> None:
        self._host.app.push_screen(history, lambda _ended: self._changed())

    def say(self, text: str, severity: str = "information", seconds: float = 5) -> None:
        """A toast: inert text, no markup."""
        self._host.app.notify(inline(text, 400), markup=False, severity=severity, timeout=seconds)  # pyright: ignore[reportArgumentType]

    def _notify_unsaved(self, text: str) -> None:
        self.say(text, "warning", 12)

    def _show_text(self, heading: str, text: str) -> None:
        self._host.post_message(PaneShowAll(heading, text))

    def _changed(self) -> None:
        self.left_over.look()
        self._notify_changed()

    def _notify_changed(self) -> None:
        self._host.post_message(PaneChanged())


def _agreed(decision: Decision, conflict: Conflict) -> bool:
    """Return whether the current fix equals the intended one."""
    from core.errors.curation.autosave import three_way

    if decision.act != "edit" or conflict.mine is None or conflict.theirs is None:
        return False
    base = conflict.base.text if conflict.base is not None else ""
    return three_way(base, conflict.mine.text, conflict.theirs.text).verdict == "agreed"


def _sought(host: ErrorsScreen) -> int | None:
    """The case that was opened or found; None: the one on the screen is only the first of the list."""
    sought = host.focus_part in ("case", "why") or host.results.query_text
    return host.case.read.case.id if sought and host.case.read else None
