"""Secrets that a label in another tongue announces: `비밀번호: …`, `토큰은 …`, `パスワード：…`, `密码: …`."""

from __future__ import annotations

from core.base.lazy_pattern import lazy_pattern
from core.text.secrets.values import has_digit, is_identifier, is_mixed, is_random, is_reference, is_stand_in

Span = tuple[int, int]

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
