"""The settings of rules as a hook hands them to its host: one line, so that neither has to load what reads settings."""

from __future__ import annotations

from core.base.config.settings import RuleSettings

OFF = "off"


def read_rules(told: str) -> RuleSettings | None:
    """The settings that were handed on. Empty: the defaults; `off`: none, because nobody wants to be told."""
    if told == OFF:
        return None
    if not told:
        return RuleSettings()
    most, files, project_files, trust = (*told.split("\n", 3), "", "", "")[:4]
    number = int(most) if most.isdigit() else RuleSettings().hook_most
    return RuleSettings(files, project_files, hook=True, hook_most=number, trust=trust)
