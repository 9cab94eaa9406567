"""A model's folder: its files under fixed names, and a list of them (`casebook.json`) by which damage is found.

A folder is made under another name and renamed when it is whole, so whoever finds one finds all of it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

from core.base.fault import Fault
from core.base.paths import make_folder
from core.embedding.models.catalogue import CATALOGUE, Model, Thresholds

ONNX, DATA, TOKENIZER = "model.onnx", "model.onnx_data", "tokenizer.json"
TOKENIZER_CONFIG, SPECIAL, CONFIG = "tokenizer_config.json", "special_tokens_map.json", "config.json"
NEEDED = (ONNX, TOKENIZER, TOKENIZER_CONFIG)
MANIFEST, THRESHOLDS = "casebook.json", "thresholds.json"
PART = ".part"
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_MOST_MANIFEST = 1 << 20


class InstalledModel(NamedTuple):
    """A model that a folder holds: the model with its version, and each file's size and SHA-256."""

    model: Model
    files: Mapping[str, tuple[int, str]]
    source: str


def valid_id(name: str) -> bool:
    """Whether `name` can be a model's id: it is also its folder's name."""
    return _ID.fullmatch(name) is not None and not name.endswith(PART)


def read(folder: Path) -> InstalledModel | None:
    """What `folder` holds; None where it is no model's folder, or a file is missing or has another size.

    Cheap: a small file and a `stat` each. Whether the bytes are right is for `damage` to say.
    """
    found = _loaded(folder / MANIFEST)
    try:
        if found is None or found["format"] != 1:
            return None
        files = {name: (int(one["size"]), str(one["sha256"])) for name, one in found["files"].items()}
        model = _model(found)
        whole = all("/" not in name and (folder / name).stat().st_size == size for name, (size, _) in files.items())
    except (OSError, KeyError, TypeError, ValueError, AttributeError):
        return None
    if not whole or not set(NEEDED) <= files.keys():
        return None
    if not model.measured:
        model = model._replace(thresholds=_thresholds(folder, model))
    return InstalledModel(model, files, str(found.get("source", "")))


def damage(folder: Path, kept: InstalledModel) -> str | None:
    """Describe the first file that differs from its digest; None if all match. Reads every byte."""
    for name, (_, expected) in kept.files.items():
        try:
            if digest(folder / name) != expected:
                return f"{folder / name} is damaged"
        except OSError as error:
            return f"{folder / name} cannot be read: {error.strerror}"
    return None


def digest(path: Path) -> str:
    """The SHA-256 of a file, as hex digits. Raises OSError."""
    import hashlib  # slow to load, and only who writes or checks needs it

    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def seal(folder: Path, model: Model, source: str) -> Model:
    """List what is in `folder` as `model`, whose version is made from its weights unless it has one.

    The last step before `put`. Raises Fault io_error.
    """
    import hashlib

    from core.base.atomic import write_file  # only who writes needs it

    names = sorted(path.name for path in folder.iterdir() if path.is_file() and path.name not in (MANIFEST, THRESHOLDS))
    files = {name: {"size": (folder / name).stat().st_size, "sha256": digest(folder / name)} for name in names}
    weights = hashlib.sha256("".join(str(files[name]["sha256"]) for name in (ONNX, DATA) if name in files).encode())
    model = model._replace(version=model.version or weights.hexdigest()[:12])
    fields = {name: getattr(model, name) for name in _WRITTEN}
    text = json.dumps({"format": 1, **fields, "source": source, "files": files}, indent=1, ensure_ascii=False)
    write_file(folder / MANIFEST, [text, "\n"], replace=True)
    return model


def new_part(target: Path) -> Path:
    """Create an empty folder next to `target`, to be filled and then `put`. Raises Fault io_error."""
    import secrets  # only who writes needs it

    part = target.parent / f".{target.name}.{os.getpid()}.{secrets.token_hex(4)}{PART}"
    try:
        make_folder(target.parent)
        part.mkdir(mode=0o700)
    except OSError as error:
        raise Fault(
            "io_error", f"cannot write {part}: {error.strerror}", "check the folder and its free space"
        ) from error
    return part


def put(part: Path, target: Path) -> None:
    """Give the finished `part` its name, replacing the previous folder except for measured thresholds.

    Only for who has the turn for `target`. Raises Fault io_error.
    """
    import shutil

    try:
        if target.exists():
            with contextlib.suppress(OSError):
                shutil.copyfile(target / THRESHOLDS, part / THRESHOLDS)
            old = new_part(target)
            target.rename(old / "old")  # a process that has it open reads on
            part.rename(target)
            shutil.rmtree(old, ignore_errors=True)
        else:
            part.rename(target)
    except OSError as error:
        raise Fault(
            "io_error", f"cannot write {target}: {error.strerror}", "check the folder and its free space"
        ) from error


def sweep(target: Path) -> None:
    """Remove what a killed process left of its work on `target`. The caller must hold the lock."""
    import shutil

    for left in target.parent.glob(f".{target.name}.*{PART}"):
        shutil.rmtree(left, ignore_errors=True)


def write_thresholds(folder: Path, model: Model, thresholds: Thresholds) -> None:
    """Store measured thresholds next to the model; they apply to its version and recipe only, and do not override the
    catalogue's. Raises Fault io_error."""
    from core.base.atomic import write_file

    fields = {"version": model.version, "recipe": model.recipe, **dataclasses.asdict(thresholds)}
    write_file(folder / THRESHOLDS, [json.dumps(fields, indent=1), "\n"], replace=True)


_WRITTEN = ("id", "version", "dim", "languages", "window", "document_prefix", "query_prefix", "pooling", "centre")


def _model(found: Mapping[str, Any]) -> Model:
    """The model a list describes: of a known one the catalogue says what it is, and the list which weights."""
    if not valid_id(found["id"]) or found["languages"] not in ("en", "multilingual"):
        raise ValueError(found["id"])
    if found["pooling"] not in ("mean", "cls") or not (0 < found["dim"] < 65536 and 8 <= found["window"] < 65536):
        raise ValueError(found["id"])
    model = Model(**{name: found[name] for name in _WRITTEN if name in found})
    known = CATALOGUE.get(model.id)
    if known is None or known.dim != model.dim:
        return model
    same = known.version == model.version
    return known._replace(version=model.version, thresholds=known.thresholds if same else None, centre=model.centre)


def _thresholds(folder: Path, model: Model) -> Thresholds | None:
    found = _loaded(folder / THRESHOLDS)
    try:
        if found is not None and (found["version"], found["recipe"]) == (model.version, model.recipe):
            names = [field.name for field in dataclasses.fields(Thresholds)]
            return Thresholds(**{name: float(found[name]) for name in names})
    except (KeyError, TypeError, ValueError):
        pass
    return None


def _loaded(path: Path) -> dict[str, Any] | None:
    try:
        with path.open("rb") as file:
            found = json.loads(file.read(_MOST_MANIFEST))
    except (OSError, ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", found) if isinstance(found, dict) else None
