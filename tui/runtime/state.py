"""What the workbench remembers of a casebook: theme, filter, sorting, what was shown, where one was. Never data.

One small JSON file a casebook in the state folder, named by the casebook's path. A file that cannot be read, or that a
later version wrote, counts as none.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, cast

from core.base.paths import casebook_state, make_folder

if TYPE_CHECKING:
    from core.base.fault import Fault
    from tui.runtime.jobs import Job, Jobs
    from tui.terminal.crash import Logger

VERSION = 1
MAX_BYTES = 65_536
PAUSE = 1.0
"""Seconds after a change before it is written: the next one may come at once."""

TYPED = "query"
"""The name under which a pane remembers what was typed."""

Scalar = str | int | float | bool | None
Memory = Mapping[str, Scalar]
"""What one pane remembers."""


@dataclass(frozen=True, slots=True)
class State:
    """`theme` was chosen by hand while the setting said `setting`: a setting changed since then wins.

    `pane`: the one on the screen."""

    theme: str = ""
    setting: str = ""
    panes: Mapping[str, Memory] = field(default_factory=dict[str, Memory])
    pane: str = ""

    def theme_under(self, setting: str) -> str:
        """The theme to start with, where the settings name `setting`."""
        return self.theme if self.theme and self.setting == setting else setting


def state_file(database: Path, environ: Mapping[str, str] | None = None) -> Path:
    """Where the state of this casebook is kept."""
    place = casebook_state("workbench", database, environ)
    return place.with_name(f"{place.name}.json")


def read_state(path: Path) -> tuple[State, str]:
    """The state that was kept, and what is wrong with the file, if so. Never raises."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return State(), ""
    except OSError as error:
        return State(), f"{path}: {error.strerror}"
    try:
        if len(data) > MAX_BYTES:
            raise ValueError("the file is too large")
        return _state(json.loads(data)), ""
    except (ValueError, TypeError, RecursionError) as error:
        return State(), f"{path}: {error}"


def write_state(path: Path, state: State) -> None:
    """Keep the state: whole or not at all, for its owner's eyes. Raises Fault `io_error`, OSError."""
    from core.base.atomic import write_file

    make_folder(path.parent)
    panes = {name: _without_secrets(memory) for name, memory in state.panes.items()}
    fields = {"theme": state.theme, "setting": state.setting, "pane": state.pane, "panes": panes}
    write_file(path, [json.dumps({"version": VERSION, **fields})], replace=True)


def _without_secrets(memory: Memory) -> dict[str, Scalar]:
    """What a person typed is left out where it holds one."""
    from core.text import redact

    clean = dict(memory)
    if isinstance(typed := clean.get(TYPED), str) and redact(typed) != typed:
        clean[TYPED] = None
    return clean


def _state(found: object) -> State:
    table = _table(found)
    if table.get("version") != VERSION:
        raise ValueError(f"version {table.get('version')!r}, expected {VERSION}")
    theme, setting, pane = table.get("theme", ""), table.get("setting", ""), table.get("pane", "")
    if not isinstance(theme, str) or not isinstance(setting, str) or not isinstance(pane, str):
        raise TypeError("a name is not a string")
    panes = {
        name: {key: value for key, value in _table(memory).items() if isinstance(value, Scalar)}
        for name, memory in _table(table.get("panes", {})).items()
    }
    return State(theme, setting, panes, pane)


def _table(found: object) -> dict[str, object]:
    if not isinstance(found, dict):
        raise TypeError("expected a table")
    return cast("dict[str, object]", found)


class Keeper:
    """Writes the state some time after it has changed, on a job's thread, and at once when the workbench is left."""

    def __init__(self, path: Path, state: State, jobs: Jobs, log_line: Logger) -> None:
        self._path = path
        self._jobs = jobs
        self._log_line = log_line
        self._pending = state

    def keep(self, state: State, *, last: bool = False) -> None:
        """This is the state now."""
        if state == self._pending:
            return
        self._pending = state
        lane = "state-last" if last else "state"
        self._jobs.run(lane, self._write(state), _nothing, self._failed, delay=0.0 if last else PAUSE, keep=last)

    def last(self) -> None:
        """Write at once what waits to be written: nothing comes after it."""
        if self._jobs.busy("state"):
            state, self._pending = self._pending, State()
            self.keep(state, last=True)

    def _write(self, state: State) -> Callable[[Job[None]], None]:
        return lambda _job: write_state(self._path, state)

    def _failed(self, fault: Fault) -> None:
        self._log_line("warning", "cannot save the state", message=fault.message)


def _nothing(_value: None, _final: bool) -> None:
    """Ignore that the state was written."""
