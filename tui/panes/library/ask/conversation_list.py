"""The conversations that are kept, read as the work of jobs: their list, and one to be gone on with."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tui.panes.library.ask.conversation import Asked, Talk
from tui.runtime.jobs import Job

if TYPE_CHECKING:
    from core.library.ask.store import SessionRow

SHOWN = 40
"""Turns of an old conversation that are shown, its last ones."""


def read_talks() -> Callable[[Job[tuple[SessionRow, ...]]], tuple[SessionRow, ...]]:
    """The conversations, the last one first."""

    def work(job: Job[Any]) -> tuple[SessionRow, ...]:
        from core.library.ask.store import list_sessions

        return list_sessions(job.store().con).sessions

    return work


def read_talk(session: str) -> Callable[[Job[Talk]], Talk]:
    """One of them: every answer with its checks, where they can be read."""

    def work(job: Job[Any]) -> Talk:
        from core.library.ask.store import answers_of, show_session, with_files

        con = job.store().con
        turns = show_session(con, session).turns
        kept = answers_of(con, session)
        answers = dict(zip(kept, with_files(con, tuple(kept.values())), strict=True))
        shown = [
            Asked(one.question, one.answer, answer=answers.get(one.turn_index), kept=one) for one in turns[-SHOWN:]
        ]
        return Talk(session, shown, left_out=max(0, len(turns) - SHOWN))

    return work
