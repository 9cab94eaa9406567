"""Rules in the files that people keep for agents (`CLAUDE.md`, `AGENTS.md`): bullets and paragraphs that direct.

A list item is a rule where it directs (`Never push to main`), with the items below it; where it only introduces them
(`Code style:`), each of these is one. A paragraph that directs is a rule too. What describes the project (`src/ holds
the server`) is none. The headings above are the rule's category.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from core.rules.format.rule import Rule, Scope
from core.text.cleaning import normalized

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t](.*)$")
_ITEM = re.compile(r"([ \t]*)(?:[-*+]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(\S.*)$")
_SKIPPED = re.compile(r"[ \t]*(?:\||>|<|@\S+[ \t]*$|(?:-{3,}|\*{3,}|_{3,}|={3,})[ \t]*$|!\[|\[[^\]]*\]:)")
"""Tables, quotes, markup, imports, lines across, pictures, link targets: no rule begins there."""
_FENCE = re.compile(r"[ \t]*(?:`{3}|~{3})")
_LABEL = re.compile(
    r"[ \t]*(?:\*\*|__)([^*_\n]{1,80}?)(?:\*\*|__)[ \t]*(?:\([^()\n]{0,40}\)[ \t]*)?[:：—–-]?[ \t]*"
    r"|[^\s`*:：.]{1,30}(?: [^\s`*:：.]{1,30}){0,3}[:：][ \t]+"
)
"""What a statement begins with that is its name: `**Secrets**: …`, `Commit messages: …`."""
_MARKS = re.compile(r"\*\*|__|(?<![\w*])[*_](?=\S)|(?<=\S)[*_](?![\w*])")
_SENTENCE = re.compile(
    r"(?<=[.!?。])\s+|\n+|;\s+|\s[—–]\s+|(?<=[:：])\s+"
    r"|[,(]\s*(?=(?:never|do not|don[’']t|not|always|must)\b)",
    re.IGNORECASE,
)

_DIRECTS = re.compile(
    r"\b(?:must|shall|should|never|always|avoid|ensure|make sure|be sure|required?|mandatory|forbidden|prohibited"
    r"|not allowed|disallowed|do not|don[’']t|cannot|may not|instead of|rather than|prefer(?:red)?|needs? to"
    r"|have to|has to|is expected|are expected|without (?:asking|approval|permission)|at (?:most|least)|no longer)\b"
    r"|^(?:only|no|not|before|after|when(?:ever)?|if|unless|until|in|for|on)\b(?=.*,)|^(?:no|all|every|each)\b|\bonly\b",
    re.IGNORECASE,
)
"""Words of obligation, prohibition and preference: closed classes of English."""
_DIRECTS_ELSEWHERE = re.compile(
    r"금지|반드시|항상|절대|말 ?것|지 ?(?:말|마|않는다|않기)|할 ?것|해야|하세요|하십시오|해 ?주세요|한다\b|대신"
    r"|必ず|禁止|しない|すること|ください|べき|必须|不要|不得|应该|应当|始终|请勿|避免"
)
_VERB_LIST = """
add adhere align allow annotate append apply ask assert assume batch begin break build bump bundle cache call
cap capture change check choose cite clean clear close collect combine commit compare compile compose configure
confirm consider consult convert copy cover create cut debug declare default define delegate delete derive
describe design disable document drop edit embed emit enable encapsulate enforce escape establish exclude
execute expect explain export expose extend extract fail fetch favor favour file fill find fix flag focus follow
format gate generate get give group guard handle hide highlight hold honor ignore implement import include
increase inherit initialize inject inline inspect install instrument integrate invoke isolate iterate keep label
launch lay lean leave let limit link lint list load localize lock log look maintain make map mark match measure
memoize merge migrate minimize mirror mock modify monitor move name narrow nest normalize note omit open
optimize order organize override parametrize parse pass paste perform persist pick pin place plan point poll
pre-commit prefix prepend preserve prevent print prioritize propagate propose protect provide publish pull push
put quote raise read rebase record redact reduce refactor refer reference refresh regenerate register reject
rely remove rename render reopen repeat replace report request rerun resolve respect restart restrict rethrow
retry return reuse revert review revoke rewrite rotate route run sanitize save scan scope search secure seed
select send separate serialize set share show sign simplify skip solve sort specify split squash stage start
state stick stop store stream strip structure style submit suppress switch sync tag take target teach tell
terminate test throw time track translate treat trigger trim try turn type undo un-nest update upgrade upload
use validate verify version view wait walk warn watch wire wrap write yield
"""
_VERBS: Final = frozenset(_VERB_LIST.split())
"""Verbs that begin instructions in a repository: a bullet that begins with one tells what to do."""
_WORD = re.compile(r"[A-Za-z][A-Za-z'’-]*")
_ID = re.compile(r"[^\W_]+")
_TITLE, _ID_WORDS, _ID_LENGTH = 120, 6, 48
_LONGEST = 4_000
"""Code points of one rule that are kept."""


@dataclass(slots=True)
class _Block:
    """A list item or a paragraph: its first line (from 1), its indent (-1: a paragraph), its lines, the items below."""

    line: int
    indent: int
    lines: list[str]
    section: tuple[str, ...]
    below: list[_Block] = field(default_factory=list["_Block"])


def plain_rules(
    lines: Sequence[str], numbers: Sequence[int], inside: Sequence[bool], path: str, scope: Scope
) -> Iterator[Rule]:
    """The rules of a file that names none by an id. `inside`: lines that a fence or a comment holds."""
    seen: dict[str, int] = {}
    for block, lead in _directing(_blocks(lines, numbers, inside)):
        rule = _rule(block, lead, path, scope)
        if not rule.id:
            continue
        nth = seen[rule.id] = seen.get(rule.id, -1) + 1
        yield Rule(
            rule.id, rule.title, solution=rule.solution, category=rule.category, path=path, line=block.line, nth=nth,
            scope=scope,
        )  # fmt: skip


def _blocks(lines: Sequence[str], numbers: Sequence[int], inside: Sequence[bool]) -> list[_Block]:
    """Items, nested as they are indented, and paragraphs, in order."""
    top: list[_Block] = []
    open_items: list[_Block] = []
    section: list[tuple[int, str]] = []
    current: _Block | None = None
    blank = True
    for at, line in enumerate(lines):
        if inside[at]:
            # A fence that is indented, or follows without a blank line, belongs to what it follows.
            if current is not None and (current.indent < 0 or line.startswith((" ", "\t")) or not blank):
                current.lines.append(line)
            continue
        if not line.strip():
            blank = True
            continue
        if heading := _HEADING.match(line):
            level = len(heading[1])
            section = [one for one in section if one[0] < level] + [(level, _bare(heading[2].rstrip("# \t")))]
            open_items, current = [], None
        elif item := _ITEM.match(line):
            indent = len(item[1].expandtabs(4))
            open_items = [one for one in open_items if one.indent < indent]
            current = _Block(numbers[at], indent, [item[2]], tuple(name for _, name in section))
            (open_items[-1].below if open_items else top).append(current)
            open_items.append(current)
        elif current is not None and (not blank or (current.indent >= 0 and line.startswith((" ", "\t")))):
            current.lines.append(line)
        elif _SKIPPED.match(line):
            open_items, current = [], None
        else:
            open_items, current = [], _Block(numbers[at], -1, [line], tuple(name for _, name in section))
            top.append(current)
        blank = False
    return top


def _directing(blocks: Iterable[_Block], lead: str = "") -> Iterator[tuple[_Block, str]]:
    """The blocks that are rules, each with what introduces it."""
    for block in blocks:
        text = "\n".join(block.lines).strip()
        if block.below and _introduces(text, block.below):
            yield from _directing(block.below, _bare(text).rstrip(":："))
        elif directs(text) or any(directs("\n".join(one.lines)) for one in block.below):
            yield block, lead


def _introduces(text: str, below: Sequence[_Block]) -> bool:
    """Whether an item only introduces those below it: it ends with a colon, or it is a name."""
    bare, order = _bare(text), directs(text)
    if order and not any(directs("\n".join(one.lines)) for one in below):
        return False
    return bare.endswith((":", "：")) or (len(bare.split()) <= 4 and not order)


def directs(text: str) -> bool:
    """Whether a statement says what to do or not to do."""
    label = _LABEL.match(text)
    said = _bare(text[label.end() :] if label and label.end() < len(text) else text)
    if _DIRECTS_ELSEWHERE.search(said):
        return True
    return any(_is_order(one) for one in (_bare(text), *_SENTENCE.split(said)))


def _is_order(sentence: str) -> bool:
    if _DIRECTS.search(sentence):
        return True
    first = _WORD.match(sentence)
    return first is not None and first[0].casefold() in _VERBS


def _bare(text: str) -> str:
    """A text without marks of emphasis and blanks around it."""
    return _MARKS.sub("", text).strip()


def _rule(block: _Block, lead: str, path: str, scope: Scope) -> Rule:
    said = "\n".join(block.lines)[:_LONGEST].strip()
    below = "\n".join(f"- {' '.join(one.lines)}" for one in block.below)
    whole = f"{said}\n{below}"[:_LONGEST] if below else said
    first = next((line for line in said.split("\n") if line.strip() and not _FENCE.match(line)), said)
    title = _bare(first)[:_TITLE].strip()
    category = " > ".join((*block.section[1:], *filter(None, (lead,)))) or (block.section[0] if block.section else "")
    return Rule(_id(title), title, solution=whole, category=category, path=path, line=block.line, scope=scope)


def _id(title: str) -> str:
    """An id from the first words of a title: the same wherever the rule stands in its file."""
    words = _ID.findall(normalized(title).casefold())[:_ID_WORDS]
    return "-".join(words)[:_ID_LENGTH].strip("-")
