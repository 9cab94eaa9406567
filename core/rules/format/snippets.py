"""Code of a rule: snippets in backticks, code without them, and whether it is advised or warned of.

Unmarked code is taken only if it can hardly be prose: options, made-up names, calls, operators, paths, and the program
before them. `never git push --force` shows its mistake as plainly as with backticks.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.rules.format.rule import Rule

_TOKEN = re.compile(r"[A-Za-z_$][\w$.:]*\([^()`\n]{0,60}(?:\([^()`\n]{0,40}\)[^()`\n]{0,40})?\)[^\s`]*|[^\s`]+")
"""A word, or a call with all that is in its brackets."""
_CODE = re.compile(
    r"--?[A-Za-z][\w-]*(?:=\S*)?"  # an option
    r"|\$?[A-Za-z_][\w$]*(?:(?:\.|::|->)[A-Za-z_]\w*)*\(.*\)[\w.()]*"  # a call
    r"|[A-Za-z_]\w*(?:(?:::|->)\w+)+"
    r"|[A-Za-z_][\w-]{1,40}(?:\.[A-Za-z_]\w+)+"  # yaml.load, package.json
    r"|\w*[A-Za-z]_\w+|_\w+"  # snake_case
    r"|[A-Za-z]*[a-z][A-Z]\w*"  # camelCase
    r"|[.~]{0,2}/(?:[\w.*@-]+/)*[\w.*@-]+|(?:[\w.*@-]+/){2,}[\w.*@-]*|[\w@-]+/[\w*-]*\.[\w.*]+"  # a path
    r"|\.[A-Za-z]\w{2,}|[$@]\{?[A-Za-z_]\w*\}?|\w+=\S+"
)
_SIGN = re.compile(r"\w\(|(?<!\w)-|\w[_/=]|_\w|/\w|[a-z][A-Z]|::|->|\.[A-Za-z_]|[$@]")
"""Without any of these a line holds no code, and most lines hold none."""
_JOINTS = frozenset(("&&", "||", "|", "=", "==", "===", "!=", "<=", ">=", "=>", "->", ":=", "|=", "+=", ">", ">>"))
"""Between words of code; by itself such a sign says nothing."""
_KNOWN = """
    adb alembic ansible apt apt-get aws az bash brew bundle cargo chmod chown cmake composer conda cp curl cut dd
    deno docker docker-compose dotnet find gcloud gem gh git go gradle grep helm jest kill kubectl ln make mv mvn
    mypy mysql npm npx node pip pip3 pipx pnpm poetry psql pytest python python3 redis-cli rm rsync ruff rustup scp
    sed sh ssh sudo systemctl tar terraform tox uv vitest wget xargs xcodebuild yarn
"""
_PROGRAMS = frozenset(_KNOWN.split())
_NAMES = frozenset(
    ("JavaScript", "TypeScript", "GitHub", "GitLab", "PostgreSQL", "MySQL", "SystemVerilog", "macOS", "iOS", "OpenAPI")
)
"""Names that prose writes as code is written."""
_EDGES = ".,:;!?\"'…。、，"
_CLOSED_BY = {")": "(", "]": "[", "}": "{"}
_REACH = 3
"""Words between a program and the option that belongs to it."""
_MOST_PLAIN = 20_000
"""Letters that are looked at."""

_TICKED_ADVICE = re.compile(r"(?<!`)`([^`\n]{1,200})`(?!`)")
_BEFORE = re.compile(
    r"(?:\b(?:no|not|never|avoid|don[’']t|instead of|rather than)\b(?:[ \t]+[^\W\d]{1,12}){0,4}[ \t]*"
    r"|(?:不要|不用|不是|禁止|别|勿)[^\W\d_]{0,4}[ \t]*)$",
    re.IGNORECASE,
)
"""What comes right before code that is not to be used."""
_BAN = re.compile(
    r"(?:[.;:!?][ \t]+|\(|^[ \t]*(?:(?:[-*+]|\d+[.)])[ \t]+)?)(?:no|never|do not|don[’']t|avoid)\b",
    re.IGNORECASE | re.MULTILINE,
)
"""A sentence that forbids, from its first word on: all code of it is forbidden."""
_ENDS = re.compile(r"[.;!?](?:\s|$)|\n|\S:\s|→|\b(?:use|instead|prefer|run)\b", re.IGNORECASE)
"""Where such a sentence ends."""
_KEPT = re.compile(
    r"\b(?:without|forget|omit|skip|drop|leave|lose|miss|only|just|longer|before|until|unless|except|if|but|enough|when|"
    r"from|other|outside)\b",
    re.IGNORECASE,
)
"""Words that turn it round: `never push without …`, `not only …`."""
_AFTER = re.compile(
    r"[을를은는이가로으도]{0,2}[ \t]*(?:대신|말고|금지|지양|피하|피한다|쓰지|사용하지|"
    r"では?なく|の代わり|を使わ|は使わ|は?禁止)"
    r"|[^`.,;:\n]{0,24}(?:지[ \t]?않는다|지[ \t]?않기|지[ \t]?않습니다|지[ \t]?말|지[ \t]?마[라세]|하면[ \t]안)"
)
"""What comes right after it, or ends its clause."""
_UNLOST = re.compile(r"빼|빠뜨|잊|생략|누락|놓치|없이|忘")
"""What must not be left out is advised."""
_AND = re.compile(r"[ \t]*(?:[/,、·]|or|and|nor|和|或|와|과|이?나|또는|혹은|및)[ \t]*(?:일반[ \t]*)?")
"""What stands between pieces of code of which the same is told."""
_LACK = re.compile(
    r"\b(?:without|omit(?:s|ted|ting)?|forg[eo]t(?:s|ten|ting)?|left out|miss(?:es|ed|ing)|lack(?:s|ed|ing)?)"
    r"(?:[ \t]+(?:a|an|the|any|to (?:add|pass|set|use)))?[ \t]+(?:`([^`\n]{1,200})`|([^\s`.,;:()]+))"
    r"|(?:`([^`\n]{1,200})`|(?<![^\s`.,;:()가-힣])([^\s`.,;:()가-힣]++))[을를은는이가 \t]{0,3}"
    r"(?:없이|없는|없었|빼먹|빼고|빠뜨|빠진|빠졌|잊|생략|누락|놓치)",
    re.IGNORECASE,
)
"""What a problem says was left out: `without CONCURRENTLY`, `CONCURRENTLY 없이`."""
_NEAR = 60
"""Letters before it that are looked at."""
_LONGEST = 400
"""Letters that such a sentence has at most."""

FULL = 4.0
"""What a snippet adds to the bm25 score of its rule where all of it stands in the call."""
_CHECK = 0.3
"""What the code of a prevention says of a cure: it may as well name what is looked for."""
_MOSTLY = 0.6
"""The share of a cure from which on it says anything: less is code of the same trade, mistake or not."""
_ONE_WORD = 0.5
"""How much of a cure one word is at most: it may as well name the place where the cure belongs. A plain one (`SCAN`)
counts also where it is part of a name (`scan_iter`)."""
_ENOUGH = 3
"""Words of a snippet from which on its cure can stand there more whole than the mistake does."""
_TICKED = re.compile(r"(?<!`)`([^`\n]{1,200})`(?!`)|^```[^`\n]*\n(.{1,2000}?)^```", re.MULTILINE | re.DOTALL)
"""Code: between ticks, or the lines of a fence."""
_INLINE = re.compile(r"(?<!`)`(?!`)")
_GLUED = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
"""Writing that is glued to a word of code: `npm을` is `npm`."""
_WORD = re.compile(rf"(?:(?<=\s)|^)--?[A-Za-z](?:[^\W{_GLUED}]|-)*|[^\W{_GLUED}]+|[{_GLUED}]+")
_MADE = re.compile(r"[a-z][A-Z]|\w_|_\w|[A-Za-z]\d|^--")
"""A word that somebody made up: camelCase, snake_case, a code, a long option. It says twice what a plain one does."""
_MOST = 40


def ticked(text: str) -> str:
    """The text with backticks around what is code in it, line by line; as it is where it has some already."""
    if "`" in text:
        return text
    return "\n".join(map(_line, text[:_MOST_PLAIN].split("\n"))) + text[_MOST_PLAIN:]


def _line(line: str) -> str:
    if not _SIGN.search(line):
        return line
    parts, end = list[str](), 0
    for start, stop in _runs(line):
        parts += line[end:start], f"`{line[start:stop]}`"
        end = stop
    return "".join((*parts, line[end:]))


def _runs(line: str) -> Iterator[tuple[int, int]]:
    """Where code begins and ends in a line, in order."""
    words = [_bare(line, *one.span()) for one in _TOKEN.finditer(line)]
    said = [line[start:end] for start, end in words]
    code = [len(word) > 1 and word not in _NAMES and _CODE.fullmatch(word) is not None for word in said]
    at = 0
    while at < len(words):
        last = _command(said, code, at)
        if last is not None:
            while (more := _next_word(line, words, code, last)) is not None:
                last = more
            yield words[at][0], words[last][1]
            at = last
        at += 1


def _command(said: Sequence[str], code: Sequence[bool], at: int) -> int | None:
    """The last word of what begins as code at this word: it alone, or a program's command up to its last option."""
    if said[at] in _PROGRAMS:
        return max((near for near in range(at + 1, min(at + 1 + _REACH, len(said))) if code[near]), default=None)
    return at if code[at] else None


def _next_word(line: str, words: Sequence[tuple[int, int]], code: Sequence[bool], last: int) -> int | None:
    """The next word of the same piece of code, right behind or behind a joint; no comma or particle is between."""
    for step in (last + 1, last + 2):
        if step >= len(words) or not line[words[step - 1][1] : words[step][0]].isspace():
            return None
        if code[step] or step > last + 1:
            return step
        if line[slice(*words[step])] not in _JOINTS:
            return None
    return None


def _bare(line: str, start: int, end: int) -> tuple[int, int]:
    """A word without the marks of a sentence around it, and without the particle that is glued to its code."""
    while start < end - 1 and line[start] in "([{\"'":
        start += 1
    while end > start + 1 and (line[end - 1] in _EDGES or _opened_outside(line[start:end])):
        end -= 1
    if any(char.isascii() and char.isalnum() for char in line[start:end]):
        while "가" <= line[end - 1] <= "힣":
            end -= 1
    return start, end


def _opened_outside(word: str) -> bool:
    opens = _CLOSED_BY.get(word[-1])
    return opens is not None and word.count(opens) < word.count(word[-1])


def divided(text: str) -> tuple[str, tuple[str, ...]]:
    """A solution or prevention without the code it tells not to use, and that code, in its order."""
    ticked = list(_TICKED_ADVICE.finditer(text))
    if not ticked:
        return text, ()
    joined = [bool(_AND.fullmatch(text, one.end(), two.start())) for one, two in pairwise(ticked)]
    bans = tuple(_bans(text))
    banned = [
        any(start <= one.start() < end for start, end in bans) or _before(text, one, ticked[at - 1].end() if at else 0)
        for at, one in enumerate(ticked)
    ]
    for at, same in enumerate(joined):
        banned[at + 1] |= same and banned[at]
    after = [_after(text, one) for one in ticked]
    for at in range(len(joined) - 1, -1, -1):
        after[at] |= joined[at] and after[at + 1]
    wrong = [one for at, one in enumerate(ticked) if banned[at] or after[at]]
    ends = (0, *(one.end() for one in wrong))
    starts = (*(one.start() for one in wrong), len(text))
    kept = "".join(text[end:start] for end, start in zip(ends, starts, strict=True))
    return kept, tuple(one.group(1) for one in wrong)


def lacked(text: str) -> str:
    """What the problem of a rule says was left out, each on a line: of the cure, not of the mistake."""
    return "\n".join(filter(None, (part for found in _LACK.finditer(text) for part in found.groups())))


def _before(text: str, code: re.Match[str], last: int) -> bool:
    found = _BEFORE.search(text, max(last, code.start() - _NEAR), code.start())
    return found is not None and not _KEPT.search(found.group())


def _after(text: str, code: re.Match[str]) -> bool:
    found = _AFTER.match(text, code.end())
    return found is not None and not _UNLOST.search(found.group())


def _bans(text: str) -> Iterator[tuple[int, int]]:
    """Where sentences that forbid begin, and where what they forbid ends."""
    at = 0
    while (found := _BAN.search(text, at)) is not None:
        most = min(len(text), found.end() + _LONGEST)
        ends = (pattern.search(text, found.end(), most) for pattern in (_ENDS, _KEPT))
        at = max(min((most, *(one.start() for one in ends if one))), found.end())
        yield found.end(), at


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of code as the rule has it, and its words with what each says."""

    text: str
    words: tuple[tuple[str, float], ...]
    weight: float


@dataclass(frozen=True, slots=True)
class Cure:
    """A snippet of the cure: whole, and those of its words that no mistake of the rule has or is part of; `share` is
    what it counts, `one`: it is one plain word. `key`: what the problem says was left out; without it there is no cure.
    """

    whole: Snippet
    own: Snippet
    share: float
    one: str = ""
    key: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class RuleCode:
    """The code of a rule: what its problem shows, and what its cure does; `wrong` and `right` are all words of code
    that only problem or cure have. Casefolded."""

    mistakes: tuple[Snippet, ...] = ()
    cures: tuple[Cure, ...] = ()
    wrong: frozenset[str] = frozenset()
    right: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class CodeWords:
    """The words of a call as code has them: each by itself, and all in one text to find parts of names in."""

    words: Collection[str] = frozenset()
    joined: str = ""


def code_text(text: str) -> CodeWords:
    """The words of a text, ready for `likest` and `cured`."""
    words = code_words(text)
    return CodeWords(words, "\n".join(words))


def rule_code(rule: Rule) -> RuleCode:
    """The code of a rule: in backticks, or, where its author set none, what cannot be prose."""
    wrong = f"{rule.title}\n{rule.problem}\n{rule.root_cause}"
    solution, prevention = rule.solution, rule.prevention
    if not _INLINE.search(f"{wrong}\n{solution}\n{prevention}"):
        wrong, solution, prevention = map(ticked, (wrong, solution, prevention))
    advised, forbidden = divided(solution)
    checked, banned = divided(prevention)
    right = f"{advised}\n{checked}"
    left_out = code_words(lacked(wrong))
    said = code_words("\n".join((wrong, *forbidden, *banned)))
    shown = (*_ticked(wrong), *forbidden, *banned)
    cures = [_cure(text, said, 1.0, left_out) for text in _ticked(advised)]
    cures += [_cure(text, said, _CHECK, left_out) for text in _ticked(checked)]
    bad, good = code_words(" ".join(shown)), code_words(" ".join(_ticked(right)))
    return RuleCode(tuple(map(_snippet, shown)), tuple(filter(None, cures)), bad - code_words(right), good - said)


def _cure(text: str, wrong: Collection[str], share: float, left_out: Collection[str]) -> Cure | None:
    whole = _snippet(text)
    own = tuple(
        one for one in whole.words if not any(one[0] in word for word in wrong if one[0] == word or len(one[0]) > 3)
    )
    if not whole.words:
        return None
    plain = whole.words[0][0] if len(whole.words) == 1 and own and len(whole.words[0][0]) > 3 else ""
    key = tuple(one for one in whole.words if one[0] in left_out)
    return Cure(whole, Snippet(text, own, sum(weight for _, weight in own) or 1.0), share, plain, key)


def cured(shown: RuleCode, code: CodeWords) -> tuple[str, float] | None:
    """How much of the cure a call has, 0 to 1, and the code that says so; None where it has none of it.

    What counts is code that no mistake of the rule has, or a cure that stands there more whole than the mistake does.
    """
    if not shown.cures:
        return None
    worst = max((_likeness(one, code) for one in shown.mistakes), default=0.0)
    best = "", 0.0
    for one in shown.cures:
        if (share(one.whole, code) < _MOSTLY and not one.one) or not all(_holds(code, *key) for key in one.key):
            continue
        found = _likeness(one.own, code) if one.own.words else 0.0
        found = min(found, _ONE_WORD) if len(one.own.words) == 1 else found
        if one.share == 1 and len(one.whole.words) >= _ENOUGH:
            found = max(found, _likeness(one.whole, code) - worst)
        if one.one and found < _ONE_WORD and one.one in code.joined:
            found = _ONE_WORD
        if found * one.share > best[1]:
            best = one.whole.text, found * one.share
    return best if best[1] >= _LEAST else None


_LEAST = 0.05


def turned(shown: RuleCode, removed: Collection[str]) -> int:
    """What an edit makes of the rule's code by what it takes away: 1 where that was the cure, -1 where the mistake."""
    cure, mistake = len(shown.right.intersection(removed)), len(shown.wrong.intersection(removed))
    return (cure > mistake) - (mistake > cure)


def code_words(text: str) -> frozenset[str]:
    """The words of a text as code has them, casefolded: identifiers whole, options with their dashes."""
    return frozenset(word.casefold() for word in _WORD.findall(text) if len(word) > 1)


def likest(shown: RuleCode, code: CodeWords) -> tuple[Snippet, float] | None:
    """The snippet of the mistake that stands in these words best, and what it adds (0 to `FULL`)."""
    best: tuple[Snippet, float] | None = None
    for one in shown.mistakes:
        score = FULL * _likeness(one, code)
        if score and (best is None or score > best[1]):
            best = one, score
    return best


def standing(text: str, said: str, code: CodeWords) -> Iterator[tuple[int, int]]:
    """Where the words of a snippet stand in what is said, as far as a call with these words of code has them."""
    wanted = {word: weight for word, weight in _snippet(text).words if _holds(code, word, weight)}
    parts = [word.strip("_") for word, weight in wanted.items() if weight > 1 and len(word.strip("_")) > 4]
    for found in _WORD.finditer(said):
        word = found.group().casefold()
        if word in wanted or any(part in word for part in parts):
            yield found.span()


def _likeness(snippet: Snippet, code: CodeWords) -> float:
    """How much of a snippet stands there, 0 to 1: a short one says less even where it is whole."""
    return (1 - 0.5**snippet.weight) * share(snippet, code) ** 2


def share(snippet: Snippet, code: CodeWords) -> float:
    """How much of a snippet's words stand there, by what each says, 0 to 1."""
    return sum(weight for word, weight in snippet.words if _holds(code, word, weight)) / snippet.weight


def _holds(code: CodeWords, word: str, weight: float) -> bool:
    """Whether a word is there, whole, or, where it is a made-up one, as part of another (`_IRQHandler`)."""
    if word in code.words:
        return True
    part = word.strip("_")
    return weight > 1 and len(part) > 4 and part in code.joined


def _ticked(text: str) -> Iterator[str]:
    count = 0
    for found in _TICKED.finditer(text):
        for line in (found.group(1) or found.group(2)).split("\n"):
            if line.strip() and count < _MOST:
                count += 1
                yield line.strip()[:200]


def _snippet(text: str) -> Snippet:
    words: dict[str, float] = {}
    for word in _WORD.findall(text):
        if len(word) > 1 and not (word.isdigit() and len(word) < 3):
            words[word.casefold()] = 2.0 if _MADE.search(word) else 1.0
    return Snippet(text, tuple(words.items()), sum(words.values()) or 1.0)
