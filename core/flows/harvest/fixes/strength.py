"""How strong a harvested fix is, and whether it hides the failure instead of curing it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from core.flows.harvest.command import Command
from core.flows.harvest.command_relation import Relation
from core.flows.harvest.fixes.clues import Clue
from core.flows.harvest.fixes.correction import Corrected
from core.flows.harvest.fixes.hunks import Hint, shown_lines
from core.flows.harvest.fixes.linking import ELSEWHERE, NAMED, Linked
from core.flows.harvest.report import Strength

WORKAROUND: Final = "workaround: "
"""How the reason of a step begins that hides the failure."""

_SUPPRESSED: Final = re.compile(
    r"//\s*nolint|#\s*noqa|#\s*type:\s*ignore|#\s*pyright:\s*ignore|eslint-disable|@ts-(?:ignore|expect-error|nocheck)"
    r"|#!?\[allow\(|@SuppressWarnings|rubocop:disable|#\s*nosec|#\s*pragma: no cover|pylint:\s*disable|biome-ignore"
    r"|shellcheck disable|\|\| true\b|continue-on-error: true"
)
_SKIPPED: Final = re.compile(
    r"\bt\.Skip|\bpytest\.(?:mark\.)?(?:skip|xfail)|@unittest\.skip|\b(?:it|test|describe)\.(?:skip|todo|fixme)\b"
    r"|\bx(?:it|describe|test)\(|#\[ignore|@Disabled|@Ignore|\bskip:"
)
_ASSERTS: Final = re.compile(r"\bassert|\bexpect\(|\brequire\.|\bt\.(?:Error|Fatal)|\bshould\b|\.to(?:Be|Equal)\b")
_CLOSE: Final = 20
"""Steps after which a name in another file may belong to other work."""
_HIDING: Final = re.compile(
    r"--no-verify|(?:^|\s)rm\s[^\n;&|]*(?:lock|\.lck)\b|\|\|\s*true\b|--force\b|--allow-empty\b|SKIP=|HUSKY=0|--exit-zero"
)


def hides(hints: Iterable[Hint], command: str | None) -> bool:
    """Whether a change makes a failure unseen: suppressed, skipped, its check, lock or hook set aside."""
    for hint in hints:
        added, removed = "\n".join(hint.added), "\n".join(hint.removed)
        if any(pattern.search(added) and not pattern.search(removed) for pattern in (_SUPPRESSED, _SKIPPED)):
            return True
        if _ASSERTS.search(removed) and not _ASSERTS.search(added):
            return True
    return command is not None and _HIDING.search(command) is not None


def marked(link: Linked, command: str | None) -> Linked:
    """The link, its reason marked where the step hides the failure."""
    return link._replace(why=f"{WORKAROUND}{link.why}") if hides(link.hints, command) else link


def marked_command(instead: Corrected, failed: str, passed: str) -> Corrected:
    """The correction, its reason marked where the command that passed hides the failure and the failed one did not."""
    hiding = hides((), passed) and not hides((), failed)
    return instead._replace(why=f"{WORKAROUND}{instead.why}") if hiding else instead


def strength_of(links: Sequence[Linked], instead: Corrected | None, proven: bool, *, steps: int) -> Strength:
    """`strong` is a linked hunk or one plain command whose check is `proven`; whatever hides the failure is weak.

    A hunk that is too long to be shown does not count: the name of its file helps nobody. A name in another file than
    the reported one is no proof after many `steps`: other work names it too.
    """
    reasons = [*(link.why for link in links), *([instead.why] if instead is not None else [])]
    if not proven or any(reason.startswith(WORKAROUND) for reason in reasons):
        return "weak"
    near = ELSEWHERE if steps <= _CLOSE else NAMED
    hunk = any(link.rank <= near and any(map(shown_lines, link.hints)) for link in links)
    plain = instead.linked if instead is not None else bool(links) and links[0].rank <= ELSEWHERE and not links[0].hints
    command = len(reasons) == 1 and plain
    return "strong" if hunk or command else "weak"


def is_proven(relation: Relation, command: Command, passed: bool, clue: Clue, *, correction: bool) -> bool:
    """Whether the run that showed the error gone was the whole check, or ran the very test that failed.

    `passed`: its exit code or its summary said so. A view that is cut (`| tail`) may only not show the error.
    """
    if not passed or command.view != "whole" or command.masked:
        return False
    if correction or relation in ("same", "covers", "variant"):
        return True
    named = {word for part in command.members for piece in part.words for word in re.findall(r"[\w\[\]\-]+", piece)}
    return any(set(re.findall(r"[\w\[\]\-]+", test)) & named for test in clue.tests)
