"""Secrets on a command line: `mysql -pX`, `curl -u user:X`, `echo X | sudo -S`, `openssl -passin pass:X`."""

from __future__ import annotations

import re

from core.base.lazy_pattern import lazy_pattern
from core.text.secrets.fields import field_spans
from core.text.secrets.values import is_stand_in

Span = tuple[int, int]

_COMMAND = r"(?:\b|(?<=\\n))"
_OPTIONS = {
    "p": lazy_pattern(
        _COMMAND
        + r"(?:mysql\w*|mariadb\w*|sshpass|(?:docker|podman|buildah|skopeo|nerdctl|oc|az|az acr|helm registry) login"
        r"|twine upload|mongo\w*|rabbitmqadmin|cqlsh|vncviewer|7z\w*|ftp|lftp|sqlplus|isql)\b"
    ),
    "P": lazy_pattern(_COMMAND + r"(?:sqlcmd|bcp|zip|unzip|tsql|osql|mosquitto_\w+|ipmitool|pdftk)\b"),
    "a": lazy_pattern(_COMMAND + r"redis-cli\b|(?:^|[\s$])https?\s"),
    "w": lazy_pattern(_COMMAND + r"(?:ldap\w+|rsync)\b"),
    "u": lazy_pattern(_COMMAND + r"(?:curl|wget|nexus|jf)\b"),
    "U": lazy_pattern(_COMMAND + r"(?:smbclient|rpcclient|net|curl)\b"),
}
_VALUE = lazy_pattern(r"""[ =]?(?:\\{0,3}["'](?P<quoted>[^"'\n\\]{1,200}+)|(?P<bare>[^\s"'|;&<>\\]{1,200}+))""")
_USER = lazy_pattern(r"[ =]++[\"']?[^\s:\"']{0,64}+[:%](?P<value>[^\s\"'|;&<>]{1,200}+)")


def option_spans(text: str, at: int) -> tuple[Span, ...]:
    """The value of the one-letter option whose dash is at `at`, behind a command that takes a password there."""
    letter = text[at + 1]
    line = text[max(0, text.rfind("\n", max(0, at - 300), at), at - 300) : at]
    command = re.split(r"[|;&]", line)[-1]
    if not _OPTIONS[letter].search(command):
        return ()
    match = (_USER if letter in "uU" or (letter == "a" and "redis" not in command) else _VALUE).match(text, at + 2)
    if match is None:
        return ()
    group = match.lastgroup or "value"
    value = match[group]
    separate = text[at + 2] == " "
    if is_stand_in(value) or value.startswith("-") or (separate and value.replace(":", "").isdigit()):
        return ()
    if letter == "p" and separate and ("mysql" in command or "mariadb" in command):
        return ()  # the password of `mysql -p` stands without a blank; what follows is a database
    return (match.span(group),)


_USER_FLAG = lazy_pattern(
    r"--(?:user|auth|proxy-user|credentials)[ =][\"']?[^\s:\"'@/]{0,64}+:(?P<value>[^\s\"'|;&<>]{1,200}+)"
)


def user_flag_spans(text: str, at: int) -> tuple[Span, ...]:
    """The password of `--user name:password` at `at`."""
    match = _USER_FLAG.match(text, at)
    return (match.span("value"),) if match and not is_stand_in(match["value"]) and not match["value"].isdigit() else ()


_ECHOED = lazy_pattern(
    r"(?:echo|printf)(?: -\w+)*[ ]+(?:[\"'](?:%s\\n[\"'] [\"'])?(?P<quoted>[^\"'\n]{2,200}+)[\"']"
    r"|(?P<bare>[^\s\"'|]{2,200}+))[ ]*$"
)


def piped_spans(text: str, at: int) -> tuple[Span, ...]:
    """What is echoed into the pipe at `at`, in front of a command that reads a password."""
    line = text[max(0, text.rfind("\n", max(0, at - 240), at) + 1, at - 240) : at]
    match = _ECHOED.search(line)
    if match is None:
        return ()
    group = match.lastgroup or "bare"
    begin, end = match.span(group)
    begin += match[group].replace("\\n", "  ").find(":") + 1 if "chpasswd" in text[at : at + 20] else 0
    offset = at - len(line)
    return () if is_stand_in(line[begin:end]) else ((offset + begin, offset + end),)


_PASS_ARGUMENT = lazy_pattern(r"-pass(?:in|out)?[ =][\"']?pass:(?P<value>[^\s\"'|;&<>]{3,200}+)")


def pass_argument_spans(text: str, at: int) -> tuple[Span, ...]:
    """openssl's `-passin pass:…` at `at`."""
    match = _PASS_ARGUMENT.match(text, at)
    return (match.span("value"),) if match and not is_stand_in(match["value"]) else ()


_FLAG_WORD = lazy_pattern(r"(?i)(?:passphrase|token|secret|key|auth|credential)(?=[ ])")


def flag_spans(text: str, at: int) -> tuple[Span, ...]:
    """The value of `--token …` and its like, whose first dash is at `at`."""
    match = _FLAG_WORD.search(text, at, at + 48)
    return field_spans(text, *match.span()) if match else ()
