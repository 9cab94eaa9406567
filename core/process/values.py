"""Values as frames: frozen dataclasses, tuples, bytes and scalars, for a process of our own at the other end.

JSON carries them, so that nothing that arrives can run: a composite is an array whose first element says what it is
(a letter, or the place of its class in `types`), bytes lie behind the header. Only dataclasses, named tuples and enums
can be named, and both ends are the same version of casebook.

Imported by each process that begins: dataclasses, pathlib and orjson are left to whoever uses them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from enum import Enum
from functools import lru_cache
from importlib import import_module
from math import isfinite
from typing import Any, Final, cast

from core.process.frames import BadFrame, Frame, join

MOST: Final = 1 << 30
"""Bytes of a header, and behind it: what a child may send, and be sent."""
_LARGE: Final = 1 << 16
"""Bytes of a header that are read so much faster by orjson that it is worth importing."""
_SMALL: Final = 1 << 53
"""Integers beyond are sent as text: a reader of JSON may make floats of them."""


def pack(head: Mapping[str, object], value: object) -> bytes:
    """A frame with the fields of `head` and a value. Raises TypeError for a value that cannot be sent, BadFrame."""
    writer = _Writer()
    tree = writer.tree(value)
    whole = {**head, "types": list(writer.types), "value": tree}
    return join(_dumps(whole), b"".join(writer.pieces), most=(MOST, MOST))


def _dumps(whole: dict[str, Any]) -> bytes:
    orjson = sys.modules.get("orjson")
    if orjson is not None:
        try:
            return orjson.dumps(whole)
        except TypeError:  # a lone surrogate, which only an escape carries
            pass
    return json.dumps(whole).encode("ascii")


def unpack(frame: Frame) -> Any:
    """The value of a frame. Raises BadFrame."""
    try:
        types = [_rebuild(name) for name in cast("list[str]", frame.header["types"])]
        return _Reader(types, frame.body).value(frame.header["value"])
    except (LookupError, TypeError, ValueError, AttributeError, ImportError, RecursionError) as error:
        raise BadFrame(f"unreadable value: {error}") from error


def loads(header: bytes) -> object:
    """The JSON of a header. Raises ValueError."""
    if len(header) < _LARGE:
        return json.loads(header)
    import orjson

    try:
        return orjson.loads(header)
    except orjson.JSONDecodeError:  # a lone surrogate
        return json.loads(header)


_AS_IT_IS: Final = frozenset((str, bool, type(None)))
"""Kinds of values that JSON holds as they are."""


class _Writer:
    def __init__(self) -> None:
        self.types: dict[str, int] = {}
        self._kinds: dict[type, int] = {}
        self.pieces: list[bytes] = []
        self._size = 0

    def tree(self, value: Any) -> Any:
        kind = cast("type[object]", type(value))
        if kind is str or kind is bool or value is None:
            return value
        if kind is int:
            return value if -_SMALL < value < _SMALL else ["i", str(value)]
        if kind is float:
            return value if isfinite(value) else ["x", repr(value)]
        if kind is tuple:
            return ["t", *map(self.tree, value)]
        if kind is list:
            return ["l", *map(self.tree, value)]
        if kind is dict:
            if all(type(key) is str for key in value):
                return {key: self.tree(one) for key, one in value.items()}
            return ["d", *([self.tree(key), self.tree(one)] for key, one in value.items())]
        return self._other(kind, value)

    def _other(self, kind: type, value: Any) -> Any:
        names = _fields(kind)
        if names is not None:
            own = cast("tuple[Any, ...]", value) if hasattr(kind, "_make") else [getattr(value, one) for one in names]
            tree = self.tree
            return [self._type(kind), *[one if one.__class__ in _AS_IT_IS else tree(one) for one in own]]
        if isinstance(value, bytes):
            self.pieces.append(value)
            self._size += len(value)
            return ["b", self._size - len(value), self._size]
        if isinstance(value, Enum):
            return [self._type(kind), value.name]
        if hasattr(value, "__fspath__"):
            return ["p", str(value)]
        if isinstance(value, range):
            return ["r", value.start, value.stop, value.step]
        if isinstance(value, (set, frozenset)):
            return ["s" if kind is set else "f", *map(self.tree, cast("set[object]", value))]
        raise TypeError(f"{kind.__module__}.{kind.__qualname__} cannot be sent to another process")

    def _type(self, kind: type) -> int:
        known = self._kinds.get(kind)
        if known is None:
            known = self.types.setdefault(f"{kind.__module__}:{kind.__qualname__}", len(self.types))
            self._kinds[kind] = known
        return known


_NESTED: Final = frozenset((list, dict))
"""Kinds of JSON that stand for another value."""


class _Reader:
    def __init__(self, types: list[Callable[[list[Any]], Any]], body: bytes) -> None:
        self._types = types
        self._body = body

    def value(self, tree: Any) -> Any:
        if type(tree) is list:
            parts = cast("list[Any]", tree)
            tag = parts[0]
            if type(tag) is int:
                given = iter(parts)
                next(given)
                return self._types[tag]([self.value(one) if one.__class__ in _NESTED else one for one in given])
            return self._other(tag, parts)
        if type(tree) is dict:
            return {key: self.value(one) for key, one in cast("dict[str, Any]", tree).items()}
        return tree

    def _other(self, tag: str, tree: list[Any]) -> Any:
        match tag:
            case "t":
                return tuple(map(self.value, tree[1:]))
            case "l":
                return list(map(self.value, tree[1:]))
            case "d":
                return {self.value(key): self.value(one) for key, one in tree[1:]}
            case "b":
                return self._body[tree[1] : tree[2]]
            case "p":
                from pathlib import Path

                return Path(tree[1])
            case "i":
                return int(tree[1])
            case "x":
                return float(tree[1])
            case "r":
                return range(*tree[1:])
            case "s" | "f":
                return (set if tag == "s" else frozenset)(map(self.value, tree[1:]))
            case _:
                raise ValueError(f"no value begins with {tag!r}")


@lru_cache(maxsize=1024)
def _fields(kind: type[object]) -> tuple[str, ...] | None:
    """The fields of a dataclass or a named tuple; None for anything else."""
    if hasattr(kind, "__dataclass_fields__"):
        from dataclasses import fields as fields_of

        return tuple(one.name for one in fields_of(cast("Any", kind)))
    fields: tuple[str, ...] | None = getattr(kind, "_fields", None)
    return fields


def named(module: str, path: str) -> Any:
    """Return the object at a dotted path in a module."""
    found: Any = import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    return found


@lru_cache(maxsize=1024)
def _rebuild(name: str) -> Callable[[list[Any]], Any]:
    """What makes a value of the class from those of its fields. Nothing of the class's own code is called."""
    module, _, path = name.partition(":")
    found = named(module, path)
    if not isinstance(found, type):
        raise TypeError(f"{name} is not a class")
    return _builder(name, found)  # pyright: ignore[reportUnknownArgumentType]


def _builder(name: str, kind: Any) -> Callable[[list[Any]], Any]:
    if issubclass(kind, Enum):
        return lambda values: kind[values[0]]
    names = _fields(kind)
    if names is None:
        raise TypeError(f"{name} is not a dataclass, named tuple or enum")
    if hasattr(kind, "_make"):
        return kind._make

    def build(values: list[Any]) -> Any:
        made: Any = object.__new__(kind)
        for field, value in zip(names, values, strict=True):
            object.__setattr__(made, field, value)
        return made

    return build
