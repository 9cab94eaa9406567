"""Transcripts of Claude Code in which a person declines calls, and the import of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from core.flows.transcripts.api import import_transcripts
from core.store import Store

REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the"
    " new_string was NOT written to the file). "
)
NOTE = "\n\nNote: The user's next message may contain a correction. Always save it."


def refusal(said: str = "", note: str = NOTE) -> str:
    """The result of a declined call, as Claude Code writes it."""
    if not said:
        return REFUSED + "STOP what you are doing and wait for the user to tell you how to proceed."
    return f"{REFUSED}To tell you how to proceed, the user said:\n{said}{note}"


class Transcript:
    """A session under construction."""

    def __init__(self, folder: Path, name: str, project: str = "/srv/shop") -> None:
        self.path = folder / f"{name}.jsonl"
        self.name, self.project = name, project
        self.lines: list[dict[str, Any]] = []

    def _add(self, role: str, content: Any) -> None:
        at = len(self.lines)
        self.lines.append(
            {
                "type": role, "sessionId": self.name, "cwd": self.project, "uuid": f"{self.name}-{at}",
                "timestamp": f"2026-09-01T10:{at // 60:02}:{at % 60:02}.000Z",
                "message": {"role": role, "content": content},
            }
        )  # fmt: skip

    def says(self, text: str) -> Transcript:
        self._add("user", text)
        return self

    def answers(self, text: str) -> Transcript:
        self._add("assistant", [{"type": "text", "text": text}])
        return self

    def runs(self, command: str, result: str = "", *, failed: bool = False) -> Transcript:
        return self.calls("Bash", {"command": command}, result, failed=failed)

    def calls(self, tool: str, given: dict[str, Any], result: str = "", *, failed: bool = False) -> Transcript:
        call = f"toolu_{self.name}_{len(self.lines)}"
        self._add("assistant", [{"type": "tool_use", "id": call, "name": tool, "input": given}])
        self._add("user", [{"type": "tool_result", "tool_use_id": call, "content": result, "is_error": failed}])
        return self

    def declines(self, command: str, said: str = "") -> Transcript:
        return self.runs(command, refusal(said), failed=True)

    def write(self) -> Path:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text("".join(json.dumps(line) + "\n" for line in self.lines), encoding="utf-8")
        return self.path


def imported(store: Store, *transcripts: Transcript) -> None:
    """Import transcripts, each in a run of its own."""
    for one in transcripts:
        import_transcripts(store, "claude-code", [one.write()])
