"""What a run of embedding did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class FailedText:
    """A text that could not be embedded: the id of its row, and why. It is tried again when it or the model changes."""

    item_id: int
    reason: str
    kind: str = "error"


@dataclass(frozen=True, slots=True)
class EmbedPart:
    """What a run did for one kind of text (error, rule, chunk); the counts are those of `EmbedReport`."""

    kind: str
    recipe: str
    embedded: int = 0
    reused: int = 0
    removed: int = 0
    failed: int = 0
    waiting: int = 0
    copied: int = 0


@dataclass(frozen=True, slots=True)
class EmbedReport:
    """What a run of embedding did (`embed_report.v1`).

    `embedded` were given to the model; `reused` were not: they had a vector that still held, or took that of an equal
    text (`copied` of them); `removed` were gone; `failed` are left out until they change; `waiting` is what is left.
    `busy`: another run was at it, and nothing was done. A run over several kinds has the kind `all`, no recipe of its
    own, and each kind among its `parts`.
    """

    SCHEMA: ClassVar[str] = "embed_report.v1"

    kind: str
    model: str
    recipe: str
    embedded: int = 0
    reused: int = 0
    removed: int = 0
    failed: tuple[FailedText, ...] = ()
    waiting: int = 0
    canceled: bool = False
    busy: bool = False
    elapsed_s: float = 0.0
    parts: tuple[EmbedPart, ...] = ()
    copied: int = 0
