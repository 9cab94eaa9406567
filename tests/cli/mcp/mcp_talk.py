"""`casebook mcp` in a process of its own, and the SDK's own client that talks with it, for tests that are not async."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import Coroutine, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcp import ClientSession

ROOT = Path(__file__).resolve().parents[3]
PATIENCE_S = 120.0
"""What a call may take on a machine that is busy with other tests."""


class Talk:
    """A session that is open. `call` waits for the answer, `begin` does not."""

    def __init__(self, session: ClientSession, loop: asyncio.AbstractEventLoop) -> None:
        self.session = session
        self._loop = loop

    def do(self, work: Coroutine[Any, Any, Any]) -> Any:
        """The outcome of something async."""
        return self.begin(work).result(PATIENCE_S)

    def begin(self, work: Coroutine[Any, Any, Any]) -> Future[Any]:
        """Something async under way; cancelling it tells the server."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def call(self, tool: str, **arguments: Any) -> Any:
        """The answer of a tool."""
        return self.do(self.session.call_tool(tool, arguments))


@contextlib.contextmanager
def talking(folder: Path, *args: str, **env: str) -> Iterator[Talk]:
    """A server that runs in `folder`, and the session with it, until the end of the block."""
    from mcp import ClientSession, StdioServerParameters  # a second: each test process would spend it
    from mcp.client.stdio import stdio_client

    kept = {key: value for key, value in os.environ.items() if not key.startswith("CASEBOOK_")}
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "cli", "mcp", *args], cwd=folder,
        env={**kept, "PYTHONPATH": str(ROOT), "HOME": str(folder), **env},
    )  # fmt: skip
    opened: Future[Talk] = Future()
    closing: Future[None] = Future()

    async def session() -> None:
        async with stdio_client(server) as (reader, writer), ClientSession(reader, writer) as found:
            await found.initialize()
            opened.set_result(Talk(found, asyncio.get_running_loop()))
            await asyncio.wrap_future(closing)

    def run() -> None:
        try:
            asyncio.run(session())
        except BaseException as error:
            if opened.done():
                raise
            opened.set_exception(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield opened.result(PATIENCE_S)
    finally:
        closing.set_result(None)
        thread.join(PATIENCE_S)
