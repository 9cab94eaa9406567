"""Properties of a model from the files that sentence-transformers stores with the weights."""

from __future__ import annotations

import contextlib
import json
import math
import shutil
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from core.base.atomic import write_file
from core.base.fault import Fault
from core.embedding.models.catalogue import Languages, Pooling
from core.embedding.models.model_folder import CONFIG, ONNX, SPECIAL, TOKENIZER, TOKENIZER_CONFIG
from core.embedding.models.packed import BLOCK, WORDS

if TYPE_CHECKING:
    from numpy.typing import NDArray


_MOST = 64 << 20
_MANY_WORDS = 60_000
"""A vocabulary this large is one of many languages; English ones have about 30,000 to 50,000 words."""
_ABSURD = 8192
"""Where a tokenizer says it reads more than this, it says nothing: 1e30 stands for unknown."""


@dataclass(frozen=True, slots=True)
class Described:
    """What the files say: `dim` 0 and `window` 0 where they say nothing; `config` is the encoder's own description."""

    dim: int
    window: int
    pooling: Pooling
    languages: Languages
    document_prefix: str
    query_prefix: str
    config: Mapping[str, Any]
    tokenizer_config: Mapping[str, Any]


def describe(folder: Path) -> Described:
    """Read the descriptions in `folder`; missing ones are no fault. Raises Fault invalid_input for others' ways."""
    config, tokenizer = load(folder / "config.json"), load(folder / "tokenizer_config.json")
    _refuse_modules(folder)
    pooling = load(folder / "1_Pooling" / "config.json")
    given = load(folder / "config_sentence_transformers.json").get("prompts")
    prompts: Mapping[str, Any] = cast("Mapping[str, Any]", given) if isinstance(given, dict) else {}
    limits = (
        load(folder / "sentence_bert_config.json").get("max_seq_length"),
        tokenizer.get("model_max_length"),
        config.get("max_position_embeddings"),
    )
    many = whole(config.get("vocab_size")) > _MANY_WORDS or "multilingual" in folder.name.lower()
    return Described(
        dim=whole(config.get("hidden_size")),
        window=next((whole(limit) for limit in limits if 8 <= whole(limit) <= _ABSURD), 0),
        pooling=_pooling(folder, pooling),
        languages="multilingual" if many else "en",
        document_prefix=_text(prompts, "document", "passage"),
        query_prefix=_text(prompts, "query"),
        config=config,
        tokenizer_config=tokenizer,
    )


def load(path: Path) -> dict[str, Any]:
    """A JSON object from a file, empty where there is none. Raises Fault invalid_input where it is none."""
    try:
        with path.open("rb") as file:
            found = json.loads(file.read(_MOST))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise Fault("invalid_input", f"{path} cannot be read as JSON", "download the model again") from error
    if not isinstance(found, dict):
        raise Fault("invalid_input", f"{path} is not a JSON object", "download the model again")
    return cast("dict[str, Any]", found)


def whole(value: object) -> int:
    """A whole number, or 0 for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _refuse_modules(folder: Path) -> None:
    path = folder / "modules.json"
    try:
        found: object = json.loads(path.read_bytes()) if path.is_file() else []
    except (OSError, ValueError, RecursionError) as error:
        raise Fault("invalid_input", f"{path} cannot be read as JSON", "download the model again") from error
    for module in cast("list[object]", found) if isinstance(found, list) else []:
        kind = str(cast("Mapping[str, Any]", module).get("type", "")) if isinstance(module, dict) else ""
        if kind.rpartition(".")[2] not in ("Transformer", "Pooling", "Normalize"):
            raise _refused(folder, f"it has a layer {kind or 'without a name'} after the encoder")


def _pooling(folder: Path, settings: Mapping[str, Any]) -> Pooling:
    on = [name for name, value in settings.items() if name.startswith("pooling_mode_") and value is True]
    named = settings.get("pooling_mode")
    if isinstance(named, str) and not on:
        on = [f"pooling_mode_{named}"]
    if not on or on in (["pooling_mode_mean_tokens"], ["pooling_mode_mean"]):
        return "mean"
    if on in (["pooling_mode_cls_token"], ["pooling_mode_cls"]):
        return "cls"
    raise _refused(folder, "unsupported pooling (only mean and first token)")


def _text(prompts: Mapping[str, Any], *names: str) -> str:
    return next((value for name in names if isinstance(value := prompts.get(name), str) and value), "")


def _refused(folder: Path, why: str) -> Fault:
    return Fault("invalid_input", f"{folder} cannot be used: {why}", "for supported models, run: casebook models list")


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
        found = [name for name in self._places if name.endswith((f"{WORDS}.weight", f"{WORDS}.packed"))]
        self._prefix = found[0].partition(WORDS)[0] if found else ""

    def __contains__(self, name: str) -> bool:
        return self._prefix + name in self._places

    @property
    def size(self) -> int:
        """Bytes of the whole file."""
        return int(self._raw.size)

    def get(self, name: str, *shape: int) -> NDArray[Any]:
        """A tensor as float32, which must have `shape` (-1: any size)."""
        import numpy as np

        return self.raw(name, *shape).astype(np.float32)

    def raw(self, name: str, *shape: int) -> NDArray[Any]:
        """A tensor with the numbers it is stored with (half floats of the kind BF16 as float32)."""
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
        return values

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
            raise self._damaged("its header is invalid") from error
        return 8 + size, places

    def _damaged(self, why: str) -> Fault:
        return Fault(
            "invalid_input", f"{self._path} is not a supported weights file: {why}", "download the model again"
        )


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


WEIGHTS = "model.safetensors"
_MOST_BYTES = 3_600_000_000
"""Weights beyond this do not fit a graph in one file, half floats or not: a protobuf holds 2 GiB."""
_TABLE_NAMES = ("hidden_size", "num_attention_heads", "num_hidden_layers", "intermediate_size")


def convert(source: Path, part: Path, name: str, window: int = 0) -> Described:
    """Write the model of `source` into the empty folder `part`, and return its description.

    `window` is the most tokens it shall read; 0 takes what the folder says. Raises Fault invalid_input for a model
    that is not of the BERT family or is damaged, io_error where the disk refuses.
    """
    described = describe(source)
    weights = Weights(source / WEIGHTS)
    _write_graph(source, weights, described.config, part, name)
    put_tokenizer(source, part, described, window)
    return described


def put_tokenizer(source: Path, part: Path, described: Described, window: int = 0) -> None:
    """Copy the tokenizer's files. What it cuts a text to is set to the model's `window`, where that is known."""
    if not (source / TOKENIZER).is_file():
        raise Fault("invalid_input", f"{source} has no {TOKENIZER}", "add a folder that contains this file")
    shutil.copyfile(source / TOKENIZER, part / TOKENIZER)
    for name in (SPECIAL, CONFIG):
        with contextlib.suppress(FileNotFoundError):
            shutil.copyfile(source / name, part / name)
    config = {**described.tokenizer_config}
    if window or described.window:
        config["model_max_length"] = window or described.window
    config.pop("max_length", None)
    config.setdefault("pad_token", _pad_token(source))
    write_file(part / TOKENIZER_CONFIG, [json.dumps(config, indent=1, ensure_ascii=False)], replace=True)


def _write_graph(source: Path, weights: Weights, config: Mapping[str, Any], part: Path, name: str) -> None:

    _refuse_strangers(source, weights, config)
    hidden, heads, layers, inner = (whole(config.get(key)) for key in _TABLE_NAMES)
    epsilon = config.get("layer_norm_eps", 1e-12)
    padding = whole(config.get("pad_token_id", 0))
    positions_after_padding = config["model_type"] != "bert"
    if min(hidden, heads, layers, inner) < 1 or hidden % heads or layers > 200 or not isinstance(epsilon, float):
        raise _not_converted(source, f"its {CONFIG} is invalid")
    shape = Shape(hidden, heads, layers, inner, epsilon, padding + 1 if positions_after_padding else 0, padding)
    try:
        (part / ONNX).write_bytes(build(weights, shape, name))
    except OSError as error:
        raise Fault(
            "io_error", f"cannot write {part}: {error.strerror}", "check the folder and its free space"
        ) from error


def _refuse_strangers(source: Path, weights: Weights, config: Mapping[str, Any]) -> None:
    kind = config.get("model_type")
    if kind not in ("bert", "roberta", "xlm-roberta"):
        raise _not_converted(
            source, f"unsupported architecture {kind or 'unknown'} (only BERT, RoBERTa and XLM-RoBERTa)"
        )
    if config.get("hidden_act", "gelu") != "gelu" or config.get("position_embedding_type", "absolute") != "absolute":
        raise _not_converted(source, "unsupported BERT variant")
    if config.get("is_decoder") or "encoder.layer.0.crossattention.self.query.weight" in weights:
        raise _not_converted(source, "it is a decoder")
    if weights.size > _MOST_BYTES:
        raise _not_converted(source, f"its weights are larger than {_MOST_BYTES // 10**9} GB")


def _pad_token(source: Path) -> str:

    named: object = load(source / SPECIAL).get("pad_token", "[PAD]")
    return str(named.get("content", "[PAD]")) if isinstance(named, dict) else str(named)  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]


def _not_converted(source: Path, why: str) -> Fault:
    return Fault("invalid_input", f"{source} cannot be converted: {why}", "add an ONNX folder of this model instead")


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
