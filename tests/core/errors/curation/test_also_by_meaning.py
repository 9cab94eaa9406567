"""Cases that one fix may be for too: in other words as well, where the vectors say that they mean the same."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from core.embedding import Kind, Vector, pack
from core.embedding.models.catalogue import CATALOGUE, MINILM, Model, Thresholds
from core.embedding.models.model_folder import new_part, put, seal, write_thresholds
from core.embedding.models.models import added_folder, bars_of_stored
from core.embedding.runtime.embedder import Embedder
from core.embedding.runtime.worker import run as embed_all
from core.errors import identify, observe
from core.errors.cases.record import Name
from core.errors.curation.decisions import apply_to_these, verify
from core.errors.curation.transaction import Written, look
from core.errors.retrieval.embed_text import ErrorSource
from core.errors.retrieval.neighbours import cases_like
from core.store import Store, open_store

REACT = "Error: Cannot find module 'react'"
IN_OTHER_WORDS = "Module not found: Can't resolve 'react'"
STRANGER = "kernel: usb 1-1: device descriptor read/64, error -110"


def met(store: Store, raw: str) -> int:
    found = identify(raw)
    name = Name(found.key_line or raw, found.normalized or raw, found.fingerprint, found.tool or "shell")
    with store.transaction() as con:
        return observe(
            con, name, session_id=None, message_idx=None, tool="shell", project="shop",
            ts="2026-03-10T10:00:00.000Z", raw=raw, start=None, end=None,
        )  # fmt: skip


def test_the_same_in_other_words_is_offered_a_stranger_and_a_solved_case_are_not(
    tmp_path: Path, minilm: Embedder
) -> None:
    with open_store(tmp_path / "casebook.db", create=True) as store:
        asked, other, stranger = (met(store, raw) for raw in (REACT, IN_OTHER_WORDS, STRANGER))
        assert apply_to_these(store, asked) == (), "nothing is embedded: words alone"
        embed_all(store, ErrorSource(), minilm)
        found = apply_to_these(store, asked)
        assert [(one.id, one.by, one.seen.case_id) for one in found] == [(other, "meaning", other)]
        assert apply_to_these(store, stranger) == ()
        verify(store, "kim", [look(store.con, other)], Written("npm install react"))
        assert apply_to_these(store, asked) == ()


def test_a_slip_is_shown_beside_slips_only(tmp_path: Path, minilm: Embedder) -> None:
    with open_store(tmp_path / "casebook.db", create=True) as store:
        asked, slip = (met(store, raw) for raw in (REACT, IN_OTHER_WORDS))
        embed_all(store, ErrorSource(), minilm)
        for slips, of_asked in (((), [slip]), ((slip,), []), ((slip, asked), [slip])):
            with store.transaction() as con:
                con.execute("UPDATE case_state SET worth = ''")
                con.executemany("UPDATE case_state SET worth = 'slip' WHERE case_id = ?", [(one,) for one in slips])
            assert [one.row.id for one in cases_like(store, asked).cases] == of_asked
            assert [one.row.id for one in cases_like(store, slip).cases] == [asked]


class _Narrow:
    """A model that reads one word: strangers have a cosine of 0.8, what has that word one of 0.95."""

    def __init__(self, model: Model) -> None:
        self.id, self.version, self.recipe, self.dim = model.id, model.version, model.recipe, model.dim

    def embed(self, texts: Sequence[str], kind: Kind) -> list[tuple[Vector, ...]]:
        return [(pack(self._of(text)),) for text in texts]

    def _of(self, text: str) -> list[float]:
        found = [0.8**0.5, *[0.0] * (self.dim - 1)]
        found[1 + ("module" in text.casefold())], found[5 + len(text) % 11] = 0.15**0.5, 0.05**0.5
        return found

    def close(self) -> None:
        """It holds nothing."""


@pytest.fixture
def narrow() -> Iterator[Model]:
    """A model that was added and measured, whose bars are not MiniLM's."""
    folder = added_folder("narrow")
    part = new_part(folder)
    for name in ("model.onnx", "tokenizer.json", "tokenizer_config.json"):
        (part / name).write_bytes(name.encode())
    model = seal(part, Model("narrow", "", 16, "multilingual", 64), "a test")
    put(part, folder)
    yield model
    shutil.rmtree(folder)


def test_the_bars_of_a_model_that_was_measured_here_hold_for_its_vectors(tmp_path: Path, narrow: Model) -> None:
    with open_store(tmp_path / "casebook.db", create=True) as store:
        asked, other, stranger = (met(store, raw) for raw in (REACT, IN_OTHER_WORDS, STRANGER))
        embed_all(store, ErrorSource(), _Narrow(narrow))
        assert {one.row.id for one in cases_like(store, asked).cases} == {other, stranger}, "nobody has measured it"
        assert apply_to_these(store, asked) == ()
        write_thresholds(added_folder("narrow"), narrow, Thresholds(0.93, 0.0, 0.92, 0.0, 0.88))
        assert [one.row.id for one in cases_like(store, asked).cases] == [other]
        assert [(one.id, one.by) for one in apply_to_these(store, asked)] == [(other, "meaning")]
        write_thresholds(added_folder("narrow"), narrow, Thresholds(0.97, 0.0, 0.96, 0.0, 0.96))
        assert cases_like(store, asked).cases == ()
        assert apply_to_these(store, asked) == ()


def test_bars_hold_for_one_version_and_one_way_of_reading(narrow: Model) -> None:
    bars = Thresholds(0.93, 0.0, 0.92, 0.0, 0.88)
    write_thresholds(added_folder("narrow"), narrow, bars)
    name = f"narrow@{narrow.version}"
    assert bars_of_stored(name, f"error/1+{narrow.recipe}") == bars
    assert bars_of_stored(name, f"error/1+{narrow.recipe}/centre-1") is None
    assert bars_of_stored("narrow@0", f"error/1+{narrow.recipe}") is None
    minilm = CATALOGUE[MINILM]
    assert bars_of_stored(f"{MINILM}@{minilm.version}", f"error/1+{minilm.recipe}") == minilm.thresholds
