"""Read weights out of a safetensors file: eight bytes of length, a JSON header, raw little-endian tensors."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from core.base.fault import Fault

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TYPES = {"F32": "<f4", "F16": "<f2", "BF16": "<u2", "F64": "<f8", "I64": "<i8", "I32": "<i4", "I8": "i1", "U8": "u1"}
_MOST_HEADER = 100 << 20


class Weights:
    """The tensors of one file, read where they lie when they are asked for. Raises Fault invalid_input."""

    def __init__(self, path: Path) -> None:
        import numpy as np

        self._path = path
        try:
            self._raw: NDArray[Any] = np.memmap(path, mode="r", dtype=np.uint8)
        except (OSError, ValueError) as error:
            raise self._damaged("it cannot be read") from error
        self._start, self._places = self._header()
        # What wraps the encoder (`bert.`, `roberta.`, `model.`) says nothing; every name is used without it.
        suffix = "embeddings.word_embeddings.weight"
        found = [name for name in self._places if name.endswith(suffix)]
        self._prefix = found[0].removesuffix(suffix) if found else ""

    def __contains__(self, name: str) -> bool:
        return self._prefix + name in self._places

    @property
    def size(self) -> int:
        """Bytes of the whole file."""
        return int(self._raw.size)

    def get(self, name: str, *shape: int) -> NDArray[Any]:
        """A tensor as float32, which must have `shape` (-1: any size)."""
        import numpy as np

        meta = self._places.get(self._prefix + name)
        if meta is None:
            raise self._damaged(f"it has no {name}")
        kind, sizes, begin, end = meta
        values = np.frombuffer(self._raw[self._start + begin : self._start + end], _TYPES[kind]).reshape(sizes)
        if kind == "BF16":  # the upper half of a float32
            values = (values.astype(np.uint32) << 16).view(np.float32)
        if len(sizes) != len(shape) or any(want not in (-1, got) for want, got in zip(shape, sizes, strict=True)):
            raise self._damaged(f"{name} has the shape {list(sizes)}, not {list(shape)}")
        return values.astype(np.float32)

    def _header(self) -> tuple[int, dict[str, tuple[str, tuple[int, ...], int, int]]]:
        if self._raw.size < 8:
            raise self._damaged("it is too short")
        (size,) = struct.unpack("<Q", self._raw[:8].tobytes())
        if size > min(_MOST_HEADER, self._raw.size - 8):
            raise self._damaged("its header is longer than the file")
        try:
            header = cast("dict[str, Any]", json.loads(self._raw[8 : 8 + size].tobytes()))
            places = {
                name: _place(cast("Mapping[str, Any]", meta), int(self._raw.size) - 8 - size)
                for name, meta in header.items()
                if name != "__metadata__"
            }
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise self._damaged("its header makes no sense") from error
        return 8 + size, places

    def _damaged(self, why: str) -> Fault:
        return Fault("invalid_input", f"{self._path} is no weights file to convert: {why}", "get the model anew")


def _place(meta: Mapping[str, Any], room: int) -> tuple[str, tuple[int, ...], int, int]:
    kind, sizes = str(meta["dtype"]), tuple(int(one) for one in meta["shape"])
    begin, end = (int(one) for one in meta["data_offsets"])
    width = {"F64": 8, "I64": 8, "F32": 4, "I32": 4, "F16": 2, "BF16": 2, "I8": 1, "U8": 1}[kind]
    count = 1
    for one in sizes:
        count *= one
    if min(sizes, default=0) < 0 or not 0 <= begin <= end <= room or end - begin != count * width:
        raise ValueError(kind)
    return kind, sizes, begin, end
