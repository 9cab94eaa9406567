"""Texts as vectors: the models, what lacks a vector, the nearest ones. Importing this loads nothing heavy."""

from __future__ import annotations

from core.embedding.embedder import Embedder, Kind, Vector
from core.embedding.vectors import cosine, distance_of, pack, similarity_of, unpack, unusable

__all__ = ["Embedder", "Kind", "Vector", "cosine", "distance_of", "pack", "similarity_of", "unpack", "unusable"]
