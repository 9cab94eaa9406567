"""All cores for many texts: parts of a batch side by side through one model that itself uses one core.

On short texts this takes little more than half the processor time of the model's own threads, which wait for each other
at every layer and, on a busy machine, keep the cores from those who work.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from core.embedding.runtime.embedder import Embedder, Kind, Vector

_LEAST = 4
"""Texts below which a part is not worth a thread."""
_MOST = 16
"""Texts given to the model at once; see `core.embedding.runtime.local`."""

Windows = list[tuple[Vector, ...]]


@dataclass(frozen=True, slots=True)
class Parallel:
    """An `Embedder` that gives `inner`, which several threads may use, up to `workers` parts at a time."""

    inner: Embedder
    workers: int

    @property
    def id(self) -> str:
        return self.inner.id

    @property
    def version(self) -> str:
        return self.inner.version

    @property
    def recipe(self) -> str:
        return self.inner.recipe

    @property
    def dim(self) -> int:
        return self.inner.dim

    def embed(self, texts: Sequence[str], kind: Kind) -> list[tuple[Vector, ...]]:
        """See `Embedder`. Neighbours stay together: texts in the order of their length make parts of one length."""
        count = max(1, min(self.workers, len(texts) // _LEAST))
        parts = _parts(len(texts), count)
        found: dict[range, Windows | BaseException] = {}
        waiting = deque(reversed(parts))  # the longest first: who is ready early takes one more of the short ones

        def work() -> None:
            with suppress(IndexError):
                while True:
                    part = waiting.popleft()
                    try:
                        found[part] = self.inner.embed(texts[part.start : part.stop], kind)
                    except BaseException as error:  # noqa: BLE001  raised below, in the caller's thread
                        found[part] = error

        # Daemons, not a pool: a process that is told to end does not wait for them.
        others = [threading.Thread(target=work, daemon=True) for _ in range(count - 1)]
        for other in others:
            other.start()
        work()
        for other in others:
            other.join()
        out: Windows = []
        for part in parts:
            made = found[part]
            if isinstance(made, BaseException):
                raise made
            out += made
        return out

    def close(self) -> None:
        """Let go of the model."""
        self.inner.close()


def _parts(texts: int, workers: int) -> list[range]:
    """As many parts for each worker, none of more than `_MOST` texts."""
    rounds = max(1, -(-texts // (_MOST * workers)))
    step = max(1, -(-texts // (rounds * workers)))
    return [range(at, min(at + step, texts)) for at in range(0, texts, step)]
