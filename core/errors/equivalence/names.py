"""The names in an error that are no plain words: `openssl-sys`, `os.path`, `std::vector`, `getUser`."""

from __future__ import annotations

from core.base.lazy_pattern import lazy_pattern

_READ = 2048  # code points of a text that are looked at

_NAME = lazy_pattern(
    r"(?:@[\w-]+/)?(?<![\w<])[^\W\d]\w+(?:(?:[-.]|::)[^\W\d]\w*)+|@[\w-]+/[\w-]+|(?<![^\W\d])[^\W\d]\w{0,120}_\w+|\b[a-z]+(?:[A-Z][a-z0-9]+)+\b"
)


def names(text: str) -> frozenset[str]:
    """The names in `text`, joined by signs or by capitals; words that a sentence is made of are none."""
    return frozenset(match[0] for match in _NAME.finditer(text[:_READ]))


def swapped_names(ours: str, theirs: str) -> tuple[str, str] | None:
    """A name that only the first text has and one that only the second has: the same was said of something else.

    None where one of them has no name of its own: it merely says more.
    """
    mine, other = names(ours), names(theirs)
    if not (mine - other and other - mine):
        return None
    return min(mine - other), min(other - mine)
