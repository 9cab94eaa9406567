"""The model that questions are asked with, in a process of its own: to load it in this one would hold up every key.

Its libraries take a second to import, in pieces of a tenth; and each question would take some of the interpreter.
"""

from __future__ import annotations

import json
import threading
from base64 import b64decode
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from core.fault import Fault
from tui.child import Child, fault_of

if TYPE_CHECKING:
    from core.embedding.embedder import Kind, Vector
    from core.settings import EmbeddingSettings

CHILD = "from tui.panes.errors.ask_child import main"


class AskProcess:
    """An `Embedder` (see `core.embedding.embedder`) for several threads, one after another.

    `begin` waits until the model is loaded. `end` may be called at any time and from any thread: whoever waits for an
    answer then gets a Fault.
    """

    id = version = recipe = ""
    dim = 0

    def __init__(self, settings: EmbeddingSettings) -> None:
        self._child = Child(CHILD, json.dumps(asdict(settings)))
        self._said: Iterator[bytes] = iter(())
        self._turn = threading.Lock()

    def begin(self) -> None:
        """Start it, and wait for its model. Raises Fault: what loading raises; model_unreachable where it dies."""
        try:
            self._child.begin()
        except OSError as error:
            raise Fault("model_unreachable", f"no process could be started for the model ({error.strerror})") from error
        self._said = self._child.said()
        told = self._heard()
        self.id, self.version, self.recipe, self.dim = told["id"], told["version"], told["recipe"], told["dim"]

    def embed(self, texts: Sequence[str], kind: Kind) -> list[tuple[Vector, ...]]:
        with self._turn:
            self._child.ask(json.dumps({"texts": list(texts), "kind": kind}).encode())
            told = self._heard()
        return [tuple(b64decode(vector) for vector in windows) for windows in told["vectors"]]

    def _heard(self) -> dict[str, Any]:
        line = next(self._said, None)
        if line is None:
            raise Fault("model_unreachable", "the model's process has ended")
        told: dict[str, Any] = json.loads(line)
        if "code" in told:
            raise fault_of(told)
        return told

    def close(self) -> None:
        """It ends once it has answered."""
        self._child.stop()

    def end(self) -> None:
        """End it at once."""
        self._child.kill()

    def ended(self, seconds: float) -> int | None:
        """Wait so long for its end: its code, None if it still runs then."""
        return self._child.wait(seconds)
