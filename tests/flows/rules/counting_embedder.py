"""Two rules to embed, and the real model with a count of what it was given."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.fault import Fault
from core.embedding.runtime.embedder import Embedder, Kind, Vector

RULES = """\
### ERR-001: Force push over a shared branch
**Problem**: `git push --force` removed commits of others
**Solution**: `--force-with-lease` on your own branch
### ERR-002: Slow report
**Problem**: the monthly report reads each invoice alone
**Solution**: read the invoices in one query
"""


class Counting:
    """The real model, with a count of what it was given; `fail` makes it fail, `slow` makes it late."""

    def __init__(self, inner: Embedder) -> None:
        self.inner, self.id, self.version = inner, inner.id, inner.version
        self.recipe, self.dim = inner.recipe, inner.dim
        self.documents: list[str] = []
        self.fail: Fault | None = None

    def embed(self, texts: Sequence[str], kind: Kind) -> list[tuple[Vector, ...]]:
        if self.fail is not None:
            raise self.fail
        if kind == "document":
            self.documents += texts
        return self.inner.embed(texts, kind)

    def close(self) -> None:
        pass
