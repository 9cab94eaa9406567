"""Whether a model's modules are in this process: a question that loads none of them."""

from __future__ import annotations

import sys

_HEAVY = ("numpy", "onnxruntime", "fastembed")


def model_is_loaded() -> bool:
    """Whether a model was loaded here, or is being loaded right now."""
    return any(name in sys.modules for name in _HEAVY)
