"""Tools over errors, evidence and rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from core.base.config.settings_sources import from_home
from core.base.fault import Fault, FaultCode
from core.flows.mcp.context import Desk, strictness
from core.flows.mcp.tool import Cancelled, Tool, many, number, shape, text

if TYPE_CHECKING:
    from core.align import AlignResult
    from core.errors import Hit, SearchAnswer
    from core.flows.lessons import LessonRecorded
    from core.rules.matching.api import RuleMatch
    from core.store import Store


_MOST_ERROR: Final = 1 << 18
_MOST_TEXT: Final = 1 << 22
"""Characters of all messages together."""
_MOST_MESSAGES: Final = 10_000


def _error_search(desk: Desk, given: dict[str, Any], _: Cancelled) -> SearchAnswer:
    """Count no use: an agent's search is not a person taking the answer. The answer is recorded."""
    from core.errors import search
    from core.errors.retrieval.answer import for_agents
    from core.errors.retrieval.api import keep_telling
    from core.flows.practice.answer import brief, with_practice
    from core.flows.system.vectors import vector_search
    from core.flows.team.ask_server import take_received, with_team

    if not given["text"].strip():
        raise Fault("invalid_input", "the error text is empty", "pass the failing output")
    with vector_search(desk.settings.embedding, "service") as vectors:
        project = str(from_home(given["project"]) if given.get("project") else Path.cwd())

        def look(target: Store | Path) -> SearchAnswer:
            return search(
                target, given["text"], count=False, vectors=vectors, words=True, project=project, received=take_received
            )

        answer = with_team(desk.database, look(desk.database), look, project=project, vectors=vectors)
    fault = next((fault for step in answer.trace if (fault := _fault_of(step)) is not None), None)
    if fault is not None and answer.match is None:
        raise fault
    for_agent = for_agents(answer)
    if for_agent.match is not None:
        keep_telling(desk.database, for_agent, "mcp", given.get("session"), project)
    return brief(with_practice(desk.database, _in_short(for_agent), project))


def _in_short(answer: SearchAnswer) -> SearchAnswer:
    """The answer with the lesson of each fix, in at most 60 tokens, in the place of its text."""
    from dataclasses import replace

    from core.errors.lessons import agent_text

    def short(hit: Hit) -> Hit:
        return hit if hit.lesson is None else replace(hit, resolution=agent_text(hit.lesson))

    match = None if answer.match is None else short(answer.match)
    return replace(answer, match=match, candidates=tuple(map(short, answer.candidates)))


def _fault_of(step: Any) -> Fault | None:
    """The fault that kept a search from its answer; a tier that fell out is none."""
    code = step.fact("code")
    if step.outcome != "failed" or not isinstance(code, str) or code.startswith(("model_", "timeout")):
        return None
    kept: FaultCode = code  # pyright: ignore[reportAssignmentType]
    return Fault(kept, str(step.fact("message") or step.reason), str(step.fact("hint") or ""))


def _align_quote(desk: Desk, given: dict[str, Any], _: Cancelled) -> AlignResult:
    from core.align import Extracted, ExtractedEntry, ExtractedQuote, align, read_messages

    index = given.get("message_index", 0)
    claim = ExtractedEntry("", "", "", (ExtractedQuote(index, given["quote"]),))
    settings = strictness(desk)
    if ("messages" in given) == ("session" in given):
        raise Fault(
            "invalid_input", "the call needs either messages or session", "pass texts as messages, or an id as session"
        )
    if "messages" in given:
        messages = read_messages(json.dumps(given["messages"]))
        if sum(map(len, messages)) > _MOST_TEXT:
            raise Fault(
                "invalid_input", f"the messages have more than {_MOST_TEXT:,} characters", "pass fewer messages"
            )
        return align(messages, Extracted((claim,)), settings)
    from core.evidence.rows import StoredMessages, session_named
    from core.store import faults, open_store

    with open_store(desk.database) as store, faults(desk.database):
        session = session_named(store.con, given["session"])
        return align(StoredMessages(store.con, session), Extracted((claim,)), settings)


def _match_rules(desk: Desk, given: dict[str, Any], _: Cancelled) -> RuleMatch:
    from core.flows.rules.ban_match import BanSource
    from core.flows.rules.files import readable, rule_files, with_unread
    from core.flows.rules.matcher import RuleMatcher
    from core.rules.matching.call import read_call

    project = from_home(given["project"]) if given.get("project") else Path.cwd()
    found = rule_files(desk.settings.rules, project)
    bans = BanSource(desk.settings.rules, project)
    if not found and not bans.places():
        hint = "set rules.files (casebook config show), or pass the project folder"
        raise Fault("invalid_input", "no rule file found, neither yours nor of this project", hint)
    files, unread = readable(found) if found else ((), ())
    call = read_call({"tool_name": given["tool_name"], "tool_input": given["tool_input"]})
    vectors = desk.vectors() if desk.database.exists() else None  # no casebook is made by looking
    with RuleMatcher(files, desk.database, vectors, bans=bans) as matcher:
        return with_unread(matcher.match(call, limit=given.get("limit", 5)), unread)


ERROR_SEARCH: Final = Tool(
    "error_search",
    "Search for a known fix",
    "Search the user's known errors for a failing output. Returns the fix, its confidence and the reason. "
    "If the fix has a lesson, `resolution` is the lesson. `match` is null for an unknown error, which is a normal "
    "result. Returns error_search.v1.",
    shape(
        ("text",),
        text=text("The failing output, any number of lines.", _MOST_ERROR),
        session=text("Your session id, to track whether the fix helps.", 500),
        project=text("Project folder. Its own fixes come first (default: the folder of the server).", 4_000),
    ),
    _error_search,
    writes=True,  # what was answered is a row of `answer_outcome`, settled by what the session does next
)
ALIGN_QUOTE: Final = Tool(
    "align_quote",
    "Check a quote against the transcript",
    "Find a quote in the given messages or in an imported session. Returns its location, and any change of meaning "
    "(numbers, negations). Returns alignment.v1.",
    shape(
        ("quote",),
        quote=text("The quoted words.", 20_000),
        messages=many(
            "Messages to search: texts, or objects with role and text.",
            {"anyOf": [text("a message", _MOST_TEXT), shape(("text",), role=text("who", 100),
                                                            text=text("a message", _MOST_TEXT))]},
            _MOST_MESSAGES,
        ),
        session=text("Alternative: id of an imported session, or its first characters.", 500),
        message_index=number("Index of the cited message, from 0. Other messages are searched too.", 0, 10**9, 0),
    ),
    _align_quote,
)  # fmt: skip
MATCH_RULES: Final = Tool(
    "match_rules",
    "Find rules for a tool call",
    "The user's rules that apply to a tool call, best first, with reasons and near misses. "
    "The result can be empty. Returns rule_match.v1.",
    shape(
        ("tool_name", "tool_input"),
        tool_name=text("The tool, for example Bash or Edit.", 200),
        tool_input={"type": "object", "description": 'Its input, for example {"command": "npm test"}.'},
        project=text("Project folder. Its own rules apply too (default: the folder of the server).", 4_000),
        limit=number("Maximum number of rules.", 1, 20, 5),
    ),
    _match_rules,
)


_MOST: Final = 4_000


def _record(desk: Desk, given: dict[str, Any], _: Cancelled) -> LessonRecorded:
    from core.flows.lessons import LessonInput, record_lesson
    from core.flows.transcripts.api import import_transcripts
    from core.store import faults, open_store
    from core.transcripts.detection import default_roots, discover

    name = given["session"]
    lesson_input = LessonInput(
        given["error"], given.get("command", ""), given.get("hunk", ""), given["check"], given.get("because", ""),
        tuple(given.get("not", ())), tuple(given.get("quotes", ())),
    )  # fmt: skip
    roots = [root for root in default_roots(None) if root.is_dir()]
    files = [path for path in discover(None, roots) if len(name) > 7 and name in path.stem]
    with open_store(desk.database, write=True, create=bool(files)) as store, faults(desk.database):
        if len(files) == 1:  # the session goes on: what it did until now is read first
            import_transcripts(store, "auto", files)
        return record_lesson(store, name, lesson_input, strictness(desk))


RECORD_LESSON: Final = Tool(
    "record_lesson",
    "Record a fix",
    "Record a fix of this session for later sessions: the command or the hunk, and the check that passed. "
    "The fix is a draft until the user verifies it. The transcript must show the failure, the fix, the whole check "
    "passing after it, and every quote. Otherwise casebook refuses the fix and gives the reason. "
    "Returns lesson_recorded.v1.",
    shape(
        ("session", "error", "check"),
        session=text("The id of this session.", 500),
        error=text("The failing output, any number of lines.", 1 << 18),
        command=text("The command that fixed it, verbatim. Alternative: hunk.", _MOST),
        hunk=text("The edit that fixed it: at most ten lines, each with + or - before it.", _MOST),
        check=text("The command that then passed, without filters such as tail.", _MOST),
        because=text("One sentence from the session, verbatim, with the reason.", 600),
        quotes=many("Further sentences from the session, verbatim.", text("a sentence", 600), 5),
        **{"not": many("Commands that did not fix it.", text("a command", _MOST), 3)},
    ),
    _record,
    writes=True,
)
