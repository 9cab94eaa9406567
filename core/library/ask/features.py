"""Features of the evidence gate: what each passage holds of a question, by words and by meaning, and their model.

A question's subject may be one part of a passage, so the best sentences of a passage are embedded too, and the question
again without each of its words: where a passage is nearer to the question without a word, the word is not its subject.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import apsw

from core.base.lazy import lazy_pattern
from core.library.ask.glossary import in_english
from core.library.ask.question import ContentWord, Question
from core.library.search.hybrid import place_of
from core.library.search.lexical import STOP
from core.library.search.rows import Passage
from core.library.search.subword import stem, word_pieces
from core.text import hangul_share

if TYPE_CHECKING:
    import numpy

    from core.embedding.models.catalogue import Model
    from core.embedding.runtime.query_model import VectorSearch

    Array = numpy.ndarray[Any, Any]

_PART, _PART_BYTES = 24, 520
"""Texts, and their length in UTF-8, embedded between two looks at whether the asking was stopped: some 30 ms."""
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
    cancelled: Callable[[], bool]
    kept: dict[str, Array]

    def cannot_read(self, text: str) -> bool:
        """Whether a text is Korean and the model reads English."""
        return self.model.languages == "en" and hangul_share(text) > _FOREIGN

    def read(self, texts: Sequence[str]) -> Array:
        """The vectors of these texts, a row each; of one that says nothing a row of zeros."""
        import numpy

        from core.embedding.runtime.query_model import NoVectors

        starts = [_beginning(" ".join(text.split())) for text in texts]
        # Like lengths together: a batch takes as long as its longest text does as often as it has texts.
        new = sorted((text for text in dict.fromkeys(starts) if text and text not in self.kept), key=len)
        for part in _parts(new):
            if self.cancelled():
                raise Stopped
            made = self.vectors.embed_all(part)
            if isinstance(made, NoVectors):
                raise Stopped(made.reason)
            for text, vector in zip(part, made, strict=True):
                self.kept[text] = numpy.frombuffer(vector, dtype="<f4")
        nothing = numpy.zeros(self.model.dim, dtype="<f4")
        return numpy.array([self.kept.get(text, nothing) for text in starts]).reshape(len(starts), self.model.dim)

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


def reader(vectors: VectorSearch | None, cancelled: Callable[[], bool]) -> Reader | None:
    """The way to read with these vectors' model; None where there is none, or nobody has measured it: then its cosines
    say nothing against a bar."""
    if vectors is None:
        return None
    from core.embedding.runtime.query_model import NoVectors

    model = vectors.model()
    if isinstance(model, NoVectors) or not model.measured:
        return None
    return Reader(vectors, model, cancelled, {})


_BLOCK = lazy_pattern(r"\n\s*\n")
_END = lazy_pattern(r"(?<=[.!?。])\s+|(?<=[.!?。][\"”’)\]])\s+|\n+")
_LONGEST: Final = 220  # code points: a model reads a sentence, not a page
_SHORT: Final = 60  # what is shorter says little by itself and goes with what follows
_TOGETHER: Final = 160

STRETCH: Final = 400
"""Code points within which words speak of the same thing."""
_GLOSSED: Final = 0.8  # what a word counts that is only a glossary's
_READ: Final = 20_000  # code points of a passage
_HITS: Final = 600  # words of a question in one passage: who says one a thousand times says no more
_TOKEN = lazy_pattern("[A-Za-z][A-Za-z0-9]*|[0-9]+|[가-힣]+|[^\\W\\d_A-Za-z가-힣]+")

_SENTENCES: Final = 4  # of a passage that are read
_NEIGHBOURS: Final = 20  # words of a place that a missing word is held against
_UNLIKE, _ALIKE = 0.3, 0.8  # cosine of two words: from nothing in common to the same
_PROSE: Final = (".md", ".markdown", ".mdx", ".txt", ".rst", ".adoc", ".org", ".pdf", ".tex")
_TABLES: Final = (".json", ".jsonl", ".toml", ".yaml", ".yml", ".csv", ".tsv", ".xml", ".svg", ".sql")
_WORD = lazy_pattern(r"[A-Za-z][A-Za-z0-9]*(?:[-_.][A-Za-z0-9]+)*|[가-힣]{2,}")


def sentences_of(text: str) -> tuple[str, ...]:
    """Sentences, rows and items in their order; short ones together with the next of their paragraph."""
    out: list[str] = []
    for block in _BLOCK.split(text[:_READ]):
        held = ""
        for part in _END.split(block):
            sentence = part.strip()
            if not sentence:
                continue
            if held and len(held) < _SHORT and len(held) + len(sentence) < _TOGETHER:
                held = f"{held} {sentence}"
            else:
                if held:
                    out.append(held)
                held = sentence
            while len(held) > _LONGEST:
                out.append(held[:_LONGEST])
                held = held[_LONGEST:]
        if held:
            out.append(held)
    return tuple(out)


@dataclass(frozen=True, slots=True)
class Cover:
    """The share of the question's weight, 0 to 1, that the best stretch holds, and the words it has."""

    share: float
    words: tuple[str, ...]


Matches = Callable[[str], Sequence[tuple[int, float]]]
"""Which words of a question a token is, by number, and how far."""


def matcher(words: Sequence[ContentWord]) -> Matches:
    """Tells of each token which of these words it is; what it has told it knows: tokens come again and again."""
    known: dict[str, list[tuple[int, float]]] = {}

    def matches(token: str) -> list[tuple[int, float]]:
        found = known.get(token)
        if found is None:
            found = known[token] = _matching(words, token)
        return found

    return matches


def cover(words: Sequence[ContentWord], weights: Sequence[float], text: str, matches: Matches | None = None) -> Cover:
    """The best stretch of `text` for these words. `matches`: their matcher, where several texts are looked at."""
    total = sum(weights)
    if not total:
        return Cover(0.0, ())
    found_in = matches or matcher(words)
    hits = [(found.start(), at, share) for found in _TOKEN.finditer(text[:_READ]) for at, share in found_in(found[0])][
        :_HITS
    ]
    best, held = 0.0, dict[int, float]()
    for first, (start, _, _) in enumerate(hits):
        here: dict[int, float] = {}
        for place, at, share in hits[first:]:
            if place - start > STRETCH:
                break
            here[at] = max(here.get(at, 0.0), share)
        sums = sum(weights[at] * share for at, share in here.items())
        if sums > best:
            best, held = sums, here
            if best >= total:
                break
    return Cover(best / total, tuple(words[at].word for at in sorted(held)))


def coverage_of(words: Sequence[ContentWord], text: str, matches: Matches) -> tuple[float, ...]:
    """Of each word how far it stands anywhere in a text, 0 to 1."""
    found = [0.0] * len(words)
    for token in {one[0] for one in _TOKEN.finditer(text[:_READ])}:
        for at, share in matches(token):
            found[at] = max(found[at], share)
    return tuple(found)


def _matching(words: Sequence[ContentWord], token: str) -> list[tuple[int, float]]:
    """Which words a token is, and how far: a Korean word counts by the syllables that it begins with alike."""
    if "가" <= token[0] <= "힣":
        found = ((at, _alike(one.stem, token)) for at, one in enumerate(words) if one.kind != "word")
        return [(at, share) for at, share in found if share]
    forms = _forms(token)
    out: list[tuple[int, float]] = []
    for at, one in enumerate(words):
        if one.kind == "word":
            if one.stem in forms or one.word in forms:
                out.append((at, 1.0))
        elif not forms.isdisjoint(one.also):
            out.append((at, _GLOSSED))
    return out


@lru_cache(maxsize=1 << 15)  # the words of a library come again in every passage
def _forms(token: str) -> frozenset[str]:
    low = token.casefold()
    return frozenset((low, stem(low), *(word_pieces(token) if token.isascii() else ())))


def _alike(wanted: str, token: str) -> float:
    if len(wanted) == 1:
        return float(token.startswith(wanted))
    if wanted in token:
        return 1.0
    for size in range(len(wanted) - 1, 1, -1):
        if token.startswith(wanted[:size]):
            return size / len(wanted)
    return 0.0


@dataclass(frozen=True, slots=True)
class QuestionTerms:
    """A question as passages are held against it: what its words weigh and what they match."""

    question: Question
    weights: Sequence[float]
    matches: Matches
    glossary: Mapping[str, str]

    @property
    def total(self) -> float:
        """The weight of all words; never zero."""
        return sum(self.weights) or 1.0


@dataclass(frozen=True, slots=True)
class PassageFeatures:
    """A passage beside a question: its signals, the words it has in one place, the names and the word it lacks.

    `held`: of each word of the question how much the passage says of it, 0 to 1. `nearest`: the sentence that a model
    found nearest; empty without a model. `is_read`: a model read it. `evidence`: 0 to 1, as the gate weighs it.
    """

    passage: Passage
    signals: Signals
    words: Cover
    lacks: tuple[str, ...]
    held: tuple[float, ...] = ()
    missing: str = ""
    nearest: str = ""
    is_read: bool = False
    evidence: float = 0.0


def by_words(terms: QuestionTerms, row: Passage) -> PassageFeatures:
    """What its words say of a passage."""
    question = terms.question
    above = "\n".join((row.title or "", *row.heading_path))
    text = _readable(terms, f"{above}\n{row.text}")
    words = cover(question.words, terms.weights, text, terms.matches)
    named = f"{row.path}\n{above}\n{row.text}"
    lacks = tuple(name for name in question.names if "-" not in name and not _has(named, name))
    held = coverage_of(question.words, text, terms.matches)
    low = row.path.lower()
    signals = Signals(
        stretch=words.share,
        nameless=float(bool(lacks)),
        program=float(not low.endswith((*_PROSE, *_TABLES))),
        table=float(low.endswith(_TABLES)),
    )
    return PassageFeatures(row, signals, words, lacks, held, _missing(terms, held))


def by_reading(
    con: apsw.Connection, terms: QuestionTerms, rows: Sequence[PassageFeatures], model: Reader
) -> list[PassageFeatures]:
    """The same passages with what a model says of their sentences. Raises Stopped, and apsw errors of the store."""
    question = terms.question
    asking = model.read([question.text, *(_without(question.text, one.word) for one in question.words)])
    parts = [_chosen(terms, one.passage) for one in rows]
    read = model.read([text for sentences, _ in parts for text in sentences])
    places: list[_Place] = []
    at = 0
    for one, (sentences, around) in zip(rows, parts, strict=True):
        vectors = read[at : at + len(sentences)]
        at += len(sentences)
        places.append(_place(con, terms, one, model, sentences, around, vectors, asking))
    model.read([word for place in places for word in place.wanted])  # all at once; what follows finds them read
    return [_passage_features(terms, one, place, model) for one, place in zip(rows, places, strict=True)]


@dataclass(frozen=True, slots=True)
class _Place:
    """The best place of a passage: its nearness, what words it holds, the words to compare."""

    near: float
    beside: float
    held: tuple[float, ...]
    wanted: tuple[str, ...]
    words: tuple[str, ...]
    sentence: str


def _chosen(terms: QuestionTerms, row: Passage) -> tuple[list[str], list[str]]:
    """The sentences of a passage that are worth reading, and each with its neighbours."""
    sentences = sentences_of(row.text) or (row.text[:400] or " ",)
    scores = [
        sum(weight * share for weight, share in zip(terms.weights, found, strict=True))
        for found in (coverage_of(terms.question.words, text, terms.matches) for text in sentences)
    ]
    best = sorted(sorted(range(len(sentences)), key=lambda at: (-scores[at], at))[:_SENTENCES])
    return [sentences[at] for at in best], [" ".join(sentences[max(0, at - 1) : at + 2]) for at in best]


def _place(
    con: apsw.Connection,
    terms: QuestionTerms,
    one: PassageFeatures,
    model: Reader,
    sentences: Sequence[str],
    around: Sequence[str],
    vectors: Array,
    asking: Array,
) -> _Place:
    import numpy

    row, question = one.passage, terms.question
    cosines = vectors @ asking[0]
    at = int(cosines.argmax())
    whole = model.passage(con, row.id, asking[0])
    if whole is None:
        whole = vectors.mean(0)
        whole = whole / (float(numpy.linalg.norm(whole)) or 1.0)
    near = (float(cosines[at]) + float(whole @ asking[0])) / 2
    gains = (
        [float(((asking[1:] - asking[0]) @ vector).max()) for vector in (vectors[at], whole)] if len(asking) > 1 else []
    )
    above = "\n".join((row.title or "", *row.heading_path))
    place = f"{above}\n{around[at]}"
    has = coverage_of(question.words, _readable(terms, place), terms.matches)
    missing = [word.word for word, share in zip(question.words, has, strict=True) if share < 1]
    words = _content(f"{sentences[at]}\n{place}") if missing else ()  # the nearest first
    return _Place(
        max(0.0, near),
        max(0.0, sum(gains) / len(gains)) if gains else 0.0,
        has,
        (*missing, *words),
        words,
        sentences[at],
    )


def _passage_features(terms: QuestionTerms, one: PassageFeatures, place: _Place, model: Reader) -> PassageFeatures:
    has = list(place.held)
    if place.words:
        words = model.read(place.words)
        for at, (query_word, share) in enumerate(zip(terms.question.words, has, strict=True)):
            if share < 1:
                alike = float((words @ model.read([query_word.word])[0]).max())
                has[at] = max(share, min(1.0, max(0.0, (alike - _UNLIKE) / (_ALIKE - _UNLIKE))))
    share = sum(weight * part for weight, part in zip(terms.weights, has, strict=True)) / terms.total
    signals = replace(one.signals, near=place.near, share=share, beside=place.beside)
    # The nearest place speaks for its passage, and a word that is elsewhere in it is said all the same.
    held = tuple(map(max, one.held, has))
    return replace(one, signals=signals, held=held, missing=_missing(terms, has), nearest=place.sentence, is_read=True)


def nearest_by_words(words: Sequence[ContentWord], row: Passage) -> str:
    """Return the sentence that says most of these words, the earliest of those equal; empty if it has only headings."""
    matches = matcher(words)
    sentences = [one for one in sentences_of(row.text) if not is_heading(one, row)]
    return max(sentences, key=lambda sentence: sum(coverage_of(words, sentence, matches)), default="")


def is_heading(sentence: str, row: Passage) -> bool:
    """Whether a sentence only repeats a heading of its passage."""
    return sentence.strip("# ") in (row.title, row.section_label, *row.heading_path)


def _readable(terms: QuestionTerms, text: str) -> str:
    """A text with the English words of what is Korean in it, for a question that is not."""
    if terms.question.english or hangul_share(text) < _FOREIGN:
        return text
    return f"{text}\n{in_english(text, terms.glossary)}"


def _missing(terms: QuestionTerms, has: Sequence[float]) -> str:
    """The heaviest word that is missing; empty where none is."""
    lacking = [weight * (1 - share) for weight, share in zip(terms.weights, has, strict=True)]
    most = max(range(len(lacking)), key=lambda at: lacking[at], default=None)
    return terms.question.words[most].word if most is not None and lacking[most] else ""


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


@dataclass(frozen=True, slots=True)
class Signals:
    """What is known of one passage beside a question; each 0 to 1 unless it says otherwise.

    `near`: cosine of the passage and of its best sentence, less what the question says that nobody knows. `share`: of
    the question's weight, what stands there in other words too; `stretch`: what stands in one place, word for word.
    `beside`: how much nearer it is without one of the question's words (a cosine). `nameless`: it lacks a name.
    `program`: it is one. `table`: it is a file of data. `ahead`: how much nearer the passage is to
    the question than the sixty nearest passages on average (a difference of cosines). Many passages are near to a
    question about the subject of a library. The one that answers it is nearer than the others.
    """

    near: float = 0.0
    share: float = 0.0
    stretch: float = 0.0
    beside: float = 0.0
    nameless: float = 0.0
    program: float = 0.0
    table: float = 0.0
    ahead: float = 0.0


# Weights of a small logistic model, fitted on labelled questions about several corpora (`bench ask_gate` names them),
# each judged by what was fitted on the others. By words, wrong refusals and wrong answers were about as frequent at
# 0.30. What a model read is joined with the words below.
_READ_WEIGHTS: Final = Signals(
    near=2.7, share=2.8, stretch=1.3, beside=-7.5, nameless=-2.4, program=-1.3, table=-1.8, ahead=6.0
)
_READ_LEAST: Final = -3.9
_WORD_WEIGHTS: Final = Signals(stretch=6.5, nameless=-2.4, program=-1.6, table=-2.0)
_WORDS_LEAST: Final = -3.0
_BAR: Final = math.log(0.30 / 0.70)


def evidence(signals: Signals, *, by_words: bool) -> float:
    """The evidence of a passage; `by_words`: no model read it."""
    weights, least = (_WORD_WEIGHTS, _WORDS_LEAST) if by_words else (_READ_WEIGHTS, _READ_LEAST)
    total = sum(getattr(weights, one.name) * getattr(signals, one.name) for one in fields(signals))
    return _probability(total + least + _BAR)


@dataclass(frozen=True, slots=True)
class Support:
    """What decides on a question whose passages a model read.

    `read`: the most evidence of a passage that it read; `words`: the most evidence by words of any passage, 0 where
    none has a word of the question; `foreign`: the question is Korean and the passage with the most evidence is not, so
    they share few words.
    """

    read: float
    words: float
    foreign: bool


# Fitted by `python -m bench.library.gate_weights` on the questions about nine projects, with both models. The cut-off
# is the lowest that refuses 0.87 of the near questions (`tests/data/library/questions/README.md`). A model that nobody
# fitted has the strictest.
_JOINED: Final = (1.23, 0.54, 2.32)
_CUT_OFFS: Final = {"all-MiniLM-L6-v2": -0.95, "multilingual-e5-small-q4": -1.44}


def joined(support: Support, read: float, model: str) -> float:
    """The evidence of a passage, joined with the words of all. `read`: that of the model; 0.30 is the cut-off."""
    read_weight, words_weight, foreign = _JOINED
    total = read_weight * log_odds(read) + words_weight * log_odds(support.words) + foreign * support.foreign
    return _probability(total - _CUT_OFFS.get(model, max(_CUT_OFFS.values())) + _BAR)


def log_odds(probability: float) -> float:
    """The logarithm of the odds, which are at most a million to one."""
    held = min(max(probability, 1e-6), 1 - 1e-6)
    return math.log(held / (1 - held))


def _probability(odds: float) -> float:
    return 1 / (1 + math.exp(-odds))
