"""Values that look like a secret, and secrets known by their form alone: tokens of services, private keys."""

from __future__ import annotations

import re
from base64 import b64decode
from functools import cache
from typing import Final, NamedTuple

from core.base.lazy import lazy_pattern, text_tables
from core.text.redaction import MASK

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
      | (?:%20|\+)?%22(?P<percent>(?>(?:[^%\s"'&]|%(?!22)){0,128}))
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


def run_end(text: str, end: int) -> int:
    """Return the end of the run of token characters that continues at `end`."""
    more = _TOKEN_RUN.match(text, end, end + _LONGEST)
    return more.end() if more else end


def is_line_start(text: str, start: int) -> bool:
    """Return whether only indentation, a list sign, a prompt or `export` precedes `start` on its line."""
    begin = max(0, start - 60)
    escaped = text.rfind("\\n", begin, start)
    line = max(text.rfind("\n", begin, start) + 1, escaped + 2 if escaped >= 0 else 0)
    return (line > 0 or start <= 60) and bool(_LINE_HEAD.match(text[line:start]))


_TABLES: Final = text_tables(__file__)
_PLAIN_WORDS: Final = frozenset(
    " ".join(_TABLES[name] for name in ("NOTHING", "TYPES", "MESSAGES", "STAND_INS")).split()
)

_PROSE_WORDS: Final = frozenset(_TABLES["PROSE"].split())

_NUMBERED = lazy_pattern(r"[-_.:]v\d{1,2}$")
_LABEL = lazy_pattern("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\u1100-\u11ff]")
_TELLING = lazy_pattern(r"(?i)passw|pwd|secret|token|api[_-]?key|credential|(?<![a-z])(?:pass|key)(?![a-z])")
_TEMPLATES: Final = (
    "***", "${", "{{", "$(", "[redacted", "...", "…", "placeholder", "changeme", "change_me", "change-me",
)  # fmt: skip
_STAND_IN = lazy_pattern(
    r"""(?x)
    [x*.\-_\#?•●0]{3,}+ $
  | [<\[{\\] | \#\{ | %[({sd] | %[a-z_]+% | \$[a-z_] | &[a-z*'] | :[a-z] | ![a-z]+\b | \? $   # templates
  | your[-_a-z]*[-_] | (?:your|my|the|some|insert|enter|put|add|replace|paste)[-_ ] [a-z_ -]*+ $
  | [a-z_ -]*?[-_ ]here $
  | [^<]{1,40}<[a-z]
    """
)
_CODE = lazy_pattern(
    r"""(?x)
    [A-Za-z_$@][\w$]*+ (?>(?: (?:\?\.|\.|->|::) [A-Za-z_$][\w$]*+ )+) [!;,)?]* $      # config.password, this.state.pw
  | [A-Za-z_$@][\w$.:]*+ [(\[{]                                                    # getpass.getpass(, tokens[0]
  | (?:arn|vault|op|ref|file|env|ssm|https?|s3|gs|sha\d{1,3}|data):.*              # a reference to it
    """
)
_PATH = lazy_pattern(
    r"(?:[A-Za-z]:)?(?:~|\.{1,2})?[\\/][\w.@ -]+(?:[\\/][\w.@ -]*)*$"
    r"|[\w-]+(?:/[\w.-]+)*/?\.[a-z]{2,5}(?::\d{1,6}|(?:::[\w\[\]-]{1,80}){1,3})?$"
)
_VERSION = lazy_pattern(
    r"[~^<>=v]{0,3}\d{1,4}(?:\.\d{1,9}){2,3}(?:[-+][a-z]{0,8}[.\d]{0,16})?$"  # of a package
    r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d:.,]{0,20}(?:Z|[+-]\d\d:?\d\d)?$"  # a time
    r"|[a-z][a-z-]{0,40}(?::[a-z-]{1,40}){0,3}:v\d{1,2}(?::[a-z-]{1,40}){0,3}$"  # app:v1:results
)
_ALGORITHM = lazy_pattern(
    r"(?i)(?:aes|sha|rsa|dsa|md|hmac|hs|rs|es|ps|ecdsa|ecdh|ed|chacha|tls|ssl|utf|iso|pbkdf)[-_\d/a-z]{0,4}[-_\d/]*"
    r"(?:[-_/]?(?:gcm|cbc|ctr|poly1305|sha\d+|with\w+))?$"
)
_IDENTIFIER = lazy_pattern(
    r"[A-Za-z_]+$|[a-z]+(?:[-_.][a-z]+)*(?:[-_.]?\d{1,2})?$|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$|[A-Za-z_][\w]*\$[\w$]*$"
)
_LETTER = lazy_pattern(r"[^\W\d_]")
_DIGIT = lazy_pattern("[0-9]")
_SIGN_OR_DIGIT = lazy_pattern("[0-9!@#$%^&*+=~?|]")
_RUN = lazy_pattern(r"[A-Za-z0-9]{8,}+")
_RISE = lazy_pattern(r"[a-z](?=[A-Z])")


def is_stand_in(value: str) -> bool:
    """Return whether the value is useless: empty, masked already, a placeholder, a template, a description."""
    bare = value.strip().rstrip(".,;:!?)").casefold()
    if len(bare) < 3 or MASK in value or bare in _PLAIN_WORDS or _STAND_IN.match(bare):
        return True
    return any(sign in bare for sign in _TEMPLATES)


def is_reference(value: str) -> bool:
    """Code or a path that leads to the secret, or the name of an algorithm: not the secret itself."""
    if _CODE.match(value):
        return "(" in value or sum(map(str.isdigit, value)) < 3 or not is_random(value)
    return bool(_PATH.match(value) or _ALGORITHM.match(value) or _VERSION.match(value))


def is_name(value: str) -> bool:
    """Letters only, and one of the words for a secret among them: a variable, a label, a selector.

    A text that begins in Han, kana or Hangul and has no digit is a label in one of these languages.
    """
    bare = _NUMBERED.sub("", value)
    return not has_digit(bare) and bool(_TELLING.search(bare) or _LABEL.match(bare))


def is_prose(value: str) -> bool:
    """Several words, one of them a word that messages about secrets use."""
    words = value.casefold().split()
    return len(words) > 1 and any(word.strip(".,:;!'\"()") in _PROSE_WORDS for word in words)


def is_mixed(value: str) -> bool:
    """Letters and digits, or letters and signs other than those that join words."""
    return bool(_LETTER.search(value) and _SIGN_OR_DIGIT.search(value))


def has_digit(value: str) -> bool:
    return bool(_DIGIT.search(value))


def is_identifier(value: str) -> bool:
    """A name as people give them: words joined by signs, at most a small number at the end."""
    return bool(_IDENTIFIER.match(value))


def is_random(value: str, least: int = 16) -> bool:
    """At least `least` code points without a blank, one run of which no person would write."""
    if len(value) < least or " " in value:
        return False
    return any(_is_scrambled(run) for run in _RUN.findall(value))


def _is_scrambled(run: str) -> bool:
    """Letters and digits in one run, or letters whose case changes more often than that of any name."""
    if has_digit(run):
        return not run.isdigit()
    return len(run) >= 12 and sum(map(str.isupper, run)) * 10 >= len(run) * 3 and len(_RISE.findall(run)) >= 3


def is_encoded_login(value: str) -> bool:
    """Base64 of `user:password`, as Basic authentication and docker write it."""
    if len(value) < 8 or len(value) % 4:
        return False
    try:
        decoded = b64decode(value, validate=True).decode()
    except ValueError:
        return False
    return ":" in decoded and decoded.isprintable()


_ALNUM = "[A-Za-z0-9]"
_URL64 = "[A-Za-z0-9_-]"

RARE: Final = "QJKIGT9_-v"
"""Signs of prefixes, the rarest in ordinary text first; the scan stops at the rarest of a prefix."""


class Shape(NamedTuple):
    """Tokens of one kind: one of the literal `prefixes`, then a `body`.

    `alone`: the prefix is short or common, so it must begin a word. `mixed`: the body must hold two digits and a
    letter near its start, because ordinary words share the prefix (`sk-loading-spinner`).
    """

    kind: str
    prefixes: tuple[str, ...]
    body: str
    alone: bool = False
    mixed: bool = False

    def pattern(self) -> str:
        """The whole token as a regular expression; linear, and bounded where it fails."""
        begin = r"(?:(?<![A-Za-z0-9_])|(?<=\\[nrt]))" if self.alone else ""
        mixed = f"(?={_URL64}{{0,48}}?[0-9]{_URL64}{{0,48}}?[0-9])(?={_URL64}{{0,48}}?[A-Za-z])" if self.mixed else ""
        return f"{begin}(?:{'|'.join(map(re.escape, self.prefixes))}){mixed}{self.body}"


def _shape(row: str) -> Shape:
    kind, *rest = row.replace("{URL64}", _URL64).replace("{ALNUM}", _ALNUM).split()
    flags = {flag: flag in rest for flag in ("alone", "mixed")}
    *prefixes, body = (word for word in rest if word not in flags)
    return Shape(kind, tuple(prefixes), body, **flags)


SHAPES: Final = tuple(map(_shape, _TABLES["SHAPES"].splitlines()))
ENCODED_KEYS: Final = SHAPES[-1].prefixes
"""How a private key begins whose PEM form was written in base64 once more, as Kubernetes and CI settings hold it."""


@cache
def token_pattern(prefix: str) -> re.Pattern[str]:
    """Any token that begins with `prefix`; compiled when that is first met."""
    return re.compile("|".join(shape.pattern() for shape in SHAPES if _begins(shape, prefix)), re.ASCII)


def _begins(shape: Shape, prefix: str) -> bool:
    return any(own.startswith(prefix) or prefix.startswith(own) for own in shape.prefixes)


class Anchor(NamedTuple):
    """Where the scan meets a prefix: at `sign`, with `before` (it included) to the left and `after` to the right."""

    sign: str
    before: str
    after: str


def anchors() -> tuple[Anchor, ...]:
    """One anchor a prefix, at the last occurrence of its rarest sign; none where a shorter prefix has the same."""
    found: dict[tuple[int, str], Anchor] = {}
    for prefix in sorted((prefix for shape in SHAPES for prefix in shape.prefixes), key=len):
        sign = next((sign for sign in RARE if sign in prefix), None)
        if sign is None:
            continue  # searched as a word
        cut = prefix.rfind(sign) + 1
        if not any((cut, prefix[:end]) in found for end in range(cut, len(prefix))):
            found[cut, prefix] = Anchor(sign, prefix[:cut], prefix[cut:])
    return tuple(found.values())


Span = tuple[int, int]

_BEGIN = lazy_pattern(r"KEY(?:(?:[ +]|%20)BLOCK)?-----")
# A newline (also written as \\n), then a line number or whatever else a tool puts before a line.
_START = (
    r"[\"' \t]{0,4}(?:\r?\n|(?:\\{1,3}r)?\\{1,3}n)(?:(?:[^\n\\]|\\{1,3}t){0,60}?(?:[^A-Za-z0-9+/=\n\\]|\\{1,3}t))??"
)
_KEY_LINE = lazy_pattern(_START + r"(?P<run>[A-Za-z0-9+/=]{20,}+|[A-Za-z0-9+/]{1,19}+==?)(?=[\s\\\"',|]|\Z)")
_HEADER_LINE = lazy_pattern(_START + r"(?:[A-Za-z][A-Za-z-]+:[^\n\\]{0,80}+)?[ \t]*(?=\n|\r|\\)")
_KEY_RUN = lazy_pattern(
    r"\\{1,3}(?:[nrtbf]|u[0-9A-Fa-f]{4})|%0[ADad]|(?>(?:[A-Za-z0-9+/=]|%2[BbFf]|%3[Dd]){4,})|[A-Za-z0-9+/]+=+"
)
_LAST_LINE = lazy_pattern(
    r"(?:(?<=\\[nrt])|(?<![A-Za-z0-9+/=%\\]))(?P<run>[A-Za-z0-9+/]{4,200}+={0,2})[\"',| \t]{0,4}"
    r"(?:\r?\n|(?:\\{1,3}r)?\\{1,3}n)(?:(?:[^\n\\]|\\{1,3}t){0,60}?(?:[^A-Za-z0-9+/=\n\\]|\\{1,3}t))?\Z"
)
_LINES = lazy_pattern(r"[ ](?P<count>\d{1,3})")
_PUTTY_LINE = lazy_pattern(_START + r"(?P<run>[A-Za-z0-9+/=]{4,80}+)(?=[\"',| \t]{0,4}(?:\r|\n|\\|\Z))")


def pem_spans(text: str, key_at: int) -> tuple[Span, ...]:
    """The body of a private key whose `PRIVATE KEY` ends its BEGIN line at `key_at`, also when cut off before END.

    At an END line whose BEGIN was cut off: the lines before it.
    """
    begin = _BEGIN.match(text, key_at)
    if begin is None:
        return ()
    if text.rfind("-----BEGIN", max(0, key_at - 40), key_at) < 0:
        end = text.rfind("-----END", max(0, key_at - 40), key_at)
        return _headless(text, end) if end >= 0 else ()
    end = text.find("-----", begin.end(), begin.end() + _LONGEST)
    if end < 0 or not text.startswith("-----END", end):
        again = end if text.startswith("-----BEGIN", end) else begin.end() + _LONGEST
        return _cut_off(text, begin.end(), again)
    runs = _KEY_RUN.finditer(text, begin.end(), end)
    return tuple(run.span() for run in runs if not run[0].startswith(("\\", "%0")) and not is_stand_in(run[0]))


def _headless(text: str, end: int) -> tuple[Span, ...]:
    """The lines of a body before `end`; none of which is read where the first is another line."""
    found: list[Span] = []
    stop = max(0, end - _LONGEST)
    while end > stop and (line := _LAST_LINE.search(text[(window := max(stop, end - 260)) : end])):
        end = window + line.start("run")
        found.append((end, window + line.end("run")))
    return tuple(found) if any(b - a >= 40 for a, b in found) else ()


def wrapped_spans(text: str, at: int) -> tuple[Span, ...]:
    """The lines that continue an encoded key whose first line ends at `at`."""
    found: list[Span] = []
    stop = at + _LONGEST
    while at < stop and (line := _KEY_LINE.match(text, at)):
        found.append(line.span("run"))
        at = line.end()
    return tuple(found)


def _cut_off(text: str, at: int, stop: int) -> tuple[Span, ...]:
    """The body's lines from `at`; another key that begins at `stop` is read by itself."""
    found: list[Span] = []
    while at < stop:
        line = _KEY_LINE.match(text, at)
        if line:
            found.append(line.span("run"))
        elif found or not (line := _HEADER_LINE.match(text, at)):
            break
        at = line.end()
    return tuple(found)


def putty_spans(text: str, at: int) -> tuple[Span, ...]:
    """The lines of a PuTTY private key behind its `Private-Lines:` that ends at `at`, also in a comment or indented."""
    count = _LINES.match(text, at)
    if count is None:
        return ()
    found: list[Span] = []
    at = count.end()
    while len(found) < int(count["count"]) and (line := _PUTTY_LINE.match(text, at)):
        found.append(line.span("run"))
        at = line.end()
    return tuple(found)
