"""The line that names the error when no entry knows the output: the one that sounds most like it."""

from __future__ import annotations

import re
from collections.abc import Set
from itertools import chain

from core.base.lazy import lazy_pattern
from core.errors.identity.keylines.lines import Page, location, peel

_EXAMINED = 4000
_SURE = 4
_FEW = 8
"""Lines of an output so short that one word is enough to believe a line."""

_CAPPED = r"(?:(?:fatal )?error: )?too many errors(?: \(\w+\)| emitted\b.*)?\Z"
_CAP = lazy_pattern(_CAPPED, re.IGNORECASE | re.ASCII)
# Never a key line: frames, gutters, code, rulers, prompts, progress, hints and counts.
_NOISE = lazy_pattern(
    r"[\W_]*\Z|\S+:\d+:\d+:?\Z"
    r"|\s*(?:at |File \"|from |in |\.\.\. ?\d|\d+:\s+0x|#\d+ |goroutine |[|+>^~-]{1,4}\s|\d+ *[|│┆]|[╭╰├└┌])"
    r"|(?:or|then|to resolve|resolve|continue)\b[^\n`]{0,100}(?:`|:\Z)"
    r"|\(use \"|\(commit or |\(fix conflicts|\(all conflicts"
    r"|[✓✔√☑✅] ?\S|[$❯➜%] |> \S+@\S+ |npm (?:warn|WARN|notice)\b|\+{1,2} \S|(?:note|hint|help|tip|"
    r"info|debug|trace|see|try|usage|warn|warning|notice)\b[:\s]"
    r"|(?:INFO|DEBUG|TRACE|WARN|WARNING|NOTICE|HINT|DETAIL|CONTEXT|LINE \d+)\b|"
    r"\[(?:INFO|DEBUG|WARN|WARNING|info|debug|warn)\]"
    r"|(?:Compiling|Finished|Running|Downloading|Downloaded|Collecting|"
    r"Installing|Building|Checking|Fetching|Resolving|Updating|"
    r"Requirement already|Using cached|Get:|Hit:|Reading|Preparing|Unpacking|"
    r"Setting up|Selecting|Starting|Started|Entering|"
    r"Leaving|Cloning|remote: (?:Enumerating|Counting|Compressing|Total)|"
    r"Step \d|--->|Linking|Generating|Loading|Loaded|Done|"
    r"For more information|Run |Require stack|Node\.js v|Stack trace|Traceback|"
    r"Call stack|Caused by:\s*\Z|The above exception)\b"
    r"|\((?:pass|skip)\) |E +\+ |Required test coverage of \S+ reached\b"
    r"|.{0,12}\b\d+ (?:passed|failed|passing|failing|problems?|tests?|warnings?|"
    r"skipped|pending)\b|\W{0,4}\d+(?:/\d+)? [\w-]+(?:\(s\))? (?:failed|found)\W*\Z"
    r"|Total errors?: \d|Found \d+ |Tests?:|Test Suites:|Ran \d+ "
    r"|(?:real|user|sys)\s+\d|(?:exit|rc)(?: (?:code|status))? ?[=:]? ?\d+\Z|PASS\b|ok\b|FAIL(?:ED|URE)?\Z"
    r"|Determining projects to restore|Time Elapsed \d|Build FAILED\.?\Z"
    r"|\[\d+:[\d/.]+:(?:ERROR|WARNING|INFO):\w+\.cc[(:]|\w+, called at \S+:\d+:\d+ in "
    r"|[^\t]{1,120}\t(?:pass|fail|pending|skipping|cancelled)\t"
    r"|(?:\.{3} ?)?[\[(<][^\[\])>\n]{0,60}\b(?:truncated|omitted)\b[^\])>\n]{0,60}[\])>](?: ?\.{3})?\Z"
    rf"|{_CAPPED}",
    re.IGNORECASE | re.ASCII,
)
# Source code that a command printed: declarations, statements, calls.
_CODE = lazy_pattern(
    r"\s*(?://|/\*|#include|(?:export |async |pub |static )*(?:function|func|fn|def|class|const|let|var|interface)"
    r" [\w(<]\S*.*[({:;,]\Z|return [\w(\"'].*[;)}]\Z|if (?:\(|err\b).*|throw new |raise \w+\(|"
    r"import (?:[\"'{*(]|\w+ from )|from \S+ import |\w+ := |[\w$]+(?:\.[\w$]+)*\(.*[)({,;]\Z|<[/\w].*>\Z|"
    r"[}\])]+[,;]?\Z)"
)
_OPENING = lazy_pattern(
    r"(?:[\w./@-]{1,60}: ){0,2}(?:[✖✗✘×⨯❌!]+ *|\*+ )?\[?(?:unhandled |uncaught |internal |"
    r"runtime |syntax |parse |fatal |build |compile |compilation |"
    r"unexpected |critical |validation |usage |type |link |linker |connection |configuration |config )?"
    r"(?:error|fatal|panic|exception|failure|critical|severe|abort(?:ed)?|emerg|alert|"
    r"errore?|fehler|erreur|ошибка|エラー|错误|錯誤|오류|에러|예외|치명적 오류|실패)"
    r"\b[^:]{0,60}(?::|\]|\s-|!|\Z)",
    re.IGNORECASE,
)
_LEVEL = lazy_pattern(r"\[?(?:ERROR|FATAL|CRITICAL|SEVERE|PANIC|EMERG|ALERT|ERR)\]?\b")
_MARK = lazy_pattern(r"[✖✗✘×⨯❌!]{1,2} +\w|\*{3} ")
_EXCEPTION = lazy_pattern(
    r"(?:[\w$]+[.:\\]{1,2})*[A-Z]\w*(?:Error|Exception|Failure|Fault|Panic)\b(?: ?[\[(]\w+[\])])?(?::|\Z)"
)
_INSIDE = lazy_pattern(
    r"(?:\berror\b|\bException\b|\b\w+(?:Error|Exception)\b|오류|에러|예외|fatal|panic)", re.IGNORECASE
)
_WORDS = lazy_pattern(
    r"\b(?:cannot|can't|could(?: not|n't)|unable|fail(?:ed|ure|s)?|not found|"
    r"no such|does(?: not|n't)|do(?: not|n't)|denied|refused|"
    r"invalid|undefined|unexpected|missing|unknown|unrecogni[sz]ed|unresolved|"
    r"unsupported|illegal|timed? ?out|already (?:exists|in use)|"
    r"not (?:recogni[sz]ed|permitted|allowed|supported|defined|exist|available|"
    r"a|be)|mismatch|conflict|exceeded|out of memory|"
    r"overflow|corrupt(?:ed)?|forbidden|unauthorized|required?|must|expected|"
    r"abort(?:ed|ing)?|crash(?:ed)?|killed|segmentation|"
    r"rejected|violat\w+|duplicate|reset by|closed|broken|bad|wrong|deprecated|unreachable|nothing to|"
    r"no (?:[\w-]+ ){1,4}(?:(?:could be|was|were) )?(?:found|given|specified)"
    r"|not enough|insufficient|too (?:many|few|long|large|small))\b"
    r"|없습니다|없음|못했|못하|수 없|실패|거부|잘못|올바르지|초과|찾지|만료|충돌|존재하지|아닙니다|하십시오"
    r"|必要|できません|見つかりません|无法|找不到|失败",
    re.IGNORECASE,
)
_HOLLOW = lazy_pattern(
    r"(?:build|command|compilation|script|task|job|step|process|tests?|recipe|target|pipeline|"
    r"action|execution)\b.{0,80}\b(?:failed|failure|exited|returned|fail)\b|"
    r"\bexit(?:ed|s)? (?:with )?(?:code|status)|\bexit ?= ?-?\d+\b|non-zero|could not compile|"
    r"aborting due to|\b\d+ errors?\b|see (?:above|the|log)|\bfailed\W*\Z|"
    r"\berrors? occurred\b|(?:errors?|failures?|problems?|exceptions?)\s*:?\Z|complete log of this run|"
    r"error: process completed|\(\d+\):\Z",
    re.IGNORECASE,
)
_ANNOUNCES = lazy_pattern(
    r"\b(?:fail(?:ed|ing|ures?)|errors?|broken)\b[^:\n]{0,20}:\s*\Z|^\W*\w+ (?:failed|errors?)\b[^:\n]{0,20}:\s*\Z"
    r"|^\W*error:? \[?[A-Z]{0,8}-?\d{1,6}\]?\s*\Z",
    re.IGNORECASE,
)
_ANNOUNCED = 6
"""Lines below an announcement among which the message is looked for."""
_ITEM = lazy_pattern(r"\s*(?:[✗✖✘×❌•*-]|\d+[.)]) *\S")


def best_line(page: Page, taken: Set[int]) -> tuple[int | None, bool]:
    """The number of the line that sounds most like an error, and whether it does at all.

    Lines in `taken` are left out. Without any such line: the last one that says that something failed, else the last
    one that is no noise; None if all are.
    """
    best: tuple[int, int] | None = None
    filled = 0
    hollow = last = None
    for number in _examined(len(page.lines)):
        text = page.text(number)
        if number in taken or not text:
            continue
        filled += 1
        start, end = peel(text)
        if not _may_name(text, start, end):
            continue
        last = number
        score = _score(text, start, end)
        if _HOLLOW.search(text, start, min(end, start + 600)):
            hollow = number
        if best is None or score > best[0]:
            best = score, number
    if best is not None and best[0] >= (_SURE if filled > _FEW else 2):
        return _announced_below(page, best[1], taken), True
    if best is not None and best[0] >= (1 if hollow is None else 2):
        return best[1], False
    return hollow if hollow is not None else last, False


def _may_name(text: str, start: int, end: int) -> bool:
    """Whether a line with its message at `start` to `end` may name an error: it is neither code nor noise."""
    if start >= end or _CODE.match(text):
        return False
    return not _NOISE.match(text, len(text) - len(text.lstrip()), end) and not _NOISE.match(text, start, end)


def _announced_below(page: Page, number: int, taken: Set[int]) -> int:
    """The line below that says what `number` only announces (`Failed tests:`, `Error found:`); else `number` itself."""
    if not _ANNOUNCES.search(page.text(number)):
        return number
    below = page.next_filled(number + 1, 2)
    if below is not None and below not in taken and _ITEM.match(page.text(below)):
        return below
    for at in range(number + 1, min(number + 1 + _ANNOUNCED, len(page.lines))):
        text = page.text(at)
        start, end = peel(text)
        if at not in taken and _may_name(text, start, end) and not _ANNOUNCES.search(text):
            return at
    return number


def sounds_like_error(text: str) -> bool:
    """Whether a line has a word of failure in it and is no noise."""
    start, end = peel(text)
    return start < end and not _NOISE.match(text, start, end) and _score(text, start, end) >= 2


def is_hollow(text: str) -> bool:
    """Whether a message says only that something failed, or how it ended, and not what."""
    return _HOLLOW.search(text[:600]) is not None


def is_noise(text: str) -> bool:
    """Whether a line is progress, a count, a hint, or part of a trace: it names no error by itself."""
    return _NOISE.match(text.strip()) is not None


def is_cap(text: str) -> bool:
    """Whether a line only says that its tool stopped counting errors."""
    start, end = peel(text)
    return _CAP.match(text, start, end) is not None


def _examined(count: int) -> chain[int]:
    """Numbers of the lines that are looked at: all, or those near both ends."""
    if count <= 2 * _EXAMINED:
        return chain(range(count))
    return chain(range(_EXAMINED), range(count - _EXAMINED, count))


def _score(text: str, start: int, end: int) -> int:
    score = 0
    end = min(end, start + 600)
    if _OPENING.match(text, start, end) or _EXCEPTION.match(text, start, end):
        score += 6
    elif _MARK.match(text, start, end):
        score += 3
    elif _LEVEL.match(text, start, end):
        score += 5
    elif _INSIDE.search(text, start, end):
        score += 2
    score += min(2, sum(1 for _ in _WORDS.finditer(text, start, end))) * 2
    if _WORDS.match(text, start, end):
        score += 2
    if ":" in text[start:end]:
        score += 1
    if start and location(text, start):
        score += 2
    if _HOLLOW.search(text, start, end):
        score -= 5
    return score
