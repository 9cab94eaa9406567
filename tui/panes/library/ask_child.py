"""What runs in the process that searches the library by meaning: a JSON object a line, in and out, until nobody asks.

It is asked on standard input, and ends with it: also when the workbench is killed. It writes nothing.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from core.fault import Fault
from tui.child_side import take_pipes

if TYPE_CHECKING:
    from core.embedding.asking import VectorSearch


def main(database: str, settings: str) -> int:
    """Answer queries of the casebook at `database`, with the model that the `settings` of embedding, as JSON, name."""
    heard, said = take_pipes()
    from core.embedding.bits import KeptBits
    from core.flows.library_search import model_search
    from core.settings import EmbeddingSettings

    vectors = model_search(EmbeddingSettings(**json.loads(settings)), KeptBits())
    try:
        with os.fdopen(heard, "rb") as asked:
            for line in asked:
                said.write(_answer(Path(database), line, vectors) + b"\n")
                said.flush()
    except OSError:  # nobody is there any more
        pass
    os._exit(0)  # to take the model's modules down one by one would take longer than all the rest


def _answer(database: Path, line: bytes, vectors: VectorSearch) -> bytes:
    from core.library.search import search
    from core.library.search_wire import query_from
    from core.store import as_fault, open_store
    from core.wire import dumps, error_object

    asked = json.loads(line)
    try:
        with open_store(database) as store:
            return dumps({"n": asked["n"], "answer": search(store, query_from(asked["query"]), vectors)}).encode()
    except Fault as fault:
        return dumps({"n": asked["n"], "fault": error_object(fault)}).encode()
    except Exception as error:  # noqa: BLE001  whatever is wrong with the file or the model, the workbench says so
        return dumps({"n": asked["n"], "fault": error_object(as_fault(error, database))}).encode()
