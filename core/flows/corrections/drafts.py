"""Draft rules: listed, accepted into a rule file, rejected. Private until a person accepts one.

The rule file is written inside the transaction, before the commit. A process that is killed between the two leaves the
rule in the file and its draft open: accepting it again finds it there and writes it once. The other order would leave
a rule that counts as accepted and that no agent reads.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, cast

import apsw

from core.base.fault import Fault
from core.flows.corrections.project_file import refuse_outside
from core.flows.corrections.rule_block import next_rule_id, put_in, refuse_odd_file, rule_markdown, rules_in, take_out
from core.store import Store, change, faults, now
from core.text import redact

DraftStatus = Literal["draft", "accepted", "rejected"]
_REASON_KEPT: Final = 2_000


@dataclass(frozen=True, slots=True)
class RuleDraft:
    """A draft rule and its evidence: the `quote` at `start` to `end` of message `message_index`, in code points.

    `said_in`: the sessions in which it was said. `path` and `rule_id`: where it was accepted into.
    """

    id: int
    status: DraftStatus
    rule: str
    quote: str
    session: str
    message_index: int
    start: int
    end: int
    tool: str
    call: str
    repository: str
    said_in: tuple[str, ...]
    why: str
    author: str
    ts: str
    path: str | None
    rule_id: str | None
    decided_by: str | None
    decided_at: str | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class RuleDrafts:
    """Draft rules, those said in most sessions first, then the newest (`rule_drafts.v1`). `change` is the number of the
    decision that was just made, for `casebook undo`."""

    SCHEMA: ClassVar[str] = "rule_drafts.v1"

    drafts: tuple[RuleDraft, ...]
    change: int | None = None


_DRAFTS: Final = """SELECT d.id, status, rule, quote, session_id, message_idx, span_start, span_end, call_json,
 coalesce((SELECT name FROM project_name AS n WHERE n.repository = d.repository AND n.shown = 1), d.repository),
 (SELECT json_group_array(DISTINCT c.session_id) FROM correction c WHERE c.draft_id = d.id), why, author, ts,
 nullif(path, ''), nullif(rule_id, ''), nullif(decided_by, ''), nullif(decided_at, ''), nullif(reason, '')
 FROM rule_draft d WHERE """
_ORDER: Final = """ ORDER BY (SELECT count(DISTINCT c.session_id) FROM correction c WHERE c.draft_id = d.id) DESC,
 ts DESC, d.id DESC"""


def rule_drafts(store: Store, status: DraftStatus | None = "draft") -> RuleDrafts:
    """The draft rules of a status, or all. Raises Fault of the store."""
    with faults(store.path):
        rows = store.con.execute(f"{_DRAFTS}?1 IS NULL OR status = ?1{_ORDER}", (status,)).fetchall()
    return RuleDrafts(tuple(map(_draft, rows)))


def accept_draft(store: Store, actor: str, draft_id: int, path: Path) -> RuleDrafts:
    """Write a draft into casebook's block of the rule file that the person chose.

    Raises Fault invalid_input: no such draft, decided already, a file that is no rule file or outside the draft's
    project, a block that was edited by hand; and as `write_block`. Nothing is changed then.
    """
    file = Path(path).absolute()
    refuse_odd_file(file)
    with change(store, actor, f"accept rule {draft_id}") as made:
        con = store.con
        draft = _open_draft(con, draft_id)
        refuse_outside(con, file, draft.session)
        call = _call_of(con, draft_id)
        text = _left_by_killed(con, draft.rule, call, file)
        text = text or rule_markdown(next_rule_id(file), draft.rule, call, now())
        con.execute(
            "UPDATE rule_draft SET status = 'accepted', path = ?, rule_id = ?, block_text = ?, decided_by = ?,"
            " decided_at = ?, reason = '' WHERE id = ?",
            (str(file), text[4:].partition(":")[0], text, redact(actor), now(), draft_id),
        )
        made.title = f"accept rule {draft_id}: {draft.rule[:80]}"
        follow_drafts(con, (draft_id,))
        found = _one(con, draft_id)
    return RuleDrafts((found,), made.id)


def reject_draft(store: Store, actor: str, draft_id: int, reason: str = "") -> RuleDrafts:
    """Turn a draft down: no later import drafts it again. Raises Fault invalid_input: no such draft, or decided."""
    with change(store, actor, f"reject rule {draft_id}") as made:
        draft = _open_draft(store.con, draft_id)
        store.con.execute(
            "UPDATE rule_draft SET status = 'rejected', decided_by = ?, decided_at = ?, reason = ? WHERE id = ?",
            (redact(actor), now(), redact(reason)[:_REASON_KEPT], draft_id),
        )
        made.title = f"reject rule {draft_id}: {draft.rule[:80]}"
        found = _one(store.con, draft_id)
    return RuleDrafts((found,), made.id)


def follow_drafts(con: apsw.Connection, drafts: tuple[int, ...]) -> None:
    """Bring the rule files in line with these drafts, after a decision, an undo or a redo.

    Within the caller's transaction. Raises Fault as `put_in` and `take_out`: then the caller rolls back.
    """
    for draft in drafts:
        row = con.execute("SELECT path, block_text FROM rule_draft WHERE id = ? AND status = 'accepted'", (draft,))
        wanted = cast("tuple[str, str] | None", row.fetchone())
        row = con.execute("SELECT path, text FROM rule_written WHERE draft_id = ?", (draft,))
        written = cast("tuple[str, str] | None", row.fetchone())
        if wanted == written:
            continue
        if written is not None:
            take_out(Path(written[0]), written[1])
            con.execute("DELETE FROM rule_written WHERE draft_id = ?", (draft,))
        if wanted is not None:
            put_in(Path(wanted[0]), wanted[1])
            con.execute("INSERT INTO rule_written(draft_id, path, text) VALUES (?, ?, ?)", (draft, *wanted))


def _call_of(con: apsw.Connection, draft_id: int) -> str:
    row = con.execute("SELECT call_json FROM rule_draft WHERE id = ?", (draft_id,)).fetchone()
    return cast("str", row[0]) if row else "{}"


def _left_by_killed(con: apsw.Connection, rule: str, call: str, file: Path) -> str:
    """What a killed run left in the file of this very draft; '' where there is nothing."""
    held = {cast("str", row[0]) for row in con.execute("SELECT text FROM rule_written WHERE path = ?", (str(file),))}
    wanted = rule_markdown("", rule, call, "").split("\n")[1:3]
    return next((one for one in rules_in(file) if one not in held and one.split("\n")[1:3] == wanted), "")


def _open_draft(con: apsw.Connection, draft_id: int) -> RuleDraft:
    draft = _one(con, draft_id)
    if draft.status != "draft":
        hint = "casebook undo takes the decision back"
        raise Fault("invalid_input", f"the draft rule {draft_id} is {draft.status} already", hint)
    return draft


def _one(con: apsw.Connection, draft_id: int) -> RuleDraft:
    row = con.execute(f"{_DRAFTS}d.id = ?", (draft_id,)).fetchone()
    if row is None:
        raise Fault("invalid_input", f"there is no draft rule {draft_id}", "casebook rules drafts lists them")
    return _draft(row)


def _draft(row: Any) -> RuleDraft:
    values = tuple(cast("Iterable[Any]", row))
    known = cast("dict[str, Any]", json.loads(values[8]))
    given = cast("dict[str, Any]", known.get("input") or {})
    call = next((str(one) for one in given.values()), "")
    said_in = tuple(cast("list[str]", json.loads(values[10])))
    fields: list[Any] = [*values[:8], str(known.get("tool", "")), call, values[9], said_in, *values[11:]]
    return RuleDraft(*fields)
