"""The command palette, from the action registry: each action with its keys, or with why it is not possible now."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from tui.actions import ACTIONS, Action, matching
from tui.keys import key_name

if TYPE_CHECKING:
    from tui.app import CasebookApp

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
    def _workbench(self) -> CasebookApp:
        return cast("CasebookApp", self.app)


class ActionProvider(Provider):
    """Every action of the registry that makes sense by name; what is possible now comes first."""

    async def discover(self) -> Hits:
        """All of them, in the registry's order."""
        offered = [(action, self._why_not(action)) for action in ACTIONS if action.palette]
        for action, why_not in sorted(offered, key=lambda one: bool(one[1])):
            yield DiscoveryHit(self._line(action, Content(action.title), why_not), self._perform(action), action.title)

    async def search(self, query: str) -> Hits:
        """Those that have the words of `query` as the help finds them, then those whose title has its letters."""
        matcher = self.matcher(query)
        by_words = set(matching(query, self._workbench.signs.keys))
        for action in ACTIONS:
            score = matcher.match(action.title) + (_BY_WORDS if action in by_words else 0.0)
            if action.palette and score > 0:
                why_not = self._why_not(action)
                shown = self._line(action, matcher.highlight(action.title), why_not)
                yield Hit(score / 4 if why_not else score, shown, self._perform(action), action.title)

    def _line(self, action: Action, title: Content, why_not: str) -> Content:
        signs = self._workbench.signs
        keys = " ".join(key_name(key, ascii_only=signs.plain) for key in signs.keys.of(action.id, action.keys))
        shown = title.stylize_before("$cb-dim") if why_not else title
        return Content.assemble(shown, (f"  {keys}", "$cb-dim"), (f"  {why_not}" if why_not else "", "italic $cb-dim"))

    def _why_not(self, action: Action) -> str:
        return self._workbench.signs.told(action.enabled(self._workbench.situation()))

    def _perform(self, action: Action) -> partial[None]:
        return partial(self._workbench.action_perform, action.id)

    @property
    def _workbench(self) -> CasebookApp:
        return cast("CasebookApp", self.app)
