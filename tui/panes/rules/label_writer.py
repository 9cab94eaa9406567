"""What a person says of a call and a rule, on its way to disk: right, wrong, missing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from core.base.fault import Fault
from tui.panes.rules.queries import Saying, say
from tui.runtime.jobs import Jobs

if TYPE_CHECKING:
    from core.flows.rules.labels import Said
    from core.rules.evaluation.labels import Label, Verdict
    from core.rules.matching.call import ToolCall

LANE = "rules-label"


class Labelling:
    """Writes labels one after another; `said` hears each, with its call, `warned` why one is not among the counts of
    its rule or was not changed, `failed` what could not be written."""

    def __init__(
        self,
        jobs: Jobs,
        said: Callable[[ToolCall, Label | None, str], object],
        warned: Callable[[str], object],
        failed: Callable[[Fault], None],
    ) -> None:
        self._jobs = jobs
        self._said = said
        self._warned = warned
        self._failed = failed
        self._last: Saying | None = None

    def say(
        self,
        call: ToolCall,
        rule: str | None,
        verdict: Verdict,
        seen: Label | None,
        shown_from: str | None = None,
        project: str = "",
    ) -> None:
        """On disk in its turn. `seen`: the label that is on the screen; `shown_from`: the file of a rule that is shown;
        `project`: the folder whose rules are.

        What one has said a moment ago and is not on the screen yet counts as seen.
        """

        before = self._last if self._last is not None and self._last.call is call else None
        saying = self._last = Saying(call, rule, verdict, seen, shown_from, before, project)

        def done(found: Said, _final: bool) -> None:
            self._heard(saying)
            self._said(call, found.label, "" if found.otherwise else _told(found.label, rule, verdict))
            if found.otherwise:
                self._warned(_OTHERWISE)
            elif found.uncounted:
                self._warned(f"kept, but not counted: {found.uncounted}")

        def failed(fault: Fault) -> None:
            self._heard(saying)
            self._failed(fault)

        self._jobs.run(LANE, say(saying), done, failed, keep=True)

    def _heard(self, saying: Saying) -> None:
        if self._last is saying:
            self._last = None


_OTHERWISE = "This call was labelled elsewhere meanwhile: nothing was changed, and its label is shown as it is now."


def _told(label: Label | None, rule: str | None, verdict: Verdict) -> str:
    if rule is None:
        return "silence is right here: a case for compare" if label is not None else "taken back"
    kept = label is not None and rule in (label.not_these if verdict == "wrong" else label.applies)
    return f"{rule} is {verdict} here: a case for compare" if kept else f"{rule}: taken back"
