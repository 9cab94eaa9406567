"""Sync with the team behind the workbench: a job of its own, once the casebook is in one."""

from __future__ import annotations

from collections.abc import Callable

from core.flows.team.sync.mark import is_marked
from tui.runtime.jobs import Job, Jobs, job_work

LANE = "team"


class TeamSyncing:
    """Begins when the casebook is in a team, ends when it left; `say` receives the state in few words."""

    def __init__(self, jobs: Jobs, say: Callable[[str], None], log: Callable[[str], object]) -> None:
        self._jobs = jobs
        self._say = say
        self._log = log

    def begin(self) -> None:
        """Begin unless it runs; without a team this looks at one file name."""
        if is_marked(self._jobs.path) and not self._jobs.busy(LANE):
            self._jobs.run(LANE, _stay(self._log), lambda line, _final: self._say(line), lambda _fault: None)


@job_work
def _stay(job: Job[str], log: Callable[[str], object]) -> str:
    from core.flows.team.sync.follow import follow

    follow(job.lane.path, job.pause, job.partial, log)
    return ""
