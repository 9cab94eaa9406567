"""What the output of a failure points at: files and lines, printed source, names, rules, its own words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from core.text import clean, words
from core.text.tokenizing import STOP_WORDS

_BLOCK_LINES: Final = 12
_BLOCK: Final = 1_500
_BEFORE: Final = 300
_FRAMES: Final = 2_000
"""Code points before an exception in which its frames are looked for."""
_LINE: Final = 400

_FILE = (
    r"(?<![\w.@+~/\\\-])(?:[A-Za-z]:)?(?>(?:[\w.@+~\-]*+[/\\])*)(?:[\w@+\-][\w.@+\-]*\.[A-Za-z]\w{0,9}|\.[a-z][\w.\-]+)"
)
_PLACE: Final = re.compile(
    rf"File \"(?P<python>[^\"\n]{{1,300}})\", line (?P<pl>\d+)|(?P<file>{_FILE})(?:[:(](?P<line>\d{{1,6}})|(?![\w/(.]))"
)
_RAISED: Final = re.compile(r"(?:E\s+)?[\w.]{0,80}(?:Error|Exception|Warning)\b")
_FRAME: Final = re.compile(r"File \"([^\"\n<]{1,300})\", line \d+")
_INSTALLED: Final = re.compile(r"site-packages|dist-packages|[/\\]lib[/\\]python\d")
_QUOTED: Final = re.compile(r"`([^`\n]{2,80})`|\"([^\"\n]{2,80})\"|(?<![\w])'([^'\n]{2,80})'|‘([^’\n]{2,80})’")
_RULE: Final = re.compile(
    r"\(([a-z][\w\-]{2,40})\)\s*$|\[([a-z][\w\-/]{2,60})\]\s*$|\s((?:@[\w\-]+/)?[a-z]+(?:-[a-z]+)+)\s*$"
)
_CODE: Final = re.compile(r"\b(?:[A-Z]{1,6}\d{2,6}|[A-Z]{2,}(?:_[A-Z\d]+)+)\b")
_WORD: Final = re.compile(r"[A-Za-z_$][\w$]*(?:(?:[.\-/]|::)[\w$]+)*")
_PATH: Final = re.compile(r"(?<![^\s'\"`:,;()\[\]<>=])[^\s'\"`:,;()\[\]<>=/]*+/[^\s'\"`:,;()\[\]<>=]+")
_MARKED: Final = re.compile(r"[._\-\d]")
_JOINT: Final = re.compile(r"\.|::")
_INNER: Final = re.compile(r"[a-z][A-Z]|_|[A-Za-z]\d|[A-Z]{2}[a-z]")
_FLAG: Final = re.compile(r"(?<![\w-])--[a-z][\w-]+")
_SINGLE: Final = re.compile(r": ([A-Za-z_]\w{2,60})\s*(?:\([\w\-]+\))?$")
_SUBJECT: Final = re.compile(
    r"(?:^|: )([A-Za-z_]\w*): unbound variable"
    r"|(?:^|: |\s)([A-Za-z_$][\w$]*)(?:\.[\w$]+)* is not (?:a |an |defined|iterable|callable"
    r"|subscriptable|exported|assignable)"
    r"|\b(?:column|table|relation|function|method|field|variable|symbol|option|flag|command|key"
    r"|property|attribute|branch|remote|tag|container|image|service|user|role|database|bucket|task|script|target) "
    r"[`'\"]?([A-Za-z_$][\w$\-]{2,60})\b(?! (?:is|was|of|to|in|with)\b)"
)
NO_COMMAND: Final = (
    "명령어를 찾을 수 없음", "명령을 찾을 수 없습니다", "orden no encontrada", "commande introuvable",
    "Befehl nicht gefunden", "Kommando nicht gefunden", "comando non trovato", "comando não encontrado",
    "команда не найдена", "コマンドが見つかりません", "未找到命令", "找不到命令",
)  # fmt: skip
"""What shells say in other languages of a program that is not there, from the catalogs of bash and zsh."""
_MISSING: Final = re.compile(
    r"(?:^|: )([\w.+\-]{2,60}): (?:command )?not found(?!: \w)|command not found: ([\w.+\-]{2,60})"
    rf"|: ([\w.+\-]{{2,60}}): (?:{'|'.join(NO_COMMAND)})"
    r"|No module named '?([\w.]{2,80})|exec(?:utable)?(?: file)?:? \"([\w.+\-]{2,60})\"|spawn ([\w.+\-]{2,60}) ENOENT"
    r"|(?:^|\s)([\w.+\-]{2,60}) (?:is not installed|is not recognized)|['\"`]([\w.+\-@/]{2,60})['\"`] is not recognized"
    r"|requires? ([\w.+\-]{2,60}) to be installed|Cannot find (?:module|package) '([^'\n]{2,80})'"
)
_SUBJECT_WORDS: Final = (
    ": unbound variable", " is not ", "column ", "table ", "relation ", "function ", "method ", "field ", "variable ",
    "symbol ", "option ", "flag ", "command ", "key ", "property ", "attribute ", "branch ", "remote ", "tag ",
    "container ", "image ", "service ", "user ", "role ", "database ", "bucket ", "task ", "script ", "target ",
)  # fmt: skip
_MISSING_WORDS: Final = (
    "not found", "No module named", "exec", "spawn ", " is not ", " to be installed", "Cannot find ", *NO_COMMAND,
)  # fmt: skip
"""Words one of which every match of the two patterns above has."""
_PLAIN: Final = re.compile(r"(?<![\w./\-])[a-z가-힣][a-z가-힣]*(?![\w/(]|[.:]\w|-\w)")
_COMMON: Final = frozenset((
    "error", "errors", "fatal", "failed", "failure", "warning", "exit", "code", "status", "line", "file", "files",
    "directory", "string", "int", "bool", "none", "null", "nil", "true", "false", "type", "types", "value",
    "values", "test", "tests", "main", "name", "expected", "actual", "want", "got", "key", "keys", "object",
    "function", "fail", "http", "json", "url", "get", "post", "api", "todo", "head", "run", "info", "warn", "debug",
))  # fmt: skip
"""Names that nearly every output has."""
_IGNORED: Final = _COMMON | STOP_WORDS
_LEAD: Final = re.compile(r"^\s*(?:[>|E]|\d+\s*[|:│→]|[+-](?=\s))*\s*")
_BLANK: Final = re.compile(r"\s+")
_LETTERS: Final = re.compile(r"[A-Za-z]{3}")


class Clue(NamedTuple):
    """What an output says of one of its errors.

    `files` are the base names of the files near its key line, `places` those of them with a line number, as printed;
    `source` the source lines printed with it, without blanks. `names` are identifiers, rules, codes and quoted words of
    the key line, in lower case; `near` those of the lines around it; `missing` the program or module that is not there.
    `words` are the key line's own, `phrases` its runs of three.
    """

    files: frozenset[str] = frozenset()
    places: frozenset[str] = frozenset()
    source: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    near: frozenset[str] = frozenset()
    missing: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    phrases: frozenset[str] = frozenset()
    tests: frozenset[str] = frozenset()


NOTHING: Final = Clue()
_TEST_FILE: Final = re.compile(
    r"(.{2,})[._-](?:test|spec)s?\.\w+|test_(.{2,})\.\w+|(.{2,}?)tests?\.(?:java|kt|cs|swift|php)"
)
_TEST: Final = re.compile(
    r"--- FAIL: (\w[\w/]*)|^(?:FAILED|ERROR) \S*?::([\w\[\]\-:]+)|^=== RUN +(\w[\w/]*)|^test ([\w:]+) \.\.\. FAILED"
    r"|^_{3,} ([\w.\[\]\-]+) _{3,}$",
    re.MULTILINE,
)


def clues_of(text: str, spans: Sequence[tuple[int, int, str]]) -> tuple[Clue, ...]:
    """The clues of each error of an output: `spans` are where their key lines are and what these say, in any order."""
    starts = sorted(start for start, _, _ in spans)
    return tuple(_clue(text, start, end, key, starts) for start, end, key in spans)


def _clue(text: str, start: int, end: int, key: str, starts: Sequence[int]) -> Clue:
    begin = text.rfind("\n", 0, start) + 1
    stop = next((one for one in starts if one > end), len(text))
    stop = text.rfind("\n", 0, stop) if stop < len(text) else stop
    after = "\n".join(text[end : max(end, min(stop, end + _BLOCK))].split("\n")[:_BLOCK_LINES])
    before = text[max(0, begin - _BEFORE) : begin]
    line = clean(f"{text[begin:start]}{key}")
    places, files = _places([line, *clean(after).split("\n")])
    own, _ = _places([line])
    own = own or _last_frame(text[max(0, begin - _FRAMES) : begin], key)
    headed = files or _places(clean(before).split("\n"))[1]
    return Clue(
        files=headed,
        places=own or places,
        source=frozenset(_source(clean(after))),
        names=names_in(key),
        near=frozenset(name for one in clean(after).split("\n")[:6] for name in names_in(one))
        if after.strip()
        else NOTHING.near,
        missing=missing_in(line),
        words=frozenset(words(key)),
        phrases=frozenset(phrases(key)),
        tests=frozenset(
            name
            for match in _TEST.finditer(f"{text[max(0, begin - 2000) : begin]}\n{after}")
            for name in match.groups()
            if name
        ),
    )


def missing_in(line: str) -> frozenset[str]:
    """The programs and modules that a line says are not there, in lower case."""
    return frozenset(
        found.lower() for match in _MISSING.finditer(line) for found in match.groups() if found is not None
    )


def tested(name: str) -> str:
    """The stem of the file that a test file tests, by its name (`sum.test.ts`); empty for another."""
    found = _TEST_FILE.fullmatch(name)
    return next((group for group in found.groups() if group), "") if found else ""


def longest(words: Iterable[str]) -> str | None:
    """The longest word, of equals the last by alphabet, so that the order of a set does not show; None of none."""
    return max(words, key=lambda word: (len(word), word), default=None)


_NAME_IN_REASON: Final = re.compile(r"(?<=`)[^`]+(?=`)|(?<![\w.`-])[\w-]+\.\w[\w.-]*")
"""A name in the reason of a link: in backticks, or a file."""


def as_written(why: str, *texts: str) -> str:
    """The reason of a link, its names as the first of `texts` that has them writes them: they were compared in lower
    case. A reason that quotes a sentence stays as it is."""
    if "“" in why:
        return why

    def spelled(name: re.Match[str]) -> str:
        if name[0] != name[0].lower():
            return name[0]
        return next((found for text in texts if (found := _written_in(text, name[0]))), name[0])

    return _NAME_IN_REASON.sub(spelled, why)


def _written_in(text: str, name: str) -> str:
    """A whole word of the text that is `name` in lower case; empty if it has none."""
    lowered, at = text.lower(), -1
    if len(lowered) != len(text):  # a letter that lower case takes apart
        return ""
    while (at := lowered.find(name, at + 1)) >= 0:
        end = at + len(name)
        if not any(sign.isalnum() or sign == "_" for sign in (text[max(at - 1, 0) : at], text[end : end + 1])):
            return text[at:end]
    return ""


def base_name(path: str) -> str:
    """The last part of a path, in lower case."""
    return path.replace("\\", "/").rpartition("/")[2].lower()


def _places(lines: Iterable[str]) -> tuple[frozenset[str], frozenset[str]]:
    """The base names of files that are printed with a line number, and of all."""
    numbered: set[str] = set()
    named: set[str] = set()
    for line in lines:
        for found in _PLACE.finditer(line[:_LINE]):
            name = base_name(found["python"] or found["file"])
            named.add(name)
            if found["pl"] or found["line"]:
                numbered.add(name)
    return frozenset(numbered), frozenset(named)


def _last_frame(before: str, key: str) -> frozenset[str]:
    """The file of the last frame above an exception of Python that is not of an installed package: Python prints the
    place before the message, and what follows the message is of something else."""
    frames = _FRAME.findall(before) if _RAISED.match(key) else ()
    last = next((frame for frame in reversed(frames) if not _INSTALLED.search(frame)), None)
    return frozenset() if last is None else frozenset((base_name(last),))


def _source(after: str) -> Iterable[str]:
    for line in after.split("\n")[1:8]:
        bare = squeezed(_LEAD.sub("", line))
        if len(bare) >= 8 and _LETTERS.search(bare):
            yield bare


def squeezed(line: str) -> str:
    """A source line without blanks, to be compared with another."""
    return _BLANK.sub("", line)


def names_in(text: str) -> frozenset[str]:
    """The identifiers, rules, codes and quoted words of a line, in lower case; no plain words."""
    return _names_in(text[:_LINE])


@lru_cache(maxsize=512)
def _names_in(line: str) -> frozenset[str]:
    found = set(_specific(line))
    for match in _QUOTED.finditer(line):
        quoted = next(group for group in match.groups() if group is not None).strip()
        if not _BLANK.search(quoted):
            found.add(quoted)
    found.update(_CODE.findall(line))
    if ": " in line:
        found.update(match[1] for match in _SINGLE.finditer(line))
    for pattern in _naming(line):
        found.update(name for match in pattern.finditer(line) for name in match.groups() if name)
    return frozenset({name.lower() for name in found if len(name) > 1} - _IGNORED)


def _naming(line: str) -> Iterable[re.Pattern[str]]:
    """The patterns of names whose words the line has: to seek these takes a tenth of the time."""
    end = line.rstrip()
    if end.endswith((")", "]")) or "-" in end.rpartition(" ")[2]:
        yield _RULE
    if any(word in line for word in _SUBJECT_WORDS):
        yield _SUBJECT
    if any(word in line for word in _MISSING_WORDS):
        yield _MISSING


def _specific(text: str) -> Iterable[str]:
    """Words that only a program uses: with a capital inside, an underscore, a digit, a dot or a dash."""
    for path in _PATH.findall(text):
        # The folders of a path are those of every path of a project: as a whole or by its last part it says something.
        yield path.rstrip("./")
        if _MARKED.search(base := base_name(path.rstrip("./"))):
            yield base
    for match in _WORD.finditer(_PATH.sub(" ", text)):
        word = match[0]
        if "." in word or "::" in word:
            yield word
        for part in _JOINT.split(word) if "." in word or ":" in word else (word,):
            if len(part) > 2 and (_INNER.search(part) or "-" in part.strip("-")):
                yield part
    if "--" in text:
        yield from (flag.group() for flag in _FLAG.finditer(text))


def phrases(text: str) -> Iterable[str]:
    """Runs of three words of a sentence, two of which carry meaning; paths and identifiers are no words."""
    plain = _PLAIN.findall(text.lower())
    runs = (plain[at : at + 3] for at in range(len(plain) - 2))
    return (" ".join(run) for run in runs if sum(len(word) > 3 and word not in STOP_WORDS for word in run) >= 2)
