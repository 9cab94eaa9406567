"""Decisions about fixes: verify, reject, edit, mark as noise. None overwrites a text; each can be undone.

Cases that might have the same fix: offered while one is written, never applied by themselves.

Where a lesson holds: a person confirms that it helps in every project, or takes that back. It can be undone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final, Literal, cast

import apsw

from core.base.fault import Fault
from core.errors.cases.case import CaseStatus
from core.errors.cases.derived import ANSWERS, TAGS, TEAM, forms, parse_names
from core.errors.cases.resolutions import (
    Resolution,
    answering,
    dump_names,
    insert_resolution,
    resolution,
    stored_lesson,
)
from core.errors.curation.transaction import (
    MIN_OVERLAP,
    Curated,
    DecisionResult,
    SeenVersion,
    Written,
    checked,
    decide,
    look,
    other_fixes,
    tags_of,
    word_overlap,
    written_of,
)
from core.errors.curation.triage import WAITING
from core.errors.identity.codes import codes_differ
from core.errors.lessons import DO_TEXT, Lesson, deed, edited_lesson, parse_lesson
from core.errors.retrieval.answer import Status
from core.lexical import any_of, terms
from core.store import Store, after, faults
from core.text import redact, words

if TYPE_CHECKING:
    from core.embedding.index.binary_index import CachedBits


def mark_noise(store: Store, actor: str, seen: Sequence[SeenVersion], reason: str = "") -> Curated:
    """Mark cases as noise: they keep their fixes and answer nothing."""
    why = redact(reason).strip()[:REASON_KEPT]

    def mark(con: apsw.Connection, one: SeenVersion, ts: str) -> DecisionResult | None:
        con.execute("INSERT OR IGNORE INTO noise VALUES (?, ?, ?, ?)", (one.case_id, why, actor, ts))
        return DecisionResult() if con.changes() else None

    return decide(store, actor, "noise", "mark as noise", seen, mark)


def unmark_noise(store: Store, actor: str, seen: Sequence[SeenVersion]) -> Curated:
    """Take the mark back: the cases answer again, and return to the queue."""

    def unmark(con: apsw.Connection, one: SeenVersion, _ts: str) -> DecisionResult | None:
        return DecisionResult() if hear_again(con, one.case_id) else None

    return decide(store, actor, "unmark", "unmark as noise", seen, unmark)


def hear_again(con: apsw.Connection, case_id: int) -> bool:
    """Remove the mark inside the caller's transaction; the caller refreshes the case. Return whether there was one."""
    con.execute("DELETE FROM noise WHERE case_id = ?", (case_id,))
    return bool(con.changes())


Saved = Literal["draft", "verified"]
REASON_KEPT = 2_000
"""Code points of the reason for a rejection or a mark of noise."""


def verify(
    store: Store,
    actor: str,
    seen: Sequence[SeenVersion],
    written: Written | Mapping[int, Written] | None = None,
    *,
    pick: int | None = None,
) -> Curated:
    """Say that a fix is right: the one that answers, the one `pick`ed from the history, or the text `written`.

    It becomes the verified one that answers. A case without any fix is left unchanged. Raises Fault invalid_input.
    """
    if written is not None:
        return edit(store, actor, seen, written, status="verified")
    done = decide(
        store, actor, "verify", "verify the fix of", seen, lambda con, one, ts: _verify(con, actor, one, pick, ts)
    )
    return done if pick is not None else _with_other_fixes(store, done, seen)


def reject(
    store: Store,
    actor: str,
    seen: Sequence[SeenVersion],
    reason: str = "",
    *,
    pick: int | None = None,
    all_of_it: bool = False,
) -> Curated:
    """Say that a fix is wrong: the one that answers (or `pick`), or with `all_of_it` every one that could answer.

    A rejected one never answers again; with `all_of_it` left out, the next in line does. A case without any fix is
    left unchanged. Raises Fault invalid_input.
    """
    why = redact(reason).strip()[:REASON_KEPT]
    done = decide(
        store,
        actor,
        "reject",
        "reject the fix of",
        seen,
        lambda con, one, _ts: _reject(con, one, why, pick, all_of_it=all_of_it),
    )
    return done if pick is not None or all_of_it else _with_other_fixes(store, done, seen)


def drafts_left(store: Store, cases: Sequence[int]) -> int:
    """Count the different drafts that can still answer in these cases, of those that a draft answers for."""
    rows = store.con.execute(
        "SELECT case_id, text, lesson FROM resolution WHERE case_id IN (SELECT case_id FROM case_state"
        f" WHERE case_id IN (SELECT value FROM json_each(?)) AND status = 'draft') AND {ANSWERS}",
        (json.dumps(cases),),
    ).fetchall()
    found = cast("list[tuple[int, str, str | None]]", rows)
    return len({(case_id, deed(text, parse_lesson(lesson))) for case_id, text, lesson in found})


def edit(
    store: Store,
    actor: str,
    seen: Sequence[SeenVersion],
    written: Written | Mapping[int, Written],
    *,
    status: Saved = "draft",
    whole_case: bool = False,
) -> Curated:
    """Write a fix in the place of the one that answers, which stays in the history: the same for each case, or by case.

    It holds for what the replaced one held for, or for `Seen.fingerprint`; with `whole_case`, and where nothing
    answered before, for the whole case. Raises Fault invalid_input for a text that cannot be stored.
    """
    given = {one.case_id: written if isinstance(written, Written) else written[one.case_id] for one in seen}
    mine = {case_id: checked(one) for case_id, one in given.items()}
    act, doing = ("verify", "write and verify a fix of") if status == "verified" else ("edit", "write a fix of")
    return decide(
        store,
        actor,
        act,
        doing,
        seen,
        lambda con, one, ts: _edit(con, actor, one, mine[one.case_id], status, ts, whole_case=whole_case),
        mine,
    )


def _with_other_fixes(store: Store, done: Curated, seen: Sequence[SeenVersion]) -> Curated:
    """With what else those cases hold that were decided on whole, by whatever answered for them."""
    whole = {one.case_id: one for one in seen if one.fingerprint is None}
    decided = list(zip(done.cases, done.resolutions, strict=False)) if len(done.cases) == len(done.resolutions) else []
    decided += [
        (case_id, was) for case_id in done.unchanged if case_id in whole and (was := whole[case_id].resolution_id)
    ]
    return replace(done, beside=other_fixes(store.con, (one for one in decided if one[0] in whole)))


def _picked(con: apsw.Connection, seen: SeenVersion, pick: int | None) -> Resolution | None:
    if pick is None:
        return answering(con, seen.case_id, seen.fingerprint)
    found = resolution(con, seen.case_id, pick)
    if found is None:
        raise Fault(
            "invalid_input", f"case {seen.case_id} has no fix {pick}", f"run: casebook errors show {seen.case_id}"
        )
    return found


def _verify(con: apsw.Connection, actor: str, seen: SeenVersion, pick: int | None, ts: str) -> DecisionResult | None:
    target = _picked(con, seen, pick)
    if target is None:
        return None
    before = answering(con, seen.case_id, seen.fingerprint)
    if target.status == "verified" and before is not None and before.id == target.id:
        return None
    hear_again(con, seen.case_id)
    con.execute("UPDATE resolution SET status = 'verified', reason = '', replaced_by = NULL WHERE id = ?", (target.id,))
    answers = answering(con, seen.case_id, seen.fingerprint)
    of_team = before is not None and before.author == TEAM and target.replaced_by == before.id
    if answers is not None and answers.id == target.id and not of_team:
        return DecisionResult(target.id)
    # A newer one would go on answering, for the team if not here: say it once more, on top, and leave the older one as
    # it was but silent.
    made = _write(con, actor, seen, written_of(target), "verified", target.fingerprint, before, ts, target.lesson)
    con.execute(
        "UPDATE resolution SET status = ?, reason = ?, replaced_by = ? WHERE id = ?",
        (target.status, target.reason, made, target.id),
    )
    return DecisionResult(made)


def _reject(
    con: apsw.Connection, seen: SeenVersion, why: str, pick: int | None, *, all_of_it: bool
) -> DecisionResult | None:
    done: int | None = None
    while (target := _picked(con, seen, pick)) is not None and (done is None or all_of_it):
        if target.status == "rejected" and target.reason == why:
            break
        # The same words again, from another session, are no better, nor is a draft that does the same.
        con.execute(
            "UPDATE resolution SET status = 'rejected', reason = ? WHERE case_id = ?"
            " AND (id = ? OR text = ? OR id IN (SELECT value FROM json_each(?)))",
            (why, seen.case_id, target.id, target.text, json.dumps(_copies(con, seen.case_id, target))),
        )
        done = done or target.id
        pick = None if all_of_it else pick
    return None if done is None else DecisionResult(done)


def _copies(con: apsw.Connection, case_id: int, fix: Resolution) -> list[int]:
    """The drafts of the case that do the same as the fix."""
    if fix.lesson is None:
        return []
    rows = con.execute(
        f"SELECT id, text, lesson FROM resolution WHERE case_id = ? AND status = 'draft' AND {DO_TEXT} = ?",
        (case_id, fix.lesson.do.text),
    )
    same = deed(fix.text, fix.lesson)
    drafts = cast("list[tuple[int, str, str]]", rows.fetchall())
    return [draft for draft, text, stored in drafts if deed(text, parse_lesson(stored)) == same]


def _edit(
    con: apsw.Connection, actor: str, seen: SeenVersion, mine: Written, status: Status, ts: str, *, whole_case: bool
) -> DecisionResult | None:
    base = answering(con, seen.case_id, seen.fingerprint)
    scope = None if whole_case else seen.fingerprint or (base.fingerprint if base else None)
    if base is not None and written_of(base) == mine and scope == base.fingerprint:
        if base.status == "verified" or status == "draft":
            return None
        return _verify(con, actor, seen, base.id, ts)
    hear_again(con, seen.case_id)
    kept = None if base is None or base.lesson is None else edited_lesson(base.lesson, base.text, mine.text)
    return DecisionResult(_write(con, actor, seen, mine, status, scope, base, ts, kept))


def _write(
    con: apsw.Connection,
    actor: str,
    seen: SeenVersion,
    mine: Written,
    status: Status,
    scope: str | None,
    base: Resolution | None,
    ts: str,
    lesson: Lesson | None,
) -> int | None:
    """Write a new resolution on top of `base`, which is then no longer current."""
    made = insert_resolution(
        con,
        seen.case_id,
        scope,
        mine.text,
        status=status,
        resolved_by=mine.resolved_by,
        tool_sequence=mine.tool_sequence,
        author=actor,
        session_id=mine.source.session,
        message_ids=mine.source.messages,
        supersedes=None if base is None else base.id,
        ts=ts if base is None else after(base.ts, ts),
        tags=mine.tags,
        lesson=lesson,
    )
    if base is not None and (scope is None or base.fingerprint == scope):
        # What holds for the whole case stands in the place of every draft in it, save those that stand behind anyway.
        con.execute(
            "UPDATE resolution SET replaced_by = ?1 WHERE case_id = ?2 AND id <> ?1 AND status <> 'rejected'"
            " AND (fingerprint IS ?3 OR ?5 AND status = 'draft') AND replaced_by IS NULL"
            " AND NOT (author = 'harvest' AND status = 'draft') OR id = ?4",
            (made, seen.case_id, base.fingerprint, base.id, scope is None),
        )
    return made


SHOWN = 8
WORDS = 6
"""Words of the case that are asked for: its rarest."""
COMMON = 5_000
"""A word that more cases have says little, and would make the index walk long."""
LOOKED_AT = 60


@dataclass(frozen=True, slots=True)
class Candidate:
    """A case that waits and is alike. `shared`: the words both have; `score`: their share, or the cosine, 0..1.

    `by`: whether its words or its meaning say so.

    `seen` is what an act on it needs: `edit(store, actor, [seen, …], written)` applies one fix to several cases.
    """

    id: int
    key_line: str
    status: CaseStatus
    count: int
    shared: tuple[str, ...]
    score: float
    seen: SeenVersion
    by: Literal["words", "meaning"] = "words"


def apply_to_these(store: Store, case_id: int, kept: CachedBits | None = None) -> tuple[Candidate, ...]:
    """The waiting cases that one fix may be for: those that read alike, then those that mean the same.

    By meaning only from the bar of an answer on, with the vectors that are kept: no model is loaded. `kept` is for a
    process that asks again and again. Raises Fault where the store cannot be read.
    """
    with faults(store.path):
        by_words = apply_also(store.con, case_id, SHOWN)
        meant = _candidates_for(store, case_id, kept, frozenset((case_id, *(one.id for one in by_words))))
    return (*by_words, *meant)[:SHOWN]


def _candidates_for(store: Store, case_id: int, kept: CachedBits | None, known: frozenset[int]) -> list[Candidate]:
    from core.embedding.index.state import read_state
    from core.embedding.models.models import bars_of_stored
    from core.errors.retrieval.neighbours import cases_like

    con, state = store.con, read_state(store.con, "error")
    bars = None if state is None else bars_of_stored(state.model, state.recipe)
    if bars is None:
        return []
    rows = con.execute("SELECT key_line FROM fingerprint WHERE case_id = ? LIMIT 8", (case_id,)).fetchall()
    (many,) = con.execute("SELECT coalesce(max(id), 1) FROM error_kb").fetchone() or (1,)
    bar = bars.high_at(int(many))
    near = cases_like(store, case_id, kept)
    found: list[Candidate] = []
    for like in near.cases if near.by == "meaning" else ():
        row = like.row
        waits = row.status in ("unresolved", "draft") and row.id not in known
        if waits and like.similarity >= bar and not all(codes_differ(str(line), row.key_line) for (line,) in rows):
            seen = look(con, row.id)
            found.append(
                Candidate(row.id, row.key_line, row.status, row.seen, like.shared, like.similarity, seen, "meaning")
            )
    return found


def apply_also(con: apsw.Connection, case_id: int, most: int = SHOWN) -> tuple[Candidate, ...]:
    """The waiting cases that read most like this one, best first. A case whose codes differ is none of them."""
    named = con.execute(
        "SELECT key_line FROM fingerprint WHERE case_id = ? ORDER BY first_seen, fingerprint LIMIT 8", (case_id,)
    ).fetchall()
    lines = [cast("str", row[0]) for row in named]
    match = any_of(_rarest(con, " ".join(lines)))
    if not lines or match is None:
        return ()
    rows = con.execute(
        "SELECT case_fts.rowid, s.status, s.seen, coalesce((SELECT key_line FROM fingerprint f"
        "   WHERE f.case_id = case_fts.rowid ORDER BY first_seen, fingerprint LIMIT 1), '')"
        " FROM case_fts CROSS JOIN case_state s ON s.case_id = case_fts.rowid"
        f" WHERE case_fts MATCH ? AND s.{WAITING} AND s.case_id <> ? ORDER BY"
        " bm25(case_fts, 8.0, 0.0, 0.0, 4.0) LIMIT ?",
        (match, case_id, LOOKED_AT),
    ).fetchall()
    found: list[tuple[float, int, int, CaseStatus, str, tuple[str, ...]]] = []
    for other, status, count, line in cast("list[tuple[int, CaseStatus, int, str]]", rows):
        score, shared = max((word_overlap(own, line) for own in lines), key=lambda pair: pair[0])
        if score >= MIN_OVERLAP:
            found.append((-score, -count, other, status, line, shared))
    return tuple(
        Candidate(other, line, status, -count, shared, round(-score, 3), look(con, other))
        for score, count, other, status, line, shared in sorted(found)[:most]
    )


def _rarest(con: apsw.Connection, text: str) -> tuple[str, ...]:
    """The rarest words that other cases have too."""
    known: list[tuple[int, str]] = []
    content = frozenset(words(text))
    for term in terms(text):
        row = con.execute("SELECT doc FROM case_term WHERE term = ?", (term,)).fetchone()
        if row is not None and term in content and 1 < cast("int", row[0]) <= COMMON:
            known.append((cast("int", row[0]), term))
        elif not term.isascii():  # Korean glues particles to words: its bigrams find it
            known.append((COMMON, term))
    return tuple(term for _, term in sorted(known)[:WORDS])


def rename_tag(store: Store, actor: str, old: str, new: str) -> Curated:
    """Rename a tag, in capitals or not, in every fix that has it, as one change; a fix that has both keeps `new` once.

    Raises Fault invalid_input for a name that cannot be stored, and not_indexed where no fix has the tag.
    """
    (name,) = tags_of((new,)) or ("",)
    if not name:
        raise Fault("invalid_input", "the new tag is empty", "pass a name")
    con, marks = store.con, forms(redact(old).strip())
    rows = con.execute(
        f"SELECT DISTINCT resolution.case_id FROM {TAGS} AND tag.value COLLATE NOCASE IN (?, ?) ORDER BY 1", marks
    )
    cases = [cast("int", row[0]) for row in rows.fetchall()]
    if not cases:
        raise Fault("not_indexed", f"no fix has the tag {old}", _known_tags(con, old))
    old_names = {mark.encode("utf-8", "replace").lower() for mark in marks}

    def change(con: apsw.Connection, one: SeenVersion, _ts: str) -> DecisionResult | None:
        found = con.execute("SELECT id, tags FROM resolution WHERE case_id = ? AND tags <> '[]'", (one.case_id,))
        last: int | None = None
        for fix, written in cast("list[tuple[int, str]]", found.fetchall()):
            tags = parse_names(written)
            renamed = [name if tag.encode("utf-8", "replace").lower() in old_names else tag for tag in tags]
            if (*renamed,) != tags:
                con.execute(
                    "UPDATE resolution SET tags = ? WHERE id = ?", (dump_names(list(dict.fromkeys(renamed))), fix)
                )
                last = fix
        return None if last is None else DecisionResult(last)

    return decide(
        store, actor, "tag", f"rename the tag {marks[0]} to {name} of", [look(con, at) for at in cases], change
    )


_TAGS_NAMED: Final = 5


def _known_tags(con: apsw.Connection, like: str) -> str:
    """What to do where no fix has the tag `like`: name the tags that fixes have, the most similar first."""
    rows = con.execute(f"SELECT tag.value COLLATE NOCASE, count(*) FROM {TAGS} GROUP BY 1 ORDER BY 2 DESC, 1")
    tags = [cast("str", row[0]) for row in rows.fetchall()]
    if not tags:
        return "no fix has a tag yet: add tags with casebook errors edit ID --tag TAG"
    folded = like.casefold()
    near = sorted(tags, key=lambda tag: -SequenceMatcher(None, tag.casefold(), folded).ratio())[:_TAGS_NAMED]
    more = f" and {len(tags) - len(near):,} more" if len(tags) > len(near) else ""
    return f"pass one of the tags in use: {', '.join(near)}{more}"


def set_scope(
    store: Store,
    actor: str,
    seen: Sequence[SeenVersion],
    scope: Literal["project", "general"],
    *,
    pick: int | None = None,
) -> Curated:
    """Let the lesson of the fix that answers (or of `pick`) hold in its project, or in every project.

    Raises Fault invalid_input where there is no such fix, or its text is all there is.
    """
    doing = "make the lesson general" if scope == "general" else "make the lesson project-only"

    def change(con: apsw.Connection, one: SeenVersion, _ts: str) -> DecisionResult | None:
        fix = _picked(con, one, pick)
        if fix is None:
            hint = f"run: casebook errors show {one.case_id}"
            raise Fault("invalid_input", f"case {one.case_id} has no current fix", hint)
        if fix.lesson is None:
            hint = "only harvested fixes and fixes recorded by agents have a lesson"
            raise Fault("invalid_input", f"fix {fix.id} of case {one.case_id} has no lesson", hint)
        if fix.lesson.scope == scope:
            return None
        con.execute(
            "UPDATE resolution SET lesson = ? WHERE id = ?", (stored_lesson(replace(fix.lesson, scope=scope)), fix.id)
        )
        return DecisionResult(fix.id)

    return decide(store, actor, scope, doing, seen, change)
