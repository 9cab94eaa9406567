"""Korean morphemes (the extra `ko`): nouns within compounds, and the stems that inflection hides (끊길: 끊기).

Loading takes seconds, half a gigabyte and the interpreter's lock. So nothing here loads before a Korean text is read,
and the workbench's own process never loads it: its ingest and its answers run in processes of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final, Protocol, cast

from core.base.fault import Fault
from core.base.installation import remedy
from core.base.lazy import lazy_pattern
from core.lexical import HANGUL_RUN
from core.text.cleaning import normalized

RULES: Final = "ko-v1"
"""Version of the morpheme rules: an index of other rules is rebuilt."""
PACKAGE: Final = "kiwipiepy"
CHOSEN: Final = "morphemes"
"""The value of the setting `library.korean` that asks for them."""
MISSING: Final = "library.korean is morphemes, but the analyzer is not installed: syllable pairs are used"

Morpheme = tuple[int, str]
"""Where it begins in the text, in code points, and its form."""
Analyse = Callable[[str], Iterable[Morpheme]]

_TAGS: Final = frozenset(("NNG", "NNP", "NR", "XR", "VV", "VA", "MAG"))
_LIGHT: Final = frozenset("하되있없않같보주이말")
"""Verbs that occur in every text."""
_LINE: Final = 1_000
"""Code points analysed at once: a sentence is shorter, and what has no end costs no more than its length."""
_UNREAD = lazy_pattern("[^ -~\uac00-\ud7a3]")


class Token(Protocol):
    """A token as the analyser gives it."""

    form: str
    tag: str
    start: int


Tokenize = Callable[[str], Sequence[Token]]


def installed() -> str:
    """What analyses here, with the versions that its results hang on; empty where the extra is not installed."""
    from importlib import metadata

    try:
        return f"{PACKAGE} {metadata.version(PACKAGE)}/{metadata.version('kiwipiepy-model')} {RULES}"
    except metadata.PackageNotFoundError:
        return ""


def lacking(korean: str) -> str:
    """What the setting `library.korean` asks for and is not installed, with its remedy; empty where nothing is."""
    return f"{MISSING} (to install it, run: {remedy('ko')})" if korean == CHOSEN and not installed() else ""


def analyse(text: str) -> Iterator[Morpheme]:
    """The content forms of a Korean text (nouns, roots, stems, adverbs), in order; of any other text nothing.

    Raises Fault config_invalid where the analyser is installed and cannot be loaded.
    """
    return content_forms(text, _kiwi) if HANGUL_RUN.search(text) else iter(())


def content_forms(text: str, tokenize: Callable[[], Tokenize]) -> Iterator[Morpheme]:
    """The same with the analyser that `tokenize` gives once a line needs it.

    It sees Hangul and ASCII alone, in place: it neither trips over lone surrogates nor loses count at a sign it reads
    as two.
    """
    for begin, line in _lines(text):
        if HANGUL_RUN.search(line) is None:
            continue
        for token in tokenize()(_UNREAD.sub(" ", line)):
            tag = token.tag.partition("-")[0]  # VV-I: inflected irregularly
            light = tag in ("VV", "VA") and token.form in _LIGHT
            if tag in _TAGS and not light and HANGUL_RUN.fullmatch(token.form):
                yield begin + token.start, token.form


def morphemes(text: str, analysing: Analyse) -> str:
    """The content forms of a text as they are indexed, separated by blanks."""
    return " ".join(form for _, form in analysing(normalized(text)))


def _lines(text: str) -> Iterator[tuple[int, str]]:
    at = 0
    for line in text.splitlines(keepends=True):
        for begin in range(0, len(line), _LINE):
            yield at + begin, line[begin : begin + _LINE]
        at += len(line)


@lru_cache(maxsize=1)
def _kiwi() -> Tokenize:
    try:
        from importlib import import_module

        kiwi: Any = import_module(PACKAGE).Kiwi(num_workers=1)
        kiwi.tokenize("가")  # the second half of what it loads
    except (ImportError, OSError, RuntimeError, ValueError) as error:
        reason = " ".join(str(error).split())[:200]
        raise Fault(
            "config_invalid", f"cannot load the Korean analyzer: {reason}", "set library.korean to bigrams"
        ) from error
    return cast("Tokenize", kiwi.tokenize)
