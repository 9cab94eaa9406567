"""Words that announce a secret: names of fields, labels in other tongues, passphrases, sentences."""

from __future__ import annotations

import re
from typing import Final, Literal

from core.base.lazy import lazy_pattern
from core.text.secrets.values import (
    Value,
    has_digit,
    is_identifier,
    is_line_start,
    is_mixed,
    is_name,
    is_prose,
    is_random,
    is_reference,
    is_stand_in,
    read_value,
)

Strength = Literal["password", "compound", "plain", "none"]
"""`password`: nearly any value is one. `compound`: a name with a qualifier (`api_key`). `plain`: `token`, `secret`."""

_PARTS = lazy_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_PASSWORDS: Final = (
    "password", "passwd", "passphrase", "passcode", "pwd", "passwort", "passw", "pswd", "passphrases", "masterauth",
    "requirepass",
)  # fmt: skip
_PASSWORD_PARTS: Final = frozenset({"pass", "pw", "pwd", "psw"})
_KEYS_OF: Final = (
    "api", "access", "secret", "private", "priv", "account", "encryption", "encrypt", "decryption", "signing", "sign",
    "auth", "master", "shared", "storage", "client", "app", "application", "consumer", "service", "role", "license",
    "admin", "root", "session", "jwt", "hmac", "aes", "crypto", "cipher", "subscription", "functions", "deploy",
    "webhook", "integration", "bot", "host", "security", "kms", "vault", "signature", "cookie", "ssh", "gpg", "pgp",
    "publish", "fernet", "write", "read", "ingest", "server", "wallet", "psk", "preshared", "pass", "cron",
    "internal", "seed",
)  # fmt: skip
_PASSES_OF_TEXT = (
    "db database smtp user mail email imap root admin mysql pg postgres redis ftp ssh sudo mongo mq rabbitmq ldap "
    "proxy http auth login my app service key keystore truststore store cert account bind sasl broker api vault "
    "ansible become vnc wifi bot irc sql server nexus docker registry git jenkins require master "
)
_PASSES_OF: Final = frozenset(_PASSES_OF_TEXT.split())
_TRAILING_TEXT = (
    "0 1 2 3 4 5 6 7 8 9 base b64 base64 value val string raw plain plaintext text prod production dev development "
    "staging stage live test testing sandbox old new current primary secondary backup default data bytes hex env "
)
_TRAILING: Final = frozenset(_TRAILING_TEXT.split())
_OTHER_TOKENS_TEXT = (
    "next page continuation pagination sync cancellation cancel eos bos pad unk sep cls mask special stop start "
    "unexpected expected idempotency public lookahead line prev previous first last resume cursor "
)
_OTHER_TOKENS: Final = frozenset(_OTHER_TOKENS_TEXT.split())


def strength(name: str, spoken: str = "") -> Strength:
    """How telling `name` is; `spoken` is the text before it, for names written as two words (`API key`)."""
    parts = [part.casefold() for part in _PARTS.findall(name[-64:])]
    while len(parts) > 1 and parts[-1] in _TRAILING:
        parts.pop()
    if not parts:
        return "none"
    last, before = parts[-1], parts[:-1]
    if last in ("key", "token", "secret", "phrase") and not before and (word := _spoken_word(spoken)):
        before = [word]
    if name == "PASS":
        return "none"  # what a test runner prints before the name of a test
    if last == "phrase":
        return "password" if before and before[-1] in ("seed", "recovery", "secret", "backup", "pass") else "none"
    if last.endswith("pass") and last[:-4] in _PASSES_OF:
        return "password"
    if last.endswith(_PASSWORDS) or (
        last in _PASSWORD_PARTS and (last != "pass" or _PASSES_OF.intersection(before[-1:]))
    ):
        return "password"
    if _OTHER_TOKENS.intersection(before[-1:]) or "public" in before:
        return "none"
    if last.endswith("key"):
        qualifier = last[:-3] or (before[-1] if before else "")
        return "compound" if qualifier.endswith(_KEYS_OF) else "none"
    if last == "data":
        return "none"
    if last.endswith(("token", "secret")):
        return "compound" if before or last not in ("token", "secret") else "plain"
    if last in ("credential", "credentials", "auth", "mnemonic", "jwt", "pass", "sig", "signature", "bearer"):
        return "plain"
    return "none"


def _spoken_word(spoken: str) -> str:
    match = re.search(r"([A-Za-z]+)[ \t]$", spoken)
    return match[1].casefold() if match else ""


Span = tuple[int, int]

_NAME = lazy_pattern(r"(?i)(?:(?:seed|recovery|secret|backup|wallet)[ _-]?phrase|mnemonic)")
_SIGN = lazy_pattern(
    r"""(?ix) s? (?:[ _-]?(?:words?|phrase|key))? (?:[ ]\([^()\n]{1,20}\))? [\\"'`*\]]{0,4} [ \t]{0,4}
    (?: (?:=>|[:=]) | \b(?:is|was)\b | (?=\r?\n|\\n) ) (?:[ \t]|\r?\n|\\n){0,4} [\[\\"'`]{0,6}"""
)
_WORD = lazy_pattern(r"[a-z]{3,8}(?![\w.])")
_BETWEEN = lazy_pattern(r"""[\\"']{0,4},?(?:[ \t]{1,4}|\\n|\r?\n[ \t]{0,8}|(?<=,))[\\"']{0,4}""")
_LENGTHS: Final = frozenset((12, 15, 18, 21, 24))
"""How many words such a phrase has (BIP 39), each of three to eight letters: a sentence has shorter ones between."""

_PROMPT = lazy_pattern(r"(?i)phrase[ ]for[ ](?:key[ ])?(?:'[^'\n]{1,200}'|\"[^\"\n]{1,200}\"|[^\s:'\"]{1,200}):[ ]")
_LINE = lazy_pattern(r"(?P<value>[^\n\r\\\"]{4,100}+)(?=\r?\n|\\|\"|\Z)")


def phrase_spans(text: str, start: int) -> tuple[Span, ...]:
    """The words or the passphrase announced by the `mnemonic` or `phrase` whose last letters begin at `start`."""
    if prompt := _PROMPT.match(text, start):
        return _prompted(text, prompt.end())
    name = next((found for back in range(18) if (found := _NAME.match(text, max(0, start - back)))), None)
    sign = _SIGN.match(text, name.end()) if name else None
    if sign is None:
        return ()
    at, words, own_lines = sign.end(), list[Span](), None
    while (word := _WORD.match(text, at)) and len(words) <= max(_LENGTHS):
        words.append(word.span())
        between = _BETWEEN.match(text, word.end())
        if between is None or own_lines not in (None, "n" in between[0] or "\n" in between[0]):
            break  # words on one line, or each on its own: the next line begins with something else
        own_lines = "n" in between[0] or "\n" in between[0]
        at = between.end()
    return tuple(words) if len(words) in _LENGTHS else ()


def _prompted(text: str, at: int) -> tuple[Span, ...]:
    """What was typed behind the prompt, where a log shows it; a message of the program that follows it stays."""
    line = _LINE.match(text, at)
    if line is None:
        return ()
    value = line["value"].rstrip()
    words = value.split()
    typed = len(words) == 1 or (len(words) > 2 and not any(word[:1].isupper() for word in words))
    return ((at, at + len(value)),) if typed and not is_stand_in(value) and not value.startswith(("^", "(")) else ()


_FLAG_VALUE = lazy_pattern(r"[^\s\"'`<>|\\&;]{1,512}+")
_IS = lazy_pattern(r"(?:(?:is|was|provided|given|used)(?:[ \t]?:)?|for [^\s:]{1,40}:)[ \t]{1,4}")
_BY = lazy_pattern(r"[ \t]+(?:(?:PASSWORD|password)[ \t]+)?(?=\\{0,3}[\"'])")
_NEW_USER = lazy_pattern(r"(?i)\b(?:user|role)\s+(?:if\s+not\s+exists\s+)?\S{1,100}\s+identified by$")
_SETTING = lazy_pattern(r"(?i)(?:(?<![a-z])|(?<=\\n))(?:env|arg|set|setx|setenv|export|config(?:ure)? set)[ \t]+$")
_LOGIN = lazy_pattern(
    r"(?:machine[ \t]+[^\s\\]{1,80}[^\n]{0,80}|(?:\A|\n|\\n)[^\w\n]{0,16}login[ \t]+[^\s\\]{1,80})"
    r"(?:\s+|(?:\r?\n|\\n)[^\n]{0,60})$"
)
_CONTEXT = lazy_pattern(r"(?i)\b(?:with|using|my|the|new|old|this|root|admin|your)[ \t]$")


def spoken_spans(text: str, start: int, at: int, name: str, kind: Strength) -> tuple[Span, ...]:
    """The value at `at`, which only blanks part from the name that begins at `start`, if it is a secret."""
    before = text[max(0, start - 160) : start]
    if name.startswith("-"):
        return _flag_spans(text, at, kind)
    if verb := _IS.match(text, at):
        value = read_value(text, verb.end(), spaced=True)
        return (value.span,) if value and _is_spoken(value.text) else ()
    value = read_value(text, at, spaced=True)
    if value is None or not _may_be(value):
        return ()
    mixed = is_mixed(value.text) and has_digit(value.text)
    if value.quoted:
        if kind != "password" or text[start - 1 : start] in ('"', "'", "`"):
            return ()
        sql = name.isupper() or _CONTEXT.search(before)
        return (value.span,) if sql or (mixed and len(value.text) >= 6) else ()
    if _LOGIN.search(before) or name in ("requirepass", "masterauth"):
        return (value.span,)
    if _SETTING.search(before):
        return (value.span,) if is_random(value.text, 12) or (kind == "password" and mixed) else ()
    if kind != "password":
        return (value.span,) if is_random(value.text, 20) and mixed else ()
    if not mixed or len(value.text) < 6:
        return ()
    alone = is_line_start(text, start) and value.ends_line
    return (value.span,) if alone or _CONTEXT.search(before) else ()


def identified_spans(text: str, at: int) -> tuple[Span, ...]:
    """SQL's `IDENTIFIED BY '…'`; `at` is behind its last word."""
    match = _BY.match(text, at)
    if match is None or (text[at - 1] == "y" and not _NEW_USER.search(text, max(0, at - 160), at)):
        return ()  # orders are identified by "number"
    value = read_value(text, match.end())
    return (value.span,) if value and value.quoted and not is_stand_in(value.text) else ()


def _flag_spans(text: str, at: int, kind: Strength) -> tuple[Span, ...]:
    value = read_value(text, at)
    if value is None or value.text.startswith("-") or not _may_be(value):
        return ()
    if not value.quoted:
        match = _FLAG_VALUE.match(text, at)
        if match is None or (value.text.isalpha() and (value.text.isupper() or len(value.text) < 5)):
            return ()  # --password PASSWORD, in a usage text; --token via …, in a sentence
        end = at + len(match[0].rstrip(".,;:)]"))
        return ((at, end),) if kind == "password" or is_mixed(match[0]) else ()
    return (value.span,) if kind == "password" or is_mixed(value.text) else ()


def _may_be(value: Value) -> bool:
    text = value.text
    if is_stand_in(text) or is_name(text) or is_prose(text):
        return False
    return value.quoted or (not is_reference(text) and value.follows not in ("(", "["))


def _is_spoken(value: str) -> bool:
    if is_stand_in(value) or is_name(value) or is_reference(value) or len(value) < 6:
        return False
    return is_mixed(value) and has_digit(value)


_LABEL = lazy_pattern(
    r"""(?x)
    (?:비밀\s?번호|비번|패스워드|암호|パスワード|密码|密碼|暗証番号|시크릿(?:\s?키)?|비밀\s?키|토큰|인증\s?키|보안\s?키|개인\s?키|접근\s?키
      |액세스\s?키|키(?<=(?i:api)키)|키(?<=(?i:api)[ ]키)|アクセスキー|トークン|令牌|密钥)
    (?:\s?(?:값|입력|설정|변경))? (?:\([^()\n]{1,20}\))? ["'`*\)\]\\]{0,4}
    (?: [ \t]{0,4}(?P<sign>[:：=]|->|→)[ \t]{0,4} | (?P<particle>(?:은|는|이|가|을|를|로|으로|は)?[ \t]{1,4}) )
    ["'`*\\]{0,4}
    (?P<value>[!\#-&(-+\--;=?-\[\]-_a-z{-~]{3,512}+)
    """
)
_PASSWORD = lazy_pattern("비밀\\s?번|비번|패스|암호|パス|密码|密碼|暗")


def label_spans(text: str) -> list[Span]:
    """The values behind such labels: runs of ASCII, mixed or long enough for the label."""
    found: list[Span] = []
    for match in _LABEL.finditer(text):
        value = match["value"].rstrip(".,:;)*")
        if is_stand_in(value) or is_reference(value):
            continue
        digits = has_digit(value)
        if not _PASSWORD.match(match[0]):
            fits = is_random(value, 12) or (match["sign"] and digits and is_mixed(value) and len(value) >= 6)
        elif match["particle"]:
            fits = is_mixed(value) and digits and len(value) >= 6 and not is_identifier(value)
        else:
            fits = is_mixed(value) or len(value) >= 4
        if fits:
            found.append((match.start("value"), match.start("value") + len(value)))
    return found
