"""A sentence-transformers folder with safetensors, made into a folder that can be loaded here; without torch.

Encoders of the BERT family only (BERT, RoBERTa, XLM-RoBERTa): their layers are known and so is the graph.
"""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.base.atomic import write_file
from core.base.fault import Fault
from core.embedding.models.convert_weights import Weights
from core.embedding.models.model_folder import CONFIG, ONNX, SPECIAL, TOKENIZER, TOKENIZER_CONFIG
from core.embedding.models.source_folder import Described, describe, whole

WEIGHTS = "model.safetensors"
_MOST_BYTES = 3_600_000_000
"""Weights beyond this do not fit a graph in one file, half floats or not: a protobuf holds 2 GiB."""
_TABLE_NAMES = ("hidden_size", "num_attention_heads", "num_hidden_layers", "intermediate_size")


def convert(source: Path, part: Path, name: str, window: int = 0) -> Described:
    """Write the model of `source` into the empty folder `part`, and return what it says about itself.

    `window` is the most tokens it shall read; 0 takes what the folder says. Raises Fault invalid_input for a model
    that is not of the BERT family or is damaged, io_error where the disk refuses.
    """
    said = describe(source)
    weights = Weights(source / WEIGHTS)
    _write_graph(source, weights, said.config, part, name)
    put_tokenizer(source, part, said, window)
    return said


def put_tokenizer(source: Path, part: Path, said: Described, window: int = 0) -> None:
    """Copy the tokenizer's files. What it cuts a text to is set to the model's `window`, where that is known."""
    if not (source / TOKENIZER).is_file():
        raise Fault("invalid_input", f"{source} has no {TOKENIZER}", "add a folder that has one")
    shutil.copyfile(source / TOKENIZER, part / TOKENIZER)
    for name in (SPECIAL, CONFIG):
        with contextlib.suppress(FileNotFoundError):
            shutil.copyfile(source / name, part / name)
    config = {**said.tokenizer_config}
    if window or said.window:
        config["model_max_length"] = window or said.window
    config.pop("max_length", None)
    config.setdefault("pad_token", _pad_token(source))
    write_file(part / TOKENIZER_CONFIG, [json.dumps(config, indent=1, ensure_ascii=False)], replace=True)


def _write_graph(source: Path, weights: Weights, config: Mapping[str, Any], part: Path, name: str) -> None:
    from core.embedding.models.convert_graph import Shape, build

    _refuse_strangers(source, weights, config)
    hidden, heads, layers, inner = (whole(config.get(key)) for key in _TABLE_NAMES)
    epsilon = config.get("layer_norm_eps", 1e-12)
    padding = whole(config.get("pad_token_id", 0))
    positions_after_padding = config["model_type"] != "bert"
    if min(hidden, heads, layers, inner) < 1 or hidden % heads or layers > 200 or not isinstance(epsilon, float):
        raise _refused(source, f"its {CONFIG} makes no sense")
    shape = Shape(hidden, heads, layers, inner, epsilon, padding + 1 if positions_after_padding else 0, padding)
    try:
        (part / ONNX).write_bytes(build(weights, shape, name))
    except OSError as error:
        raise Fault("io_error", f"cannot write {part}: {error.strerror}", "check the folder and its room") from error


def _refuse_strangers(source: Path, weights: Weights, config: Mapping[str, Any]) -> None:
    kind = config.get("model_type")
    if kind not in ("bert", "roberta", "xlm-roberta"):
        raise _refused(source, f"it is of the kind {kind or 'unknown'}, and only BERT, RoBERTa and XLM-RoBERTa convert")
    if config.get("hidden_act", "gelu") != "gelu" or config.get("position_embedding_type", "absolute") != "absolute":
        raise _refused(source, "it is a BERT of another make")
    if config.get("is_decoder") or "encoder.layer.0.crossattention.self.query.weight" in weights:
        raise _refused(source, "it is a decoder")
    if weights.size > _MOST_BYTES:
        raise _refused(source, f"its weights are larger than {_MOST_BYTES // 10**9} GB")


def _pad_token(source: Path) -> str:
    from core.embedding.models.source_folder import load

    named: object = load(source / SPECIAL).get("pad_token", "[PAD]")
    return str(named.get("content", "[PAD]")) if isinstance(named, dict) else str(named)  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]


def _refused(source: Path, why: str) -> Fault:
    return Fault("invalid_input", f"{source} cannot be converted: {why}", "add an ONNX folder of this model instead")
