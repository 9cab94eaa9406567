"""A casebook with tool calls, a rule file beside it, and the Rules pane opened on both."""

from __future__ import annotations

import json
from pathlib import Path

from textual.pilot import Pilot
from textual.widgets import Static

from core.store import open_store
from tests.tui.support import NOW, until
from tui.panes.rules.screen import RulesScreen
from tui.services.environment import Surroundings
from tui.shell.app import CasebookApp

RULES = """\
# Learned

### ERR-001: Force push over a shared branch
**Problem**: `git push --force origin main` overwrote the branch and removed the commits of colleagues
**Root Cause**: history was rewritten by a rebase
**Solution**: use `--force-with-lease` on a branch of your own, revert on a shared one
**Prevention**: protect the branch on the server

### ERR-002: 시험 자료에 실제 고객 정보
**Problem**: 시험 자료에 고객의 이름과 전화번호가 그대로 들어갔다
**Root Cause**: 운영 데이터베이스를 복사했다
**Solution**: 시험 자료는 가짜 값으로 만든다
**Prevention**: 복사하기 전에 가린다

### ERR-003: Retry without a pause
**Problem**: a failing request is repeated at once, so the server is flooded
**Root Cause**: a loop without backoff
**Solution**: wait longer after each attempt, with jitter
**Prevention**: use the shared client

### ERR-004: Push over the branch of others
**Problem**: `git push --force` to main removed commits of colleagues
**Root Cause**: history was rewritten by a rebase
**Solution**: use `--force-with-lease` on a branch of your own, revert on a shared one
**Prevention**: protect the branch
"""
PUSH = "git push --force origin main"
CALLS = (
    ("Read", {"file_path": "/home/mina/shop/README.md"}),
    ("Bash", {"command": "ls -la"}),
    ("Bash", {"command": PUSH, "description": "Overwrite the branch"}),
)
"""The last one stands on top."""


def put_calls(path: Path, *calls: tuple[str, object], project: str = "/home/mina/shop") -> Path:
    """Tool calls of one session, in a casebook that is made if need be."""
    session = f"calls in {project}"
    with open_store(path, write=True, create=True) as store, store.transaction() as con:
        con.execute("INSERT OR IGNORE INTO session(id, agent, project) VALUES (?, 'plain', ?)", (session, project))
        start = con.execute("SELECT count(*) FROM tool_call").fetchone()
        first = int(start[0]) if start else 0  # pyright: ignore[reportArgumentType]
        con.executemany(
            "INSERT INTO tool_call(session_id, tool_use_id, name, input_json, call_idx) VALUES (?, ?, ?, ?, ?)",
            [
                (session, f"t{first + at}", name, given if isinstance(given, str) else json.dumps(given), first + at)
                for at, (name, given) in enumerate(calls)
            ],
        )
    return path


def rules_app(casebook: Path, rules: Path, *, ascii_only: bool = False) -> CasebookApp:
    """The workbench with this rule file, compared by keywords."""
    around = Surroundings(rules=(rules,))
    return CasebookApp(casebook, around=around, ascii_only=ascii_only, clock=lambda: NOW)


async def opened(pilot: Pilot[None], app: CasebookApp) -> RulesScreen:
    """The pane, once the first ranking, or what there is to say in its place, is there."""
    await pilot.pause()
    await pilot.press("alt+3")
    await until(pilot, lambda: isinstance(app.screen, RulesScreen) and idle(app))
    screen = app.screen
    assert isinstance(screen, RulesScreen)
    return screen


def idle(app: CasebookApp) -> bool:
    """Whether nothing is read, matched or written."""
    lanes = ("rules-calls", "rules-page", "rules-call", "rules-rank", "rules-why", "rules-label", "rules-all")
    return not any(map(app.jobs.busy, (*lanes, "rules-table")))


def ids(screen: RulesScreen) -> list[str]:
    """The rules that are shown, in their order."""
    return [one.id for one in screen.rank.ranked.match.rules] if screen.rank.ranked is not None else []


def answered(screen: RulesScreen, command: str) -> bool:
    """Whether the ranking on the screen is that of the call with this command."""
    ranked = screen.rank.ranked
    return ranked is not None and ranked.call.tool_input.get("command") == command


def told(screen: RulesScreen) -> str:
    """All that is said on the right, what is out of sight too."""
    return "\n".join(str(part.content) for part in screen.why.query(Static))
