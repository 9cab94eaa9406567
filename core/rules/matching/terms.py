"""The terms that rules and calls are compared by: stems of words, parts of identifiers, pieces of CJK runs, and the
English word of what the glossary knows, so that a rule in Korean meets a call in English."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import lru_cache
from itertools import islice
from typing import Final

from core.text.cleaning import normalized
from core.text.tokenizing import STOP_WORDS, without_particle

_PIECE = re.compile(r"[A-Za-z][A-Za-z0-9_\-]*[A-Za-z0-9]|[A-Za-z]|[0-9]+|[가-힣]+|[\u3040-\u30ff\u3400-\u9fff]+")
_RUN = re.compile(r"[가-힣\u3040-\u30ff\u3400-\u9fff]")
_HIRAGANA = re.compile(r"[\u3041-\u309f]")
_PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_COMMON = (
    "a an is of to in on at by or if it as be so no do we my me us he up off out new get got let put use used using "
    "after before again about over under between each every many much less without within instead only never always "
    "must may might still yet already another same own way make makes made take takes see look say said go come keep "
    "kept run runs thing things nobody anyone someone until since while because though whether"
)
_EVERYDAY: Final = frozenset(_COMMON.split())
_GLUED = "은 는 이 가 을 를 의 에 로 와 과 도 만 에서 에게 으로 까지 부터 처럼 보다 에서는 으로는"
_PARTICLES: Final = frozenset(_GLUED.split())
"""Particles that become separate when they were attached to code (`await`를)."""
ENGLISH, PIECE = 0.85, 0.3
"""Weights of an English word of a run and of one of its pieces."""
MOST = 4_000
"""Terms of one text that are looked at."""

Glossary = Mapping[str, str]
"""A CJK word to its English one; to several, with a blank between, where it means more."""


def stem(word: str) -> str:
    """An English word without its ending: `commits`, `committed`, `committing` meet."""
    if len(word) <= 3 or not word.isascii():
        return word
    for ending in ("ations", "ation", "ings", "ing", "edly", "ed", "ies", "es", "ly", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            if ending == "s" and word[-2] in "sui":
                break
            if ending == "es" and word[-3] not in "sxzho":
                return _bare(word[:-1])
            word = word[: -len(ending)] + ("y" if ending == "ies" else "")
            break
    return _bare(word)


def _bare(word: str) -> str:
    if len(word) > 4 and word[-1] == word[-2] and word[-1] not in "lsz":
        word = word[:-1]
    return word[:-1] if len(word) > 4 and word[-1] == "e" else word


def spans(text: str, glossary: Glossary) -> Iterator[tuple[str, int, int]]:
    """Yield every term of a text with its place, in order; one place may give several terms."""
    count = 0
    for found in _PIECE.finditer(text):
        piece, start, end = found.group(), found.start(), found.end()
        terms = _latin(piece) if piece.isascii() else _cjk(piece, glossary)
        for term in terms:
            yield term, start, end
            count += 1
        if count >= MOST:
            return


def places(text: str, glossary: Glossary, wanted: Set[str]) -> Iterator[tuple[str, int, int]]:
    """Yield the places of these terms in a text, in order of its pieces: of an identifier or a CJK run only the part of
    the term. With the same pieces as `spans`."""
    count = 0
    for found in _PIECE.finditer(text):
        piece, start = found.group(), found.start()
        terms = _latin(piece) if piece.isascii() else tuple(_cjk(piece, glossary))
        count += len(terms)
        for term in (one for one in dict.fromkeys(terms) if one in wanted):
            for begin, end in _within(piece, term, glossary):
                yield term, start + begin, start + end
        if count >= MOST:
            return


def _within(piece: str, term: str, glossary: Glossary) -> Iterator[tuple[int, int]]:
    if piece.isascii():
        parts = [one.span() for one in _PARTS.finditer(piece) if stem(one.group().casefold()) == term]
        yield from parts or [(0, len(piece))]
        return
    for words, start, end in meanings(piece, glossary):
        if term in map(stem, words):
            yield start, end
    at = piece.find(term)
    while at >= 0:
        yield at, at + len(term)
        at = piece.find(term, at + 1)


_LOOKS = 20
"""Places at which a word is looked for."""


def as_written(term: str, texts: Iterable[str]) -> str:
    """A term, which may be a stem, as the word that it is of in the first of these texts that has one; else itself."""
    if not (term.isascii() and term.isalpha()) or len(term) < 4:
        return term
    begins = re.compile(rf"{term[:-1]}[a-z]*", re.IGNORECASE)
    found = (one.group() for text in texts for one in islice(begins.finditer(text), _LOOKS))
    return next((word.casefold() for word in found if stem(word.casefold()) == term), term)


def terms(text: str, glossary: Glossary) -> list[str]:
    """Every term of a text, in order, with repeats: those of `spans`, in less than half the time."""
    out: list[str] = []
    for piece in _PIECE.findall(normalized(text)):
        out.extend(_latin(piece) if piece.isascii() else _cjk(piece, glossary))
        if len(out) >= MOST:
            break
    return out


def has_run(text: str) -> bool:
    """Whether a text has a run of Hangul, kana or Han: for all others, no word of the glossary is looked up."""
    return not text.isascii() and _RUN.search(normalized(text)) is not None


def shares(text: str, glossary: Glossary) -> dict[str, float]:
    """Every term of a text once, with how much of what it says is its own: a run of Hangul, kana or Han is there as
    its pieces and as each English word it may mean, which says the less the more of them there are."""
    found: dict[str, float] = {}
    for match in _PIECE.finditer(normalized(text)):
        piece = match.group()
        if piece.isascii():
            found.update(dict.fromkeys(_latin(piece), 1.0))
            continue
        meant: dict[int, list[str]] = {}
        for word, end in glossed(piece, glossary):
            meant.setdefault(end, []).append(word)
        for words in meant.values():
            share = ENGLISH / math.sqrt(len(words))
            for word in words:
                found[word] = max(found.get(word, 0.0), share)
        for term in _cjk(piece, glossary):
            found.setdefault(term, PIECE)
        if len(found) >= MOST:
            break
    return found


@lru_cache(maxsize=20_000)
def _latin(piece: str) -> tuple[str, ...]:
    return tuple(_parts(piece))


def _parts(piece: str) -> Iterator[str]:
    low = piece.casefold()
    parts = [part.casefold() for part in _PARTS.findall(piece)]
    for part in parts:
        if (
            len(part) > 1
            and part not in STOP_WORDS
            and part not in _EVERYDAY
            and not (part.isdigit() and len(part) < 3)
        ):
            yield stem(part)
    if len(parts) > 1:
        yield low


def _cjk(run: str, glossary: Glossary) -> Iterator[str]:
    yield from dict.fromkeys(gloss for gloss, _ in glossed(run, glossary))
    bare = without_particle(run)
    if bare in STOP_WORDS or bare in _PARTICLES:
        return
    pieces = [bare] if len(bare) == 1 else [bare[at : at + 2] for at in range(len(bare) - 1)]
    # Hiragana are endings and particles: they stand in every sentence.
    yield from (piece for piece in pieces if not _HIRAGANA.search(piece))


def meanings(run: str, glossary: Glossary) -> Iterator[tuple[tuple[str, ...], int, int]]:
    """What the words of a CJK run may mean in English, longest entries first, each with where it begins and ends."""
    at = 0
    while at < len(run):
        for size in range(min(8, len(run) - at), 0, -1):
            english = glossary.get(run[at : at + size])
            # One syllable of Hangul is a word only where it stands alone.
            if english is not None and (size > 1 or len(without_particle(run)) == 1 or not "가" <= run[at] <= "힣"):
                yield tuple(english.split()), at, at + size
                at += size
                break
        else:
            at += 1


def glossed(run: str, glossary: Glossary) -> Iterator[tuple[str, int]]:
    """The English words (stems) of a CJK run, each with the place behind it."""
    return ((stem(word), end) for words, _, end in meanings(run, glossary) for word in words)


_MEANINGS = 2
"""Maximum translations of a word for a model: more make the text longer, not clearer."""


def in_english(text: str, glossary: Glossary) -> str:
    """A text for a model that reads English only: CJK runs as the English words known of them, the rest as it is."""

    def english(found: re.Match[str]) -> str:
        run = found.group()
        if run.isascii():
            return run
        expansions = (word for words, _, _ in meanings(run, glossary) for word in words[:_MEANINGS])
        return f" {' '.join(expansions)} "

    if text.isascii():
        return text
    return " ".join(_PIECE.sub(english, normalized(text)).split())
