"""What names an error: its key lines, and the two keys of the first, with what varies from run to run masked.

The normalized error is the seed's key ("the same kind": error-kb REQ-RA-001, DESIGN 6.1): strings, paths and long
numbers are masked. The fingerprint ("the same case", DESIGN 6.2) masks paths, numbers and ids of one run; names and
codes stay.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Final, NamedTuple

from core.base.lazy import lazy_pattern
from core.errors.identity.keylines.select import KeyLine, find_key_lines, key_line
from core.text import MASK

NUMBER: Final = lazy_pattern(
    r"[0-9](?<![A-Za-z0-9_][0-9])(?:"
    r"(?P<version>[0-9]*+(?:\.[0-9]++){2,}(?:[-+.]?[A-Za-z][\w.+-]*+|[-+][0-9][\w.+-]*+)?)"
    r"|[0-9]*+(?>(?:x[0-9]++)+)(?![A-Za-z0-9_])"
    r"|[0-9]*+[hm](?>(?:[0-9]++[hm])*)[0-9]++(?:\.[0-9]++)?s?(?![A-Za-z0-9_])"
    r"|(?:[0-9]{0,2}(?>(?:,[0-9]{3})+)(?![0-9])|[0-9]*+)(?P<fraction>\.[0-9]++)?(?:[eE][+-]?[0-9]++)?"
    r"(?P<unit>ms|min|[smh]|us|µs|ns|[kKMGT]i?B|[kMG]|B|bytes|px)?(?![A-Za-z0-9_]))"
)
"""A number with its unit, or a dotted version. It begins with a plain class, which the engine can skip to."""

_CODES = (
    "code codes status errno errnum signal http https sqlstate sqlcode msg rc curl winerror hresult retcode returncode "
    "exitcode statuscode exit exited killed 코드 상태 상태코드 종료"
)
_ERRORS = "error err 오류 에러 e"
_PRODUCTS = (
    "python node nodejs js npm go golang java jdk jvm ruby php perl rust rustc cargo gcc clang glibc libc cuda cudnn "
    "typescript react vue angular django postgres postgresql mysql mariadb "
    "redis ubuntu debian alpine windows macos ios "
    "android swift kotlin scala gradle maven net dotnet tls ssl http openssl"
    " cmake numpy es ecmascript llvm webpack vite "
    "tensorflow torch pytorch version versions ver 버전"
)
_CODECS = "utf iso cp latin gb euc koi windows sha md es gpt base rfc big ipv"
_CODE_WORDS = frozenset(_CODES.split())
_ERROR_WORDS = frozenset(_ERRORS.split())
_PRODUCT_WORDS = frozenset(_PRODUCTS.split())
_CODEC_WORDS = frozenset(_CODECS.split())

# What follows a number that is a status.
_REASON = lazy_pattern(
    r" ?[:(]? ?(?:exit status|Forbidden|Not Found|Unauthorized|Bad (?:Request|Gateway)|Internal Server|Service Unavail|"
    r"Gateway|Too Many|Conflict\b|Gone\b|Method Not|Payment|Request (?:Time|Entity)|Unprocessable|Moved |"
    r"(?:Client|Server) Error)"
)
_WORDS = lazy_pattern(r"[^\W_]+")
_REMEMBERED: Final = 256
"""Cached numbers with their context: a repeated line stays cheap."""
_NOISE = lazy_pattern(
    r"\+.*|-0\.\d{14}-[0-9a-f]{12}|-\d{14}-[0-9a-f]{12}|(?<=\.)\d{8,}|(?<=[.+-])g?[0-9a-f]{7,40}(?![0-9a-z])"
)


def mask_number(match: re.Match[str]) -> str:
    """What stands for a match of `NUMBER`: itself if it is a code or a version, else `<N>` and its unit."""
    text, token = match.string, match[0]
    if match["version"]:
        return _NOISE.sub("", token)
    if match["unit"]:
        return f"<N>{match['unit']}"
    before = text[max(0, match.start() - 28) : match.start()]
    stays = _is_version if match["fraction"] else _is_code
    return token if stays(before, token, text[match.end() : match.end() + 20]) else "<N>"


@lru_cache(maxsize=_REMEMBERED)
def _is_version(before: str, token: str, after: str) -> bool:
    if before.rstrip(" ").endswith(("@", "==", ">=", "<=", "~=", "~>", "~", "^", "!=", "/")) or (
        before[-2:-1].isalpha() and before[-1] == ":"
    ):
        return True
    found = _WORDS.findall(before.rstrip(" /v:=<>"))
    return bool(found) and found[-1].lower() in _PRODUCT_WORDS


@lru_cache(maxsize=_REMEMBERED)
def _is_code(before: str, token: str, after: str) -> bool:
    head = before.rstrip(" :=#([\"'-/\\")
    gap = before[len(head) :]
    if _REASON.match(after):
        return True
    http = len(token) == 3 and token[0] in "345"
    if http and head.endswith("<URL>"):
        return True
    found = _WORDS.findall(head)
    if not found or not head[-1].isalnum():
        return False
    last = found[-1].lower()
    if last in _CODE_WORDS:
        return True
    if gap == "-":
        return (found[-1].isupper() and len(last) > 1) or last in _CODEC_WORDS
    if last in _ERROR_WORDS:
        return http or ":" not in gap
    previous = found[-2].lower() if len(found) > 1 else ""
    if last in ("with", "value", "by", "returned", "and"):
        return previous in ("exit", "exited", "failed", "killed", "terminated", "code") or _ends_sentence(last, after)
    if last.isdigit():  # ERROR 1045 (28000), HTTP/1.1 404
        return (gap == " (" and previous in _ERROR_WORDS) or "HTTP/" in before[-10:]
    return last in _PRODUCT_WORDS and not last.startswith("ver") and gap == " " and len(token) < 3


def _ends_sentence(last: str, after: str) -> bool:
    return last == "returned" and after.strip()[:1] in ("", ".", ",", ";", ")")


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
        text = _DRIVE.sub(_mask_match, text)
    elif "/" not in text:
        return text
    words = text.split(" ")
    for at, word in enumerate(words):
        if ("/" in word or "\\" in word) and not (at and _is_name(words[at - 1], word)):
            words[at] = _WORD.sub(_mask_match, word)
    return " ".join(words)


def _mask_match(match: re.Match[str]) -> str:
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


LIMIT: Final = 300
"""The most code points a fingerprint has, the hash of a long one included."""

_HASH_BYTES = 6
_HASHED = lazy_pattern(r"…#[0-9a-f]{12}\Z")
_KEPT = LIMIT - len("…#") - 2 * _HASH_BYTES

# Quote styles differ between locales and versions of one tool, never between two errors.
_QUOTE = lazy_pattern('[‘’‚‛“”„‟`´"«»]')

_SECRET = lazy_pattern(f"{MASK}+")
_URL = lazy_pattern(r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s'<>]*[^\s'<>.,;:!?)\]}]:?")
_REFUSED_REF = lazy_pattern(r"(! \[(?:remote )?rejected\]) (?:\S+ -> )?\S+")
"""A ref that git could not update (`! [rejected] main -> main (fetch first)`); the reason behind it stays."""
_REMOTE = lazy_pattern(r"(?<![\w.@/-])[\w.-]{1,64}@[\w.-]{1,255}:(?![0-9])[\w./~-]+(?<!\.)")
# Each begins with a plain character class, which the engine can skip to, and looks back only from there.
_UUID = lazy_pattern(
    r"[0-9A-Fa-f](?<!\w[0-9A-Fa-f])[0-9A-Fa-f]{7}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}(?!\w)"
)
_TIME = lazy_pattern(
    r"[0-9](?<![\w.][0-9])"
    r"(?:[0-9]{3}[-/.][0-9]{2}[-/.][0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2})?(?:[.,][0-9]++)?)?"
    r"|[0-9]?:[0-9]{2}:[0-9]{2}(?:[.,][0-9]++)?)"
    r"(?: ?(?:Z|UTC|GMT|[KJ]ST|[+-][0-9]{2}:?[0-9]{2}))?(?![\w:])"
)
_MONTH = lazy_pattern(
    r"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?(?:[0-9]{1,2} )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) "
    r"(?:[0-9]{1,2},? )?(?:[0-9]{4} )?<TIME>"
)
_IP4 = lazy_pattern(r"[0-9](?<![\w.][0-9])[0-9]{0,2}\.(?:[0-9]{1,3}\.){2}[0-9]{1,3}(?::[0-9]{1,5})?(?!\w|\.[0-9])")
_IP6 = lazy_pattern(
    r"[0-9A-Fa-f:\[](?<![\w:>][0-9A-Fa-f:\[])(?<![\w:]\[)(?=[0-9A-Fa-f:]*[0-9]|(?<=[0-9]))"
    r"(?=(?:(?<=:)|[0-9A-Fa-f]*:)(?:[0-9A-Fa-f]+:)*:)"
    r"(?:(?<=:)|[0-9A-Fa-f]{0,4}:)(?:[0-9A-Fa-f]{0,4}:){1,7}[0-9A-Fa-f]{0,5}(?:\]:[0-9]{1,5}|\])?(?![\w:])"
)
_CHECKSUM = lazy_pattern(r"(?<!\w)(sha(?:1|224|256|384|512)|md5)([-:])[A-Za-z0-9+/=_-]{16,}")
# 0x8…… and 0xC0…… of eight digits are Windows result codes.
_ADDRESS = lazy_pattern(
    r"0x(?<!\w0x)(?!(?:8[0-9A-Fa-f]{7}|[cC]0[0-9A-Fa-f]{6})(?![0-9A-Fa-f]))[0-9A-Fa-f]++(?![A-Za-z0-9_])"
)
_HASH = lazy_pattern(
    r"[0-9a-f](?<![A-Za-z0-9_#][0-9a-f])(?=[0-9a-f]{6})(?:(?<=[0-9])(?=[0-9]*[a-f])|"
    r"(?<=[a-f])(?=[a-f]*[0-9]))[0-9a-f]{6,63}+(?![A-Za-z0-9_])"
    r"|[0-9A-F](?<![A-Za-z0-9_#][0-9A-F])(?=[0-9A-F]{11})(?:(?<=[0-9])(?=[0-9]*[A-F])|"
    r"(?<=[A-F])(?=[A-F]*[0-9]))[0-9A-F]{11,63}+(?![A-Za-z0-9_])"
)
_POD = lazy_pattern(r"-(?:<N>|[bcdfghjklmnpqrstvwxz2456789]{8,10})-[bcdfghjklmnpqrstvwxz2456789]{5}(?![\w-])")
_DIGIT = lazy_pattern(r"[0-9]")

_Mask = tuple[str, re.Pattern[str], "str | Callable[[re.Match[str]], str]"]
# Each with a sign that must be in the text for the pattern to match at all.
_LINKS: tuple[_Mask, ...] = (
    ("://", _URL, "<URL>"),
    ("@", _REMOTE, "<URL>"),
    ("rejected] ", _REFUSED_REF, r"\1 <REF>"),
)
_NUMBERS: tuple[_Mask, ...] = (
    ("-", _UUID, "<UUID>"),
    (":", _TIME, "<TIME>"),
    ("-", _TIME, "<TIME>"),
    ("/", _TIME, "<TIME>"),
    ("<TIME>", _MONTH, "<TIME>"),
    ("::", _IP6, "<IP>"),
    (".", _IP4, "<IP>"),
    ("sha", _CHECKSUM, r"\1\2<N>"),
    ("md5", _CHECKSUM, r"\1\2<N>"),
    ("0x", _ADDRESS, "<N>"),
    ("", _HASH, "<N>"),
    ("", NUMBER, mask_number),
    ("-", _POD, "-<N>"),
)


def fingerprint(text: str) -> str:
    """The fingerprint of any output: its key line with paths, URLs, ids, times, addresses and plain numbers masked.

    Identifiers, quoted names, error codes, HTTP statuses, exit codes and versions stay; quote styles and blanks are
    made one; a masked secret is `<SECRET>`. At most 300 code points: a longer one is cut and ends with `…#` and a hash
    of the whole, so that differences after the cut still count. Source: DESIGN 6.2.
    """
    return fingerprint_line(key_line(text))


def fingerprint_line(line: str) -> str:
    """The fingerprint of a key line that is already known."""
    text = " ".join(line.split())
    if len(text) == LIMIT and _HASHED.search(text):
        return text
    text = text.replace('"', "'").replace("`", "'") if text.isascii() else _QUOTE.sub("'", text)
    text = _masked(text, _LINKS)
    if "/" in text or "\\" in text:
        text = mask_paths(text)
    if MASK in text:
        text = _SECRET.sub("<SECRET>", text)
    if _DIGIT.search(text):
        text = _masked(mask_placed_files(text), _NUMBERS)
    if len(text) <= LIMIT:
        return text
    import hashlib  # slow to load, and few are so long

    digest = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=_HASH_BYTES).hexdigest()
    return f"{text[:_KEPT]}…#{digest}"


def mask_counts(line: str) -> str:
    """A line with its counts, times and ids masked; the files that it names stay."""
    text = " ".join(line.split())
    return _masked(text, _NUMBERS) if _DIGIT.search(text) else text


def _masked(text: str, masks: tuple[_Mask, ...]) -> str:
    for sign, pattern, stand_in in masks:
        if sign in text:
            text = pattern.sub(stand_in, text)
    return text


KEY_LIMIT: Final = 200
"""The most code points a normalized error has (REQ-RA-001, rule 4)."""

# An apostrophe inside a word opens nothing; "word" is ASCII, so that a Korean particle may follow a closing quote.
_STRING = lazy_pattern(
    r"(?<![A-Za-z0-9_])(?:'[^'\n]{0,100}'|\"[^\"\n]{0,100}\")(?![A-Za-z0-9_])|‘[^‘’\n]{0,100}’|“[^“”\n]{0,100}”"
)
# `input/output`, `</div>` and a lone slash are no paths; a path ends before quotes, brackets, colon and comma.
_PLACE = lazy_pattern(
    r"(?<![\w<>/\\.)\]}~])(?:(?:\.{1,2}|~)?/|(?:[A-Za-z]:|"
    r"\\)\\)[/\\]*[^\s'\"‘’“”`()\[\]{}<>:,;/\\][^\s'\"‘’“”`()\[\]{}<>:,;]*"
)
_DIGITS = lazy_pattern(r"[0-9]{2,}")
_PLACEHOLDER = lazy_pattern(r"<(?:PATH|STR|N|SECRET)>")
_LONGEST_PLACEHOLDER = len("<SECRET>")
_LONGEST_CLUSTER = 32


def normalize_error(text: str) -> str:
    """The normalized error of any output: its key line with `<STR>`, `<PATH>` and `<N>` in place of what varies.

    Quoted strings of up to 100 characters, paths, and runs of two or more ASCII digits are replaced, in this order;
    the result has at most 200 code points and no blanks around it. Idempotent. Source: error-kb REQ-RA-001.
    """
    return normalize_line(key_line(text))


def normalize_line(line: str) -> str:
    """The normalized form of a key line that is already known (REQ-RA-001)."""
    while (masked := _clipped(_with_marks(line)).strip()) != line:
        line = masked
    return line


def _with_marks(line: str) -> str:
    if MASK in line:
        line = _SECRET.sub("<SECRET>", line)
    return _DIGITS.sub("<N>", _PLACE.sub("<PATH>", _STRING.sub("<STR>", line)))


def _clipped(line: str) -> str:
    """The first 200 code points, less a placeholder or a character cluster that the cut would split."""
    if len(line) <= KEY_LIMIT:
        return line
    cut = KEY_LIMIT
    for match in _PLACEHOLDER.finditer(line, cut - _LONGEST_PLACEHOLDER, cut + _LONGEST_PLACEHOLDER):
        if match.start() < cut < match.end():
            return line[: match.start()]
    while cut > KEY_LIMIT - _LONGEST_CLUSTER and _is_one_character(line, cut):
        cut -= 1
    return line[:cut]


def _is_one_character(line: str, cut: int) -> bool:
    """Whether the code points on both sides of `cut` are one character to a reader."""
    before, after = line[cut - 1], line[cut]
    if after == "\u200d" or before == "\u200d" or unicodedata.category(after) in ("Mn", "Me", "Mc"):
        return True
    if "\U0001f3fb" <= after <= "\U0001f3ff" or "\U000e0020" <= after <= "\U000e007f":
        return True
    return "\U0001f1e6" <= before <= "\U0001f1ff" and "\U0001f1e6" <= after <= "\U0001f1ff" and _odd_flags(line, cut)


def _odd_flags(line: str, cut: int) -> bool:
    """Return whether an odd number of regional indicators precedes `cut`: the flag's second half follows it."""
    count = 0
    while count < cut and "\U0001f1e6" <= line[cut - count - 1] <= "\U0001f1ff":
        count += 1
    return count % 2 == 1


_MARK = re.compile(r"<(?:STR|PATH|N|SECRET)>")


class Masked(NamedTuple):
    """The half-open code-point span of a key line that `mark` stands for in its normalized key."""

    start: int
    end: int
    mark: str


def masked_parts(line: str, normalized: str) -> tuple[Masked, ...]:
    """Which parts of the key line `line` the marks of `normalized` stand for, found by walking the text between them.

    Stops at the first stretch that is not there (a key that was cut, a line of another case): no part is guessed.
    """
    found: list[Masked] = []
    at = line.find(_MARK.split(normalized, maxsplit=1)[0].rstrip()) if normalized else -1
    if at < 0:
        return ()
    marks = list(_MARK.finditer(normalized))
    at += marks[0].start() if marks else 0
    for number, mark in enumerate(marks):
        last = number + 1 == len(marks)
        between = normalized[mark.end() :] if last else normalized[mark.end() : marks[number + 1].start()]
        end = len(line) if last and not between else line.find(between, at + 1)
        if end < 0 or at >= len(line):
            return tuple(found)
        found.append(Masked(at, end, mark[0]))
        at = end + len(between)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Identity:
    """The names of one error output. Compilers and test runners name several: `key_lines`, the primary first."""

    SCHEMA: ClassVar[str] = "error_id.v1"

    key_line: str
    key_lines: tuple[KeyLine, ...]
    tool: str
    normalized: str
    fingerprint: str


def identify(text: str) -> Identity:
    """The names of any output: redacted, cleaned, unwrapped, its key lines found, normalized and fingerprinted.

    Spans are half-open code-point ranges of `text`. Blank text has an empty key line and no key lines; it never raises.
    """
    lines = find_key_lines(text)
    if not lines:
        return Identity("", (), "unknown", "", "")
    primary = lines[0]
    return Identity(primary.text, lines, primary.tool, normalize_line(primary.text), fingerprint_line(primary.text))


def names_failure(found: Identity) -> bool:
    """Whether an output has more than trailers and progress: its key line is primary, or would be by itself."""
    if not found.key_lines or found.key_lines[0].role == "primary":
        return bool(found.key_lines)
    alone = find_key_lines(found.key_line)
    return bool(alone) and alone[0].role == "primary"
