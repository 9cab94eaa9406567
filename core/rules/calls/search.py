"""Tool calls that have every word of a search: in the tool's name, the project's, the session's id, or what they do.

SQLite passes over the calls that cannot have a word (it compares a gigabyte a second, and other threads go on
meanwhile); of the rest each is read and looked at. So no index of words is kept, and none can be out of date.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, cast

from core.rules.calls.paging import folder_name, texts_of
from core.rules.calls.query import composed, folded, has
from core.store import Store, faults

OF_ID: Final = 4
"""Letters of a session's id from which on it is looked for: fewer stand in nearly any."""
_HANGUL = re.compile(r"[\x00-\x7f\uac00-\ud7a3]+")
_PIECES: Final = ("x'e184'", "x'e186'", "x'e187'")
"""What first and last pieces of syllables begin with in UTF-8."""

Sessions = dict[str, frozenset[str]]
"""Of each word the sessions whose project or id has it."""


def count_calls(store: Store, tool: str = "") -> int:
    """How many calls there are (of one tool). Raises Fault."""
    where, given = ("WHERE name = ?", (tool,)) if tool else ("", ())
    with faults(store.path):
        row = store.con.execute(f"SELECT count(*) FROM tool_call {where}", given).fetchone()
    return cast("int", row[0]) if row else 0


def find_calls(store: Store, words: Sequence[str], tool: str = "") -> Iterator[int]:
    """The keys of the calls (of one tool) that have every word (of `words_of`), as they are found: the newest import
    first. Raises Fault."""
    with faults(store.path):
        projects = dict(cast("list[tuple[str, str]]", store.con.execute("SELECT id, project FROM session").fetchall()))
        sessions = {word: _sessions(projects, word) for word in words}
        tests, given = ["t.name = ?"] if tool else [], [tool] if tool else []
        for word in words:
            test, values = _may_have(word, sessions[word])
            tests.append(test)
            given += values
        rows = store.con.execute(
            "SELECT t.rowid, t.name, t.input_json, t.session_id FROM tool_call AS t"
            f" WHERE {' AND '.join(tests) or '1'} ORDER BY t.rowid DESC",
            given,
        )
        for key, name, text, session in cast("Iterator[tuple[int, str, str, str]]", rows):
            if _has_all(name, text, session, projects.get(session, ""), sessions):
                yield key


def _sessions(projects: Mapping[str, str], word: str) -> frozenset[str]:
    def told(session: str, project: str) -> bool:
        names = composed("\n".join([folder_name(project), *([session] if len(word) >= OF_ID else [])]))
        return has(names, folded(names), word)

    return frozenset(session for session, project in projects.items() if told(session, project))


def _has_all(name: str, given: str, session: str, project: str, sessions: Sessions) -> bool:
    text = composed("\n".join([name, *texts_of(given, project)]))
    small = folded(text)
    return all(session in there or has(text, small, word) for word, there in sessions.items())


def _may_have(word: str, sessions: frozenset[str]) -> tuple[str, list[str]]:
    """A condition that no call with the word fails, and its values.

    LIKE is blind to the case of ASCII alone. A text may be written in other signs than it is read in: the Kelvin sign
    is a `k`, Hangul may be in pieces, and anything may stand behind `\\u`. Words in other writing may be in any form.
    """
    if not _HANGUL.fullmatch(word):
        return "1", []
    like = f"%{word.replace('k', '_')}%"
    tests, values = ["t.input_json LIKE ?", "t.name LIKE ?", "t.input_json LIKE '%\\u%'"], [like, like]
    if not word.isascii():
        tests += [f"instr(CAST(t.{at} AS BLOB), {piece})" for at in ("input_json", "name") for piece in _PIECES]
    if sessions:
        tests.append("t.session_id IN (SELECT value FROM json_each(?))")
        values.append(json.dumps(sorted(sessions)))
    return f"({' OR '.join(tests)})", values
