"""Parts of words that a word index misses: text for the column `bigrams`.

Hangul bigrams (Korean glues particles and compounds), the parts of names (`parseConfigFile` -> parse, config, file)
and the stems of English words (`chunking`, `chunks` -> chunk). Stored with the chunk; a query asks for the same pieces.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from core.base.lazy import lazy_pattern
from core.lexical import bigrams

VERSION: Final = "pieces-v2"
"""Version of `pieces`: chunks with another version are rebuilt."""

_ALNUM: Final = bytes(sign if chr(sign).isalnum() and sign < 128 else 32 for sign in range(256))
"""Every ASCII sign that is no letter or digit as a blank."""
_PART = lazy_pattern("[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_VOWELS: Final = frozenset("aeiouy")
_ENDINGS: Final = (
    ("ational", "ate"), ("ization", "ize"), ("isation", "ize"), ("fulness", "ful"), ("iveness", "ive"),
    ("ations", "ate"), ("ation", "ate"), ("ments", "ment"), ("nesses", ""), ("ness", ""),
    ("ings", ""), ("ing", ""), ("edly", ""), ("ied", "y"), ("ies", "y"), ("ed", ""),
    ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"), ("ly", ""), ("s", ""),
)  # fmt: skip
_BY_LAST: Final = {
    last: tuple(one for one in _ENDINGS if one[0].endswith(last)) for last in {ending[-1] for ending, _ in _ENDINGS}
}
"""The endings by their last letter, in their order."""
_MOST: Final = 40  # letters: longer runs are no words
_KEPT: Final = 1 << 16


def pieces(text: str) -> str:
    """The pieces of `text`, separated by blanks, in the order of their words."""
    runs = text.encode("ascii", "replace").translate(_ALNUM).decode("ascii").split()
    found = " ".join(filter(None, map(_PIECES.__getitem__, runs)))
    hangul = bigrams(text)
    return f"{found} {hangul}" if found and hangul else found or hangul


class _Pieces(dict[str, str]):
    """The pieces of the word in each run of letters and digits: it begins with a letter.

    The words of a corpus repeat: found anew each time they are half of an ingest. A `dict` answers in half the time of
    `lru_cache`.
    """

    def __missing__(self, run: str) -> str:
        if len(self) >= _KEPT:
            self.clear()
        word = run.lstrip("0123456789")
        if word.islower() and len(word) <= _MOST:  # has no parts
            one = stem(word)
            found = one if one != word else ""
        else:
            found = " ".join(word_pieces(word))
        self[run] = found
        return found


_PIECES: Final = _Pieces()


@lru_cache(maxsize=_KEPT)
def word_pieces(word: str) -> tuple[str, ...]:
    """The parts and stems of one ASCII word that are not the word itself, in lower case."""
    if len(word) > _MOST:
        return ()
    lower = word.lower()
    parts = [] if word.islower() or word.isupper() else [part.lower() for part in _PART.findall(word) if len(part) > 1]
    stems = [stem(part) for part in parts or (lower,)]
    return tuple(one for one in dict.fromkeys((*parts, *stems)) if one != lower)


def stem(word: str) -> str:
    """An English word without its ending, so that forms of one word meet; a short word as it is."""
    if len(word) < 4 or not word.isalpha():
        return word
    for ending, instead in _BY_LAST.get(word[-1], ()):
        if not word.endswith(ending):
            continue
        if ending == "s" and word[-2] in "su":
            return word
        root = word[: -len(ending)]
        if len(root) < 3 or _VOWELS.isdisjoint(root):
            return word
        return _settled(root + instead)
    return _settled(word)


def _settled(root: str) -> str:
    """Doubled last letters become one, a silent e goes: `matching`, `matches`; `mapped`, `map`; `merging`, `merge`."""
    if len(root) > 3 and root[-1] == root[-2] and root[-1] not in "lsz":
        root = root[:-1]
    return root[:-1] if root.endswith("e") and len(root) > 3 else root
