"""A scrolling text: vim motions and the wheel, from the action registry."""

from __future__ import annotations

from textual.containers import VerticalScroll

from tui.actions.registry import bindings


class Reading(VerticalScroll, inherit_bindings=False):
    """Something to read. Its focus is shown by its border; it scrolls without animation."""

    BINDINGS = bindings("scroll")

    def perform(self, action_id: str) -> bool:
        """Do a scroll action of the registry; False for anything else."""
        page = max(1, self.size.height - 2)
        steps = {"scroll.down": 1, "scroll.up": -1, "scroll.page_down": page, "scroll.page_up": -page}
        if action_id in steps:
            self.scroll_relative(y=steps[action_id], animate=False)
        elif action_id == "scroll.first":
            self.scroll_home(animate=False)
        elif action_id == "scroll.last":
            self.scroll_end(animate=False)
        else:
            return False
        return True
