"""One act on one case or many: its author, one change in the history, a conflict with a concurrent change.

What two cases differ in, with reasons: one who makes them one is told what was not obviously the same.

A fix as a person writes it, and as it may be stored.

What a person had before them when they decided, and what stands in the way if somebody was faster.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, cast

import apsw

from core.base.fault import Fault
from core.errors.cases.case import Case, CaseKeyLine
from core.errors.cases.derived import ANSWERS, CURRENT_FIRST, one_form, own_titles, refresh_case
from core.errors.cases.resolutions import MACHINES, TEXT_KEPT, Resolution, adopt_mirror, answering, resolution
from core.errors.curation.triage import open_items, parts_of_decided
from core.errors.equivalence import (
    failure_kinds,
    opposites,
    other_code,
    other_failure,
    other_subject,
    other_word,
    plain_words,
)
from core.errors.identity.codes import codes, codes_differ
from core.errors.identity.fingerprint import normalize_line
from core.errors.retrieval.answer import Source, Status
from core.errors.retrieval.embed_text import embed_text
from core.lexical import pieces
from core.store import Store, change, now
from core.store.journal import title_text
from core.text import redact, words

LINES = 8
"""Key lines of one case that are compared."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing in which two cases differ: the tool whose errors they are, what the errors say (`key`), their fixes.

    `why`: how so, in plain words.
    """

    what: Literal["tool", "key", "fix"]
    why: str


@dataclass(frozen=True, slots=True)
class Unlike:
    """A case that is not obviously the same as the one it is merged into."""

    case_id: int
    key_line: str
    differences: tuple[Difference, ...]


def unlike(ours: Case, theirs: Case) -> Unlike | None:
    """What speaks against `theirs` being the same case as `ours`; None if nothing does.

    Of several key lines the two count that are most alike: what was merged before has many, each good enough.
    """
    pairs = (_named(one, other) for one in _lines(ours) for other in _lines(theirs))
    found = (*min(pairs, key=len), *_fix(ours, theirs))
    return Unlike(theirs.id, theirs.key_lines[0], found) if found else None


def _lines(case: Case) -> tuple[CaseKeyLine, ...]:
    return case.fingerprints[:LINES] or (CaseKeyLine("", case.key_lines[0], case.tool, 0),)


def _named(ours: CaseKeyLine, theirs: CaseKeyLine) -> tuple[Difference, ...]:
    found: list[Difference] = []
    if ours.tool != theirs.tool and "unknown" not in (ours.tool, theirs.tool):
        found.append(Difference("tool", f"the error is from {theirs.tool}, not from {ours.tool}"))
    if why := _other_key(ours.key_line, theirs.key_line):
        found.append(Difference("key", why))
    return tuple(found)


def _other_key(ours: str, theirs: str) -> str:
    """Why two key lines are not the same: the codes, what fails, one word, or most of the words."""
    if why := other_code(codes(ours), codes(theirs)):
        return why
    if normalize_line(ours) == normalize_line(theirs):
        return ""
    mine, other = embed_text(ours), embed_text(theirs)
    return (
        other_failure(failure_kinds(mine), failure_kinds(other))
        or other_subject(opposites(mine), other)
        or other_word(plain_words(ours), plain_words(theirs))
        or _few_words(ours, theirs)
    )


def _few_words(ours: str, theirs: str) -> str:
    share, shared = word_overlap(ours, theirs)
    if share >= MIN_OVERLAP:
        return ""
    named = ", ".join(f"“{word}”" for word in shared[:LINES])
    return f"the errors have only {named} in common" if shared else "the errors have no words in common"


def _fix(ours: Case, theirs: Case) -> tuple[Difference, ...]:
    mine, other = (ours.resolution or "").strip(), (theirs.resolution or "").strip()
    return (Difference("fix", "the fixes differ"),) if mine and other and mine != other else ()


LONGEST_TAG = 64
MOST_TAGS = 32
NO_SOURCE = Source(None)


@dataclass(frozen=True, slots=True)
class Written:
    """A fix as a person writes it: Markdown, author or tool, tools in order, tags, source messages."""

    text: str
    resolved_by: str | None = None
    tool_sequence: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    source: Source = NO_SOURCE


def checked(written: Written) -> Written:
    """The same, as it will be stored. Raises Fault invalid_input for an empty or overlong text, or bad tags."""
    text = redact(written.text)
    if not text.strip():
        raise Fault("invalid_input", "the fix is empty", "pass the fix, or reject the current fix")
    if len(text) > TEXT_KEPT:
        raise Fault("invalid_input", f"the fix has {len(text):,} characters", f"use at most {TEXT_KEPT:,} characters")
    by = redact(written.resolved_by).strip() if written.resolved_by else ""
    tools = tuple(redact(name) for name in written.tool_sequence if name.strip())
    source = Source(written.source.session or None, written.source.messages if written.source.session else ())
    return Written(text, by or None, tools, tags_of(written.tags), source)


def tags_of(tags: tuple[str, ...]) -> tuple[str, ...]:
    """Tags as they are stored: trimmed, on one line, each once, in the given order. Raises Fault invalid_input."""
    found = tuple(dict.fromkeys(one_form(" ".join(redact(tag).split())) for tag in tags if tag.strip()))
    long = next((tag for tag in found if len(tag) > LONGEST_TAG), None)
    if long is not None:
        raise Fault("invalid_input", f"a tag has {len(long)} characters", f"use at most {LONGEST_TAG} characters")
    if len(found) > MOST_TAGS:
        raise Fault("invalid_input", f"too many tags: {len(found)}", f"pass at most {MOST_TAGS} tags")
    return found


def written_of(one: Resolution) -> Written:
    """A resolution as something to edit."""
    return Written(one.text, one.resolved_by, one.tool_sequence, one.tags, one.source)


@dataclass(frozen=True, slots=True)
class SeenVersion:
    """The case, and the resolution that answered when the person looked (None: none did).

    `fingerprint`: they looked at this finer case alone, not at the whole case. `status`: what they saw of it; None does
    not tell, and then only another resolution is a conflict. `text`: likewise, since a team may change it in place.
    `key`: the normalized error of the case. After a restore, the number may be that of another case.
    """

    case_id: int
    resolution_id: int | None
    fingerprint: str | None = None
    status: Status | None = None
    text: str | None = None
    key: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Conflict:
    """A case left unchanged because of a concurrent change. Nothing is lost: `mine` is the intended text.

    `changed`: `theirs` answers now (None: nothing does), not `base`, or it was decided meanwhile and has another
    status. `gone`: the case was merged into `moved_to`, whose current fix is `theirs`, or it was deleted (None).
    """

    case_id: int
    reason: Literal["changed", "gone"]
    base: Resolution | None
    theirs: Resolution | None
    mine: Written | None = None
    moved_to: int | None = None


def version_of(case: Case, fingerprint: str | None = None) -> SeenVersion:
    """Return the version of the case that a person sees. Its fixes are in the order of precedence."""
    may = [one for one in case.resolutions if one.status != "rejected" and one.text.strip(" ") and not one.replaced_by]
    if case.status == "noise":
        may = []
    if fingerprint is not None:
        may = [one for one in may if one.fingerprint in (None, fingerprint)]
        may.sort(key=lambda one: (_harvested(one), _harvested(one) and one.worth == "slip", one.fingerprint is None))
    return _version(case.id, may[0] if may else None, fingerprint, case.error_normalized)


def _version(case_id: int, shown: Resolution | None, fingerprint: str | None, key: str) -> SeenVersion:
    if shown is None:
        return SeenVersion(case_id, None, fingerprint, key=key)
    return SeenVersion(case_id, shown.id, fingerprint, shown.status, shown.text, key)


def version_with(case: Case, shown: Resolution | None, at: str | None = None) -> SeenVersion:
    """What someone sees who has this fix of the case before them: to decide about it is to decide for what it holds
    for, not about the one that answers for the whole case.

    `at`: the error that it is shown for. A fix that holds for the whole case may answer for that one alone.
    """
    whole = version_of(case)
    if shown is None or shown.id == whole.resolution_id or case.status == "noise":
        return whole
    return _version(case.id, shown, shown.fingerprint or at, case.error_normalized)


def look(con: apsw.Connection, case_id: int, fingerprint: str | None = None) -> SeenVersion:
    """What answers for the case now. Raises Fault not_indexed if there is no such case."""
    row = con.execute("SELECT error_normalized FROM error_kb WHERE id = ?", (case_id,)).fetchone()
    if row is None:
        moved = moved_to(con, case_id)
        hint = f"the case was merged into case {moved}" if moved is not None else "run: casebook errors list"
        raise Fault("not_indexed", f"case {case_id} not found", hint, case_id=case_id)
    return _version(case_id, answering(con, case_id, fingerprint), fingerprint, str(row[0]))


def look_at_error(con: apsw.Connection, case_id: int, fingerprint: str) -> SeenVersion:
    """What answers for one error of the case. Raises Fault not_indexed for no such case, invalid_input for no such
    error."""
    seen = look(con, case_id, fingerprint)
    sql = "SELECT 1 FROM fingerprint WHERE fingerprint = ? AND case_id = ?"
    if con.execute(sql, (fingerprint, case_id)).fetchone() is None:
        hint = f"run: casebook errors show {case_id}"
        raise Fault("invalid_input", f"case {case_id} has no error with the fingerprint {fingerprint}", hint)
    return seen


def clash(
    con: apsw.Connection, seen: SeenVersion, mine: Written | None, *, whatever_status: bool = False
) -> Conflict | None:
    """Return what prevents a decision made on the version `seen`; None if nothing does.

    The fix of a row that has no history yet is first given one, so it is seen as nothing that answers.
    """
    if not is_case(con, seen.case_id, seen.key):
        moved = moved_to(con, seen.case_id)
        if moved is None:
            return Conflict(seen.case_id, "gone", None, None, mine)
        base = None if seen.resolution_id is None else resolution(con, moved, seen.resolution_id)
        return Conflict(seen.case_id, "gone", base, answering(con, moved, seen.fingerprint), mine, moved)
    theirs = answering(con, seen.case_id, seen.fingerprint)
    same_status = whatever_status or theirs is None or seen.status in (None, theirs.status)
    same_text = theirs is None or seen.text in (None, theirs.text)
    if (None if theirs is None else theirs.id) == seen.resolution_id and same_status and same_text:
        adopt_mirror(con, seen.case_id)
        return None
    base = None if seen.resolution_id is None else resolution(con, seen.case_id, seen.resolution_id)
    if base is not None and seen.text is not None:
        base = replace(base, text=seen.text)
    return Conflict(seen.case_id, "changed", base, theirs, mine)


def moved_to(con: apsw.Connection, case_id: int) -> int | None:
    """The case that this one was merged into."""
    row = con.execute("SELECT into_id FROM merged WHERE case_id = ?", (case_id,)).fetchone()
    return None if row is None else int(row[0])


def _harvested(one: Resolution) -> bool:
    return one.author == "harvest" and one.status == "draft"


def is_case(con: apsw.Connection, case_id: int, key: str | None) -> bool:
    """Return whether there is a case of this number, with this normalized error if it is given."""
    sql = (
        "SELECT 1 FROM error_kb WHERE id = ?1 AND (?2 IS NULL OR error_normalized = ?2"
        " OR EXISTS (SELECT 1 FROM case_key WHERE error_normalized = ?2 AND case_id = ?1))"
    )
    return con.execute(sql, (case_id, key)).fetchone() is not None


def person(environ: Mapping[str, str] | None = None) -> str:
    """Return the name of the logged-in user, on one line; `person` if it is unknown."""
    env = os.environ if environ is None else environ
    for variable in ("LOGNAME", "USER", "USERNAME"):
        name = " ".join(redact(env.get(variable, "")).split())[:64]
        if name:
            return f"{name} (person)" if name in MACHINES else name
    return "person"


MOST_OTHERS = 10
"""Maximum number of cases of one act in a message."""


@dataclass(frozen=True, slots=True)
class Beside:
    """A fix of a case that was decided on, or had been so before, and the `others` that answer for errors of the case
    which this one is not for: whoever came from one of them meant that."""

    case_id: int
    fix: int
    others: tuple[int, ...]


def other_fixes(con: apsw.Connection, decided: Iterable[tuple[int, int]]) -> tuple[Beside, ...]:
    """Of cases, each with the fix that was decided on, those that hold others that answer. The best first."""
    found = (Beside(case_id, fix, _others(con, case_id, fix)) for case_id, fix in list(decided)[:MOST_OTHERS])
    return tuple(one for one in found if one.others)


def _others(con: apsw.Connection, case_id: int, fix: int) -> tuple[int, ...]:
    """For each error of the case the fix that answers for it alone, and what answers for the rest; not the same words
    again."""
    current = cast(
        "tuple[str | None, str] | None",
        con.execute("SELECT fingerprint, text FROM resolution WHERE id = ?", (fix,)).fetchone(),
    )
    if current is None:
        return ()
    rows = cast(
        "list[tuple[int, str | None, str]]",
        con.execute(
            f"SELECT id, fingerprint, text FROM resolution WHERE case_id = ? AND {ANSWERS} ORDER BY {CURRENT_FIRST}",
            (case_id,),
        ).fetchall(),
    )
    best: dict[str | None, tuple[int, str]] = {}
    for one, mark, text in rows:
        best.setdefault(mark, (one, text))
    return tuple(one for mark, (one, text) in best.items() if mark != current[0] and text != current[1])


MOST_CASES = 10_000


@dataclass(frozen=True, slots=True)
class Curated:
    """What an act did, as one change in the history (`change` None: nothing was changed).

    `cases` were changed and `resolutions` were written or decided; `unchanged` cases had nothing to do; `conflicts`
    were left as they are. `made`: the case that a split made. `differed`: what was merged though it was not obviously
    the same. `beside`: the fix decided on where others answer for other errors of its case. `parts`: the other cases of
    the decided incidents, which left the queue with them.
    """

    SCHEMA: ClassVar[str] = "curation.v1"

    act: str
    change: int | None
    cases: tuple[int, ...] = ()
    resolutions: tuple[int, ...] = ()
    unchanged: tuple[int, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    made: int | None = None
    differed: tuple[Unlike, ...] = ()
    beside: tuple[Beside, ...] = ()
    parts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class DecisionResult:
    """What an act did to one case: the resolution it wrote or decided, and further cases it touched."""

    resolution: int | None = None
    others: tuple[int, ...] = ()


Do = Callable[[apsw.Connection, SeenVersion, str], DecisionResult | None]
"""One case's part of an act, inside the transaction, with the time; None: there was nothing to do."""


def decide(
    store: Store,
    actor: str,
    act: str,
    doing: str,
    seen: Sequence[SeenVersion],
    do: Do,
    mine: Written | Mapping[int, Written] | None = None,
) -> Curated:
    """Do one act on each case that is still as it was `seen`, in one change titled `doing` and the error's name.

    `mine`: the fix to write, the same for all or by case.

    Raises Fault invalid_input for no case or too many, and what `Store.transaction` raises: then nothing was done.
    """
    cases = tuple(dict.fromkeys(seen))
    if not 1 <= len(cases) <= MOST_CASES:
        raise Fault(
            "invalid_input", f"{len(cases):,} is not a valid number of cases", f"pass 1 to {MOST_CASES:,} cases"
        )
    done: dict[int, DecisionResult] = {}
    unchanged: list[int] = []
    conflicts: list[Conflict] = []
    ts = now()
    with change(store, actor, f"{doing}: {about(store.con, cases)}") as made:
        items = open_items(store.con, (one.case_id for one in cases))
        for one in cases:
            own = mine.get(one.case_id) if isinstance(mine, Mapping) else mine
            conflict = clash(store.con, one, own, whatever_status=act == "verify" and mine is None)
            if conflict is not None:
                conflicts.append(conflict)
                continue
            did = do(store.con, one, ts)
            if did is None:
                unchanged.append(one.case_id)
            else:
                done[one.case_id] = did
                made.subjects.add(("error_kb", one.case_id))
        for case_id in {case_id for at, did in done.items() for case_id in (at, *did.others)}:
            refresh_case(store.con, case_id)
        parts = parts_of_decided(store.con, items & done.keys())
        if parts:
            made.title += f" and {len(parts)} more of {'its incident' if len(done) == 1 else 'their incidents'}"
    written = tuple(did.resolution for did in done.values() if did.resolution is not None)
    return Curated(act, made.id, tuple(done), written, tuple(unchanged), tuple(conflicts), parts=parts)


def about(con: apsw.Connection, cases: Sequence[SeenVersion]) -> str:
    """What the cases are called in the history: the first key line, and how many more."""
    own = own_titles(con, [cases[0].case_id]).get(cases[0].case_id)
    row = con.execute(
        "SELECT coalesce(?2, (SELECT key_line FROM fingerprint WHERE case_id = ?1 ORDER BY first_seen LIMIT 1),"
        " (SELECT error_normalized FROM error_kb WHERE id = ?1), '')",
        (cases[0].case_id, None if own is None else own.key_line),
    ).fetchone()
    line = title_text(str(row[0] if row else ""))
    return line if len(cases) == 1 else f"{line} and {len(cases) - 1} more"


MIN_OVERLAP = 0.5
"""Shared words (of both together) from which a case is offered."""


def word_overlap(ours: str, theirs: str) -> tuple[float, tuple[str, ...]]:
    """The share of words, Hangul by its bigrams, that two key lines have in common, and which."""
    if codes_differ(ours, theirs):
        return 0.0, ()
    left, right = pieces(ours), pieces(theirs)
    if not left or not right:
        return 0.0, ()
    shared = tuple(word for word in dict.fromkeys(words(ours)) if word in set(words(theirs)))
    return len(left & right) / len(left | right), shared
