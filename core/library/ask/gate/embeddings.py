"""What a question means, beside passages and their sentences: vectors that are made while it is asked.

A passage speaks of several things, and of a question only a part may be its subject. So its best sentences are read
too, and the question again without each of its words: where a passage is nearer to the question without a word, that
word is not what it speaks of. What is Korean is read by its English words, where the model reads English.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import apsw

from core.base.lazy_pattern import lazy_pattern
from core.library.ask.checks.glossary import in_english
from core.library.ask.gate.question import Asked, Question
from core.library.search.vector import place_of
from core.text import hangul_share

if TYPE_CHECKING:
    import numpy

    from core.embedding.models.catalogue import Model
    from core.embedding.runtime.query_model import VectorSearch

    Array = numpy.ndarray[Any, Any]

_PART, _PART_BYTES = 24, 520
"""Texts, and their length in UTF-8, embedded between two looks at whether the asking was stopped: some 30 ms."""
_HANGUL: Final = 0.05  # of a text's letters: from there on it is read by its English words
_FOREIGN: Final = 0.3
_PIECES: Final = 72
"""Of a text what a model reads: a sentence of prose has fewer, and a row of figures or signs says no more with more."""
_PIECE = lazy_pattern(r"[A-Za-z]{1,6}|[0-9]{1,3}|\S")


class Stopped(Exception):
    """The asking was stopped, or the model gave up, while texts were read."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads short texts with one model; a text that comes again is read once. Raises Stopped."""

    vectors: VectorSearch
    model: Model
    glossary: Mapping[str, str]
    cancelled: Callable[[], bool]
    kept: dict[str, Array]

    @property
    def english(self) -> bool:
        """Whether it reads English alone: then what is Korean is read by its English words."""
        return self.model.languages == "en"

    def plain(self, text: str) -> str:
        """A text as the model is given it."""
        if self.english and hangul_share(text) > _HANGUL:
            return in_english(text, self.glossary, keep=True)
        return text

    def asked(self, question: Question) -> str:
        """The question as the model is given it."""
        return question.english or question.text if self.english else question.text

    def says(self, word: Asked) -> str:
        """What stands for a word of the question in what the model is given; empty where nothing does."""
        return word.said if self.english else word.word

    def cannot_read(self, text: str) -> bool:
        """Whether the stored vector of such a passage says nothing: it is Korean, and the model reads English."""
        return self.english and hangul_share(text) > _FOREIGN

    def read(self, texts: Sequence[str]) -> Array:
        """The vectors of these texts, a row each; of one that says nothing a row of zeros."""
        import numpy

        from core.embedding.runtime.query_model import NoVectors

        said = [_beginning(" ".join(text.split())) for text in texts]
        # Like lengths together: a batch takes as long as its longest text does as often as it has texts.
        new = sorted((text for text in dict.fromkeys(said) if text and text not in self.kept), key=len)
        for part in _parts(new):
            if self.cancelled():
                raise Stopped
            made = self.vectors.embed_all(part)
            if isinstance(made, NoVectors):
                raise Stopped(made.reason)
            for text, vector in zip(part, made, strict=True):
                self.kept[text] = numpy.frombuffer(vector, dtype="<f4")
        nothing = numpy.zeros(self.model.dim, dtype="<f4")
        return numpy.array([self.kept.get(text, nothing) for text in said]).reshape(len(said), self.model.dim)

    def passage(self, con: apsw.Connection, item: int, question: Array) -> Array | None:
        """The stored vector of a passage that is nearest to the question, of its windows; None where it has none."""
        import numpy

        from core.embedding.index.stored import windows_of

        windows = windows_of(con, place_of(self.model), item)
        if not windows:
            return None
        rows = numpy.frombuffer(b"".join(windows), dtype="<f4").reshape(len(windows), self.model.dim)
        return rows[int((rows @ question).argmax())]


def _parts(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    start = size = 0
    for at, text in enumerate(texts):
        long = len(text.encode("utf-8", "replace"))
        if at > start and (size + long > _PART_BYTES or at - start >= _PART):
            yield texts[start:at]
            start, size = at, 0
        size += long
    if start < len(texts):
        yield texts[start:]


def _beginning(text: str) -> str:
    last = next(islice(_PIECE.finditer(text), _PIECES, None), None)
    return text if last is None else text[: last.start()].rstrip()


def reader(vectors: VectorSearch | None, glossary: Mapping[str, str], cancelled: Callable[[], bool]) -> Reader | None:
    """The way to read with these vectors' model; None where there is none, or nobody has measured it: then its cosines
    say nothing against a bar."""
    if vectors is None:
        return None
    from core.embedding.runtime.query_model import NoVectors

    model = vectors.model()
    if isinstance(model, NoVectors) or not model.measured:
        return None
    return Reader(vectors, model, glossary, cancelled, {})
