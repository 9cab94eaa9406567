"""Reader of bans: sentences of a rule file that forbid code in backticks, and that a program can decide.

A sentence counts only if nothing restricts what it forbids: no condition, purpose or place (`never X when …`), except
that a user may allow it. What is left is exact, so that a match needs no score.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, Literal

from core.base.fault import Fault
from core.base.lazy import lazy_pattern
from core.rules.format.headings import begins_rule, fenced
from core.text import redact
from core.text.cleaning import normalized

Kind = Literal["use", "run", "call", "import", "edit", "generated", "push"]
"""What is forbidden: `use` the code at all, `run` it as a command, `call` it, `import` it, `edit` the files of a path
or those that say that they are `generated`, `push` to a branch."""
_OF_FILES: Final = ("edit", "generated")

MOST_LINE = 2_000
"""Code points of a line that are read."""
MOST_UNIT = 4_000
"""Code points of a bullet or paragraph that are read."""
MOST_INTRO = 200
"""Code points of a heading, or of a line that ends in a colon, that is read with each of its items."""
MOST_BANS = 1_000
"""Bans of one file."""


@dataclass(frozen=True, slots=True)
class Ban:
    """One piece of forbidden code, or the words for generated files: `line` is that of the code, from 1; `sentence` has
    its secrets masked; `instead` is the code that its bullet advises; `existing`: new files are allowed; `about` is the
    bullet with its heading, where a language may be named."""

    code: str
    kind: Kind
    line: int
    sentence: str
    instead: tuple[str, ...] = ()
    existing: bool = False
    about: str = ""


@dataclass(frozen=True, slots=True)
class Bans:
    """The bans of one file, and all code that the file names without forbidding it."""

    bans: tuple[Ban, ...] = ()
    advised: frozenset[str] = frozenset()


def read_bans(text: str) -> Bans:
    """The bans of a text, in order; time is linear in its length. Never raises."""
    text = normalized(text.removeprefix("\ufeff").replace("\u00a0", " "))
    if "`" not in text and not _MADE.search(text):
        return Bans()
    lines = [line[:MOST_LINE] for line in _without_blocks(text).split("\n")]
    inside, _, _ = fenced(lines)
    found: list[Ban] = []
    advised: set[str] = set()
    units = _units(lines, inside)
    for unit in units:
        bans, kept = _read_unit(unit)
        found += bans
        advised.update(kept)
    advised.update(_fenced_code(lines, inside))
    codes = {ban.code for ban in found}
    both = {code for unit in units for code in _unit_codes(unit, codes)} if found else set[str]()
    kept_bans = [ban for ban in found if ban.kind in (*_OF_FILES, "push") or ban.code not in both]
    return Bans(tuple(kept_bans[:MOST_BANS]), frozenset(advised - codes))


# Lines to units ------------------------------------------------------------------------------------------------------

_ITEM = re.compile(r"([ \t>]*)(?:[-*+•]|\d{1,3}[.)])[ \t]+")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)$")
_TABLE = re.compile(r"[ \t>]*\|")


@dataclass(frozen=True, slots=True)
class _Unit:
    """A bullet, paragraph or heading as one line. `starts`: where each of its lines begins in it, and their numbers;
    `under`: the line ending in a colon, or heading, that it is an item of; `heading`: the nearest."""

    text: str
    starts: tuple[tuple[int, int], ...]
    under: str = ""
    heading: str = ""

    def line(self, at: int) -> int:
        """The line of a place in the text."""
        return next((line for start, line in reversed(self.starts) if start <= at), self.starts[0][1])


class _Units:
    """Lines collected into units."""

    def __init__(self) -> None:
        self.done: list[_Unit] = []
        self.pieces: list[tuple[str, int]] = []
        self.size = 0
        self.intro = self.heading = ""
        self.above = -1  # the indent of the item that the intro is, -1: it is none
        self.indent = -1  # of the item that is being read, -1: it is none

    def add(self, text: str, line: int) -> None:
        if self.size < MOST_UNIT:
            self.pieces.append((text.strip(), line))
            self.size += len(self.pieces[-1][0]) + 1

    def close(self) -> None:
        if not self.pieces:
            return
        text, at, starts = " ".join(piece for piece, _ in self.pieces), 0, list[tuple[int, int]]()
        for piece, line in self.pieces:
            starts.append((at, line))
            at += len(piece) + 1
        if self.indent <= self.above:
            self.intro, self.above = "", -1
        under = self.intro if self.indent >= 0 else ""
        self.done.append(_Unit(text[:MOST_UNIT], tuple(starts), under, self.heading))
        if self.indent < 0 or text.rstrip("*_ ").endswith((":", "：")):
            self.intro = text if text.rstrip("*_ ").endswith((":", "：")) else ""
            self.above = self.indent
        self.pieces, self.size = [], 0


def _units(lines: Sequence[str], inside: Sequence[bool]) -> list[_Unit]:
    units = _Units()
    level = 0  # of the ERR rule that the lines belong to
    for at, line in enumerate(lines):
        heading = None if inside[at] else _HEADING.match(line)
        if heading is not None:
            units.close()
            deep = len(heading[1])
            level = deep if begins_rule(line) else 0 if deep <= level else level
            units.indent = units.above = -1
            if not level:
                units.add(heading[2].rstrip("# "), at + 1)
                units.close()
            units.intro = units.heading = heading[2].rstrip("# ")
            continue
        if level or inside[at] or not line.strip() or _TABLE.match(line):
            units.close()
            continue
        item = _ITEM.match(line)
        if item is not None:
            units.close()
            units.indent = len(item[1].expandtabs(4))
            units.add(line[item.end() :], at + 1)
            continue
        if not units.pieces:
            units.indent = -1
        units.add(line.lstrip("> \t"), at + 1)
    units.close()
    return units.done


def _without_blocks(text: str) -> str:
    """The text with blank lines for every block of casebook: what it wrote is no rule of the user."""
    if "<!-- casebook:" not in text:
        return text
    from core.base.managed_block import blocks  # seldom needed, and slow to load

    try:
        found = blocks(text)
    except Fault:
        return text
    for block in found:
        inner = "".join(sign for sign in text[block.start : block.end] if sign == "\n")
        text = text[: block.start] + inner.ljust(block.end - block.start) + text[block.end :]
    return text


_WRONG_EXAMPLE = lazy_pattern(r"❌|✗|✘|🚫|\b(?:bad|wrong|never|don[’']?t|do not|avoid|incorrect)\b", re.IGNORECASE)
_FENCE = lazy_pattern(r"[ \t>]*(?:```|~~~)")


def _fenced_code(lines: Sequence[str], inside: Sequence[bool]) -> Iterator[str]:
    """The lines of code examples, except below a comment that calls them wrong."""
    wrong = False
    for at, line in enumerate(lines):
        if not inside[at]:
            wrong = bool(_WRONG_EXAMPLE.search(line)) if line.strip() else wrong
        elif _FENCE.match(line):
            continue
        elif _WRONG_EXAMPLE.search(line):
            wrong = True
        elif not line.strip():
            wrong = False
        elif not wrong:
            yield line.strip()


# Units to bans -------------------------------------------------------------------------------------------------------

_TICKED = lazy_pattern(r"(?<!`)(`{1,2})(?!`)([^`\n]{1,200})\1(?!`)")
_C = "\ue000"
"""A piece of code in the text that the patterns read."""
_DECORATION = lazy_pattern(
    rf"\*\*|__|(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])|\[(?=[^\[\]]{{1,80}}\]\([^()\s{_C}]{{0,300}}\))"
    rf"|(?<=\S)\]\([^()\s{_C}]{{0,300}}\)"
)
"""What text shows without: emphasis, and all of a link but its name."""
_END = lazy_pattern(r"[.!?。！？](?=[\s)\"”]|$)(?!\s[a-z])|(?<=[。！？])|;\s|\s(?:—|–|--)\s|\s-\s")
"""Where a sentence or a clause of its own ends, not at `etc. in tests`."""

_DET = r"(?:(?:the|a|an|any|bare|raw|plain)\s)?"
_LIST = rf"(?P<list>(?>{_C}(?:(?:\s?[,/、·]\s?|,?\s?\b(?:or|and|nor|과|와|이나|또는|或|和)\s?)+{_C}){{0,9}}))"
_NOUN = (
    r"(?:\s(?:types?|calls?|commands?|statements?|keywords?|macros?|operators?|directives?|comments?|flags?|options?|"
    r"attributes?|functions?|methods?|syntax|casts?|assertions?|annotations?|imports?|tags?|components?|packages?|"
    r"library|libraries|files?|blocks?))?"
)
_FIRST = r"(?:^|^[\w\s/&-]{1,40}:\s)(?:please\s|always\s|(?:you|we)\s)?"
"""Where a sentence begins, behind a label too. What somebody or something else must not do is no ban."""
_START = rf"(?:{_FIRST}|[:(,]\s?|\b(?:and|but|then|so|please|always|you|we)\s)"
_NEVER = (
    r"(?:never\sever|never|do\snot\sever|do\snot|don[’']?t\sever|don[’']?t|must\snot|must\snever|should\snever|"
    r"mustn[’']t)"
)
_VERBS = (
    r"(?:(?:(?:try|attempt)\sto\s)?(?:use|using|call|calling|invoke|invoking|import|importing|run|running|execute|"
    r"executing|write|add|type)\s)"
)
_WHERE = r"(?:in|for|to|on|at|by|as|with|inside|within)"
_OPEN = r"(?:\s?$|\s?:|\)\s?(?:$|[,:])|\s?,(?!\s(?:etc|in|for|on|or|under|within)\b)|,?\setc$)"
"""The end of what is forbidden."""
_REST = (
    rf"(?=(?:\s?\((?!except|unless|only|if|when)[^()]{{0,200}}\))?(?:\s(?:directly|ever|at\sall|anywhere|anymore|here|either))?"
    rf"(?:{_OPEN}|\s?→|\)?\s(?:because|since|as\s(?:it|this|they)|for\s(?:better|consistency))\b|"
    rf"\)?\s(?:for|in)\s(?:all|every|any)\b|,?\s(?:or|and\s(?:any|other|similar))(?:\s(?!{_WHERE}\b)[\w-]+){{1,4}}$|"
    r"\sin\s(?:this|the)\s(?:repo|repository|project|code|codebase|code\sbase)\s?(?:$|[,:)(])))"
)
"""What may follow: the end, a reason, more of the kind, or a place that is everywhere."""
_ANAPHORA = r"(?=\sfor\s(?:this|that|these|those)\s?(?:$|[,:)(]))"
_EDIT = (
    r"(?:(?:manually\s|directly\s|hand-)?(?:edit|modify|change|touch|customi[sz]e|alter|overwrite|update)"
    r"(?:\s?(?:,|/|\sor|\sand)\s?(?:delete|edit|modify|change|touch|remove|rename|move))?\s)"
)
_HAND = r"(?:directly|manually|by\shand|ever|yourself|because|since)\b"
_FILES = r"(?:(?:[\w-]+\s){0,2}files|anything|docs|generated\s[\w-]+)\s(?:in|under)\s(?:the\s)?"
_EXISTING = lazy_pattern(r"\bexisting\b|\bfiles\s(?:in|under)\b", re.IGNORECASE)
"""What leaves new files out, if they are not generated."""
_IF_ALL = rf"(?={_OPEN}|\s?\(|\s{_HAND})"
_USE = r"(?:^|[:(]\s?|,\s(?:so\s)?|(?:^|\b(?:and|then|you|we)\s)(?:must|should)\s|\b(?:always|please|and|then)\s)"
"""Where an advice begins: what somebody or something else must use is none."""
_ADVISED = rf"(?>(?!{_WHERE}\b)(?>[\w.-]+|{_C}|\([^()]{{0,80}}\))\s?){{1,8}}?"
"""Code or words that are advised, without place or purpose."""
_NOT = r"\s?[,(]{0,2}\s?(?:instead\sof|rather\sthan|and\snot|not|never)\s"
_BY_HAND = r"(?:(?:it|them|this|these|directly|manually|by\shand|yourself|ever)\b\s?)*"
_KO_DROP = r"(?:않는다|않습니다|마세요|말\s?것|마라|않기|말기)"

_SOURCES: Final[tuple[tuple[Kind, str], ...]] = (
    ("use", rf"{_START}{_NEVER}\s(?P<verb>{_VERBS}){_DET}{_LIST}{_NOUN}(?:{_REST}|(?P<those>{_ANAPHORA}))"),
    ("use", rf"{_FIRST}{_NEVER}\s{_DET}(?P<bare>{_LIST}){_NOUN}{_REST}"),
    ("use", rf"^no\s{_LIST}{_NOUN}(?<!{_C}){_REST}"),
    ("use", rf"^no\s(?P<alone>{_LIST})(?:\s?\([^()]{{0,200}}\))?$"),
    (
        "use",
        rf"{_USE}(?:use|run|call|write)\s{_ADVISED}{_NOT}(?P<verb>{_VERBS})?{_DET}{_LIST}{_NOUN}{_REST}",
    ),
    ("import", rf"{_USE}import\sfrom\s{_C}{_NOT}(?:from\s)?{_LIST}{_REST}"),
    (
        "use",
        rf"{_LIST}{_NOUN}\s(?:is|are)\s(?:strictly\s|absolutely\s|explicitly\s)?"
        rf"(?:forbidden|banned|prohibited|not\sallowed|never\sallowed|disallowed){_REST}",
    ),
    (
        "use",
        rf"{_LIST}{_NOUN}\s(?:must|should)\s(?:not|never)\sbe\s"
        rf"(?P<verb>used|called|imported|run|executed){_REST}",
    ),
    ("use", rf"^[❌🚫⛔✗✘]\ufe0f?\s?(?:(?:{_NEVER}|no)\s)?(?P<verb>{_VERBS})?{_LIST}{_NOUN}(?=\s?(?:$|[,:(]))"),
    (
        "edit",
        rf"{_START}{_NEVER}\s{_EDIT}(?:{_FILES}|(?:(?:the|an?|any|generated|existing|file|files)\s){{0,3}}){_LIST}"
        rf"(?:\s(?:files?|directory|folder))?{_IF_ALL}",
    ),
    ("edit", rf"{_START}{_NEVER}\s{_EDIT}(?:[\w-]+\s){{1,5}}\({_LIST}(?=[,)])"),
    (
        "edit",
        rf"{_LIST}\s(?:files?\s)?(?:must|should)\s(?:not|never)\sbe\s(?:manually\s|directly\s|hand-)?"
        rf"(?:edited|modified|changed|touched){_IF_ALL}",
    ),
    (
        "push",
        rf"{_START}{_NEVER}\s(?:git\s)?push\s(?:directly\s|straight\s)?(?:to|on)\s{_DET}{_LIST}"
        rf"(?:\sbranch(?:es)?)?{_REST}",
    ),
    # Korean, Japanese and Chinese
    (
        "use",
        rf"{_LIST}\s?[를을은는의]?\s?(?:대신|말고)[에,]?\s?(?:(?:항상|반드시)\s)?{_C}\s?[를을]?\s?"
        rf"(?:$|사용(?:한다|합니다|하세요|할\s?것)?\s?$|쓴다\s?$|써라\s?$|쓰세요\s?$|(?=[,)]))",
    ),
    (
        "use",
        rf"{_LIST}\s?[를을은는]?\s?(?:절대\s)?(?:직접\s)?(?:사용|실행|호출|쓰)?[은는]?\s?"
        rf"(?:금지|하지\s?{_KO_DROP}|지\s?{_KO_DROP})\s?(?:$|[,)(])",
    ),
    (
        "use",
        rf"{_LIST}\s?[はを]?\s?(?:絶対に)?(?:使用)?(?:禁止|使わない|使用しない|実行しない)(?:こと|でください)?"
        r"\s?(?:$|[,、)(（])",
    ),
    (
        "use",
        rf"{_LIST}\s?(?:の代わりに|ではなく)、?\s?{_C}\s?を"
        r"(?:使う|使用(?:する|します|してください|すること)|使ってください)\s?$",
    ),
    ("use", rf"(?:不要|禁止|请勿|切勿|不得|勿)(?:使用|运行|调用|执行|用)?\s?{_LIST}\s?(?:$|[,，、)（(])"),
    ("use", rf"(?:使用|用)\s?{_C}\s?[,，]?\s?(?:而不是|而非|不要用|不用)\s?{_LIST}\s?(?:$|[,，、)（(])"),
)
_PATTERNS: Final[tuple[tuple[Kind, re.Pattern[str]], ...]] = tuple(
    (kind, lazy_pattern(pattern, re.IGNORECASE)) for kind, pattern in _SOURCES
)
_ITSELF = lazy_pattern(
    rf"(?:^|[(:,]\s?|\b(?:and|so)\s)(?:never|do\snot|don[’']?t|must\snot)\s(?:be\s)?(?:manually\s|hand-?|directly\s)?"
    rf"(?:edit(?:ed)?|modify|modified|change|touch)\s?{_BY_HAND}\)?$",
    re.IGNORECASE,
)
"""Not to be edited, where the file was named first."""
_HOW: Final[tuple[tuple[str, Kind], ...]] = (
    ("import", "import"),
    ("call", "call"),
    ("invok", "call"),
    ("run", "run"),
    ("execut", "run"),
)
"""The kinds of verbs."""
_SUBJECT = lazy_pattern(rf"^(?:[^{_C}:]{{1,60}}:\s)?(?:the\s|files\sin\s|files\sunder\s)?{_LIST}", re.IGNORECASE)
_MADE = lazy_pattern(r"\b(?:auto-?generated|generated|build output|codegen)\b", re.IGNORECASE)
_MADE_FILES = lazy_pattern(
    rf"{_START}{_NEVER}\s{_EDIT}(?:(?:the|any|all|other)\s)*(?P<made>(?:auto-?)?generated\s(?:[\w-]+\s)?"
    rf"(?:files|code|artifacts|outputs?))(?=\s?$|\s{_HAND})",
    re.IGNORECASE,
)

_INSTEAD = lazy_pattern(
    rf"(?:\b(?:use|run|call|write|prefer|in\sfavou?r\sof)\s(?:the\s)?|→\s?|->\s?|=>\s?)({_C})", re.IGNORECASE
)
"""Code that is advised."""

_ADVISES = lazy_pattern(r"(?:[\w\s]{1,40}:\s)?(?:always\s|please\s)?(?:use|prefer|run|call|write)\b", re.IGNORECASE)
_CONDITION = lazy_pattern(
    r"\b(?:if|when|whenever|unless|until|while|except|without|before|after|where|only|otherwise|sometimes|usually|"
    r"consider|may|might|could|during|outside|inside|within|via|per|longer|forget|skip|omit|just|necessarily|need)\b"
    r"|없이|경우|때(?:는|만)?\b|외에|제외|면\s|場合|ときは?|時|如果|除非|之前",
    re.IGNORECASE,
)
"""What makes a sentence depend on more than the code."""
_TRIGGER = lazy_pattern(
    r"\b(?:never|not|no|don|mustn|instead|rather|forbidden|banned|prohibited|disallowed)\b|[❌🚫⛔✗✘]|대신|말고|금지|지\s?[않마말]|"
    r"禁止|使わ|使用しな|実行しな|代わり|ではなく|不要|请勿|切勿|不得|勿|而不是|而非|不用",
    re.IGNORECASE,
)
"""One of these is in every sentence that forbids."""
_PLACE = lazy_pattern(r"(?:example|e\.g)\b|(?:in|for|on|under|within|as|with|from)\s[^,:]{1,60}[,:]", re.IGNORECASE)
"""A beginning that says where the sentence holds, or that it is an example."""
_BACK = lazy_pattern(
    r"(?:except|unless|exception|only|but|however|although|though|otherwise|for|if|when|in)\b", re.IGNORECASE
)
"""The first word of a next sentence that may take something back."""
_INTRO = lazy_pattern(
    rf"(?:[❌🚫⛔✗✘]\ufe0f?\s?)?(?:(?:you\s)?(?:must\s|should\s)?{_NEVER}"
    r"(?:\s(?:use|run|call|add|import|execute|do))?|forbidden|prohibited|banned|禁止|금지)"
    r"(?:\s(?:any\sof\s)?(?:the\sfollowing|these|this))?"
    r"(?:(?:\s[\w-]+){0,2}\s(?:commands?|patterns?|code|functions?|apis?|imports?|actions?|operations?))?\s?[:：]?",
    re.IGNORECASE,
)
"""A heading or line whose items are forbidden."""
_EDIT_INTRO = lazy_pattern(
    rf"[^{_C}.]*\b(?:{_NEVER}|should\snot)\s(?:be\s)?(?:manually\s|directly\s|hand-)?"
    rf"(?:edit(?:ed)?|modify|modified|touch(?:ed)?|chang(?:ed?))\b[^{_C}.]*[:：]",
    re.IGNORECASE,
)
"""A line whose items are files that nobody may edit."""
_ALLOWED = r"approv\w*|permission|consent|confirm\w*|authori[sz]\w+|ask\w*|request\w*|instruct\w*|told|say|says"
_PERMISSION = lazy_pattern(
    rf",?\s(?:without\s(?:[\w-]+[\s/]){{0,4}}?(?:{_ALLOWED})"
    r"|unless\s(?:(?:(?:the|an?|your)\s)?(?:user|human|maintainer|owner|I|you|it)[’'\w]*\s(?:(?:is|are|has|have)\s)?)?"
    rf"(?:\w+ly\s)?(?:{_ALLOWED}))\b[\w\s-]{{0,60}}(?=\s?[:：]?$)",
    re.IGNORECASE,
)
"""What a user may allow is forbidden to an agent that was not told so."""
_PATH = lazy_pattern(r"(?:[~.]{0,2}/)?[\w.@*\[\]{}()+-]+(?:/[\w.@*\[\]{}()+,-]+)*/?")
_EXTENSION = lazy_pattern(r"\.[A-Za-z*][\w*]{0,14}$")


def _read_unit(unit: _Unit) -> tuple[list[Ban], list[str]]:
    """The bans of one unit, and the code in it that they do not forbid."""
    ticked = list(_TICKED.finditer(unit.text))
    if not ticked and not _MADE.search(unit.text):
        return [], []
    codes = [one[2].strip() for one in ticked]
    masked = _masked(unit.text, ticked)
    about = f"{unit.heading}\n{unit.under}\n{unit.text}"
    found: list[Ban] = []
    banned: set[int] = set()
    for sentence in _sentences(masked, unit.under):
        for kind, number in _forbidden(sentence):
            if number in banned or not _is_decidable(codes[number], kind):
                continue
            if codes[number].startswith("-") and (
                sentence.text != sentence.before or ":" in sentence.text.split(_C)[0]
            ):
                continue  # an option of the command that the unit is about
            banned.add(number)
            quoted = redact(_filled(sentence.quoted, codes[sentence.first_quoted :]))
            line = unit.line(ticked[number].start())
            existing = bool(_EXISTING.search(sentence.text) and not _MADE.search(sentence.text))
            found.append(Ban(codes[number], kind, line, quoted, (), existing, about))
        made = _MADE_FILES.search(sentence.plain) if _MADE.search(sentence.text) and sentence.is_plain else None
        if made is not None:
            at = max(0, unit.text.find(made["made"].split()[0]))
            quoted = redact(_filled(sentence.text, codes[sentence.first :]))
            found.append(Ban(made["made"], "generated", unit.line(at), quoted, about=about))
    if found:
        better = (masked.count(_C, 0, one.start(1)) for one in _INSTEAD.finditer(masked))
        instead = tuple(dict.fromkeys(codes[one] for one in better if one not in banned))
        found = [ban if ban.kind in (*_OF_FILES, "push") else replace(ban, instead=instead) for ban in found]
    return found, [code for at, code in enumerate(codes) if at not in banned]


def _unit_codes(unit: _Unit, codes: Set[str]) -> Iterator[str]:
    """Those of the codes that the unit says to use: what a file forbids and advises depends on the place."""
    ticked = list(_TICKED.finditer(unit.text))
    if not any(one[2].strip() in codes for one in ticked) or _lead(unit.under):
        return
    masked = _masked(unit.text, ticked)
    for found in _INSTEAD.finditer(masked):
        code = ticked[masked.count(_C, 0, found.start(1))][2].strip()
        if code in codes and not _TRIGGER.search(masked, max(0, found.start() - _NEAR), found.start(1)):
            yield code


_NEAR = 24
"""Letters before an advice in which a negation turns it round."""


def _masked(text: str, ticked: Sequence[re.Match[str]]) -> str:
    """The text with one sign for each piece of code, without decoration and double blanks."""
    ends = (0, *(one.end() for one in ticked))
    starts = (*(one.start() for one in ticked), len(text))
    parts = (text[end:start].replace(_C, " ") for end, start in zip(ends, starts, strict=True))
    return " ".join(_DECORATION.sub("", _C.join(parts)).split())


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence of a unit, with the number of its first code. `after`: the next one; `before`: the first of the unit;
    `under`: what the unit is an item of, for its first sentence; `advises`: the unit says what to use; `joined`: it is
    the end of a sentence that is about something else (`paths are absolute — never X`)."""

    text: str
    first: int
    before: str
    after: str
    under: str
    advises: bool
    joined: bool

    @property
    def plain(self) -> str:
        """The sentence without a permission at its end."""
        return _PERMISSION.sub("", self.text)

    @property
    def is_plain(self) -> bool:
        """Whether it forbids, and depends on nothing but a permission."""
        if not (self.under or _TRIGGER.search(self.text)):
            return False
        text = self.plain
        return not (_CONDITION.search(text) or _PLACE.match(text) or _BACK.match(self.after))

    @property
    def quoted(self) -> str:
        """The sentence as it is quoted: with the first of its unit, which names its code, if it has none."""
        return self.text if _C in self.text else f"{self.before}; {self.text}"

    @property
    def first_quoted(self) -> int:
        """The number of the first code in what is quoted."""
        return self.first if _C in self.text else 0


def _sentences(masked: str, under: str) -> Iterator[_Sentence]:
    cuts = [0, *(one.end() for one in _END.finditer(masked)), len(masked)]
    texts: list[str] = []
    joined: list[bool] = []
    dash = False
    for piece in (masked[a:b].strip() for a, b in pairwise(cuts)):
        text = piece.strip(" .!?;。！？—–").removesuffix(" -").removesuffix(" --")
        if text:
            joined.append(dash and not _ADVISES.match(texts[-1]))
            texts.append(text)
        dash = bool(texts) and piece.endswith(("—", "–", "-", ";"))
    advises = _INSTEAD.search(masked) is not None
    first = 0
    for at, text in enumerate(texts):
        after = texts[at + 1] if at + 1 < len(texts) else ""
        yield _Sentence(text, first, texts[0], after, "" if at else under, advises, joined[at])
        first += text.count(_C)


def _forbidden(sentence: _Sentence) -> Iterator[tuple[Kind, int]]:
    """The code that a sentence forbids: how, and its number in the unit. An item is also read behind its line."""
    if not sentence.is_plain or (_C not in sentence.text and not _ITSELF.search(sentence.text)):
        return
    text, lead = sentence.plain, _lead(sentence.under)
    for kind, pattern in _PATTERNS if _C in text else ():
        for found in (*pattern.finditer(text), *(pattern.finditer(f"{lead} {text}") if lead else ())):
            groups = found.groupdict()
            if groups.get("those") is not None and not sentence.advises:
                continue
            if groups.get("alone") is not None and (sentence.first or sentence.after):
                continue  # the rest may say that there is none
            if groups.get("bare") is not None and sentence.joined:
                continue
            verb = (groups.get("verb") or "").casefold()
            how: Kind = kind
            for word, of_verb in _HOW:
                how = of_verb if word in verb else how
            yield from _each(how, _numbers(found.string, found, sentence.first))
    named = _SUBJECT.match(sentence.before) if _ITSELF.search(text) else None
    if named is not None and (named["list"].count(_C) == sentence.first or _MADE.search(sentence.quoted)):
        yield from _each("edit", _numbers(sentence.before, named, 0))


def _lead(under: str) -> str:
    """What a heading or line says of its items: that they are forbidden, or files not to edit."""
    if not under or len(under) > MOST_INTRO:
        return ""
    line = _PERMISSION.sub("", " ".join(_DECORATION.sub("", under).split()))
    if _INTRO.fullmatch(line):
        return "never run" if re.search(r"\b(?:run|execute|commands?)\b", line, re.IGNORECASE) else "never"
    return "never edit" if _EDIT_INTRO.fullmatch(line) else ""


def _each(kind: Kind, numbers: range) -> Iterator[tuple[Kind, int]]:
    for number in numbers:
        yield kind, number


def _numbers(sentence: str, found: re.Match[str], first: int) -> range:
    begin = first + sentence.count(_C, 0, found.start("list"))
    return range(begin, begin + found["list"].count(_C))


def _filled(sentence: str, codes: Sequence[str]) -> str:
    """The sentence with its code again."""
    first, *rest = sentence.split(_C)
    return first + "".join(f"`{code}`{part}" for part, code in zip(rest, codes, strict=False))


def _is_decidable(code: str, kind: Kind) -> bool:
    """Whether a call can be told to have it: a path of files is edited, and a file in a folder is not used."""
    is_path = bool(_PATH.fullmatch(code)) and ("/" in code or bool(_EXTENSION.search(code)))
    if kind == "edit":
        return is_path
    return bool(code) and not (is_path and "/" in code[2:] and _EXTENSION.search(code) and not code.startswith("./"))
