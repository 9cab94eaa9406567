"""Build an encoder of the BERT family as an ONNX graph of standard operators, from its weights.

Needs neither torch nor onnx: the few protobuf messages of `onnx.proto` are written here, their fields in the order of
their numbers. Weights are stored as half floats and computed with as float32: half the file, quicker to read and to
check, and the vectors agree with the full ones to a cosine of 0.9999996. The same weights give the same bytes.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from core.embedding.models.convert import Weights
from core.embedding.models.packed import BLOCK, WORDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

_OPSET, _IR = 20, 9
"""Opset 20 has Gelu; every onnxruntime since 1.17 reads both."""
_FLOAT, _INT64 = 1, 7
_DATA_TYPES = {"float32": _FLOAT, "uint8": 2, "int64": _INT64, "float16": 10}
"""`TensorProto.DataType`."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of an encoder. `first_position` is where positions start: 0 in BERT, the padding id + 1 in RoBERTa."""

    hidden: int
    heads: int
    layers: int
    inner: int
    epsilon: float
    first_position: int
    padding: int


def _varint(number: int) -> bytes:
    """A protobuf integer; a negative one takes ten bytes."""
    number &= (1 << 64) - 1
    written = bytearray()
    while number > 0x7F:
        written.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes((*written, number))


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: str | bytes) -> bytes:
    """A string, bytes, or a message inside another."""
    raw = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(raw)) + raw


def _attribute(name: str, value: float | str | list[int]) -> bytes:
    """An `AttributeProto` of type FLOAT, STRING, INTS or INT."""
    if isinstance(value, float):
        written, kind = _varint(2 << 3 | 5) + struct.pack("<f", value), 1
    elif isinstance(value, str):
        written, kind = _bytes(4, value), 3
    elif isinstance(value, list):
        written, kind = b"".join(_number(8, one) for one in value), 7
    else:
        written, kind = _number(3, value), 2
    return _bytes(1, name) + written + _number(20, kind)


def _value_info(name: str, data_type: int, axes: list[str | int]) -> bytes:
    """A `ValueInfoProto`: the type and the axes of an input or output."""
    sizes = (_bytes(1, _bytes(2, axis) if isinstance(axis, str) else _number(1, axis)) for axis in axes)
    return _bytes(1, name) + _bytes(2, _bytes(1, _number(1, data_type) + _bytes(2, b"".join(sizes))))


class _Graph:
    """Collects nodes (`NodeProto`) and constants (`TensorProto`), serialized, in the order they are named."""

    def __init__(self) -> None:
        self.nodes: list[bytes] = []
        self.constants: dict[str, bytes] = {}

    def const(self, name: str, value: object) -> str:
        import numpy as np

        if name not in self.constants:
            array: NDArray[Any] = np.asarray(value, order="C")
            kind = _number(2, _DATA_TYPES[array.dtype.name])
            little = array.astype(array.dtype.newbyteorder("<"), copy=False)
            sizes = b"".join(_number(1, size) for size in array.shape)
            self.constants[name] = sizes + kind + _bytes(8, name) + _bytes(9, little.tobytes())
        return name

    def op(self, kind: str, *inputs: str, out: str = "", **attributes: float | str | list[int]) -> str:
        name = out or f"{kind}_{len(self.nodes)}"
        ends = b"".join(_bytes(1, one) for one in inputs) + _bytes(2, name) + _bytes(3, name) + _bytes(4, kind)
        named = (_bytes(5, _attribute(*one)) for one in sorted(attributes.items()))
        self.nodes.append(ends + b"".join(named))
        return name

    def weight(self, name: str, value: NDArray[Any]) -> str:
        """A weight, stored as half floats; the cast is folded when the model is loaded."""
        import numpy as np

        return self.op("Cast", self.const(name, value.astype(np.float16)), to=_FLOAT)


def build(weights: Weights, shape: Shape, name: str) -> bytes:
    """The encoder: `input_ids`, `attention_mask` (int64) to `last_hidden_state` (float32, batch x sequence x hidden).

    Returns the bytes of a `ModelProto`. Raises Fault invalid_input where a weight is missing or has another shape.
    """
    graph = _Graph()
    state = _embeddings(graph, weights, shape)
    mask = _mask(graph)
    for layer in range(shape.layers):
        state = _layer(graph, weights, shape, state, mask, layer)
    axes: list[str | int] = ["batch", "sequence"]
    body = [_bytes(1, node) for node in graph.nodes]
    body += [_bytes(2, name), *(_bytes(5, constant) for constant in graph.constants.values())]
    body += [_bytes(11, _value_info(one, _INT64, axes)) for one in ("input_ids", "attention_mask")]
    body.append(_bytes(12, _value_info("last_hidden_state", _FLOAT, [*axes, shape.hidden])))
    opset = _bytes(1, "") + _number(2, _OPSET)
    return _number(1, _IR) + _bytes(2, "casebook") + _bytes(7, b"".join(body)) + _bytes(8, opset)


def _embeddings(graph: _Graph, weights: Weights, shape: Shape) -> str:
    import numpy as np

    at = "embeddings."
    if f"{WORDS}.packed" in weights:
        words = _packed_words(graph, weights, shape)
    else:
        table = graph.weight(at + "words", weights.get(at + "word_embeddings.weight", -1, shape.hidden))
        words = graph.op("Gather", table, "input_ids")
    # There is one kind of text only, so its row is a constant to be added.
    kind = weights.get(at + "token_type_embeddings.weight", -1, shape.hidden)[0]
    places = weights.get(at + "position_embeddings.weight", -1, shape.hidden)
    if shape.first_position:  # RoBERTa counts the real tokens; padding stays at the padding's own place
        counted = graph.op("CumSum", "attention_mask", graph.const("one", np.array(1, np.int64)))
        offset = graph.const("offset", np.array(shape.padding, np.int64))
        positions = graph.op("Add", graph.op("Mul", counted, "attention_mask"), offset)
    else:
        length = graph.op("Gather", graph.op("Shape", "input_ids"), graph.const("one", np.array(1, np.int64)), axis=0)
        positions = graph.op("Range", graph.const("zero", np.array(0, np.int64)), length, "one")
    place = graph.op("Gather", graph.weight(at + "places", places), positions)
    together = graph.op("Add", graph.op("Add", words, graph.const(at + "kind", kind)), place)
    return _norm(graph, weights, shape, together, at + "LayerNorm")


def _packed_words(graph: _Graph, weights: Weights, shape: Shape) -> str:
    """The rows of a table of 4-bit numbers (see `packed`), unpacked for the words of a text only."""
    import numpy as np

    blocks = shape.hidden // BLOCK
    packed = graph.const(f"{WORDS}.packed", weights.raw(f"{WORDS}.packed", -1, shape.hidden // 2))
    scales = graph.const(f"{WORDS}.scales", weights.raw(f"{WORDS}.scales", -1, blocks))
    halves = graph.const("halves", np.array([0, 0, blocks, BLOCK // 2], np.int64))
    rows = graph.op("Reshape", graph.op("Gather", packed, "input_ids"), halves)
    low = graph.op("BitwiseAnd", rows, graph.const("fifteen", np.array(15, np.uint8)))
    high = graph.op("BitShift", rows, graph.const("four", np.array(4, np.uint8)), direction="RIGHT")
    numbers = graph.op("Cast", graph.op("Concat", low, high, axis=-1), to=_FLOAT)
    numbers = graph.op("Sub", numbers, graph.const("eight", np.array(8, np.float32)))
    scale = graph.op("Cast", graph.op("Gather", scales, "input_ids"), to=_FLOAT)
    scale = graph.op("Unsqueeze", scale, graph.const("last", np.array([-1], np.int64)))
    whole = graph.const("whole", np.array([0, 0, shape.hidden], np.int64))
    return graph.op("Reshape", graph.op("Mul", numbers, scale), whole)


def _mask(graph: _Graph) -> str:
    """0 where there is a token, -10,000 where there is padding, to be added to the attention's scores."""
    import numpy as np

    mask = graph.op("Cast", "attention_mask", to=_FLOAT)
    mask = graph.op("Unsqueeze", mask, graph.const("axes", np.array([1, 2], np.int64)))
    away = graph.op("Sub", graph.const("one.f", np.array(1, np.float32)), mask)
    return graph.op("Mul", away, graph.const("minus", np.array(-1e4, np.float32)))


def _layer(graph: _Graph, weights: Weights, shape: Shape, state: str, mask: str, number: int) -> str:
    import numpy as np

    at, width = f"encoder.layer.{number}.", shape.hidden // shape.heads
    split = graph.const("split", np.array([0, 0, shape.heads, width], np.int64))
    sides: list[str] = []
    for name, order in (("query", [0, 2, 1, 3]), ("key", [0, 2, 3, 1]), ("value", [0, 2, 1, 3])):
        side = _linear(graph, weights, state, f"{at}attention.self.{name}", shape.hidden, shape.hidden)
        sides.append(graph.op("Transpose", graph.op("Reshape", side, split), perm=order))
    scale = graph.const("scale", np.array(1 / math.sqrt(width), np.float32))
    scores = graph.op("Add", graph.op("Mul", graph.op("MatMul", sides[0], sides[1]), scale), mask)
    seen = graph.op("MatMul", graph.op("Softmax", scores, axis=-1), sides[2])
    merge = graph.const("merge", np.array([0, 0, shape.hidden], np.int64))
    seen = graph.op("Reshape", graph.op("Transpose", seen, perm=[0, 2, 1, 3]), merge)
    seen = _linear(graph, weights, seen, at + "attention.output.dense", shape.hidden, shape.hidden)
    state = _norm(graph, weights, shape, graph.op("Add", seen, state), at + "attention.output.LayerNorm")
    inner = graph.op("Gelu", _linear(graph, weights, state, at + "intermediate.dense", shape.inner, shape.hidden))
    inner = _linear(graph, weights, inner, at + "output.dense", shape.hidden, shape.inner)
    out = "last_hidden_state" if number == shape.layers - 1 else ""
    return _norm(graph, weights, shape, graph.op("Add", inner, state), at + "output.LayerNorm", out)


def _linear(graph: _Graph, weights: Weights, state: str, at: str, out: int, into: int) -> str:
    matrix = graph.weight(at + ".weight", weights.get(at + ".weight", out, into).T)
    return graph.op("Add", graph.op("MatMul", state, matrix), graph.const(at + ".bias", weights.get(at + ".bias", out)))


def _norm(graph: _Graph, weights: Weights, shape: Shape, state: str, at: str, out: str = "") -> str:
    scale = graph.const(at + ".weight", weights.get(at + ".weight", shape.hidden))
    bias = graph.const(at + ".bias", weights.get(at + ".bias", shape.hidden))
    return graph.op("LayerNormalization", state, scale, bias, out=out, axis=-1, epsilon=shape.epsilon)
