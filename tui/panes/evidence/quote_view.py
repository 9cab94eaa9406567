"""The quote above as a diff, its message below with the place lit: it opens at the place, however long the message."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from tui.actions.registry import bindings
from tui.panes.evidence.actions import PLACES_CHOSEN
from tui.panes.evidence.queries import Compared, ReadQuote
from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import title
from tui.render.evidence import (
    draw_diff,
    draw_labelled,
    draw_message,
    draw_places,
    draw_reasons,
    flat,
)
from tui.widgets.scroll_text import Reading

if TYPE_CHECKING:
    from core.align import Span
    from core.evidence import Choice, Place


class Message(Reading):
    """A message, scrolled to its place."""

    BINDINGS = bindings("case")


@dataclass(frozen=True, slots=True)
class Looked:
    """Which place is on the screen: one of the choices (`at`, from 0), or one drawn by hand or found (`drawn`)."""

    at: int = 0
    drawn: tuple[Span, ...] | None = None
    picked: bool = False
    found: bool = False


def _first(read: ReadQuote | None) -> Looked:
    return Looked(0 if read is None else max(0, read.quote.offered - 1))


class QuoteView(Vertical):
    """Shows one quote at one of its places."""

    def __init__(self, signs: Signs) -> None:
        super().__init__(id="evidence-quote")
        self._signs = signs
        self.read: ReadQuote | None = None
        self.looked = Looked()
        self.asking = False  # whether the place waits for its confirmation
        self._compared: Compared | None = None
        self._head = Static(id="evidence-head")
        self._before, self._place, self._behind = (Static(classes="evidence-part") for _ in range(3))
        self._where: tuple[int | None, tuple[Span, ...], object] = (None, (), None)
        self.message = Message(id="evidence-message")

    def compose(self) -> ComposeResult:
        """The quote, and the message."""
        yield self._head
        with self.message:
            yield from (self._before, self._place, self._behind)

    @property
    def start(self) -> Looked:
        """The place that is offered first."""
        return _first(self.read)

    @property
    def numbered(self) -> bool:
        """Whether its places are listed with their numbers."""
        return self.read is not None and len(self.read.quote.choices) > 1 and self.read.quote.row.state != "accepted"

    @property
    def spans(self) -> tuple[Span, ...]:
        """The place on the screen."""
        if self.read is None:
            return ()
        if self.looked.drawn is not None:
            return self.looked.drawn
        quote = self.read.quote
        if quote.spans and not self.looked.picked:
            return quote.spans
        return quote.choices[self.looked.at].spans if self.looked.at < len(quote.choices) else ()

    @property
    def text(self) -> str:
        """The message that the place lies in; else the one that the quote names."""
        if self.read is None:
            return ""
        found = self.read.messages.get(self.index)
        return "" if found is None else found.text

    @property
    def index(self) -> int:
        """Which message that is."""
        if self.read is None:
            return 0
        return self.spans[0].message_index if self.spans else self.read.quote.row.message_index

    def show(self, read: ReadQuote | None) -> None:
        """Show this quote, at its first place; the same one read again stays where it was looked at."""
        same = read is not None and self.read is not None and read.quote == self.read.quote
        if same and read is not None and self.read is not None:
            # A place found elsewhere lies in a message that was read for it alone.
            read = replace(read, messages={**self.read.messages, **read.messages})
        if not same:
            self.looked, self.asking, self._compared = _first(read), False, None
        self.read = read
        self.draw()

    def put(self, read: ReadQuote, looked: Looked) -> None:
        """Show this quote at this place."""
        self.read = read
        self.look(looked)

    def look(self, looked: Looked) -> None:
        """Look at another place."""
        self.looked, self.asking, self._compared = looked, False, None
        self.draw()

    def ask(self) -> None:
        """Show what differs, and ask whether it is accepted all the same."""
        self.asking = True
        self.draw()

    def compared(self, found: Compared) -> None:
        """What the quote says otherwise than the words at a place drawn by hand."""
        if self.read is not None and (found.evidence_id, found.spans) == (self.read.quote.row.id, self.spans):
            self._compared = found
            self.draw()

    def on_resize(self) -> None:
        """Lists of places are cut to the width."""
        self.draw()

    def draw(self) -> None:
        """Put it all on the screen."""
        if self.read is None:
            self.border_title, self.border_subtitle = Content("Quote"), Content("")
            for part in (self._head, self._before, self._place, self._behind):
                part.update(Content(""))
            return
        row, mark = self.read.quote.row, self._signs.quote(self.read.quote.row.state)
        found = self.read.messages.get(self.index)
        self.border_title = Content(f"#{row.id} {mark.sign} {mark.words}")
        count = "" if found is None else f" of {found.count - 1:,}"
        role = "" if found is None else f"  {title(found.role)}"
        self.border_subtitle = Content(f"message {self.index:,}{count}{role}" if found else "no such message")
        self._head.update(self._drawn_head())
        where = (row.id, self.spans, self.text)
        if where == self._where:
            return
        self._where = where
        for part, content in zip((self._before, self._place, self._behind),
                                 draw_message(self.text, self.spans, self._signs), strict=True):  # fmt: skip
            part.update(content)
            part.display = bool(content.plain)
        self.call_after_refresh(self._to_place)

    def _to_place(self) -> None:
        """The lit words a line or two below the upper edge."""
        if self.spans and self._before.display:
            self.message.scroll_to(y=max(0, self._place.virtual_region.y - 2), animate=False, force=True)
        else:
            self.message.scroll_home(animate=False)

    @property
    def place(self) -> Place | Choice | None:
        """The place on the screen, judged; None: it is accepted already, there is none, or it is being compared."""
        if self.read is None:
            return None
        quote = self.read.quote
        if self.looked.drawn is not None:
            return None if self._compared is None else self._compared.place
        if self.looked.at < len(quote.choices) and (self.looked.picked or quote.row.state != "accepted"):
            return quote.choices[self.looked.at]
        return None

    def _drawn_places(self) -> Content:
        assert self.read is not None
        texts = {index: message.text for index, message in self.read.messages.items()}
        return draw_places(self.read.quote, texts, self.looked.at, self._signs, max(20, self._head.size.width - 2))

    @property
    def question(self) -> str:
        """What the place on the screen is asked about; empty where nothing is asked."""
        if not self.asking or self.read is None:
            return ""
        quote = self.read.quote
        if quote.row.state != "ambiguous":
            return self._signs.told("The meaning may differ. {list.open} accepts anyway, {list.back} cancels.")
        most = min(len(quote.choices), PLACES_CHOSEN)
        told = f"{{list.open}} takes place {quote.offered}, 1 to {most} shows another"
        return self._signs.told(f"Found in {len(quote.choices):,} places: {told} ({quote.offered_why}).")

    def _drawn_head(self) -> Content:
        assert self.read is not None
        quote = self.read.quote
        place = self.place
        diff, reasons = ((), ()) if place is None else (place.diff, place.fit.reasons)
        parts: list[Content] = []
        width = max(1, self._head.size.width)
        if diff and any(not run.same for run in diff):
            parts.append(draw_diff(diff, width))
        else:
            parts.append(draw_labelled("quote", Content.styled(flat(quote.quote), "$cb-text"), width))
        if reasons:
            parts.append(draw_reasons(reasons, width))
        elif quote.row.reason and quote.row.state != "aligned":
            parts.append(Content.styled(title(quote.row.reason), "$cb-draft"))
        if self.numbered:
            parts.append(self._drawn_places())
        return Content("\n").join(parts)
