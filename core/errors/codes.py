"""The codes in an error: HTTP 404, exit code 127, TS2304, errno 13. Two errors whose codes differ are not the same."""

from __future__ import annotations

import re

_NAMED = re.compile(
    r"(?i:\b(?P<http>status(?: code)?|http(?:/[\d.]+)?|response code)[ :=]*(?P<http_n>[1-5]\d\d)\b"
    r"|\b(?P<exit>exit(?:ed)?(?: with)?(?: (?:code|status|value))?)[ :=]*(?P<exit_n>\d{1,3})\b"
    r"|\b(?P<errno>errno|os error|winerror)[ :=]*(?P<errno_n>\d{1,5})\b"
    r"|\b(?P<signal>signal)[ :=]*(?P<signal_n>\d{1,2}|SIG[A-Z]{2,6})\b"
    r"|\b(?P<state>sqlstate)[ :=(\[]*(?P<state_n>[0-9A-Z]{5})\b)"
)
_LETTERED = re.compile(r"(?<![\w.-])(?P<kind>[A-Z]{1,8})-?(?P<value>\d{2,6})(?![\w.])")


def codes(text: str) -> frozenset[tuple[str, str]]:
    """The codes named in `text` as (kind, value) pairs: `("http", "404")`, `("TS", "2304")`."""
    found: set[tuple[str, str]] = set()
    head = text[:8192]
    for match in _NAMED.finditer(head):
        kind = next(name for name in ("http", "exit", "errno", "signal", "state") if match[name] is not None)
        found.add((kind, match[f"{kind}_n"].upper()))
    found.update((match["kind"], match["value"]) for match in _LETTERED.finditer(head))
    return frozenset(found)


def codes_differ(left: str, right: str) -> bool:
    """Whether both texts carry a code of one kind and share none of that kind."""
    ours, theirs = codes(left), codes(right)
    for kind in {kind for kind, _ in ours} & {kind for kind, _ in theirs}:
        if not {value for name, value in ours if name == kind} & {value for name, value in theirs if name == kind}:
            return True
    return False
