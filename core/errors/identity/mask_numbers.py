"""Numbers as they stand in error messages: counts, sizes and ids become `<N>`, codes and versions stay."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from core.base.lazy_pattern import lazy_pattern

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
"""Numbers with what stands around them: a line that repeats itself stays cheap."""
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
