"""Draft rules: listed, accepted into a rule file, rejected. Private until a person accepts one.

Accepted rules are in casebook's block of a rule file, never where a person edited the block. The file is written
inside the transaction, before the commit. A process that is killed between the two leaves the rule in the file and its
draft open: accepting it again finds it there and writes it once. The other order would leave a rule that counts as
accepted and that no agent reads."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, cast

import apsw

from core.base.fault import Fault
from core.base.managed_block import Block, blocks, edited_by_hand, read_text, write_block
from core.flows.transcripts.git_folders import git_folder
from core.rules.format.parse import parse_text
from core.store import Store, change, faults, now
from core.store.journal import title_text
from core.store.sql import storable
from core.text import redact, visible
from core.transcripts.repository import unified


def refuse_outside(con: apsw.Connection, file: Path, session_id: str) -> None:
    """Raise Fault invalid_input for a file outside the session's project: a clone or worktree of its repository, or
    its folder. A link that leads out of the project is outside."""
    row = con.execute("SELECT repository, remote, project FROM session WHERE id = ?", (session_id,)).fetchone()
    repository, remote, project = cast("tuple[str, str, str]", row) if row else ("", "", "")
    try:
        real = file.resolve()
        inside = bool(project) and Path(project).is_absolute() and real.is_relative_to(Path(project).resolve())
    except (OSError, RuntimeError, ValueError) as error:
        raise Fault(
            "invalid_input", f"cannot resolve the path {file}: {error}", "pass the path of the file itself"
        ) from error
    if inside or recorded_names(real.parent) & {repository, remote} - {""}:
        return
    message = f"{file} is outside the project {repository or project or 'of the draft'}"
    raise Fault("invalid_input", message, "pass a rule file in a clone or worktree of this project")


def folder_of_draft(store: Store, draft: RuleDraft, here: Path) -> Path | None:
    """The project of a draft on this machine: the folder of its session, else `here` if that is a clone of it."""
    with faults(store.path):
        row = store.con.execute("SELECT repository, remote, project FROM session WHERE id = ?", (draft.session,))
        found = cast("tuple[str, str, str] | None", row.fetchone())
    repository, remote, project = found or ("", "", "")
    for folder in (Path(project) if project else here, here):
        git = git_folder(str(folder)) if folder.is_absolute() and folder.is_dir() else None
        own = str(folder) == project or recorded_names(folder) & {repository, remote} - {""}
        if git is not None and own:
            return Path(git.root)
    return None


def recorded_names(folder: Path) -> set[str]:
    """What the repository of a folder may be recorded as: its remote, its folder, or, of a folder that was not on this
    machine, the name alone."""
    found = git_folder(str(folder))
    if found is None:
        return set()
    root = unified(found.root)
    return {found.remote, root, (found.remote or root).rpartition("/")[2]}


KIND: Final = "rules"
SUFFIXES: Final = (".md", ".markdown", ".mdc", ".mdx")
_TITLE: Final = 80
_CALL: Final = 120
_MARKUP: Final = re.compile(r"<(?=[!/?A-Za-z])")
_NUMBER: Final = re.compile(r"ERR-(\d{1,6})")
_BREAK: Final = re.compile(r"\r\n|\r|\n")


def rule_markdown(rule_id: str, rule: str, call_json: str, day: str) -> str:
    """A rule in the form that `rules match` reads. Every text is one line, and holds no markup of its own."""
    title = rule if len(rule) <= _TITLE else rule[: _TITLE - 1] + "…"
    lines = [f"### {rule_id}: {_line(title)}", f"**Problem**: the user declined {_line(_call(call_json))}"]
    lines += [f"**Solution**: {_line(rule)}", f"**Date**: {_line(day[:10])}"]
    return "\n".join(lines)


def next_rule_id(path: Path) -> str:
    """The first `ERR-nnn` behind those that the file has."""
    rules = parse_text(read_text(path), str(path)).rules
    numbers = [int(found[1]) for rule in rules if (found := _NUMBER.match(rule.id))]
    return f"ERR-{max(numbers, default=0) + 1:03}"


def rules_in(path: Path) -> list[str]:
    """The rules of the file's block, each as casebook wrote it. Raises Fault as `write_block`."""
    return _rules(_body(path)[0])


def put_in(path: Path, rule: str) -> None:
    """Put a rule at the end of the block, once. Raises Fault as `write_block`."""
    body, block = _body(path)
    if rule in _rules(body):
        return
    if block is not None and block.edited:
        raise edited_by_hand(str(path), block.line, "move your text out of the block, then accept the rule again")
    write_block(path, KIND, f"{body}\n\n{rule}" if body else rule)


def take_out(path: Path, rule: str) -> None:
    """Take a rule out of the block, and the block with its last rule. One that is gone already is no fault.

    Raises Fault as `write_block`, and invalid_input where the block was edited by hand and still names the rule.
    """
    if not os.path.lexists(path):
        return
    body, block = _body(path)
    heading = rule.partition(":")[0] + ":"
    if block is None or (body and not any(line.startswith(heading) for line in body.split("\n"))):
        return
    left = [one for one in _rules(body) if one != rule]
    if block.edited or (body and len(left) == len(_rules(body))):
        hint = f"nothing undone: delete {heading[4:-1]} manually, then undo again"
        raise edited_by_hand(str(path), block.line, hint)
    write_block(path, KIND, "\n\n".join(left) or None)


def refuse_odd_file(path: Path) -> None:
    """Raise Fault invalid_input for what is no rule file: another suffix, a folder, a name that is not UTF-8."""
    if storable(str(path)) != str(path):
        raise Fault("invalid_input", f"the name {path} is not UTF-8", "rename the file or its folder")
    if path.suffix.lower() not in SUFFIXES:
        raise Fault("invalid_input", f"{path} is not a Markdown file", "pass a rule file such as CLAUDE.md")
    if ".git" in path.parts or (os.path.lexists(path) and not path.is_file()):
        raise Fault("invalid_input", f"{path} is not a rule file", "pass a rule file such as CLAUDE.md")
    if not path.parent.is_dir():
        raise Fault("invalid_input", f"folder {path.parent} not found", "create it first, or pass another file")


def _body(path: Path) -> tuple[str, Block | None]:
    """The lines of the block, with `\\n` at their ends, and the block; '' and None where there is none."""
    text = read_text(path)
    block = next((one for one in blocks(text, str(path)) if one.kind == KIND), None)
    if block is None:
        return "", None
    return _BREAK.sub("\n", text[block.body : block.body_end]).strip("\n"), block


def _rules(body: str) -> list[str]:
    """The rules of a block as casebook wrote them: each begins with its heading."""
    return [one.strip("\n") for one in re.split(r"\n\n(?=### ERR-)", body)] if body else []


def _line(text: str) -> str:
    """One line that is no structure: no comment or tag begins in it, no fence, no home folder."""
    home = os.path.join(os.path.expanduser("~"), "")  # noqa: PTH111, PTH118  text, not a path
    flat = " ".join(visible(redact(text).replace("\n", " ")).replace(home, "~" + os.sep).split())
    return _MARKUP.sub("‹", flat.replace("```", "ʼʼʼ").replace("~~~", "∼∼∼")).strip() or "(no text)"


def _call(call_json: str) -> str:
    """A declined call in a few words: the command, or the tool and the name of its file."""
    found: object = json.loads(call_json)
    call = cast("dict[str, object]", found) if isinstance(found, dict) else {}
    held = call.get("input")
    given = cast("dict[str, object]", held) if isinstance(held, dict) else {}
    command = given.get("command", given.get("cmd"))
    if isinstance(command, str) and command.strip():
        first = command.strip().split("\n", 1)[0].replace("`", "'")
        return f"`{first[:_CALL]}`"
    name = next((one for key in ("file_path", "path") if isinstance(one := given.get(key), str)), "")
    return f"{call.get('tool', 'a call')} {Path(name).name}".strip()


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
        text = _leftover_block(con, draft.rule, call, file)
        text = text or rule_markdown(next_rule_id(file), draft.rule, call, now())
        con.execute(
            "UPDATE rule_draft SET status = 'accepted', path = ?, rule_id = ?, block_text = ?, decided_by = ?,"
            " decided_at = ?, reason = '' WHERE id = ?",
            (str(file), text[4:].partition(":")[0], text, redact(actor), now(), draft_id),
        )
        made.title = f"accept rule {draft_id}: {title_text(draft.rule)}"
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
        made.title = f"reject rule {draft_id}: {title_text(draft.rule)}"
        found = _one(store.con, draft_id)
    return RuleDrafts((found,), made.id)


def follow_drafts(con: apsw.Connection, drafts: tuple[int, ...]) -> None:
    """Bring the rule files in line with these drafts, after a decision, an undo or a redo.

    Within the caller's transaction. Raises Fault as `put_in` and `take_out`: then the caller rolls back.
    """
    for draft in drafts:
        row = con.execute("SELECT path, block_text FROM rule_draft WHERE id = ? AND status = 'accepted'", (draft,))
        accepted = cast("tuple[str, str] | None", row.fetchone())
        row = con.execute("SELECT path, text FROM rule_written WHERE draft_id = ?", (draft,))
        written = cast("tuple[str, str] | None", row.fetchone())
        if accepted == written:
            continue
        if written is not None:
            take_out(Path(written[0]), written[1])
            con.execute("DELETE FROM rule_written WHERE draft_id = ?", (draft,))
        if accepted is not None:
            put_in(Path(accepted[0]), accepted[1])
            con.execute("INSERT INTO rule_written(draft_id, path, text) VALUES (?, ?, ?)", (draft, *accepted))


def _call_of(con: apsw.Connection, draft_id: int) -> str:
    row = con.execute("SELECT call_json FROM rule_draft WHERE id = ?", (draft_id,)).fetchone()
    return cast("str", row[0]) if row else "{}"


def _leftover_block(con: apsw.Connection, rule: str, call: str, file: Path) -> str:
    """The block that a killed run left in the file for this draft; '' if there is none."""
    held = {cast("str", row[0]) for row in con.execute("SELECT text FROM rule_written WHERE path = ?", (str(file),))}
    heading = rule_markdown("", rule, call, "").split("\n")[1:3]
    return next((one for one in rules_in(file) if one not in held and one.split("\n")[1:3] == heading), "")


def _open_draft(con: apsw.Connection, draft_id: int) -> RuleDraft:
    draft = _one(con, draft_id)
    if draft.status != "draft":
        hint = "to undo the decision, run: casebook undo"
        raise Fault("invalid_input", f"the rule draft {draft_id} is already {draft.status}", hint)
    return draft


def _one(con: apsw.Connection, draft_id: int) -> RuleDraft:
    row = con.execute(f"{_DRAFTS}d.id = ?", (draft_id,)).fetchone()
    if row is None:
        raise Fault("invalid_input", f"rule draft {draft_id} not found", "to list drafts, run: casebook rules drafts")
    return _draft(row)


def _draft(row: Any) -> RuleDraft:
    values = tuple(cast("Iterable[Any]", row))
    known = cast("dict[str, Any]", json.loads(values[8]))
    given = cast("dict[str, Any]", known.get("input") or {})
    call = next((str(one) for one in given.values()), "")
    sessions = tuple(cast("list[str]", json.loads(values[10])))
    fields: list[Any] = [*values[:8], str(known.get("tool", "")), call, values[9], sessions, *values[11:]]
    return RuleDraft(*fields)
