"""The places of a quote in its session: found, chosen, widened, accepted or rejected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input, Static
from textual.widgets.input import Selection

from tui.panes.evidence.actions import PLACES_CHOSEN
from tui.panes.evidence.queries import Compared, ReadQuote
from tui.panes.evidence.quotes import ViewedPlace
from tui.panes.evidence.review import Act, Decision, named
from tui.render.common.glyphs import Signs
from tui.render.evidence import draw_found_span, flat
from tui.runtime.jobs import DEBOUNCE, Job, Jobs, job_work
from tui.widgets.dialogs import AskLine, LinePicker
from tui.widgets.inputs import LineBox
from tui.widgets.workbench import sheet

if TYPE_CHECKING:
    from core.align import Span, ViewCache
    from core.evidence import MessageText, Quote, Seen
    from tui.panes.evidence.screen import EvidenceScreen


MOST = 100
"""Places that are listed."""


@dataclass(frozen=True, slots=True)
class Hits:
    """Results for some words. `cache`: the normalized messages, for the next search (one job at a time)."""

    words: str
    seen: tuple[Seen, ...] = ()
    cache: ViewCache | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class ChosenPlace:
    """A place that a person chose, with the message it lies in."""

    seen: Seen
    message: MessageText


@job_work
def search(job: Job[Any], session: str, evidence_id: int, near: int, words: str, cache: ViewCache | None) -> Hits:
    """Return the places of the words in the session, the message `near` first; for a number alone, the possible places
    of the quote in that message."""
    from core.align import ViewCache
    from core.evidence import find_in_session, look_in

    words_stripped, held, store = words.strip(), cache or ViewCache(), job.store()
    seen = find_in_session(
        store, session, words_stripped, near=near, limit=MOST, cancelled=lambda: job.stopped, cache=held
    )
    if words_stripped.isascii() and words_stripped.isdecimal() and len(words_stripped) < 10:
        seen = (*look_in(store, evidence_id, int(words_stripped)), *seen)[:MOST]
    return Hits(words, seen, held)


@job_work
def rarest(job: Job[Any], session: str, quote: str) -> Hits:
    """The words of the quote to begin with, not looked for yet."""
    from core.align import ViewCache
    from core.evidence import rarest_words

    held = ViewCache()
    words = rarest_words(job.store(), session, quote, cancelled=lambda: job.stopped, cache=held)
    return Hits(words, cache=held)


@job_work
def with_message(job: Job[Any], session: str, seen: Seen) -> ChosenPlace | None:
    """The place with its message; None where it is gone."""
    from core.evidence import show_message

    message = show_message(job.store(), session, seen.span.message_index)
    return None if message is None else ChosenPlace(seen, message)


LANE = "evidence-find"
_HELP = "enter opens it, esc closes"
_NO_WORD = "no word of the quote is in this session · "


class FindScreen(LinePicker[ChosenPlace]):
    """Ends with the place to look at, or with None."""

    CSS_PATH = sheet("evidence")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pagedown", "move(8)", "Next page", priority=True),
        Binding("pageup", "move(-8)", "Previous page", priority=True),
    ]

    def __init__(self, jobs: Jobs, signs: Signs, quote: Quote) -> None:
        box = Input(placeholder="Words or a message number", max_length=2_000)
        about = Static(Content.assemble(("quote  ", "$cb-dim"), (flat(quote.quote)[:400], "$cb-soft")), id="find-about")
        super().__init__("find", "Find in session", _HELP, box, "find-lines", about)
        self._jobs = jobs
        self._signs = signs
        self._quote = quote
        self._hits = Hits("")
        self._fallback = ""  # the message that is searched if the quote and the session have no word in common
        self._chosen = ""  # the words whose first place Enter requested before the search had finished
        self._cache: ViewCache | None = None  # whatever a job still has is not used again

    def on_mount(self) -> None:
        """Begin with the rarest words of the quote, which the first key replaces."""
        self._jobs.run(LANE, rarest(self._quote.row.session, self._quote.quote), self._begin, self.tell_fault)

    def _begin(self, start: Hits, _final: bool) -> None:
        self._cache = start.cache
        row = self._quote.row
        words = start.words or (str(row.message_index) if row.message_index >= 0 else "")
        if not start.words:
            self._fallback = words
            self.tell(f"{_NO_WORD}{_HELP}")
        if words and not self._box.value:
            self._box.value = words
            self._box.selection = Selection(0, len(words))

    def on_unmount(self) -> None:
        self._jobs.cancel(LANE)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if not event.value.strip():
            self._jobs.cancel(LANE)
            self._on_hits(Hits(event.value, cache=self._cache), True)
            return
        row = self._quote.row
        work = search(row.session, row.id, max(0, row.message_index), event.value, self._cache)
        self._cache = None
        self._jobs.run(LANE, work, self._on_hits, self.tell_fault, delay=DEBOUNCE)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter shows the chosen place; of words that are still looked for, the first as soon as it is known."""
        event.stop()
        if self._hits.words == self._box.value:
            self._choose(self._lines.highlighted)
        else:
            self._chosen = self._box.value

    def take(self, at: int) -> None:
        self._choose(at)

    def _choose(self, at: int | None) -> None:
        if at is not None and at < len(self._hits.seen):
            work = with_message(self._quote.row.session, self._hits.seen[at])
            self._jobs.run(LANE, work, self._ends, self.tell_fault)

    def _ends(self, found: ChosenPlace | None, _final: bool) -> None:
        if self.app.screen is self:
            self.dismiss(found)

    def _on_hits(self, hits: Hits, _final: bool) -> None:
        self._hits, self._cache = hits, hits.cache
        width = max(20, self._lines.size.width or self.size.width - 6)
        self.show_lines(draw_found_span(one, width, self._signs) for one in hits.seen)
        lead = _NO_WORD if hits.words and hits.words == self._fallback else ""
        if not hits.words.strip():
            self.tell(_HELP)
        elif not hits.seen:
            self.tell(f"{lead or 'no match in this session · '}{_HELP}")
        else:
            more = "+" if len(hits.seen) >= MOST else ""
            places = "match" if len(hits.seen) == 1 else "matches"
            self.tell(f"{lead}{len(hits.seen)}{more} {places} · {_HELP}")
        if self._chosen and self._chosen == hits.words:
            self._choose(0)
        self._chosen = ""


class ReasonScreen(AskLine):
    """Ends with the reason, which may be empty, or with None: not rejected."""

    CSS_PATH = sheet("evidence")

    def __init__(self, quotes: int = 1) -> None:
        title = "Reject the quote" if quotes == 1 else f"Reject {quotes:,} quotes"
        box = LineBox(placeholder="Reason (optional)", max_length=2_000)
        super().__init__("reason", title, "enter rejects, esc cancels", box, blank="")


_BULK = ("evidence.accept", "evidence.reject", "evidence.reject_why")
"""What is done to all selected quotes at once."""
_NUMBERS = {f"evidence.choose_{number}": number for number in range(1, PLACES_CHOSEN + 1)}
_PANES = {3: ("Rules", "pane.rules"), 4: ("Library", "pane.library")}
"""Handle a digit that no place has."""
_TOO_SHORT = "The selection is too short for this quote. {evidence.end_out} extends it, {evidence.find} finds another."
_EDGES: dict[str, tuple[Literal["start", "end"], int]] = {
    "evidence.end_out": ("end", 1),
    "evidence.end_in": ("end", -1),
    "evidence.start_out": ("start", 1),
    "evidence.start_in": ("start", -1),
}


class Places:
    """Acts on the quote that the screen shows; never on one that is not shown yet."""

    def __init__(self, screen: EvidenceScreen) -> None:
        self._screen = screen
        self._wanted: tuple[int, tuple[Span, ...]] | None = None  # a place to accept as soon as it is compared

    def perform(self, action_id: str) -> bool:
        """Do an action of the registry; False for anything else."""
        acts: dict[str, Callable[[ReadQuote], object]] = {
            "evidence.accept": self._accept,
            "evidence.reject": lambda read: self._decide(read, "reject"),
            "evidence.reject_why": self._reject_why,
            "evidence.words": self._words,
            "evidence.place": self._look_on,
            "evidence.find": self._find,
            "evidence.promote": lambda read: self._screen.reviewing.promote([read.quote.row.entry_id]),
            **{name: lambda read, at=number: self._look_at(read, at) for name, number in _NUMBERS.items()},
            **{name: lambda read, edge=edge: self._adjust(read, *edge) for name, edge in _EDGES.items()},
        }
        if (act := acts.get(action_id)) is None:
            return False
        if self._screen.quotes.marked and action_id in _BULK:
            self._all(action_id)
            return True
        if self._screen.quotes.marked and action_id == "evidence.promote":
            self._screen.promoting.promote_marked()
            return True
        read = self._screen.view.read
        if read is None or read.quote.row.id != self._screen.chosen_id:
            self._screen.say("The quote is still loading.", "warning")
        elif read.quote.row.id in self._screen.reviewing.pending:
            self._screen.say("Your last decision is still being saved.", "warning")
        else:
            act(read)
            self._screen.changed()
        return True

    def _all(self, action_id: str) -> None:
        """All that are marked: rejected, with one reason or none, or accepted where no question is open."""
        screen, seen = self._screen, self._screen.quotes.marked_rows
        if screen.reviewing.writes(seen):
            screen.say("Your last decision is still being saved.", "warning")
            return

        def on_reason(reason: str | None) -> None:
            if reason is not None:
                screen.reviewing.decide_all(seen, reason)

        if action_id == "evidence.reject_why":
            screen.app.push_screen(ReasonScreen(len(seen)), on_reason)
        else:
            screen.reviewing.decide_all(seen, "" if action_id == "evidence.reject" else None)

    def back(self) -> bool:
        """Back to the place as it was offered; False if it is that."""
        view = self._screen.view
        if not view.asking and view.looked == view.start:
            return False
        view.look(view.start)
        return True

    def _decide(self, read: ReadQuote, act: Act, *, number: int = 0, spans: tuple[Span, ...] | None = None,
                reason: str = "", confirmed: bool = False) -> None:  # fmt: skip
        row = read.quote.row
        decision = Decision(act, row.id, read.quote.mark, number, spans, reason, confirmed)
        self._screen.reviewing.decide(decision, named(row))
        self._screen.outcome.decided(row.id, decision.state)

    def _accept(self, read: ReadQuote) -> None:
        """Accept the place on the screen; ask if the core requires it, or if it is one of several without a choice.
        Another key confirms, so that a held one accepts nothing."""
        view, state = self._screen.view, read.quote.row.state
        if view.asking:
            return
        if state == "accepted" and view.looked == view.start:
            self._screen.say("You already decided on this quote.")
        elif (place := view.place) is None:
            self._wanted = (read.quote.row.id, view.spans)
        elif place.fit.verdict == "too_little":
            self._screen.say(self._screen.signs.fill_keys(_TOO_SHORT), "warning")
        elif place.fit.verdict == "asks" or self._several(read):
            view.ask()
        else:
            self._take(read)

    def compared(self, found: Compared) -> None:
        """A place drawn by hand is judged: do what the user requested meanwhile."""
        view, wanted = self._screen.view, self._wanted
        view.compared(found)
        self._wanted = None
        self._screen.changed()
        if view.read is not None and view.place is not None and wanted == (view.read.quote.row.id, view.spans):
            self.perform("evidence.accept")

    def confirm(self) -> bool:
        """Accept the open question; False where there is none."""
        view = self._screen.view
        if not view.asking or view.read is None:
            return False
        self._take(view.read)
        return True

    def _several(self, read: ReadQuote) -> bool:
        view = self._screen.view
        return read.quote.row.state == "ambiguous" and not view.looked.picked and view.looked.drawn is None

    def _take(self, read: ReadQuote) -> None:
        view = self._screen.view
        if view.looked.drawn is not None:
            act = "look" if view.looked.found else "adjust"
            self._decide(read, act, spans=view.looked.drawn, confirmed=view.asking)
        elif self._several(read) or view.looked.picked:
            self._decide(read, "choose", number=view.looked.at + 1, confirmed=view.asking)
        else:
            self._decide(read, "accept", confirmed=view.asking)

    def _look_at(self, read: ReadQuote, number: int) -> None:
        """Look at the place of this number; nothing is decided. Where no places are listed the digits are the panes."""
        if number > len(read.quote.choices):
            pane = _PANES.get(number)
            other = self._screen.signs.fill_keys(f" To open the {pane[0]} pane, press {{{pane[1]}}}.") if pane else ""
            self._screen.say(f"Location {number} not found.{other}")
        else:
            self._screen.view.look(ViewedPlace(number - 1, picked=True))

    def _look_on(self, read: ReadQuote) -> None:
        view = self._screen.view
        view.look(ViewedPlace((view.looked.at + 1) % max(1, len(read.quote.choices)), picked=True))

    def _words(self, read: ReadQuote) -> None:
        """The words at the place on the screen become the quote; which place that is must be plain."""
        view = self._screen.view
        if read.quote.row.state == "ambiguous" and view.looked == view.start:
            self._decide(read, "words", spans=read.quote.choices[view.looked.at].spans)  # all have the same words
        elif view.spans:
            self._decide(read, "words", spans=view.spans)

    def _adjust(self, read: ReadQuote, edge: Literal["start", "end"], words: int) -> None:
        from core.evidence import adjusted

        view = self._screen.view
        if not view.spans or not view.text:
            self._screen.say("This quote has no known location.")
            return
        spans = list(view.spans)
        at = 0 if edge == "start" else -1
        spans[at] = adjusted(view.text, spans[at], edge, words)
        drawn = tuple(spans)
        view.look(ViewedPlace(view.looked.at, drawn, picked=True))
        self._screen.reader.compare(read, drawn, self.compared)

    def _find(self, read: ReadQuote) -> None:
        """Another place anywhere in the session: chosen there, it is shown here to be accepted."""

        def chosen(found: ChosenPlace | None) -> None:
            if found is not None and self._screen.chosen_id == read.quote.row.id:
                self._screen.show_place(read, found)

        self._screen.app.push_screen(FindScreen(self._screen.jobs, self._screen.signs, read.quote), chosen)

    def _reject_why(self, read: ReadQuote) -> None:
        def on_reason(reason: str | None) -> None:
            if reason is not None:
                self._decide(read, "reject", reason=reason)

        self._screen.app.push_screen(ReasonScreen(), on_reason)
