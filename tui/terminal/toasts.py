"""One toast for what is said twice: the last one stays, for as long as it was said to."""

from __future__ import annotations

from textual.app import App
from textual.notifications import Notify


class OneToast(App[None], inherit_bindings=False):
    """An app whose equal toasts do not stack, whoever raises them."""

    def _on_notify(self, event: Notify) -> None:
        new = event.notification
        for old in list(self._notifications):
            if (old.message, old.severity) == (new.message, new.severity):
                self._unnotify(old, refresh=False)
        super()._on_notify(event)
