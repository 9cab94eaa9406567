"""The tool by which an agent records what fixed a failure of its session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from core.flows.mcp.arguments import many, shape, text
from core.flows.mcp.context import Desk, strictness
from core.flows.mcp.tool import Cancelled, Tool

if TYPE_CHECKING:
    from core.flows.lessons.record import LessonRecorded

_MOST: Final = 4_000


def _record(desk: Desk, given: dict[str, Any], _: Cancelled) -> LessonRecorded:
    from core.flows.lessons.record import Told, record_lesson
    from core.flows.transcripts.api import import_transcripts
    from core.store import faults, open_store
    from core.transcripts.discovery import default_roots, discover

    name = given["session"]
    told = Told(
        given["error"], given.get("command", ""), given.get("hunk", ""), given["check"], given.get("because", ""),
        tuple(given.get("not", ())), tuple(given.get("quotes", ())),
    )  # fmt: skip
    roots = [root for root in default_roots(None) if root.is_dir()]
    files = [path for path in discover(None, roots) if len(name) > 7 and name in path.stem]
    with open_store(desk.database, write=True, create=bool(files)) as store, faults(desk.database):
        if len(files) == 1:  # the session goes on: what it did until now is read first
            import_transcripts(store, "auto", files)
        return record_lesson(store, name, told, strictness(desk))


RECORD_LESSON: Final = Tool(
    "record_lesson",
    "Record what fixed a failure",
    "Record what fixed a failure in this session, so that later sessions can use it: the command or the hunk, and the "
    "check that passed. It is a draft until a person verifies it, and it is refused with the reason unless the "
    "transcript shows the failure, the fix, the whole check passing after it, and every quote. Answers "
    "lesson_recorded.v1.",
    shape(
        ("session", "error", "check"),
        session=text("The id of this session.", 500),
        error=text("The failing output, any number of lines.", 1 << 18),
        command=text("The command that fixed it, as it was run; or:", _MOST),
        hunk=text("The edit that fixed it: at most ten lines, each with + or - before it.", _MOST),
        check=text("The command that then passed, without filters such as tail.", _MOST),
        because=text("One sentence of the session, verbatim, that says why.", 600),
        quotes=many("Further sentences of the session, verbatim.", text("a sentence", 600), 5),
        **{"not": many("Commands that were tried and did not help.", text("a command", _MOST), 3)},
    ),
    _record,
    writes=True,
)
