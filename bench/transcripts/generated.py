"""A transcript of any size, made up as Claude Code's own are.

One session of turns of about 30 records. A turn holds one failing run (vitest, tsc, pytest or cargo, its output 0.5 to
4 KB), the run that passes after it, one to three edits, eight or nine reads and searches (results of 0.3 to 20 KB,
mostly small), two plain commands, and four pieces of prose or thinking, one turn in three in Korean. As in the real
ones every record carries its ids, version, branch and place, those of the agent its model, request and token usage,
thinking its signature, and `toolUseResult` tells each result a second time (an edit's with the whole file before it).
Names differ from turn to turn, so every failing run names an error of its own.
"""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import Iterator
from pathlib import Path

from bench.errors.cases import message
from bench.transcripts.outputs import failing, passing

_HOME = "/home/mina/work/shop"
_LEADS = (
    "const {0} = await {1}.load({2}, options);",
    "    return {0}.filter(({1}) => {1}.{2} !== undefined);",
    'import {{ {0}, {1} }} from "../{2}/index";',
    "  // {0} is read before {1}, or {2} would be empty",
    "def {0}_{1}(self, {2}: str, limit: int = 50) -> list[str]:",
    '        raise ValueError(f"{0} of {1} is not a {2}")',
    "  if (!{0} || {0}.{1} === null) throw new {2}Error({0});",
    '    {0}: Mapping[str, "{1}"] = field(default_factory=dict)  # {2}',
    "}});",
    "",
)
_ENGLISH = (
    "I can see why {0} is empty here. ", "The {1} is read before {0} is set, so the check never runs. ",
    "Let me look at how {2} is called. ", "It returns early because the list of {1} has no entries yet. ",
    "I'll change {0} to keep the old value and add a test for {2}. ", "The other callers of {2} look fine to me. ",
)  # fmt: skip
_KOREAN = (
    "{0}가 비어 있는 이유를 찾았습니다. ", "{1}를 먼저 읽기 때문에 {0} 값이 아직 없습니다. ",
    "{2}를 부르는 곳을 확인해 보겠습니다. ", "목록이 비었는지 확인하지 않은 것이 원인입니다. ",
    "{0}를 고치고 {2} 테스트를 추가하겠습니다. ", "다른 {1} 쪽은 그대로 두어도 됩니다. ",
)  # fmt: skip


def write_transcript(path: Path, size: int) -> Path:
    """Write about `size` bytes of one session and return the path."""
    written = 0
    session = _Session(random.Random(size))
    with path.open("w", encoding="utf-8") as file:
        while written < size:
            for record in session.turn():
                line = json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"
                written += len(line.encode())
                file.write(line)
    return path


class _Session:
    """What the records of one session share, and the one before."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.id, self.parent = self._uuid(), ""
        self.clock = 0
        self.names = ["".join(rng.choices("abcdefghijklmnoprstuvwy", k=rng.randint(4, 11))) for _ in range(4_000)]
        self.lines = [rng.choice(_LEADS).format(*self._three()) for _ in range(20_000)]

    def turn(self) -> Iterator[dict[str, object]]:
        """A prompt, a look around, a failing run, the search for its cause, the edits, and the run that passes."""
        rng = self.rng
        names = self._three()
        run = failing(rng, names)
        yield self._user(self._prose(2) + message(rng))
        yield self._thinking()
        yield self._assistant({"type": "text", "text": self._prose(2)})
        yield from self._look("Bash", {"command": "git status --short", "description": "See what changed"})
        yield from self._reads(3)
        yield from self._run(run.command, run.output, run.code)
        yield self._thinking()
        yield from self._reads(rng.choice((5, 6)))
        yield self._assistant({"type": "text", "text": self._prose(6)})
        yield from self._edit(f"\nlet {names[0]}_{names[1]} = {names[2]}")
        for _ in range(rng.choice((0, 0, 1, 2))):
            yield from self._edit()
        if rng.random() < 0.5:
            yield from self._look("Bash", {"command": f"ls -la src/{rng.choice(self.names)}", "description": "List"})
        yield from self._run(run.command, passing(rng, run), 0)
        yield self._assistant({"type": "text", "text": self._prose(3)})

    def _reads(self, count: int) -> Iterator[dict[str, object]]:
        for _ in range(count):
            if self.rng.random() < 0.25:
                yield from self._look("Grep", {"pattern": self.rng.choice(self.names), "output_mode": "content"})
            else:
                yield from self._read()

    def _read(self) -> Iterator[dict[str, object]]:
        path, body = self._file(), self._source(self._length(20_000))
        lines = body.split("\n")
        shown = "\n".join(f"{at:6}\t{line}" for at, line in enumerate(lines, 1))
        beside = {
            "type": "text",
            "file": {
                "filePath": path, "content": body, "numLines": len(lines), "startLine": 1, "totalLines": len(lines),
            },
        }  # fmt: skip
        yield from self._call("Read", {"file_path": path}, shown, beside)

    def _look(self, name: str, given: dict[str, object]) -> Iterator[dict[str, object]]:
        body = "\n".join(f"src/{line.strip()[:80]}" for line in self._source(self._length(2_500)).split("\n"))
        beside = {"stdout": body, "stderr": "", "interrupted": False, "isImage": False}
        found = {"mode": "content", "filenames": [], "numFiles": 0, "content": body, "numLines": body.count("\n") + 1}
        yield from self._call(name, given, body, beside if name == "Bash" else found)

    def _edit(self, cure: str = "") -> Iterator[dict[str, object]]:
        """An edit of some file; `cure` is a line of its new text, about the error."""
        path, body = self._file(), self._source(self._length(20_000))
        old, new = self._source(self.rng.randint(60, 900)), self._source(self.rng.randint(60, 1_200)) + cure
        patch = [f"-{line}" for line in old.split("\n")] + [f"+{line}" for line in new.split("\n")]
        hunk = {"oldStart": 10, "oldLines": old.count("\n") + 1, "newStart": 10, "newLines": 9, "lines": patch}
        given: dict[str, object] = {"file_path": path, "old_string": old, "new_string": new}
        beside = {
            "filePath": path, "oldString": old, "newString": new, "originalFile": body, "structuredPatch": [hunk],
            "userModified": False, "replaceAll": False,
        }  # fmt: skip
        shown = "\n".join(f"{at:6}\t{line}" for at, line in enumerate(new.split("\n"), 8))
        yield from self._call("Edit", given, f"The file {path} has been updated. It now reads:\n{shown}", beside)

    def _run(self, command: str, output: str, code: int) -> Iterator[dict[str, object]]:
        given: dict[str, object] = {"command": command, "description": "Run the checks"}
        said = f"Exit code {code}\n{output}" if code else output
        whole = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False, "noOutputExpected": False}
        yield from self._call("Bash", given, said, f"Error: {said}" if code else whole, failed=code != 0)

    def _call(
        self, name: str, given: dict[str, object], result: str, beside: object, *, failed: bool = False
    ) -> Iterator[dict[str, object]]:
        key = f"toolu_01{self.rng.getrandbits(88):022x}"
        yield self._assistant({"type": "tool_use", "id": key, "name": name, "input": given})
        body = {"tool_use_id": key, "type": "tool_result", "content": result, "is_error": failed}
        yield self._user([body], toolUseResult=beside, sourceToolAssistantUUID=self.parent)

    def _thinking(self) -> dict[str, object]:
        signature = "".join(self.rng.choices("ABCDEFGHIJKLMNOPabcdefghijklmnop0123456789+/", k=400))
        return self._assistant({"type": "thinking", "thinking": self._prose(5), "signature": signature})

    def _assistant(self, block: dict[str, object]) -> dict[str, object]:
        rng = self.rng
        usage = {
            "input_tokens": rng.randint(1, 40), "cache_creation_input_tokens": rng.randint(200, 4_000),
            "cache_read_input_tokens": rng.randint(9_000, 150_000), "output_tokens": rng.randint(20, 900),
            "service_tier": "standard",
        }  # fmt: skip
        sent = {
            "model": "claude-opus-4", "id": f"msg_01{rng.getrandbits(88):022x}", "type": "message",
            "role": "assistant", "content": [block], "stop_reason": None, "stop_sequence": None, "usage": usage,
        }  # fmt: skip
        return self._record("assistant", sent, requestId=f"req_011{rng.getrandbits(80):020x}")

    def _user(self, content: object, **more: object) -> dict[str, object]:
        return self._record("user", {"role": "user", "content": content}, **more)

    def _record(self, kind: str, sent: dict[str, object], **more: object) -> dict[str, object]:
        self.clock += self.rng.randint(1, 9)
        hours, minutes, seconds = self.clock // 3600, self.clock // 60 % 60, self.clock % 60
        before, self.parent = self.parent or None, self._uuid()
        return {
            "parentUuid": before, "isSidechain": False, "userType": "external", "cwd": _HOME, "sessionId": self.id,
            "version": "2.1.0", "gitBranch": "main", "type": kind, "message": sent, "uuid": self.parent,
            "timestamp": f"2026-{hours // 672 % 12 + 1:02}-{hours // 24 % 28 + 1:02}T{hours % 24:02}"
            f":{minutes:02}:{seconds:02}.000Z", **more,
        }  # fmt: skip

    def _uuid(self) -> str:
        return str(uuid.UUID(int=self.rng.getrandbits(128), version=4))

    def _three(self) -> list[str]:
        return self.rng.choices(self.names, k=3)

    def _prose(self, count: int) -> str:
        said = _KOREAN if self.rng.random() < 1 / 3 else _ENGLISH
        return "".join(self.rng.choice(said).format(*self._three()) for _ in range(count))

    def _length(self, most: int) -> int:
        """A length between 300 and `most`, of which small ones are common."""
        return int(300 * (most / 300) ** self.rng.random())

    def _file(self) -> str:
        return f"{_HOME}/src/{self.rng.choice(self.names)}/{self.rng.choice(self.names)}.ts"

    def _source(self, length: int) -> str:
        at, taken = self.rng.randrange(len(self.lines)), 0
        lines: list[str] = []
        while taken < length:
            lines.append(self.lines[at % len(self.lines)])
            taken += len(lines[-1]) + 1
            at += 1
        return "\n".join(lines)
