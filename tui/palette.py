"""The command palette, from the action registry: each action with its keys, or with why it is not possible now."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from tui.actions import ACTIONS, Action
from tui.keys import key_name

if TYPE_CHECKING:
    from tui.app import CasebookApp


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
    """Every action of the registry that makes sense by name."""

    async def discover(self) -> Hits:
        """All of them, in the registry's order."""
        for action in ACTIONS:
            if action.palette:
                shown = self._line(action, Content(action.title))
                yield DiscoveryHit(shown, self._perform(action), action.title, self._why_not(action))

    async def search(self, query: str) -> Hits:
        """Those whose title has the letters of `query`."""
        matcher = self.matcher(query)
        for action in ACTIONS:
            if action.palette and (score := matcher.match(action.title)) > 0:
                shown = self._line(action, matcher.highlight(action.title))
                yield Hit(score, shown, self._perform(action), action.title, self._why_not(action))

    def _line(self, action: Action, title: Content) -> Content:
        keys = " ".join(key_name(key) for key in self._workbench.user_keys.of(action.id, action.keys))
        return Content.assemble(title, (f"  {keys}", "$cb-dim")) if keys else title

    def _why_not(self, action: Action) -> str | None:
        return action.enabled(self._workbench.situation()) or None

    def _perform(self, action: Action) -> partial[None]:
        return partial(self._workbench.action_perform, action.id)

    @property
    def _workbench(self) -> CasebookApp:
        return cast("CasebookApp", self.app)
