"""What runs in the embedding's own process: see `tui.runtime.child_side`. It stops between two slices of a batch."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tui.runtime.child_side import Tell, keep_to_one_core, serve

GRACE = 3.0
"""Seconds it has for the slice it is at, or for loading the model: whatever is not written waits for the next run."""


def main(casebook: str, settings: str) -> int:
    """Embed what waits with one core, telling each `progress.v1`, at the end the `embed_report.v1` or an `error.v1`.

    `settings`: those of embedding, as JSON.
    """

    def work(tell: Tell, stopped: Callable[[], bool]) -> object:
        from core.base.config.settings import EmbeddingSettings
        from core.flows.system.embedding import embed_pending

        chosen = EmbeddingSettings(**json.loads(settings))
        return embed_pending(Path(casebook), settings=chosen, threads=1, progress=tell, stop=stopped)

    keep_to_one_core()
    return serve(work, GRACE)
