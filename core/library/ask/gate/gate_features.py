"""The signals of a passage beside a question (`ask_evidence.Signals`), by its words or by reading its sentences."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import apsw

from core.base.lazy_pattern import lazy_pattern
from core.library.ask.checks.glossary import in_english
from core.library.ask.checks.table_rows import figures
from core.library.ask.gate.answer_type import AnswerKind, asked_kind, shows
from core.library.ask.gate.coverage import Cover, Matches, cover, held
from core.library.ask.gate.embeddings import Reader
from core.library.ask.gate.gate_model import Signals
from core.library.ask.gate.passage_sentences import sentences_of
from core.library.ask.gate.question import Question
from core.library.search.rows import Passage
from core.library.search.stopwords import STOP
from core.text import hangul_share

if TYPE_CHECKING:
    import numpy

    Array = numpy.ndarray[Any, Any]

_SENTENCES: Final = 4  # of a passage that are read
_NEIGHBOURS: Final = 20  # words of a place that a missing word is held against
_UNLIKE, _ALIKE = 0.3, 0.8  # cosine of two words: from nothing in common to the same
_HANGUL: Final = 0.3
_PROSE: Final = (".md", ".markdown", ".mdx", ".txt", ".rst", ".adoc", ".org", ".pdf", ".tex")
_TABLES: Final = (".json", ".jsonl", ".toml", ".yaml", ".yml", ".csv", ".tsv", ".xml", ".svg", ".sql")
_WORD = lazy_pattern(r"[A-Za-z][A-Za-z0-9]*(?:[-_.][A-Za-z0-9]+)*|[가-힣]{2,}")


@dataclass(frozen=True, slots=True)
class Beside:
    """A question as passages are held against it: what its words weigh, what they match, what it asks for."""

    question: Question
    weights: tuple[float, ...]
    matches: Matches
    glossary: Mapping[str, str]
    kind: AnswerKind | None

    @property
    def total(self) -> float:
        """The weight of all words; never zero."""
        return sum(self.weights) or 1.0


@dataclass(frozen=True, slots=True)
class Seen:
    """A passage beside a question: its signals, the words it has in one place, the names and the word it lacks."""

    passage: Passage
    signals: Signals
    words: Cover
    lacks: tuple[str, ...]
    missing: str = ""
    sentence: str = ""


def beside(question: Question, weights: Sequence[float], matches: Matches, glossary: Mapping[str, str]) -> Beside:
    """What the signals of any passage need of a question."""
    return Beside(question, tuple(weights), matches, glossary, asked_kind(question.text))


def by_words(asked: Beside, row: Passage) -> Seen:
    """What its words say of a passage."""
    question = asked.question
    above = "\n".join((row.title or "", *row.heading_path))
    text = _readable(asked, f"{above}\n{row.text}")
    words = cover(question.words, asked.weights, text, asked.matches)
    named = f"{row.path}\n{above}\n{row.text}"
    lacks = tuple(name for name in question.names if "-" not in name and not _has(named, name))
    missing = _missing(asked, held(question.words, text, asked.matches))
    low = row.path.lower()
    signals = Signals(
        stretch=words.share,
        kind=float(asked.kind is not None and not shows(asked.kind, row.text, question.text)),
        nameless=float(bool(lacks)),
        program=float(not low.endswith((*_PROSE, *_TABLES))),
        table=1.0 if low.endswith(_TABLES) else figures(row.text),
    )
    return Seen(row, signals, words, lacks, missing)


def by_reading(con: apsw.Connection, asked: Beside, rows: Sequence[Seen], model: Reader) -> list[Seen]:
    """The same passages with what a model says of their sentences. Raises Stopped, and apsw errors of the store."""
    question = asked.question
    asking = _readings(model, question, model.asked(question))
    # Beside a Korean text a Korean word says something, also one that nobody knows in English.
    foreign = model.english and question.mixed != question.english
    mixed = _readings(model, question, question.mixed) if foreign else asking
    parts = [_chosen(asked, one.passage) for one in rows]
    read = model.read([model.plain(text) for sentences, _ in parts for text in sentences])
    places: list[_Place] = []
    at = 0
    for one, (sentences, around) in zip(rows, parts, strict=True):
        vectors = read[at : at + len(sentences)]
        at += len(sentences)
        said = mixed if model.cannot_read(one.passage.text) else asking
        places.append(_place(con, asked, one, model, sentences, around, vectors, said))
    model.read([word for place in places for word in place.wanted])  # all at once; what follows finds them read
    return [_seen(asked, one, place, model) for one, place in zip(rows, places, strict=True)]


def _readings(model: Reader, question: Question, text: str) -> Array:
    """The question, and the question without each of its words, a row each."""
    said = dict.fromkeys(model.says(one) or (one.stem if one.stem in text else "") for one in question.words)
    return model.read([text, *(_without(text, word) for word in said if word)])


@dataclass(frozen=True, slots=True)
class _Place:
    """The best place of a passage: its nearness, the best sentence, what words it holds, the words to compare."""

    near: float
    beside: float
    sentence: str
    held: tuple[float, ...]
    kind: float
    wanted: tuple[str, ...]
    words: tuple[str, ...]


def _chosen(asked: Beside, row: Passage) -> tuple[list[str], list[str]]:
    """The sentences of a passage that are worth reading, and each with its neighbours."""
    sentences = sentences_of(row.text) or (row.text[:400] or " ",)
    scores = [
        sum(weight * share for weight, share in zip(asked.weights, found, strict=True))
        for found in (held(asked.question.words, text, asked.matches) for text in sentences)
    ]
    best = sorted(sorted(range(len(sentences)), key=lambda at: (-scores[at], at))[:_SENTENCES])
    return [sentences[at] for at in best], [" ".join(sentences[max(0, at - 1) : at + 2]) for at in best]


def _place(
    con: apsw.Connection,
    asked: Beside,
    one: Seen,
    model: Reader,
    sentences: Sequence[str],
    around: Sequence[str],
    vectors: Array,
    asking: Array,
) -> _Place:
    import numpy

    row, question = one.passage, asked.question
    cosines = vectors @ asking[0]
    at = int(cosines.argmax())
    whole = None if model.cannot_read(row.text) else model.passage(con, row.id, asking[0])
    if whole is None:
        whole = vectors.mean(0)
        whole = whole / (float(numpy.linalg.norm(whole)) or 1.0)
    near = (float(cosines[at]) + float(whole @ asking[0])) / 2
    gains = (
        [float(((asking[1:] - asking[0]) @ vector).max()) for vector in (vectors[at], whole)] if len(asking) > 1 else []
    )
    above = "\n".join((row.title or "", *row.heading_path))
    place = f"{above}\n{around[at]}"
    has = held(question.words, _readable(asked, place), asked.matches)
    everywhere = held(question.words, _readable(asked, f"{above}\n{row.text}"), asked.matches)
    nobody = sum(
        weight
        for weight, word, share in zip(asked.weights, question.words, everywhere, strict=True)
        if not model.says(word) and not share
    )
    missing = [
        model.says(word) for word, share in zip(question.words, has, strict=True) if model.says(word) and share < 1
    ]
    words = _content(model.plain(f"{sentences[at]}\n{place}")) if missing else ()  # the nearest first
    kind = 0.0
    if asked.kind is not None and not shows(asked.kind, place, question.text):
        kind = 0.5 + one.signals.kind / 2
    return _Place(
        max(0.0, near) * (1 - nobody / asked.total),
        max(0.0, sum(gains) / len(gains)) if gains else 0.0,
        sentences[at],
        has,
        kind,
        (*missing, *words),
        words,
    )


def _seen(asked: Beside, one: Seen, place: _Place, model: Reader) -> Seen:
    has = list(place.held)
    if place.words:
        words = model.read(place.words)
        for at, (asked_word, share) in enumerate(zip(asked.question.words, has, strict=True)):
            if (said := model.says(asked_word)) and share < 1:
                alike = float((words @ model.read([said])[0]).max())
                has[at] = max(share, min(1.0, max(0.0, (alike - _UNLIKE) / (_ALIKE - _UNLIKE))))
    missing = _missing(asked, has)
    share = sum(weight * part for weight, part in zip(asked.weights, has, strict=True)) / asked.total
    signals = replace(one.signals, near=place.near, share=share, beside=place.beside, kind=place.kind)
    return replace(one, signals=signals, missing=missing, sentence=place.sentence)


def _readable(asked: Beside, text: str) -> str:
    """A text with the English words of what is Korean in it, for a question that is not."""
    if asked.question.english or hangul_share(text) < _HANGUL:
        return text
    return f"{text}\n{in_english(text, asked.glossary)}"


def _missing(asked: Beside, has: Sequence[float]) -> str:
    """The heaviest word that is missing; empty where none is."""
    lacking = [weight * (1 - share) for weight, share in zip(asked.weights, has, strict=True)]
    most = max(range(len(lacking)), key=lambda at: lacking[at], default=None)
    return asked.question.words[most].word if most is not None and lacking[most] else ""


def _without(text: str, word: str) -> str:
    left = re.sub(rf"(?<![\w]){re.escape(word)}(?![\w])", "", text, flags=re.IGNORECASE)
    return left if re.search(r"\w", left) else text


def _content(text: str) -> tuple[str, ...]:
    words = (found[0].casefold() for found in _WORD.finditer(text))
    return tuple(dict.fromkeys(word for word in words if len(word) > 1 and word not in STOP))[:_NEIGHBOURS]


def _has(text: str, name: str) -> bool:
    """Whether a text has a name, however its parts are joined: `Docker` is not in `Dockerfile`."""
    parts = [re.escape(part) for part in re.findall(r"[^\W_]+", name)]
    joined = r"[\W_]{0,3}".join(parts)
    return re.search(rf"(?<![^\W_]){joined}(?:s|\d+)?(?![a-z])", text, re.IGNORECASE) is not None
