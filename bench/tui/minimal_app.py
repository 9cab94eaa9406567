"""The control: as little as a Textual app with the same kinds of parts can be."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.containers import Horizontal
from textual.widgets import Footer, Header, Input, OptionList, Static


class MinimalApp(App[None]):
    """A header, a box, a list beside a text, a footer."""

    TITLE = "minimal"
    CSS = "OptionList, Static { width: 1fr; height: 1fr; min-width: 1; }"
    BINDINGS = [("ctrl+q", "quit", "Quit"), ("f1", "help", "Help")]  # noqa: RUF012  as Textual has it

    def compose(self) -> ComposeResult:
        """The five parts."""
        yield Header()
        yield Input(placeholder="Type something here")
        with Horizontal():
            yield OptionList(*(f"Option number {number}" for number in range(20)))
            yield Static("A text beside the list", markup=False)
        yield Footer()


if __name__ == "__main__":
    MinimalApp().run()
