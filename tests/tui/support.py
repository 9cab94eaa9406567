"""A small casebook of our own to look at, and an app on it that stands still in time."""

from __future__ import annotations

from asyncio import sleep
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, process_time

from syrupy.assertion import SnapshotAssertion
from textual._context import visible_screen_stack
from textual.command import CommandList, CommandPalette
from textual.pilot import Pilot
from textual.strip import Strip
from textual.widgets import Input

from core.store import Store
from tests.tui.quiet import quiet
from tui.services.importing import Roots
from tui.shell.app import CasebookApp

NOW = datetime(2026, 3, 14, 9, 0, tzinfo=UTC)

TRACEBACK = """Traceback (most recent call last):
  File "/home/mina/shop/orders/run.py", line 7, in <module>
    from orders.settings import load
  File "/home/mina/shop/orders/settings.py", line 3, in <module>
    import yaml
ModuleNotFoundError: No module named 'yaml'
"""

YAML_FIX = """`yaml` is not installed in this environment.

1. `uv add pyyaml`
2. run the script with `uv run` so that it uses the project's environment
"""

CASES: tuple[tuple[str, str, str | None, str, int, str], ...] = (
    # raw, tool, fix, status, seen, last seen
    (TRACEBACK, "python", YAML_FIX, "verified", 4, "2026-03-14T08:20:00.000Z"),
    (
        "src/app.ts(14,7): error TS2304: Cannot find name 'fetchOrders'.",
        "tsc",
        "Import it: `import { fetchOrders } from './api'`.",
        "draft",
        12,
        "2026-03-13T10:00:00.000Z",
    ),
    (
        "error[E0382]: borrow of moved value: `config`\n  --> src/main.rs:31:14",
        "rustc",
        None,
        "unresolved",
        2,
        "2026-03-12T10:00:00.000Z",
    ),
    (
        'psql: error: connection to server at "localhost", port 5432 failed: Connection refused',
        "psql",
        "데이터베이스가 아직 뜨지 않았다. `docker compose up -d db` 후 다시 실행한다.",
        "verified",
        31,
        "2026-03-01T10:00:00.000Z",
    ),
    (
        "빌드 실패: 설정 파일을 찾을 수 없습니다 (config.toml)",
        "shell",
        None,
        "unresolved",
        1,
        "2026-01-02T10:00:00.000Z",
    ),
)


def put(
    store: Store,
    raw: str,
    tool: str,
    fix: str | None,
    status: str = "draft",
    seen: int = 1,
    last: str = "",
    message: str | None = None,
) -> int:
    """Write one case with the core's own functions, as an import would; seen in a `message`, if one is given."""
    from core.errors import add_resolution, identify, observe
    from core.errors.cases.record import Name

    found = identify(raw)
    name = Name(found.key_line or raw[:200], found.normalized or raw[:200], found.fingerprint, tool)
    ts = last or "2026-03-10T10:00:00.000Z"
    with store.transaction() as con:
        case_id, session, start = 0, None, 0
        if message is not None:
            session, start = "s-1", message.find(raw)
            con.execute("INSERT INTO session(id, agent) VALUES ('s-1', 'plain')")
            con.execute(
                "INSERT INTO message(session_id, idx, role, kind, text, uuid, block, ts, sha256)"
                " VALUES ('s-1', 0, 'tool', 'tool_result', ?, '', 0, ?, '')",
                (message, ts),
            )
        for number in range(seen):
            when = ts if number == seen - 1 else f"2026-01-01T00:00:00.{number % 1000:03d}Z"
            case_id = observe(
                con, name, session_id=session, message_idx=None if session is None else 0, tool=tool,
                project="shop", ts=when, raw=raw, start=start if session else None,
                end=start + len(raw) if session else None,
            )  # fmt: skip
        if fix is not None:
            add_resolution(
                con, case_id, None, fix, status=status, resolved_by="Edit",  # pyright: ignore[reportArgumentType]
                tool_sequence=("Bash", "Edit", "Bash"), author="harvest" if status == "draft" else "mina", ts=ts,
            )  # fmt: skip
    return case_id


def make_casebook(path: Path) -> Path:
    """A casebook of five cases, English and Korean."""
    from core.store import open_store

    with open_store(path, write=True, create=True) as store:
        for raw, tool, fix, status, seen, last in CASES:
            put(store, raw, tool, fix, status, seen, last)
    return path


def app_on(path: Path, *, ascii_only: bool = False, name: str = "", roots: Roots | None = None) -> CasebookApp:
    """The workbench on a casebook, at a fixed time. `roots`: where agents keep their sessions; none by default."""
    return CasebookApp(path, title=name, ascii_only=ascii_only, roots=lambda: roots or {}, clock=lambda: NOW)


async def until(pilot: Pilot[None], happened: Callable[[], object]) -> None:
    """Wait until something has happened on the screen; fails after five minutes, for busy machines.

    To look costs nothing but the looking: the app is not asked to settle until it has happened. Most of the time is for
    what is waited for: to draw a whole screen takes longer than a rest."""
    end, rest, begun = monotonic() + 300, 0.002, process_time()
    while not happened():
        assert monotonic() < end, "it never happened"
        await sleep(max(rest, min(2 * (process_time() - begun), 0.2)))
        rest, begun = min(2 * rest, 0.02), process_time()
    await pilot.pause()


def screen_rows(app: CasebookApp) -> list[Strip]:
    """The rows of the screen, with what shows behind it."""
    visible_screen_stack.set(app._background_screens)
    return app.screen._compositor.render_strips()


def frame(app: CasebookApp) -> str:
    """The screen as plain text, a line a row."""
    width, height = app.size
    strips = screen_rows(app)
    return "\n".join(strip.text[:width].rstrip() for strip in strips[:height])


async def settled(pilot: Pilot[None], app: CasebookApp) -> None:
    """Until nothing runs but what watches, and two looks, a moment apart, show the same.

    Where the app is known to do nothing for a moment, none has to pass, and nothing has to be drawn to be compared."""
    before = ""
    while True:
        await pilot.pause()
        if quiet(0.1) and app.jobs.is_idle():
            return
        if (now := frame(app)) == before and app.jobs.is_idle():
            return
        before = now
        if not quiet(0.1):
            await pilot.pause(0.1)


async def assert_frames(
    pilot: Pilot[None], app: CasebookApp, snapshot: SnapshotAssertion, sizes: Iterable[tuple[int, int]]
) -> None:
    """The screen is the one that was kept for each size: the terminal of a running app changes its size."""
    for size in sizes:
        if app.size != size:
            await pilot.resize_terminal(*size)
            await settled(pilot, app)
        assert frame(app) == snapshot(name=f"{size[0]}x{size[1]}")


def told(app: CasebookApp, words: str) -> bool:
    """Whether a toast says so: what is drawn of it is broken into lines, wherever its paths end."""
    return any(words in one for one in toasts(app))


def toasts(app: CasebookApp) -> list[str]:
    """What the toasts on the screen say."""
    return [str(one.message) for one in app._notifications]


async def look_up(pilot: Pilot[None], app: CasebookApp, words: str) -> None:
    """Open the palette with these words, all at once: it searches again at each letter."""
    await pilot.press("ctrl+p")
    await until(pilot, lambda: isinstance(app.screen, CommandPalette))
    app.screen.query_one(Input).value = words
    await until(pilot, lambda: words in offered(app).casefold())


def offered(app: CasebookApp) -> str:
    """The line of the palette that Enter would take; blank while there is none."""
    for lines in app.screen.query(CommandList):
        if lines.highlighted is not None:
            return str(lines.get_option_at_index(lines.highlighted).prompt)
    return ""
