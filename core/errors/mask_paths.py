"""Paths as they stand in error messages, with their positions, replaced by `<PATH>`; branches, images and module names stay."""

from __future__ import annotations

import re
from typing import Final

_UNQUOTED = r"[^\s'<>|,;:*?()\[\]{}=\\/]"
_POSITION = r"(?::\d++(?:[:-]\d++){0,3}(?![\w.-])|\(\d++(?:,\d++){0,3}\))?"

SLASHED: Final = re.compile(
    # a quoted absolute or dotted path may hold blanks; quotes were folded to ' before
    r"'(?:[A-Za-z]:[\\/]|\\\\|~?/|\.{1,2}[\\/])[^'\n]{1,400}'"
    # a drive or share: a folder name may hold blanks when a backslash still follows
    rf"|(?<![A-Za-z0-9_])(?:[A-Za-z]:[\\/]|\\\\(?=\w))(?:[^\s'<>|,;:*?\\/]++(?: [^\s'<>|,;:*?\\/]++){{0,3}}[\\/])*+{_UNQUOTED}*+{_POSITION}"
    # any other word with a slash in it: the callback decides
    rf"|(?<![^\s'(\[=:,{{@])(?:{_UNQUOTED}*+[\\/])"
    rf"(?:[^\s'<>|,;:*?()\[\]{{}}=]++|\[[\w.]++\]|\([A-Za-z][\w.]*+\)(?=/))*+{_POSITION}"
)
"""Every word that may be a path; quote styles must have been folded to `'`."""

_PLACED = r"\.(?:[A-Za-z]{1,2}|[A-Za-z][A-Za-z0-9]{2,4}):[0-9]++(?::[0-9]++)?(?![\w.])|\.(?:sh|bash|zsh|ksh)(?=: line [0-9])"
_PLACED_HINT = re.compile(_PLACED)
_PLACED_FILE = re.compile(rf"(?<![\w/.\\<>-])[\w-][\w.-]{{0,79}}?(?:{_PLACED})")

_EXTENSION = re.compile(r"[\w가-힣)\]]\.[A-Za-z][A-Za-z0-9_]{0,9}(?=[가-힣]*\Z)")
_PARTICLE = re.compile(r"(?<=\.)([A-Za-z0-9]{1,10})([가-힣]{1,6})\Z")
_DOMAIN = re.compile(r"[\w-]++(?:\.[\w-]++)*+\.[a-z]{2,}\Z")
_POSITION_AT_END = re.compile(r"[A-Za-z_]\w*(?::\d++(?:[:-]\d++)*|\(\d++(?:,\d++)*\))\Z")
_FLAG = re.compile(r"-{1,2}[A-Za-z]")


def mask_placed_files(text: str) -> str:
    """`text` with bare file names that have a position replaced by `<PATH>`: `main.rs:77:1`, `deploy.sh: line 3`."""
    return _PLACED_FILE.sub("<PATH>", text) if _PLACED_HINT.search(text) else text


def mask_path(match: re.Match[str]) -> str:
    """What stands for a match of `SLASHED`: `<PATH>` with what is not part of the path, or the word as it was."""
    word = match[0]
    if word[0] == "'":
        return _quoted(word, match.string[: match.start()])
    return _word(word)


def _quoted(word: str, before: str) -> str:
    inside = word[1:-1]
    if before.endswith(" name ") and inside.count("/") == 1:
        return word  # docker: the container name "/web" is already in use
    first, blank, rest = inside.partition(" ")
    if not blank or ("/" in rest or "\\" in rest) and " -" not in inside and not rest.startswith(("/", "&", "|", ">")):
        return "'<PATH>'" if len(inside) > 1 and not inside.startswith("//") else word
    return f"'{_word(first)} {SLASHED.sub(mask_path, rest)}'"


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
