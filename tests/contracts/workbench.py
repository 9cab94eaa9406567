"""What a person has learned of the workbench: its actions with their keys and ids, and what it remembers."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path

from tests.contracts.casebook import NOON, built
from tests.tui.quiet import quiet
from tui.actions.registry import ACTIONS
from tui.services.environment import Surroundings
from tui.shell.app import CasebookApp

FIELDS = ("id", "alias", "title", "keys", "scope", "group", "hint", "rank", "palette", "priority", "words")


def actions_text(_folder: Path) -> str:
    """Every action, one JSON object a line, in the order of the registry; its name in one pane where ids are shared."""
    found = ({name: getattr(action, name) for name in FIELDS if action.alias or name != "alias"} for action in ACTIONS)
    return "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in found)


def state_text(folder: Path) -> str:
    """The state file that the workbench leaves after a visit to each pane."""
    path = folder / "state.json"
    asyncio.run(_visit(built(folder).path, path))
    return json.dumps(json.loads(path.read_bytes()), ensure_ascii=False, indent=1) + "\n"


async def _visit(database: Path, state: Path) -> None:
    around = Surroundings(state_path=state, rules=(state.with_name("rules.md"),))
    app = CasebookApp(database, title="sample", around=around, clock=lambda: datetime.fromtimestamp(NOON, UTC))
    async with app.run_test(size=(120, 34)) as pilot:
        for action in ("pane.evidence", "pane.rules", "pane.library", "pane.errors", "pane.library"):
            app.action_perform(action)
            await pilot.pause(0.1)
            for _ in range(1200):
                if quiet(0.1):
                    break
                await pilot.pause(0.1)
        app.action_perform("app.quit")
        await pilot.pause()
