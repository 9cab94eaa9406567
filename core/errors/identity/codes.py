"""The codes in an error: HTTP 404, exit code 127, TS2304, errno 13. Two errors whose codes differ are not the same."""

from __future__ import annotations

from core.base.lazy_pattern import lazy_pattern
from core.errors.identity.errno_names import ERRNO, ERRNO_NUMBERS

_READ = 8192  # code points of a text that are looked at

_NAMED = lazy_pattern(
    r"(?i:\b(?:status(?: ?code)?|http(?:/[\d.]+| error)?|response code|returned error|error code)[ :=]*"
    r"(?P<http>[1-5]\d\d)\b"
    r"|\b(?:exit(?:ed)?(?: with)?(?: (?:code|status|value))?)[ :=]*(?P<exit>\d{1,3})\b"
    r"|\b(?:errno|os error|winerror)[ :=]*(?P<errno>\d{1,5})\b"
    r"|\b(?:signal)[ :=]*(?P<signal>\d{1,2}|SIG[A-Z]{2,6})\b"
    r"|\b(?:sqlstate)[ :=(\[]*(?P<sqlstate>[0-9A-Z]{5})\b)"
    r"|(?<![\w.:/-])(?P<said>[45]\d\d):? (?:Client Error|Server Error|Not Found|Bad (?:Gateway|Request)|Forbidden|"
    r"Unauthorized|Too Many|Request |Service Unav|Gateway|Internal Server|Conflict|Payload|Unprocessable)"
    r"|\bcode E(?P<npm>4\d\d)\b"
    r"|\bERROR (?P<mysql>\d{4})(?= \()|\bcurl: \((?P<curl>\d{1,2})\)|\((?P<system>\d{1,3}): [A-Z]"
    r"|\berror occurred \((?P<aws>\w{1,80})\)|\brpc error: code = (?P<rpc>[A-Z]\w{1,40})"
    r"|(?<![\w.-])ERR_(?P<named>[A-Z][A-Z0-9_]{2,60})\b|\bINSTALL_(?:FAILED|PARSE_FAILED)_(?P<android>[A-Z_]{3,60})\b"
    r"|\b0x(?P<hresult>[8Cc][0-9A-Fa-f]{7})\b|\[-W(?P<warning>[a-z][a-z0-9+=-]{1,40})\]"
    r"|\b(?P<smtp>[45]\d\d[ -][45]\.\d{1,3}\.\d{1,3})\b|\((?P<dbapi>[12]\d{3}), (?:b?['\"])"
    r"|(?:\(error\)|ReplyError:|ResponseError:) (?!ERR\b)(?P<redis>[A-Z]{3,20})\b"
    r"|\bError from server \((?P<kubernetes>[A-Z]\w{2,40})\)"
)
_NAME = lazy_pattern(r"(?<![A-Za-z])E[A-Z]{2,12}(?![A-Za-z])")
_LETTERED = lazy_pattern(r"(?<![\w.-])(?P<kind>[A-Z]{1,8})-?(?P<value>\d{2,7})(?![\w.])")
_SAME_KIND = {"said": "http", "npm": "http", "system": "errno", "dbapi": "mysql"}


def codes(text: str) -> frozenset[tuple[str, str]]:
    """The codes named in `text` as (kind, value) pairs: `("http", "404")`, `("errno", "ENOENT")`, `("TS", "2304")`.

    Numbers of the system are given their names, so `[Errno 111]` and `ECONNREFUSED` are one code.
    """
    found: set[tuple[str, str]] = set()
    head = text[:_READ]
    for match in _NAMED.finditer(head):
        name = match.lastgroup or ""
        kind = _SAME_KIND.get(name, name)
        value = match[name].upper()
        found.add((kind, ERRNO_NUMBERS.get(int(value), value) if kind == "errno" else value))
    found.update(("errno", match[0]) for match in _NAME.finditer(head) if match[0].lower() in ERRNO)
    found.update((match["kind"], match["value"]) for match in _LETTERED.finditer(head))
    return frozenset(found)


def codes_differ(left: str, right: str) -> bool:
    """Whether both texts carry a code of one kind and share none of that kind."""
    return bool(differing_codes(codes(left), codes(right)))


def differing_codes(ours: frozenset[tuple[str, str]], theirs: frozenset[tuple[str, str]]) -> tuple[str, ...]:
    """The kinds of code that both carry with nothing in common, sorted."""
    kinds = {kind for kind, _ in ours} & {kind for kind, _ in theirs}
    return tuple(sorted(kind for kind in kinds if not {one for one in ours & theirs if one[0] == kind}))
