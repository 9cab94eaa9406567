"""The last steps of a model's folder: list it, prove that it embeds, and centre its vectors where that helps."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from core.base.atomic import write_file
from core.base.fault import Fault
from core.base.paths import make_folder
from core.embedding.models.calibrate import CENTRE, centre_of
from core.embedding.models.catalogue import CATALOGUE, Languages, Model
from core.embedding.models.convert import WEIGHTS, Described, convert, describe, put_tokenizer
from core.embedding.models.model_folder import DATA, ONNX, TOKENIZER, digest, new_part, put, seal, sweep, valid_id
from core.embedding.models.models import added_folder
from core.embedding.models.prepare import lock_of
from core.embedding.runtime.local import Parallel, open_folder
from core.process.lock import hold_lock


def settle(part: Path, model: Model, source: str) -> Model:
    """Make `part`, whose files are all there, a folder of `model` that can be `put`, and return what it is now.

    Embeds the shipped texts, which takes seconds. Raises Fault where the folder gives no vectors of the model's size,
    io_error for the disk.
    """
    sealed = seal(part, model, source)
    embedder = Parallel(open_folder(part, sealed), os.cpu_count() or 1)
    try:
        centre = centre_of(embedder, sealed)
    finally:
        embedder.close()
    if centre is None:
        return sealed
    write_file(part / CENTRE, [centre.text, "\n"], replace=True)
    return seal(part, sealed._replace(centre=centre.name), source)


_GRAPHS = (ONNX, f"onnx/{ONNX}")
_WINDOW = 256
"""What a model reads at once where its files do not say."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the user says of the model, where its files do not say it or not rightly; None: as its files say."""

    id: str | None = None
    languages: Languages | None = None
    document_prefix: str | None = None
    query_prefix: str | None = None


def add(folder: Path, wishes: Wishes, environ: Mapping[str, str] | None = None) -> Model:
    """Copy or convert the model in `folder` to where casebook keeps them, prove that it embeds, and return it.

    Nothing of `folder` is run and nothing in it is changed. Raises Fault invalid_input for a folder that holds no
    model or one that cannot be used, model_unreachable where it does not run, io_error for the disk.
    """
    if not folder.is_dir():
        message = f"{folder} is not a folder" if folder.exists() else f"folder {folder} not found"
        raise Fault("invalid_input", message, "pass the folder of a model")
    name = wishes.id or folder.resolve().name
    if not valid_id(name):
        raise Fault(
            "invalid_input", f"{name!r} is not a valid model id", "pass an id of letters, digits, . _ - with --id"
        )
    target = added_folder(name, environ)
    make_folder(target.parent)
    with hold_lock(lock_of(target)):
        sweep(target)
        part = new_part(target)
        try:
            model = _filled(folder, part, name, wishes)
            sealed = settle(part, model, str(folder.resolve()))
            put(part, target)
        except OSError as error:
            raise Fault("io_error", f"cannot copy the model: {error.strerror}", "check both folders") from error
        finally:
            shutil.rmtree(part, ignore_errors=True)
    return sealed


def _filled(folder: Path, part: Path, name: str, wishes: Wishes) -> Model:
    """Fill `part` from `folder` and return the model."""
    known = CATALOGUE.get(name)
    graph = next((folder / one for one in _GRAPHS if (folder / one).is_file()), None)
    if graph is not None:
        described, version = describe(folder), ""
        shutil.copyfile(graph, part / ONNX)
        data = graph.with_name(DATA)
        if data.is_file():
            shutil.copyfile(data, part / DATA)
        put_tokenizer(folder, part, described, _window(described, known))
    elif (folder / WEIGHTS).is_file():
        described = convert(folder, part, name, known.window if known else _window(describe(folder), None))
        version = digest(folder / WEIGHTS)[:12]
    else:
        message = f"{folder} contains no model: {ONNX} and {WEIGHTS} are missing"
        raise Fault("invalid_input", message, f"pass a folder with one of them and a {TOKENIZER}")
    if known is not None:
        return known._replace(version=version)
    return _described(described, name, version, wishes)


def _described(described: Described, name: str, version: str, wishes: Wishes) -> Model:
    model = Model(
        name,
        version,
        described.dim,
        wishes.languages or described.languages,
        _window(described, None),
        document_prefix=described.document_prefix if wishes.document_prefix is None else wishes.document_prefix,
        query_prefix=described.query_prefix if wishes.query_prefix is None else wishes.query_prefix,
        pooling=described.pooling,
    )
    if not model.dim:
        raise Fault("invalid_input", "the folder does not declare the vector dimension", "add its config.json")
    return model


def _window(described: Described, known: Model | None) -> int:
    return known.window if known is not None else described.window or _WINDOW
