"""The command palette, from the action registry: each action with the keys it has where one is, or with why it is not
possible now."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, TextArea

from tui.actions.action import Action
from tui.actions.keys import key_name, types_text
from tui.actions.registry import ACTIONS, NO_KEY, matching
from tui.widgets.workbench import workbench

if TYPE_CHECKING:
    from textual.style import Style

    from tui.widgets.workbench import Workbench

_WIDTH, _AROUND = 84, 8
"""Cells of the palette, and of what stands around a line: frame, margin, scrollbar."""

_BY_WORDS = 40.0
"""What a word of the registry is worth beside Textual's score for letters in the title."""


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

    def _line(self, name: str, shown: Content) -> Content:
        return Content.assemble(shown, ("  on now", "$cb-dim")) if name == self.app.theme else shown

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

    async def discover(self) -> Hits:
        """All of them, in the registry's order."""
        offered = [(action, self._why_not(action)) for action in ACTIONS if action.palette]
        for action, why_not in sorted(offered, key=lambda one: bool(one[1])):
            shown = self._line(action, Content(action.title), why_not)
            yield DiscoveryHit(shown, self._perform(action, why_not), action.title)

    async def search(self, query: str) -> Hits:
        """Those that have the words of `query` as the help finds them, then those whose title has its letters."""
        matcher = self.matcher(query)
        by_words = set(matching(query, self._workbench.signs.keys))
        for action in ACTIONS:
            score = matcher.match(action.title) + (_BY_WORDS if action in by_words else 0.0)
            if action.palette and score > 0:
                why_not = self._why_not(action)
                shown = self._line(action, matcher.highlight(action.title), why_not)
                yield Hit(score / 4 if why_not else score, shown, self._perform(action, why_not), action.title)

    def _line(self, action: Action, title: Content, why_not: str) -> Content:
        """The title, and its keys at the right; or why it is not possible, and no key."""
        if why_not:
            return Content.assemble(title.stylize_before("$cb-dim"), (f"  {why_not}", "italic $cb-dim"))
        plain = self._workbench.signs.plain
        keys = " ".join(key_name(key, ascii_only=plain) for key in self._held.get(action.name, ()))
        room = min(_WIDTH, self.app.size.width) - _AROUND - title.cell_length
        return Content.assemble(title, ("  " + keys.rjust(room - 2) if keys else "", "$cb-dim"))

    def _why_not(self, action: Action) -> str:
        """Why it is not possible; of an action of the errors, that another pane is open that does not do it."""
        covered = self.screen is not self.app.screen_stack[0]
        if covered and action.scope == "pane" and action.name not in self._held:
            return "That is done in the errors pane."
        return self._workbench.signs.told(action.enabled(self._workbench.situation()))

    def _perform(self, action: Action, why_not: str) -> partial[None]:
        if why_not:
            return partial(self._workbench.say, why_not, severity="warning")
        return partial(self._workbench.action_perform, action.name)

    @property
    def _workbench(self) -> Workbench:
        return workbench(self.screen)


def keys_here(screen: Screen[object]) -> dict[str, list[str]]:
    """The keys that do something where one is on this screen, by the action's id. In a box those that type do not."""
    typing = isinstance(screen.focused, Input | TextArea)
    found: dict[str, list[str]] = {}
    for key, active in screen.active_bindings.items():
        name = (active.binding.id or "").partition(":")[0].rstrip("!")
        if key != NO_KEY and not (typing and types_text(key) and not active.binding.priority):
            found.setdefault(name, []).append(key)
    return found
