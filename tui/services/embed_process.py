"""Embedding in a process of its own, for an hour if need be: no key waits for its model, and leaving is as quick.

In a thread the model itself would let go of the interpreter, but loading it and making the texts would not.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.base.fault import Fault
from tui.runtime.child_process import Child, fault_of

if TYPE_CHECKING:
    from core.base.config.settings import EmbeddingSettings
    from core.base.reports import Progress
    from core.embedding.runtime.report import EmbedReport

CHILD = "from tui.services.embed_child import main"


class EmbedProcess:
    """One run. `stop` may be called at any time and from any thread, also more than once."""

    def __init__(self, casebook: Path, settings: EmbeddingSettings) -> None:
        self._child = Child(CHILD, casebook, json.dumps(settings.as_dict()))

    def stop(self) -> None:
        """Ask it to stop; what is written stays, and the next run goes on from there. Returns at once."""
        self._child.stop()

    def run(self, tell: Callable[[Progress], None]) -> EmbedReport:
        """Embed what waits, and call `tell` with each progress; waits for the end.

        Raises Fault: what `embed_pending` raises; generic where the process has died or cannot be started.
        """
        try:
            self._child.begin()
        except OSError as error:
            raise Fault("generic", f"No process could be started to embed in ({error.strerror}).") from error
        with self._child:
            for said in self._child.said():
                if (report := _heard(said, tell)) is not None:
                    return report
        raise self._child.died("Embedding")


def _heard(said: bytes, tell: Callable[[Progress], None]) -> EmbedReport | None:
    """Hand on a progress; the report at the end, or its Fault."""
    from core.base.reports import Progress
    from core.embedding.runtime.report import EmbedPart, EmbedReport, FailedText

    value: dict[str, Any] = json.loads(said)
    kind = value.pop("schema_version")
    if kind == Progress.SCHEMA:
        tell(Progress(**value))
        return None
    if kind == EmbedReport.SCHEMA:
        failed = tuple(FailedText(**one) for one in value.pop("failed"))
        parts = tuple(EmbedPart(**one) for one in value.pop("parts"))
        return EmbedReport(**value, failed=failed, parts=parts)
    raise fault_of(value)
