"""Cline tasks and sessions, and those of Roo Code, its fork: one JSON document of messages of Anthropic's API.

A call is a `tool_use` block, or, in older versions, an XML element in the text of the assistant. Its result is a
`tool_result` block, or a text `[tool for 'X'] Result:` of the user's next message, then paired by its place. Sources:
`src/core` of RooCodeInc/Roo-Code (April 2026), `apps/vscode` and `sdk` of cline/cline (August 2026).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from core.transcripts.fields import elements, fields, instant, items, joined, json_text, small_int, string, word
from core.transcripts.lines import Line, head_values, values
from core.transcripts.records import Agent, Failure, Record, SessionStart, Skipped, Turn

NAME = "Cline"
FILES = ("api_conversation_history.json", "*.messages.json")
KEYS = frozenset(["updated_at", "role"])

_ROO: Final = "rooveterinaryinc.roo-cline"
_RESULT: Final = re.compile(r"\[(?P<tool>[\w.:-]{1,60})")
_ANSWER: Final = "] Result:"
_OPENS: Final = re.compile(r"<([a-z][a-z_]{0,40})>")
_TOOLS: Final = frozenset(
    (
        *("execute_command", "read_file", "write_to_file", "replace_in_file", "apply_diff", "insert_content"),
        *("search_and_replace", "search_files", "list_files", "list_code_definition_names", "browser_action"),
        *("use_mcp_tool", "access_mcp_resource", "ask_followup_question", "attempt_completion", "new_task"),
        *("switch_mode", "fetch_instructions", "codebase_search", "update_todo_list", "plan_mode_respond", "web_fetch"),
    )
)
"""Tools that old versions call by an XML element."""
_EXIT: Final = re.compile(r"(?:\bExit code: |\bexit code |\bexited with code )(-?[0-9]{1,10})\b")
_EXIT_WITHIN: Final = 600
_FAILED: Final = ("The tool execution failed with the following error", "Error executing ", "[ERROR]")
_DENIED: Final = ("The user denied this operation", "The user denied")
_MISUSED: Final = ("Missing value for required parameter", "[ERROR] You did not use a tool")
_INJECTED: Final = ("<environment_details>", "[TASK RESUMPTION]", "# task_progress", "Files attached by the user")
_FOLDER: Final = re.compile(r"# Current (?:Working|Workspace) Directory \(([^)\n]{1,500})\)")


def owns(value: object) -> bool:
    """Whether it is a session of Cline, or the messages of a task: the first has `ts`, or in old ones `<task>`."""
    record = fields(value)
    if isinstance(record.get("messages"), list) and isinstance(record.get("sessionId"), str):
        return "updated_at" in record and "version" in record
    first = fields(next(iter(items(value)), None))
    blocks = items(first.get("content"))
    if first.get("role") not in ("user", "assistant") or not blocks:
        return False
    return "ts" in first or string(fields(blocks[0]).get("text")).lstrip().startswith("<task>")


def start_of(head: bytes, path: Path) -> SessionStart:
    """The session that the document or its folder names, in the folder that the first message names."""
    known = next((fields(one) for one in head_values(head) if owns(one)), fields(None))
    task = path.stem.removesuffix(".messages") if path.name.endswith(".messages.json") else path.parent.name
    own = word(known.get("sessionId")) or word(task) or "unnamed"
    found = _FOLDER.search(head[:200_000].decode("utf-8", "replace"))
    return SessionStart(own, agent_of(path), found[1] if found else "")


def agent_of(path: Path) -> Agent:
    """Which of the two wrote a file: they write the same, in folders of their own."""
    return "roo" if any(part.startswith(_ROO) for part in path.parts) else "cline"


def places(env: Mapping[str, str], home: Path) -> list[Path]:
    """`CLINE_SESSION_DATA_DIR`, `CLINE_DATA_DIR` and `CLINE_DIR` move the sessions; tasks are kept by the editor."""
    data = Path(env.get("CLINE_DATA_DIR") or Path(env.get("CLINE_DIR") or home / ".cline") / "data")
    sessions = Path(env.get("CLINE_SESSION_DATA_DIR") or data / "sessions")
    return [sessions, data / "tasks", *editor_places("saoudrizwan.claude-dev", env, home)]


def editor_places(extension: str, env: Mapping[str, str], home: Path) -> list[Path]:
    """The folders of tasks of an extension of VS Code, or of an editor made from it, on this system."""
    roots = [home / "Library" / "Application Support" if sys.platform == "darwin" else home / ".config"]
    roots += [Path(env["APPDATA"])] if env.get("APPDATA") else []
    editors = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")
    found = [root / editor / "User" for root in roots for editor in editors]
    found += [home / server / "data" / "User" for server in (".vscode-server", ".vscode-remote", ".cursor-server")]
    return [user / "globalStorage" / extension / "tasks" for user in found]


def read(lines: Iterable[Line], start: SessionStart | None = None) -> Iterator[Record]:
    """The records of a document, which is one line."""
    session = start or SessionStart("unnamed", "cline")
    for number, _, value in values(lines):
        if isinstance(value, Skipped):
            yield value
            continue
        reading, announced = _Reading(session, number), False
        listed = items(value) or items(fields(value).get("messages"))
        for index, message in enumerate(listed):
            for found in reading.message(message, index):
                if not announced and not isinstance(found, Skipped):
                    announced = True
                    yield session
                yield found


@dataclass(slots=True)
class _Reading:
    """One pass over a document: the calls that were not answered yet, in their order."""

    session: SessionStart
    line: int
    open: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def message(self, value: object, index: int) -> Iterator[Record]:
        message = fields(value)
        role = message.get("role")
        if role not in ("user", "assistant"):
            yield Skipped(self.line, f"message {index + 1} has no role")
            return
        # Messages have no name in most versions: the content names them, so that a shortened task stays the same.
        digest = blake2b(json_text(message.get("content")).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
        own = f"{self.session.session_id}:{word(message.get('id')) or index}:{digest}"
        turn = Turn(
            own, instant(message.get("ts")) or instant(message.get("createdAt")) or self.session.started, self.line
        )
        blocks = elements(message.get("content"))
        if role == "assistant":
            self.open = []
            yield from self._assistant(blocks, turn)
        else:
            yield from self._user(blocks, turn)

    def _assistant(self, blocks: list[Any], turn: Turn) -> Iterator[Record]:
        for index, block in enumerate(blocks):
            source = fields(block)
            kind, text = source.get("type"), string(block) or string(source.get("text"))
            if kind in ("tool_use", "tool-call"):
                name = word(source.get("name")) or word(source.get("toolName")) or "unnamed"
                call_id = word(source.get("id")) or word(source.get("toolCallId")) or f"{turn.uuid}:{index}"
                self.open.append((call_id, name))
                yield turn.call(call_id, name, fields(source.get("input")), index)
            elif thought := string(source.get("thinking")) or (text if kind in ("reasoning", "thinking") else ""):
                yield turn.message("assistant", "thinking", thought, index)
            elif text:
                yield turn.message("assistant", "text", text, index)
                yield from self._written_calls(text, turn, index)

    def _written_calls(self, text: str, turn: Turn, index: int) -> Iterator[Record]:
        for number, (name, body) in enumerate(_elements_of(text, _TOOLS)):
            call_id = f"{turn.uuid}:{index}.{number}"
            self.open.append((call_id, name))
            given = dict(_elements_of(body))
            yield turn._replace(uuid=f"{turn.uuid}:call:{index}").call(call_id, name, given, number)

    def _user(self, blocks: list[Any], turn: Turn) -> Iterator[Record]:
        header = ""
        for index, block in enumerate(blocks):
            source = fields(block)
            kind, text = source.get("type"), string(block) or string(source.get("text"))
            if kind in ("tool_result", "tool-result"):
                text = _text(source.get("content", source.get("output")))
                call_id = word(source.get("tool_use_id")) or word(source.get("toolCallId"))
                failed = source.get("is_error") is True or source.get("isError") is True
                self.open = [one for one in self.open if one[0] != call_id]
                yield _result(turn, call_id, text, index, failed=failed)
            elif header and text and not text.startswith(_INJECTED):
                yield _result(turn, header, text, index, failed=False)
                header = ""
            elif self.open and (found := _RESULT.match(text)) and _ANSWER in (first := text.partition("\n")[0]):
                call_id = self._answered(found["tool"])
                body = text[first.index(_ANSWER) + len(_ANSWER) :].lstrip(" \t").removeprefix("\n")
                if body.strip() or index == len(blocks) - 1:
                    yield _result(turn, call_id, body, index, failed=False)
                else:
                    header = call_id
            elif text:
                yield turn._replace(meta=text.startswith(_INJECTED)).message("user", "text", text, index)
            elif kind in ("image", "file", "document"):
                yield turn._replace(meta=True).message("user", "image", f"[{word(kind, 20)}]", index)
        if header:
            yield _result(turn, header, "", len(blocks), failed=False)

    def _answered(self, tool: str) -> str:
        """The call that a text answers: the first of that tool that is open, else the first."""
        at = next((number for number, one in enumerate(self.open) if one[1] == tool), 0)
        return self.open.pop(at)[0]


def _elements_of(text: str, names: frozenset[str] | None = None) -> Iterator[tuple[str, str]]:
    """The XML elements (of these names, else of all) in a text, in order, each with its text."""
    at, missing = 0, set[str]()
    while found := _OPENS.search(text, at):
        at, name = found.end(), found[1]
        if name in missing or (names is not None and name not in names):
            continue
        end = text.find(f"</{name}>", at)
        if end == -1:
            missing.add(name)
            continue
        yield name, text[at:end].strip("\n")
        at = end


def _result(turn: Turn, call_id: str, text: str, block: int, *, failed: bool) -> Record:
    if not call_id:
        return turn.message("tool", "tool_result", text, block)
    found = _EXIT.search(text, 0, _EXIT_WITHIN)
    code = small_int(int(found[1])) if found else None
    failure: Failure = "error" if failed or code or text.startswith(_FAILED) else "none"
    if text.startswith(_DENIED):
        failure = "denied"
    elif any(mark in text[:_EXIT_WITHIN] for mark in _MISUSED):
        failure = "tool_use_error"
    return turn.result(call_id, text, failure, code, block)


def _text(content: object) -> str:
    return joined([text for part in elements(content) if (text := _part(part))] or [""])


def _part(part: object) -> str:
    source = fields(part)
    if source.get("type") == "image":
        return "[image]"
    return string(part) or string(source.get("text")) or (json_text(part) if part else "")


class _Roo:
    """Roo Code: Cline's messages in folders of its own."""

    NAME = "Roo Code"
    FILES = FILES
    KEYS = frozenset[str]()

    def owns(self, value: object) -> bool:
        return False  # `agent_of` tells

    def start_of(self, head: bytes, path: Path) -> SessionStart:
        return start_of(head, path)

    def places(self, env: Mapping[str, str], home: Path) -> list[Path]:
        return editor_places(_ROO, env, home)

    def read(self, lines: Iterable[Line], start: SessionStart) -> Iterator[Record]:
        return read(lines, start)


ROO: Final = _Roo()
