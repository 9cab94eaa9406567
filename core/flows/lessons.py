"""A lesson that an agent records: a draft, and only where the transcript of its session bears it out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final, NamedTuple, cast

import apsw

from core.align import Extracted, ExtractedEntry, ExtractedQuote, align
from core.align.settings import AlignSettings
from core.base.fault import Fault
from core.errors.cases.record import find_case
from core.errors.cases.resolutions import add_resolution
from core.errors.command_text import flat
from core.errors.fixes import AGENT, Evidence
from core.errors.identity.fingerprint import Identity, identify
from core.errors.lessons import HUNK_LINES, Do, Lesson, LessonEvidence, When
from core.evidence.rows import StoredMessages, session_named
from core.flows.harvest.changes import Hint
from core.flows.harvest.command import parse_command
from core.flows.harvest.explanation import relative, resolution_text
from core.flows.harvest.fixes.lesson import hides, plain_command
from core.flows.harvest.session_events import Result, read_history
from core.store import Store, now
from core.text import clean, redact
from core.text.placeholders import with_placeholders

_DEAD_ENDS: Final = 3


@dataclass(frozen=True, slots=True)
class LessonRecorded:
    """A lesson of an agent that was taken as a draft: its case and the number of the fix."""

    SCHEMA: ClassVar[str] = "lesson_recorded.v1"

    case_id: int
    fix: int
    lesson: Lesson


class LessonInput(NamedTuple):
    """What an agent says: the output that failed, the command or the hunk (lines of a diff) that fixed it, the check
    that passed, what did not help, and quotes of the session, of which `because` says why."""

    error: str
    command: str
    hunk: str
    check: str
    because: str
    tried: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()


def record_lesson(store: Store, session: str, given: LessonInput, settings: AlignSettings) -> LessonRecorded:
    """Store an agent's lesson of its imported session, as a draft of the author `agent`.

    Raises Fault invalid_input with the reason where the session does not bear it out: the failure, the command or hunk,
    the whole check that passed behind it, and each quote must be there.
    """
    if bool(given.command.strip()) == bool(given.hunk.strip()):
        raise _refused("the lesson needs either a command or a hunk", "pass one of them")
    session = session_named(store.con, session)
    with store.transaction() as con:
        found = identify(redact(given.error))
        case_id, first, last = _find_failure(con, session, found)
        project = _project(store, session)
        results = [
            one for one in read_history(store, [session], None) if isinstance(one, Result) and one.ran.idx > first
        ]
        did, file = _find_fix(results, given)
        checked = _checked_at(results, given.check, project, max(did, last))
        quotes = tuple(dict.fromkeys(quote for quote in (given.because, *given.quotes) if quote.strip()))
        quoted = _quoted(store, session, quotes, settings)
        lesson = replace(
            _lesson(given, found, project, file),
            evidence=(LessonEvidence(session, did, "done by the agent in this session"), *quoted),
            workaround=hides([_hint(given.hunk, "")] if given.hunk else [], given.command or None),
        )
        explained = (given.because, quoted[0].message) if given.because.strip() else None
        text = _text(given, lesson, explained, checked)
        _refuse_twice(con, session, found, text)
        kept = Evidence("weak" if lesson.workaround else "strong", "project")
        fix = add_resolution(
            con, case_id, found.fingerprint, text, resolved_by="Edit" if given.hunk else "Bash", author=AGENT,
            session_id=session, message_ids=sorted({first, did, checked}), ts=now(), original=kept.to_json(),
            lesson=lesson,
        )  # fmt: skip
    return LessonRecorded(case_id, fix or 0, lesson)


def _find_failure(con: apsw.Connection, session: str, found: Identity) -> tuple[int, int, int]:
    """The case of the failure, and the messages that show it first and last."""
    case_id = find_case(con, found.normalized, found.fingerprint) if found.normalized else None
    row = con.execute(
        "SELECT min(message_idx), max(message_idx) FROM occurrence WHERE session_id = ? AND fingerprint = ?",
        (session, found.fingerprint),
    ).fetchone()
    if case_id is None or row is None or row[0] is None:
        raise _refused("this failure is not in the session", "pass the failing output verbatim")
    return (case_id, *cast("tuple[int, int]", row))


def _refuse_twice(con: apsw.Connection, session: str, found: Identity, text: str) -> None:
    row = con.execute(
        "SELECT 1 FROM resolution WHERE author = ? AND session_id = ? AND fingerprint = ? AND text = ?",
        (AGENT, session, found.fingerprint, text),
    ).fetchone()
    if row is not None:
        raise _refused("this lesson is already recorded", "no action needed")


def _text(given: LessonInput, lesson: Lesson, explained: tuple[str, int] | None, checked: int) -> str:
    file = lesson.do.file
    return resolution_text(
        files=[file] if given.hunk else [],
        hints=[_hint(given.hunk, file)] if given.hunk else [],
        commands=[] if given.hunk else [lesson.do.text],
        instead=None,
        explanation=explained,
        by_a_person=False,
        lesson=lesson,
        checked_idx=checked,
    )


def _refused(why: str, hint: str) -> Fault:
    return Fault("invalid_input", f"not recorded: {why}", hint)


def _project(store: Store, session: str) -> str:
    row = store.con.execute("SELECT project FROM session WHERE id = ?", (session,)).fetchone()
    return "" if row is None else str(row[0])


def _find_fix(results: Sequence[Result], given: LessonInput) -> tuple[int, str]:
    """Return the message of the last result of the claimed fix, and the edited file."""
    if given.command.strip():
        command = flat(redact(given.command))
        places = [
            one.ran.idx
            for one in results
            if one.ran.failure == "none" and one.command is not None and command in flat(one.command.text)
        ]
        if not places:
            raise _refused("no call in this session ran this command successfully", "pass the command verbatim")
        return places[-1], ""
    hint = _hint(given.hunk, "")
    changed_lines = [("+", line.strip()) for line in hint.added] + [("-", line.strip()) for line in hint.removed]
    made = {change: (one.ran.idx, file) for one in results for change, file in _changed(one)}
    if not changed_lines or any(line not in made for line in changed_lines):
        raise _refused("no call in this session made this change", "pass lines of the edit, each with + or -")
    return max(made[line] for line in changed_lines)


def _changed(result: Result) -> Iterator[tuple[tuple[str, str], str]]:
    """The lines that a successful edit added or removed, each with its file."""
    for hint in () if result.change is None or result.ran.failure != "none" else result.change.hints:
        for sign, lines in (("+", hint.added), ("-", hint.removed)):
            yield from (((sign, line.strip()), hint.file) for line in lines)


def _checked_at(results: Sequence[Result], check: str, project: str, after: int) -> int:
    """The message in which the whole check passed, at or behind the place `after`."""
    plain = plain_command(parse_command(redact(check)), project)
    narrowed = False
    for one in results:
        command = one.command
        if command is None or one.ran.idx < after or plain_command(command, project) != plain:
            continue
        if one.outcome.verdict == "passed" and command.view == "whole" and not command.masked:
            return one.ran.idx
        narrowed = narrowed or one.outcome.verdict in ("passed", "filtered")
    if narrowed:
        raise _refused(
            "the check only ran with truncated or filtered output", "run the whole command, then record the lesson"
        )
    raise _refused("the check did not pass in this session after the fix", "run the check, then record the lesson")


def _quoted(store: Store, session: str, quotes: Sequence[str], settings: AlignSettings) -> list[LessonEvidence]:
    """Return the place of each quote. Refuses the first that is not found verbatim, or nearly so."""
    if not quotes:
        return []
    claim = ExtractedEntry("", "", "", tuple(ExtractedQuote(0, redact(quote)) for quote in quotes))
    (entry,) = align(StoredMessages(store.con, session), Extracted((claim,)), settings).entries
    placed: list[LessonEvidence] = []
    for one in entry.evidence:
        # A sentence that stands in several messages is there all the same.
        if one.status not in ("aligned", "ambiguous") or not one.spans:
            why = one.reason or (one.reasons[0].kind if one.reasons else one.status)
            raise _refused(f"a quote is not in this session ({why}): {one.quote[:120]}", "quote a message verbatim")
        placed.append(LessonEvidence(session, one.spans[0].messageIndex, "quoted"))
    return placed


def _lesson(given: LessonInput, found: Identity, project: str, file: str) -> Lesson:
    def plain(command: str) -> str:
        return plain_command(parse_command(redact(command)), project)

    lines = [clean(redact(line)) for line in given.hunk.strip("\n").split("\n")]
    if given.hunk and len(lines) > HUNK_LINES:
        raise _refused(f"the hunk has {len(lines)} lines", f"pass at most {HUNK_LINES} relevant lines")
    error = clean(redact(with_placeholders(found.key_line, project)))
    edit = Do("hunk", "\n".join(lines), with_placeholders(clean(redact(relative(file, project))), project))
    return Lesson(
        When(error[:200], "" if found.tool == "unknown" else found.tool),
        edit if given.hunk else Do("command", plain(given.command)),
        tuple(plain(one) for one in given.tried[:_DEAD_ENDS]),
        plain(given.check),
        clean(redact(given.because)).strip() or None,
    )


def _hint(hunk: str, file: str) -> Hint:
    """A hunk as the two sides that it makes of each other."""
    lines = [line for line in redact(hunk).split("\n") if line[:1] in ("+", "-")]
    sides = ("\n".join(line[1:].removeprefix(" ") for line in lines if line[0] == sign) for sign in "-+")
    return Hint(file, *sides)
