"""The corrections of a stored session, and the draft rules that they support.

A correction is what a person said against a call: in the refusal itself, or directly after the result. Two are alike
by the terms that rules are compared by, and by what was declined."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple, cast

import apsw

from core.align.exact_match import find
from core.align.normalized_view import View
from core.flows.corrections.norms import MOST, norms_in, sentences_of
from core.flows.harvest.command import command_of
from core.flows.harvest.events import Ran
from core.flows.harvest.outcome import judge
from core.flows.harvest.session_events import object_of
from core.rules.matching.tables import load_tables
from core.rules.matching.terms import has_run, terms
from core.store import now
from core.text import redact, visible
from core.transcripts.records import Failure

SAME: Final = 0.6
"""Jaccard index of the terms of two corrections that say the same."""
_DENYING: Final = frozenset(("not", "no", "don't", "dont", "never", "avoid", "stop", "without"))
_POINTING: Final = frozenset(("this", "that", "it", "these", "those", "them"))


class Gist(NamedTuple):
    """The terms of a correction; what was called; whether it denies. `vague`: it says nothing without its moment."""

    terms: frozenset[str]
    call: str
    denies: bool
    vague: bool


def gist_of(quote: str, call_json: str) -> Gist:
    """What a correction comes down to."""
    sentences = tuple(sentences_of(quote))
    words = {word.text for one in sentences for word in one.words}
    korean = any(mark in quote for mark in ("지 마", "지 말", "지마", "안 돼", "금지"))
    # To read the glossary takes longer than a session's harvest.
    glossary: Mapping[str, str] = load_tables().glossary if has_run(quote) else {}
    found = frozenset(terms(quote, glossary)) - _DENYING
    vague = not sentences or any(one.asks for one in sentences) or bool(words & _POINTING)
    return Gist(found, _called(call_json), bool(words & _DENYING) or korean, vague)


def are_equivalent(one: Gist, other: Gist) -> bool:
    """Whether two corrections come down to the same. A likeness of the calls counts as one term more."""
    shared = len(one.terms & other.terms)
    if one.denies != other.denies or not shared:
        return False
    call = one.call == other.call != ""
    if shared + call < 2:
        return False
    called = bool(one.call or other.call)
    return (shared + call) / (len(one.terms | other.terms) + called) >= SAME


def _called(call_json: str) -> str:
    """The program and sub-command that a call ran; '' for a call of another tool."""
    call = object_of(call_json)
    given = call.get("input")
    command = command_of(str(call.get("tool", "")), cast("dict[str, object]", given) if isinstance(given, dict) else {})
    return "" if command is None else " ".join(command.text.split()[:2])


_REFUSED: Final = "The user doesn't want to "
_USER_PREFIX: Final = "the user said:"
_WITHIN: Final = 400
"""Code points of a refusal with Claude Code's own words; the person's words follow."""
_NOTE: Final = "\n\nNote: The user's next message may "
_CLARIFICATION: Final = "The user wants to clarify these questions."
"""Text of a refused question: it contains no words of the person."""

_DECLINED: Final = """SELECT t.tool_use_id, t.name, t.input_json, t.failure, m.idx, m.text, m.ts, m.chain
 FROM tool_call t JOIN message m ON m.session_id = t.session_id AND m.idx = t.result_idx
 WHERE t.session_id = ?1 AND t.failure IN ('denied', 'interrupted') ORDER BY m.idx"""
_AFTER: Final = """SELECT t.tool_use_id, t.name, t.input_json, m.idx, m.text, m.ts FROM message m
 JOIN message b ON b.session_id = m.session_id AND b.idx = (SELECT max(idx) FROM message AS p
  WHERE p.session_id = m.session_id AND p.idx < m.idx AND p.idx >= m.idx - 20 AND p.meta = 0 AND p.chain = m.chain)
 JOIN tool_call t ON t.session_id = m.session_id AND t.result_idx = b.idx
 WHERE m.session_id = ?1 AND m.role = 'user' AND m.kind = 'text' AND m.meta = 0 AND m.chain = 'main'
 AND length(m.text) <= ?2 ORDER BY m.idx"""


class Reply(NamedTuple):
    """What a person said about a call: at `start` to `end` of message `idx`, in code points.

    `refusal`: it is the reason they gave as they declined the call.
    """

    tool_use_id: str
    tool: str
    input_json: str
    idx: int
    start: int
    end: int
    text: str
    ts: str
    refusal: bool


def replies_in(con: apsw.Connection, session_id: str) -> Iterator[Reply]:
    """What a person said about the calls of a session. In a subagent's session only refusals are a person's words."""
    for row in con.execute(_DECLINED, (session_id,)).fetchall():
        call, tool, given, failure, idx, text, ts, chain = cast(
            "tuple[str, str, str, Failure, int, str, str, str]", row
        )
        ran = Ran(session_id, idx, chain, tool, object_of(given), text, failure, ts=ts)
        place = refusal_span(text) if judge(ran, None).sign == "rejected" else None
        if place is not None:
            yield Reply(call, tool, given, idx, *place, text[place[0] : place[1]], ts, refusal=True)
    parent = con.execute("SELECT parent FROM session WHERE id = ?", (session_id,)).fetchone()
    if parent is None or parent[0] is not None:
        return
    for row in con.execute(_AFTER, (session_id, MOST)).fetchall():
        call, tool, given, idx, text, ts = cast("tuple[str, str, str, int, str, str]", row)
        yield Reply(call, tool, given, idx, 0, len(text), text, ts, refusal=False)


def refusal_span(text: str) -> tuple[int, int] | None:
    """Where a refusal holds the person's words. Only what the agent itself writes before them is relied on: the output
    of an interrupted command may say anything."""
    if not text.startswith(_REFUSED):
        return None
    at = text.find(_USER_PREFIX, 0, _WITHIN)
    if at < 0:
        return None
    start, note = at + len(_USER_PREFIX), text.find(_NOTE, at)
    quoted = text[start : note if note >= 0 else len(text)]
    bare = quoted.strip()
    if not bare or bare.startswith(_CLARIFICATION):
        return None
    start += len(quoted) - len(quoted.lstrip())
    return start, start + len(bare)


AUTHOR: Final = "harvest"
TWICE: Final = "said in two sessions"
_INPUT_KEPT: Final = 2_000
"""Code points of each text of a call that are kept with a correction."""
_REPOSITORY: Final = "SELECT coalesce(nullif(repository, ''), nullif(project, ''), id) FROM session WHERE id = ?"


class Correction(NamedTuple):
    """Words of a person against a call, at `start` to `end` of message `idx`; `norm`: the form of norm, or ''."""

    idx: int
    start: int
    end: int
    quote: str
    call_json: str
    norm: str
    ts: str


def harvest_corrections(con: apsw.Connection, session_id: str) -> int:
    """Replace the corrections of a session and draft the rules that they support; how many drafts are new.

    Within the caller's transaction. A draft needs a norm, or the same words in two sessions of the repository. What a
    person decided stays; a draft that nothing supports any more is removed.
    """
    linked = con.execute("DELETE FROM correction WHERE session_id = ? RETURNING draft_id", (session_id,)).fetchall()
    row = con.execute(_REPOSITORY, (session_id,)).fetchone()
    repository = session_id if row is None else cast("str", row[0])
    made = 0
    for one in corrections_in(con, session_id):
        draft, new = _draft_for(con, session_id, repository, one)
        made += new
        con.execute(
            "INSERT OR IGNORE INTO correction(session_id, message_idx, span_start, span_end, quote, call_json, norm,"
            " ts, draft_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (session_id, one.idx, one.start, one.end, one.quote, one.call_json, one.norm, one.ts, draft),
        )
    con.executemany(
        "DELETE FROM rule_draft WHERE id = ?1 AND status = 'draft'"
        " AND NOT EXISTS (SELECT 1 FROM correction WHERE draft_id = ?1)",
        {(cast("int", row[0]),) for row in linked if row[0] is not None},
    )
    return made


def corrections_in(con: apsw.Connection, session_id: str) -> Iterator[Correction]:
    """The norms that a person stated against calls of a session, and what else they said as they declined one."""
    for reply in replies_in(con, session_id):
        norms = [(reply.start + one.start, reply.start + one.end, one.reason) for one in norms_in(reply.text)]
        if not norms and reply.refusal:
            norms = [(reply.start, reply.end, "")]
        for start, end, norm in norms:
            quote = reply.text[start - reply.start : end - reply.start]
            if _is_aligned(con, session_id, reply.idx, quote, (start, end)):
                yield Correction(reply.idx, start, end, quote, _call_json(reply), norm, reply.ts)


def rule_text(quote: str) -> str:
    """A quote as the text of a rule: one line, displayable."""
    text = " ".join(visible(quote.replace("\n", " ")).split())
    return text[:1].upper() + text[1:] if text[:1].isascii() else text


def _is_aligned(con: apsw.Connection, session_id: str, idx: int, quote: str, span: tuple[int, int]) -> bool:
    """Whether the aligner's exact search, which needs none of the rest of it, finds the quote at that place."""
    row = con.execute("SELECT text FROM message WHERE session_id = ? AND idx = ?", (session_id, idx)).fetchone()
    if row is None:
        return False
    view = View(quote)
    found = find(View(cast("str", row[0])), view, loose=False) if view.normal.strip() else None
    return found is not None and span in found.spans


def _draft_for(
    con: apsw.Connection, session_id: str, repository: str, correction: Correction
) -> tuple[int | None, bool]:
    """The draft that a correction is evidence of, and whether it is new; None where it supports none."""
    gist = gist_of(correction.quote, correction.call_json)
    known = con.execute(
        "SELECT id, quote, call_json FROM rule_draft WHERE repository = ? ORDER BY id", (repository,)
    ).fetchall()
    for draft, quote, call in cast("list[tuple[int, str, str]]", known):
        if _plain(quote) == _plain(correction.quote) or (not gist.vague and are_equivalent(gist, gist_of(quote, call))):
            return draft, False
    if correction.norm:
        return _insert(con, session_id, repository, correction, correction.norm), True
    if gist.vague:
        return None, False
    others = _like(con, session_id, repository, gist)
    if not others:
        return None, False
    draft = _insert(con, session_id, repository, correction, TWICE)
    con.executemany(
        "UPDATE correction SET draft_id = ? WHERE session_id = ? AND message_idx = ? AND span_start = ?",
        [(draft, *place) for place in others],
    )
    return draft, True


def _like(con: apsw.Connection, session_id: str, repository: str, gist: Gist) -> Sequence[tuple[str, int, int]]:
    """Corrections of other sessions of the repository that say the same, and support no draft yet."""
    rows = con.execute(
        "SELECT c.session_id, c.message_idx, c.span_start, c.quote, c.call_json FROM correction c"
        " JOIN session s ON s.id = c.session_id WHERE c.draft_id IS NULL AND c.session_id <> ?"
        " AND coalesce(nullif(s.repository, ''), nullif(s.project, ''), s.id) = ?",
        (session_id, repository),
    ).fetchall()
    found = cast("list[tuple[str, int, int, str, str]]", rows)
    gists = ((row[:3], gist_of(row[3], row[4])) for row in found)
    return [place for place, other in gists if not other.vague and are_equivalent(gist, other)]


def _plain(quote: str) -> tuple[str, ...]:
    """A quote's words, without signs and case."""
    return tuple(word.text for one in sentences_of(quote) for word in one.words) or (quote,)


def _insert(con: apsw.Connection, session_id: str, repository: str, correction: Correction, why: str) -> int:
    con.execute(
        "INSERT INTO rule_draft(rule, quote, session_id, message_idx, span_start, span_end, call_json, repository, why,"
        " author, ts) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(
                rule_text(correction.quote),
                correction.quote,
                session_id,
                correction.idx,
                correction.start,
                correction.end,
                correction.call_json,
            ),
            *(repository, why, AUTHOR, correction.ts or now()),
        ),
    )
    return con.last_insert_rowid()


def _call_json(reply: Reply) -> str:
    """The call as it is kept with a correction: long texts of its input are cut."""
    try:
        given: object = json.loads(reply.input_json)
    except (ValueError, RecursionError):
        given = {}
    pairs = cast("dict[str, object]", given).items() if isinstance(given, dict) else ()
    kept = {key[:100]: value[:_INPUT_KEPT] for key, value in pairs if isinstance(value, str)}
    return redact(json.dumps({"id": reply.tool_use_id, "tool": reply.tool, "input": kept}, ensure_ascii=False))
