"""Paths in error messages, with their positions, replaced by `<PATH>`; branches, images and module names stay."""

from __future__ import annotations

import re

from core.base.lazy_pattern import lazy_pattern

_UNQUOTED = r"[^\s'<>|,;:*?()\[\]{}=\\/]"
_POSITION = r"(?::[0-9]++(?:[:-][0-9]++){0,3}(?![\w.-])|\([0-9]++(?:,[0-9]++){0,3}\))?"

# A quoted absolute or dotted path may hold blanks; quotes were folded to ' before.
_QUOTED = lazy_pattern(r"'(?:[A-Za-z]:[\\/]|\\\\|~?/|\.{1,2}[\\/])[^'\n]{1,400}'")
# A folder under a drive or share may hold blanks while a backslash still follows.
_DRIVE = lazy_pattern(
    r"(?:[A-Za-z](?<![A-Za-z0-9_][A-Za-z]):\\|\\\\(?=\w))"
    rf"(?>(?:[^\s'<>|,;:*?\\/]++(?: [^\s'<>|,;:*?\\/]++){{0,3}}[\\/])*){_UNQUOTED}*+{_POSITION}"
)
_WORD = lazy_pattern(
    rf"(?<![^'(\[=:,{{@])(?:[A-Za-z]:(?=[\\/]))?{_UNQUOTED}{{0,255}}+[\\/]"
    rf"(?>(?:[^\s'<>|,;:*?()\[\]{{}}=]++|\[[\w.]++\]|\([A-Za-z][\w.]*+\)(?=/))*){_POSITION}"
)

_PLACED = (
    r"\.(?:[A-Za-z]{1,2}|[A-Za-z][A-Za-z0-9]{2,4}):[0-9]++(?::[0-9]++)?(?![\w.])|\.(?:sh|bash|zsh|ksh)(?=: line [0-9])"
)
_PLACED_HINT = lazy_pattern(_PLACED)
_PLACED_FILE = lazy_pattern(rf"(?<![\w/.\\<>-])[\w-][\w.-]{{0,79}}?(?:{_PLACED})")

_EXTENSION = lazy_pattern(r"[\w가-힣)\]]\.[A-Za-z][A-Za-z0-9_]{0,9}(?=[가-힣]*\Z)")
_PARTICLE = lazy_pattern(r"(?<=\.)([A-Za-z0-9]{1,10})([가-힣]{1,6})\Z")
_DOMAIN = lazy_pattern(r"[\w-]++(?>(?:\.[\w-]++)*)\.[a-z]{2,}\Z")
_POSITION_AT_END = lazy_pattern(
    r"(?<!\w)(?=[^\WA-Za-z_]*+[A-Za-z_])\w++(?::[0-9]++(?:[:-][0-9]++)*|\([0-9]++(?:,[0-9]++)*\))\Z"
)
_FLAG = lazy_pattern(r"-{1,2}[A-Za-z]")


def mask_placed_files(text: str) -> str:
    """`text` with bare file names that have a position replaced by `<PATH>`: `main.rs:77:1`, `deploy.sh: line 3`."""
    return _PLACED_FILE.sub("<PATH>", text) if _PLACED_HINT.search(text) else text


def mask_paths(text: str) -> str:
    """`text`, its quotes folded to `'` and its blanks single, with paths and their positions replaced by `<PATH>`."""
    if "'" in text:
        text = _QUOTED.sub(_quoted, text)
    if "\\" in text:
        text = _DRIVE.sub(_masked, text)
    elif "/" not in text:
        return text
    words = text.split(" ")
    for at, word in enumerate(words):
        if ("/" in word or "\\" in word) and not (at and _is_name(words[at - 1], word)):
            words[at] = _WORD.sub(_masked, word)
    return " ".join(words)


def _masked(match: re.Match[str]) -> str:
    return _word(match[0])


def _quoted(match: re.Match[str]) -> str:
    word = match[0]
    inside = word[1:-1]
    if _is_name(match.string[max(0, match.start() - 5) : match.start()].strip(), word):
        return word
    _, blank, rest = inside.partition(" ")
    if not blank or (
        ("/" in rest or "\\" in rest) and " -" not in inside and not rest.startswith(("/", "&", "|", ">"))
    ):
        return "'<PATH>'" if len(inside) > 1 and not inside.startswith("//") else word
    return f"'{mask_paths(inside)}'"


def _is_name(before: str, word: str) -> bool:
    """Docker's `The container name "/web" is already in use`: a name, not a path."""
    return before == "name" and word.startswith("'/") and word.count("/") == 1


def _word(word: str) -> str:
    bare = word.rstrip(".")
    dots = word[len(bare) :]
    if _absolute(bare):
        masked = "<PATH>"
        if particle := _PARTICLE.search(bare):
            masked += particle[2]
        return masked + dots
    if flag := _FLAG.match(bare):
        cut = bare.find("/")
        return f"{bare[:cut]}<PATH>{dots}" if cut == flag.end() else word
    return _relative(bare) + dots


def _absolute(word: str) -> bool:
    if word.startswith(("./", "../", ".\\", "..\\", "~/", "\\\\")):
        return True
    if word.startswith("/"):
        return len(word) > 1 and word[1] != "/"
    return len(word) > 2 and word[1] == ":"


def _relative(word: str) -> str:
    """A relative path has an extension or a position; a host name in front makes it an image or a module."""
    first = re.split(r"[\\/]", word, maxsplit=1)[0]
    if _DOMAIN.match(first):
        return word
    if _POSITION_AT_END.search(word):
        return "<PATH>"
    if _EXTENSION.search(word):
        particle = _PARTICLE.search(word)
        return "<PATH>" + (particle[2] if particle else "")
    return word
