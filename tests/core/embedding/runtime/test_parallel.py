"""Side by side or one after the other: the same vectors in the same order, and a fault is the caller's."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest

from core.base.fault import Fault
from core.embedding import Embedder, Kind, Vector, cosine
from core.embedding.runtime.local import Parallel
from tests.core.embedding.exact_embedder import ExactEmbedder


class Threads(ExactEmbedder):
    """Waits until as many threads as expected are inside at once: embedded in turn it would fail."""

    def __init__(self, expected: int) -> None:
        super().__init__()
        self.barrier = threading.Barrier(expected, timeout=120)

    def embed(self, texts: Sequence[str], kind: Kind) -> list[tuple[Vector, ...]]:
        self.barrier.wait()
        return super().embed(texts, kind)


@pytest.mark.parametrize("workers", [1, 2, 3, 8])
@pytest.mark.parametrize("count", [0, 1, 7, 8, 50, 101])
def test_order_and_vectors_are_those_of_the_model_alone(workers: int, count: int) -> None:
    texts = [f"text {n}" for n in range(count)]
    inner = ExactEmbedder()
    assert Parallel(inner, workers).embed(texts, "document") == ExactEmbedder().embed(texts, "document")
    assert sorted(inner.given) == sorted(texts)
    assert all(len(batch) <= 16 for batch in inner.seen)


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_neighbours_stay_together_and_every_worker_has_as_many_parts(workers: int) -> None:
    texts = [f"text {n}" for n in range(50)]
    inner = ExactEmbedder()
    Parallel(inner, workers).embed(texts, "document")
    at = {text: n for n, text in enumerate(texts)}
    assert all([at[text] for text in batch] == list(range(at[batch[0]], at[batch[-1]] + 1)) for batch in inner.seen)
    assert len(inner.seen) % workers == 0


def test_the_parts_run_at_the_same_time() -> None:
    inner = Threads(3)
    assert len(Parallel(inner, 3).embed([f"text {n}" for n in range(24)], "document")) == 24


@pytest.mark.parametrize("bad", [0, 5, 23])
def test_a_fault_of_any_part_is_raised(bad: int) -> None:
    texts = [f"text {n}" for n in range(24)]
    with pytest.raises(Fault):
        Parallel(ExactEmbedder(failing=[texts[bad]]), 3).embed(texts, "document")


def test_the_real_model_may_be_used_by_several_threads(minilm: Embedder) -> None:
    texts = [f"error {n}: cannot open file{' and folder' * (n % 9)}" for n in range(40)]
    for one, other in zip(Parallel(minilm, 4).embed(texts, "document"), minilm.embed(texts, "document"), strict=True):
        assert cosine(one[0], other[0]) > 1 - 1e-6
