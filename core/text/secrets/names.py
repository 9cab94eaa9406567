"""How telling a name is: `DB_PASSWORD`, `clientSecret` and `x-api-key` announce a secret, `token_count` does not."""

from __future__ import annotations

import re
from typing import Final, Literal

from core.base.lazy_pattern import lazy_pattern

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
    "publish", "write", "read", "ingest", "server", "wallet", "psk", "preshared", "pass", "cron", "internal", "seed",
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
    if last == "phrase":
        return "password" if before and before[-1] in ("seed", "recovery", "secret", "backup", "pass") else "none"
    if last.endswith("pass") and last[:-4] in _PASSES_OF:
        return "password"
    if last.endswith(_PASSWORDS) or (
        last in _PASSWORD_PARTS and (last != "pass" or _PASSES_OF.intersection(before[-1:]))
    ):
        return "password"
    if _OTHER_TOKENS.intersection(before):
        return "none"
    if last.endswith("key"):
        qualifier = last[:-3] or (before[-1] if before else "")
        return "compound" if qualifier.endswith(_KEYS_OF) else "none"
    if last == "data":
        return "none"
    if last.endswith(("token", "secret")):
        return "compound" if before or last not in ("token", "secret") else "plain"
    if last in ("credential", "credentials", "auth", "mnemonic", "jwt", "pass", "sig", "signature"):
        return "plain"
    return "none"


def _spoken_word(spoken: str) -> str:
    match = re.search(r"([A-Za-z]+)[ \t]$", spoken)
    return match[1].casefold() if match else ""
