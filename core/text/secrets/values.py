"""A value as it is written, and whether it looks like a secret."""

from __future__ import annotations

from base64 import b64decode
from typing import Final, NamedTuple

from core.base.lazy_pattern import lazy_pattern
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


_PLAIN_WORDS_TEXT = (
    # nothing there
    "none null nil undefined nan void true false yes no on off empty blank n/a na unset missing absent "
    # types and formats
    "str string text char varchar nvarchar bytes byte bytea bytearray buffer bool boolean int integer bigint number "
    "float double decimal object array list dict map set tuple any unknown never optional union symbol uuid date "
    "datetime timestamp json jsonb enum secretstr u8 u16 u32 u64 u128 usize i8 i16 i32 i64 int8 int16 int32 int64 "
    "uint8 uint16 uint32 uint64 uint8array float32 float64 utf8 utf-8 base64 base32 hex ascii latin1 oauth oauth2 jwt "
    "jwks bearer basic digest hs256 hs384 hs512 rs256 rs512 es256 eddsa bcrypt scrypt argon2 argon2id pbkdf2 md5 sha1 "
    "sha256 sha512 sha-1 sha-256 sha-512 x509 x.509 pkcs1 pkcs8 pkcs12 tls1.2 tls1.3 ed25519 secp256k1 p256 "
    # what a message says about a secret
    "required optional invalid incorrect wrong expired expected unexpected unknown denied rejected refused failed "
    "failure error not must should cannot can could is are was has have the this that a an for via through instead "
    "from to of in and or with without when if at by as be it its your you my our too short long weak please enter "
    "provide use using ok okay valid verified accepted changed updated reset created deleted revoked rotated "
    "generated found ignored deprecated supported unsupported available unavailable default only same mismatch "
    "matches length minimum maximum option flag argument parameter value values field name type file path input "
    "output prompt stdin env environment "
    # stand-ins
    "example sample dummy placeholder changeme change-me change_me replaceme replace-me replace_me todo tbd redacted "
    "hidden masked censored removed omitted filtered sensitive sanitized foo bar baz foobar here inherit auto "
)
_PLAIN_WORDS: Final = frozenset(_PLAIN_WORDS_TEXT.split())

_PROSE_WORDS_TEXT = (
    "is are was be must should cannot can't could may the not no too your you please enter field this required "
    "missing invalid incorrect wrong failed least most characters character match matches expected again has have "
    "contain contains already use at for with and or of to from in "
)
_PROSE_WORDS: Final = frozenset(_PROSE_WORDS_TEXT.split())

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
_PATH = lazy_pattern(r"(?:[A-Za-z]:)?(?:~|\.{1,2})?[\\/][\w.@ -]+(?:[\\/][\w.@ -]*)*$|[\w-]+(?:/[\w.-]+)*\.[a-z]{2,5}$")
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
    """Nothing anybody could use: empty, masked already, a placeholder, a template, a word for what goes there."""
    bare = value.strip().rstrip(".,;:!?)").casefold()
    if len(bare) < 3 or MASK in value or bare in _PLAIN_WORDS or _STAND_IN.match(bare):
        return True
    return any(sign in bare for sign in _TEMPLATES)


def is_reference(value: str) -> bool:
    """Code or a path that leads to the secret, or the name of an algorithm: not the secret itself."""
    if _CODE.match(value):
        return "(" in value or sum(map(str.isdigit, value)) < 3 or not is_random(value)
    return bool(_PATH.match(value) or _ALGORITHM.match(value))


def is_name(value: str) -> bool:
    """Letters only, and one of the words for a secret among them: a variable, a label, a selector."""
    return not has_digit(value) and bool(_TELLING.search(value))


def is_prose(value: str) -> bool:
    """Several words, one of them a word that messages about secrets use."""
    words = value.casefold().split()
    return len(words) > 1 and any(word.strip(".,:;!'\"()") in _PROSE_WORDS for word in words)


def is_mixed(value: str) -> bool:
    """Letters and digits, or letters and signs other than those that join words."""
    return bool(_LETTER.search(value) and _SIGN_OR_DIGIT.search(value))


def has_digit(value: str) -> bool:
    """Whether `value` holds a digit 0 to 9."""
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
