"""Texts as vectors: the models, what lacks a vector, the nearest ones. Importing this loads nothing heavy."""

from __future__ import annotations

from core.embedding.index.vectors import cosine, distance_of, pack, similarity_of, unpack, unusable
from core.embedding.runtime.embedder import Embedder, Kind, Vector

__all__ = ["Embedder", "Kind", "Vector", "cosine", "distance_of", "pack", "similarity_of", "unpack", "unusable"]
