"""What runs in the process that holds the model for questions: a JSON object a line, in and out, until nobody asks.

It is asked on standard input, and ends with it: also when the workbench is killed.
"""

from __future__ import annotations

import json
import os
from base64 import b64encode
from typing import TYPE_CHECKING

from core.fault import Fault
from tui.child_side import take_pipes

if TYPE_CHECKING:
    from core.embedding.embedder import Embedder


def main(settings: str) -> int:
    """Load the model that the `settings` of embedding, as JSON, name, and tell which it is; then answer."""
    heard, said = take_pipes()

    def tell(value: object) -> None:
        said.write(json.dumps(value).encode() + b"\n")
        said.flush()

    try:
        embedder = _loaded(settings)
        tell({"id": embedder.id, "version": embedder.version, "recipe": embedder.recipe, "dim": embedder.dim})
        with os.fdopen(heard, "rb") as asked:
            for line in asked:
                tell(_answer(embedder, line))
    except Fault as fault:
        tell(_told(fault))
    except OSError:  # nobody is there any more
        pass
    os._exit(0)  # to take the model's modules down one by one would take longer than all the rest


def _loaded(settings: str) -> Embedder:
    from core.embedding.local import load
    from core.embedding.models import Absent, current
    from core.settings import EmbeddingSettings

    found = current(EmbeddingSettings(**json.loads(settings)))
    if isinstance(found, Absent):
        raise Fault("model_not_pulled", found.reason, found.remedy)
    try:
        return load(found)
    except Fault:
        raise
    except Exception as error:  # whatever a broken model raises
        raise Fault("model_unreachable", f"the model is broken: {type(error).__name__}") from error


def _answer(embedder: Embedder, line: bytes) -> object:
    asked = json.loads(line)
    try:
        found = embedder.embed(asked["texts"], asked["kind"])
    except Fault as fault:
        return _told(fault)
    except Exception as error:  # noqa: BLE001  onnxruntime and tokenizers raise what they like
        return _told(Fault("model_unreachable", f"the model is broken: {type(error).__name__}"))
    return {"vectors": [[b64encode(vector).decode() for vector in windows] for windows in found]}


def _told(fault: Fault) -> dict[str, object]:
    return {"code": fault.code, "message": fault.message, "hint": fault.hint or ""}
