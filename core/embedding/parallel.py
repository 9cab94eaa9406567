"""All cores for many texts: parts of a batch side by side through one model that itself uses one core.

On short texts this takes little more than half the processor time of the model's own threads, which wait for each other
at every layer and, on a busy machine, keep the cores from those who work.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

from core.embedding.embedder import Embedder, Kind, Vector

_LEAST = 4
"""Texts below which a part is not worth a thread."""
_MOST = 16
"""Texts given to the model at once: what lies between its layers then fits the processor's cache, a quarter quicker."""

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
        """See `Embedder`. Neighbours are dealt out in turn: the parts of texts sorted by length take equally long."""
        count = max(1, min(self.workers, len(texts) // _LEAST))
        found: list[Windows | BaseException] = [[] for _ in range(count)]

        def work(at: int) -> None:
            try:
                found[at] = self._part(texts[at::count], kind)
            except BaseException as error:  # noqa: BLE001  raised below, in the caller's thread
                found[at] = error

        # Daemons, not a pool: a process that is told to end does not wait for them.
        others = [threading.Thread(target=work, args=(at,), daemon=True) for at in range(1, count)]
        for other in others:
            other.start()
        work(0)
        for other in others:
            other.join()
        out: Windows = [()] * len(texts)
        for at, part in enumerate(found):
            if isinstance(part, BaseException):
                raise part
            out[at::count] = part
        return out

    def _part(self, texts: Sequence[str], kind: Kind) -> Windows:
        rounds = max(1, -(-len(texts) // _MOST))
        step = max(1, -(-len(texts) // rounds))
        return [one for at in range(0, len(texts), step) for one in self.inner.embed(texts[at : at + step], kind)]

    def close(self) -> None:
        """Let go of the model."""
        self.inner.close()
