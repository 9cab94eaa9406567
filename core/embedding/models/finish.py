"""The last steps of a model's folder: list it, prove that it embeds, and centre its vectors where that helps."""

from __future__ import annotations

from pathlib import Path

from core.base.atomic import write_file
from core.embedding.models.catalogue import Model
from core.embedding.models.centering import CENTRE, centre_of
from core.embedding.models.model_folder import seal
from core.embedding.runtime.local import open_folder


def settle(part: Path, model: Model, source: str) -> Model:
    """Make `part`, whose files are all there, a folder of `model` that can be `put`, and return what it is now.

    Embeds the shipped texts, which takes seconds. Raises Fault where the folder gives no vectors of the model's size,
    io_error for the disk.
    """
    sealed = seal(part, model, source)
    embedder = open_folder(part, sealed, threads=0)
    try:
        centre = centre_of(embedder, sealed)
    finally:
        embedder.close()
    if centre is None:
        return sealed
    write_file(part / CENTRE, [centre.text, "\n"], replace=True)
    return seal(part, sealed._replace(centre=centre.name), source)
