"""Secrets of several words, known by what announces them: the words of a wallet, the passphrase behind ssh's prompt."""

from __future__ import annotations

from typing import Final

from core.base.lazy_pattern import lazy_pattern
from core.text.secrets.values import is_stand_in

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
_LINE = lazy_pattern(r"(?P<value>[^\n\r\\]{4,100}+)(?=\r?\n|\\|\Z)")


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
