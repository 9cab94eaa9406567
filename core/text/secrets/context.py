"""Secrets known by their context: URLs, headers, cookies, query strings, password hashes."""

from __future__ import annotations

import re
from typing import Final

from core.base.lazy import lazy_pattern
from core.text.secrets.values import has_digit, is_encoded_login, is_mixed, is_random, is_stand_in, run_end

Span = tuple[int, int]

_URL_USER = lazy_pattern(
    r"""(?x) :// (?: (?P<user>[^\s:/?\#"'`<>\\]{0,128}+) :
      (?P<password>[^\s/?@"'`<>\\]{1,256}+ (?>(?:@[^\s/?\#@"'`<>\\:]{1,64}+(?=@))*)) @
    | (?P<token>[A-Za-z0-9_~.-]{20,256}+)@ )"""
)
_EXAMPLE = lazy_pattern(r"(?i)(?:my_?|your_?)?(?:passw(?:or)?d|pass|pw|pwd|secret)$")


def url_spans(text: str) -> list[Span]:
    """Every password of a URL (`scheme://user:password@host`), and long random user names that stand for one."""
    found: list[Span] = []
    for match in _URL_USER.finditer(text):
        value = match["password"]
        if value is not None:
            port = "#" in value and value.partition("#")[0].isdigit()  # host:8080#part@that
            if not port and not is_stand_in(value) and not _EXAMPLE.match(value):
                found.append(match.span("password"))
        elif is_random(match["token"], 20):
            found.append(match.span("token"))
    return found


_SCHEME = lazy_pattern(
    r"(?i)(?:bearer|basic|token|negotiate|apikey|api-key|ssws|digest|aws4-hmac-sha256|hawk|oauth)[ \t]+"
)
_HEADER = lazy_pattern(r"""(?:\\{0,3}["'`])?[ \t]*(?:[:=]|=>|,)[ \t]*(?:f?\\{0,3}["'`])?""")
_HEADER_VALUE = lazy_pattern(r"[^\s\"'`\\<>,;){}]{4,256}+")
# A quote ends them, unless it is escaped, as in JSON, or holds the value of one of them.
_PARAMETERS = lazy_pattern(r"(?>(?:[^\n'`\\\"]|\\{1,3}\"|(?<==)\"[^\"\n\\]{0,512}\"){4,2048})")
_SCHEME_VALUE = lazy_pattern(r"[ \t]{1,4}(?P<value>[A-Za-z0-9._~+/=-]{6,256}+)")


def authorization_spans(text: str, at: int) -> tuple[Span, ...]:
    """The credentials of an `Authorization` header whose name ends at `at`."""
    header = _HEADER.match(text, at)
    if header is None:
        return ()
    scheme = _SCHEME.match(text, header.end())
    begin = scheme.end() if scheme else header.end()
    if scheme and scheme[0][:3].casefold() in ("dig", "aws", "haw", "oau"):
        rest = _PARAMETERS.match(text, begin)
        return (rest.span(),) if rest and "=" in rest[0] else ()
    value = _HEADER_VALUE.match(text, begin)
    if value is None or is_stand_in(value[0]):
        return ()
    sure = scheme or is_random(value[0], 12)
    return (
        ((value.start(), run_end(text, value.end())),)
        if sure and text[value.end() : value.end() + 1] not in ("(", "{")
        else ()
    )


def scheme_spans(text: str, at: int) -> tuple[Span, ...]:
    """Return the text after `Bearer` or `Basic` ending at `at`, if it looks like a credential by length and mixture."""
    match = _SCHEME_VALUE.match(text, at)
    if match is None:
        return ()
    value = match["value"].rstrip(".")
    letters = re.sub("[^A-Za-z]", "", value)
    cased = (
        text[at - 1] in "rR" and len(value) >= 20 and letters not in (letters.lower(), letters.upper(), letters.title())
    )
    if is_stand_in(value) or not (is_random(value, 12) or cased or is_encoded_login(value)):
        return ()
    return ((match.start("value"), run_end(text, match.start("value") + len(value))),)


_COOKIES = lazy_pattern(r"""(?:\\{0,3}["'`])?[ \t]*(?::|=(?!=))[ \t]*(?:\\{0,3}["'`])?""")
_COOKIE = lazy_pattern(r"[; ,]{0,3}(?P<name>[\w.$-]{1,64}+)=(?P<value>[^\s;,\"'`\\]{1,256}+)")
_SESSION_NAME = lazy_pattern(r"(?i)sess|sid\b|auth|token|jwt|csrf|xsrf|remember|login|credential|passw|secret|_key\b")
_NESTED = lazy_pattern(r"(?i)cookie[:=]")
_ATTRIBUTES_TEXT = "path domain expires max-age samesite version priority "
_ATTRIBUTES: Final = frozenset(_ATTRIBUTES_TEXT.split())


def cookie_spans(text: str, at: int) -> tuple[Span, ...]:
    """The session values of a `Cookie` or `Set-Cookie` header whose name ends at `at`."""
    header = _COOKIES.match(text, at)
    if header is None:
        return ()
    return _cookies(text, header.end())


_FLAG = lazy_pattern(r"""[ =]{0,2}\\{0,3}["']?(?=[\w.$-]{1,64}=)""")


def cookie_flag_spans(text: str, at: int) -> tuple[Span, ...]:
    """The session values of a command's option for cookies that ends at `at`."""
    flag = _FLAG.match(text, at)
    return _cookies(text, flag.end()) if flag else ()


def _cookies(text: str, at: int) -> tuple[Span, ...]:
    found: list[Span] = []
    while (match := _COOKIE.match(text, at)) and len(found) < _MOST_COOKIES:
        name, value = match["name"], match["value"]
        at = run_end(text, match.end())
        if _NESTED.search(value):
            break  # another header begins in it; what follows is read from there
        if name.casefold() in _ATTRIBUTES or is_stand_in(value):
            continue
        if (_SESSION_NAME.search(name) and (is_mixed(value) or len(value) >= 12)) or is_random(value, 20):
            found.append((match.start("value"), at))
    return tuple(found)


_MOST_COOKIES: Final = 64
_QUERY = lazy_pattern(
    r"(?i)(?:sig|signature|x-amz-signature|x-amz-security-token|x-amz-credential|x-goog-signature|x-goog-credential"
    r"|key|apikey|api_key|code|auth|authkey|access|session|sessionid|sid|jwt|token|tok|t|hmac|secret|state|password|pass|pwd|pw|otp"
    r"|access_token|id_token|refresh_token|oauth_token|auth_token)=(?P<value>[^\s&?#\"'`<>\\)\]},;]{4,256}+)"
)


def query_spans(text: str, at: int) -> tuple[Span, ...]:
    """The value of a telling parameter of a query string that begins at `at`."""
    match = _QUERY.match(text, at)
    if match is None:
        return ()
    value = match["value"].rstrip(".,:")
    name = match[0].partition("=")[0].casefold()
    if is_stand_in(value) or len(value) < _LEAST.get(name, 8):
        return ()
    sure = "sig" in name or (is_mixed(value) and has_digit(value))
    return ((match.start("value"), run_end(text, match.start("value") + len(value))),) if sure else ()


_LEAST: Final = {"key": 20, "code": 20, "access": 20, "state": 20, "t": 20, "session": 20, "auth": 20, "password": 4}


_HOOK = lazy_pattern(
    r"(?:s\.slack\.com/(?:services|workflows|triggers)|s?/\d{6,}|b2|s/catch)/(?P<path>[\w@/.-]{16,256}+)"
)


def webhook_spans(text: str, at: int) -> tuple[Span, ...]:
    """The path of a webhook address that is itself the key; `at` is behind its `hook`."""
    match = _HOOK.match(text, at)
    return ((match.start("path"), run_end(text, match.end())),) if match and is_random(match["path"]) else ()


_HASH = lazy_pattern(
    r"""(?x) \$(?: 2[abxy]?\$\d\d\$[./A-Za-z0-9]{40,}+
    | (?:[156]|apr1)(?:\$rounds=\d+)?\$[./A-Za-z0-9_-]{1,16}\$[./A-Za-z0-9]{20,}+
    | (?:7|y|gy)\$[./A-Za-z0-9]{1,32}\$[./A-Za-z0-9]{1,64}\$[./A-Za-z0-9]{20,}+
    | (?:argon2[a-z]{1,2}|scrypt)\$[^\s:"'`]{20,}+ )"""
)


def hash_spans(text: str, at: int) -> tuple[Span, ...]:
    """A password hash in crypt form at `at`."""
    match = _HASH.match(text, at)
    return (match.span(),) if match else ()


_BOT = lazy_pattern(r"A[\w-]{32,36}(?![\w-])")


def bot_spans(text: str, at: int) -> tuple[Span, ...]:
    """A Telegram bot token: digits, a colon, then its secret that begins with the `A` at `at`."""
    match = _BOT.match(text, at)
    at -= 1
    digits = len(text[max(0, at - 12) : at]) - len(text[max(0, at - 12) : at].rstrip("0123456789"))
    return ((at - digits, match.end()),) if match and digits >= 6 and is_mixed(match[0]) else ()


_DISCORD_TAIL = lazy_pattern(r"[\w-]{6,7}\.[\w-]{27,}+")


def discord_spans(text: str, at: int) -> tuple[Span, ...]:
    """A Discord bot token around its first dot at `at`."""
    match = _DISCORD_TAIL.match(text, at + 1)
    head = re.search(r"[\w-]{23,28}$", text[max(0, at - 28) : at])
    return ((at - len(head[0]), match.end()),) if match and head and is_mixed(head[0]) else ()


_AWS_SECRET = lazy_pattern(
    r"(?<![A-Za-z0-9/+=])(?=[^\s]{0,38}?[0-9])(?=[^\s]{0,38}?[a-z])(?=[^\s]{0,38}?[A-Z])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])"
)


def aws_secret_spans(text: str, at: int) -> tuple[Span, ...]:
    """A secret access key within two hundred code points behind an access key id that ends at `at`."""
    match = _AWS_SECRET.search(text, at, at + 240)
    return (match.span(),) if match else ()


_AZURE = lazy_pattern(r"~[\w.~-]{30,40}+")


def azure_spans(text: str, at: int) -> tuple[Span, ...]:
    """A client secret of Azure: four signs up to the `Q` at `at`, a tilde, the rest."""
    match = _AZURE.match(text, at + 1)
    return ((at - 4, match.end()),) if match and at >= 4 else ()


_PGPASS = lazy_pattern(
    r"(?<![\w.*-])[\w.*-]{1,255}+:5432:[^:\s\\]{1,64}+:[^:\s\\]{1,64}+:(?P<value>[^\s\\\"'`]{1,256}+)(?=[\s\\\"'`]|\Z)"
)


def pgpass_spans(text: str) -> list[Span]:
    """The passwords of the lines of a .pgpass file."""
    return [match.span("value") for match in _PGPASS.finditer(text) if not is_stand_in(match["value"])]
