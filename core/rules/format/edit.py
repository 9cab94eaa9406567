"""A call that changes a file, in any of the ways agents have, told as one edit: what it takes away, what it adds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

_BEGIN, _END = "*** Begin Patch", "*** End Patch"
_FILES = ("*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:")
_PATCH_FIELDS = ("input", "patch", "command", "cmd")
_READ = 200_000
"""Code points of a patch that are looked at."""


def as_edit(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """The input of a call, with several edits or a patch told by `old_string` and `new_string` (only what is added:
    `content`), and a patch's first file as `file_path`; any other input as it is."""
    edits: object = given.get("edits")
    if isinstance(edits, list) and "old_string" not in given:
        both = list(_edits(cast("list[object]", edits)))
        if both:
            rest = {key: value for key, value in given.items() if key != "edits"}
            return {
                **rest,
                "old_string": "\n".join(old for old, _ in both),
                "new_string": "\n".join(n for _, n in both),
            }
    for field in _PATCH_FIELDS:
        text = _text(given.get(field))
        if text is not None and _BEGIN in text and (told := _patch(text[:_READ], field)):
            return {**{key: value for key, value in given.items() if key != field}, **told}
    return given


def patch_in_a_line(text: str) -> str | None:
    """The files of a patch, and the lines it takes away and adds; None where a text is no patch."""
    lines = text.partition(_BEGIN)[2].partition(_END)[0].split("\n")
    if not any(map(_file, lines)):
        return None
    said = (_file(line) or (line if line.startswith(("+", "-")) else "") for line in lines)
    return " ".join(" ".join(said).split())


def _edits(edits: list[object]) -> Iterator[tuple[str, str]]:
    for one in edits:
        if isinstance(one, dict):
            old, new = (cast("dict[str, object]", one).get(key) for key in ("old_string", "new_string"))
            if isinstance(old, str) and isinstance(new, str):
                yield old, new


def _text(value: object) -> str | None:
    """A text, or the words of a command as one."""
    if isinstance(value, list):
        return "\n".join(word for word in cast("list[object]", value) if isinstance(word, str))
    return value if isinstance(value, str) else None


def _patch(text: str, field: str) -> dict[str, Any]:
    """A patch by its signs; what a command does around it stays in its field. Empty where it names no file."""
    before, _, rest = text.partition(_BEGIN)
    body, _, after = rest.partition(_END)
    old: list[str] = []
    new: list[str] = []
    files: list[str] = []
    for line in body.split("\n"):
        name = _file(line)
        if name:
            files.append(name)
        elif line.startswith("+"):
            new.append(line[1:])
        elif line.startswith("-"):
            old.append(line[1:])
        elif line.startswith(" "):
            old.append(line[1:])
            new.append(line[1:])
    if not files:
        return {}
    told: dict[str, Any] = {"file_path": files[0]}
    told |= {"other_path": files[1:]} if len(files) > 1 else {}
    told |= {"old_string": "\n".join(old), "new_string": "\n".join(new)} if old else {"content": "\n".join(new)}
    around = f"{before}\n{after}".strip()
    return {**told, field: around} if around else told


def _file(line: str) -> str:
    """The file that a line of a patch names; empty where it names none."""
    return next((line[len(mark) :].strip() for mark in _FILES if line.startswith(mark)), "")
