"""Several cases are one: their keys, finer cases, fixes and counts go to the one that stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import apsw

from core.base.fault import Fault
from core.errors.cases.browse import show_case
from core.errors.cases.case import Case
from core.errors.cases.resolutions import Resolution, adopt_mirror, answering, insert_resolution, mirrored
from core.errors.curation.transaction import (
    LINES,
    Conflict,
    Curated,
    DecisionResult,
    SeenVersion,
    Unlike,
    clash,
    decide,
    look,
    unlike,
    version_of,
)
from core.store import Store


def merge(store: Store, actor: str, into: SeenVersion, others: Sequence[SeenVersion]) -> Curated:
    """Merge `others` into the case `into`. A verified fix stays current, else that of `into`, for the whole case.

    All or nothing: with one conflict, none is merged. Raises Fault invalid_input for a case merged with itself.
    """
    others = tuple(dict.fromkeys(others))
    if not others or into.case_id in {one.case_id for one in others}:
        raise Fault("invalid_input", "a case cannot be merged with itself", "pass two different cases")
    conflicts: list[Conflict] = []
    differed: list[Unlike] = []

    def join(con: apsw.Connection, one: SeenVersion, ts: str) -> DecisionResult | None:
        conflicts.extend(found for other in others if (found := clash(con, other, None)) is not None)
        if conflicts:
            return None
        kept = _best(_answering_fixes(con, [one.case_id, *(other.case_id for other in others)]))
        differed.extend(_unlike(store, show_case(store, one.case_id, LINES), others))
        for other in others:
            _move(con, other.case_id, one.case_id, ts)
        kept_fix = None if kept is None else _keep_answering(con, one.case_id, kept[1], ts)
        return DecisionResult(kept_fix, tuple(other.case_id for other in others))

    done = decide(
        store, actor, "merge", f"merge {len(others)} case{'' if len(others) == 1 else 's'} into", [into], join
    )
    return replace(done, unchanged=(), conflicts=(*done.conflicts, *conflicts), differed=tuple(differed))


def join_cases(store: Store, actor: str, into: int, other: int) -> Curated:
    """Make a case a part of another one with every fix as it is: which of them answers is decided elsewhere."""

    def join(con: apsw.Connection, one: SeenVersion, ts: str) -> DecisionResult:
        adopt_mirror(con, other)
        _move(con, other, one.case_id, ts)
        return DecisionResult(None, (other,))

    return decide(store, actor, "merge", "merge 1 case into", [look(store.con, into)], join)


def _unlike(store: Store, into: Case | None, others: Sequence[SeenVersion]) -> list[Unlike]:
    """Those of the others that are not obviously the same."""
    cases = (show_case(store, other.case_id, LINES) for other in others)
    return [found for case in cases if into and case and (found := unlike(into, case)) is not None]


@dataclass(frozen=True, slots=True)
class Fixes:
    """What a merge makes of the fixes that answer now, each with its case: the one kept, and those for the history."""

    kept: tuple[int, Resolution] | None
    past: tuple[tuple[int, Resolution], ...]


@dataclass(frozen=True, slots=True)
class MergePreview:
    """What `merge` is about to do: `seen` is what it takes, the case that stays first.

    `unlike`: those that are not obviously the same, with what differs; `fixes`: what becomes of the fixes.
    """

    into: Case
    seen: tuple[SeenVersion, ...]
    unlike: tuple[Unlike, ...]
    fixes: Fixes

    @property
    def differing(self) -> tuple[str, ...]:
        """What differs in any of them, of `tool`, `key` and `fix`; nothing: they are obviously the same."""
        found: set[str] = {one.what for other in self.unlike for one in other.differences}
        if self.fixes.past:
            found.add("fix")
        return tuple(what for what in ("tool", "key", "fix") if what in found)


def preview_merge(store: Store, into: int, others: Sequence[int], known: Case | None = None) -> MergePreview:
    """What a merge of `others` into `into` would join. `known`: that case as a person has it before them.

    Raises Fault not_indexed if one of them is not there.
    """
    seen = tuple(look(store.con, case_id) for case_id in (into, *others))
    case = known or show_case(store, into)
    assert case is not None
    mine = version_of(case) if known is not None else seen[0]
    differing = tuple(_unlike(store, case, seen[1:]))
    return MergePreview(case, (mine, *seen[1:]), differing, fixes_of_merge(store.con, into, others))


def fixes_of_merge(con: apsw.Connection, into: int, others: Sequence[int]) -> Fixes:
    """What `merge` would do with the fixes; one with the text of the kept one is no other fix."""
    found = _answering_fixes(con, [into, *others])
    kept = _best(found)
    if kept is None:
        return Fixes(None, ())
    return Fixes(kept, tuple(pair for pair in found if pair[1].text.strip() != kept[1].text.strip()))


def _move(con: apsw.Connection, source: int, target: int, ts: str) -> None:
    row = con.execute(
        "SELECT error_normalized, error_raw, coalesce(use_count, 0), last_used FROM error_kb WHERE id = ?", (source,)
    ).fetchone()
    if row is None:  # named twice
        return
    key, raw, uses, used = row
    con.execute("UPDATE fingerprint SET case_id = ? WHERE case_id = ?", (target, source))
    con.execute("UPDATE case_key SET case_id = ? WHERE case_id = ?", (target, source))
    con.execute("UPDATE resolution SET case_id = ? WHERE case_id = ?", (target, source))
    con.execute("UPDATE merged SET into_id = ? WHERE into_id = ?", (target, source))
    con.execute("DELETE FROM noise WHERE case_id = ?", (source,))
    con.execute("DELETE FROM error_kb WHERE id = ?", (source,))  # triggers drop what is derived from it
    con.execute("INSERT OR IGNORE INTO case_key(error_normalized, case_id) VALUES (?, ?)", (key, target))
    con.execute("INSERT OR REPLACE INTO merged(case_id, into_id, ts) VALUES (?, ?, ?)", (source, target, ts))
    con.execute(
        "UPDATE error_kb SET use_count = coalesce(use_count, 0) + ?1, error_raw = coalesce(error_raw, ?2),"
        " last_used = nullif(max(coalesce(last_used, ''), coalesce(?3, '')), '') WHERE id = ?4",
        (uses, raw, used, target),
    )


def _answering_fixes(con: apsw.Connection, cases: Sequence[int]) -> list[tuple[int, Resolution]]:
    found = ((case_id, answering(con, case_id) or mirrored(con, case_id)) for case_id in cases)
    return [(case_id, one) for case_id, one in found if one is not None]


def _best(found: Sequence[tuple[int, Resolution]]) -> tuple[int, Resolution] | None:
    """Return the fix that stays current: a verified one, then a written one, then by the order of the cases."""
    return min(found, key=lambda pair: (pair[1].status != "verified", pair[1].author == "harvest"), default=None)


def _keep_answering(con: apsw.Connection, case_id: int, kept: Resolution, ts: str) -> int:
    """Apply the kept fix to the whole case; fixes that would precede it move to the history."""
    fix_id = kept.id
    if kept.fingerprint is not None:
        made = insert_resolution(
            con, case_id, None, kept.text, status=kept.status, resolved_by=kept.resolved_by,
            tool_sequence=kept.tool_sequence, author=kept.author, session_id=kept.source.session,
            message_ids=kept.source.messages, supersedes=kept.id, ts=ts, tags=kept.tags,
            lesson=kept.lesson,
        )  # fmt: skip
        fix_id = kept.id if made is None else made
        con.execute("UPDATE resolution SET replaced_by = ? WHERE id = ?", (fix_id, kept.id))
    while (first := answering(con, case_id)) is not None and first.id != fix_id:
        con.execute("UPDATE resolution SET replaced_by = ? WHERE id = ?", (fix_id, first.id))
    return fix_id
