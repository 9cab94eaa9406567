"""The triage screen: the queue of cases that wait for a decision, and the selected case."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.screen import ModalScreen

from core.base.fault import Fault
from tui.actions.action import Acts, Performs, Situation
from tui.actions.registry import bindings
from tui.panes.common.decisions import Returned
from tui.panes.common.list_pane import ListView
from tui.panes.errors.actions import CaseNow
from tui.panes.errors.case_side import CaseSide
from tui.panes.errors.curation import Act, Curating, Decision, decision_on
from tui.panes.errors.merge_split import Parting, ask_errors, ask_merge
from tui.panes.errors.queries import Read, read_case
from tui.panes.errors.queue import PAGE, Entry, Joins, Queue, Waiting, read_queue
from tui.render.case_list import TOOL_CELLS, list_lines, tool_cells
from tui.render.common.amounts import counted
from tui.render.common.empty_states import Notice, of_fault
from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import inline
from tui.render.curation import draw_entry
from tui.runtime.jobs import Job, Jobs, job_work
from tui.services.db_watch import Following, files_at, staying, watch
from tui.widgets.row_list import RowList
from tui.widgets.workbench import KeyFooter, fit_size, sheet, workbench

if TYPE_CHECKING:
    from core.errors import Filters
    from core.errors.curation.merging import MergePreview
    from core.errors.curation.transaction import Curated


AHEAD = 12
"""Cases read whole ahead of the chosen one, so that the next is there when this one is decided."""


@dataclass(frozen=True, slots=True)
class WholeCase:
    """A case read whole; None if it is gone."""

    case_id: int
    read: Read | None


@job_work
def read_ahead(job: Job[Any], cases: tuple[int, ...]) -> WholeCase | None:
    """Read these cases whole, handing over each as it comes."""
    for case_id in cases:
        job.partial(WholeCase(case_id, read_case(case_id)(job)))
    return None


LANE = "triage-case"


class Ahead:
    """The cases read so far; `came` gets each new one. A decided or changed case is dropped."""

    def __init__(self, jobs: Jobs, came: Callable[[int], object], failed: Callable[[Fault], None]) -> None:
        self._jobs = jobs
        self._came = came
        self._failed = failed
        self._reads: dict[int, Read | None] = {}
        self._reading: set[int] = set()

    def get(self, case_id: int | None) -> Read | None:
        return None if case_id is None else self._reads.get(case_id)

    def forget(self, cases: Iterable[int]) -> None:
        """These are to be read again; what is being read of them now may be from before the change."""
        for case_id in cases:
            self._reads.pop(case_id, None)
            self._reading.discard(case_id)

    def want(self, cases: tuple[int, ...]) -> None:
        """Read these, the first of them soonest; read nothing while enough are there."""
        ahead = cases[:AHEAD]
        lacking = tuple(one for one in ahead if one not in self._reads)
        if lacking and (len(lacking) > AHEAD // 2 or lacking[0] == ahead[0] or len(ahead) < AHEAD):
            self._reading = set(lacking)
            self._jobs.run(LANE, read_ahead(lacking), self._read, self._failed)

    def _read(self, one: WholeCase | None, _final: bool) -> None:
        if one is not None and one.case_id in self._reading:
            self._reads[one.case_id] = one.read
            self._came(one.case_id)


class QueueView(ListView):
    """Shows a queue; its frame has the result of the last decision (`message`) until a case is selected."""

    def __init__(self, signs: Signs, clock: Callable[[], datetime], message: Callable[[], str]) -> None:
        super().__init__(("triage-list", "triage-rows", "triage-notice"), self._paint)
        self._signs = signs
        self._clock = clock
        self.trouble = ""  # why it could not be read again
        self._message = message
        self._read: Waiting | None = None
        self._tool = TOOL_CELLS
        self._lines: list[str] = []
        self._into: int | None = None  # which of the marked ones a merge keeps

    def show(self, queue: Queue, at: int) -> None:
        """Show this queue, row `at` chosen, the others where they are."""
        top = round(self.rows.scroll_y)
        if queue.read is not self._read:
            self._read, self._tool = queue.read, tool_cells(queue.read.rows)
            self._lines = list_lines(queue.read.rows)
        self.rows.renew(queue, at, top)
        self.rows.reveal()
        self.body.show_notice(None if queue.total else _empty_queue(queue.remaining))
        self.caption(queue)

    def caption(self, queue: Queue) -> None:
        """How many wait, above; what was decided last, or how many are marked and what `M` joins, below."""
        self.border_title = Content(f"Triage {self._signs.dot} {counted(queue.remaining, 'incident')} left")
        self.border_subtitle = Content(inline(self.trouble or self._message(), 200))
        joins = queue.joins(self.rows.chosen) if queue.marked else None
        if joins is not None:
            self.border_subtitle = Content(inline(_marked(joins, self._signs), 200))
        into = joins.into.id if joins is not None and joins.others else None
        if into != self._into:
            self._into = into
            self.rows.repaint_rows()

    def _paint(self, row: Hashable | None, width: int, chosen: bool) -> Content:
        if not isinstance(row, Entry):
            return Content("")
        mark = "stays" if row.row.id == self._into else "marked" if row.marked else "skipped" if row.skipped else ""
        now, signs = self._clock(), self._signs
        return draw_entry(
            row.row, width, signs, now, chosen=chosen, mark=mark, part=row.part, lines=self._lines, tool=self._tool
        )


def _marked(joins: Joins, signs: Signs) -> str:
    """How many are marked, and what a merge would join: which number goes into which, and its name."""
    many = f"{len(joins.others):,}" if joins.others[1:] else f"#{joins.others[0]}" if joins.others else "another"
    merge = f"  {{triage.merge}} merges {many} into #{joins.into.id}"
    count = f"{len(joins.others) + 1:,} selected"
    return count if signs.lacks(merge) else f"{count}{signs.fill_keys(merge)} {joins.into.key_line}"


def _empty_queue(left: int) -> Notice:
    if left:
        return Notice("Loading triage")
    steps = (("{undo.last}", "undo the last decision"), ("{triage.back}", "show the cases"))
    return Notice("Triage is empty", "No incident needs a decision. The list of cases shows every case.", steps)


_SOON = 0.05
"""Seconds of quiet after a decision before the queue is read again."""
_UNREAD = "The case is still loading."


class TriageScreen(Performs, ModalScreen[None]):
    """The queue on the left, the case to decide on its right."""

    CSS_PATH = sheet("curation")
    BINDINGS = bindings("triage")

    def __init__(self, curating: Curating, filters: Filters, start: int | None = None) -> None:
        super().__init__()
        self._curating = curating
        self._filters = filters
        self.queue = Queue()
        self._wanted = start  # the case to go to once it is read, or waits again
        self._lost: tuple[int, int | None] | None = None  # a case that others decided, and the one in its place
        self._behind: dict[int, int] = {}  # cases that were split off here, and from which one
        self._acted = False  # whether the next reading follows an act of this screen
        self._sorts_next = False  # whether the next reading puts the rows in the order of the queue
        self._ahead = Ahead(curating.jobs, self._on_arrival, self._failed)
        curating.message = ""
        self._view = QueueView(curating.signs, curating.clock, lambda: curating.message)
        self.rows = self._view.rows
        self.case = CaseSide(curating.jobs, curating.signs, curating.clock)
        self._keys = KeyFooter(curating.signs, self.situation())

    def compose(self) -> ComposeResult:
        fit_size(self)
        with Container(id="triage-body"):
            yield self._view
            yield self.case
        yield self._keys

    def on_mount(self) -> None:
        """Read the queue, and again after each write."""
        self.rows.focus()
        jobs = self._curating.jobs
        before = files_at(jobs.path)
        self._load()
        following = Following(jobs, ("triage", LANE), self._load, self.set_timer)
        jobs.run("triage-watch", watch(before), lambda _change, _final: following.changed(), lambda _fault: None)

    def on_unmount(self) -> None:
        """Drop pending reads; decisions are still carried out."""
        for lane in ("triage", LANE, "triage-watch"):
            self._curating.jobs.cancel(lane)

    def situation(self) -> Situation:
        return CaseNow(
            "triage",
            rows=self.queue.total,
            reading=self.case.has_focus,
            case_open=self.case.read is not None,
            has_fix=self.case.fix is not None,
            lesson=self.case.fix is not None and self.case.fix.lesson is not None,
            waiting=self.queue.total,
            marked=len(self.queue.marked),
        )

    # Reading ---------------------------------------------------------------------------------------------------------

    def _load(self, delay: float = 0.0, *, more: int = 0) -> None:
        if more and self._curating.jobs.busy("triage"):
            return
        shown = () if self._sorts_next else tuple(row.id for row in self.queue.read.rows)
        work = read_queue(self._filters, self.queue.total + more, shown)
        self._curating.jobs.run("triage", work, self._loaded, self._failed, delay=delay)

    def _reload(self) -> None:
        """Read the queue again, in its own order."""
        self._sorts_next = True
        self._load()

    def _loaded(self, waiting: Waiting, _final: bool) -> None:
        before = {row.id: row for row in self.queue.read.rows}
        changed = [row.id for row in waiting.rows if before.get(row.id, row) != row]
        self._ahead.forget(case_id for case_id in changed if case_id != self._chosen_id)
        wanted, self._wanted, self._view.trouble = self._wanted, None, ""
        if not self._sorts_next:
            waiting = waiting.in_place(self.queue.read, self._behind)
        self._sorts_next = False
        queue, chosen = self.queue.renewed(waiting, self._curating.pending), self._chosen_id
        if queue.index_of(wanted) is not None:
            self._put(queue, wanted)
        else:
            with staying(self.rows):
                self._put(queue, chosen)
            if chosen is not None and queue.index_of(chosen) is None and not self._acted:
                self._lost = chosen, self._chosen_id
        self._acted = False

    def _failed(self, fault: Fault) -> None:
        if not self.queue.total:
            self._view.body.show_notice(of_fault(fault))
            return
        self._view.trouble = of_fault(fault).what
        self._view.caption(self.queue)

    @property
    def _chosen_id(self) -> int | None:
        return None if (one := self.queue.get(self.rows.chosen)) is None else one.row.id

    def _put(self, queue: Queue, case_id: int | None = None) -> None:
        """Show this queue: at this case if it is there, else at the next that was not skipped."""
        if not self.rows.is_attached:
            return  # the screen is being left
        at = queue.index_of(case_id)
        if at is None:
            at = queue.next_from(min(self.rows.chosen, max(0, queue.total - 1)))
        self.queue = queue
        self._view.show(queue, at)
        self._show()

    def _show(self) -> None:
        """Show the chosen case as soon as it is read, and read on ahead."""
        at = self.rows.chosen
        self._ahead.want(tuple(entry.row.id for entry in self.queue.rows[at : at + AHEAD]))
        self._on_arrival(self._chosen_id)

    def _on_arrival(self, case_id: int | None) -> None:
        if case_id == self._chosen_id:
            pending = case_id in self._curating.pending
            read = None if pending else self._ahead.get(case_id)
            self.case.show(read, "" if case_id is None or read is not None else "Loading the draft")
            self._keys.situation = replace(self.situation(), around=workbench(self).situation().around)

    def on_descendant_focus(self) -> None:
        self._keys.situation = replace(self.situation(), around=workbench(self).situation().around)

    # Deciding --------------------------------------------------------------------------------------------------------

    def actions(self) -> Acts:
        return {
            **self.case.actions(),
            "triage.accept": lambda: self._decide("verify"),
            "triage.reject": lambda: self._decide("reject"),
            "triage.reject_all": lambda: self._decide("reject", all_of_it=True),
            "triage.reject_why": self._reject_why,
            "triage.noise": lambda: self._decide("noise"),
            "triage.skip": self._skip,
            "triage.mark": self._mark,
            "triage.mark_all": lambda: self._put(self.queue.all_marked(), self._chosen_id),
            "triage.merge": self._merge,
            "triage.split": self._split,
            "triage.all": lambda: self.case.perform("case.all"),
            "triage.back": self._back,
            "list.back": self._back,
            "list.open": self.case.focus,
            "case.back": self._view.body.take_focus,
            "view.reload": self._reload,
            "fix.write": lambda: self._curating.write(self.case.read, toast=False),
            "fix.editor": lambda: self._curating.write_outside(
                self.case.read, lambda done: self._ended((), done), toast=False
            ),
            "fix.general": lambda: self._curating.keep_lesson(
                self.case.read, lambda done: self._ended((), done), toast=False
            ),
            "undo.last": lambda: self._curating.take_back(None, self._returned),
            "undo.redo": lambda: self._curating.bring_back(self._returned),
            "history.open": lambda: self._curating.open_history(self.case.read),
        }

    def _reject_why(self) -> None:
        from tui.panes.errors.merge_split import AskReason

        def answered(reason: str | None) -> None:
            if reason is not None:
                self._decide("reject", reason=reason)

        self.app.push_screen(AskReason(), answered)

    def _decide(self, act: Act, *, all_of_it: bool = False, reason: str = "") -> None:
        """Decide on all that is marked, else on the case on the screen; never on one that is not shown yet."""
        marked = self.queue.marked
        if not marked and self.case.read is None:
            self._curating.say(_UNREAD, "warning")
            return
        lost, self._lost = self._lost, None
        if not marked and lost is not None and lost[1] == self._chosen_id:  # the key was meant for the case before
            self._curating.say(f"Case {lost[0]} left the queue. To decide on the next case, press again.", "warning")
            return
        cases = marked or frozenset({self.case.read.case.id} if self.case.read else ())
        order = [one.row.id for one in self.queue.rows if one.row.id in cases]
        self._do(replace(decision_on(act, order, self._ahead.get), all_of_it=all_of_it, reason=reason))

    def _do(self, decision: Decision) -> None:
        """Off the screen at once, and on to the next; on disk in its turn."""
        cases = decision.cases
        if not cases:
            return
        self._curating.decide(decision, lambda done: self._ended(cases, done), toast=False, about=cases)
        if _has_drafts_left(decision, self.case.read):
            self._on_arrival(self._chosen_id)  # its next draft is shown as soon as this one is rejected
            self._view.caption(self.queue)
        else:
            left = self.queue.without(cases)
            self._put(left, self._next_case(left, alone=len(cases) == 1))

    def _next_case(self, left: Queue, *, alone: bool) -> int | None:
        """The next case in what is `left`: the chosen one if it stays, else the next behind it."""
        if left.index_of(self._chosen_id) is not None:
            return self._chosen_id
        if alone:
            return self.queue.behind(self.rows.chosen)
        rest = self.queue.rows[self.rows.chosen + 1 :]
        return next((one.row.id for one in rest if not one.skipped and left.index_of(one.row.id) is not None), None)

    def _ended(self, cases: tuple[int, ...], done: Curated | None) -> None:
        """On disk, or not done: say which, and read again what waits."""
        self._ahead.forget((*cases, *(done.cases if done is not None else ())))
        if done is not None and done.made is not None:
            self._behind[done.made] = done.cases[0]
        if done is not None and done.unchanged:
            self._curating.say(f"{counted(len(done.unchanged), 'case')} had no fix to accept or reject.", "warning")
        merged = done is not None and done.act == "merge" and done.cases  # then the others are gone for good
        if not merged and set(cases) - set(done.cases if done is not None else ()):
            self._wanted = self._wanted or self._chosen_id  # restored cases may be above it
            self.queue = self.queue.settled(cases)
        self._acted = True
        if self.is_attached:
            self._view.caption(self.queue)
            self._load(_SOON)

    def _returned(self, returned: Returned, _summary: str) -> None:
        """Something was taken back: its cases wait again. The cursor stays on one of them, else goes to the first."""
        cases, chosen = returned.cases, self._chosen_id  # read first: a restored row above it moves the rows
        self._ahead.forget(cases)
        self.queue = self.queue.settled(cases)
        self._wanted, self._acted = chosen if chosen in cases else next(iter(cases), None), True
        if self.is_attached:
            self._load()

    def _skip(self) -> None:
        if (case_id := self._chosen_id) is not None:
            self._curating.message = ""  # it was about the decision before
            queue = self.queue.passed(case_id)
            if (following := queue.behind(self.rows.chosen)) is None and (first := queue.get(queue.next_from(0))):
                following = first.row.id
            self._put(queue, following)

    def _mark(self) -> None:
        if (case_id := self._chosen_id) is not None:
            following = self.queue.get(self.rows.chosen + 1)
            self._put(self.queue.toggled(case_id), following.row.id if following is not None else case_id)

    def _merge(self) -> None:
        """The marked ones are one case; with none or one marked, another one is picked."""
        if (joins := self.queue.joins(self.rows.chosen)) is None:
            return
        here = joins.into.id == self._chosen_id
        if (read := self.case.read if here else self._ahead.get(joins.into.id)) is None and here:
            self._curating.say(_UNREAD, "warning")
            return
        known = None if read is None else read.case
        ask_merge(self.app, self._curating, joins.into.id, joins.others, self._merged, known)

    def _merged(self, preview: MergePreview) -> None:
        self._join(Decision("merge", preview.seen), self.queue.unmarked())

    def _split(self) -> None:
        from core.errors.curation.transaction import version_of

        if (read := self.case.read) is None:
            return

        def picked(parting: Parting) -> None:
            seen = (version_of(read.case),)
            act = Decision("split", seen, fingerprints=parting.errors, keep=parting.keep, take=parting.take)
            self._join(act, self.queue)

        ask_errors(self.app, self._curating, read.case, picked)

    def _join(self, decision: Decision, queue: Queue) -> None:
        """Merge others into a case or split some of its errors off; the case is on the screen then."""
        into, *others = decision.cases
        self._curating.decide(decision, lambda done: self._ended(tuple(others), done), toast=False, about=others)
        self._put(queue.without(others), into)

    def _back(self) -> None:
        if self.queue.marked:
            self._put(self.queue.unmarked(), self._chosen_id)
        elif self.is_current:
            self.dismiss()

    def on_screen_resume(self) -> None:
        """Back from another screen, where something may have been decided."""
        self._acted, self._lost = True, None
        if self.queue.read.rows:
            self._ahead.forget(() if (case_id := self._chosen_id) is None else (case_id,))
            self._load()

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        event.stop()
        if self.queue.read.more and event.index + 50 > self.queue.total:
            self._load(more=PAGE)
        self._view.caption(self.queue)
        self._show()

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        event.stop()
        self.case.focus()


def _has_drafts_left(decision: Decision, read: Read | None) -> bool:
    """Return whether the case on the screen has another fix after a rejection: then it stays in the queue."""
    if read is None or decision.act != "reject" or decision.all_of_it or decision.cases != (read.case.id,):
        return False
    from core.errors.lessons import deed

    fixes = (one for one in read.case.resolutions if one.status != "rejected" and one.replaced_by is None)
    return len({deed(one.text, one.lesson) for one in fixes}) > 1
