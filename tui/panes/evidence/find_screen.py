"""Look in another message: type words, see where they stand in the session, choose the place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from core.base.fault import Fault
from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import inline
from tui.render.evidence import draw_seen, flat
from tui.runtime.jobs import DEBOUNCE, Job, Jobs
from tui.runtime.stylesheets import sheet

if TYPE_CHECKING:
    from core.align import ViewCache
    from core.evidence import MessageText, Quote, Seen


MOST = 100
"""Places that are listed."""


@dataclass(frozen=True, slots=True)
class Hits:
    """What was found for some words. `cache`: the folded messages, for whoever searches next (one job at a time)."""

    words: str
    seen: tuple[Seen, ...] = ()
    cache: ViewCache | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class FoundPlace:
    """A place that a person chose, with the message it lies in."""

    seen: Seen
    message: MessageText


def search(
    session: str, evidence_id: int, near: int, words: str, cache: ViewCache | None
) -> Callable[[Job[Hits]], Hits]:
    """Where the words stand in the session, the message `near` first; for a number alone, where the quote may stand in
    that message."""

    def work(job: Job[Any]) -> Hits:
        from core.align import ViewCache
        from core.evidence import find_in_session, look_in

        said, held, store = words.strip(), cache or ViewCache(), job.store()
        seen = find_in_session(store, session, said, near=near, limit=MOST, cancelled=lambda: job.stopped, cache=held)
        if said.isascii() and said.isdecimal() and len(said) < 10:
            seen = (*look_in(store, evidence_id, int(said)), *seen)[:MOST]
        return Hits(words, seen, held)

    return work


def with_message(session: str, seen: Seen) -> Callable[[Job[FoundPlace | None]], FoundPlace | None]:
    """The place with its message; None where it is gone."""

    def work(job: Job[Any]) -> FoundPlace | None:
        from core.evidence import show_message

        message = show_message(job.store(), session, seen.span.message_index)
        return None if message is None else FoundPlace(seen, message)

    return work


LANE = "evidence-find"
_HELP = "enter shows the place, esc closes"


class FindScreen(ModalScreen[FoundPlace | None]):
    """Ends with the place to look at, or with None."""

    CSS_PATH = sheet("evidence")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+c", "dismiss(None)", "Close", priority=True),
        Binding("down,ctrl+n", "move(1)", "Next", priority=True),
        Binding("up,ctrl+p", "move(-1)", "Previous", priority=True),
        Binding("pagedown", "move(8)", "On", priority=True),
        Binding("pageup", "move(-8)", "Back", priority=True),
    ]

    def __init__(self, jobs: Jobs, signs: Signs, quote: Quote) -> None:
        super().__init__()
        self._jobs = jobs
        self._signs = signs
        self._quote = quote
        self._hits = Hits("")
        self._chosen = ""  # the words whose first place Enter asked for before they were looked for
        self._cache: ViewCache | None = None  # whatever a job still has is not used again
        self._box = Input(placeholder="Words of the session, or the number of a message", max_length=2_000)
        self._about = Static(id="find-about")
        self._lines = OptionList(id="find-lines")
        self._lines.can_focus = False

    def compose(self) -> ComposeResult:
        """The quote, a box, the places."""
        with Vertical(id="find") as frame:
            frame.border_title = Content("Look in the session")
            frame.border_subtitle = Content(_HELP)
            yield self._about
            yield self._box
            yield self._lines

    def on_mount(self) -> None:
        """Type at once."""
        self._about.update(Content.assemble(("quote  ", "$cb-dim"), (flat(self._quote.quote)[:400], "$cb-soft")))
        self._box.focus()

    def on_unmount(self) -> None:
        """Nobody waits for it any more."""
        self._jobs.cancel(LANE)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Look for the words."""
        event.stop()
        if not event.value.strip():
            self._jobs.cancel(LANE)
            self._came(Hits(event.value, cache=self._cache), True)
            return
        row = self._quote.row
        work = search(row.session, row.id, max(0, row.message_index), event.value, self._cache)
        self._cache = None
        self._jobs.run(LANE, work, self._came, self._failed, delay=DEBOUNCE)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter shows the chosen place; of words that are still looked for, the first as soon as it is known."""
        event.stop()
        if self._hits.words == self._box.value:
            self._choose(self._lines.highlighted)
        else:
            self._chosen = self._box.value

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """A place was clicked."""
        event.stop()
        self._choose(event.option_index)

    def on_click(self, event: events.Click) -> None:
        """A click beside it closes it."""
        if event.widget is self:
            self.dismiss(None)

    def action_move(self, by: int) -> None:
        """Another place."""
        if self._hits.seen:
            at = (self._lines.highlighted or 0) + by
            last = len(self._hits.seen) - 1
            self._lines.highlighted = at % (last + 1) if abs(by) == 1 else min(max(0, at), last)

    def _choose(self, at: int | None) -> None:
        if at is not None and at < len(self._hits.seen):
            work = with_message(self._quote.row.session, self._hits.seen[at])
            self._jobs.run(LANE, work, self._ends, self._failed)

    def _ends(self, found: FoundPlace | None, _final: bool) -> None:
        if self.is_current:
            self.dismiss(found)

    def _came(self, hits: Hits, _final: bool) -> None:
        self._hits, self._cache = hits, hits.cache
        width = max(20, self._lines.size.width or self.size.width - 6)
        self._lines.set_options(Option(draw_seen(one, width, self._signs)) for one in hits.seen)
        self._lines.highlighted = 0 if hits.seen else None
        frame = self.query_one("#find")
        if not hits.words.strip():
            frame.border_subtitle = Content(_HELP)
        elif not hits.seen:
            frame.border_subtitle = Content("nowhere in this session")
        else:
            more = "+" if len(hits.seen) >= MOST else ""
            places = "place" if len(hits.seen) == 1 else "places"
            frame.border_subtitle = Content(f"{len(hits.seen)}{more} {places}; {_HELP}")
        if self._chosen and self._chosen == hits.words:
            self._choose(0)
        self._chosen = ""

    def _failed(self, fault: Fault) -> None:
        self.query_one("#find").border_subtitle = Content(inline(fault.message, 200))
