"""Which files a root leaves out: `.gitignore` and `.casebookignore`, in every folder, by git's own grammar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

IgnoredBy = Literal["gitignore", "casebookignore"]
FILES: tuple[tuple[str, IgnoredBy], ...] = ((".gitignore", "gitignore"), (".casebookignore", "casebookignore"))
_LONGEST = 1 << 20


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one file. `base`: the folder they count from, relative to the root, with `/` after it, or empty.

    `above` is what stands between that folder and the root where the file lies above the root.
    """

    by: IgnoredBy
    base: str
    spec: GitIgnoreSpec
    above: str = ""


def rules_in(folder: Path, base: str, above: str = "") -> tuple[Rules, ...]:
    """The rules that a folder's own files set."""
    found: list[Rules] = []
    for name, by in FILES:
        lines = _lines(folder / name)
        if lines:
            found.append(Rules(by, base, _spec(lines), above))
    return tuple(found)


def rules_above(root: Path) -> tuple[Rules, ...]:
    """The rules of the repository that `root` is a part of: those of the folders above it, and `.git/info/exclude`."""
    top = next((one for one in (root, *root.parents) if (one / ".git").exists()), None)
    if top is None:
        return ()
    found: list[Rules] = []
    lines = _lines(top / ".git" / "info" / "exclude")
    here = root.relative_to(top)
    if lines:
        found.append(Rules("gitignore", "", _spec(lines), "".join(f"{part}/" for part in here.parts)))
    for depth in range(len(here.parts)):
        below = "".join(f"{part}/" for part in here.parts[depth:])
        found += rules_in(top.joinpath(*here.parts[:depth]), "", below)
    return tuple(found)


def excluding(patterns: Sequence[str]) -> tuple[Rules, ...]:
    """Patterns of the settings, as if they stood in the root's `.casebookignore`."""
    return (Rules("casebookignore", "", _spec(patterns)),) if patterns else ()


def ignored(path: str, rules: Sequence[Rules]) -> IgnoredBy | None:
    """By which kind of file `path` (relative to the root; a folder with `/` after it) is ignored, or None.

    The last rule that says anything wins, and a file in a deeper folder is later than one above it. A file that
    `.gitignore` lets through may still be ignored by `.casebookignore`: the two are added up.
    """
    for kind in ("gitignore", "casebookignore"):
        for one in reversed(rules):
            if one.by != kind or not path.startswith(one.base):
                continue
            said = one.spec.check_file(one.above + path[len(one.base) :]).include
            if said is not None:
                if said:
                    return kind
                break
    return None


def _spec(lines: Sequence[str]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:  # one line that is no pattern, which git passes over
        return GitIgnoreSpec.from_lines(line for line in lines if _valid(line))


def _valid(line: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


def _lines(path: Path) -> list[str]:
    try:
        if not path.is_file():
            return []
        with path.open("rb") as file:
            text = file.read(_LONGEST).decode("utf-8", "replace")
    except (OSError, ValueError):
        return []
    return [line.removesuffix("\r") for line in text.split("\n")]
