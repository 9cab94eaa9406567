"""Embedding texts of which some may fail: the bad ones are found, the good ones go on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from core.base.fault import Fault
from core.embedding.index.vectors import unusable
from core.embedding.runtime.embedder import Embedder, Vector

SLICE = 6_000
"""Characters, padding included, given to the model at once: between two slices a run can stop, after some 0.2 s."""

Outcome = tuple[Vector, ...] | str
"""The vectors of one text, or in plain words why it has none."""


def attempt(embedder: Embedder, texts: Sequence[str], between: Callable[[], None]) -> list[Outcome]:
    """The outcome of each text, in order. `between` is called before each slice and may raise to stop.

    Raises Fault where the model itself fails, whatever the text: that is no reason to give up on the texts.
    """
    out: list[Outcome] = []
    for part in _slices(texts):
        between()
        out += _embed(embedder, part)
    return out


def _slices(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    start, longest = 0, 0
    for at, text in enumerate(texts):
        longest = max(longest, len(text))
        if at > start and longest * (at + 1 - start) > SLICE:
            yield texts[start:at]
            start, longest = at, len(text)
    if start < len(texts):
        yield texts[start:]


def _embed(embedder: Embedder, texts: Sequence[str]) -> list[Outcome]:
    try:
        found = embedder.embed(texts, "document")
        if len(found) != len(texts):
            raise ValueError(f"the model gave {len(found)} results for {len(texts)} texts")
    except Fault as fault:
        if fault.code != "invalid_input":
            raise
        if len(texts) == 1:
            return [fault.message]
    except Exception as error:  # noqa: BLE001  a tokenizer or a runtime may raise anything at all
        if len(texts) == 1:
            _require_working(embedder, error)
            return [str(error) or type(error).__name__]
    else:
        return [_checked(windows, embedder.dim) for windows in found]
    half = len(texts) // 2
    return [*_embed(embedder, texts[:half]), *_embed(embedder, texts[half:])]


def _checked(windows: tuple[Vector, ...], dim: int) -> Outcome:
    if not windows:
        return "the model gave no vector"
    reason = next((why for vector in windows if (why := unusable(vector, dim))), None)
    return windows if reason is None else f"the model's vector is not usable: {reason}"


def _require_working(embedder: Embedder, error: Exception) -> None:
    """Tell a bad text from a broken model, which would otherwise mark every text as bad."""
    try:
        embedder.embed(["error"], "document")
    except Fault:
        raise
    except Exception as again:  # noqa: BLE001
        raise Fault(
            "model_unreachable",
            f"The model {embedder.id} fails on every text ({again}).",
            "Choose another one: casebook models list",
        ) from error
