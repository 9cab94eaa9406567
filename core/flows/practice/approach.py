"""How a finding was dealt with: suppressed, edited, removed, configured, reverted, or rewritten by a command."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from core.errors.identity.codes import Rule
from core.errors.practice import How
from core.flows.harvest.changes import Hint
from core.flows.harvest.command import parse_command
from core.flows.harvest.fixes.linking import is_check
from core.flows.harvest.programs import SCRIPT_RUNNERS
from core.flows.practice.suppression import Suppression, silences, suppressions

_SETTINGS: Final = re.compile(r"\.(?:ya?ml|toml|ini|cfg|jsonc?|properties)\Z|\.config\.\w+\Z|(?:\A|/)\.[\w.-]*rc\Z")
_RESTORES: Final = frozenset(("checkout", "restore", "revert", "stash", "reset"))
_STRING: Final = re.compile(r"\"(?>(?:[^\"\\]|\\.)*)\"?|'(?>(?:[^'\\]|\\.)*)'?|`[^`]*`?")
_COMMENT: Final = re.compile(r"(?:^|\s)(?://|#\s).*")
_NAME: Final = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_SHORT: Final = 6
INTERPRETERS: Final = frozenset(("python", "node", "perl", "ruby", "sh", "bash", "zsh", "awk", "sed", "cat", "tee"))
"""Programs that change files by a script of the moment."""
_NAMES_KEPT: Final = 40
_SHOWN: Final = 160


class Approach(NamedTuple):
    """How a finding went away: `shown` is the comment, line or command, `names` what an edit brought into the code."""

    how: How
    shown: str = ""
    names: tuple[str, ...] = ()


def approach_of(
    rule: Rule, hints: Sequence[Hint], commands: Sequence[str], *, changed: bool = False, told: bool = False
) -> Approach | None:
    """What the hunks and commands linked to a finding did about its rule; None where nothing was done about it.

    `changed`: files were changed in ways that are not known; `told`: a person dealt with it.
    """
    switched = [one for hint in hints for one in _switched_off(rule, hint)]
    if switched:
        best = next((one for one in switched if one.reasoned), switched[0])
        return Approach("suppressed with a reason" if best.reasoned else "suppressed", best.shown)
    if hints and all(_SETTINGS.search(hint.file) for hint in hints):
        return Approach("configured", hints[0].file.rpartition("/")[2][:_SHOWN])
    if hints:
        removed = not any(hint.added for hint in hints)
        return Approach("removed") if removed else Approach("edited", _line(hints), _brought_in(hints))
    parts = [part for command in commands for part in parse_command(command).parts if part.kind == "run"]
    if any(part.program == "git" and set(part.words[1:2]) & _RESTORES for part in parts):
        return Approach("reverted")
    if rewriting := next((part for part in parts if not is_check(part)), None):
        scripted = rewriting.named(SCRIPT_RUNNERS | INTERPRETERS)
        return Approach("edited") if scripted else Approach("rewritten by a command", rewriting.shape[:_SHOWN])
    if told or changed:
        return Approach("by a person" if told else "edited")
    return None  # the same check passed in another way


def _switched_off(rule: Rule, hint: Hint) -> list[Suppression]:
    """The suppressions of this rule that the new side has and the old one has not."""
    before = [one for line in hint.removed for one in suppressions(line) if silences(one, rule)]
    after = [one for line in hint.added for one in suppressions(line) if silences(one, rule)]
    return after if len(after) > len(before) else []


def _line(hints: Sequence[Hint]) -> str:
    """The shortest added line that says something, as an example."""
    lines = [line.strip() for hint in hints for line in hint.added if _NAME.search(line)]
    return min(lines, key=len, default="")[:_SHOWN]


def _brought_in(hints: Iterable[Hint]) -> tuple[str, ...]:
    """The names that only the new sides hold, without words of strings and comments."""
    old, new = _sides(hints)
    return tuple(sorted(name for name in new - old if _telling(name))[:_NAMES_KEPT])


def _telling(name: str) -> bool:
    """Whether a name is more than a word that any code has: `err`, `case`, `return`."""
    return len(name) > _SHORT or "." in name or any(one.isupper() or one.isdigit() for one in name)


def _sides(hints: Iterable[Hint]) -> tuple[set[str], set[str]]:
    old, new = set[str](), set[str]()
    for hint in hints:
        old |= _names(hint.removed)
        new |= _names(hint.added)
    return old, new


def _names(lines: Iterable[str]) -> set[str]:
    return {name for line in lines for name in _NAME.findall(_COMMENT.sub("", _STRING.sub("", line)))}
