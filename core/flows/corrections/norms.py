"""Whether a person states a norm: what holds from now on, not what is to be done here.

Judged by the form of the sentence, in this order. A question is no norm, and neither is what somebody pasted.

1. An adverb of generality (`always`, `never`) or of the time to come (`from now on`, `next time`, `whenever …`) in a
   directive: an imperative, `you` or `we` with a modal, `I want you to`, or any subject with a modal (`tests must
   never …`). The same adverb in a description (`it always fails`, `you never told me`) is none.
2. A habit of those who speak: `we` with a plain present verb and an object without an article (`we use tabs`). Not a
   state (`we have`, `we need`), not a progress, not the past.
3. A standing preference: `prefer X`, `use X instead of Y`, `I don't want Xs`, with kinds and not things.
4. A prohibition with a kind as its object (`don't use mocks`, `avoid globals`, `stop adding comments`), a setting of a
   kind (`in tests`), an exception (`unless I ask`) or the project as its scope (`in this repo`, `here`).
5. A condition of a kind: `only commit when I ask`, `before pushing, run the tests`, `when writing tests, use tables`.

What points at this moment (`this`, `it`, `now`, `first`, `yet`), at a named thing (a path, an identifier) or at one
thing (`the`, `a`) keeps 2 to 5 from being norms.

A Korean norm has a directive ending (`-세요`, `-해 줘`, `-지 마`, `-야 한다`, `-ㄹ 것`, `금지`) and one of:
- an adverb of generality or of the time to come (`항상`, `절대`, `앞으로`, `다음부터`, `-ㄹ 때마다`),
- the project as its scope (`이 저장소에서는`, `여기서는`),
- for a prohibition, a topic (`-은`, `-는`) or a place (`-에`, `-에는`) that is a kind of thing.
A habit is `우리는` with a plain present verb. What points at this moment (`이거`, `그`, `지금`, `일단`) is no norm
without such an adverb."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


OPENERS: Final = _set(
    "no nope nah hey oh ok okay yes yeah yep also and but so well hmm ugh please pls actually again btw look wait "
    "sorry thanks remember note fyi plus then"
)
"""Interjections and conjunctions before what is said."""
THIRD: Final = _set(
    "it it's this that that's these those they they're he she there there's the a an my your our its their his her "
    "some each every all both what which who where when why how because since if as although while i'm you're we're "
    "i've we've you've i'll we'll you'll i'd we'd is are was were did does do can could would will should might may "
    "has have had let's lets maybe perhaps not"
)
"""Words that begin no imperative: subjects, articles, question words, conjunctions, auxiliaries."""
MODALS: Final = _set("should must shall need ought have supposed mustn't shouldn't")
PAST: Final = _set(
    "seen saw had got gotten was were been did done went gone made came knew known thought found gave given took taken "
    "said told wrote written began begun broke broken felt kept left lost met paid sent shown stood understood"
)
AUXILIARIES: Final = _set("is are was were has have had do does can could will would should must")
DESCRIBED: Final = _set("it this that there they he she if whether")
"""Subjects and conjunctions before a modal that describe facts and give no instruction."""
STATES: Final = _set(
    "have need want are is can could will would should might may must know think see get got mean guess hope believe "
    "like love hate understand expect seem still already just only also really actually now currently all both were "
    "was had did do don't didn't haven't can't couldn't won't wouldn't shouldn't aren't weren't"
)
"""Words after `we` that express no habit: auxiliaries, verbs of state, adverbs of the moment."""
MENTAL: Final = _set("worry bother forget mind know think care understand see get believe want need have be")
POINTING: Final = _set(
    "this that these those it them him her now yet today tonight tomorrow first just already still currently anymore "
    "above below"
)
ARTICLES: Final = _set("the a an my your our his her its their this that these those another")
PREPOSITIONS: Final = _set("in on to for with from into at by of as about over under inside onto through via")
PRONOUNS: Final = _set("it me us them him her you that this these those so there")
LIGHT: Final = _set(
    "changes change files file edits code anything everything something nothing things stuff commands work questions "
    "assumptions more up down in out off on back ahead away over"
)
"""Objects that name no kind of thing: what is to be left alone in this moment; and particles of verbs."""
ASPECT: Final = _set("continuing proceeding going moving starting finishing beginning doing stopping")


MOST: Final = 2_000
"""Code points of a message that are read as what a person typed; a longer one was pasted."""
LONGEST: Final = 40
"""Words of a sentence that can be a rule."""
_END = re.compile(r"[.!?。!?](?=[\s\"')\]]|\Z)|[;\n]|\s[-–—]\s|[。!?](?=\S)")
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,2}[.)])[ \t]+")
_WORD = re.compile(r"\S+")
_AROUND: Final = "\"'“”‘’()[]{}<>*_,:.!?…~"


class Word(NamedTuple):
    """A word: in lower case without the signs around it, as written without them, and whether a comma follows."""

    text: str
    written: str
    comma: bool


class Sentence(NamedTuple):
    """A sentence at `start` to `end` of the message, in code points. `asks`: it ends with a question mark."""

    start: int
    end: int
    text: str
    words: tuple[Word, ...]
    asks: bool


def sentences_of(text: str) -> Iterator[Sentence]:
    """The sentences that a person typed. Fenced code, quoted lines and long sentences are left out."""
    if len(text) > MOST:
        return
    start, fenced = 0, False
    for line in text.split("\n"):
        bare = line.lstrip()
        if bare.startswith("```"):
            fenced = not fenced
        elif not fenced and not bare.startswith((">", "<", "$ ", "|", "+++", "---")):
            item = _ITEM.match(line)
            yield from _in_line(line, start, item.end() if item else 0)
        start += len(line) + 1


def _in_line(line: str, offset: int, begin: int) -> Iterator[Sentence]:
    for found in (*_END.finditer(line, begin), None):
        stop, after = (len(line), len(line)) if found is None else (found.start(), found.end())
        part = line[begin:stop]
        bare = part.strip()
        if bare:
            at = offset + begin + len(part) - len(part.lstrip())
            words = tuple(_word(one.group()) for one in _WORD.finditer(bare))
            if len(words) <= LONGEST:
                yield Sentence(at, at + len(bare), bare, words, found is not None and found.group() in "??")
        begin = after


def _word(written: str) -> Word:
    bare = written.strip(_AROUND)
    return Word(bare.replace("’", "'").casefold(), bare, written.endswith((",", ":", ",")))


_HANGUL = re.compile(r"[가-힣]")
_QUESTION = re.compile(r"(?:까|나|니|냐|가)요?\Z|(?:어때|왜|뭐)\Z")
_DIRECTIVE = re.compile(
    r"(?:세요|십시오|시오|줘요?|주세요|하자|[가-힣]자|해라|하라|[쓰두놓넣빼]라|말 ?것|할 ?것|[을를]? ?것|금지|"
    r"야 ?(?:해|한다|합니다|해요|돼|된다|됩니다|돼요|함)|지 ?(?:마|말자|말아|말라|말아라|마라|마요|맙시다|말고)|"
    r"해|써|하도록|하기|한다|합니다)\Z"
)
_DENIED = re.compile(r"지\s?(?:는\s|도\s)?(?:마|말)|금지\Z|(?:면|서는?)\s?안\s?(?:돼|된다|됩니다|되)")
_GENERAL = re.compile(
    r"(?:\A|\s)(?:항상|언제나|늘|절대로?|결코|무조건|매번|앞으로는?|앞으론|다음부터는?|다음부턴|이제부터는?|지금부터는?|원칙적으로)(?=\s|,)"
    r"|때마다|할 때는|때는 항상"
)
_PASTED_PAST = re.compile(r"[았었했였됐갔왔렸]\S{0,3}\Z")
_KOREAN_SCOPE = re.compile(
    r"(?:이|우리|저희) ?(?:프로젝트|저장소|레포|리포|코드베이스|팀)\S{0,4}(?=\s)"
    r"|(?:\A|\s)(?:여기서는|여기선|여기에서는|우리는|우린|저희는)(?=\s)"
)
_WE = re.compile(r"(?:\A|\s)(?:우리는|우린|저희는|우리 팀은|이 프로젝트는|이 저장소는)\s")
_PRESENT = re.compile(r"(?:[쓴한둔는]다|씁니다|합니다|습니다|써요?|해요?|지 ?않는다|지 ?않아요?|지 ?않습니다)\Z")
_POINTING = re.compile(
    r"(?:\A|\s)(?:이거|이건|이것|그거|그건|그것|저거|이게|그게|지금|일단|아직|방금|이번|오늘|먼저|(?:이|그|저)(?=\s))"
)
_KIND = re.compile(
    r"(?:\A|\s)[가-힣A-Za-z]{2,20}(?: [가-힣A-Za-z]{1,20}){0,2}?(?:은|는|에는|에다|에|엔|에서는|에서|으로|로)\s"
)
_MOST: Final = 300


def korean_reason(sentence: Sentence) -> str:
    """The form of norm that a Korean sentence has; empty where it is none, or not Korean."""
    text = sentence.text.rstrip(" .~!ㅎㅋㅠ")
    if not _HANGUL.search(text) or len(text) > _MOST or _QUESTION.search(text):
        return ""
    general, scope = _GENERAL.search(text), _KOREAN_SCOPE.search(text)
    rest = _KOREAN_SCOPE.sub(" ", text)
    if not _PASTED_PAST.search(text):
        directive = _DIRECTIVE.search(text) or _DENIED.search(text)
        if general and directive:
            return "a directive with always or never"
        if _WE.search(text) and _PRESENT.search(text) and not _POINTING.search(rest):
            return "a habit of the team"
        if directive and scope and not _POINTING.search(rest):
            return "a directive for the project"
        if _DENIED.search(text) and _KIND.search(text) and not _POINTING.search(text):
            return "a general prohibition"
    return ""


Words = Sequence[Word]


class Norm(NamedTuple):
    """A sentence that states a norm: its place in the message, in code points, and which form it has."""

    start: int
    end: int
    reason: str


def norms_in(text: str) -> tuple[Norm, ...]:
    """The norms in what a person said, in their order."""
    return tuple(_find_norms(text))


def _find_norms(text: str) -> Iterator[Norm]:
    for sentence in sentences_of(text):
        reason = "" if sentence.asks else korean_reason(sentence) or _english_reason(sentence)
        if reason:
            yield Norm(sentence.start, sentence.end, reason)


_AHEAD: Final = re.compile(
    r"\b(?:from (?:now|here) on(?:wards?)?|going forward|as a rule|at all times|by convention|under no circumstances"
    r"|(?:the )?next time|in general|in (?:the )?future(?=[,\s]*\Z|,)|(?:every|each) (?:single )?time|whenever"
    r"|any ?time|ever again)\b|\A(?:generally|in (?:the )?future)\b",
    re.IGNORECASE,
)
_OCCASIONS: Final = ("whenever", "every time", "each time", "anytime", "any time")
_SCOPE: Final = re.compile(
    r"\b(?:in|for|on|of|across|within) (?:this|our|the) (?:whole |entire )?"
    r"(?:repo(?:sitory)?|project|code ?base|monorepo|team|organi[sz]ation)\b|\b(?:around )?here\Z",
    re.IGNORECASE,
)
_EXCEPT: Final = re.compile(
    r"\b(?:unless|except (?:when|if|for)|without (?:asking|my|permission|approval|an?|being)|only (?:when|if|after))\b",
    re.IGNORECASE,
)
_NAMED: Final = re.compile(r"[a-z][A-Z]|\w_\w|\(\)|/[^/\s]+|\.[a-z]{1,4}\Z|\A#?\d|`|https?:|\A--?\w")
"""A word that names one thing: an identifier, a path, a file, a number, a flag."""


def _english_reason(sentence: Sentence) -> str:
    words = _without_openers(sentence.words)
    if len(words) < 2:
        return ""
    for reason, holds in _FORMS:
        if holds(words, sentence.text):
            return reason
    return ""


def _without_openers(words: Words) -> Words:
    at = 0
    while at < len(words) and words[at].text in OPENERS:
        at += 1
    return words[at:]


def _texts(words: Words) -> list[str]:
    return [word.text for word in words]


# Form 1 --------------------------------------------------------------------------------------------------------------


def _is_general(words: Words, text: str) -> bool:
    """`always` and `never` as part of a directive."""
    texts = _texts(words)
    return any(
        word in ("always", "never") and _directs(words, at) and not (texts[at + 1 :] and "now" in texts[at + 1 :])
        for at, word in enumerate(texts)
    )


def _directs(words: Words, at: int) -> bool:
    texts = _texts(words)
    behind = texts[at + 1] if at + 1 < len(texts) else ""
    before = texts[at - 1] if at else ""
    if texts[at : at + 2] == ["never", "mind"]:
        return False
    if at == 0:
        return _is_base(behind)
    if before in MODALS or (before in ("to", "not") and texts[at - 2] in MODALS):
        return not DESCRIBED.intersection(texts[:at])
    if before in ("we", "you"):
        first = at == 1 or words[at - 2].comma
        return first and before == "we" and _is_base(behind) and behind not in STATES
    if texts[0] in THIRD and texts[:3] != ["i", "want", "you"]:
        return False
    if texts[0] in ("i", "you", "we"):
        return before == "to" and texts[1] in ("want", "need", "expect", "have", "ought", "prefer", "like", "would")
    joined = before in ("to", "and", "but", "or") or words[at - 1].comma
    return _is_imperative(words) and (joined or (behind == "" and at > 1)) and not behind.endswith("ing")


def _is_base(word: str) -> bool:
    """Whether a word may be a verb without an ending."""
    plural = word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return bool(word) and not plural and word not in PAST | THIRD - {"do", "let"} and not word.endswith(("ed", "ing"))


def _is_imperative(words: Words) -> bool:
    first = words[0].text
    if first in ("don't", "do", "never", "always", "only"):
        return True
    return first.isalpha() and first not in ("i", "we", "you") and first not in PREPOSITIONS and _is_base(first)


def _is_ahead(words: Words, text: str) -> bool:
    """A directive that says it is for the time to come."""
    found = _AHEAD.search(text)
    if found is None:
        return False
    phrase = found.group().casefold()
    rest = text[: found.start()] + text[found.end() :] if found.start() else text[found.end() :]
    if not found.start() and (phrase in _OCCASIONS or ("next time" in phrase and "," in rest)):
        rest = rest.partition(",")[2]
    main = _without_openers(next((one.words for one in sentences_of(rest.strip(" ,:"))), ()))
    if len(main) < 2:
        return False
    first, second = main[0].text, main[1].text
    if first in ("you", "we"):
        return second in MODALS | {"don't", "do", "will"} or (
            first == "we" and second not in STATES and _is_base(second)
        )
    if first == "i":
        return second in ("want", "expect", "don't", "need")
    return first == "let's" or _is_imperative(main)


# Forms 2 to 5 --------------------------------------------------------------------------------------------------------


def _is_habit(words: Words, text: str) -> bool:
    """`we use tabs`, `we don't mock the database in tests`, `in this repo we squash`."""
    texts = _texts(words)
    if "we" not in texts[:6]:
        return False
    at = texts.index("we")
    if at and not (words[at - 1].comma or _SCOPE.search(" ".join(texts[:at])) or texts[:at] == ["here"]):
        return False
    denied = texts[at + 1 : at + 2] == ["don't"] or texts[at + 1 : at + 3] == ["do", "not"]
    verb = at + 1 + (0 if not denied else 1 if texts[at + 1] == "don't" else 2)
    if verb >= len(texts) or texts[verb] in STATES | MENTAL or not _is_base(texts[verb]) or _points(words, text):
        return False
    scoped = bool(_SCOPE.search(text))
    if denied:
        return scoped or _is_kind(words[verb + 1 :])
    rest = words[verb + 1 :]
    return (texts[verb] == "use" and _is_kind(rest)) or (scoped and bool(rest)) or _contrasts(rest)


def _is_preference(words: Words, text: str) -> bool:
    """`prefer subagents`, `use pnpm instead of npm`, `I don't want tokens under my account`."""
    texts = _texts(words)
    if texts[0] == "prefer":
        return not _points(words, text) and _is_kind(words[1:])
    if texts[0] == "use":
        return not _points(words, text) and _contrasts(words[1:])
    wanting = texts[:2] in (["i", "want"], ["i", "prefer"]) or texts[:3] in (
        ["i", "don't", "want"],
        ["i", "don't", "like"],
    )
    at = 3 if texts[1:2] == ["don't"] else 2
    if texts[at : at + 2] in (["to", "have"], ["to", "see"]):
        at += 2
    head = words[at:]
    return wanting and not _points(words, text) and _is_kind(head) and head[0].text.endswith("s")


def _is_prohibition(words: Words, text: str) -> bool:
    texts = _texts(words)
    at = 1 if texts[0] in ("don't", "dont") else 2 if texts[:2] in (["do", "not"], ["please", "don't"]) else 0
    if at:
        if at >= len(texts) or texts[at] in MENTAL:
            return False
        if _EXCEPT.search(text):
            return True
        if _points(words, text):
            return False
        return bool(_SCOPE.search(text)) or _is_kind(words[at + 1 :])
    if texts[0] in ("avoid", "stop") and len(texts) > 1 and not _points(words, text):
        rest = words[2:] if texts[1].endswith("ing") else words[1:]
        return (texts[0] == "avoid" or texts[1].endswith("ing")) and _is_kind(rest)
    return False


def _is_conditional(words: Words, text: str) -> bool:
    """`only commit when I ask`, `run the tests before pushing`, `when writing tests, use tables`."""
    texts = _texts(words)
    if texts[0] == "only" and _is_base(texts[1]):
        return any(word in ("when", "if", "after", "once") for word in texts[2:]) and not _points(words, text)
    if texts[0] in ("when", "before", "after") and any(word.comma for word in words[1:-1]):
        comma = next(at for at, word in enumerate(words) if word.comma)
        return _is_occasion(words[1 : comma + 1]) and _is_imperative(words[comma + 1 :]) and not _points(words, text)
    for at, word in enumerate(texts):
        if at > 1 and word in ("before", "after") and _is_imperative(words):
            return _is_occasion(words[at + 1 :]) and not _points(words, text)
    return False


def _is_occasion(words: Words) -> bool:
    """`pushing`, `writing tests`, `you commit`, `every commit`: a kind of moment, not one."""
    if not words:
        return False
    first = words[0].text
    if first in ("every", "each", "any"):
        return len(words) > 1
    if first == "you" and len(words) > 1:
        return _is_base(words[1].text) and (len(words) == 2 or _is_kind(words[2:]))
    return first.endswith("ing") and first not in ASPECT and (len(words) == 1 or _is_kind(words[1:]))


def _points(words: Words, text: str) -> bool:
    """Whether the sentence points at this moment or at one named thing."""
    plain = _texts(tuple(one for part in sentences_of(_SCOPE.sub(" ", text)) for one in part.words))
    pointing = (
        word in POINTING and not (word == "that" and at and _is_relative(plain, at)) for at, word in enumerate(plain)
    )
    return any(pointing) or any(_NAMED.search(word.written) for word in words)


def _is_relative(texts: Sequence[str], at: int) -> bool:
    """Whether `that` begins a relative clause: behind a plural, or before an auxiliary."""
    return _is_plural(texts[at - 1]) or "".join(texts[at + 1 : at + 2]) in AUXILIARIES


def _is_kind(words: Words) -> bool:
    """Whether an object names a kind and not a thing: a noun without an article (also behind a preposition), or any."""
    texts = _texts(words)
    if not texts:
        return False
    if texts[0] == "any":
        return len(texts) > 1 and texts[1] not in LIGHT
    if texts[0] == "to" and len(texts) > 1 and texts[1] in ("use", "rely", "depend", "add", "write"):
        return _is_kind(words[2:])
    if texts[0] in PREPOSITIONS:
        return len(texts) > 1 and _is_noun(texts[1])
    if texts[0] in ARTICLES:  # the one thing, in a setting of a kind: `the database in tests`
        return any(
            word in ("in", "for", "from", "during")
            and _is_noun("".join(texts[at + 1 : at + 2]))
            and any(map(_is_plural, texts[at + 1 : at + 3]))
            for at, word in enumerate(texts)
        )
    return _is_noun(texts[0])


def _is_noun(word: str) -> bool:
    return word[:1].isalnum() and word not in ARTICLES | PRONOUNS | LIGHT | THIRD and not word[0].isdigit()


def _is_plural(word: str) -> bool:
    return word.endswith("s") and len(word) > 3 and not word.endswith(("ss", "us", "is"))


def _contrasts(words: Words) -> bool:
    """`pnpm instead of npm`, `tabs, not spaces`: both sides are kinds."""
    texts = _texts(words)
    for at, word in enumerate(texts):
        width = (
            2 if texts[at : at + 2] in (["instead", "of"], ["rather", "than"]) else 1 if word in ("over", "not") else 0
        )
        if at and width:
            return _is_kind(words[:at]) and _is_kind(words[at + width :])
    return False


_FORMS: Final[tuple[tuple[str, Callable[[Words, str], bool]], ...]] = (
    ("a directive with always or never", _is_general),
    ("a directive for the future", _is_ahead),
    ("a habit of the team", _is_habit),
    ("a lasting preference", _is_preference),
    ("a general prohibition", _is_prohibition),
    ("a directive for a recurring situation", _is_conditional),
)
