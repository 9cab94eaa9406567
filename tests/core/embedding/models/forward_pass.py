"""A BERT's forward pass written down once more, in plain numpy and double precision, to compare conversions with; and a
tiny model in a sentence-transformers folder, with random weights."""

from __future__ import annotations

import json
import math
import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def tensors(path: Path) -> dict[str, Array]:
    """Every tensor of a safetensors file, in double precision, without its wrapper's prefix."""
    raw = path.read_bytes()
    (size,) = struct.unpack("<Q", raw[:8])
    out: dict[str, Array] = {}
    for name, meta in json.loads(raw[8 : 8 + size]).items():
        if name != "__metadata__" and meta["dtype"] == "F32":
            begin, end = meta["data_offsets"]
            values = np.frombuffer(raw[8 + size + begin : 8 + size + end], "<f4").reshape(meta["shape"])
            out[name.removeprefix("bert.").removeprefix("roberta.")] = values.astype(np.float64)
    return out


def forward(weights: dict[str, Array], config: dict[str, Any], ids: list[int], first_position: int = 0) -> Array:
    """The unit vector of one text: mean of the last layer's states."""
    heads, eps = config["num_attention_heads"], config["layer_norm_eps"]
    erf = np.vectorize(math.erf)

    def norm(x: Array, at: str) -> Array:
        x = x - x.mean(-1, keepdims=True)
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * weights[f"{at}.weight"] + weights[f"{at}.bias"]

    def linear(x: Array, at: str) -> Array:
        return x @ weights[f"{at}.weight"].T + weights[f"{at}.bias"]

    places = np.arange(len(ids)) + first_position
    x = weights["embeddings.word_embeddings.weight"][ids] + weights["embeddings.token_type_embeddings.weight"][0]
    x = norm(x + weights["embeddings.position_embeddings.weight"][places], "embeddings.LayerNorm")
    for number in range(config["num_hidden_layers"]):
        at = f"encoder.layer.{number}."
        q, k, v = (
            linear(x, f"{at}attention.self.{name}").reshape(len(ids), heads, -1).transpose(1, 0, 2)
            for name in ("query", "key", "value")
        )
        scores = np.exp((q @ k.transpose(0, 2, 1)) / math.sqrt(q.shape[-1]))
        seen = ((scores / scores.sum(-1, keepdims=True)) @ v).transpose(1, 0, 2).reshape(len(ids), -1)
        x = norm(linear(seen, f"{at}attention.output.dense") + x, f"{at}attention.output.LayerNorm")
        inner = linear(x, f"{at}intermediate.dense")
        x = norm(
            linear(inner * 0.5 * (1 + erf(inner / math.sqrt(2))), f"{at}output.dense") + x, f"{at}output.LayerNorm"
        )
    mean = x.mean(0)
    return mean / np.linalg.norm(mean)


VOCABULARY = ["<s>", "<pad>", "</s>", "<unk>", "disk", "full", "file", "missing", "no", "such", "오류", "a"]


def tiny_folder(folder: Path, kind: str = "bert", **changes: Any) -> dict[str, Any]:
    """A sentence-transformers folder with a model of 16 numbers and two layers; its description."""
    config: dict[str, Any] = {
        "model_type": kind, "hidden_size": 16, "num_attention_heads": 4, "num_hidden_layers": 2,
        "intermediate_size": 32, "layer_norm_eps": 1e-5, "vocab_size": len(VOCABULARY), "pad_token_id": 1,
        "max_position_embeddings": 40, "hidden_act": "gelu", **changes,
    }  # fmt: skip
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(config))
    random = np.random.default_rng(7)
    shapes = _shapes(config)
    prefix = "" if kind == "bert" else "roberta."
    save(folder / "model.safetensors", {prefix + name: random.normal(0, 0.4, shape) for name, shape in shapes.items()})
    _tokenizer(folder)
    return config


def save(path: Path, values: dict[str, Array]) -> None:
    """Write a safetensors file."""
    header: dict[str, Any] = {}
    data = b""
    for name, value in values.items():
        part = np.asarray(value, "<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    head = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(head)) + head + data)


def _shapes(config: dict[str, Any]) -> dict[str, tuple[int, ...]]:
    hidden, inner = config["hidden_size"], config["intermediate_size"]
    out: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (config["vocab_size"], hidden),
        "embeddings.position_embeddings.weight": (config["max_position_embeddings"], hidden),
        "embeddings.token_type_embeddings.weight": (2, hidden),
        "embeddings.LayerNorm.weight": (hidden,),
        "embeddings.LayerNorm.bias": (hidden,),
    }
    for number in range(config["num_hidden_layers"]):
        at = f"encoder.layer.{number}."
        dense = {f"attention.self.{name}": (hidden, hidden) for name in ("query", "key", "value")}
        dense |= {"attention.output.dense": (hidden, hidden), "intermediate.dense": (inner, hidden)}
        dense |= {"output.dense": (hidden, inner)}
        for name, shape in dense.items():
            out |= {f"{at}{name}.weight": shape, f"{at}{name}.bias": shape[:1]}
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            out |= {f"{at}{name}.weight": (hidden,), f"{at}{name}.bias": (hidden,)}
    return out


def _tokenizer(folder: Path) -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    tokenizer = Tokenizer(models.WordLevel({word: place for place, word in enumerate(VOCABULARY)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()  # type: ignore[assignment]
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))  # type: ignore[assignment]
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 10**30, "pad_token": "<pad>"}))
    (folder / "special_tokens_map.json").write_text(json.dumps({"pad_token": "<pad>", "unk_token": "<unk>"}))
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 16}))
