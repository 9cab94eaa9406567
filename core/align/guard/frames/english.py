"""The frame that a place was cut out of: "I doubt that …", "If …,", "… unless", "… That is not true."

A clause says only what its sentence lets it say. Heads that take a clause and do not assert it are closed classes,
by what they make of it; heads that assert (`confirmed that`, `the log shows that`, `because`) are none of them.
English; `korean_frames` has the same for Korean, where the head comes last.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from core.align.guard.frames.english_clauses import (
    FAILED,
    answered,
    disowned,
    introduced,
    is_talk,
    not_asserted,
    supposed,
    tail_of,
    without_aside,
)
from core.align.guard.frames.english_retraction import is_mentioned, is_reversed, retracted, tail_retracts
from core.align.guard.frames.english_words import (
    ACCORDING,
    ADVERB,
    ASKING,
    ASKS,
    ASSURED,
    BARE,
    BEFORE_THAT,
    BEHIND_IF,
    BOUND,
    BUT_UNCHECKED,
    CHECKED,
    CLAIMS,
    COMPARISON,
    CONCEDED,
    CONDITION,
    DETERMINER,
    EARLIER,
    EXCEPT,
    HEAD,
    HEADS,
    IF,
    LABEL,
    LATER,
    LINK,
    NO_CLAUSE,
    NOT_SHOWN,
    ONLY,
    PART_OF,
    PAST,
    PERSUASION,
    REPORT_BEHIND,
    TAG,
    TAKEN_BACK,
    TALK_IF,
    TIMED,
    TITLE,
    TO_CLOSE,
    WHICH_IS,
    WITNESS,
    is_past,
)
from core.align.guard.frames.korean import is_korean_retracted, korean_before, korean_behind, korean_disowned
from core.align.guard.frames.sentence import Context, ahead_of, beyond, context_of
from core.align.result import Concern

_SHOWN: Final = 60
_MARKS: Final = " \"'“‘`*_("
_REST: Final = 2
_FINITE: Final = re.compile(
    r"(?:has|have|had|is|are|was|were|does|do|did|can|could|will|would|shall|should|may|might|must)\b"
)
_REASON: Final = re.compile(r"(?:because|since|although|though|while|when|after|before|and|but|or)\b")
"""What a place begins with that is not the clause which a head before it takes."""
_PIECE: Final = re.compile(r"[.!?。]\s")


def framed(text: str, start: int, end: int) -> Iterator[Concern]:
    """The concerns about the frame of `text[start:end]`: one before it, one behind it, one in the next sentence."""
    around = context_of(text, start, end)
    inside = text[start:end] if end - start <= 2 * _SHOWN else text[start : start + _SHOWN] + text[end - _SHOWN : end]
    pieces = [piece for piece in _PIECE.split(inside) if piece.strip()]
    # What touches a frame may be a rest of another sentence, of a word or two: then it frames nothing of the quote.
    heads = len(pieces) < 2 or len(pieces[0].split()) > _REST
    tails = len(pieces) < 2 or len(pieces[-1].split()) > _REST
    ahead, rest = (ahead_of(text, start), beyond(text, end)) if around.is_prose else ("", "")
    before = (_before(around, inside), korean_before(around, inside, ahead)) if heads else ()
    behind = (_behind(around, inside), korean_behind(around, inside)) if tails else ()
    if FAILED.search(text, max(text.rfind("\n", 0, start), start - _SHOWN) + 1, start):
        yield Concern("cut out of a failed test", "", text[text.rfind("\n", 0, start) + 1 : start].strip())
    far = disowned(ahead, rest) or korean_disowned(ahead, rest)
    unreal = ("a supposition", supposed(ahead, around.before) if heads else "")
    for kind, words in (*before, *behind, unreal, _marked(text, start, end), ("taken back", far)):
        if words:
            yield Concern(
                kind if kind == "taken back" else f"cut out of {kind}",
                "",
                _clip_frame(words, first=kind == "taken back"),
            )


def _before(around: Context, inside: str) -> tuple[str, str]:
    """What kind of frame goes before a place in its sentence, and its words."""
    before = around.before
    if around.heading and not before.strip(" -*+>\t0123456789.)[]x") and LABEL.match(around.heading.lstrip("# ")):
        return "a list of what is not so", around.heading
    if not before.strip() or is_talk(before):
        return "", ""
    if LABEL.match(before) and before.rstrip(" \"'“‘`*_").endswith(":"):
        return "a proposal", before
    if found := TITLE.search(before):
        return "a title", found[0]
    if (found := _condition(before)) and not _broken_off(found, inside):
        return "a condition", found
    # What introduces a place with a colon is its head, as `Ann said: "…"` is.
    ahead = before.rstrip(_MARKS)
    closed = [one.end() for one in TO_CLOSE.finditer(before) if not (ahead.endswith(":") and one.end() > len(ahead))]
    clause = before[max(closed, default=0) :]
    if ASSURED.search(clause) or CONCEDED.search(before):
        return "", ""
    found = ("", "") if _REASON.match(inside) else _head(clause)
    if found[0] or (found := not_asserted(clause, witness=WITNESS))[0]:
        return found
    bare = without_aside(before)
    if bare != before and not _REASON.match(inside) and (found := _head(bare[max(0, bare.rfind(";")) :]))[0]:
        return found
    if (found := introduced(clause, before, witness=WITNESS))[0]:
        return found
    if (found := ACCORDING.search(before)) and not WITNESS.search(found[1]):
        return "a report", found[0]
    if (found := ADVERB.search(clause)) or (found := ADVERB.search(before)):
        return "a doubt", found[0]
    if (found := LATER.search(before)) and not re.search(r"\b(?:will|going\s+to)\b|'ll\b", inside):
        return "a plan", found[0]
    if found := EARLIER.search(before) or re.search(r"\bused\s+to\b[^,;:]*$", clause, re.IGNORECASE):
        return "a former state", found[0]
    if (found := PART_OF.search(before)) and not re.search(r"\ba\s+few\s*$", before):
        return "a part", found[0]
    if inside[:1].isdigit() and (found := BOUND.search(before)):
        return "a bound", found[0]
    if around.ended == "?" and ASKS.match(before) and not TO_CLOSE.search(around.behind) and "," not in around.behind:
        return "a question", before
    return "", ""


def _marked(text: str, start: int, end: int) -> tuple[str, str]:
    """What the marks on both sides of a place say: struck through, or a box that is not ticked."""
    line = text.rfind("\n", 0, start) + 1
    ahead = text[max(line, start - _SHOWN) : start]
    if re.search(r"~~[\s\"'“‘`*_(]*$", ahead) and re.match(r"[\s\"'”’`*_).,!;]*~~", text[end : end + 8]):
        return "a text that is struck through", "~~"
    if re.fullmatch(r"\s*(?:[-*+]|\d{1,3}[.)])\s+\[\s?\]\s+[\"'“‘`*_]*", ahead):
        return "a task that is not done", "[ ]"
    return "", ""


def _head(clause: str) -> tuple[str, str]:
    """The head in a clause that takes what follows it and does not assert it."""
    if found := CHECKED.search(clause):
        return "an instruction", clause[found.start() :]
    colon = clause.rstrip(_MARKS).endswith(":")
    if (found := NOT_SHOWN.search(clause)) and not (colon and len(clause[found.end() :].split()) > 1):
        return "a denial", clause[found.start() :]
    for found in HEAD.finditer(clause):
        kind = next(name for name in HEADS if found[name.split()[1]])
        rest, ahead = clause[found.end() :], clause[: found.start()]
        if COMPARISON.search(ahead) and not re.search(r"used\s+to\s*$", ahead):
            continue
        spoken = colon and not CLAIMS.match(found[0])
        if kind == "a report" and (WITNESS.search(ahead) or spoken):
            continue
        if colon and kind != "a report" and len(rest.split()) > _REST and not rest.startswith(","):
            continue  # a whole clause before a colon is one of its own
        named = DETERMINER.search(ahead) is not None
        if named and found[0].lower() in ("request", "requests") and not rest.strip(_MARKS + ":"):
            continue  # what a client sends: it asks for nothing that follows
        bare = BARE.fullmatch(found[0]) and not named and not NO_CLAUSE.match(rest)
        persuades = PERSUASION.fullmatch(found[0]) and re.fullmatch(r"\s+(?:[\w'’-]+\s+){1,3}", rest)
        if bare or persuades or ((not named or rest.strip()) and LINK.match(rest)):
            return kind, clause[max(0, found.start() - 24) :]
    return "", ""


def _condition(before: str) -> str:
    """The condition that goes before a place in its sentence and holds for it."""
    for found in CONDITION.finditer(before):
        rest, word = before[found.end() :], found["if"].split()[0].lower()
        if "," in rest and re.search(r"\b(?:even|as|what)\s*$", before[: found.start("if")], re.IGNORECASE):
            continue
        if re.search(r";|\bbut\b|:\s*$", rest) or (word in TIMED and is_past(rest)):
            continue
        return before[found.start("if") :]
    if found := ONLY.search(before) or EXCEPT.search(before):
        return found[0]
    found = re.search(rf"\b(?:{IF})\b[^,;:]*$", before, re.IGNORECASE)
    if found and not is_past(found[0]):
        return found[0]
    return ""


def _broken_off(condition: str, inside: str) -> bool:
    """Return whether a place begins visibly inside the condition's clause: with the verb of a subject outside, or
    within a bracket that it closes."""
    if "," not in condition and len(condition.split()) > 1 and _FINITE.match(inside):
        return True
    return any(
        condition.count(opens) > condition.count(closes) and closes in inside.partition(opens)[0]
        for opens, closes in ("()", "[]")
    )


def _behind(around: Context, inside: str) -> tuple[str, str]:
    """What kind of frame goes behind a place, in its sentence or in the next, and its words."""
    behind = around.behind
    if behind.strip():
        if found := WHICH_IS.match(behind):
            return "a denial", found[0]
        if found := BUT_UNCHECKED.match(behind):
            return "a doubt", found[0]
        if found := REPORT_BEHIND.match(behind):
            return "a report", found[0]
        if (found := tail_of(behind, is_question=around.ended == "?"))[0]:
            return found
        if tail_retracts(behind):
            return "a frame behind it", behind
        if is_mentioned(behind, inside):
            return "a sentence about it", behind
        clause = _own_clause(behind)
        for found in BEHIND_IF.finditer(clause):
            word = found["if"].split()[0].lower()
            ahead = f"{inside}{clause[: found.start()]}"
            past = (
                PAST.search if word in ("when", "whenever") else is_past
            )  # `when it is done` says a time, `once` a condition
            if word in TIMED and past(f"{ahead} {clause}"):
                continue
            if word in ("if", "when", "in") and (ASKING.search(ahead) or TALK_IF.match(clause[found.start() :])):
                continue
            return "a condition", clause[found.start() :]
    is_question = around.ended == "?" and not inside.rstrip("\"'”’)]*_` ").endswith("?")
    if is_question and not TO_CLOSE.search(behind) and ("," not in behind or TAG.search(behind)):
        return "a question", f"{behind.strip()}?"
    if not TO_CLOSE.search(behind) and is_retracted(around.following, inside, around.before, near=len(behind) < _SHOWN):
        return "taken back", around.following
    return "", ""


def is_retracted(following: str, inside: str, before: str = "", *, near: bool = True) -> bool:
    """Whether the next sentence withdraws, denies, doubts or limits what is said before it, in English or Korean.

    `near`: no more than a few words lie between the two; `before`: what goes before the statement in its sentence.
    """
    if BEFORE_THAT.search(following):
        return False
    if TAKEN_BACK.match(following):
        return True
    return near and (
        answered(following)
        or retracted(following, inside)
        or is_korean_retracted(following)
        or is_reversed(following, before)
    )


def _own_clause(behind: str) -> str:
    """Return the text that continues the clause before it, up to another clause."""
    found = TO_CLOSE.search(behind)
    clause = behind[: found.start() if found else None]
    return re.split(r",\s+(?:i|we|you|it|they|he|she|there|this|that)\b", clause, maxsplit=1, flags=re.IGNORECASE)[0]


def _clip_frame(text: str, *, first: bool) -> str:
    """The beginning or the end of a frame, at most `_SHOWN` characters."""
    words = " ".join(text.split()).strip(" ,:;\"'“”‘’`*_(")
    if len(words) <= _SHOWN:
        return words
    return words[:_SHOWN].rpartition(" ")[0] + " …" if first else "… " + words[-_SHOWN:].partition(" ")[2]
