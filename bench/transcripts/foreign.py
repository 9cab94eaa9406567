"""Real sessions of other agents: the results that a reader gives, against a plain count over the raw file.

`python -m bench.transcripts.foreign FOLDER` reads `foreign.tsv` beside this file and, for each row, the blob of that
commit and path from `FOLDER/OWNER+NAME/repo`, a git folder. No session is kept in this repository. It prints, for each
agent, the files, the results in the raw files, and those read; each file with a gap is named.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from core.flows.transcripts.files import Position, batches, open_transcript, source_of
from core.flows.transcripts.opening import NotATranscript
from core.flows.transcripts.rows import records_of
from core.transcripts import ToolResult
from core.transcripts.detection import READERS

LIST = Path(__file__).with_name("foreign.tsv")


class Session(NamedTuple):
    """One row of the list."""

    agent: str
    repository: str
    commit: str
    path: str
    sha256: str
    bytes: int


def listed() -> list[Session]:
    """The rows of the list."""
    rows = [line.split("\t") for line in LIST.read_text(encoding="utf-8").splitlines()[1:]]
    return [Session(row[0], row[1], row[2], row[3], row[4], int(row[5])) for row in rows]


def _gemini(data: bytes) -> int:
    return sum(len(one.get("toolCalls", [])) for one in json.loads(data)["messages"])


def _opencode(data: bytes) -> int:
    parts = [part for message in json.loads(data)["messages"] for part in message["parts"]]
    return sum(part["type"] == "tool" and part["state"]["status"] in ("completed", "error") for part in parts)


def _lines(data: bytes, *signs: bytes) -> int:
    return sum(any(sign in line for sign in signs) for line in data.splitlines())


def _cline(data: bytes) -> int:
    """Native results, and texts that answer a call."""
    blocks: list[Any] = [
        block
        for message in json.loads(data)
        if message["role"] == "user" and isinstance(message["content"], list)
        for block in message["content"]
    ]
    native = sum(block["type"] == "tool_result" for block in blocks)
    texts = [block["text"] for block in blocks if block["type"] == "text"]
    return native + sum(text.startswith("[") and "] Result:" in text.partition("\n")[0] for text in texts)


COUNTS: dict[str, Callable[[bytes], int]] = {
    "gemini": _gemini,
    "opencode": _opencode,
    "copilot": lambda data: _lines(data, b'"type":"tool.execution_complete"'),
    "pi": lambda data: _lines(data, b'"role":"toolResult"', b'"role":"bashExecution"'),
    "cline": _cline,
    "aider": lambda data: _lines(data, b"#### /run ", b"#### /test ", b"#### !"),
}


def results(path: Path) -> tuple[str, int]:
    """The agent that wrote a file, and how many results its reader gives."""
    with open_transcript(path) as file:
        source = source_of(file, path, None, named=True)
        if source is None:
            return "", 0
        lines = [line for batch in batches(source, Position()) for line in batch]
        found = records_of(source.agent, source.start, lines, lambda _uuid: None)
        return source.agent, sum(isinstance(one, ToolResult) for one in found)


def main(folder: Path) -> int:
    """Print the table; 1 where a file has a gap or is not the one that the list names."""
    totals: dict[str, list[int]] = {}
    wrong = 0
    with tempfile.TemporaryDirectory() as scratch:
        for one in listed():
            repo = folder / one.repository.replace("/", "+") / "repo"
            command = ["git", "-C", str(repo), "cat-file", "blob", f"{one.commit}:{one.path}"]
            data = subprocess.run(command, capture_output=True, check=False).stdout
            if sha256(data).hexdigest() != one.sha256:
                print(f"not the file of the list: {one.repository} {one.path}")
                wrong += 1
                continue
            place = Path(scratch) / Path(one.path).name
            place.write_bytes(data)
            try:
                agent, read = results(place)
            except NotATranscript as why:
                agent, read = f"nobody ({why})", 0
            raw = COUNTS[one.agent](data)
            total = totals.setdefault(one.agent, [0, 0, 0])
            total[0], total[1], total[2] = total[0] + 1, total[1] + raw, total[2] + read
            if agent != one.agent or raw != read:
                print(f"{one.repository} {one.path}: {agent or 'nobody'}, {raw} results, {read} read")
                wrong += 1
    print(f"{'agent':<10}{'files':>8}{'results':>10}{'read':>10}")
    for agent in (one for one in READERS if one in totals):
        files, raw, read = totals[agent]
        print(f"{agent:<10}{files:>8,}{raw:>10,}{read:>10,}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
