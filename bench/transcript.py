"""A transcript of any size in Claude Code's record shapes: prompts, edits, reads, failing and passing runs."""

from __future__ import annotations

import json
import random
import uuid
from pathlib import Path

from bench.cases import message


def write_transcript(path: Path, size: int) -> Path:
    """Write about `size` bytes of one session and return the path."""
    rng = random.Random(size)
    session = str(uuid.UUID(int=rng.getrandbits(128), version=4))
    written = 0
    with path.open("w", encoding="utf-8") as file:
        while written < size:
            for record in _turn(rng, session):
                line = json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"
                written += len(line.encode())
                file.write(line)
    return path


def _record(rng: random.Random, session: str, kind: str, content: object, **more: object) -> dict[str, object]:
    return {
        "parentUuid": None, "isSidechain": False, "cwd": "/home/mina/work/shop", "sessionId": session,
        "version": "2.1.0", "type": kind, "message": {"role": kind, "content": content},
        "uuid": str(uuid.UUID(int=rng.getrandbits(128), version=4)), "timestamp": "2026-10-01T10:00:00.000Z", **more,
    }  # fmt: skip


def _call(
    rng: random.Random, session: str, name: str, given: dict[str, object], result: str, failed: bool
) -> list[dict[str, object]]:
    key = f"toolu_{rng.getrandbits(80):020x}"
    body = {"tool_use_id": key, "type": "tool_result", "content": result, "is_error": failed}
    return [
        _record(rng, session, "assistant", [{"type": "tool_use", "id": key, "name": name, "input": given}]),
        _record(rng, session, "user", [body], toolUseResult={"stdout": result, "stderr": "", "interrupted": False}),
    ]


def _turn(rng: random.Random, session: str) -> list[dict[str, object]]:
    """A prompt, a failing run, a read, an explanation, an edit, the passing run."""
    command = {"command": f"npm test -- {rng.randint(1, 999)}", "description": "Run the tests"}
    source = "\n".join(f"{at:6}\tconst value{at} = compute({rng.random():.6f}, items[{at}]);" for at in range(120))
    prose = " ".join(message(rng) for _ in range(6)) + " 원인은 빈 목록을 확인하지 않은 것입니다."
    edit: dict[str, object] = {
        "file_path": "/home/mina/work/shop/src/a.ts",
        "old_string": source[:300],
        "new_string": source[300:700],
    }
    return [
        _record(rng, session, "user", f"Please look at this: {message(rng)}"),
        *_call(rng, session, "Bash", command, f"Exit code 1\n{source[:800]}\n{message(rng)}\n", True),
        *_call(rng, session, "Read", {"file_path": "/home/mina/work/shop/src/a.ts"}, source, False),
        _record(rng, session, "assistant", [{"type": "text", "text": prose}]),
        *_call(rng, session, "Edit", edit, "The file has been updated successfully.", False),
        *_call(rng, session, "Bash", command, "Tests  23 passed (23)\n", False),
    ]
