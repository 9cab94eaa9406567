"""A slip that came back: the same key in three sessions or more of a project becomes one case with one draft.

It must name something of the project: what a tool says of any file is no lesson.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Final, NamedTuple, cast

import apsw

from core.errors.cases.derived import refresh_case
from core.errors.cases.record import Name, observe
from core.errors.cases.resolutions import AUTHOR, UNTOUCHED, insert_resolution
from core.errors.fixes import Evidence
from core.errors.incidents import SLIP
from core.flows.harvest.session_events import object_of
from core.flows.harvest.verdicts.slips import FILES, NO_FILE, names_in, slip_in
from core.text import clean

SESSIONS: Final = 3
"""Sessions of a project from which on a slip is worth a line."""
_LOOKED_AT: Final = 12
"""Calls after a wrong guess among which the right one is looked for."""
_NAMED_IN: Final = 100
"""The latest sessions in whose calls a name is looked for."""
_LATEST: Final = 20
"""The latest wrong guesses, which say what the right one is."""
_ALIKE: Final = 0.6
_ASKED: Final = ("file_path", "notebook_path", "path")

_PROJECT: Final = "iif(s.repository = '', s.project, s.repository)"
_KEYS: Final = f"""SELECT DISTINCT v.slip, {_PROJECT} FROM result_verdict v JOIN session s ON s.id = v.session_id
 WHERE v.slip <> '' AND v.session_id IN (SELECT value FROM json_each(?))"""
_TIMES: Final = f"""SELECT v.session_id, min(v.message_idx), v.ts, s.project, v.program, coalesce(s.parent, s.id),
 v.verdict FROM result_verdict v INDEXED BY result_verdict_slip JOIN session s ON s.id = v.session_id
 WHERE v.slip = ?1 AND v.slip <> '' AND {_PROJECT} = ?2 GROUP BY v.session_id ORDER BY v.ts"""
_BEFORE: Final = """SELECT input_json FROM tool_call INDEXED BY tool_call_result
 WHERE session_id = ? AND result_idx <= ? ORDER BY result_idx DESC LIMIT ?"""
_CALLS: Final = """SELECT input_json FROM tool_call
 WHERE session_id = ? AND result_idx > ? AND failed = 0 ORDER BY result_idx LIMIT ?"""


class _Time(NamedTuple):
    """The first time that a session made the slip; `owner` is the session it belongs to, `verdict` the result's."""

    session: str
    message: int
    ts: str
    project: str
    program: str
    owner: str
    verdict: str


def draft_repeated_slips(con: apsw.Connection, sessions: Sequence[str]) -> None:
    """Draft what these sessions repeated, or bring its draft up to date. Within the caller's transaction."""
    keys = cast("list[tuple[str, str]]", con.execute(_KEYS, (json.dumps(list(sessions)),)).fetchall())
    for slip, project in keys:
        times = _times(con, slip, project)
        if _is_lesson(con, slip, times):
            key = _key(slip, project)
            known = con.execute("SELECT 1 FROM fingerprint WHERE fingerprint = ?", (key,)).fetchone() is not None
            new = [time for time in times if not known or time.session in sessions]
            _draft(con, Name(slip, key, key, SLIP), times, new)


def nameless_drafts(con: apsw.Connection) -> list[str]:
    """The fingerprints of repeated slips that are no lesson any more."""
    rows = con.execute("SELECT fingerprint, key_line FROM fingerprint WHERE tool = ?", (SLIP,)).fetchall()
    found = list[str]()
    for key, slip in cast("list[tuple[str, str]]", rows):
        begin, end = _key(slip, "\0").split("\0")
        if key.startswith(begin) and key.endswith(end):
            project = key[len(begin) : len(key) - len(end)]
            if not _is_lesson(con, slip, _times(con, slip, project)):
                found.append(key)
    return found


def _key(slip: str, project: str) -> str:
    return f"{slip} (repeated in {project})"


def _times(con: apsw.Connection, slip: str, project: str) -> list[_Time]:
    rows = con.execute(_TIMES, (slip, project)).fetchall()
    return [_Time(*row) for row in cast("list[tuple[str, int, str, str, str, str, str]]", rows)]


def _is_lesson(con: apsw.Connection, slip: str, times: Sequence[_Time]) -> bool:
    """Whether enough sessions made the slip, and it names what stood in the calls of as many of them."""
    if len({time.owner for time in times}) < SESSIONS:
        return False
    if slip.startswith(FILES):
        return True
    named = names_in(slip.partition(": ")[2])
    owners: dict[str, set[str]] = {name: set() for name in named}
    for time in times[-_NAMED_IN:] if named else ():
        given = _given(con, time)
        for name in named:
            if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", given):
                owners[name].add(time.owner)
                if len(owners[name]) >= SESSIONS:
                    return True
    return False


def _given(con: apsw.Connection, time: _Time) -> str:
    """The texts of the call; of a program that failed also those of the calls before, which wrote what it read."""
    many = 1 if time.verdict == "agent_tool" else _LOOKED_AT
    rows = con.execute(_BEFORE, (time.session, time.message, many)).fetchall()
    return "\n".join(text for (given,) in rows for text in _texts(object_of(str(given))))


def _texts(value: object) -> Iterator[str]:
    """The texts in the values of an input."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in cast("Mapping[str, object]", value).values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in cast("list[object]", value):
            yield from _texts(inner)


def _draft(con: apsw.Connection, name: Name, times: Sequence[_Time], new: Sequence[_Time]) -> None:
    """One draft of all `times`; only the `new` ones are not noted yet."""
    slip, case_id, stale = name.key_line, 0, set[int]()
    for time in new:
        case_id = observe(
            con, name, session_id=time.session, message_idx=time.message, tool=time.program, project=time.project,
            ts=time.ts, raw=slip, stale=stale,
        )  # fmt: skip
    text = _text(con, slip, times)
    known = con.execute(
        "SELECT 1 FROM resolution WHERE case_id = ? AND author = ? LIMIT 1", (case_id, AUTHOR)
    ).fetchone()
    evidence = Evidence("weak", "project", attempts=len(times)).to_json()
    if known is None:
        insert_resolution(
            con, case_id, None, text, status="draft", resolved_by=None, tool_sequence=(), author=AUTHOR,
            session_id=None, message_ids=(), supersedes=None, ts=times[-1].ts, original=evidence,
        )  # fmt: skip
    else:
        con.execute(
            f"UPDATE resolution SET text = ?, ts = ?, original = ? WHERE case_id = ? AND {UNTOUCHED}",
            (text, times[-1].ts, evidence, case_id),
        )
    refresh_case(con, case_id)


def _text(con: apsw.Connection, slip: str, times: Sequence[_Time]) -> str:
    """The slip in one line, with what worked instead where sessions agree on it."""
    many = len({time.owner for time in times})
    if not slip.startswith(NO_FILE):
        return f"`{clean(slip)}` failed in {many} sessions."
    file = slip.removeprefix(NO_FILE)
    latest = times[-_LATEST:]
    found = Counter(right for time in latest if (right := _right_file(con, file, time)) is not None)
    best = found.most_common(1)
    if best and best[0][1] * 2 > len(latest):
        return f"`{clean(file)}`: the file is `{clean(best[0][0])}` (guessed wrong in {many} sessions)."
    return f"`{clean(file)}` does not exist (guessed wrong in {many} sessions)."


def _right_file(con: apsw.Connection, file: str, time: _Time) -> str | None:
    """The file that the session went on with: of the same name elsewhere, else of a like name in the same folder."""
    rows = con.execute(_CALLS, (time.session, time.message, _LOOKED_AT)).fetchall()
    inputs = [object_of(str(text)) for (text,) in rows]
    named = [str(given[key]) for given in inputs for key in _ASKED if isinstance(given.get(key), str)]
    others = [slip_in(f"{NO_FILE}{name}", time.project).removeprefix(NO_FILE) for name in named]
    folder, _, base = file.rpartition("/")
    for other in others:
        where, _, called = other.rpartition("/")
        if other != file and called == base:
            return other
        if other != file and where == folder and SequenceMatcher(None, called, base).ratio() >= _ALIKE:
            return other
    return None
