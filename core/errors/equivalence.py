"""Whether two messages report the same error: their codes, what fails, their names, and the words in which they differ.

Two messages built alike of which one word or the end differs are two errors: `no route to host` and `connection
refused`, `too many` and `too few`. A name may differ, because every machine has its own. Only rules and plain antonyms
decide, no list of errors. A word counts by its inverse document frequency among the errors.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple, cast

import apsw

from core.base.lazy import lazy_pattern
from core.errors.identity.codes import differing_codes
from core.errors.identity.envelope import without_wrappers
from core.errors.retrieval.answer import OtherName

_THOUSAND: Final = (
    "error 181 failed 75 type 74 found 60 file 52 exception 52 invalid 50 value 50 get 45 name 30 missing 30 server "
    "27 must 26 function 26 argument 26 object 25 already 25 unknown 24 because 24 key 24 class 23 make 23 module 22 "
    "request 21 use 21 out 21 field 21 exceeded 20 package 19 expected 19 find 19 property 18 exist 18 "
    "directory 18 com 18 unable 18 version 17 variable 17 resource 17 syntax 16 used 16 response 16 method 16 command "
    "15 current 15 path 15 drop 15 undefined 15 json 15 string 15 org 15 access 15 url 14 load 14 warning 14 required "
    "14 connection 14 code 14 read 14 files 14 state 14 defined 14 reference 13 match 13 import 13 open 13 "
    "unsupported 12 project 12 target 12 running 12 database 12 column 12 exists 12 denied 12 call 11 named 11 "
    "expression 11 non 11 bad 11 table 11 daemon 11 service 11 dependency 11 using 11 requested 11 after 11 set 11 "
    "create 11 lock 11 parameter 11 container 11 requires 10 operation 10 valid 10 limit 10 called 10 "
    "arguments 10 integer 10 refused 10 many 10 build 10 connect 10 resolve 9 memory 9 node 9 empty 9 data 9 process "
    "9 start 9 incompatible 9 err 8 size 8 unexpected 8 format 8 member 8 return 8 statement 8 null 8 instance 8 int "
    "8 thread 8 status 8 timeout 8 system 8 sql 8 web 8 time 8 range 8 run 8 near 8 same 8 webpack 8 plugin 8 "
    "environment 8 attribute 8 different 8 input 8 component 8 group 8 closed 8 got 8 allowed 8 update 8 check 8 left "
    "8 test 8 local 8 http 8 mismatch 8 row 8 login 8 device 8 supported 7 maximum 7 declared 7 duplicate 7 specified "
    "7 constraint 7 given 7 returned 7 context 7 stop 7 overflow 7 long 7 block 7 query 7 available 7 struct 7 "
    "matching 6 stack 6 dependencies 6 conflict 6 imported 6 initialized 6 vite 6 detected 6 provided 6 default 6 "
    "script 6 may 6 max 6 port 6 certificate 6 length 6 content 6 execute 6 transaction 6 image 6 element 6 number 6 "
    "parse 6 scope 6 values 6 large 6 array 6 timed 6 option 6 illegal 6 host 6 types 6 nil 6 address 6 repository 6 "
    "active 6 authentication 6 permission 6 fix 5 private 5 remote 5 multiple 5 setting 5 write 5 received 5 "
    "assignment 5 before 5 due 5 wrong 5 src 5 result 5 react 5 objects 5 initialization 5 exit 5 variables 5 attempt "
    "5 expired 5 exceptions 5 trait 5 items 5 java 5 add 5 release 5 space 5 security 5 systemd 5 php 5 blocked 5 "
    "workspace 5 password 5 feature 5 git 5 library 5 peer 5 engine 5 hook 5 options 5 const 5 vue 5 circular 5 "
    "output 5 currently 5 instead 5 constructor 5 delete 5 known 5 declaration 5 terminated 5 channel 5 relation 5 "
    "depends 5 page 5 keys 5 bind 5 trying 5 rule 5 remove 5 sequence 5 socket 5 new 5 sync 5 loop 5 incorrect 5 "
    "metrics 5 message 5 template 5 task 5 foreign 5 mapping 5 packages 5 source 5 storage 5 ambiguous 5 fatal 5 "
    "validation 5 pull 5 violates 5 policy 5 forbidden 5 try 5 localhost 5 contain 4 merge 4 contains 4 enabled 4 "
    "present 4 assign 4 export 4 entry 4 yet 4 body 4 base 4 abstract 4 include 4 operator 4 referenced 4 end 4 "
    "extension 4 agent 4 first 4 unauthorized 4 lookup 4 namespace 4 cast 4 schema 4 during 4 unrecognized 4 loading "
    "4 entity 4 prop 4 requests 4 child 4 render 4 location 4 warn 4 another 4 between 4 str 4 apply 4 byte 4 convert "
    "4 conversion 4 reading 4 pool 4 zero 4 conflicting 4 models 4 clients 4 needed 4 installed 4 signature 4 unused "
    "4 panicked 4 header 4 creating 4 execution 4 reached 4 parsing 4 branch 4 waiting 4 main 4 network 4 commit 4 "
    "pod 4 configs 4 record 4 redis 4 located 4 role 4 registry 4 program 4 docker 4 "
)
SMALL_BASE: Final = 50
"""Cases below which the base itself cannot say which words are common: the shipped table alone does."""
_CONTENT = 25  # of a thousand errors that may have a word which still says what an error is about


def _table() -> Mapping[str, int]:
    parts = _THOUSAND.split()
    return {word: int(count) for word, count in zip(parts[::2], parts[1::2], strict=True)}


_SHARES: Final = _table()


def weights(con: apsw.Connection, terms: Iterable[str], cases: int) -> dict[str, float]:
    """The idf of each word in a base of so many `cases`: ln(1 + N/df), N at least `SMALL_BASE`.

    How many cases have a word is what the index counts, and at least what the shipped table of a thousand errors lets
    expect: the index knows `TypeError` as one word, and a small base knows nothing.
    """
    if cases < SMALL_BASE:
        return expected(terms, cases)
    several = list(terms)
    rows = con.execute(
        "SELECT term, doc FROM json_each(?) CROSS JOIN case_term ON term = value", (json.dumps(several),)
    ).fetchall()
    counted = dict(cast("list[tuple[str, int]]", rows))
    return {word: _idf(word, cases, counted.get(word, 0)) for word in several}


def expected(terms: Iterable[str], cases: int) -> dict[str, float]:
    """The same by the shipped table alone."""
    return {word: _idf(word, cases, 0) for word in terms}


def _idf(word: str, cases: int, counted: int) -> float:
    size = max(cases, SMALL_BASE)
    return math.log(1 + size / max(1.0, counted, _SHARES.get(word, 0) * size / 1000))


def heaviest(cases: int) -> float:
    """The idf of a word that one case alone has."""
    return math.log(1 + max(cases, SMALL_BASE))


def is_content(word: str) -> bool:
    """Whether the word says what an error is about: `module` does, `failed` does not."""
    return _SHARES.get(word, 0) <= _CONTENT


def is_of_errors(word: str) -> bool:
    """Return whether the word describes errors, whatever they are about: a word of the shipped table."""
    return word in _SHARES


_TEMPLATE_IN: Final = 400  # code points of a key line that are looked at
_QUOTED = lazy_pattern(r"'[^'\n]{1,120}'|\"[^\"\n]{1,120}\"|`[^`'\n]{1,120}[`']|‘[^’\n]{1,120}’|“[^”\n]{1,120}”")
_NAME_SIGN = lazy_pattern(r"[_/\\@#<>=\d]|(?<=\w)[.:](?=\w)|(?<=[a-z])[A-Z]")
_WORD = lazy_pattern(r"[^\W\d_]+(?:['’]t)?")
_JOINING: Final = (
    "a an the is are was were be been of to in on at by for from with and or as it its this that your you has have had"
)
_SILENT: Final = frozenset(_JOINING.split())
_SAME: Final = {
    "illegal": "invalid", "bad": "invalid", "malformed": "invalid", "wrong": "invalid", "incorrect": "invalid",
    "unable": "cannot", "couldn't": "cannot", "can't": "cannot", "locate": "find", "found": "find", "resolve": "find",
}  # fmt: skip
_ENDINGS: Final = ("ing", "ed", "es", "s")
# Beginnings that turn a word into its opposite, the rest being the same: decode and encode, underflow and overflow.
_TURNS: Final = (
    ("en", "de"), ("en", "dis"), ("im", "ex"), ("in", "ex"), ("up", "down"), ("over", "under"), ("in", "out"),
    ("pre", "post"),
)  # fmt: skip
_ANTONYMS: Final = (
    "few many,fewer more,less more,first last,before after,min max,minimum maximum,start shutdown,starting shutting,"
    "starting stopping,start stop,started stopped,open closed,opening closing,lock unlock,locked unlocked,read write,"
    "reading writing,readable writable,add remove,added removed,mutable immutable,left right,top bottom,upper lower,"
    "public private,static dynamic,client server,request response,parent child,row column,rows columns,send receive,"
    "sending receiving,sent received,push pull,up down,old new,older newer,short long,shorter longer,small large,"
    "smaller larger,always never,required optional,missing unexpected,missing extra,source target,success failure,"
    "positive negative,empty full,begin end,local remote,connect disconnect,install uninstall,create delete,"
    "created deleted,attach detach"
)


def _pairs() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in _ANTONYMS.split(","):
        one, other = pair.split()
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return {word: frozenset(several) for word, several in found.items()}


_OPPOSITE: Final = _pairs()


def plain_words(key_line: str) -> tuple[str, ...]:
    """The plain words of a message in order, without its wrappers and without names, quotes, paths and numbers."""
    text = _QUOTED.sub(" ", without_wrappers(key_line[:_TEMPLATE_IN]))
    plain = (part for part in text.split() if not _NAME_SIGN.search(part.strip(".,:;!?()[]{}")))
    return tuple(word.casefold().replace("’", "'") for part in plain for word in _WORD.findall(part))


def difference(ours: Sequence[str], theirs: Sequence[str]) -> tuple[str, str] | None:
    """What one says and what the other says instead, both `plain_words`; None where that is no reason to part them."""
    return _antonyms(ours, theirs) or _one_place(ours, theirs) or _another_end(ours, theirs)


def _antonyms(ours: Sequence[str], theirs: Sequence[str]) -> tuple[str, str] | None:
    """Opposite words, one in each, where something else is said by both."""
    mine, other = frozenset(ours), frozenset(theirs)
    if not frozenset(_content(ours)) & frozenset(_content(theirs)):
        return None
    for word in sorted(mine - other):
        for opposite in sorted(_opposites(word)):
            if opposite in other and opposite not in mine:
                return word, opposite
    return None


def _opposites(word: str) -> Iterable[str]:
    yield from _OPPOSITE.get(word, ())
    for pair in _TURNS:
        for start, turned in (pair, pair[::-1]):
            if word.startswith(start) and len(word) >= len(start) + 3:
                yield turned + word[len(start) :]


def _one_place(ours: Sequence[str], theirs: Sequence[str]) -> tuple[str, str] | None:
    """Return the words of errors that fill one place in otherwise equal sentences."""
    begin = _equal(ours, theirs)
    end = _equal(ours[begin:][::-1], theirs[begin:][::-1])
    mine, other = _content(ours[begin : len(ours) - end]), _content(theirs[begin : len(theirs) - end])
    frame = _content((*ours[:begin], *ours[len(ours) - end :]))
    if len(frame) < 2 or not _differ(mine, other, 3):
        return None
    both_errors = any(map(is_of_errors, mine)) and any(map(is_of_errors, other))
    return (" ".join(mine), " ".join(other)) if both_errors else None


def _another_end(ours: Sequence[str], theirs: Sequence[str]) -> tuple[str, str] | None:
    """Return two sentences with the same beginning and nothing in common after it."""
    begin = _equal(ours, theirs)
    mine, other = _content(ours[begin:]), _content(theirs[begin:])
    if len(_content(ours[:begin])) < 3 or not _differ(mine, other, 7):
        return None
    return " ".join(mine), " ".join(other)


def _equal(ours: Sequence[str], theirs: Sequence[str]) -> int:
    """How many words at the beginning are the same in both."""
    count = 0
    for one, other in zip(ours, theirs, strict=False):
        if _stem(one) != _stem(other):
            break
        count += 1
    return count


def _differ(mine: Sequence[str], other: Sequence[str], most: int) -> bool:
    """Whether both say something, not too much, and nothing that the other says."""
    if not (0 < len(mine) <= most and 0 < len(other) <= most):
        return False
    return not any(_akin(one, two) for one in mine for two in other)


def _akin(one: str, two: str) -> bool:
    if _stem(one) == _stem(two):
        return True
    return min(len(one), len(two)) >= 3 and (one.startswith(two) or two.startswith(one))


def _content(several: Iterable[str]) -> list[str]:
    return [_SAME.get(word, word) for word in several if word not in _SILENT]


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) >= len(ending) + 4:
            return word[: -len(ending)]
    return word


_KINDS: Final = {
    "something is missing": lazy_pattern(
        r"not found|no such|(?:cannot|can't|could not|couldn't|unable to|failed to) (?:find|locate|resolve|open)"
        r"|missing|(?:does not|doesn't|did not|not) exist|undefined|undeclared|unresolved|unknown|unrecognized"
        r"|not (?:been )?(?:defined|declared|recognized|installed|registered|in)\b"
        r"|\bno (?:module|matching|rule|package|default|available)|찾을 수 없|존재하지|누락"
    ),
    "something is there already": lazy_pattern(
        r"already (?:exist|in use|used|defined|declared|allocated|running|registered|initialized|been)|duplicate"
        r"|redeclare|redefin|multiple definition|unique|\bconflicts?\b|중복|이미"
    ),
    "something is not allowed": lazy_pattern(
        r"denied|forbidden|not (?:permitted|allowed|authorized)|unauthorized|authenticat|permission|password"
        r"|credential|not in the sudoers|거부|권한"
    ),
    "nobody answers": lazy_pattern(r"connect\w{0,16} refused|unreachable|no route to host|연결이 거부"),
    "it took too long": lazy_pattern(r"timed? ?out|timeout|deadline|시간.{0,4}초과"),
    "it was cut off": lazy_pattern(
        r"reset by peer|hung up|broken pipe|closed|gone away|lost connection|disconnect|prematurely"
    ),
    "there is no room": lazy_pattern(
        r"no space|out of memory|too (?:large|long|big|many)|exceed|quota|limit|exhausted|insufficient|부족|초과"
    ),
    "it has expired": lazy_pattern(r"expired|만료"),
    "it cannot be read": lazy_pattern(
        r"syntax|unexpected|\bpars(?:e|ing)\b|expected|unterminated|malformed|invalid (?:syntax|character|token)|구문"
    ),
    "it is locked": lazy_pattern(r"\block(?:ed)?\b|busy|deadlock|잠겨|잠금"),
    "the name is not known": lazy_pattern(r"resolv\w{0,16} host|resolution|hostname|name or service"),
    "the types do not fit": lazy_pattern(
        r"assignable|incompatible|mismatch|cannot be cast|invalid type|cannot (?:use|convert)|unsupported operand"
    ),
    "it does not run": lazy_pattern(
        r"not (?:currently )?(?:running|started|active)|isn['’]t running|(?:is|are|was) stopped|실행 중이 아"
    ),
    "it cannot be changed": lazy_pattern(r"read ?only|immutable|cannot be (?:changed|modified|updated|reassigned)"),
    "it is damaged": lazy_pattern(r"corrupt|damaged|checksum|\bcrc\b|malformed (?:image|archive)|truncated|손상"),
    "it is not supported": lazy_pattern(r"not supported|unsupported|not implemented|deprecated|지원하지 않"),
    "it is used too early": lazy_pattern(
        r"before (?:initiali[sz]ation|assignment|being)|not (?:been )?(?:initiali[sz]ed|assigned)|uninitiali[sz]ed"
    ),
    "it lies outside": lazy_pattern(r"out of (?:range|bounds)|overflow"),
}


_PER_THOUSAND: Final = {
    "something is missing": 183, "it cannot be read": 59, "something is there already": 47, "there is no room": 36,
    "the types do not fit": 26, "something is not allowed": 25, "it is not supported": 25, "it lies outside": 15,
    "it was cut off": 12, "it is locked": 8, "it cannot be changed": 8, "it took too long": 7,
    "it is used too early": 6, "it is damaged": 3, "nobody answers": 2, "it has expired": 2,
}  # fmt: skip


def weight_of_kinds(several: Iterable[str]) -> float:
    """What it says that two errors are of these kinds: little where many are (idf over a thousand shipped errors)."""
    return math.fsum(math.log(1 + 1000 / _PER_THOUSAND.get(kind, 1)) for kind in several)


def failure_kinds(text: str) -> frozenset[str]:
    """The kinds of failure that a text from `embed_text` names, in plain words; often none, sometimes several."""
    return frozenset(kind for kind, pattern in _KINDS.items() if pattern.search(text))


def kinds_differ(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    """Whether both name kinds and share none."""
    return bool(ours) and bool(theirs) and not ours & theirs


_NOUNS: Final = {
    "table": "a table", "relation": "a table", "column": "a column", "database": "a database", "schema": "a database",
    "role": "a role", "user": "a role", "function": "a function", "procedure": "a function",
    "container": "a container", "image": "an image", "manifest": "an image", "network": "a network",
    "volume": "a volume", "branch": "a branch", "ref": "a branch", "remote": "a remote", "secret": "a secret",
    "configmap": "a config map", "namespace": "a namespace", "module": "a module", "package": "a module",
    "resource": "a resource", "command": "a command", "executable": "a command",
}  # fmt: skip
_NOUN: Final = "|".join(_NOUNS)
# `no such NOUN`, `NOUN … does not exist`; in `column seed of relation beds does not exist` it is the column.
_LACKING: Final = lazy_pattern(
    rf"\b(?:no such|no|unknown|undefined|undeclared|unresolved|missing) (?P<one>{_NOUN})\b"
    rf"|\b(?P<other>{_NOUN})\b(?: (?!of |in |on |for |from )[^\s]+){{0,2}}"
    r"(?: (?:of|in|on|for|from)(?: [^\s]+){1,3})?"
    r" (?:do(?:es)? not exist|doesn['’]?t exist|(?:was |is |could )?not (?:be )?found|already exists|unknown)"
)

_GROUPS: Final[tuple[dict[str, re.Pattern[str]], ...]] = (
    {
        "a unique value": lazy_pattern(r"\bunique\b|duplicate (?:key|entry)|고유|중복 ?키"),
        "a value that is null": lazy_pattern(r"\bnot null\b|null value|cannot be null"),
        "a foreign key": lazy_pattern(r"\bforeign key|외래 ?키"),
        "a check": lazy_pattern(r"\bcheck constraint"),
    },
    {
        "decoding": lazy_pattern(r"\bdecod(?:e|ing)\b"),
        "encoding": lazy_pattern(r"\bencode\b"),
    },
    {
        "a refused connection": lazy_pattern(r"connect\w{0,16} (?:was )?refused|refused (?:the )?connect"),
        "no route": lazy_pattern(r"no route to host|(?:network|host) (?:is )?unreachable"),
        "a connection that was cut": lazy_pattern(r"reset by peer|broken pipe|hung up|closed prematurely|prematurely"),
        "a name that does not resolve": lazy_pattern(
            r"resolve host|name or service not known|getaddrinfo|name resolution|no such host"
        ),
        "time that ran out": lazy_pattern(r"timed out|timeout"),
    },
    {
        "an expired certificate": lazy_pattern(r"certificate (?:has |is )?expired|certificate.{0,20}not yet valid"),
        "an issuer nobody knows": lazy_pattern(
            r"self signed|local issuer|unknown (?:authority|ca)\b|first certificate"
        ),
        "a certificate of another host": lazy_pattern(
            r"altname|host ?name mismatch|ip sans|certificate is (?:not )?valid for"
        ),
        "the version of TLS": lazy_pattern(r"wrong version number|unsupported protocol|protocol version"),
    },
    {
        "a missing argument": lazy_pattern(
            r"missing (?:\d+ )?required|missing (?:\d+ )?(?:positional |keyword )?argument"
        ),
        "an argument given twice": lazy_pattern(r"multiple values for"),
        "an argument nobody asked for": lazy_pattern(r"unexpected keyword"),
    },
    {
        "a name that is not defined": lazy_pattern(
            r"(?:is|was) not defined|cannot find name|undefined (?:name|variable)"
        ),
        "a name used too early": lazy_pattern(r"before (?:initiali[sz]ation|assignment|being)|uninitiali[sz]ed"),
        "a name never used": lazy_pattern(r"never used|(?:and|but) not used|unused"),
    },
    {
        "what only a browser has": lazy_pattern(
            r"\b(?:window|document|local storage|session storage|navigator) is not defined"
        ),
        "what was not loaded": lazy_pattern(
            r"\b(?:process|require|module|exports|dirname|global|buffer|j ?query) is not defined"
        ),
    },
    {
        "the heap": lazy_pattern(r"heap (?:space|out of|limit)|reached heap"),
        "a thread": lazy_pattern(r"native thread|new thread"),
        "classes": lazy_pattern(r"metaspace|permgen"),
        "the stack": lazy_pattern(r"call stack|stack overflow|recursion"),
        "the graphics card": lazy_pattern(r"\bcuda\b|\bgpu\b"),
    },
    {
        "a process that ended": lazy_pattern(r"code exited"),
        "a process that was killed": lazy_pattern(r"code (?:killed|dumped)"),
    },
    {
        "commits of others": lazy_pattern(r"fast forward|fetch first|tip of your current branch"),
        "a hook": lazy_pattern(r"hook declined|protected branch"),
    },
    {
        "changes": lazy_pattern(r"local changes|uncommitted changes"),
        "untracked files": lazy_pattern(r"untracked"),
    },
    {
        "compiling": lazy_pattern(r"\bcompil(?:e|ation|er)\b"),
        "tests": lazy_pattern(r"test failures|tests? failed|\bsurefire\b"),
        "linting": lazy_pattern(r"\blint"),
    },
)


def opposites(text: str) -> tuple[frozenset[str], ...]:
    """What a text from `embed_text` names in each group, the last of which is what it lacks; mostly nothing."""
    return (*(_named(group, text) for group in _GROUPS), _lacking(text))


def opposed(ours: tuple[frozenset[str], ...], theirs: str) -> tuple[str, str] | None:
    """What either is about where they exclude each other; None if nothing does.

    `ours` is what `opposites` says of the one, `theirs` the text of the other, of which only that much is looked at.
    """
    for at, mine in enumerate(ours):
        if mine:
            other = _named(_GROUPS[at], theirs) if at < len(_GROUPS) else _lacking(theirs)
            if other and not mine & other:
                return min(mine), min(other)
    return None


def agreed(ours: tuple[frozenset[str], ...], theirs: str) -> int:
    """In how many groups both are about the same; `ours` and `theirs` as `opposed` takes them."""
    count = 0
    for at, mine in enumerate(ours):
        if mine:
            count += bool(mine & (_named(_GROUPS[at], theirs) if at < len(_GROUPS) else _lacking(theirs)))
    return count


def _named(group: dict[str, re.Pattern[str]], text: str) -> frozenset[str]:
    return frozenset(name for name, found in group.items() if found.search(text))


def _lacking(text: str) -> frozenset[str]:
    return frozenset(_NOUNS[match["one"] or match["other"]] for match in _LACKING.finditer(text))


def other_code(ours: frozenset[tuple[str, str]], theirs: frozenset[tuple[str, str]]) -> str:
    """That they have other codes, and which, both as `codes` reads them; empty if not."""
    differing = differing_codes(ours, theirs)
    named = (
        f"{kind} {min(value for at, value in side if at == kind)}" for kind in differing for side in (ours, theirs)
    )
    return f"the codes differ ({', '.join(named)})" if differing else ""


def other_failure(ours: frozenset[str], theirs: frozenset[str]) -> str:
    """That they fail in other ways, both as `failure_kinds` reads them; empty if not."""
    return f"one says that {min(ours)}, the other that {min(theirs)}" if kinds_differ(ours, theirs) else ""


def other_subject(ours: tuple[frozenset[str], ...], theirs: str) -> str:
    """That they are about what excludes each other, both as `opposed` takes them; empty if not."""
    differing = opposed(ours, theirs)
    return f"one is about {differing[0]}, the other about {differing[1]}" if differing else ""


def other_word(ours: Sequence[str], theirs: Sequence[str]) -> str:
    """That one word or the end of an equal sentence differs, both as `plain_words` reads them; empty if not."""
    differing = difference(ours, theirs)
    return f"the same sentence, but one says “{differing[0]}”, the other “{differing[1]}”" if differing else ""


SHOWN: Final = 3
"""Maximum number of name pairs in a reason."""
_NAMES_IN: Final = 2_048  # code points of a key line that are looked at

# A fingerprint has its quotes folded to one, and paths, numbers and times masked: what is left are names.
_MASKED_QUOTE = lazy_pattern(r"(?<![A-Za-z0-9_])'([^'\n]{1,100})'(?![A-Za-z0-9_])")
_NUMBER = lazy_pattern(
    r"(?<![A-Za-z0-9_.])v?[0-9]+(?:[._+-](?:[0-9]+|(?:alpha|beta|rc|dev|pre|post)[.-]?[0-9]*)(?![A-Za-z]))*(?![A-Za-z0-9_])"
)
# A fingerprint masks paths, yet a module is named by its relative path.
_OF_MODULES = lazy_pattern(r"(?i)\b(?:modules?|imports?|resolve|packages?|require)\b|모듈|패키지")
_MODULE = lazy_pattern(r"['\"`‘“](\.{1,2}/[^'\"`’”\n]{1,100})['\"`’”]")


class Named(NamedTuple):
    """One error, by its fingerprint and its key line."""

    fingerprint: str
    key_line: str


def other_names(known: Named, searched: Named) -> tuple[OtherName, ...]:
    """The names in quotes in which two errors differ, in order; nothing where one of them has none of its own.

    Paths, numbers and versions are no names, save the relative path of a module that is not found.
    """
    found = _differing(_quoted(known.fingerprint), _quoted(searched.fingerprint))
    return found or _differing(_modules(known.key_line), _modules(searched.key_line))


def fewest_other_names(known: Iterable[Named], searched: Named) -> tuple[OtherName, ...]:
    """Of several errors of one case, the differences to the one that shares most names."""
    return min((other_names(one, searched) for one in known), key=len, default=())


def in_words(names: tuple[OtherName, ...]) -> str:
    """The names that differ, as a reason: `names differ: vat_id / iban`."""
    pairs = ", ".join(f"{one.known} / {one.searched}" for one in names[:SHOWN])
    return f"names differ: {pairs}" + (" …" if len(names) > SHOWN else "")


def _quoted(fingerprint: str) -> list[str]:
    return _MASKED_QUOTE.findall(fingerprint)


def _modules(key_line: str) -> list[str]:
    line = key_line[:_NAMES_IN]
    return _MODULE.findall(line) if _OF_MODULES.search(line) else []


def _differing(theirs: list[str], ours: list[str]) -> tuple[OtherName, ...]:
    if len(theirs) == len(ours):
        return tuple(OtherName(one, two) for one, two in zip(theirs, ours, strict=True) if _bare(one) != _bare(two))
    here, there = set(map(_bare, ours)), set(map(_bare, theirs))
    lack, more = [one for one in theirs if _bare(one) not in here], [two for two in ours if _bare(two) not in there]
    return tuple(OtherName(one, two) for one, two in zip(lack, more, strict=False))


def _bare(name: str) -> str:
    return _NUMBER.sub("<N>", name)


_NAMES_READ = 2048  # code points of a text that are looked at

_JOINED_NAME = lazy_pattern(
    r"(?:@[\w-]+/)?(?<![\w<])[^\W\d]\w+(?:(?:[-.]|::)[^\W\d]\w*)+|@[\w-]+/[\w-]+|(?<![^\W\d])[^\W\d]\w{0,120}_\w+|\b[a-z]+(?:[A-Z][a-z0-9]+)+\b"
)


def names(text: str) -> frozenset[str]:
    """The names in `text`, joined by signs or by capitals; words that a sentence is made of are none."""
    return frozenset(match[0] for match in _JOINED_NAME.finditer(text[:_NAMES_READ]))


def swapped_names(ours: str, theirs: str) -> tuple[str, str] | None:
    """A name that only the first text has and one that only the second has: the same was said of something else.

    None where one of them has no name of its own: it merely says more.
    """
    mine, other = names(ours), names(theirs)
    if not (mine - other and other - mine):
        return None
    return min(mine - other), min(other - mine)
