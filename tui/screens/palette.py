"""Ways to an action or a part of the screen: the command palette with why an action is not possible, jump letters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.errors import NoWidget
from textual.geometry import Offset, Region, Size
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

from tui.actions.action import Action, Scope
from tui.actions.registry import ACTIONS, NO_KEY, key_name, matching, types_text
from tui.widgets.workbench import TopBar, Workbench, workbench

if TYPE_CHECKING:
    from textual.style import Style


_WIDTH, _AROUND = 84, 8
"""Cells of the palette, and of its surroundings: frame, margin, scrollbar."""

_BY_WORDS = 40.0
"""Weight of a word of the registry against Textual's score for letters in the title."""
_BY_RARITY = 20.0
"""Weight of a word that only one title has: “the” means the theme, not every title with an article."""


class ThemeProvider(Provider):
    """Every theme there is; the one that is on is marked."""

    async def discover(self) -> Hits:
        """All of them: our own first, then the user's and Textual's."""
        for name in self._workbench.theme_names():
            yield DiscoveryHit(self._line(name, Content(name)), self._choose(name), name)

    async def search(self, query: str) -> Hits:
        """Those whose name has the letters of `query`."""
        matcher = self.matcher(query)
        for name in self._workbench.theme_names():
            if (score := matcher.match(name)) > 0:
                yield Hit(score, self._line(name, matcher.highlight(name)), self._choose(name), name)

    def _line(self, name: str, title: Content) -> Content:
        return Content.assemble(title, ("  current", "$cb-dim")) if name == self.app.theme else title

    def _choose(self, name: str) -> partial[None]:
        return partial(self._workbench.choose_theme, name)

    @property
    def _workbench(self) -> Workbench:
        return workbench(self.screen)


class ActionProvider(Provider):
    """Every action of the registry that makes sense by name; what is possible now comes first."""

    def __init__(self, screen: Screen[object], match_style: Style | None = None) -> None:
        super().__init__(screen, match_style)
        self._held = keys_here(screen)
        typing = isinstance(screen.focused, Input | TextArea)
        covered = screen is not self.app.screen_stack[0]
        self._beyond = frozenset[Scope](() if not typing else ("app",) if covered else ("app", "pane"))

    async def discover(self) -> Hits:
        """All of them, in the registry's order."""
        offered = [(action, self._why_not(action)) for action in ACTIONS if action.palette]
        for action, why_not in sorted(offered, key=lambda one: bool(one[1])):
            line = self._line(action, Content(action.title), why_not)
            yield DiscoveryHit(line, self._perform(action, why_not), action.title)

    async def search(self, query: str) -> Hits:
        """Those that have the words of `query` as the help finds them; else those whose title has its letters."""
        matcher = self.matcher(query)
        by_words = set(matching(query, self._workbench.signs.keys))
        titles = Counter(word for action in ACTIONS for word in set(_words(action.title)))
        for action in (one for one in ACTIONS if one in by_words or not by_words):
            score = matcher.match(action.title) + (_BY_WORDS if action in by_words else 0.0)
            for typed in _words(query) if score else ():
                begun = (1 / titles[word] for word in _words(action.title) if word.startswith(typed))
                score += _BY_RARITY * max(begun, default=0)
            if action.palette and score > 0:
                why_not = self._why_not(action)
                line = self._line(action, matcher.highlight(action.title), why_not)
                yield Hit(score / 4 if why_not else score, line, self._perform(action, why_not), action.title)

    def _line(self, action: Action, title: Content, why_not: str) -> Content:
        """The title, and its keys at the right; or why it is not possible, and no key. If the box would take the key as
        a letter, the key that leaves the box comes first."""
        if why_not:
            return Content.assemble(title.stylize_before("$cb-dim"), (f"  {why_not}", "italic $cb-dim"))
        plain = self._workbench.signs.plain
        keys = " ".join(key_name(key, ascii_only=plain) for key in self._held.get(action.name, ()))
        if not keys and action.scope in self._beyond and (named := self._workbench.signs.key(action.name)):
            keys = f"{key_name('escape', ascii_only=plain)}, {named}"
        room = min(_WIDTH, self.app.size.width) - _AROUND - title.cell_length
        return Content.assemble(title, ("  " + keys.rjust(room - 2) if keys else "", "$cb-dim"))

    def _why_not(self, action: Action) -> str:
        """Why it is not possible; of an action of the errors, that another pane is open that does not do it."""
        covered = self.screen is not self.app.screen_stack[0]
        if covered and action.scope == "pane" and action.name not in self._held:
            return "Only available in the Errors pane."
        return self._workbench.signs.fill_keys(action.enabled(self._workbench.situation()))

    def _perform(self, action: Action, why_not: str) -> partial[None]:
        if why_not:
            return partial(self._workbench.say, why_not, severity="warning")
        return partial(self._workbench.action_perform, action.name)

    @property
    def _workbench(self) -> Workbench:
        return workbench(self.screen)


def _words(text: str) -> list[str]:
    return text.casefold().replace(",", " ").replace(":", " ").split()


def keys_here(screen: Screen[object]) -> dict[str, list[str]]:
    """The keys that do something where one is on this screen, by the action's id. In a box those that type do not."""
    typing = isinstance(screen.focused, Input | TextArea)
    found: dict[str, list[str]] = {}
    for key, active in screen.active_bindings.items():
        name = (active.binding.id or "").partition(":")[0].rstrip("!")
        if key != NO_KEY and not (typing and types_text(key) and not active.binding.priority):
            found.setdefault(name, []).append(key)
    return found


LETTERS = "asdfghjklqwertyuiopzxc"
TABS = "vbnm"
"""The panes have the same letters wherever one is."""
_LETTER_WIDTH = 3
_NO_FRAME = ("", "none", "hidden", "blank")


@dataclass(frozen=True, slots=True)
class Target:
    """A part, its letter, and where the letter is drawn; for a pane of the first line the action that goes there."""

    letter: str
    widget: Widget
    at: Offset
    action: str = ""


class JumpScreen(ModalScreen[Target | None]):
    """Ends with the target whose letter was pressed or clicked, or with None."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "leave", "Cancel")]

    def __init__(self, targets: tuple[Target, ...]) -> None:
        super().__init__()
        self._targets = {target.letter: target for target in targets}
        self._laid_out: Size | None = None  # the screen that the letters were placed on

    def compose(self) -> ComposeResult:
        for target in self._targets.values():
            label = Static(Content(f" {target.letter} "), id=f"jump-{target.letter}", classes="jump--letter")
            label.styles.offset = (target.at.x, target.at.y)
            yield label

    def on_key(self, event: events.Key) -> None:
        """A letter jumps; any other key stays."""
        if event.key == "escape" or event.character is None:
            return
        event.stop()
        event.prevent_default()
        self.dismiss(self._targets.get(event.character.lower()))

    def on_click(self, event: events.Click) -> None:
        name = (event.widget.id or "") if event.widget is not None else ""
        self.dismiss(self._targets.get(name.removeprefix("jump-")))

    def on_resize(self, event: events.Resize) -> None:
        if self._laid_out not in (None, event.size):
            self.dismiss(None)
        self._laid_out = event.size

    def action_leave(self) -> None:
        self.dismiss(None)


async def focus_on(target: Target | None) -> None:
    """Be there, if it is still there."""
    if target is None or not target.widget.is_attached:
        return
    if target.action:
        await target.widget.run_action(f"app.perform('{target.action}')")
    else:
        target.widget.focus()


def targets(screen: Screen[object]) -> tuple[Target, ...]:
    """The parts of this screen that can be seen and take the focus, from left to right, from top to bottom; then the
    panes. No letter covers what a row or a text begins with."""
    places: dict[Offset, Widget] = {}
    for widget in screen.focus_chain:
        if (seen := _visible_region(screen, widget)).area:
            places[_place(widget, seen, places)] = widget
    ordered = sorted(places, key=lambda at: (at.y, at.x))
    parts = (Target(letter, places[at], at) for letter, at in zip(LETTERS, ordered, strict=False))
    return (*parts, *_panes(screen.query(TopBar)))


def _visible_region(screen: Screen[object], widget: Widget) -> Region:
    """What can be seen of a part: nothing of one that is not laid out yet."""
    try:
        return screen.find_widget(widget).visible_region
    except NoWidget:
        return Region()


def _panes(bars: Iterable[TopBar]) -> Iterable[Target]:
    for bar in bars:
        if bar.display:
            for letter, (x, action) in zip(TABS, bar.tab_places, strict=False):
                yield Target(letter, bar, bar.region.offset + Offset(x, 0), action)


def _place(widget: Widget, seen: Region, taken: Container[Offset]) -> Offset:
    """Return the place of a part's letter: the corner of its frame, or of the enclosing one; else at the right."""
    for part in widget.ancestors_with_self:
        if isinstance(part, Widget) and part.styles.border_top[0] not in _NO_FRAME:
            corner = part.region.offset
            scrolled_off = part is widget and corner.y < seen.y
            if corner.y >= 0 and corner not in taken and not scrolled_off:
                return corner
            break
    return Offset(max(seen.x, seen.right - _LETTER_WIDTH), seen.y)
