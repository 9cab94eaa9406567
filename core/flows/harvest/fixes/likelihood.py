"""How likely each call after a failure is part of its fix: signs of the call, weighed and added up.

The weights are those of a logistic regression over 4,553 calls after 730 errors of 66 repositories (`tests/data/real`).
Of the fixes given in repositories that were not fitted, 17 in 20 hold a true step. `bench/transcripts/fix_weights.py`
fits such weights from labels.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from core.base.lazy import text_tables
from core.flows.harvest.changes import DELEGATES, Change, Hint
from core.flows.harvest.command import FILTERS, Command, Part
from core.flows.harvest.command_relation import differs, is_filtered_alike, is_near, of_filter, waits
from core.flows.harvest.fixes.clues import base_name, missing_in
from core.flows.harvest.fixes.correction import TOO_MANY, is_refused, subcommand
from core.flows.harvest.fixes.lesson import CHECKERS, LINTERS
from core.flows.harvest.fixes.linking import (
    CURES_NOTHING,
    FILE,
    NOT_BEGUN,
    PROSE,
    SAVES,
    Candidate,
    Failure,
    can_cure,
    is_check,
    is_other_code,
    link_steps,
    spoken_in,
    words_of_names,
)
from core.text import words
from core.transcripts.commands import LOOKING_TOOLS, LOOKS_AT_RUNNING, OWN_TOOLS

WINDOW: Final = 25
"""Results after a failure that are looked at."""
LIKELY: Final = 0.46
"""The probability from which a call is given as a fix."""
RULED: Final = 0.3
"""The same for a call that a rule ties to the error."""
TOGETHER: Final = 0.42
"""The share of the best call's probability from which another call is part of the same fix."""

INTERCEPT: Final = -2.62
_ROWS: Final = (row.partition(" ") for row in text_tables(__file__)["WEIGHTS"].splitlines())
WEIGHTS: Final = {sign: float(weight) for weight, _, sign in _ROWS}
_PLACES: Final = ("first", "second", "near", "near", "later", "later", "later", "later")
_EDITS: Final = 3
"""More edits in a row do not tell which of them helped, if nothing ties one to the error."""
_SOON: Final = 4
"""Calls after a failure among which a retry that fails with another error is looked for."""
_GIVES_UP: Final = frozenset(
    ("--continue", "--abort", "--skip", "--quit", "--help", "-h", "--version", "--dry-run", "--no-verify")
)
_SHELL: Final = frozenset(("shell", "powershell"))
"""The tools of key lines by which a shell says that it did not run what it was given."""
_AGAIN: Final = frozenset(("same subcommand", "most arguments", "all arguments"))
"""Signs of a call that does again what failed."""
_NAMING: Final = frozenset(("names", "names near", "file", "missing"))
_TARGET: Final = re.compile(r"\d+|[\w.@~+-]*/\S*|[\w@+-]+\.\w{1,5}")
_TEXT: Final = 4_000
_WORDS_WITHIN: Final = 2_000
_PIECE: Final = re.compile(r"[\w.\-]{3,}")
_NO_STEP: Final = LOOKING_TOOLS | OWN_TOOLS | LOOKS_AT_RUNNING | DELEGATES | {"TodoWrite"}
"""Tools whose calls cure nothing, or whose changes are not seen here."""


class Trial(NamedTuple):
    """A call after a failure: its position, what it ran or changed, and the text right before it.

    `succeeded`: its result shows no failure; `passed`: it is a run that passed; `has_request`: a person spoke before;
    `errors`: the key lines of a run that failed; `blamed`: the tools that these are of.
    """

    at: int
    tool: str
    session_id: str
    idx: int
    called: int | None
    change: Change | None
    command: Command | None
    shell: bool
    succeeded: bool
    passed: bool
    spoken: tuple[str, ...] = ()
    has_request: bool = False
    errors: tuple[str, ...] = ()
    blamed: frozenset[str] = frozenset()

    @property
    def acts(self) -> bool:
        """Whether the call changes something or runs something."""
        return self.change is not None or (self.shell and self.command is not None and not self.command.reads_only)

    @property
    def is_edit(self) -> bool:
        """Whether the call edits files with a tool of its own."""
        return self.change is not None and not self.shell


class Likely(NamedTuple):
    """A call that is likely part of the fix, and its probability."""

    trial: Trial
    probability: float
    signs: frozenset[str]

    @property
    def is_again(self) -> bool:
        """Whether the call does again what failed, called in another way."""
        return bool(self.signs & _AGAIN)

    @property
    def is_about_it(self) -> bool:
        """Whether the call names what the error names, or was made because of what was said of the error."""
        return bool(self.signs & {*_NAMING, "said"})

    @property
    def why(self) -> str:
        """What ties the call to the failure, in a sentence."""
        what = "the next call" if "first" in self.signs else "a call shortly after the failure"
        if self.is_again:
            then = "" if self.trial.succeeded else ", and another error follows"
            return f"{what} does the same in another way{then}"
        if self.signs & _NAMING:
            return f"{what} is about what the error names"
        if "said" in self.signs:
            return f"{what} was made because of what was said of the error"
        done = "changes something" if self.trial.acts else "looks in another way"
        return f"{what} {done}, and the failure was not seen again"


def likely_steps(
    failure: Failure, trials: Sequence[Trial], linked: Collection[int], *, alone: bool = False
) -> tuple[Likely, ...]:
    """The calls that are likely the fix of `failure`, in order; empty if none is likely enough.

    `trials` are the calls after its last run, in order; `linked` the places of those that a rule ties to it. They are
    the fix alone where one of them is the likeliest, or where they are to be `alone` and nothing worked before them.
    """
    found = [Likely(trial, probability(signs), signs) for trial, signs in signs_of(failure, trials, linked)]
    found = [one for one in found if one.probability >= (RULED if one.trial.at in linked else LIKELY)]
    best = max((one.probability for one in found), default=0.0)
    ruled = [one for one in found if one.trial.at in linked]
    surest = max((one.probability for one in ruled), default=0.0)
    if ruled and (surest == best or (alone and not _has_rival(found, ruled[0].trial.at, surest))):
        found, best = ruled, surest
    kept = tuple(one for one in found if one.probability >= TOGETHER * best)
    return () if all(_only_fetches(failure, one.trial) for one in kept) else kept


def _only_fetches(failure: Failure, trial: Trial) -> bool:
    """Whether a call only fetches, which changes no branch: the cure is what is done with it, or it was a look."""
    members = trial.command.members if trial.shell and trial.command is not None else ()
    fetches = [part.words[:2] == ("git", "fetch") for part in members]
    return (
        bool(fetches) and all(fetches) and all(part.words[:2] != ("git", "fetch") for part in failure.command.members)
    )


def _has_rival(found: Sequence[Likely], place: int, least: float) -> bool:
    """Whether a call before `place` that does again what failed is as likely: the first that worked is the fix."""
    return any(one.is_again and one.trial.at < place and one.probability >= least for one in found)


def probability(signs: frozenset[str]) -> float:
    """The probability that a call with these signs is part of the fix."""
    return 1 / (1 + math.exp(-INTERCEPT - sum(WEIGHTS.get(sign, 0.0) for sign in signs)))


def signs_of(
    failure: Failure, trials: Sequence[Trial], linked: Collection[int]
) -> Iterator[tuple[Trial, frozenset[str]]]:
    """Each call that can be a fix, with its signs."""
    green = next((place for place, one in enumerate(trials) if one.passed and _repeats(failure.command, one)), None)
    before = [one.at for one in trials[: len(trials) if green is None else green] if one.acts and _can_be_step(one)]
    acted, has_request, past, gone = 0, False, False, False
    checked = failure.tool in CHECKERS and _is_check(failure.command) and bool(failure.clue.places)
    linted = failure.tool in LINTERS and bool(failure.clue.places)
    ranks = _Ranks(failure)
    curing = {trials[place].at for place in _curing(failure, trials, ranks)}
    for place, trial in enumerate(trials):
        has_request = has_request or trial.has_request
        if gone:
            return
        gone = _shows_it_gone(failure, trial)
        was_past, otherwise = past, place < _SOON and _fails_otherwise(failure, trial)
        past = past or _is_past(failure, trial)
        ruled = trial.at in linked
        if linted and not trial.is_edit and not (ruled and trial.change is not None):
            continue  # another run of a linter only hides what it finds in a file
        if not otherwise and not ruled and (checked or trial.at not in curing):
            acted += trial.acts and _can_be_step(trial)
            continue
        if trial.tool in _NO_STEP or not (trial.succeeded or otherwise or _passes_the_shell(failure, trial)):
            continue
        signs = {sign for sign, holds in _signs(failure, trial, ranks) if holds}
        if was_past:
            signs.add("past")
        if place < 2 and signs & {"same subcommand", "most arguments"} and "same command" not in signs:
            signs.add("again at once")
        signs.add(_PLACES[place] if place < len(_PLACES) else "far")
        if trial.acts:
            signs.add(("acts first", "acts second", "acts later")[min(acted, 2)])
            acted += trial.succeeded
        if has_request:
            signs.add("person spoke")
        if green is not None:
            signs.add("before green" if place < green else "green" if place == green else "after green")
        if green is not None and trial.at in before:
            signs.add("only before green" if len(before) == 1 else "first before green" if trial.at == before[0] else
                      "last before green" if trial.at == before[-1] else "middle before green")  # fmt: skip
        if linked:
            signs.add("linked" if trial.at in linked else "other is linked")
        yield trial, frozenset(signs)


def _is_past(failure: Failure, trial: Trial) -> bool:
    """Whether a call runs the failing command again and fails, with no word that the same thing is still missing."""
    failed = bool(trial.errors) and not trial.succeeded and _repeats(failure.command, trial)
    return failed and not any(_lacks_it_too(failure, key) for key in trial.errors)


def _is_check(command: Command) -> bool:
    return bool(command.members) and all(map(is_check, command.members))


def _can_be_step(trial: Trial) -> bool:
    return trial.succeeded and trial.tool not in _NO_STEP


class _Ranks:
    """How closely a call by itself is tied to the failure: the rank of its link, or 0. Each is asked for twice."""

    def __init__(self, failure: Failure) -> None:
        self._failure = failure
        self._known: dict[int, int] = {}

    def of(self, trial: Trial) -> int:
        """The rank of one call."""
        if trial.change is None:
            return 0
        if (rank := self._known.get(trial.at)) is None:
            links = link_steps(self._failure, [Candidate(trial.at, trial.change)], ())
            rank = self._known[trial.at] = links[0].rank if links else 0
        return rank


def _curing(failure: Failure, trials: Sequence[Trial], ranks: _Ranks) -> list[int]:
    """The places of the calls that are not taken back and change something that can cure; or change nothing known."""
    changes = [(place, Candidate(one.at, one.change)) for place, one in enumerate(trials) if one.change is not None]
    places = can_cure(failure, [change for _, change in changes])
    rest = [place for place, one in enumerate(trials) if one.change is None]
    edits = [trials[changes[at][0]] for at in places if trials[changes[at][0]].is_edit]
    if len(edits) > _EDITS:
        first = _first_edits(trials, edits)
        some = {one.at for one in edits if one in first or 0 < ranks.of(one) < FILE}  # by more than its file
        places = [at for at in places if not (one := trials[changes[at][0]]).is_edit or one.at in some]
    found = sorted((*(changes[at][0] for at in places), *rest))
    edited = min((one.at for one in edits), default=math.inf)
    return [at for at in found if trials[at].is_edit or not _is_other_work(failure, trials[at], edited)]


def _first_edits(trials: Sequence[Trial], edits: Sequence[Trial]) -> list[Trial]:
    """The edits before anything ran again; none if they are many."""
    ran = next((one.at for one in trials if one.at > edits[0].at and one.shell and one.acts), math.inf)
    first = [one for one in edits if one.at < ran]
    return first if len(first) <= _EDITS else []


def _is_other_work(failure: Failure, trial: Trial, edited: float) -> bool:
    """Whether a command saves work, gives the goal up, works on something else, or follows an edit that explains it."""
    command = trial.command
    if command is None or not trial.shell:
        return False
    if is_other_code(failure, command):
        return True
    looks = command.view != "whole" and not _has_same_filters(failure.command, command)
    if looks and _is_check(failure.command) and _is_check(command) and not is_refused(failure):
        return True  # a look at what the check found
    parts = [part for part in command.parts if part.kind == "run"]
    filters = of_filter(failure.command, failure.key)
    same = is_filtered_alike(failure.command, command, failure.key)
    of_it = same or any(part.program in filters for part in command.parts)
    if not of_it and not _has_same_source(failure.command, command):
        return True
    retried = {*map(subcommand, parts)} <= {*map(subcommand, failure.command.parts)}
    if parts and not retried and all(SAVES.match(f"{part.family} ") for part in parts):
        return True
    pairs = [(old, new) for old in failure.command.members for new in command.parts if old.program == new.program]
    if pairs and trial.at > edited:
        return True
    if _is_the_same(failure, command) or any(_GIVES_UP & set(new.words) - set(old.words) for old, new in pairs):
        return True
    others = [not is_near(old, new) or _has_other_target(failure, old, new) for old, new in pairs]
    return bool(others) and not filters and all(others)


def _has_same_filters(failed: Command, later: Command) -> bool:
    """Whether what two commands print goes through the same filters, so that the later one shows no more or less."""
    behind = [[part.words for part in one.parts if part.named(FILTERS)] for one in (failed, later)]
    return failed.view == later.view and behind[0] == behind[1]


def _is_the_same(failure: Failure, command: Command) -> bool:
    """Whether a command is the failing one again. What the shell or a filter complained of can lie in the settings,
    quotes and filters of a command, which are no part of its shape."""
    failed = failure.command
    if differs(failed, command):
        return False
    filters = of_filter(failed, failure.key)
    outside = bool(filters) and filters == of_filter(command, failure.key)
    return not (outside or NOT_BEGUN.search(failure.key)) or command.text == failed.text


def _has_same_source(failed: Command, later: Command) -> bool:
    """Whether what a filter reads is the same, so that only the filter was replaced."""
    return bool(failed.members) and {part.shape for part in failed.members} <= {part.shape for part in later.parts}


def _has_other_target(failure: Failure, old: Part, new: Part) -> bool:
    """Whether two calls of a program differ in what they work on, in nothing that the error is about."""
    before, after = (_targets(part) for part in (old, new))
    gone, come = before - after, after - before
    if not gone:
        return False
    clue = failure.clue
    about = clue.names | clue.near | clue.missing
    changed = {*old.words, *old.around} - {*new.words, *new.around}
    if any(word.lower() in about or word.lower().startswith(_folders(about)) for word in changed):
        return False
    if any(name.startswith(f"{word.lower().rstrip('/')}/") for word in changed if len(word) > 3 for name in about):
        return False  # a folder in which something lies that the error names
    if not come:
        return TOO_MANY.search(failure.key) is None and not _feeds(new, gone)
    if {base_name(word) for word in gone if "/" in word} & {base_name(word) for word in come if "/" in word}:
        return False  # the same file in another folder
    return all(map(_TARGET.fullmatch, gone)) and not any(word in about or base_name(word) in about for word in come)


def _feeds(part: Part, words: set[str]) -> bool:
    """Return whether a call gets on its standard input what was among its arguments before."""
    fed = part.simple.fed.lower()
    return bool(fed) and any(piece in fed for word in words for piece in _PIECE.findall(word.partition("=")[0]))


def _folders(names: frozenset[str]) -> tuple[str, ...]:
    """How the paths begin that lie in a folder which is named."""
    return tuple(f"{name}/" for name in names if len(name) > 3)


def _targets(part: Part) -> set[str]:
    return {word.lower() for word in part.words[1:] if not word.startswith("-") and not re.search(r"\s", word)}


def _passes_the_shell(failure: Failure, trial: Trial) -> bool:
    """Whether a run that failed with another error got past the shell, which had refused to begin the first one."""
    if not trial.shell or trial.command is None or NOT_BEGUN.search(failure.key) is None or _is_refused(trial):
        return False
    if any(_lacks_it_too(failure, key) for key in trial.errors):
        return False
    given, again = _argument_words(failure.command), _argument_words(trial.command)
    return trial.command.text != failure.command.text and 2 * len(given & again) > len(given)


def _fails_otherwise(failure: Failure, trial: Trial) -> bool:
    """Whether a run does again what failed, in another way, and fails with another error: it got past the first."""
    if trial.succeeded or not trial.shell or trial.command is None or not trial.errors or _is_refused(trial):
        return False
    if is_other_code(failure, trial.command) or waits(trial.command):
        return False
    if trial.command.text == failure.command.text or any(
        _is_alike(failure, key) or _lacks_it_too(failure, key) for key in trial.errors
    ):
        return False
    return any(holds for sign, holds in _likeness(failure, trial) if sign in _AGAIN)


def _shows_it_gone(failure: Failure, trial: Trial) -> bool:
    """Whether what failed ran again, behind nothing new, and failed with other errors: what follows cures those."""
    if trial.succeeded or not trial.shell or trial.command is None or not trial.errors or _is_refused(trial):
        return False
    if any(_is_alike(failure, key) for key in trial.errors) or of_filter(failure.command, failure.key):
        return False
    failed, again = ([part.shape for part in one.members] for one in (failure.command, trial.command))
    reached = failed[-1:] and failed[-1] in again and set(again[: again.index(failed[-1])]) <= set(failed)
    return bool(reached) or trial.command.shape == failure.command.shape


def _is_refused(trial: Trial) -> bool:
    """Whether all that a failed run complains of is of the shell: nothing got past what failed before."""
    return bool(trial.blamed) and trial.blamed <= _SHELL


def _is_alike(failure: Failure, key: str) -> bool:
    """Whether a key line and that of the failure share half of the words of the shorter one."""
    key_words, first = _words_of_text(key[:_WORDS_WITHIN]), failure.clue.words
    return bool(key_words and first) and 2 * len(key_words & first) >= min(len(key_words), len(first))


def _lacks_it_too(failure: Failure, key: str) -> bool:
    """Whether a key line says that something is missing which the failure lacks or names."""
    missing = {_unnumbered(name) for name in missing_in(key[:_WORDS_WITHIN])}
    return bool(missing) and bool(missing & set(map(_unnumbered, failure.clue.missing | failure.clue.names)))


def _unnumbered(name: str) -> str:
    """The name of a program without its version (`pip3`)."""
    return name.rstrip("0123456789.") or name


def _repeats(failed: Command, later: Trial) -> bool:
    """Whether a call runs the failing command again, or its subcommands with other arguments."""
    if later.command is None or not later.shell:
        return False
    wanted = {subcommand(part) for part in failed.members}
    return later.command.family == failed.family or (
        bool(wanted) and wanted <= {subcommand(part) for part in later.command.members}
    )


def _signs(failure: Failure, trial: Trial, ranks: _Ranks) -> Iterator[tuple[str, bool]]:
    """The signs of a call by itself."""
    yield from _kind(failure, trial)
    yield from _likeness(failure, trial)
    yield from _mentions(failure, trial)
    yield "fails otherwise", not trial.succeeded and not _passes_the_shell(failure, trial)
    rank = ranks.of(trial)
    yield f"link {rank}" if rank else "no link", True


def _kind(failure: Failure, trial: Trial) -> Iterator[tuple[str, bool]]:
    """What kind of call it is after what kind of failure."""
    failed, command = failure.command, trial.command if trial.shell else None
    checked = _is_check(failed)
    files = {base_name(file) for file in trial.change.files} if trial.change is not None else set[str]()
    clue = failure.clue
    yield "edit after check" if checked else "edit after command", trial.is_edit
    yield "edit after look", trial.is_edit and failed.reads_only
    yield (
        "prose",
        (trial.is_edit and bool(files) and not files & (clue.files | clue.places) and all(map(PROSE.search, files))),
    )
    yield "file", bool(files & (clue.files | clue.places))
    if command is not None:
        yield "command", trial.acts
        yield "look after look" if failed.reads_only else "look", not trial.acts
        yield "moves", bool(command.members) and all(CURES_NOTHING.match(f"{one.family} ") for one in command.members)
        yield "filtered", command.view != "whole"


def _likeness(failure: Failure, trial: Trial) -> Iterator[tuple[str, bool]]:
    """How much a call is the failing one again."""
    failed, command = failure.command, trial.command if trial.shell else None
    if command is not None:
        same = bool({part.program for part in failed.members} & {part.program for part in command.members})
        checked = _is_check(failed)
        yield "same check" if checked else "same program", same
        yield "same subcommand", bool(set(map(subcommand, failed.members)) & set(map(subcommand, command.members)))
        yield "same command", command.family == failed.family
    given, again = _argument_words(failed), _pieces_of(trial)
    share = len(given & again) / len(given) if given else 0.0
    yield "some arguments", 0.3 < share <= 0.6
    yield "most arguments", 0.6 < share <= 0.95
    yield "all arguments", share > 0.95


def _mentions(failure: Failure, trial: Trial) -> Iterator[tuple[str, bool]]:
    """What of the error a call names, and what was said before it."""
    clue, text = failure.clue, text_of(trial).lower()
    pieces = _pieces_of(trial)
    names, near = (
        {name for name in given if name in pieces or (len(name) > 3 and name in text)}
        for given in (clue.names, clue.near)
    )
    new = pieces - _argument_words(failure.command)
    yield "names", bool(names)
    yield "names near", bool(near - names)
    yield "new name", bool((names | near) & new)
    yield (
        "missing",
        bool(clue.missing & pieces)
        or any(part.program in clue.missing for part in (trial.command.members if trial.command is not None else ())),
    )
    yield "words", len(clue.words & _words_of_text(text[:_WORDS_WITHIN])) > 1
    about = clue.words | words_of_names(clue.names)
    yield "said", any(one.words & about for text_before in trial.spoken for one in spoken_in(text_before))


def text_of(trial: Trial) -> str:
    """What a call changes or runs, as text."""
    if trial.change is not None and trial.change.hints:
        return _text_of_hunks(trial.change.hints)
    return trial.command.text[:_TEXT] if trial.command is not None else ""


@lru_cache(maxsize=128)
def _text_of_hunks(hints: tuple[Hint, ...]) -> str:
    return "\n".join("\n".join((base_name(one.file), *one.removed, *one.added)) for one in hints)[:_TEXT]


def _pieces_of(trial: Trial) -> frozenset[str]:
    if trial.shell and trial.command is not None:
        return _argument_words(trial.command)
    return _pieces_of_text(text_of(trial))


@lru_cache(maxsize=128)
def _pieces_of_text(text: str) -> frozenset[str]:
    return frozenset(piece.lower() for piece in _PIECE.findall(text))


@lru_cache(maxsize=256)
def _words_of_text(text: str) -> frozenset[str]:
    return frozenset(words(text))


@lru_cache(maxsize=256)
def _argument_words(command: Command) -> frozenset[str]:
    """What a command's arguments are made of."""
    parts = (part for part in command.parts if part.kind != "setup" and part.words)
    return frozenset(
        piece.lower().strip("-.")
        for part in parts
        for word in (*part.words[1:], part.simple.fed)
        for piece in _PIECE.findall(word)
    )
