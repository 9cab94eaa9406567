"""Build an encoder of the BERT family as an ONNX graph of standard operators, from its weights: no torch needed.

Weights are stored as half floats and computed with as float32: half the file, quicker to read and to check, and the
vectors agree with the full ones to a cosine of 0.9999996. The same weights give the same bytes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from core.embedding.models.convert_weights import Weights

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from onnx import ModelProto, NodeProto, TensorProto

_OPSET, _IR = 20, 9
"""Opset 20 has Gelu; every onnxruntime since 1.17 reads both."""


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


class _Graph:
    """Collects nodes and constants in the order they are named."""

    def __init__(self) -> None:
        self.nodes: list[NodeProto] = []
        self.constants: dict[str, TensorProto] = {}

    def const(self, name: str, value: object) -> str:
        import numpy as np
        from onnx import numpy_helper

        if name not in self.constants:
            array: NDArray[Any] = np.asarray(value, order="C")
            self.constants[name] = numpy_helper.from_array(array, name)
        return name

    def op(self, kind: str, *inputs: str, out: str = "", **attributes: Any) -> str:
        from onnx import helper

        name = out or f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name, **attributes))
        return name

    def weight(self, name: str, value: NDArray[Any]) -> str:
        """A weight, stored as half floats; the cast is folded when the model is loaded."""
        import numpy as np
        from onnx import TensorProto

        return self.op("Cast", self.const(name, value.astype(np.float16)), to=TensorProto.FLOAT)


def build(weights: Weights, shape: Shape, name: str) -> ModelProto:
    """The encoder: `input_ids`, `attention_mask` (int64) to `last_hidden_state` (float32, batch x sequence x hidden).

    Raises Fault invalid_input where a weight is missing or has another shape.
    """
    from onnx import TensorProto, helper

    graph = _Graph()
    state = _embeddings(graph, weights, shape)
    mask = _mask(graph)
    for layer in range(shape.layers):
        state = _layer(graph, weights, shape, state, mask, layer)
    axes = ["batch", "sequence"]
    inputs = [helper.make_tensor_value_info(one, TensorProto.INT64, axes) for one in ("input_ids", "attention_mask")]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [*axes, shape.hidden])
    body = helper.make_graph(graph.nodes, name, inputs, [output], list(graph.constants.values()))
    imports = [helper.make_opsetid("", _OPSET)]
    return helper.make_model(body, opset_imports=imports, ir_version=_IR, producer_name="casebook")


def _embeddings(graph: _Graph, weights: Weights, shape: Shape) -> str:
    import numpy as np

    at = "embeddings."
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


def _mask(graph: _Graph) -> str:
    """0 where there is a token, -10,000 where there is padding, to be added to the attention's scores."""
    import numpy as np
    from onnx import TensorProto

    mask = graph.op("Cast", "attention_mask", to=TensorProto.FLOAT)
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
