"""What is known of the model service, for people and scripts (`model_service.v1`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.embedding.service.client import Unserved, look
from core.embedding.service.socket_path import Place, service_place


@dataclass(frozen=True, slots=True)
class ModelService:
    """Whether a model service answers at `address` and, if so, with which model; `reason` says it in a sentence.

    `broken`: there is one, or something in its place, that does not answer as it should. `pid`: its process.
    `texts`: how many it has embedded. `idle_s`: seconds without a question after which it ends. The last three are
    null where none answers.
    """

    SCHEMA: ClassVar[str] = "model_service.v1"

    answers: bool
    broken: bool
    loading: bool
    reason: str
    address: str
    model: str
    version: str
    pid: int | None
    texts: int | None
    idle_s: int | None


def model_service(place: Place | None = None, deadline_ms: float = 1000) -> ModelService:
    """Look whether one answers. Starts nothing, raises nothing, waits no longer than `deadline_ms`."""
    where = service_place() if place is None else place
    state = look(where, deadline_ms)
    address = str(where.entrance)
    if isinstance(state, Unserved):
        broken = state.outcome != "skipped"
        return ModelService(False, broken, False, state.reason, address, "", "", None, None, None)
    doing = "is loading" if state.loading else "answers with"
    said = f"the model service (process {state.pid}) {doing} {state.id}"
    return ModelService(
        True, False, state.loading, said, address, state.id, state.version, state.pid, state.texts, state.idle_s
    )
