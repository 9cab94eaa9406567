"""The text of a resolution: what changed, what was run, how it was checked, and the quote that explains the fix."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from core.errors.lessons import Lesson
from core.flows.harvest.changes import Hint, short_diff_lines
from core.flows.harvest.events import Statement
from core.text import clean, redact, words

QUOTE_LIMIT: Final = 300
"""Code points of a quote; a longer sentence is no quote."""

_CAUSE = re.compile(
    r"\b(?:because|caused by|causes?|due to|the (?:problem|issue|reason|bug) (?:is|was)|turns out|which means|missing"
    r"|instead of|mismatch|never|without|lacks?|still|needs?|requires?|expects?|no longer|conflicts?|refuses?"
    r"|(?:blocks?|rejects?|prevents?|forbids?)(?:ed)?|denied|forbidden|unavailable|unsupported|already|stale"
    r"|(?:is|are|was|has|have|had|there's) no|(?:is|are|was|were) too \w+"
    r"|(?:is|are|was|has|have|does|do|did|can|could|wo|must|may)(?:n['’]t| not)"
    r"|cannot)\b"
    r"|원인|때문|이유|문제(?:는|였|입|다)|탓|누락|빠져|빠졌|(?:어|아|해|라|여|돼|못해)서[ ,]|므로|니까|충돌|아니라"
    r"|못합|못하|필요합|필요해"
    r"|原因|ため|ので|できな|できません|ありません|因为|由于|缺少|没有|无法|不支持",
    re.IGNORECASE,
)
_FIX = re.compile(
    r"\b(?:fix|add|chang|replac|install|sett?|us(?:e|es|ing)\b|upgrad|downgrad|pin|updat|remov|return|guard|restart|renam"
    r"|need(?:s|ed)? to|should|must|has to|have to)\w*"
    r"|고치|고쳤|고칩|수정|추가|바꾸|바꿔|바꿨|변경|설치|교체|제거|지우|지워|올리|올려|내리|설정|붙여|써야|쓰면|해야|되돌|재시작",
    re.IGNORECASE,
)
_LATIN = re.compile(r"[a-z][a-z0-9]{2,}")  # a Latin word with a Korean ending (`ASCII이고`) is one token
_QUOTED = re.compile(r"`([^`\s]{2,40})`")  # a program whose name is shorter than a word (`gh`)
_EMPTY = re.compile(
    r"^(?:now |next,? |first,? |ok(?:ay)?[,.]? )?(?:let me|i['’]ll|i will|let['’]s|running|checking|looking|reading)\b"
    r"|(?:실행|확인|살펴|읽어|찾아|돌려) ?(?:해 ?)?보겠습니다\.?$|(?:실행|확인)하겠습니다\.?$|passes now|모두 통과",
    re.IGNORECASE,
)
_SELF = r"(?:(?:I|[Ww]e)(?:['’](?:m|ll|ve|d|re))?|[Ll]et me|[Ll]et['’]s|[Ll]et us)(?=[\s,])"
_OPENER = (
    r"(?:(?:[Nn]ow|[Nn]ext|[Tt]hen|[Ff]irst|[Ss]econd|[Ff]inally|[Aa]lso|[Aa]gain|[Ss]o|[Aa]nd|[Bb]ut|[Oo][Kk](?:ay)?|[Gg]ood"
    r"|[Gg]reat|[Pp]erfect|[Rr]ight|[Aa]lright|[Ii]nstead|[Hh]ere|[Mm]eanwhile|[Tt]herefore)[,.:!;—–-]*\s+)"
)
_OF_ITSELF = re.compile(
    rf"^{_OPENER}*(?:{_SELF}|(?:[Nn]eed(?:ed)?|[Gg]oing|[Ww]ant|[Hh]ave|[Tt]ime|[Tt]rying|[Rr]eady|[Ss]till need) to\b)"
    # An order to itself: an adverb of sequence, and no subject before the verb.
    r"|^(?:[Nn]ow|[Nn]ext|[Tt]hen|[Ff]irst|[Ff]inally|[Aa]lso|[Ll]ast),?\s+(?!(?:the|an?|th(?:is|at|ese|ose)|my|our|its?|their"
    r"|they|there|he|she|you|your|all|both|each|every|some|any|no|one|two|three|only|when|if|because|since|that)\b)[a-z]+\b"
    # The same in languages that leave the subject out: an object, a verb, nothing that it is said of.
    r"|^(?!.*[はが])(?=.*を).*ます[。.]?$|^(?!.*\S[은는이가] )(?=.*\S[을를] ).*(?:합니다|했습니다)[.]?$"
    r"|(?:겠(?:습니다|어요|다)|게요)[.]?$"
)
"""How a clause begins in which the agent says what it does: it is the subject, or there is none but itself."""
_DOING = re.compile(r"^(?:[A-Z][a-z]+ing|Re-?[a-z]+ing)\b")
_FINITE = re.compile(
    r"\b(?:is|are|was|were|has|have|had|does|do|did|can|could|will|would|must|may|might|shall|should|because|since"
    r"|causes?|fails?|means|needs?|requires?|breaks?|works?|makes|gives?|leaves?|lets)\b|n['’]t\b"
)
"""A verb that can have a subject: without one, `Adding the group` describes an action."""
_ABOUT_ITSELF_NEXT = re.compile(
    rf"(?:,|\s--?\s|\s?[—–])\s*(?:(?:so|and|but|then|therefore|hence|now|which|that|as|while|where)\s+)*(?:now\s+)?{_SELF}"
    rf"|[;:]\s*(?:[\w'’`-]+\s+){{0,8}}?{_SELF}"
)
_SUBORDINATE = re.compile(r"^(?:Once|After|Before|When|While|If|To|Until|Unless|With|For|In|On|At|By|Per|From)\b")
_MEANWHILE = re.compile(r"^(?:Once|After|Before|When|While|If)\b[^,]*?\s(?:I|we)['’](?:ll|m|ve)\s")
_MARKUP = re.compile(r"^(?:\||::|\{|<)")
_LEAST: Final = 4
"""Words of a clause that says something."""
_CLAIM = re.compile(
    r"\bI(?:'ve| have)?(?: just)? (?:re)?(?:started|installed|fixed|killed|stopped|added|set|changed|updated|removed"
    r"|freed|cleared|granted|enabled|disabled|upgraded|booted|logged in|turned|rotated|plugged|created|deleted|renewed"
    r"|opened|closed)\b"
    r"|(?:했|켰|껐|죽였|고쳤|바꿨|놨|지웠|올렸|내렸|띄웠|풀었|넣었|만들었|열었|닫았|끊었|꽂았|비웠|늘렸)"
    r"(?:어|다|습니다|으니|음|네)",
    re.IGNORECASE,
)
_FENCED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_SENTENCE = re.compile(r"[^\n]+?(?:[.!?。！？](?=[\s\"'”’]|$)|$)", re.MULTILINE)
_LEAD = re.compile(r"^\s*(?:(?:[>#*\-•]+|\d+[.)])\s+)*")
_INJECTED = ("<", "[Request interrupted", "Caveat:", "This session is being continued")


def claims_action(statements: Iterable[Statement]) -> Statement | None:
    """Return the last words of a person who claims an action (`I restarted the server`, `설치했어`)."""
    found = [
        one for one in statements if one.role == "user" and not _injected(one.text) and _CLAIM.search(one.text[:2000])
    ]
    return found[-1] if found else None


def explanation_of(
    statements: Iterable[Statement], key_line: str, changed: str, near: Near | None = None
) -> tuple[str, Statement] | None:
    """The sentence that best says why the fix works, with its message.

    A sentence shares a word with the error, or a person dictates in it what was `changed`, or it names a cause `near`
    the failure or its fix and shares a term with the failing command. Those that name a cause come first; of equals the
    latest, which is the nearest to the fix. None where nobody explained anything.
    """
    error_words, change_words = frozenset(words(key_line)), _words(changed)
    best: tuple[int, str, Statement] | None = None
    for one in statements:
        if _injected(one.text):
            continue
        close = near.terms if near is not None and one.role != "user" and one.text in near.texts else frozenset[str]()
        for claim in _claims(one.text, one.role != "user"):
            score = _score(claim, one.role, error_words, change_words, close)
            if score >= 3 and (best is None or score >= best[0]):
                best = (score, claim.sentence, one)
    return None if best is None else (best[1], best[2])


def sentences(text: str) -> list[str]:
    """The sentences of a message outside its code blocks, each a verbatim part of it, without list marks."""
    found = (_LEAD.sub("", match[0]).strip() for match in _SENTENCE.finditer(_FENCED.sub("\n", text[:8000])))
    return [sentence for sentence in found if 8 <= len(sentence) <= QUOTE_LIMIT]


def without_itself(sentence: str) -> str:
    """The sentence of an agent up to where it speaks of itself; empty where it does from the start, or says no more."""
    only_doing = _DOING.match(sentence) is not None and not _FINITE.search(sentence)
    if only_doing or any(one.search(sentence) for one in (_MARKUP, _OF_ITSELF, _MEANWHILE)):
        return ""
    found = _ABOUT_ITSELF_NEXT.search(sentence)
    if found is None:
        return sentence
    before = sentence[: found.start()].rstrip(" ,;:—–-")
    is_subordinate = _SUBORDINATE.match(before) is not None and "," not in before
    return "" if is_subordinate or len(before.split()) < _LEAST else before


def _injected(text: str) -> bool:
    return text.lstrip()[:60].startswith(_INJECTED)


@lru_cache(maxsize=4)
def _words(changed: str) -> frozenset[str]:
    """Remembered, as one change is held against every error of a run."""
    return frozenset(words(changed))


@dataclass(frozen=True, slots=True)
class Near:
    """What was said right behind a failure or right before its fix, and the terms of the failing command and its output
    that tie it to them."""

    texts: frozenset[str] = frozenset()
    terms: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Claim:
    """A sentence that says more than what is done next, and its words."""

    sentence: str
    words: frozenset[str]


@lru_cache(maxsize=256)
def _kind(sentence: str) -> tuple[bool, bool]:
    """Whether a sentence names a cause, and a fix; sought only where its words tie it to an error."""
    return _CAUSE.search(sentence) is not None, _FIX.search(sentence) is not None


@lru_cache(maxsize=128)
def _claims(text: str, of_agent: bool) -> tuple[_Claim, ...]:
    """The claims of a message; remembered, as one message is read for every error of a run and of the next ones.

    What an agent says of itself is none: it tells what is done, not why that helps.
    """
    nonempty = (one for one in sentences(text) if not _EMPTY.search(one))
    return tuple(
        _Claim(
            sentence,
            frozenset((*words(sentence), *_LATIN.findall(sentence.lower()), *_QUOTED.findall(sentence.lower()))),
        )
        for sentence in (map(without_itself, nonempty) if of_agent else nonempty)
        if sentence
    )


def _score(
    claim: _Claim, role: str, error_words: frozenset[str], change_words: frozenset[str], terms: frozenset[str]
) -> int:
    of_error, near = claim.words & error_words, bool(claim.words & terms)
    shared = min(2, len(claim.words & change_words)) + min(2, len(of_error))
    if not of_error and not near and not (role == "user" and shared):
        return 0
    cause, fix = _kind(claim.sentence)
    dictated, close = role == "user" and fix and shared > 0, cause and near
    if not dictated and not close and not of_error:
        return 0
    return 3 * cause + 2 * fix + shared + 3 * dictated + close


LIMIT: Final = 2_000
"""Code points of a resolution text."""
_HUNKS: Final = 6
_COMMAND = 300
_LISTED = 5


def relative(path: str, project: str) -> str:
    """`path` as seen from `project`, in its own kind of slashes; unchanged where it lies elsewhere."""
    root = project.rstrip("/\\")
    windows = "\\" in root or bool(re.match(r"[A-Za-z]:", root))
    inside = path.replace("/", "\\").lower() if windows else path
    start = root.replace("/", "\\").lower() if windows else root
    if root and inside.startswith(start) and inside[len(start) : len(start) + 1] in ("/", "\\"):
        return path[len(root) + 1 :]
    return path[2:] if path.startswith("./") else path


def resolution_text(
    *,
    files: Sequence[str],
    hints: Sequence[Hint],
    commands: Sequence[str],
    instead: tuple[str, str] | None,
    explanation: tuple[str, int] | None,
    by_a_person: bool,
    lesson: Lesson,
    checked_idx: int,
) -> str:
    """The resolution as Markdown, at most `LIMIT` code points, redacted and free of control characters.

    It is the `lesson` in words, with every hunk that fits as its evidence. What to do comes first. `instead` are the
    failing and the working command where they differ; the check showed the error gone at message `checked_idx`.
    `by_a_person`: the explanation is what a person says to have done.
    """
    closing = f"**Checked**: {_code(lesson.check)} no longer shows the error (message {checked_idx})."
    done: list[str] = []
    if commands:
        done.append("**Run**\n\n" + "\n".join(f"- {_code(command)}" for command in commands[:_LISTED]))
    if instead is not None and instead[0] == instead[1]:
        done.append(_flat(lesson.do.text))
    elif instead is not None:
        done.append(f"**Run** {_code(instead[1])}\n\n**instead of** {_code(instead[0])}")
    rest: list[str] = []
    if lesson.dead_ends:
        rest.append("**Did not help**\n\n" + "\n".join(f"- {_code(one)}" for one in lesson.dead_ends))
    if explanation is not None:
        title = "Done by a person" if by_a_person else "Why"
        rest.append(f"**{title}** (message {explanation[1]})\n\n{_quote(explanation[0])}")
    if reasons := list(dict.fromkeys(_flat(one.why) for one in lesson.evidence)):
        listed = "\n".join(f"- {reason}" for reason in reasons[:_LISTED])
        rest.append(f"**Linked**\n\n{listed}")
    tail = "\n\n".join((*done, *rest, closing))
    changed = _changed(files, hints, LIMIT - len(tail) - 2)
    return clean(redact(f"{changed}\n\n{tail}" if changed else tail))[:LIMIT]


def _changed(files: Sequence[str], hints: Sequence[Hint], room: int) -> str:
    """The files to change, each with its hunks while there is `room`."""
    named = [f"**Change** {_code(file)}" for file in files[:_LISTED]]
    left = room - sum(len(line) + 2 for line in named)
    for hint in hints[:_HUNKS]:
        block = _diff(hint)
        if block and hint.file in files[:_LISTED] and len(block) + 2 <= left:
            named[files.index(hint.file)] += f"\n\n{block}"
            left -= len(block) + 2
    return "\n\n".join(named)[: max(room, 0)]


def _code(text: str) -> str:
    """`text` as a code span that its own back-ticks cannot close."""
    flat = " ".join(clean(text).split())
    flat = flat if len(flat) <= _COMMAND else flat[: _COMMAND - 1] + "…"
    fence = "`" * (1 + max((len(run) for run in re.findall(r"`+", flat)), default=0))
    return f"{fence}{flat}{fence}" if fence == "`" else f"{fence} {flat} {fence}"


def _quote(text: str) -> str:
    return "> " + " ".join(clean(text).split())


def _flat(text: str) -> str:
    return " ".join(clean(text).split())


def _diff(hint: Hint) -> str:
    """A hunk as a fenced diff, or an empty string where it is too long to help."""
    body = "\n".join(short_diff_lines(hint))
    if not body:
        return ""
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", body)), default=0))
    return f"{fence}diff\n{body}\n{fence}"
