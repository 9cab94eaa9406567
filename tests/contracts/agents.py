"""What agents get from casebook: the tools of the MCP server, and the replies of the hooks. Each in a process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.contracts.casebook import PORT, YAML, Casebook, built

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 120
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
NEW = "make: *** No rule to make target 'x'.  Stop."
RULES = "### ERR-001: Never push with force\n\n**Pattern**: git push --force\n**Solution**: --force-with-lease\n"


def command(*words: str | Path) -> list[str]:
    """A command line of casebook as a hook runs it."""
    return [sys.executable, "-m", "agent_casebook", *map(str, words)]


def environment() -> dict[str, str]:
    """The environment of a process: no model, no process that stays, and time enough on a busy machine."""
    own = {"PYTHONPATH": str(ROOT), "CASEBOOK_HOOK_DEADLINE_MS": "60000", "CASEBOOK_EMBEDDING_SERVICE": "false"}
    return {**os.environ, **own}


def mcp_text(folder: Path) -> str:
    """The server's own description, and each tool with its description and the shape of its arguments."""
    talk = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}},
    ]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command("--db", folder / "none.db", "mcp"), stdin=pipe, stdout=pipe, cwd=folder, env=environment(), text=True
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write("".join(f"{json.dumps(one)}\n" for one in talk))
        server.stdin.flush()
        begun, listed = (json.loads(server.stdout.readline())["result"] for _ in range(2))
        server.stdin.close()
    kept = ("name", "title", "description", "inputSchema", "annotations")
    about = {"name": begun["serverInfo"]["name"], "instructions": begun["instructions"]}
    tools = [{key: tool[key] for key in kept} for tool in listed["tools"]]
    return json.dumps({**about, "tools": tools}, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _payload(event: str, **more: object) -> dict[str, object]:
    return {"hook_event_name": event, "session_id": "s1", "cwd": "/f/shop", "transcript_path": "/f/none.jsonl", **more}


def _shell(event: str, run: str, **more: object) -> dict[str, object]:
    return _payload(event, tool_name="Bash", tool_use_id="t1", tool_input={"command": run}, **more)


EVENTS: Mapping[str, object] = {
    "a session begins": _payload("SessionStart", source="startup"),
    "a tool is about to be used, a rule applies": _shell("PreToolUse", "git push --force origin main"),
    "a tool is about to be used, no rule applies": _shell("PreToolUse", "ls"),
    "a known error with a verified fix": _shell("PostToolUseFailure", "python app.py", error=f"Exit code 1\n{YAML}"),
    "a known error with a draft": _shell("PostToolUseFailure", "npm start", error=f"Exit code 1\n{PORT}"),
    "a new error": _shell("PostToolUseFailure", "make", error=f"Exit code 2\n{NEW}"),
    "an edit": _payload("PostToolUse", tool_name="Edit", tool_use_id="t2", tool_input={"file_path": "/f/shop/Makefile",
        "old_string": "y:", "new_string": "x:"}, tool_response={"filePath": "/f/shop/Makefile"}),
    "the command passes": _shell("PostToolUse", "make", tool_response={"stdout": "ok", "stderr": ""}),
    "the session ends": _payload("SessionEnd", reason="exit"),
    "an event that casebook does not know": _payload("Stop"),
    "no JSON": "{",
}  # fmt: skip
"""What happens in one session, in order."""


def hooks_text(folder: Path) -> str:
    """What each event's hook prints, its exit code, and what the casebook keeps of all of them."""
    book = built(folder)
    said = replies(book)
    found: Any = json.loads(book.must("errors", "search", NEW, "--json"))
    return said + f"# the new error afterwards\n{json.dumps(found['match'], ensure_ascii=False, indent=1)}\n"


def replies(book: Casebook) -> str:
    """The replies to the events of a session, in a project without rules of its own."""
    (book.folder / "shop").mkdir()
    rules = Path(os.environ["HOME"]) / ".claude" / "memory.md"
    rules.parent.mkdir()
    rules.write_text(RULES, encoding="utf-8")
    return "".join(_replied(book, name, event) for name, event in EVENTS.items())


def _replied(book: Casebook, name: str, event: object) -> str:
    text = event if isinstance(event, str) else json.dumps(event).replace("/f/", f"{book.folder}/")
    done = subprocess.run(
        command("hook", "--db", book.path), input=text, cwd=book.folder, env=environment(), capture_output=True,
        text=True, check=False, timeout=PATIENCE_S,
    )  # fmt: skip
    out = json.dumps(json.loads(done.stdout), ensure_ascii=False, indent=1) + "\n" if done.stdout else ""
    return book.plain(f"# {name}\nexit {done.returncode}\n{out}{done.stderr}\n")
