"""Small sessions built in code: what an agent said, ran and changed, as the events that a harvest reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from core.flows.harvest.command import command_of
from core.flows.harvest.events import Event, HarvestedError, Ran, Statement
from core.flows.harvest.outcome import Outcome, judge
from core.flows.harvest.reducer import harvest
from core.transcripts.records import Failure

HOME = "/home/ana/shop"


def python_error(line: str) -> str:
    """A traceback that ends in `line`."""
    return f'Traceback (most recent call last):\n  File "app.py", line 3, in <module>\n    run()\n{line}\n'


LOOKUP = python_error("KeyError: 'currency'")
NONE = python_error("TypeError: 'NoneType' object is not iterable")
VITEST = (
    " FAIL  src/sum.test.ts > adds\nTypeError: add is not a function\n ❯ src/sum.test.ts:4:10\n\n"
    " Test Files  1 failed (1)\n      Tests  1 failed | 3 passed (4)\n"
)


def judged(command: str, text: str, code: int = 0, failure: Failure | None = None, tool: str = "Bash") -> Outcome:
    """The verdict on one result of a command."""
    ran = Ran("s", 0, "main", tool, {"command": command}, text, failure or ("error" if code else "none"), code or None)
    return judge(ran, command_of(tool, ran.tool_input))


def names(outcome: Outcome) -> list[str]:
    """The key lines that it has."""
    return [error.key.text for error in outcome.errors]


class Chat:
    """A session under construction; every method returns it, so that a session reads like one."""

    def __init__(self, project: str = HOME) -> None:
        self.events: list[Event] = []
        self.project = project

    def user(self, text: str, chain: str = "main") -> Self:
        self.events.append(Statement("s", len(self.events), chain, "user", text))
        return self

    def say(self, text: str, chain: str = "main") -> Self:
        self.events.append(Statement("s", len(self.events), chain, "assistant", text))
        return self

    def tool(
        self,
        name: str,
        given: Mapping[str, object],
        text: str = "",
        failure: Failure = "none",
        code: int | None = None,
        chain: str = "main",
        facts: Mapping[str, object] | None = None,
    ) -> Self:
        self.events.append(Ran("s", len(self.events), chain, name, given, text, failure, code, "", facts or {}))
        return self

    def sh(self, command: str, output: str = "", code: int = 0, tool: str = "Bash", chain: str = "main") -> Self:
        text = f"Exit code {code}\n{output}" if code else output
        return self.tool(tool, {"command": command}, text, "error" if code else "none", code or None, chain)

    def edit(self, path: str = f"{HOME}/src/a.py", old: str = "a", new: str = "b", chain: str = "main") -> Self:
        return self.tool("Edit", {"file_path": path, "old_string": old, "new_string": new}, "updated", chain=chain)

    def read(self, text: str = "x = 1") -> Self:
        return self.tool("Read", {"file_path": f"{HOME}/notes.md"}, text)

    def found(self) -> list[HarvestedError]:
        return list(harvest(self.events, self.project))

    def one(self) -> HarvestedError:
        """The only error of the session."""
        (error,) = self.found()
        return error
