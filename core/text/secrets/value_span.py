"""Where a value begins and ends, in the quotes of every notation, and what stands around it."""

from __future__ import annotations

from typing import Final, NamedTuple

from core.base.lazy_pattern import lazy_pattern

_LONGEST: Final = 20_000
_FIRST_LOOK: Final = 128

_QUOTED = lazy_pattern(
    r"""(?x) [brufL@$]{0,2}
    (?: \\{1,3}["'] (?P<escaped>[^"'\\\n]{0,128}+)
      | "(?P<double>(?>(?:[^"\\\n]|\\.){0,128}))
      | '(?P<single>(?>(?:[^'\\\n]|\\.|''(?=[^\s,;)}\]'])){0,128}))
      | `(?P<back>[^`\n]{0,128}+)
      | &quot;(?P<entity>[^&\n]{0,128}+)
      | \\u0022(?P<unicode>[^\\\n]{0,128}+)
    )"""
)
_BARE = lazy_pattern(r"[^\s\"'`<>\\,;&(){}\[\]|][^\s\"'`<>\\,;&(){}\[\]|]{0,127}+")
_LINE_REST = lazy_pattern(r"[^\s\"'`<>\\]{1,128}+(?=[ \t]*(?:#[^\n]*)?(?:\n|\r|\\n|\Z))")
_MORE_QUOTED = lazy_pattern(r"[^\"'`\\\n]*+")
_MORE_BARE = lazy_pattern(r"[^\s\"'`,;&<>\\]*+")
_TOKEN_RUN = lazy_pattern(r"[A-Za-z0-9._~+/=%-]*+")
_NEXT_FIELD = lazy_pattern(r"[&;,][A-Za-z_ ]{1,30}=")
_LINE_END = lazy_pattern(r"[\"'`,;)}\]\\]{0,3}[ \t]*(?:\n|\r|\Z|#|\\n)")
_LINE_HEAD = lazy_pattern(
    r"(?:[\w./-]{1,50}:\d{1,6}:|[\w.-]{1,30}[ ]{1,4}\|[ ]|[\d:TZ.+-]{8,32}[ ]|[ ]*\d{1,6}→)?"  # grep, compose, a time
    r"[\s>|+\-#$*%0-9]{0,24}(?:(?:export|set|setx|ENV|ARG|declare -x|readonly|local) )?[\"']?(?:\$env:)?$"
)


class Value(NamedTuple):
    """A value as written: its span, whether quotes hold it, the sign behind it, and whether it ends its line."""

    start: int
    end: int
    text: str
    quoted: bool
    follows: str
    ends_line: bool

    @property
    def span(self) -> tuple[int, int]:
        return self.start, self.end


def read_value(text: str, at: int, *, whole_line: bool = False, spaced: bool = False) -> Value | None:
    """The value that begins at `at`, or None.

    `whole_line`: its name begins the line, so that without quotes it may hold any sign up to the end of the line.
    `spaced`: a blank stands before it, as in sentences, so that a full stop at its end is none of it.
    """
    if match := _QUOTED.match(text, at):
        start, end = match.span(match.lastgroup or 0)
        return _value(text, start, end, quoted=True)
    match = _BARE.match(text, at)
    if match is None:
        return None
    start, end = match.span()
    if whole_line and text[end : end + 1] not in ("(", "["):
        rest = _LINE_REST.match(text, at)
        if rest and not _NEXT_FIELD.search(rest[0]):
            end = rest.end()
    end = start + len(text[start:end].rstrip(".,;:" if spaced else ",;"))
    return _value(text, start, end, quoted=False) if end > start else None


def _value(text: str, start: int, end: int, *, quoted: bool) -> Value:
    seen = text[start:end]
    if len(seen) >= _FIRST_LOOK:
        more = (_MORE_QUOTED if quoted else _MORE_BARE).match(text, end, end + _LONGEST)
        end = more.end() if more else end
    return Value(start, end, seen, quoted, text[end : end + 1], bool(_LINE_END.match(text, end)))


def run_end(text: str, end: int, limit: int = _LONGEST) -> int:
    """The end of the run of token characters that goes on at `end`, for values that were read up to a limit."""
    more = _TOKEN_RUN.match(text, end, end + limit)
    return more.end() if more else end


def leads_line(text: str, start: int) -> bool:
    """Whether nothing but indentation, a list sign, a prompt or `export` stands before `start` on its line."""
    begin = max(0, start - 60)
    escaped = text.rfind("\\n", begin, start)
    line = max(text.rfind("\n", begin, start) + 1, escaped + 2 if escaped >= 0 else 0)
    return (line > 0 or start <= 60) and bool(_LINE_HEAD.match(text[line:start]))
