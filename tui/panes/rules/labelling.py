"""What a person says of a call and a rule, on its way to disk: right, wrong, missing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from core.fault import Fault
from tui.jobs import Jobs
from tui.panes.rules.queries import say

if TYPE_CHECKING:
    from core.rules.call import ToolCall
    from core.rules.label_file import Label, Verdict

LANE = "rules-label"


class Labelling:
    """Writes labels one after another; `said` hears each, with its call, `uncounted` why one is not among the
    counts of its rule, `failed` what could not be written."""

    def __init__(
        self,
        jobs: Jobs,
        said: Callable[[ToolCall, Label | None, str], object],
        uncounted: Callable[[str], object],
        failed: Callable[[Fault], None],
    ) -> None:
        self._jobs = jobs
        self._said = said
        self._uncounted = uncounted
        self._failed = failed

    def say(self, call: ToolCall, rule: str | None, verdict: Verdict, shown_from: str | None = None) -> None:
        """On disk in its turn. `shown_from`: the file of a rule that is shown."""

        def done(found: tuple[Label | None, str], _final: bool) -> None:
            label, why_uncounted = found
            self._said(call, label, _told(label, rule, verdict))
            if why_uncounted:
                self._uncounted(f"kept, but not counted: {why_uncounted}")

        self._jobs.run(LANE, say(call, rule, verdict, shown_from), done, self._failed, keep=True)


def _told(label: Label | None, rule: str | None, verdict: Verdict) -> str:
    if rule is None:
        return "silence is right here: a case for compare" if label is not None else "taken back"
    kept = label is not None and rule in (label.not_these if verdict == "wrong" else label.applies)
    return f"{rule} is {verdict} here: a case for compare" if kept else f"{rule}: taken back"
