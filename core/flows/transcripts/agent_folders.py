"""Where each agent keeps its transcripts: as the settings say, else where the agent itself puts them."""

from __future__ import annotations

from pathlib import Path

from core.base.config.settings import ImportSettings
from core.base.config.settings_sources import from_home
from core.transcripts import Agent, default_roots


def agent_folders(chosen: ImportSettings) -> dict[Agent, list[Path]]:
    """The folders of each agent; a setting left at its default means the agent's own places (and what it archived)."""
    usual = ImportSettings()
    own: dict[Agent, str | None] = {
        "claude-code": chosen.claude_code if chosen.claude_code != usual.claude_code else None,
        "codex": chosen.codex if chosen.codex != usual.codex else None,
    }
    return {agent: default_roots(agent) if folder is None else [from_home(folder)] for agent, folder in own.items()}
