"""Harvesting again in a process of its own: what an import is too. Stopped, the next run continues from there."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui.runtime.child_process import Child, fault_of
from tui.services.again_child import harvest_into

if TYPE_CHECKING:
    from core.flows.transcripts.again.report import ImportAgain
    from core.flows.transcripts.report import Progress

CHILD = "from tui.services.again_child import main"


class AgainProcess:
    """One run that shows what would change, or applies it. `stop` may be called at any time and from any thread."""

    def __init__(self, casebook: Path, *, apply: bool) -> None:
        self._casebook = casebook
        self._apply = apply
        self._stopped = False
        self._child = Child(CHILD, casebook, "apply" if apply else "show")

    def stop(self) -> None:
        """Ask it to stop after the session it is at. Returns at once."""
        self._stopped = True
        self._child.stop()

    def run(self, tell: Callable[[Progress], None]) -> ImportAgain:
        """Harvest, and call `tell` with each progress; waits for the end.

        Raises Fault: what `harvest_into` raises; generic where the process has died.
        """
        try:
            self._child.begin()
        except OSError:  # no memory for it, no process left: slower for whoever types meanwhile, but it is done
            return harvest_into(self._casebook, tell, lambda: self._stopped, apply=self._apply)
        with self._child:
            for said in self._child.said():
                if (report := _heard(said, tell)) is not None:
                    return report
        raise self._child.died("Harvesting again")


def _heard(said: bytes, tell: Callable[[Progress], None]) -> ImportAgain | None:
    """Hand on a progress; the report at the end, or its Fault."""
    from core.flows.transcripts.again.report import Counts, Drafts, GoneCase, ImportAgain
    from core.flows.transcripts.report import Progress

    value: dict[str, Any] = json.loads(said)
    kind = value.pop("schema_version")
    if kind == Progress.SCHEMA:
        tell(Progress(**value))
        return None
    if kind != ImportAgain.SCHEMA:
        raise fault_of(value)
    nested = {
        "before": Counts(**value.pop("before")),
        "after": Counts(**value.pop("after")),
        "drafts": Drafts(**value.pop("drafts")),
        "gone": tuple(GoneCase(**one) for one in value.pop("gone")),
    }
    return ImportAgain(**value, **nested)
