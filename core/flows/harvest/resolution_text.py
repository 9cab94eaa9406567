"""What fixed an error, written for people: what changed, what was run, who explained it, how it was checked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from core.errors.lessons import Lesson
from core.flows.harvest.fixes.hunks import Hint, shown_lines
from core.text import clean, redact

LIMIT: Final = 2_000
"""Code points of a resolution text."""
_HUNKS: Final = 6
_COMMAND = 300
_LISTED = 5


def relative(path: str, project: str) -> str:
    """`path` as seen from `project`, in its own kind of slashes; unchanged where it lies elsewhere."""
    root = project.rstrip("/\\")
    windows = "\\" in root or bool(re.match(r"[A-Za-z]:", root))
    inside = path.replace("/", "\\").lower() if windows else path
    start = root.replace("/", "\\").lower() if windows else root
    if root and inside.startswith(start) and inside[len(start) : len(start) + 1] in ("/", "\\"):
        return path[len(root) + 1 :]
    return path[2:] if path.startswith("./") else path


def resolution_text(
    *,
    files: Sequence[str],
    hints: Sequence[Hint],
    commands: Sequence[str],
    instead: tuple[str, str] | None,
    explanation: tuple[str, int] | None,
    by_a_person: bool,
    lesson: Lesson,
    checked_idx: int,
) -> str:
    """The resolution as Markdown, at most `LIMIT` code points, redacted and free of control characters.

    It is the `lesson` in words, with every hunk that fits as its evidence. What to do comes first. `instead` are the
    failing and the working command where they differ; the check showed the error gone at message `checked_idx`.
    `by_a_person`: the explanation is what a person says to have done.
    """
    closing = f"**Checked**: {_code(lesson.check)} no longer shows the error (message {checked_idx})."
    done: list[str] = []
    if commands:
        done.append("**Run**\n\n" + "\n".join(f"- {_code(command)}" for command in commands[:_LISTED]))
    if instead is not None:
        done.append(f"**Run** {_code(instead[1])}\n\n**instead of** {_code(instead[0])}")
    rest: list[str] = []
    if lesson.dead_ends:
        rest.append("**Did not help**\n\n" + "\n".join(f"- {_code(one)}" for one in lesson.dead_ends))
    if explanation is not None:
        title = "Done by a person" if by_a_person else "Why"
        rest.append(f"**{title}** (message {explanation[1]})\n\n{_quote(explanation[0])}")
    if reasons := list(dict.fromkeys(_flat(one.why) for one in lesson.evidence)):
        listed = "\n".join(f"- {reason}" for reason in reasons[:_LISTED])
        rest.append(f"**Linked**\n\n{listed}")
    tail = "\n\n".join((*done, *rest, closing))
    changed = _changed(files, hints, LIMIT - len(tail) - 2)
    return clean(redact(f"{changed}\n\n{tail}" if changed else tail))[:LIMIT]


def _changed(files: Sequence[str], hints: Sequence[Hint], room: int) -> str:
    """The files to change, each with its hunks while there is `room`."""
    named = [f"**Change** {_code(file)}" for file in files[:_LISTED]]
    left = room - sum(len(line) + 2 for line in named)
    for hint in hints[:_HUNKS]:
        block = _diff(hint)
        if block and hint.file in files[:_LISTED] and len(block) + 2 <= left:
            named[files.index(hint.file)] += f"\n\n{block}"
            left -= len(block) + 2
    return "\n\n".join(named)[: max(room, 0)]


def _code(text: str) -> str:
    """`text` as a code span that its own back-ticks cannot close."""
    flat = " ".join(clean(text).split())
    flat = flat if len(flat) <= _COMMAND else flat[: _COMMAND - 1] + "…"
    fence = "`" * (1 + max((len(run) for run in re.findall(r"`+", flat)), default=0))
    return f"{fence}{flat}{fence}" if fence == "`" else f"{fence} {flat} {fence}"


def _quote(text: str) -> str:
    return "> " + " ".join(clean(text).split())


def _flat(text: str) -> str:
    return " ".join(clean(text).split())


def _diff(hint: Hint) -> str:
    """A hunk as a fenced diff, or an empty string where it is too long to help."""
    body = "\n".join(shown_lines(hint))
    if not body:
        return ""
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", body)), default=0))
    return f"{fence}diff\n{body}\n{fence}"
