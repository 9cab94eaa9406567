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
    """Writes labels one after another; `said` hears each, with its call, `failed` what could not be written."""

    def __init__(
        self,
        jobs: Jobs,
        said: Callable[[ToolCall, Label | None, str], object],
        failed: Callable[[Fault], None],
    ) -> None:
        self._jobs = jobs
        self._said = said
        self._failed = failed

    def say(self, call: ToolCall, rule: str | None, verdict: Verdict) -> None:
        """On disk in its turn."""

        def done(label: Label | None, _final: bool) -> None:
            self._said(call, label, _told(label, rule, verdict))

        self._jobs.run(LANE, say(call, rule, verdict), done, self._failed, keep=True)


def _told(label: Label | None, rule: str | None, verdict: Verdict) -> str:
    if rule is None:
        return "silence is right here: a case for compare" if label is not None else "taken back"
    kept = label is not None and rule in (label.not_these if verdict == "wrong" else label.applies)
    return f"{rule} is {verdict} here: a case for compare" if kept else f"{rule}: taken back"
