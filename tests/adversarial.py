"""Text that asks the most of a reader: units repeated to a length, behind a beginning, before an end that fits nothing.

One generator for all: `bench growth` times the readers on it, `tests/core/test_growth.py` counts their steps.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

PLAIN: Final = "The worker reads each row once and writes the result to a new file.\n"
"""What ordinary text costs: the base of every ratio."""

UNITS: Final = tuple(
    dict.fromkeys(
        (
            # single signs
            *"([{<)]}>\"'`/\\.,:;-_=+*#@!?%&|~$^",
            *("a", "A", "e", "7", "0", " ", "\t", "\n", "\r", "\r\n", "\b", "\0", "…", "‘", "“", "·", "—"),
            # words, numbers and names
            "a.a.", "a.", "a-", "a_", "aA", "a/", "a b ", "1,", "1,1,", "1.", "1:", "7 ", "a1", "1a", "0x", "deadbeef",
            "not ", "not not ", "no ", "un", "error ", "E1 ", "Error", "Aa", "x::", "a::b", "foo.bar::", "C:\\", "\\\\",
            # Markdown
            "<!--", "<!-- ", "-->", "<a ", "</a", "<a>", "<b></b>", "```", "```\n", "~~~\n", "| a ", "|-",
            "|-|-\n", "> ",
            "> > > ", ">\n", "- ", "- a\n", "  - ", "1. ", "* ", "**", "__", "*a ", "[[", "](", "[a](", "![",
            "![a](", "[a]",
            "[a]: b\n", "# ", "#\n", "===\n", "---\n", "+++\n", "&amp", "\\`", "  \n", "    a\n", "$$", "[^1]", "`` ` ",
            "| a | b |\n", "a | b\n- | -\n",
            # outputs of tools
            'File "', '  File "a", line 1\n', "  File", "  File\n", "at x (", "    at x (y:1:1)\n", "error:", "error: ",
            "error: a\n", "Error: a\n", "npm ERR!", "npm ERR! a\n", "npm error ", "thread 'a' panicked at ",
            "Caused by: ",
            "Traceback (most recent call last):\n", "E   ", "E   a\n", "FAILED a - ", "___ a ___\n", "=== a ===\n",
            "fatal: ", "warning: ", "panic: ", "--- FAIL: ", "● a\n", "1) a\n", "Expected: a\n", "  | ", "web | ",
            "a.py:1: ", "a.py:1:1: ", "/a/b.py:1\n", "src/a.rs", "--> ", "^^^", " | ^\n", "ERROR ", "[ERROR] ", "#1 ",
            "2026-01-01 00:00:00 ", "00:00:00 ", "exit code 1\n", "Exit code", '{"output": "', '\\"', '"a": ',
            "level=error ",
            "ORA-0000", "Msg 1, Level 1\n", "<error>", "</error>", "{}", "a: a: ", "a (b) ", "('a', ", "a, line 1",
            # terminals and code points
            "\x1b", "\x1b[", "\x1b[31m", "\x1b]0;", "\x1bP", "\x9b", "a\b", "a\r", "\u200b", "\u200d", "👩\u200d", "🇰",
            "\u0301", "e\u0301", "\u0345\u0301", "\ud800", "\ufeff", "\u202e", "\u2028", "é", "한", "한글 ", "한글",
            "가1",
            "ᄒ", "ᅡ", "ᄒ\u302e", "않 ", "아니", "는데", "。", "中", "\u00ad", "ﬁ", "İ",
            # secrets
            "a=", "a: ", "a@", "a:b@", "://", "http://", "http://a", "http://a:b@", "https://a.b/c?d=", "&a=", "token=",
            "password: ", "password ", "secret=", "api_key=", "Bearer ", "Authorization: ", "Cookie: a=", "-----BEGIN",
            "-----BEGIN PRIVATE KEY-----\n", "-----", "KEY-----", "eyJ", "eyJ.", "ghp_", "sk-", "AKIA", "xox",
            "AbC1+/", "A7f",
            "-p ", "-u a:", "--password ", "$2b$", "비밀번호 ", "비밀번호는 ", ":5432:", "hooks.slack.com/", "a@b:",
            "\\n", '\\\\"',
            # data
            "{", "[", '{"a":', '{"a":[', "[1,", '"', '"\\', "\\u", "\\ud800", "&a [*a]", "- - ", "? ",
            "a:\n  ", "a: &a\n",
            "kind: a\n", "apiVersion: a\n", "FROM a\n", "from --a ", "[a]\n", "a.a = 1\n", '"""', "'''",
            "x = (", "if a:\n ",
            "def a():\n", "lambda: ", "/*", "//", "{\n", "}\n", "a(", "a[", "@a\n", "*** Update File: a\n",
            "*** ", "@@\n", "+a\n",
            # rules and shells
            "## a\n", "**Solution**: a\n", "- Problem: ", "$(", "a && ", "a | ", "a; ", "<<EOF\n", "sudo ",
            "-a ", "--a=b ",
            # sentences
            "a. ", "A. ", "a? ", "…", "… ", "... ", "if a ", "unless ", "except ", "(a) ", "[1] ", "[1][2]",
            "[1, 2]", "1/2 ",
            "3.5 GB ", "10% ", "at most 3 ", "three ", "twenty-one ", "first ", "a, b, and ", '"a" ', "“a” ", "「a」",
        )
    )
)  # fmt: skip

ENDS: Final = ("", "\0", "!x", "\n!")
BEGINS: Final = ("", "x ", "Error: a\n")


class Text(NamedTuple):
    """A text and what it is made of."""

    name: str
    text: str


def text_of(unit: str, length: int, begin: str = "", end: str = "") -> str:
    """`begin`, the unit as often as it fits, `end`: `length` code points."""
    room = max(0, length - len(begin) - len(end))
    return begin + (unit * (room // len(unit) + 1))[:room] + end


def plain(length: int) -> str:
    """Ordinary prose of that length."""
    return text_of(PLAIN, length)


def units_of(pattern: str) -> tuple[str, ...]:
    """The literals of a regular expression as units: what it looks for, again and again, and never quite."""
    bare = re.sub(r"\\[AbBdDsSwWZ]|\(\?[a-zA-Z<>=!:]*(?:P<\w+>)?|\{\d*,?\d*\}|[\^$+*?]", "\0", pattern)
    found = [re.sub(r"\\(.)", r"\1", one) for one in re.split(r"[\0()\[\]|.]+", bare)]
    return tuple(dict.fromkeys(one for one in found if 1 < len(one) <= 24))[:6]


def mixed(count: int, seed: int = 26) -> tuple[str, ...]:
    """Pairs of units as one, always the same for a seed."""
    rng = random.Random(seed)
    return tuple(dict.fromkeys("".join(rng.sample(UNITS, 2)) for _ in range(count)))


def texts(length: int, units: tuple[str, ...] = UNITS, begins: tuple[str, ...] = ("",)) -> Iterator[Text]:
    """Every unit behind every beginning, before ends that take turns."""
    for at, unit in enumerate(units):
        for begin in begins:
            end = ENDS[at % len(ENDS)]
            yield Text(
                f"{begin + '|' if begin else ''}{unit}{'|' + end if end else ''}", text_of(unit, length, begin, end)
            )
