"""Texts that were typed and not saved: found when the workbench opens, and resumed one after another."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from core.base.fault import Fault
from tui.render.common.glyphs import Signs
from tui.runtime.jobs import Job, Jobs, job_work

if TYPE_CHECKING:
    from core.errors.curation.autosave import Unsaved, Writer

AFTER = 0.8
"""Seconds after the workbench opens: what a person came for is shown first."""


@job_work
def read_unsaved(job: Job[Any], writer: Callable[[], Writer]) -> tuple[Unsaved, ...]:
    """What was typed and not saved, and no other window is at; nothing where there is no casebook to save it in."""
    from core.errors.curation.autosave import unsaved_texts

    if not writer().saved().free:
        return ()
    try:
        return unsaved_texts(job.store(), writer())
    except Fault:
        return ()


class UnsavedTexts:
    """Knows what was typed and not saved. `write` opens the editor of a case, `show` a text whose case is gone.

    Used from the interface's thread only.
    """

    def __init__(
        self,
        jobs: Jobs,
        writer: Callable[[], Writer],
        signs: Signs,
        say: Callable[[str], None],
        write: Callable[[int], None],
        show: Callable[[str, str], object],
        changed: Callable[[], object],
    ) -> None:
        self._jobs = jobs
        self._writer = writer
        self._signs = signs
        self._say = say
        self._write = write
        self._show = show
        self._changed = changed
        self._texts: tuple[Unsaved, ...] = ()
        self._opened: set[int] = set()

    @property
    def count(self) -> int:
        """How many texts wait."""
        return len(self._texts)

    def look(self, *, tell: bool = False) -> None:
        """Look for unsaved drafts; with `tell`, when the workbench opens, show a toast."""

        def on_texts(texts: tuple[Unsaved, ...], _final: bool) -> None:
            changed, self._texts = len(texts) != self.count, texts
            if tell and texts:
                self._say(self._signs.fill_keys(announced(texts)))
            if changed:
                self._changed()

        delay = AFTER if tell else 0.0
        self._jobs.run("unsaved", read_unsaved(self._writer), on_texts, lambda _fault: None, delay=delay)

    def go_on(self) -> None:
        """Open the newest that was not opened yet; after the last one the first again."""
        if all(one.scratch.case_id in self._opened for one in self._texts):
            self._opened.clear()
        one = next((one for one in self._texts if one.scratch.case_id not in self._opened), None)
        if one is None:
            return
        self._opened.add(one.scratch.case_id)
        if one.case_id is None:
            self._show(f"Unsaved fix of deleted case #{one.scratch.case_id}", one.scratch.written.text)
            return
        self._jobs.run(
            "scratch",
            _count_carried(one),
            lambda case_id, _final: self._write(case_id),
            lambda fault: self._say(fault.message),
            keep=True,
        )


def announced(texts: tuple[Unsaved, ...]) -> str:
    """What is said of them; names the key by its action."""
    newest = f"#{texts[0].case_id or texts[0].scratch.case_id}"
    if len(texts) == 1:
        return f"Case {newest} has an unsaved fix. In Errors, press {{fix.unsaved}} to resume."
    many = f"{len(texts)} unsaved fixes, the latest for case {newest}"
    return f"{many}. In Errors, press {{fix.unsaved}} to resume them in turn."


@job_work
def _count_carried(job: Job[Any], one: Unsaved) -> int:
    from core.errors.curation.autosave import scratch_folder, take_along

    return take_along(scratch_folder(job.lane.path), one)
