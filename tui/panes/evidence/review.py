"""Decisions about quotes and entries: carried out in order, shown at once, reported in one line; and promotion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from textual.content import Content
from textual.widgets import Static

from core.base.fault import Fault
from tui.panes.common.decisions import Decisions, Returned, writing
from tui.panes.evidence.queries import PROBLEMS, ReadQuote, read_ready
from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import fault_text, inline, title
from tui.render.evidence import draw_promotable, ready_text, summary_of_decisions, summary_of_promotions
from tui.runtime.jobs import Jobs
from tui.widgets.dialogs import Confirm
from tui.widgets.workbench import sheet

if TYPE_CHECKING:
    from core.align import Span
    from core.evidence import Decided, DecidedMany, NamedEntry, PromotedMany, Promotion, QuoteRow
    from core.evidence.rows import State
    from core.store import Store
    from tui.panes.evidence.screen import EvidenceScreen


Act = Literal["accept", "choose", "adjust", "look", "words", "reject"]
DONE: dict[Act, str] = {
    "accept": "accepted",
    "choose": "accepted",
    "adjust": "accepted",
    "look": "accepted at that location",
    "words": "replaced with the words of the source",
    "reject": "rejected",
}


@dataclass(frozen=True, slots=True)
class Decision:
    """One act on a quote as it was seen (`mark`). `number`: the place chosen; `spans`: the place drawn by hand."""

    act: Act
    evidence_id: int
    mark: str
    number: int = 0
    spans: tuple[Span, ...] | None = None
    reason: str = ""
    confirmed: bool = False

    @property
    def state(self) -> Literal["accepted", "rejected"]:
        """What it makes of the quote."""
        return "rejected" if self.act == "reject" else "accepted"


@writing
def decided(store: Store, decision: Decision) -> Decided:
    """Carry it out: one change in the history, unless it is refused."""
    from core import evidence as core
    from core.errors.curation.transaction import person

    one, me = decision, person()
    if one.act == "reject":
        return core.reject(store, me, one.evidence_id, one.reason, expect=one.mark)
    if one.act == "words":
        return core.take_words(store, me, one.evidence_id, one.spans, expect=one.mark)
    if one.act == "choose":
        return core.choose(store, me, one.evidence_id, one.number, confirmed=one.confirmed, expect=one.mark)
    act = "adjust" if one.act == "adjust" else None
    return core.accept(store, me, one.evidence_id, one.spans, confirmed=one.confirmed, expect=one.mark, act=act)


@dataclass(frozen=True, slots=True)
class DecidedAll:
    """What became of several quotes, and which of the entries of those decided can be promoted now."""

    many: DecidedMany
    free: frozenset[str]


@writing
def decided_all(store: Store, rows: Sequence[QuoteRow], reason: str | None) -> DecidedAll:
    """Reject them all for a reason, or (None) accept those that need no question: one change."""
    from core.errors.curation.transaction import person
    from core.evidence import accept_all, promotion_of, reject_all

    me = person()
    seen: list[tuple[int, State]] = [(row.id, row.state) for row in rows]
    many = accept_all(store, me, seen) if reason is None else reject_all(store, me, seen, reason)
    about = {row.entry_id for row in rows if row.id in many.done}
    now = {entry: promotion_of(store.con, entry) for entry in about}
    return DecidedAll(many, frozenset(one for one, its in now.items() if can_be_promoted(its)))


def can_be_promoted(promotion: Promotion) -> bool:
    """Whether an entry waits for nothing but that."""
    return not promotion.promotionBlocked and promotion.stage == "candidate"


@writing
def promoted(store: Store, entry_ids: Sequence[str]) -> PromotedMany:
    """Promote those of these entries that nothing blocks: one change."""
    from core.errors.curation.transaction import person
    from core.evidence import promote_many

    return promote_many(store, person(), entry_ids)


@dataclass(frozen=True, slots=True)
class Named:
    """An entry, and what it is called."""

    id: str
    name: str


def named(row: QuoteRow) -> Named:
    return Named(row.entry_id, inline(row.title, 60).strip() or inline(row.entry_id, 60))


@dataclass(frozen=True, slots=True)
class Ended:
    """How something ended: the quote it was about (None: an entry, an undo), whether it was done, what to say.

    `back`: it was an undo, so that the quote may be one to decide on again. `free`: the entries that can be promoted
    since. `decided`: the marked quotes that were dealt with; those left keep their marks.
    """

    evidence_id: int | None
    done: bool
    message: str
    back: bool = False
    free: tuple[Named, ...] = ()
    decided: frozenset[int] = frozenset()


class Reviewing(Decisions):
    """Carry out decisions; `on_ended` gets each result. Used from the interface's thread only."""

    def __init__(self, jobs: Jobs, signs: Signs, on_ended: Callable[[Ended], object]) -> None:
        super().__init__(jobs)
        self._signs = signs
        self._on_ended = on_ended

    def decide(self, decision: Decision, entry: Named) -> None:
        """On disk in its turn."""
        one = decision.evidence_id

        def ended(done: Decided) -> None:
            if done.refused is not None:
                self._on_ended(Ended(one, False, f"{done.message[:1].upper()}{done.message[1:]}."))
                return
            free = can_be_promoted(done.promotion)
            message = f"#{one} {DONE[decision.act]}"
            message += ", its entry is a candidate again" if done.demoted else ""
            message += self._signs.fill_keys("  {undo.last} undoes")
            self._on_ended(Ended(one, True, message, free=(entry,) if free else ()))

        self.make(decided(decision), ended, lambda fault: self._on_ended(Ended(one, False, fault_text(fault))), [one])

    def decide_all(self, rows: Sequence[QuoteRow], reason: str | None) -> None:
        """Reject them all for one reason, or (None) accept those that need no question; the rest is reported."""
        entries = tuple({row.entry_id: named(row) for row in rows}.values())
        what = "accepted" if reason is None else "rejected"

        def ended(both: DecidedAll) -> None:
            done, free = both.many, tuple(one for one in entries if one.id in both.free)
            message = summary_of_decisions(done, what) + self._signs.fill_keys(
                "  {undo.last} undoes" if done.done else ""
            )
            self._on_ended(Ended(None, not done.left, message, free=free, decided=frozenset(done.done)))

        self.make(decided_all(rows, reason), ended, self._failed, {row.id for row in rows})

    def writes(self, rows: Sequence[QuoteRow]) -> bool:
        """Whether a decision about one of these is still on its way to disk."""
        return any(row.id in self.pending for row in rows)

    def blocked(self, read: ReadQuote | None) -> str:
        """Why the entry of this quote cannot be promoted; empty: it can."""
        if read is None:
            return ""
        promotion = read.quote.promotion
        if promotion.promotionBlocked:
            return f"Its entry stays a candidate. {promotion.promotionBlockReason or 'It cannot be verified.'}"
        return "The entry is already verified." if promotion.stage == "verified" else ""

    def promote(self, entry_ids: Sequence[str], rows: Sequence[QuoteRow] = ()) -> None:
        """Promote these entries, if nothing blocks them; `rows`: the marked quotes that they are of."""

        def ended(found: PromotedMany) -> None:
            went = {one.entry_id for one in found.promoted}
            message = summary_of_promotions(found) + self._signs.fill_keys("  {undo.last} undoes" if went else "")
            done = frozenset(row.id for row in rows if row.entry_id in went)
            self._on_ended(Ended(None, bool(went) and not found.blocked, message, decided=done))

        self.make(promoted(entry_ids), ended, self._failed)

    def take_back(self, *, again: bool = False) -> None:
        """Take back what the person decided last, or bring it back."""

        def ended(what: Returned) -> None:
            at = next(iter(what.quotes), None)  # a promotion leaves one where one is
            self._on_ended(Ended(at, True, f"{'Redone' if again else 'Undone'}: {title(what.title)}", back=True))

        (self.redo if again else self.undo)(ended, self._failed)

    def _failed(self, fault: Fault) -> None:
        self._on_ended(Ended(None, False, fault_text(fault)))


class Outcome:
    """Shows decisions on a screen."""

    def __init__(self, screen: EvidenceScreen) -> None:
        self._screen = screen

    def decided(self, evidence_id: int, state: str) -> None:
        """Off the screen at once, and on to the next; on disk in its turn."""
        screen = self._screen
        quotes = screen.quotes.after(evidence_id, state, screen.quote_filter)
        at = quotes.index_of(evidence_id)
        following = None if at is None else quotes.next_in(PROBLEMS, at)
        row = None if following is None else quotes.get(following)
        screen.put(quotes, row.id if row is not None else None)

    def mark(self) -> None:
        """Mark the chosen quote, or no longer, and on to the next."""
        screen = self._screen
        if (at := screen.chosen_id) is not None:
            following = screen.quotes.get(screen.list.rows.chosen + 1)
            screen.put(screen.quotes.toggled(at), following.id if following is not None else at)

    def mark_all(self) -> None:
        self._screen.put(self._screen.quotes.all_marked(), self._screen.chosen_id)

    def unmark(self) -> bool:
        """No quote is marked any more; False if none was."""
        if not self._screen.quotes.marked:
            return False
        self._screen.put(replace(self._screen.quotes, marked=frozenset()), self._screen.chosen_id)
        return True

    def ended(self, ended: Ended) -> None:
        """On disk, or not done: read again."""
        screen = self._screen
        screen.line.show(ended.message, "information" if ended.done else "warning")
        screen.promoting.on_decision(ended)
        screen.quotes = replace(screen.quotes, marked=screen.quotes.marked - ended.decided)
        if ended.evidence_id is not None and (not ended.done or ended.back):
            screen.quotes = screen.quotes.without(ended.evidence_id, screen.quote_filter)
            screen.wanted = ended.evidence_id
        if screen.is_attached:
            screen.put(screen.quotes, screen.chosen_id)
            screen.again()


class PromoteScreen(Confirm):
    """Ends with whether to promote them."""

    CSS_PATH = sheet("evidence")

    def __init__(self, ready: Sequence[NamedEntry]) -> None:
        count = len(ready)
        title = f"Verify {count:,} ready {'entry' if count == 1 else 'entries'}"
        super().__init__("promote", title, "verifies", draw_promotable(ready))


READY = "evidence-ready"


class Promoting:
    """Which entries are promoted, and what a decision has just made ready."""

    def __init__(self, screen: EvidenceScreen) -> None:
        self._screen = screen
        self._free: tuple[Named, ...] = ()

    def on_decision(self, ended: Ended) -> None:
        """A decision has ended: these entries are ready since."""
        self._free = ended.free

    def forget(self) -> None:
        """Another decision or another quote: nothing is offered any more."""
        self._free = ()

    @property
    def offered(self) -> str:
        """What can be promoted now, and by which key. An entry is named only if its quote is the chosen one."""
        row = self._screen.quotes.get(self._screen.list.rows.chosen)
        here = next((one.name for one in self._free if row is not None and one.id == row.entry_id), "")
        return ready_text(len(self._free), here, self._screen.signs) if self._free else ""

    def promote_marked(self) -> None:
        """Promote the entries of the marked quotes."""
        screen, rows = self._screen, self._screen.quotes.marked_rows
        if screen.reviewing.writes(rows):
            screen.say("Your last decision is still being saved.", "warning")
        else:
            screen.reviewing.promote([named(row).id for row in rows], rows)

    def promote_ready(self) -> None:
        """Count the entries that are ready, of the session and the type that are on, and ask."""
        screen = self._screen
        screen.jobs.run(
            READY, read_ready(screen.quote_filter), self._ask, lambda fault: screen.say(fault.message, "error")
        )

    def _ask(self, ready: tuple[NamedEntry, ...], _final: bool) -> None:
        screen = self._screen
        if not screen.is_current:
            return
        if not ready:
            screen.say("No entry is ready. Every candidate has an open or rejected quote.")
            return

        def answered(yes: bool | None) -> None:
            if yes:
                screen.reviewing.promote([one.entry_id for one in ready])

        screen.app.push_screen(PromoteScreen(ready), answered)


_TONES = {"information": "$cb-soft", "warning": "bold $cb-draft", "error": "bold $cb-bad"}


class MessageLine(Static):
    """Always there, so that nothing moves when something is said."""

    def __init__(self, signs: Signs) -> None:
        super().__init__(id="evidence-line")
        self._signs = signs
        self.message = ""
        self._tone = ""
        self._drawn: object = None

    def show(self, text: str, severity: str = "information") -> None:
        """Say this until the next decision or move."""
        self.message, self._tone = text, _TONES.get(severity, _TONES["information"])

    def forget(self) -> None:
        """Say nothing any more."""
        self.message = ""

    def draw(self, question: str, offered: str, width: int) -> None:
        """Show what there is to say; the part that is cut is the end of what was done, never the key."""
        now = question, self.message, self._tone, offered, width
        if now == self._drawn:
            return
        self._drawn = now
        room = max(8, width - 2)
        if question:
            line = Content.styled(inline(question, room, more=self._signs.more), "bold $cb-draft")
        else:
            dot = f" {self._signs.dot} " if self.message and offered else ""
            left = max(0, room - len(dot) - Content(offered).cell_length)
            text = inline(self.message, left, more=self._signs.more)
            line = Content.assemble((text, self._tone), (dot, "$cb-dim"), (inline(offered, room), "$cb-good"))
        self.set_class(bool(line.plain), "-on")
        self.update(line)
