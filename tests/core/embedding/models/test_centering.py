"""A model that puts all texts into one narrow cone is centred when it is added; any other keeps its own vectors."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from core.base.fault import Fault
from core.embedding import Kind, Vector, pack, unpack
from core.embedding.models import add as adding
from core.embedding.models.add import Wishes, add
from core.embedding.models.calibrate import (
    CENTRE,
    Centre,
    Pairs,
    calibrate,
    centre_of,
    least_separation,
    pairs,
    shipped,
)
from core.embedding.models.catalogue import CATALOGUE, MINILM, Model
from core.embedding.models.models import LocalModel, find
from core.embedding.runtime.embedder import Embedder
from core.embedding.runtime.local import load
from tests.core.embedding.models.forward_pass import tiny_folder

_DIM = 96
_CAUSES = {one.text: one.cause for one in shipped()}
_KOREAN = {one.text for one in shipped() if one.korean}


class _Cone:
    """Knows the cause of each shipped text. `cone`: how strongly all lean to one side, and each language to its own;
    questions lean otherwise than what is stored. `own`: how much of a text is its wording, beside its cause."""

    def __init__(self, cone: float, model: Model, own: float = 1.2) -> None:
        self.cone, self.model, self.own = cone, model, own
        self.id, self.version, self.recipe, self.dim = model.id, model.version, model.recipe, model.dim

    def embed(self, texts: Sequence[str], kind: Kind) -> list[tuple[Vector, ...]]:
        return [(pack(self._of(text, kind)),) for text in texts]

    def close(self) -> None:
        """It holds nothing."""

    def _of(self, text: str, kind: Kind) -> list[float]:
        korean = text in _KOREAN
        leans = zip(_direction("all"), _direction(f"Korean: {korean}"), _direction(kind), strict=True)
        lean = [self.cone * (2 * everyone + one + other) for everyone, one, other in leans]
        own, other = _direction(_CAUSES[text]), _direction(text)
        return [a + b + self.own * c for a, b, c in zip(lean, own, other, strict=True)]


def _direction(name: str) -> list[float]:
    rng = random.Random(name)
    return unpack(pack([rng.gauss(0, 1) for _ in range(_DIM)]))


def _model(centre: str = "") -> Model:
    return Model("cone", "1", _DIM, "multilingual", 64, query_prefix="query: ", centre=centre)


def _pairs(embedder: Embedder, centre: Centre | None = None) -> tuple[Pairs, ...]:
    texts = shipped()
    said = [one.text for one in texts]
    asked, kept = (np.array([unpack(one[0]) for one in embedder.embed(said, kind)]) for kind in ("query", "document"))
    if centre is not None:
        asked, kept = centre.moved(asked, said, "query"), centre.moved(kept, said, "document")
    return pairs(texts, asked, kept)


def test_a_cone_is_centred_and_then_tells_causes_apart_in_both_languages() -> None:
    model = _Cone(2.0, _model())
    centre = centre_of(model, model.model)
    assert centre is not None
    assert min(one.strangers[0] for one in _pairs(model)) > 0.2  # whatever two texts: one cone
    after = _pairs(model, centre)
    assert least_separation(after) > least_separation(_pairs(model)) + 0.02
    middles = [one.strangers[len(one.strangers) // 2] for one in after]
    assert max(middles) - min(middles) < 0.1  # of one language or of two
    assert all(abs(middle) < 0.1 for middle in middles)


def test_a_model_whose_strangers_are_far_from_each_other_keeps_its_vectors() -> None:
    model = _Cone(0.0, _model())
    assert centre_of(model, model.model) is None


def test_minilm_needs_no_centre(minilm: Embedder) -> None:
    assert centre_of(minilm, CATALOGUE[MINILM]) is None


def test_one_that_cannot_tell_causes_apart_is_not_helped() -> None:
    model = _Cone(2.0, _model())
    noise = _Cone(2.0, _model())
    noise.embed = lambda texts, kind: [(pack(_direction(text + kind)),) for text in texts]  # type: ignore[method-assign]
    assert centre_of(noise, model.model) is None


def test_a_text_in_both_languages_has_a_centre_between_theirs() -> None:
    centre = Centre({"query": ([0.2, 0.0], [0.0, 0.2]), "document": ([0.0, 0.0], [0.0, 0.0])})
    rows = np.array([[1.0, 0.0]] * 3)
    english, half, korean = centre.moved(rows, ["disk", "ab 가나", "오류"], "query")
    assert english.tolist() == [1.0, 0.0]
    assert half[1] == pytest.approx(-0.1 / np.hypot(0.9, 0.1))
    assert korean[1] == pytest.approx(-0.2 / np.hypot(1.0, 0.2))
    assert centre.moved(rows, ["a", "b", "c"], "document").tolist() == rows.tolist()


def test_questions_are_held_against_what_is_stored() -> None:
    """As a search does: such a model puts questions to another side than what is stored."""
    model = _Cone(0.0, _model(), own=0.5)
    told = calibrate(_Questions(model), model.model)
    assert (told.same, told.strangers) == (336, 27720)
    assert told.thresholds is not None
    assert told.thresholds.similar < -0.5
    assert told.found > 0.9
    assert told.wrong < 0.01


def test_the_two_languages_in_which_causes_are_told_apart_worst_decide() -> None:
    model = _Cone(0.0, _model(), own=0.5)
    deaf = _Questions(model, deaf=True)
    told = calibrate(deaf, model.model)
    assert told.thresholds is None
    assert 0.4 < told.separation < 0.6
    assert calibrate(deaf, model.model._replace(languages="en")).separation > 0.9


class _Questions(_Cone):
    """Puts questions to one side and what is stored to the other: any two of one kind are alike. `deaf`: to Korean."""

    def __init__(self, inner: _Cone, *, deaf: bool = False) -> None:
        super().__init__(inner.cone, inner.model, inner.own)
        self.deaf = deaf

    def _of(self, text: str, kind: Kind) -> list[float]:
        found = super()._of(text, kind)
        if self.deaf and text in _KOREAN:
            return _direction(text)
        if self.deaf:
            return found
        return [*(one + 2.0 for one in found[:1]), *found[1:]] if kind == "document" else [found[0] - 2.0, *found[1:]]


def _with_centre(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[LocalModel, Centre, Embedder]:
    """A tiny model that was added with a centre; the centre, and the same model without it."""
    environ = {"HOME": str(tmp_path / "home")}
    tiny_folder(tmp_path / "tiny")
    add(tmp_path / "tiny", Wishes(), environ)
    plain = find("tiny", environ)
    assert plain is not None
    bare = load(plain)
    mean = np.array([unpack(one[0]) for one in bare.embed(["disk full", "no file", "missing"], "document")]).mean(0)
    centre = Centre({kind: (mean.tolist(), (mean / 2).tolist()) for kind in ("query", "document")})
    monkeypatch.setattr(adding, "centre_of", lambda embedder, model: centre)
    model = add(tmp_path / "tiny", Wishes(id="centred"), environ)
    found = find("centred", environ)
    assert found is not None
    assert found.model == model
    assert model.recipe == f"mean/16/centre-{centre.name}"
    assert (plain.model.recipe, plain.model.version) == ("mean/16", model.version)
    return found, centre, bare


def test_what_is_embedded_is_moved_and_the_recipe_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found, centre, bare = _with_centre(tmp_path, monkeypatch)
    texts = ["disk full", "오류 오류", "no such file " * 12]
    moved = load(found)
    for text, windows, own in zip(texts, moved.embed(texts, "document"), bare.embed(texts, "document"), strict=True):
        assert len(windows) == len(own)
        rows = np.array([unpack(one) for one in own])
        wanted = centre.moved(rows, [text] * len(rows), "document")
        assert np.allclose([unpack(one) for one in windows], wanted, atol=1e-4)
    assert not np.allclose(unpack(moved.embed(["disk"], "query")[0][0]), unpack(bare.embed(["disk"], "query")[0][0]))
    assert moved.embed([], "query") == []


def test_a_centre_that_was_changed_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found, centre, _ = _with_centre(tmp_path, monkeypatch)
    file = found.folder / CENTRE
    said = json.loads(file.read_text())
    said["query"][0][0] += 0.01
    file.write_text(file.read_text()[:-2] + "0}")
    with pytest.raises(Fault) as caught:
        load(found)
    assert caught.value.code == "model_not_pulled"
    assert centre.name != Centre({kind: tuple(said[kind]) for kind in ("query", "document")}).name  # type: ignore[misc]
    file.unlink()
    assert find("centred", {"HOME": str(tmp_path / "home")}) is None
