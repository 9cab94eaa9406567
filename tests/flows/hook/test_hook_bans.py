"""Before a tool is used: what an instruction file forbids is told once a session, quoted with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.base.config.settings import RuleSettings
from core.flows.hook.dispatch import handle, read_rules
from tests.flows.hook.test_hook_rules import around, context, home, payload

__all__ = ["home"]


@pytest.fixture
def forbidding(home: Path) -> Path:
    (home / "work" / "CLAUDE.md").write_text("- Never use `npm`. Use `pnpm`.\n", encoding="utf-8")
    (home / ".claude" / "memory.md").unlink()
    return home


def test_a_ban_is_told_once_a_session_after_the_reply_was_written(forbidding: Path) -> None:
    db = forbidding / "casebook.db"
    first = handle(payload(forbidding, "npm install"), db, around())
    said = context(first.reply)
    assert "CLAUDE.md:1\n> Never use `npm`\n> Use `pnpm`." in said
    assert f"Source: {forbidding / 'work' / 'CLAUDE.md'}, line 1" in said
    assert "forbidden code `npm` (exact match)" in said
    assert handle(payload(forbidding, "npm install"), db, around()).reply == first.reply  # it was not written
    assert first.once_written is not None
    assert first.once_written() == ""
    assert handle(payload(forbidding, "npm ci"), db, around()).reply is None
    assert handle(payload(forbidding, "npm ci", session_id="s2"), db, around()).reply is not None


def test_rules_follow_a_ban_and_other_commands_are_silent(forbidding: Path) -> None:
    rules = forbidding / ".claude" / "memory.md"
    rules.write_text(
        "### ERR-001: Force push\n**Problem**: `git push --force`\n**Solution**: lease\n", encoding="utf-8"
    )
    said = context(
        handle(payload(forbidding, "npm ci && git push --force origin x"), forbidding / "a.db", around()).reply
    )
    assert said.index("CLAUDE.md:1") < said.index("ERR-001: Force push")
    assert "1 rule may apply" in said
    assert handle(payload(forbidding, "pnpm ci"), forbidding / "a.db", around()).reply is None


def test_bans_can_be_switched_off_alone(forbidding: Path) -> None:
    settings = read_rules("3 without bans\n~/.claude/memory.md\n.claude/memory.md\n")
    assert settings == RuleSettings(bans=False)
    off = around("3 without bans\n~/.claude/memory.md\n.claude/memory.md\n")
    handled = handle(payload(forbidding, "npm install"), forbidding / "a.db", off)
    assert (handled.reply, handled.rules) == (None, 0)
